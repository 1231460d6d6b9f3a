"""``audit.toml`` → frozen dataclasses; an error names the line.

The file says which table, which outcome, which sensitive features and which model; everything else has a
default. A mistyped key is an error with the nearest right one, and a key that does not apply is an error too:
nothing is silently ignored.
"""

from __future__ import annotations

import difflib
import json
import math
import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import fields, replace
from pathlib import Path
from typing import Any, NoReturn

from fairwitness.config_graph import wrong_graph
from fairwitness.config_tables import (
    CHOICES,
    MODEL_KEYS,
    RANGES,
    READABLE,
    REQUIRED,
    TABLES,
    AuditConfig,
    GraphConfig,
    MethodsConfig,
    ModelConfig,
    OutcomeConfig,
    ReportConfig,
    RunConfig,
    SensitiveConfig,
    TableConfig,
)
from fairwitness.errors import ConfigError
from fairwitness.text import plain

__all__ = [
    "TABLES",
    "AuditConfig",
    "GraphConfig",
    "MethodsConfig",
    "ModelConfig",
    "OutcomeConfig",
    "ReportConfig",
    "RunConfig",
    "SensitiveConfig",
    "TableConfig",
    "parse_config",
    "place",
    "read_config",
    "with_changes",
]


def read_config(path: Path) -> AuditConfig:
    """Read and check an ``audit.toml``.

    Raises
    ------
    ConfigError
        If the file is missing, is not TOML, or holds an unknown key or an impossible value; the message
        names the file and the line.
    """
    name = plain(path)
    try:
        content = path.read_bytes()
    except FileNotFoundError:
        raise ConfigError(
            f"there is no file {name}", fix="write one with: fairwitness init DATA --sensitive COLUMN"
        ) from None
    except OSError as error:
        what = "is a folder" if path.is_dir() else f"cannot be opened ({error.strerror})"
        raise ConfigError(f"{name} {what}", fix="name the file that fairwitness init wrote") from None
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise ConfigError(
            f"{name}, line {line}: the file is not UTF-8 text",
            fix="save it as UTF-8, or write that line anew",
        ) from None
    return parse_config(text, source=path)


def parse_config(text: str, *, source: Path | None = None) -> AuditConfig:
    """Check the text of an ``audit.toml``; see :func:`read_config`."""
    try:
        raw = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        table = source is not None and source.suffix.lower() in {".csv", ".gz", ".tsv", ".parquet", ".pq"}
        raise ConfigError(
            f"{plain(source or 'audit.toml')} is not valid TOML: {plain(error)}",
            fix="name the audit.toml; for a table, write one with fairwitness init"
            if table
            else "correct that line; text values need quotes",
        ) from None
    return _Reader(text, source).config(raw)


def with_changes(config: AuditConfig, changes: Mapping[str, object]) -> AuditConfig:
    """Give a copy with some values replaced: ``{"methods.k": 10}``; ``None`` leaves the file's value."""
    for name, value in changes.items():
        if value is None:
            continue
        table, key = name.split(".")
        wrong = _wrong(table, key, value)
        if wrong:
            raise ConfigError(wrong[0], got=_toml(value), fix=wrong[1])
        config = replace(config, **{table: replace(getattr(config, table), **{key: value})})
    return config


def place(config: AuditConfig, table: str, key: str | None = None) -> str:
    """Say where a value stands: ``audit.toml, line 5``."""
    line = _line_of(config.lines, table, key)
    return f"{plain(config.source or 'audit.toml')}{f', line {line}' if line else ''}"


class _Reader:
    """Checks one file's values and knows on which line each of them stands."""

    def __init__(self, text: str, source: Path | None) -> None:
        self.lines = tuple(text.splitlines())
        self.source = source
        self.folder = source.absolute().parent if source else Path.cwd()

    def config(self, raw: Mapping[str, Any]) -> AuditConfig:
        for name in raw:
            if name not in TABLES and name != "schema":
                self.unknown(name, (*TABLES, "schema"), table=None)
        for name, values in raw.items():
            if not isinstance(values, dict):
                self.fail(
                    f"{name} must be a table", table=None, key=name, fix=f"write [{name}] on its own line"
                )
        for name, keys in REQUIRED.items():
            missing = [key for key in keys if key not in raw.get(name, {})]
            if name not in raw or missing:
                self.fail(
                    f"[{name}] must say {' and '.join(missing or ['which model to audit'])}",
                    table=name if name in raw else None,
                    fix="see the file that fairwitness init writes",
                )
        config = AuditConfig(
            **{name: self.section(name, raw.get(name, {})) for name in TABLES},
            schema=self.schema(raw.get("schema", {})),
            source=self.source,
            lines=self.lines,
        )
        self.check_model(config.model, config.outcome)
        self.check_columns(config)
        if "graph" in raw:
            self.check_graph(config.graph)
        return config

    def section(self, name: str, values: Mapping[str, Any]) -> Any:
        kind = TABLES[name]
        known = {entry.name: str(entry.type) for entry in fields(kind)}
        out: dict[str, Any] = {}
        for key, value in values.items():
            if key not in known:
                self.unknown(key, tuple(known), table=name)
            out[key] = self.value(name, key, value, known[key])
        return kind(**out)

    def value(self, table: str, key: str, value: Any, declared: str) -> Any:
        wanted = declared.replace(" | None", "")
        read = self.typed(value, wanted)
        if read is None:
            self.fail(f"{key} must be {READABLE[wanted]}", table=table, key=key, got=value)
        wrong = _wrong(table, key, read)
        if wrong:
            self.fail(wrong[0], table=table, key=key, got=value, fix=wrong[1])
        return read

    def typed(self, value: Any, wanted: str) -> Any:
        """Give the value as the dataclass wants it, or ``None`` where it is of another type."""
        if wanted == "Path":
            return self.folder / value if isinstance(value, str) and value.strip() else None
        if wanted == "tuple[str, ...]":
            items = [value] if isinstance(value, str) else value
            texts = isinstance(items, list) and all(isinstance(item, str) for item in items)
            return tuple(items) if texts else None
        if wanted == "float":
            return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else None
        kinds: Mapping[str, Any] = {"bool": bool, "int": int, "str": str, "Severity": str}
        if wanted in kinds:
            return value if type(value) is kinds[wanted] else None
        if wanted.startswith("Mapping"):
            return value if isinstance(value, dict) else None
        return value if isinstance(value, str | int | float | bool) else None

    def schema(self, values: Mapping[str, Any]) -> Mapping[str, Mapping[str, object]]:
        for name, entry in values.items():
            if not isinstance(entry, dict):
                self.fail(
                    "[schema] holds one table a column",
                    table="schema",
                    key=name,
                    fix='write [schema."column name"] and under it kind, bounds, immutable or monotone',
                )
        return values

    def check_model(self, model: ModelConfig, outcome: OutcomeConfig) -> None:
        sources = [name for name in MODEL_KEYS if getattr(model, name) is not None]
        if len(sources) != 1:
            self.fail(
                "[model] must name exactly one of path, url, predictions and train"
                + (f", not {' and '.join(sources)}" if sources else ""),
                table="model",
                fix="keep one of them",
            )
        (source,) = sources
        for entry in fields(ModelConfig):
            if entry.name in MODEL_KEYS or entry.name in MODEL_KEYS[source]:
                continue
            if getattr(model, entry.name) != entry.default:
                self.fail(
                    f"{entry.name} says nothing about a model given by {source}",
                    table="model",
                    key=entry.name,
                    fix="leave it out",
                )
        if model.url is not None and not model.url.startswith(("https://", "http://")):
            self.fail(
                "url must be the address of an endpoint",
                table="model",
                key="url",
                got=model.url,
                fix="start it with https://, or name a file by path",
            )
        if model.train is not None and not 0 < model.threshold < 1:
            self.fail(
                "threshold must lie between 0 and 1, as the scores of a classifier do",
                table="model",
                key="threshold",
                got=model.threshold,
                fix="write for example threshold = 0.5",
            )
        if model.train is not None and outcome.column is None:
            self.fail(
                "[model] train needs an outcome column to learn from",
                table="model",
                key="train",
                fix="name it in [outcome] column",
            )

    def check_columns(self, config: AuditConfig) -> None:
        outcome, predictions = config.outcome.column, config.model.predictions
        if not config.sensitive.columns:
            self.fail("columns is empty", table="sensitive", key="columns", fix="name at least one column")
        if outcome is not None and outcome == predictions:
            self.fail(
                "the predictions and the outcome are one column",
                table="model",
                key="predictions",
                got=predictions,
                fix="leave [outcome] column out: what turned out to be true is not known then",
            )
        if outcome in config.sensitive.columns:
            self.fail(
                "the outcome is among the sensitive features",
                table="sensitive",
                key="columns",
                got=outcome,
                fix="name the decision's outcome in [outcome] column, or leave it out",
            )
        if predictions in config.sensitive.columns:
            self.fail(
                "the predictions are among the sensitive features",
                table="sensitive",
                key="columns",
                got=predictions,
                fix="leave that column out of the sensitive features",
            )

    def check_graph(self, graph: GraphConfig) -> None:
        if (graph.text is None) == (graph.file is None):
            self.fail(
                "[graph] must say the graph by either text or file",
                table="graph",
                fix='write for example text = "sex -> income; {sex, income} -> decision"',
            )
        wrong = wrong_graph(graph)
        if wrong is not None:
            key, error = wrong
            line = _line_of(self.lines, "graph", key)
            where = f"{plain(self.source or 'audit.toml')}{f', line {line}' if line else ''}"
            raise ConfigError(f"{where}: {error.what}", got=error.got, fix=error.fix) from error

    def unknown(self, key: str, known: tuple[str, ...], *, table: str | None) -> NoReturn:
        close = difflib.get_close_matches(key, known, n=1)
        where = f"[{table}] has no" if table else "there is no"
        self.fail(
            f"{where} {'key' if table else 'table'} {plain(key)}",
            table=table,
            key=key,
            fix=f"write {close[0]}" if close else f"use some of {', '.join(known)}",
        )

    def fail(
        self,
        what: str,
        *,
        table: str | None,
        key: str | None = None,
        got: object = None,
        fix: str | None = None,
    ) -> NoReturn:
        line = _line_of(self.lines, table, key)
        where = f"{plain(self.source or 'audit.toml')}{f', line {line}' if line else ''}"
        raise ConfigError(f"{where}: {what}", got=None if got is None else _toml(got), fix=fix)


def _wrong(table: str, key: str, value: Any) -> tuple[str, str] | None:
    """Say what is wrong with a value of the right type, and how to put it right."""
    choices = CHOICES.get((table, key))
    if choices:
        given = value if isinstance(value, tuple) else (value,)
        if not given or any(each not in choices for each in given):
            return f"{key} is not one of the possible values", f"use {_either(choices)}"
        if "auto" in given and len(given) > 1:
            return f"{key} is auto and something else", "keep one of the two"
    if (table, key) in RANGES:
        low, high = RANGES[table, key]
        if value is not None and not low <= value <= high:
            usual = TABLES[table].__dataclass_fields__[key].default
            return (
                f"{key} must lie between {low:,} and {high:,}",
                f"write for example {key} = {100 if usual is None else usual}",
            )
    if key == "n_jobs" and value == 0:
        return "n_jobs is 0", "write 1 or more, or -1 for all cores"
    if key == "confidence" and not 0 < value < 1:
        return "confidence must lie between 0 and 1", "write for example confidence = 0.95"
    if key == "tau" and not 0 < value < 1:
        return "tau must lie between 0 and 1", "write for example tau = 0.1"
    if key == "threshold" and not math.isfinite(value):
        return "threshold must be a finite number", "write for example threshold = 0.5"
    if key in {"separator", "decimal"} and len(value) != 1:
        return f"{key} must be one character", f'write for example {key} = ","'
    return None


def _either(choices: Sequence[str]) -> str:
    return f"{', '.join(choices[:-1])} or {choices[-1]}"


def _toml(value: object) -> str:
    """Write a value as the file has it, safe to print."""
    if isinstance(value, str):
        return plain(json.dumps(value, ensure_ascii=False))
    if isinstance(value, list | tuple):
        return f"[{', '.join(_toml(item) for item in value)}]"
    return plain(str(value).lower() if isinstance(value, bool) else value)


def _line_of(lines: Sequence[str], table: str | None, key: str | None) -> int | None:
    """Find the line of a key by scanning: tomllib does not keep positions."""
    current: list[str] = []
    header: int | None = None
    for at, line in enumerate(lines, start=1):
        if match := re.match(r"\s*\[+\s*(.+?)\s*\]+\s*(#.*)?$", line):
            current = _parts(match.group(1))
            if table is None and key is not None and current[:1] == [key]:
                return at
            if table is not None and current[:1] == [table]:
                header = header or at
                if key is None or current[1:2] == [key]:
                    return at
        elif key is not None and current == ([table] if table else []) and _names(line, key):
            return at
    return header


def _parts(header: str) -> list[str]:
    """Take ``schema."a b"`` apart."""
    found = re.findall(r'"((?:[^"\\]|\\.)*)"|\'([^\']*)\'|([^."\'\s]+)', header)
    return [_unescaped(double) if double else single or bare for double, single, bare in found]


def _names(line: str, key: str) -> bool:
    match = re.match(r'\s*(?:"((?:[^"\\]|\\.)*)"|\'([^\']*)\'|([\w-]+))\s*[=.]', line)
    return match is not None and key in {_unescaped(match.group(1) or ""), *match.groups()[1:]}


def _unescaped(text: str) -> str:
    try:
        return str(json.loads(f'"{text}"'))
    except ValueError:
        return text
