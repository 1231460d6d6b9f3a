"""Canonical sets of one black box by one engine, and all that is measured of them, as one document."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from canonical_tasks import PROTECTED, BlackBox, Task

from fairwitness.canonical import (
    BootstrapSampler,
    CanonicalGate,
    CanonicalSampler,
    LucidGAN,
    TreeCanonicalSampler,
    contrast,
)
from fairwitness.errors import DataError

#: Rows of each set, as published, and rows of the look over all scores.
SIZE, PROBE = 1000, 2000
#: What is asked for: the tenth with the highest scores, the tenth with the lowest, all scores.
REQUESTS = {"positive": (0.9, 1.0), "negative": (0.0, 0.1)}
#: Measures of the gate that the page shows.
MEASURES = ("right_side", "column_tv", "worst_tv", "pair_tv", "auc", "impossible", "copies")


@dataclass(frozen=True)
class Engine:
    """An engine of the page.

    Attributes
    ----------
    words
        What the page calls it.
    make
        (seed, epochs) → an engine that is not fitted; ``epochs`` is ``None`` for those that have none.
    epochs
        Task → the epochs of one training after which it is looked at.
    shown
        Task → the epoch whose sets stand in the page's other tables, and after which other trainings end.
    """

    words: str
    make: Callable[[int, int | None], CanonicalSampler]
    epochs: Mapping[str, tuple[int, ...]]
    shown: Mapping[str, int]


#: Of the published set-up those are shown that the authors' notebooks stop at; of ours, 900 steps.
ENGINES = {
    "tree": Engine("tree", lambda seed, _: TreeCanonicalSampler(random_state=seed), {}, {}),
    "bootstrap": Engine("bootstrap", lambda seed, _: BootstrapSampler(random_state=seed), {}, {}),
    "gan": Engine(
        "LUCID-GAN, ours",
        lambda seed, epochs: LucidGAN(epochs=epochs, random_state=seed),
        {"adult": (5, 10, 20, 30), "compas": (50, 150, 300, 450)},
        {"adult": 30, "compas": 450},
    ),
    "published": Engine(
        "LUCID-GAN as published",
        lambda seed, epochs: LucidGAN(preset="published", epochs=epochs, random_state=seed),
        {"adult": (25, 50, 75, 100, 200, 300), "compas": (50, 100, 200, 300)},
        {"adult": 50, "compas": 300},
    ),
}


def measured(
    task: Task, box: BlackBox, engine: Engine, stops: Sequence[int], seed: int = 0
) -> dict[str, dict[str, Any]]:
    """Learn from the test rows, make both sets after some epochs, and measure them.

    Returns
    -------
    dict
        Epoch ("" for engines without) → what was measured.
    """
    rows = task.rows(task.test)
    scores = box.scores(rows)
    hidden = list(PROTECTED) if box.blind else []
    fitted = engine.make(seed, max(stops) if stops else None).set_params(protected=hidden)
    gate = gate_of(task, box, seed)
    found: dict[str, dict[str, Any]] = {}
    spent, start = 0.0, time.process_time()

    def watch(epoch: int, finish: Callable[[], Any]) -> None:
        nonlocal spent, start
        spent += time.process_time() - start
        if epoch in stops:
            fitted._fitted_nets = finish()  # type: ignore[attr-defined]
            found[str(epoch)] = {"seconds": spent, **_measured(fitted, gate, seed)}
        start = time.process_time()

    if stops:
        fitted._watch = watch  # type: ignore[attr-defined]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        fitted.fit(rows, scores)
        if not stops:
            found[""] = {"seconds": time.process_time() - start, **_measured(fitted, gate, seed)}
    return found


def _measured(fitted: CanonicalSampler, gate: CanonicalGate, seed: int) -> dict[str, Any]:
    sets = {name: fitted.sample_set(SIZE, quantile=each) for name, each in REQUESTS.items()}
    reports = {name: gate.check(made) for name, made in sets.items()}
    reports["all"] = gate.probe(fitted, PROBE)
    found = contrast(*sets.values(), protected=list(PROTECTED), random_state=seed)
    return {
        "correlation": float(np.corrcoef(reports["all"].requested, reports["all"].obtained)[0, 1]),
        "gates": {name: _gate(report) for name, report in reports.items()},
        "edge": {name: _edge(fitted, gate, value) for name, value in (("one", 1.0), ("zero", 0.0))},
        "contrast": found.to_dict(),
    }


def gate_of(task: Task, box: BlackBox, seed: int = 0) -> CanonicalGate:
    """Give a gate that compares with the validation rows, which no engine has seen."""
    held = task.rows(task.validation)
    return CanonicalGate(box.scores, reference=held, reference_scores=box.scores(held), random_state=seed)


def _gate(report: Any) -> dict[str, Any]:
    return {
        "verdict": report.verdict,
        "reasons": list(report.reasons),
        "support": report.support,
        "n_reference": report.n_reference,
        **{name: _plain(report[name].value) for name in MEASURES},
        "floor": {name: _plain(report[name].floor) for name in ("column_tv", "pair_tv")},
    }


def _edge(fitted: CanonicalSampler, gate: CanonicalGate, score: float) -> dict[str, Any]:
    """Make what the paper makes, rows for a score of exactly 1 (or 0); give the refusal if there is one."""
    try:
        made = fitted.sample_set(SIZE, score=score)
    except DataError as refusal:
        return {"refused": refusal.fix or refusal.what}
    report = gate.check(made)
    rows = made.rows
    shares = {}
    for name in PROTECTED:
        at = rows.names.index(name)
        levels = rows.schema.features[at].levels
        counts = np.bincount(made.matrix[:, at].astype(int), minlength=len(levels))
        shares[name] = {
            str(level): float(count / len(made)) for level, count in zip(levels, counts, strict=True)
        }
    return {
        "mean": float(np.mean(report.obtained)),
        "support": report.support,
        "shares": shares,
        **_gate(report),
    }


def _plain(value: float) -> float | None:
    return None if value != value else float(value)
