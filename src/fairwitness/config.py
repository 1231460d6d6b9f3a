"""``audit.toml`` → frozen dataclasses; an error names the line.

The file says which table, which outcome, which sensitive features and which model; everything else has a
default. :data:`TABLES` is the whole vocabulary: ``fairwitness init`` writes from it and the reader checks
against it, so that a mistyped key is an error with the nearest right one, never silently ignored.
"""

from __future__ import annotations

import difflib
import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Any, NoReturn, TypeVar

from fairwitness.errors import ConfigError
from fairwitness.findings import SEVERITIES, Severity
from fairwitness.text import plain

C = TypeVar("C")


@dataclass(frozen=True, slots=True)
class TableConfig:
    """``[table]``: the file and how to read it."""

    path: Path
    drop: tuple[str, ...] = ()
    id: str | None = None
    na_values: tuple[str, ...] = ()
    encoding: str = "utf-8"
    separator: str | None = None


@dataclass(frozen=True, slots=True)
class OutcomeConfig:
    """``[outcome]``: what the decision is about; ``column`` may be absent from the table."""

    favorable: object = 1
    column: str | None = None
    people: str = "people"


@dataclass(frozen=True, slots=True)
class SensitiveConfig:
    """``[sensitive]``: the sensitive features, by column or as a cut such as ``"age > 25"``."""

    columns: tuple[str, ...]
    privileged: Mapping[str, object] = field(default_factory=dict)
    missing: str = "group"
    intersections: bool = True


@dataclass(frozen=True, slots=True)
class ModelConfig:
    """``[model]``: exactly one of ``path``, ``url``, ``predictions`` and ``train``."""

    path: Path | None = None
    url: str | None = None
    predictions: str | None = None
    train: str | None = None
    kind: str = "auto"
    threshold: float = 0.5
    features: tuple[str, ...] = ()
    allow_pickle: bool = False
    trusted: tuple[str, ...] = ()
    secret_env: str | None = None
    secret_header: str = "Authorization"
    secret_prefix: str = "Bearer "
    max_queries: int | None = None
    batch_size: int | None = None


@dataclass(frozen=True, slots=True)
class MethodsConfig:
    """``[methods]``: what to measure, and how."""

    run: tuple[str, ...] = ("auto",)
    k: int = 100
    generator: str = "neighbors"
    convention: str = "equations"
    shortfall: str = "available"
    classifier: str = "default"
    max_people: int = 2000
    confidence: float = 0.95
    minimum_n: int = 30
    thresholds: Path | None = None


@dataclass(frozen=True, slots=True)
class RunConfig:
    """``[run]``: seed and workers. Two runs with one seed write the same ``report.json``."""

    seed: int = 0
    n_jobs: int = 1


@dataclass(frozen=True, slots=True)
class ReportConfig:
    """``[report]``: where to, and whether single people are shown."""

    out: Path = Path("fairwitness-report")
    rows: bool = True
    fail_on: Severity | None = None


@dataclass(frozen=True, slots=True)
class AuditConfig:
    """The whole file. Relative paths have been resolved against the file's own folder."""

    table: TableConfig
    sensitive: SensitiveConfig
    model: ModelConfig
    outcome: OutcomeConfig = field(default_factory=OutcomeConfig)
    methods: MethodsConfig = field(default_factory=MethodsConfig)
    run: RunConfig = field(default_factory=RunConfig)
    report: ReportConfig = field(default_factory=ReportConfig)
    schema: Mapping[str, Mapping[str, object]] = field(default_factory=dict)
    source: Path | None = None


TABLES: Mapping[str, type[Any]] = {
    "table": TableConfig,
    "outcome": OutcomeConfig,
    "sensitive": SensitiveConfig,
    "model": ModelConfig,
    "methods": MethodsConfig,
    "run": RunConfig,
    "report": ReportConfig,
}
REQUIRED = {"table": ("path",), "sensitive": ("columns",), "model": ()}
CHOICES: Mapping[tuple[str, str], tuple[str, ...]] = {
    ("sensitive", "missing"): ("error", "group", "drop"),
    ("methods", "generator"): ("neighbors", "genetic", "exact", "dice"),
    ("methods", "convention"): ("equations", "published"),
    ("methods", "classifier"): ("default", "RF", "MLP", "XGB"),
    ("methods", "shortfall"): ("available", "ideal_k", "drop"),
    ("report", "fail_on"): SEVERITIES,
    ("model", "train"): ("LR", "SVM", "DT", "RF", "MLP", "XGB", "LGBM"),
}


def read_config(path: Path) -> AuditConfig:
    """Read and check an ``audit.toml``.

    Raises
    ------
    ConfigError
        If the file is missing, is not TOML, or holds an unknown key or an impossible value; the message
        names the file and the line.
    """
    try:
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError:
        raise ConfigError(
            f"there is no file {plain(path)}",
            fix="write one with: fairwitness init DATA --sensitive COLUMN",
        ) from None
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"{plain(path)} cannot be read as UTF-8 text ({error})") from None
    return parse_config(text, source=path)


def parse_config(text: str, *, source: Path | None = None) -> AuditConfig:
    """Check the text of an ``audit.toml``; see :func:`read_config`."""
    try:
        raw = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise ConfigError(
            f"{plain(source or 'audit.toml')} is not valid TOML: {error}",
            fix="correct that line; text values need quotes",
        ) from None
    reader = _Reader(text, source)
    return reader.config(raw)


def with_changes(config: AuditConfig, changes: Mapping[str, object]) -> AuditConfig:
    """Give a copy with some values replaced: ``{"methods.k": 10}``; ``None`` leaves the file's value."""
    for name, value in changes.items():
        if value is None:
            continue
        table, key = name.split(".")
        choices = CHOICES.get((table, key))
        if choices and value not in choices:
            raise ConfigError(
                f"{key} is not one of the possible values", got=value, fix=f"use {', '.join(choices)}"
            )
        config = replace(config, **{table: replace(getattr(config, table), **{key: value})})
    return config


class _Reader:
    """Checks one file's values and knows on which line each of them stands."""

    def __init__(self, text: str, source: Path | None) -> None:
        self.lines = text.splitlines()
        self.source = source
        self.folder = source.resolve().parent if source else Path.cwd()

    def config(self, raw: Mapping[str, Any]) -> AuditConfig:
        for name in raw:
            if name not in TABLES and name != "schema":
                self.unknown(name, (*TABLES, "schema"), table=None)
        for name, keys in REQUIRED.items():
            missing = [key for key in keys if key not in raw.get(name, {})]
            if name not in raw or missing:
                self.fail(
                    f"[{name}] must say {' and '.join(missing or ['which model to audit'])}",
                    table=name if name in raw else None,
                    fix="see the file that fairwitness init writes",
                )
        sections = {name: self.section(name, raw.get(name, {})) for name in TABLES}
        config = AuditConfig(**sections, schema=self.schema(raw.get("schema", {})), source=self.source)
        self.check(config)
        return config

    def section(self, name: str, values: Any) -> Any:
        kind = TABLES[name]
        if not isinstance(values, dict):
            self.fail(f"{name} must be a table", table=None, key=name, fix=f"write [{name}] on its own line")
        known = {entry.name: str(entry.type) for entry in fields(kind)}
        out: dict[str, Any] = {}
        for key, value in values.items():
            if key not in known:
                self.unknown(key, tuple(known), table=name)
            out[key] = self.value(name, key, value, known[key])
        return kind(**out)

    def value(self, table: str, key: str, value: Any, declared: str) -> Any:
        choices = CHOICES.get((table, key))
        if choices and value not in choices:
            self.fail(
                f"{key} is not one of the possible values",
                table=table,
                key=key,
                got=value,
                fix=f"use one of {', '.join(choices)}",
            )
        wanted = declared.replace(" | None", "")
        if wanted == "Path":
            if isinstance(value, str) and value.strip():
                return self.folder / value
        elif wanted == "tuple[str, ...]":
            items = [value] if isinstance(value, str) else value
            if isinstance(items, list) and all(isinstance(item, str) for item in items):
                return tuple(items)
        elif wanted in {"str", "bool", "Severity"}:
            if type(value).__name__ == {"Severity": "str"}.get(wanted, wanted):
                return value
        elif wanted == "int":
            if isinstance(value, int) and not isinstance(value, bool):
                return value
        elif wanted == "float":
            if isinstance(value, int | float) and not isinstance(value, bool):
                return float(value)
        elif wanted.startswith("Mapping"):
            if isinstance(value, dict):
                return value
        elif isinstance(value, str | int | float | bool):
            return value
        readable = {"Path": "a path in quotes", "tuple[str, ...]": "a list of names in quotes"}
        self.fail(
            f"{key} must be {readable.get(wanted, 'a value of type ' + wanted)}",
            table=table,
            key=key,
            got=value,
        )

    def schema(self, values: Any) -> Mapping[str, Mapping[str, object]]:
        if not isinstance(values, dict) or not all(isinstance(entry, dict) for entry in values.values()):
            self.fail(
                "[schema] holds one table a column",
                table=None,
                key="schema",
                fix='write [schema."column name"] and under it kind, bounds, immutable or monotone',
            )
        return values

    def check(self, config: AuditConfig) -> None:
        model = config.model
        sources = [
            name for name in ("path", "url", "predictions", "train") if getattr(model, name) is not None
        ]
        if len(sources) != 1:
            self.fail(
                "[model] must name exactly one of path, url, predictions and train",
                table="model",
                got=", ".join(sources) or "none",
                fix="keep one of them",
            )
        if model.train is not None and config.outcome.column is None:
            self.fail(
                "[model] train needs an outcome column to learn from",
                table="model",
                key="train",
                fix="name it in [outcome] column",
            )
        if not config.sensitive.columns:
            self.fail("columns is empty", table="sensitive", key="columns", fix="name at least one column")
        for table, key, value, low, high in (
            ("methods", "k", config.methods.k, 1, 10_000),
            ("methods", "max_people", config.methods.max_people, 1, 10_000_000),
            ("methods", "minimum_n", config.methods.minimum_n, 1, 1_000_000),
            ("run", "n_jobs", config.run.n_jobs, -256, 256),
            ("run", "seed", config.run.seed, 0, 2**63),
        ):
            if not low <= value <= high:
                self.fail(f"{key} must lie between {low} and {high}", table=table, key=key, got=value)
        if not 0 < config.methods.confidence < 1:
            self.fail(
                "confidence must lie between 0 and 1",
                table="methods",
                key="confidence",
                got=config.methods.confidence,
                fix="write for example 0.95",
            )

    def unknown(self, key: str, known: tuple[str, ...], *, table: str | None) -> NoReturn:
        close = difflib.get_close_matches(key, known, n=1)
        where = f"[{table}] has no" if table else "there is no"
        self.fail(
            f"{where} {'key' if table else 'table'} {plain(key)}",
            table=table,
            key=key,
            fix=f"did you mean {close[0]}?" if close else f"use one of {', '.join(known)}",
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
        line = self.line_of(table, key)
        place = f"{plain(self.source or 'audit.toml')}{f', line {line}' if line else ''}"
        raise ConfigError(
            f"{place}: {what}",
            got=plain(got) if got is not None else None,
            fix=fix.rstrip("?.") if fix else None,
        )

    def line_of(self, table: str | None, key: str | None) -> int | None:
        """Find the line of a key by scanning: tomllib does not keep positions."""
        current: str | None = None
        header: int | None = None
        for at, line in enumerate(self.lines, start=1):
            if match := re.match(r"\s*\[+\s*([^\]]+?)\s*\]+", line):
                current = match.group(1).split(".")[0].strip("\"' ")
                if current in {table, key}:
                    header = header or at
                    if table is None or key is None:
                        return at
            elif (
                key is not None
                and current == table
                and re.match(rf"\s*[\"']?{re.escape(key)}[\"']?\s*(=|\.)", line)
            ):
                return at
        return header
