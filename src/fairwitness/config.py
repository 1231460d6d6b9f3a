"""``audit.toml`` → frozen dataclasses; an error names the line.

The file says which table, which outcome, which sensitive features and which model; everything else has a
default.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from pathlib import Path
from typing import Any

from fairwitness.config_compare import compared_models
from fairwitness.config_graph import wrong_graph
from fairwitness.config_reader import Reader, line_of, parse_text, read_text, with_changes
from fairwitness.config_tables import (
    MODEL_KEYS,
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
    text = read_text(path, missing="write one with: fairwitness init DATA --sensitive COLUMN")
    return parse_config(text, source=path)


def parse_config(text: str, *, source: Path | None = None) -> AuditConfig:
    """Check the text of an ``audit.toml``; see :func:`read_config`."""
    table = source is not None and source.suffix.lower() in {".csv", ".gz", ".tsv", ".parquet", ".pq"}
    raw = parse_text(
        text,
        name=str(source or "audit.toml"),
        fix="name the audit.toml; for a table, write one with fairwitness init"
        if table
        else "correct that line; text values need quotes",
    )
    return _Reader(text, source).config(raw)


def place(config: AuditConfig, table: str, key: str | None = None) -> str:
    """Say where a value stands: ``audit.toml, line 5``."""
    line = line_of(config.lines, table, key)
    return f"{plain(config.source or 'audit.toml')}{f', line {line}' if line else ''}"


class _Reader(Reader):
    """Reads an ``audit.toml``."""

    def config(self, raw: Mapping[str, Any]) -> AuditConfig:
        for name in raw:
            if name not in TABLES and name not in ("schema", "compare"):
                self.unknown(name, (*TABLES, "schema", "compare"), table=None)
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
            compare=compared_models(self, "compare", raw.get("compare", {})),
            source=self.source,
            lines=self.lines,
        )
        self.check_model(config.model, config.outcome)
        self.check_columns(config)
        if "graph" in raw:
            self.check_graph(config.graph)
        return config

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
        bad = wrong_graph(graph)
        if bad is not None:
            key, error = bad
            line = line_of(self.lines, "graph", key)
            where = f"{plain(self.source or self.usual)}{f', line {line}' if line else ''}"
            raise ConfigError(f"{where}: {error.what}", got=error.got, fix=error.fix) from error
