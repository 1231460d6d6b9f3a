"""One cell of the tables: one decision maker, one generator, every sensitive-feature classifier."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from flips_kdtree import unscaled_neighbors
from flips_tasks import Split

from fairwitness.counterfactuals import (
    CounterfactualGenerator,
    CounterfactualSet,
    GeneticGenerator,
    NeighborGenerator,
)
from fairwitness.errors import ModelError
from fairwitness.flips import OpportunityResult, opportunity_from
from fairwitness.flips.chance import search_at_random
from fairwitness.flips.inference import people_proba
from fairwitness.flips.search import draw_people
from fairwitness.model import BlackBox, as_blackbox
from fairwitness.model.judgement import Judgement
from fairwitness.rng import child_seed
from fairwitness.text import plain
from fairwitness.typing import FloatArray, IntArray

KS = (10, 50, 100)
MEASURES = ("cflips", "ndccf", "ndccf_sorted")
#: Counterfactuals asked of the exact generator: each further one is a proof of its own.
EXACT_K = 10


class NotThereError(Exception):
    """A generator cannot be run; the message says why."""


@dataclass(frozen=True)
class Asked:
    """What is asked of a generator. ``most``: of each group at most so many test rows are searched."""

    generator: str
    k: int = 100
    most: int | None = None
    seconds: float | None = None
    n_resamples: int = 1000


def make_generator(name: str, *, seed: int, rank: str = "distance") -> CounterfactualGenerator:
    """Give an unfitted generator by name."""
    if name in ("neighbors", "kdtree"):
        return NeighborGenerator(rank=rank, n_jobs=1)
    if name == "genetic":
        return GeneticGenerator(random_state=child_seed(seed, "papers", "genetic"), n_jobs=1)
    try:
        from fairwitness.counterfactuals import ExactGenerator
    except ImportError as error:
        raise NotThereError("the library has no exact generator yet") from error
    return ExactGenerator()


@dataclass(frozen=True, eq=False)
class Searched:
    """The rejected test rows of one decision maker and their counterfactuals."""

    box: BlackBox
    judgement: Judgement
    rejected: IntArray
    rows: IntArray
    found: CounterfactualSet
    random: CounterfactualSet | None
    seconds: float


def search(
    split: Split,
    estimator: Any,
    asked: Asked,
    *,
    seed: int,
    generator: CounterfactualGenerator | None = None,
    at_random: bool = True,
) -> Searched:
    """Fit the generator on the whole table, as published, and search for the rejected test rows.

    ``at_random``: the same people's counterfactuals under random acceptance as well.
    """
    box = as_blackbox(estimator, favorable=1)
    judgement = box.judge(split.X)
    in_test = np.zeros(len(split.X), dtype=bool)
    in_test[split.test] = True
    rejected = in_test & ~judgement.accepted
    rows = np.flatnonzero(draw_people(rejected, split.groups.codes, most=asked.most, seed=seed))
    if asked.generator == "kdtree":
        return _as_dice_measures(split, box, judgement, np.flatnonzero(rejected), rows, asked)
    generator = generator or make_generator(asked.generator, seed=seed)
    started = time.perf_counter()
    fitted = generator.fit(split.X, box, schema=split.schema, judgement=judgement)
    found = fitted.generate(split.X.iloc[rows], asked.k, time_budget=asked.seconds)
    seconds = time.perf_counter() - started
    random = None
    if at_random:
        random = search_at_random(
            box,
            split.X,
            judgement.accepted,
            rows,
            generator=generator,
            k=asked.k,
            schema=split.schema,
            seed=seed,
        )
    return Searched(box, judgement, np.flatnonzero(rejected), rows, found, random, seconds)


def _as_dice_measures(
    split: Split, box: BlackBox, judgement: Judgement, rejected: IntArray, rows: IntArray, asked: Asked
) -> Searched:
    fitted = NeighborGenerator().fit(split.X, box, schema=split.schema, judgement=judgement)
    like = fitted.generate(split.X.iloc[rows], 1)
    started = time.perf_counter()
    found = unscaled_neighbors(split, judgement, rows, like, asked.k)
    return Searched(box, judgement, rejected, rows, found, None, time.perf_counter() - started)


def measure(
    split: Split, searched: Searched, classifier: Any, asked: Asked, *, known: FloatArray, seed: int
) -> OpportunityResult:
    """Measure with the convention of the published tables."""
    return opportunity_from(
        searched.found,
        split.groups,
        classifier,
        rows=searched.rows,
        accepted=searched.judgement.accepted,
        evidence=split.X,
        known=known,
        random=searched.random,
        convention="published",
        n_resamples=asked.n_resamples,
        n_permutations=1,  # no p-value is printed
        random_state=seed,
    )


def known_proba(split: Split, estimators: Mapping[str, Any]) -> dict[str, FloatArray]:
    """What each f_s says of every row of the table: asked once a task, not once a cell."""
    return {name: people_proba(estimator, split.X) for name, estimator in estimators.items()}


def run_cell(
    split: Split,
    estimator: Any,
    estimators: Mapping[str, Any],
    known: Mapping[str, FloatArray],
    asked: Asked,
    *,
    seed: int,
) -> dict[str, Any]:
    """Give everything that the page says of one cell, as plain values."""
    try:
        searched = search(split, estimator, asked, seed=seed)
    except ModelError as refused:  # a generator that does not know this kind of model, say
        return {"reason": plain(refused, most=200)}
    found = searched.found.n_found
    status, count = np.unique(np.asarray(searched.found.status), return_counts=True)
    return {
        "n_test": len(split.test),
        "n_rejected": len(searched.rejected),
        "n_searched": len(searched.rows),
        "n_with": int((found > 0).sum()),
        "changed": float(searched.found.changed.sum(axis=1).mean()) if len(searched.found) else None,
        "median_found": float(np.median(found)) if len(found) else None,
        "status": {str(s): int(c) for s, c in zip(status, count, strict=True)},
        "seconds": round(searched.seconds, 2),
        "by_classifier": {
            name: summary(split, measure(split, searched, each, asked, known=known[name], seed=seed), asked.k)
            for name, each in estimators.items()
        },
    }


def summary(split: Split, result: OpportunityResult, k: int) -> dict[str, Any]:
    """Give both groups' values, their difference, and its part beyond random acceptance."""
    privileged, other = split.labels
    ks = [each for each in KS if each <= k]
    difference = result.difference(other)
    out: dict[str, Any] = {
        "n": {
            "privileged": result[privileged].funnel.searched,
            "unprivileged": result[other].funnel.searched,
        }
    }
    for measure_name in MEASURES:
        out[measure_name] = {
            side: {str(each): _value(result[label].at(measure_name, each)) for each in ks}
            for side, label in (("privileged", privileged), ("unprivileged", other))
        }
        out[measure_name]["difference"] = {
            str(each): _value(difference.at(measure_name, each)) for each in ks
        }
    whole = difference.at("cflips", ks[-1])
    beyond = difference.at("cflips", ks[-1], beyond_random=True)
    out["interval"] = None if whole is None else [_finite(whole.low), _finite(whole.high)]
    out["beyond_random"] = None
    if beyond is not None:
        out["beyond_random"] = [_finite(v) for v in (beyond.estimate, beyond.low, beyond.high)]
    return out


def _value(estimate: Any) -> float | None:
    return None if estimate is None else _finite(estimate.estimate)


def _finite(value: float) -> float | None:
    return float(value) if np.isfinite(value) else None
