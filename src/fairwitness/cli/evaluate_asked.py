"""What ``fairwitness evaluate`` is asked: a file of models, or a table that holds predictions and options."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from fairwitness.config_compare import read_evaluation
from fairwitness.config_reader import with_changes
from fairwitness.config_tables import (
    ComparedConfig,
    EvaluationConfig,
    OutcomeConfig,
    SensitiveConfig,
    TableConfig,
)
from fairwitness.draft import GOOD_WORDS
from fairwitness.errors import ConfigError, DataError
from fairwitness.table import column, column_names, read_table
from fairwitness.table.levels import level_text
from fairwitness.text import listing, plain


@dataclass(frozen=True)
class Given:
    """Options that say what is in a table."""

    outcome: str | None
    predictions: tuple[str, ...]
    scores: tuple[str, ...]
    sensitive: tuple[str, ...]
    favorable: str | None

    @property
    def named(self) -> list[str]:
        """The options that were used."""
        return [
            f"--{'score' if name == 'scores' else name}"
            for name in ("outcome", "predictions", "scores", "sensitive", "favorable")
            if getattr(self, name)
        ]


def asked(
    source: Path, given: Given, changes: Mapping[str, object], *, allow_pickle: bool
) -> EvaluationConfig:
    """Read the file, or make of a table and options what a file would have said.

    Raises
    ------
    ConfigError
        If options are missing or do not go together, or the file is wrong.
    DataError
        If the favourable outcome has to be named.
    """
    if source.suffix.lower() == ".toml":
        if given.named:
            raise ConfigError(
                f"{given.named[0]} says what is in a table, and {plain(source.name)} says it already",
                fix="write it into the file",
            )
        config = read_evaluation(source)
    else:
        config = _of_table(source, given)
    if allow_pickle:
        models = {
            name: replace(model, allow_pickle=True) if model.path is not None else model
            for name, model in config.models.items()
        }
        config = replace(config, models=models)
    return with_changes(config, changes)


def _of_table(source: Path, given: Given) -> EvaluationConfig:
    predictions, scores = _parted(given.predictions), _parted(given.scores)
    sensitive = _parted(given.sensitive)
    if not predictions and not scores:
        raise ConfigError(
            "nothing says which columns hold predictions",
            fix="pass --predictions COLUMN, or --score COLUMN, or name an evaluate.toml",
        )
    if not sensitive:
        raise ConfigError("nothing says which columns are sensitive", fix="pass --sensitive COLUMN")
    if predictions and scores and len(predictions) != len(scores):
        raise ConfigError(
            "there must be one column of scores for each column of predictions",
            got=f"{len(predictions)} and {len(scores)}",
            fix="name them in the same order, or leave --score out",
        )
    names = predictions or scores
    beside = scores if predictions and scores else [None] * len(names)
    if len(set(names)) < len(names):
        raise ConfigError("a column is named twice", got=listing(names), fix="name each once")
    return EvaluationConfig(
        table=TableConfig(path=source),
        outcome=OutcomeConfig(
            column=given.outcome, favorable=_favorable(source, given.outcome or names[0], given.favorable)
        ),
        sensitive=SensitiveConfig(columns=tuple(sensitive)),
        models={
            name: ComparedConfig(predictions=name, scores=score)
            for name, score in zip(names, beside, strict=True)
        },
    )


def _parted(given: Sequence[str]) -> list[str]:
    """Take ``a,b`` apart."""
    return [name.strip() for each in given for name in each.split(",") if name.strip()]


def _favorable(source: Path, name: str, favorable: str | None) -> object:
    """Give the good outcome in the column's own type: the named one, 1, or a word known to be good."""
    frame = read_table(source)
    if name not in column_names(frame):
        return 1 if favorable is None else favorable
    values = list(dict.fromkeys(column(frame, name).tolist()))
    if favorable is not None:
        for value in values:
            if level_text(value) == favorable or str(value) == favorable:
                return value
        raise DataError(
            f"no row of {plain(name)} has the favourable value {plain(favorable)}",
            got=listing([plain(level_text(value)) for value in values], most=8),
            fix="pass --favorable with one of these",
        )
    if not all(isinstance(value, str) for value in values):
        return 1
    good = [value for value in values if str(value).strip().lower() in GOOD_WORDS]
    if len(good) == 1:
        return good[0]
    raise DataError(
        f"which outcome in {plain(name)} is the good one has to be said",
        got=listing([plain(value) for value in values], most=8),
        fix="pass --favorable with one of these",
    )
