from __future__ import annotations

import json
import pickle
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import httpx
import numpy as np
import pandas as pd
import pytest

from fairwitness.errors import ConfigError, ModelError, QueryBudgetError
from fairwitness.model import BlackBox, EndpointSettings, as_blackbox

SECRET = "s3cret-t0ken"


@pytest.fixture(autouse=True)
def waits(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """Seconds that would have been slept."""
    seconds: list[float] = []
    monkeypatch.setattr("fairwitness.model.endpoint.time.sleep", seconds.append)
    monkeypatch.setenv("MODEL_TOKEN", SECRET)
    return seconds


def score(request: httpx.Request) -> list[float]:
    return [row["age"] / 100 for row in json.loads(request.content)]


def box_for(
    handler: Callable[[httpx.Request], httpx.Response],
    *,
    url: str = "https://example.test/score",
    settings: dict[str, Any] | None = None,
    **options: Any,
) -> BlackBox:
    chosen = EndpointSettings(transport=httpx.MockTransport(handler), **(settings or {}))
    return as_blackbox(url, endpoint=chosen, **options)


@pytest.mark.parametrize("wrap", [lambda s: s, lambda s: {"scores": s}, lambda s: {"predictions": s}])
def test_scores_come_back_in_the_order_of_the_rows(people: pd.DataFrame, wrap: Callable[[Any], Any]) -> None:
    box = box_for(lambda request: httpx.Response(200, json=wrap(score(request))), batch_size=60)
    judgement = box.judge(people)
    assert np.allclose(judgement.score, people["age"] / 100)
    assert box.n_queries == 200
    assert box.info.kind == "endpoint"


@pytest.mark.parametrize(
    ("answer", "favorable", "accepted"),
    [
        (["yes", "no"], "yes", [True, False]),
        ({"predictions": ["yes", "no"]}, "no", [False, True]),
        ({"predictions": [0, 1]}, 0, [True, False]),
        ([1, 2], 2, [False, True]),
        ([True, False], True, [True, False]),
        ({"scores": [0, 1]}, 0, [False, True]),
    ],
)
def test_labels_and_whole_scores(answer: Any, favorable: object, accepted: list[bool]) -> None:
    box = box_for(lambda request: httpx.Response(200, json=answer), favorable=favorable)
    assert box.judge(pd.DataFrame({"a": [1, 2]})).accepted.tolist() == accepted


def test_rows_are_sent_as_json_of_their_own_types() -> None:
    sent: list[Any] = []

    def handler(request: httpx.Request) -> httpx.Response:
        sent.extend(json.loads(request.content))
        return httpx.Response(200, json=[0.5] * 2)

    frame = pd.DataFrame({"x": [1.5, np.nan], "n": [1, 2], "t": ["ä", None], "b": [True, False]})
    box_for(handler).judge(frame)
    assert sent == [{"x": 1.5, "n": 1, "t": "ä", "b": True}, {"x": None, "n": 2, "t": None, "b": False}]
    assert type(sent[0]["n"]) is int


def test_the_secret_is_sent_in_the_header_only(people: pd.DataFrame) -> None:
    seen: list[str | None] = []

    def handler(request: httpx.Request) -> httpx.Response:
        seen.append(request.headers.get("x-key"))
        return httpx.Response(200, json=score(request))

    settings = {"secret_env": "MODEL_TOKEN", "header": "X-Key", "prefix": ""}
    box = box_for(handler, settings=settings)
    box.judge(people)
    assert seen == [SECRET]
    assert SECRET not in repr(box) + repr(box.info) + str(box.__dict__) + repr(vars(box._adapter))


@pytest.mark.parametrize("status", [400, 401, 403, 404, 413, 418])
def test_errors_hold_neither_secret_nor_answer(people: pd.DataFrame, status: int, waits: list[float]) -> None:
    def handler(request: httpx.Request) -> httpx.Response:
        return httpx.Response(status, text=f"bad header {request.headers['authorization']}")

    with pytest.raises(ModelError, match=f"status {status}") as caught:
        box_for(handler, settings={"secret_env": "MODEL_TOKEN"}).judge(people)
    assert SECRET not in str(caught.value)
    assert caught.value.__cause__ is None
    assert waits == []


def test_a_pickle_holds_no_secret() -> None:
    box = as_blackbox("https://example.test/score", endpoint=EndpointSettings(secret_env="MODEL_TOKEN"))
    assert SECRET.encode() not in pickle.dumps(box)


def test_a_secret_that_is_not_there(people: pd.DataFrame, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("MODEL_TOKEN")
    with pytest.raises(ModelError, match="the environment variable MODEL_TOKEN is not set"):
        box_for(lambda request: httpx.Response(200), settings={"secret_env": "MODEL_TOKEN"}).judge(people)
    monkeypatch.setenv("MODEL_TOKEN", f"{SECRET}\r\nX-Evil: 1")
    with pytest.raises(ModelError, match="characters no header may hold") as caught:
        box_for(lambda request: httpx.Response(200), settings={"secret_env": "MODEL_TOKEN"}).judge(people)
    assert SECRET not in str(caught.value)


def test_addresses_that_would_leak() -> None:
    with pytest.raises(ConfigError, match="holds a user or password") as caught:
        as_blackbox("https://me:hunter2@example.test/")
    assert "hunter2" not in str(caught.value)
    with pytest.raises(ConfigError, match="unencrypted"):
        as_blackbox("http://example.test/", endpoint=EndpointSettings(secret_env="MODEL_TOKEN"))
    as_blackbox("http://localhost:8000/", endpoint=EndpointSettings(secret_env="MODEL_TOKEN"))
    with pytest.raises(ConfigError, match="no http or https address"):
        as_blackbox("ftp://example.test/", kind="endpoint")
    assert "key=1" not in as_blackbox("https://example.test/a?key=1").info.name


def test_it_is_asked_again_after_trouble(people: pd.DataFrame, waits: list[float]) -> None:
    troubles: list[Any] = [
        httpx.Response(503),
        httpx.Response(429, headers={"Retry-After": "7"}),
        "timeout",
        "broken",
    ]

    def handler(request: httpx.Request) -> httpx.Response:
        if troubles:
            trouble = troubles.pop(0)
            if trouble == "timeout":
                raise httpx.ReadTimeout("slow")
            if trouble == "broken":
                raise httpx.ConnectError("gone")
            return trouble
        return httpx.Response(200, json=score(request))

    box = box_for(handler)
    assert box.judge(people).has_score
    assert waits == [0.5, 7.0, 2.0, 4.0]
    assert box.n_queries == 200


@pytest.mark.parametrize(("trouble", "said"), [(500, "status 500"), (None, "no answer within 30 seconds")])
def test_it_gives_up_in_the_end(
    people: pd.DataFrame, waits: list[float], trouble: int | None, said: str
) -> None:
    def handler(request: httpx.Request) -> httpx.Response:
        if trouble is None:
            raise httpx.ReadTimeout(SECRET)
        return httpx.Response(trouble, headers={"Retry-After": "9999"})

    with pytest.raises(ModelError, match=said) as caught:
        box_for(handler, settings={"retries": 2, "longest_wait": 5.0}).judge(people)
    assert SECRET not in str(caught.value)
    assert len(waits) == 2
    assert max(waits) <= 5.0


def test_redirects_to_another_host_are_not_followed(people: pd.DataFrame) -> None:
    hosts: list[str] = []

    def handler(request: httpx.Request) -> httpx.Response:
        hosts.append(request.url.host)
        return httpx.Response(307, headers={"Location": "https://evil.test/collect"})

    with pytest.raises(ModelError, match=r"sends requests elsewhere; got status 307 to https://evil\.test"):
        box_for(handler).judge(people)
    assert hosts == ["example.test"]


@pytest.mark.parametrize("status", [301, 302, 303])
def test_redirects_that_would_drop_the_rows_are_refused(people: pd.DataFrame, status: int) -> None:
    with pytest.raises(ModelError, match="sends requests elsewhere"):
        box_for(lambda request: httpx.Response(status, headers={"Location": "/other"})).judge(people)


def test_redirects_on_the_same_host_are_followed_but_not_in_circles(people: pd.DataFrame) -> None:
    def handler(request: httpx.Request) -> httpx.Response:
        if request.url.path == "/score":
            return httpx.Response(308, headers={"Location": "/v2/score"})
        return httpx.Response(200, json=score(request))

    assert box_for(handler).judge(people).has_score
    with pytest.raises(ModelError, match="in circles"):
        box_for(lambda request: httpx.Response(308, headers={"Location": "/score"})).judge(people)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"<html>", "does not answer in JSON"),
        (b"[" * 100_000, "does not answer in JSON"),
        (b'{"result": [1]}', "shape that cannot be read"),
        (b'{"scores": 3}', "shape that cannot be read"),
        (b"[[0.1, 0.9], [0.2, 0.8]]", "shape that cannot be read"),
        (b"[0.1, null]", "shape that cannot be read"),
        (b"[0.1]", "asked about 2 rows, the endpoint .* gave 1 answers"),
        (b"[0.1, 1.5]", "not between 0 and 1, in row 1"),
        (b"[0.1, NaN]", "not a finite number in row 1"),
        (b"[0.1, 1e999]", "not a finite number in row 1"),
    ],
)
def test_answers_are_checked(content: bytes, message: str) -> None:
    with pytest.raises(ModelError, match=message):
        box_for(lambda request: httpx.Response(200, content=content)).judge(pd.DataFrame({"a": [1, 2]}))


def test_sizes_are_limited(people: pd.DataFrame) -> None:
    asked: list[int] = []

    def handler(request: httpx.Request) -> httpx.Response:
        asked.append(len(request.content))
        return httpx.Response(200, json=score(request))

    with pytest.raises(ModelError, match="larger than the request limit of 1,000 bytes"):
        box_for(handler, settings={"max_request_bytes": 1000}).judge(people)
    assert asked == []
    with pytest.raises(ModelError, match="more than 1,000 bytes"):
        box_for(
            lambda request: httpx.Response(200, content=b" " * 1001), settings={"max_response_bytes": 1000}
        ).judge(people)


def test_threads_do_not_share_a_connection(people: pd.DataFrame) -> None:
    box = box_for(lambda request: httpx.Response(200, json=score(request)), batch_size=5)
    with ThreadPoolExecutor(4) as pool:
        for judgement in pool.map(box.judge, [people] * 8):
            assert np.allclose(judgement.score, people["age"] / 100)
    assert box.n_queries == 1600


def test_the_query_budget_comes_first(people: pd.DataFrame) -> None:
    def handler(request: httpx.Request) -> httpx.Response:
        raise AssertionError("asked")

    with pytest.raises(QueryBudgetError):
        box_for(handler, max_queries=199).judge(people)
