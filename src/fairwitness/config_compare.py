"""Models beside others: ``[compare]`` of an ``audit.toml``, and the whole of an ``evaluate.toml``."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from pathlib import Path
from typing import Any, ClassVar

from fairwitness.config_reader import Reader, line_of, parse_text, read_text
from fairwitness.config_tables import (
    COMPARED_KEYS,
    EVALUATION_TABLES,
    ComparedConfig,
    EvaluationConfig,
    OutcomeConfig,
    SensitiveConfig,
)
from fairwitness.text import plain


def read_evaluation(path: Path) -> EvaluationConfig:
    """Read and check an ``evaluate.toml``.

    Raises
    ------
    ConfigError
        If the file is missing, is not TOML, or holds an unknown key or an impossible value; the message
        names the file and the line.
    """
    return parse_evaluation(
        read_text(path, missing="see docs/evaluation.md for how to write one"), source=path
    )


def parse_evaluation(text: str, *, source: Path | None = None) -> EvaluationConfig:
    """Check the text of an ``evaluate.toml``; see :func:`read_evaluation`."""
    raw = parse_text(
        text, name=str(source or "evaluate.toml"), fix="correct that line; text values need quotes"
    )
    return _Evaluations(text, source).config(raw)


def place(config: EvaluationConfig, table: str, key: str | None = None) -> str:
    """Say where a value stands: ``evaluate.toml, line 5``; without a file, which value it is."""
    if config.source is None and not config.lines:
        return f"[{table}] {key}" if key else f"[{table}]"
    line = line_of(config.lines, table, key)
    return f"{plain(config.source or 'evaluate.toml')}{f', line {line}' if line else ''}"


def compared_models(reader: Reader, table: str, raw: Any) -> dict[str, ComparedConfig]:
    """Read ``[compare]`` or ``[models]``: a path, or a table of keys, a name.

    Raises
    ------
    ConfigError
        If an entry names no model or more than one, or has a key that says nothing about it.
    """
    if not isinstance(raw, dict):
        reader.fail(
            f"{table} must be a table", table=None, key=table, fix=f"write [{table}.NAME] on its own line"
        )
    return {name: _compared(reader, table, name, entry) for name, entry in raw.items()}


def _compared(reader: Reader, table: str, name: str, entry: Any) -> ComparedConfig:
    values = {"path": entry} if isinstance(entry, str) else entry
    if not name.strip():
        reader.fail("a model has no name", table=table, key=name, fix=f"write [{table}.NAME]")
    if not isinstance(values, dict):
        reader.fail(
            f"{name} must be a path or a table", table=table, key=name, got=entry, fix='write "model.skops"'
        )
    model: ComparedConfig = reader.section(table, values, ComparedConfig)
    sources = [key for key in COMPARED_KEYS if getattr(model, key) is not None]
    if len(sources) != 1:
        reader.fail(
            f"{name} must name exactly one of path, predictions and train"
            + (f", not {' and '.join(sources)}" if sources else ""),
            table=table,
            key=name,
            fix="keep one of them",
        )
    (source,) = sources
    if table == "compare" and model.scores is not None:
        reader.fail(
            "scores stand beside predictions in an evaluate.toml only",
            table=table,
            key=name,
            fix="name the column of scores as predictions",
        )
    for each in fields(ComparedConfig):
        if each.name in COMPARED_KEYS or each.name in COMPARED_KEYS[source]:
            continue
        if getattr(model, each.name) != each.default:
            reader.fail(
                f"{each.name} says nothing about a model given by {source}",
                table=table,
                key=name,
                fix="leave it out",
            )
    return model


class _Evaluations(Reader):
    """Reads an ``evaluate.toml``."""

    sections: ClassVar[Mapping[str, type[Any]]] = {**EVALUATION_TABLES, "models": ComparedConfig}
    usual: ClassVar[str] = "evaluate.toml"

    def config(self, raw: Mapping[str, Any]) -> EvaluationConfig:
        for name, values in raw.items():
            if name not in self.sections:
                self.unknown(name, tuple(self.sections), table=None)
            if not isinstance(values, dict):
                self.fail(
                    f"{name} must be a table", table=None, key=name, fix=f"write [{name}] on its own line"
                )
        for name, key in (("table", "path"), ("sensitive", "columns")):
            if key not in raw.get(name, {}):
                self.fail(
                    f"[{name}] must say {key}",
                    table=name if name in raw else None,
                    fix="see docs/evaluation.md for how to write one",
                )
        models = compared_models(self, "models", raw.get("models", {}))
        if not models:
            self.fail(
                "there are no models",
                table=None,
                fix='write for example [models.logistic] and under it train = "LR"',
            )
        read = {name: self.section(name, raw.get(name, {})) for name in EVALUATION_TABLES}
        self.check(read["outcome"], read["sensitive"], models)
        return EvaluationConfig(**read, models=models, source=self.source, lines=self.lines)

    def check(
        self, outcome: OutcomeConfig, sensitive: SensitiveConfig, models: Mapping[str, ComparedConfig]
    ) -> None:
        if not sensitive.columns:
            self.fail("columns is empty", table="sensitive", key="columns", fix="name at least one column")
        if outcome.column in sensitive.columns:
            self.fail(
                "the outcome is among the sensitive features",
                table="sensitive",
                key="columns",
                got=outcome.column,
                fix="leave it out there",
            )
        for name, model in models.items():
            if model.train is not None and outcome.column is None:
                self.fail(
                    f"{name} is to be trained and there is no outcome to learn from",
                    table="models",
                    key=name,
                    fix="name it in [outcome] column",
                )
            for column in (model.predictions, model.scores):
                if column is not None and column in (outcome.column, *sensitive.columns):
                    self.fail(
                        f"the predictions of {name} are the outcome or a sensitive feature",
                        table="models",
                        key=name,
                        got=column,
                        fix="name another column",
                    )
