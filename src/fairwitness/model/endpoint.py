"""A model behind an HTTP address: JSON records out, one number or label a record back.

The secret is named by an environment variable; it is read when a request is made, sent to that one host
only, and appears in no message, representation or pickle.
"""

from __future__ import annotations

import json
import math
import os
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import httpx
import numpy as np
from scipy.special import expit

from fairwitness.errors import ConfigError, ModelError
from fairwitness.model.adapters.answers import as_numbers, is_scores, read_answers
from fairwitness.model.adapters.base import Adapter, Reading
from fairwitness.model.judgement import Judgement, ModelInfo
from fairwitness.table.frames import column, column_names, n_rows
from fairwitness.text import plain
from fairwitness.typing import NativeFrame

_AGAIN = frozenset({408, 425, 429, 500, 502, 503, 504})


@dataclass(frozen=True, slots=True)
class EndpointSettings:
    """How an endpoint is asked.

    Attributes
    ----------
    secret_env
        Name of the environment variable that holds the secret; ``None`` sends none.
    header, prefix
        The header that carries it, and what is written before it.
    timeout
        Seconds to wait for one answer.
    retries
        How often a batch is asked again after 429, 5xx, a timeout or a broken connection.
    backoff
        Seconds before the first retry, doubled each time; a ``Retry-After`` of the server is kept to, up
        to ``longest_wait``.
    longest_wait
        Most seconds before one retry.
    max_request_bytes, max_response_bytes
        Largest body sent and taken.
    transport
        A transport of httpx of your own: other certificates, a proxy, a test.
    """

    secret_env: str | None = None
    header: str = "Authorization"
    prefix: str = "Bearer "
    timeout: float = 30.0
    retries: int = 4
    backoff: float = 0.5
    longest_wait: float = 30.0
    max_request_bytes: int = 8_000_000
    max_response_bytes: int = 8_000_000
    transport: httpx.BaseTransport | None = field(default=None, repr=False)


class EndpointAdapter(Adapter):
    """POST ``[{column: value, ...}, ...]``; the answer is a list of n numbers or labels.

    Accepted answers: ``[0.2, 0.7]``, ``{"scores": [...]}``, ``{"predictions": [...]}``.
    """

    batch_size = 500

    def __init__(
        self,
        url: str,
        reading: Reading,
        *,
        settings: EndpointSettings | None,
        feature_names: tuple[str, ...] | None,
    ) -> None:
        self._settings = settings or EndpointSettings()
        self._reading = reading
        self._url = _checked_url(url, secret=self._settings.secret_env is not None)
        # One connection a thread: several may judge at once.
        self._call = threading.local()
        self.info = ModelInfo(
            kind="endpoint",
            name=shown(self._url),
            classes=reading.classes,
            feature_names=feature_names,
            has_score=reading.output != "labels",
            notes=("What the endpoint answers today it may not answer tomorrow: no digest can be given.",),
        )

    def __getstate__(self) -> dict[str, object]:
        return {key: value for key, value in self.__dict__.items() if key != "_call"}

    def __setstate__(self, state: dict[str, object]) -> None:
        self.__dict__.update(state)
        self._call = threading.local()

    @contextmanager
    def opened(self) -> Iterator[None]:
        """Keep one connection for all batches of a call."""
        self._call.key = None
        with httpx.Client(
            timeout=self._settings.timeout, follow_redirects=False, transport=self._settings.transport
        ) as client:
            self._call.client = client
            try:
                yield
            finally:
                self._call.client = None

    def ask(self, frame: NativeFrame) -> tuple[np.ndarray, ...]:
        """Send one batch and give the answers."""
        body = json.dumps(records(frame), allow_nan=False, ensure_ascii=False).encode()
        limit = self._settings.max_request_bytes
        if len(body) > limit:
            raise ModelError(
                f"a batch of {n_rows(frame)} rows is larger than the request limit of {limit:,} bytes",
                got=f"{len(body):,} bytes",
                fix="pass a smaller batch_size, or raise max_request_bytes",
            )
        return (self._answers(self._post(body), rows=n_rows(frame)),)

    def read(self, answers: tuple[np.ndarray, ...]) -> Judgement:
        """Take the joined answers for scores or labels, as their key or their kind says."""
        (raw,) = answers
        reading = self._reading
        if reading.output != "auto":
            scores = reading.output != "labels"
        elif self._call.key == "scores":
            scores = True
        else:
            scores = is_scores(raw, favorable=reading.favorable, output="auto")
        self.info = self.info.changed(has_score=scores)
        return read_answers(
            expit(as_numbers(raw)) if reading.output == "logit" else raw,
            favorable=reading.favorable,
            threshold=reading.threshold,
            scores=scores,
            classes=reading.classes,
        )

    def _post(self, body: bytes) -> bytes:
        """Send with retries; errors say what happened, never what was sent or received."""
        settings = self._settings
        failure = ""
        for attempt in range(settings.retries + 1):
            wait = settings.backoff * 2**attempt
            try:
                status, content, headers = self._once(body)
            except httpx.TimeoutException:
                failure = f"no answer within {settings.timeout:g} seconds"
            except httpx.HTTPError as error:
                failure = f"no connection ({type(error).__name__})"
            else:
                if 200 <= status < 300:
                    return content
                failure = f"status {status}"
                if status not in _AGAIN:
                    break
                wait = _retry_after(headers.get("retry-after"), wait)
            if attempt < settings.retries:
                time.sleep(min(wait, settings.longest_wait))
        raise ModelError(
            f"the endpoint {self.info.name} did not answer", got=failure, fix=_remedy(failure)
        ) from None

    def _once(self, body: bytes) -> tuple[int, bytes, httpx.Headers]:
        client: httpx.Client | None = getattr(self._call, "client", None)
        if client is None:
            raise ModelError("the endpoint is not open", fix="ask it through BlackBox.judge")
        url = self._url
        for _ in range(4):
            with client.stream("POST", url, content=body, headers=self._headers()) as response:
                if response.is_redirect:
                    url = self._redirected(url, response.headers.get("location", ""), response.status_code)
                    continue
                return response.status_code, self._content(response), response.headers
        raise ModelError(f"the endpoint {self.info.name} redirects in circles", fix="give its final address")

    def _content(self, response: httpx.Response) -> bytes:
        limit = self._settings.max_response_bytes
        parts: list[bytes] = []
        size = 0
        for part in response.iter_bytes():
            size += len(part)
            if size > limit:
                raise ModelError(
                    f"the endpoint {self.info.name} answers with more than {limit:,} bytes",
                    fix="pass a smaller batch_size, or raise max_response_bytes",
                )
            parts.append(part)
        return b"".join(parts)

    def _headers(self) -> dict[str, str]:
        headers = {"Content-Type": "application/json", "Accept": "application/json"}
        name = self._settings.secret_env
        if name is not None:
            secret = os.environ.get(name, "").strip()
            if not secret:
                raise ModelError(
                    f"the environment variable {plain(name, most=80)} is not set",
                    fix="set it to the endpoint's secret before the run",
                )
            if not secret.isprintable() or not secret.isascii():
                raise ModelError(
                    f"the environment variable {plain(name, most=80)} holds characters no header may hold",
                    fix="set it to the secret alone",
                )
            headers[self._settings.header] = f"{self._settings.prefix}{secret}"
        return headers

    def _redirected(self, url: str, location: str, status: int) -> str:
        old = httpx.URL(url)
        try:
            new = old.join(location)
        except httpx.InvalidURL:
            new = httpx.URL("https://unreadable.invalid")
        same_host = (old.scheme, old.host, old.port) == (new.scheme, new.host, new.port)
        if status not in (307, 308) or not same_host or not location:
            raise ModelError(
                f"the endpoint {self.info.name} sends requests elsewhere",
                got=f"status {status} to {shown(str(new))}",
                fix="give the final address; rows and secrets are not sent to another host",
            )
        return str(new)

    def _answers(self, content: bytes, *, rows: int) -> np.ndarray:
        try:
            document = json.loads(content)
        except (ValueError, RecursionError):
            raise ModelError(
                f"the endpoint {self.info.name} does not answer in JSON",
                got=f"{len(content):,} bytes",
                fix="answer with a list of numbers",
            ) from None
        key = None
        if isinstance(document, dict):
            key = next((name for name in ("scores", "predictions") if name in document), None)
            document = document.get(key) if key else None
        if not isinstance(document, list) or not all(_is_answer(value) for value in document):
            raise ModelError(
                f"the endpoint {self.info.name} answers in a shape that cannot be read",
                fix='answer with a list, {"scores": [...]} or {"predictions": [...]}, one entry a row',
            )
        if len(document) != rows:
            raise ModelError(
                f"asked about {rows:,} rows, the endpoint {self.info.name} gave {len(document):,} answers",
                fix="answer with one number or label a row, in the order of the rows",
            )
        self._call.key = key
        kinds = {type(value) for value in document}
        if kinds == {int} and all(abs(value) < 2**53 for value in document):
            return np.array(document, dtype=np.int64)
        if kinds <= {int, float}:
            return np.array(document, dtype=np.float64)
        out = np.empty(len(document), dtype=object)
        out[:] = document
        return out


def records(frame: NativeFrame) -> list[dict[str, Any]]:
    """Turn rows into JSON records: numbers, text, booleans, and null for what is missing."""
    names = column_names(frame)
    columns = [column(frame, name) for name in names]
    rows = range(n_rows(frame))
    return [{name: _json(values[row]) for name, values in zip(names, columns, strict=True)} for row in rows]


def shown(url: str) -> str:
    """Give an address without user, password, query and fragment, safe to print."""
    parsed = httpx.URL(url)
    port = f":{parsed.port}" if parsed.port else ""
    return plain(f"{parsed.scheme}://{parsed.host}{port}{parsed.path}", most=120)


def _json(value: object) -> object:
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if value is None or isinstance(value, bool | int | str):
        return value
    return value.isoformat() if hasattr(value, "isoformat") else str(value)


def _is_answer(value: object) -> bool:
    return isinstance(value, bool | int | float | str)


def _checked_url(url: str, *, secret: bool) -> str:
    try:
        parsed = httpx.URL(url)
    except (httpx.InvalidURL, TypeError):
        parsed = httpx.URL("")
    if parsed.scheme not in ("http", "https") or not parsed.host:
        raise ConfigError("the endpoint's address is no http or https address", fix="pass https://host/path")
    if parsed.userinfo:
        raise ConfigError(
            f"the address {shown(url)} holds a user or password",
            fix="keep secrets out of addresses: name an environment variable in secret_env",
        )
    if secret and parsed.scheme == "http" and parsed.host not in ("localhost", "127.0.0.1", "::1"):
        raise ConfigError(f"a secret would be sent unencrypted to {shown(url)}", fix="use the https address")
    return url


def _retry_after(value: str | None, default: float) -> float:
    try:
        return max(float(value), 0.0) if value is not None else default
    except ValueError:  # a date: the plain backoff will do
        return default


def _remedy(failure: str) -> str:
    if failure in ("status 401", "status 403"):
        return "check the secret in the variable that secret_env names, and its header and prefix"
    if failure == "status 404":
        return "check the address"
    if failure in ("status 400", "status 422"):
        return "check that the endpoint takes a JSON list of records with these columns"
    if failure == "status 413":
        return "pass a smaller batch_size"
    return "check that the endpoint is up, or raise timeout and retries in EndpointSettings"
