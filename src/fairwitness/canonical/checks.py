"""Canonical sets as findings, sentences and tables of an audit, with the gate's verdict before all else."""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from fairwitness.canonical.base import CanonicalSet
from fairwitness.canonical.combined import Intersection, intersections
from fairwitness.canonical.contrast_results import Contrast, FeatureContrast
from fairwitness.canonical.contrasting import contrast
from fairwitness.canonical.gate import CanonicalGate
from fairwitness.canonical.gate_report import GateReport, gate_rows
from fairwitness.canonical.halves import gates_by_halves
from fairwitness.canonical.occurring import Together, together
from fairwitness.canonical.tree import TreeCanonicalSampler
from fairwitness.case import Case
from fairwitness.errors import DataError, FairwitnessWarning
from fairwitness.findings import Finding, NotApplicable, Section, Thresholds, grade, load_thresholds
from fairwitness.rng import child_seed
from fairwitness.table import Schema, column_labels, container_of
from fairwitness.text import interval, listing, number, percent, plain
from fairwitness.typing import Document, FloatArray, NativeFrame

KEY = "canonical"
#: Rows of each set, and fewest rows of a table that sets are made from.
SIZE, FEWEST = 1000, 100
#: Other columns that a picture shows, and combinations that are listed.
SHOWN, LISTED = 5, 6
#: Draws of real rows behind the gate's floor.
GATE_DRAWS = 20


@dataclass(frozen=True, slots=True)
class _Made:
    """One case's sets, and all that was measured of them."""

    case: Case
    sampler: TreeCanonicalSampler
    sets: tuple[CanonicalSet, CanonicalSet]
    found: Contrast
    together: tuple[Together, ...]
    crossed: tuple[Intersection, ...]
    names: Mapping[str, str]
    decisions_only: bool

    @property
    def usable(self) -> bool:
        return self.found.verdict != "do not use"


def run(case: Case) -> Section:
    """Make the positive and the negative set, gate both, and compare every sensitive feature in them."""
    reason = _cannot(case)
    if reason is None:
        with warnings.catch_warnings():
            # what is warned of stands in the document: support, grouped levels, rows drawn
            warnings.simplefilter("ignore", FairwitnessWarning)
            try:
                made = _make(case)
            except DataError as error:
                reason = NotApplicable(
                    KEY, f"canonical sets could not be made: {error.what}", error.fix or ""
                )
    if reason is not None:
        return Section(key=KEY, not_applicable=(reason,), document={})
    thresholds = load_thresholds(case.settings.get("thresholds"))
    return Section(
        key=KEY,
        results=(made.found, *made.found.gates),
        findings=tuple(_findings(made, thresholds)),
        paragraphs=tuple(_paragraphs(made)),
        document=_document(made),
        tables={
            "canonical_levels": made.found.levels_frame().to_dict("records"),
            "canonical_gate": gate_rows(made.found.gates),
        },
    )


def _cannot(case: Case) -> NotApplicable | None:
    if case.n_rows < FEWEST:
        return NotApplicable(
            KEY,
            f"canonical sets are learnt from the rows, and {case.n_rows} are too few",
            f"audit at least {FEWEST} rows",
        )
    scores = _scores(case)
    if scores.min() < 0 or scores.max() > 1:
        return NotApplicable(
            KEY, "the scores lie outside [0, 1]", "let the model answer with probabilities of the outcome"
        )
    if scores.min() == scores.max():
        return NotApplicable(KEY, "every row has the same score, so no two sets can be told apart")
    return None


def _scores(case: Case) -> FloatArray:
    given = case.judgement
    return given.score if given.has_score else given.accepted.astype(np.float64)


def _make(case: Case) -> _Made:
    scores = _scores(case)
    frame, schema, names, hidden = _table(case)
    seed = child_seed(case.seed, KEY)
    sampler = TreeCanonicalSampler(
        protected=hidden, schema=schema, n_jobs=case.n_jobs, random_state=seed
    ).fit(frame, scores)
    decisions_only = not case.judgement.has_score
    if decisions_only:
        sets = (sampler.sample_set(SIZE, score=1.0), sampler.sample_set(SIZE, score=0.0))
    else:
        sets = (sampler.positive(SIZE), sampler.negative(SIZE))
    found = contrast(
        *sets,
        protected=list(names.values()),
        gates=_gates(case, sampler, sets, frame, scores),
        confidence=case.confidence,
        random_state=seed,
    )
    columns = list(names.values())
    crossed: tuple[Intersection, ...] = ()
    if len(columns) > 1 and not decisions_only:
        grids = intersections(sampler, columns[0], columns[1], n=SIZE, confidence=case.confidence)
        # they are of the same two sets, which the gate has seen
        crossed = tuple(replace(grid, verdict=found.verdict) for grid in grids)
    coded = [name for at, name in enumerate(sampler.rows_.names) if sampler.rows_.is_coded(at)]
    pairs = together(*sets, columns=coded, most=LISTED) if len(coded) > 1 else ()
    return _Made(case, sampler, sets, found, pairs, crossed, names, decisions_only)


def _gates(
    case: Case,
    sampler: TreeCanonicalSampler,
    sets: Sequence[CanonicalSet],
    frame: NativeFrame,
    scores: FloatArray,
) -> list[GateReport]:
    gate = partial(
        CanonicalGate,
        list(case.models),
        threshold=case.models[0].threshold,
        n_resamples=GATE_DRAWS,
        random_state=sampler.seed_,
    )
    return gates_by_halves(sampler, sets, frame, scores, gate)


def _table(case: Case) -> tuple[NativeFrame, Schema, dict[str, str], list[str]]:
    """Give the model's inputs with the sensitive features beside them.

    Returns
    -------
    frame, schema
        All columns.
    names
        Sensitive feature → its column.
    hidden
        Columns that the model does not see.
    """
    frame = case.inputs
    names: dict[str, str] = {}
    hidden: list[str] = []
    for groups in case.groups:
        if len(groups.parts) > 1:
            continue
        names[groups.name] = groups.name
        if groups.name in column_labels(frame):
            continue
        labels = np.array([*groups.labels, None], dtype=object)[groups.codes]
        frame = _with_column(frame, groups.name, labels.tolist())
        hidden.append(groups.name)
    beside = Schema.infer(frame, **{name: {"kind": "categorical"} for name in hidden})
    features = [beside[name] if name in hidden else case.schema[name] for name in beside.names]
    return frame, Schema(tuple(features)), names, hidden


def _with_column(frame: NativeFrame, name: str, values: list[object]) -> NativeFrame:
    container = container_of(frame)
    if container == "pandas":
        import pandas as pd

        frame = frame.copy(deep=False)
        frame[name] = pd.Series(values, dtype=object, index=frame.index)
        return frame
    if container == "polars":
        import polars as pl

        return frame.with_columns(pl.Series(name, values, dtype=pl.String))
    import pyarrow as pa

    return frame.append_column(name, pa.array(values, pa.string()))


def _findings(made: _Made, thresholds: Thresholds) -> Iterator[Finding]:
    for feature, column in made.names.items():
        yield _difference(made, feature, made.found[column], thresholds)
    if made.found.verdict != "trust":
        worst = max(made.found.gates, key=lambda gate: ("trust", "weak", "do not use").index(gate.verdict))
        failing = next((each for each in worst.measures if each.verdict == worst.verdict), worst.measures[0])
        yield Finding(
            code="CAN002",
            severity="note",
            title=f"The gate's verdict on the canonical sets is “{worst.verdict}”: {listing(worst.reasons)}",
            section=KEY,
            measure=failing.criterion.words,
            subject=worst.request,
            estimate=failing.value,
            interval=(failing.low, failing.high),
            n=failing.n,
            confidence=0.95,
            remedy="read the sets with that in mind, or audit more rows",
        )


def _difference(made: _Made, name: str, feature: FeatureContrast, thresholds: Thresholds) -> Finding:
    """Say how far a sensitive feature's distribution is apart in the two sets."""
    found = feature.estimates["total_variation"]
    sure = feature.established and made.usable
    # one that could be chance, or that the gate refuses, holds "no difference"
    ends = (found.low if sure else 0.0, found.high)
    severity, threshold, established = grade("CAN001", found.estimate, ends, thresholds=thresholds)
    level = feature.largest
    return Finding(
        code="CAN001",
        severity=severity,
        title=f"{_positive(made)} are {plain(level.label)} by {plain(name)} in {percent(level.positive)} of "
        f"cases, {_negative(made)} in {percent(level.negative)}",
        section=KEY,
        measure="total variation between the sets",
        subject=name,
        estimate=found.estimate,
        interval=ends,
        n=found.n,
        confidence=made.found.confidence,
        threshold=threshold,
        established=established,
        remedy="" if established else _remedy(made, feature),
        evidence={
            "gate": made.found.verdict,
            "real": feature.real["total_variation"],
            "p_adjusted": feature.p_adjusted,
            "seen_by_the_model": name not in made.sampler.rows_.protected,
        },
    )


def _remedy(made: _Made, feature: FeatureContrast) -> str:
    if not made.usable:
        return "the gate says not to use these sets: audit more rows"
    return "a difference as large happens by chance: audit more rows"


def _positive(made: _Made) -> str:
    return (
        "Profiles like those it accepts" if made.decisions_only else "Profiles like those it scores highest"
    )


def _negative(made: _Made) -> str:
    return "those like the rejected" if made.decisions_only else "those like the lowest"


def _paragraphs(made: _Made) -> Iterator[str]:
    if not made.usable:
        yield (
            "Profiles such as the model scores highest and lowest were made, but the gate says not to use "
            f"them: {listing(made.found.gates[0].reasons or made.found.gates[1].reasons)}."
        )
        return
    parts = []
    for name, column in made.names.items():
        feature = made.found[column]
        level = feature.largest
        if not feature.established:
            parts.append(f"By {plain(name)}, no difference beyond chance was found.")
            continue
        parts.append(
            f"By {plain(name)}, {percent(level.positive)} of the first are {plain(level.label)} and "
            f"{percent(level.negative)} of the second, {number(level.lift)} times as many "
            f"{interval(level.low, level.high)}."
        )
    which = "accepts and rejects" if made.decisions_only else "scores highest and lowest"
    yield (
        f"{SIZE:,} profiles each such as the model {which} were made (the gate says: {made.found.verdict}). "
        + " ".join(parts)
    )


def _document(made: _Made) -> Document:
    hidden = made.sampler.rows_.protected
    return {
        **made.found.to_dict(),
        "engine": type(made.sampler).__name__,
        "decisions_only": made.decisions_only,
        "sensitive": [
            {"name": name, "column": column, "seen": column not in hidden}
            for name, column in made.names.items()
        ],
        "shown": _shown(made.found),
        "together": [each.to_dict() for each in made.together],
        "intersections": [each.to_dict() for each in made.crossed],
        "notes": list(made.sampler.notes_),
        "settings": {
            "rows of each set": SIZE,
            "rows learnt from": len(made.sampler.rows_),
            "leaf": made.sampler.leaf,
            "nearest": made.sampler.nearest,
            "candidates": made.sampler.candidates,
            "seed": made.sampler.seed_,
        },
    }


def _shown(found: Contrast) -> list[str]:
    """Name the columns that a picture shows: the sensitive ones, and others that differ most."""
    sensitive = [feature.name for feature in found.features if feature.protected]
    others: Sequence[FeatureContrast] = [each for each in found.ranked if not each.protected]
    return [*sensitive, *(each.name for each in others[:SHOWN] if math.isfinite(each.p_value))]
