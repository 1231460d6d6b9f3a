"""What ``fairwitness canonical`` is asked, read and answered."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from fairwitness.canonical import (
    BootstrapSampler,
    CanonicalGate,
    CanonicalSampler,
    CanonicalSet,
    Contrast,
    TreeCanonicalSampler,
    contrast,
)
from fairwitness.canonical.halves import gates_by_halves
from fairwitness.canonical.rows import Rows, read_scores
from fairwitness.errors import ConfigError, DataError
from fairwitness.model import BlackBox, as_blackbox, load_model
from fairwitness.table import column_names, level_text, n_rows, native_column, read_table, select_columns
from fairwitness.text import listing, plain
from fairwitness.typing import NativeFrame


@dataclass(frozen=True, slots=True)
class Asked:
    """The command line, word for word."""

    data: Path
    scores: str | None
    model: Path | None
    sensitive: tuple[str, ...]
    drop: tuple[str, ...]
    where: tuple[str, ...]
    positive: str
    negative: str
    engine: str
    time_budget: float | None
    n: int
    favorable: str
    seed: int
    confidence: float
    allow_pickle: bool


@dataclass(frozen=True, slots=True)
class Answered:
    """The two sets, and all that was measured of them."""

    sets: tuple[CanonicalSet, CanonicalSet]
    contrast: Contrast
    notes: tuple[str, ...]


def answer(asked: Asked) -> Answered:
    """Read the table, make both sets, gate and compare them.

    Raises
    ------
    ConfigError
        If not exactly one of scores and model is named, or an option cannot be read.
    DataError
        If the table lacks a column, or no row supports a request.
    """
    if (asked.scores is None) == (asked.model is None):
        raise ConfigError(
            "name either the column of scores or the model's file",
            got="both" if asked.scores is not None else "neither",
            fix="pass --scores COLUMN, or --model FILE",
        )
    ends = [_pair(text, name) for text, name in ((asked.positive, "positive"), (asked.negative, "negative"))]
    frame = read_table(asked.data)
    names = column_names(frame)
    named = (*asked.sensitive, *asked.drop, *([asked.scores] if asked.scores is not None else []))
    absent = [name for name in named if name not in names]
    if absent:
        raise DataError(
            f"{plain(asked.data.name)} lacks columns",
            got=listing([plain(name) for name in absent]),
            fix=f"use some of {listing([plain(name) for name in names])}",
        )
    left_out = {*asked.drop, asked.scores}
    table = select_columns(frame, [name for name in names if name not in left_out])
    model = _model(asked)
    if model is None:
        assert asked.scores is not None
        scores, hidden = native_column(frame, asked.scores), list(asked.sensitive)
    else:
        judged = model.judge(table)
        scores = judged.score if judged.has_score else judged.accepted.astype(float)
        read = set(model.columns_in(table))
        # whatever else stands in the table is no input: only what is sensitive is looked at beside them
        table = select_columns(table, [n for n in column_names(table) if n in read or n in asked.sensitive])
        hidden = [name for name in asked.sensitive if name not in read]
    sampler = _engine(asked, hidden).fit(table, scores)
    fixed: dict[str, object] = {}
    for text in asked.where:
        name, value = _fixed(sampler.rows_, text)
        # named again: any of the values
        fixed[name] = [*_listed(fixed[name]), value] if name in fixed else value
    sets = tuple(sampler.sample_set(asked.n, quantile=each, where=fixed) for each in ends)
    gate = partial(CanonicalGate, model, random_state=asked.seed)
    # a second network would take as long as the first: its sets are compared with the rows it learnt from
    trained = sampler.extra is not None
    found = contrast(
        *sets,
        protected=asked.sensitive,
        gates=[gate().check(made) for made in sets]
        if trained
        else gates_by_halves(sampler, sets, table, read_scores(scores, n_rows(table)), gate),
        confidence=asked.confidence,
        random_state=asked.seed,
    )
    return Answered((sets[0], sets[1]), found, sampler.notes_)


def _engine(asked: Asked, hidden: Sequence[str]) -> CanonicalSampler:
    if asked.engine == "gan":
        from fairwitness.canonical import LucidGAN

        return LucidGAN(protected=hidden, random_state=asked.seed, time_budget=asked.time_budget)
    if asked.time_budget is not None:
        raise ConfigError(
            "--time-budget is for --engine gan: the others train no network",
            got=f"--engine {plain(asked.engine)}",
            fix="leave it out, or pass --engine gan",
        )
    kinds: dict[str, type[CanonicalSampler]] = {"tree": TreeCanonicalSampler, "bootstrap": BootstrapSampler}
    return kinds[asked.engine](protected=hidden, random_state=asked.seed)


def _model(asked: Asked) -> BlackBox | None:
    if asked.model is None:
        return None
    loaded = load_model(asked.model, allow_pickle=asked.allow_pickle)
    favorable: object = asked.favorable
    try:
        return as_blackbox(loaded, favorable=int(asked.favorable))
    except ValueError:
        return as_blackbox(loaded, favorable=favorable)


def _pair(text: str, name: str) -> tuple[float, float]:
    parts = text.split(",")
    try:
        low, high = (float(part) for part in parts)
    except ValueError:
        raise ConfigError(
            f"--{name} must be two numbers", got=plain(text), fix=f"write for example --{name} 0.9,1"
        ) from None
    return low, high


def _fixed(rows: Rows, text: str) -> tuple[str, object]:
    """Read ``sex=Male``, ``age=30..60`` or ``age=40``."""
    name, _, value = text.partition("=")
    name, value = name.strip(), value.strip()
    if not value or name not in rows.names:
        raise ConfigError(
            "--where must be COLUMN=VALUE, of a column of the table",
            got=plain(text),
            fix=f"write for example --where {plain(rows.names[0])}=...",
        )
    column = rows.names.index(name)
    if rows.is_coded(column):
        return name, _level(rows.schema.features[column].levels, value, name)
    ends = value.split("..")
    try:
        numbers = [float(end) for end in ends]
    except ValueError:
        numbers = []
    if len(numbers) not in (1, 2):
        raise ConfigError(
            f"--where needs a number or a range of {plain(name)}",
            got=plain(value),
            fix=f"write for example --where {plain(name)}=30..60",
        )
    return name, numbers[0] if len(numbers) == 1 else (numbers[0], numbers[1])


def _listed(value: object) -> list[object]:
    return value if isinstance(value, list) else [value]


def _level(levels: Sequence[object], text: str, name: str) -> object:
    for level in levels:
        if level_text(level) == text:
            return level
    if text == "missing":
        return None
    raise DataError(
        f"column {plain(name)!r} has no such level",
        got=plain(text),
        fix=f"use one of {listing([plain(level_text(level)) for level in levels])}",
    )


def frames(found: Answered) -> dict[str, NativeFrame]:
    """Give the rows of both sets by name."""
    return {"positive": found.sets[0].frame, "negative": found.sets[1].frame}
