"""The page about order: docs/papers-flips-order.md."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
from flips_cache import Cache
from flips_models import DECISION_MAKERS
from flips_order_stats import People, ceiling, lead, noise_of_seeds, point, resampled, spearman, words
from flips_published import Published
from flips_tasks import SPLIT_SEED
from flips_text import percent, signed, table

from fairwitness.fair import makers as fair
from fairwitness.rng import child
from fairwitness.typing import FloatArray

KEY, K = "Adult/gender", 100
#: Which decision makers are ranked.
SETS: Mapping[str, tuple[str, ...]] = {
    "7 plain": DECISION_MAKERS,
    "all 10": (*DECISION_MAKERS, *fair.FAIR_DECISION_MAKERS),
}
NAMES = {"neighbors": "neighbours", "kdtree": "unscaled"}
#: Resamples of the people, and draws of noise.
N = 1000
#: Split and random state of each run.
RUNS = ((SPLIT_SEED, 0), (SPLIT_SEED, 1), (SPLIT_SEED, 2), (1, 0), (2, 0), (3, 0))
Runs = dict[str, dict[str, Any]]
WHY = Path(__file__).with_name("flips_order_why.md")


def write_page(out: Path, cache: Cache, published: Published) -> None:
    """Write the page from the runs that are there."""
    runs = {
        f"split-{split}-seed-{seed}": _documents(cache, f"split-{split}-seed-{seed}") for split, seed in RUNS
    }
    matched = _documents(cache, "matched")
    own = f"split-{SPLIT_SEED}-seed-0"
    if not _has(runs[own], SETS["all 10"]):
        raise SystemExit("the run itself is not there: leave --page-only out")
    matched = {**runs[own], **matched} if _has(matched, DECISION_MAKERS) else {}
    parts = [
        HEAD,
        _how_much(runs, own, matched, published),
        _values(runs, own, matched, published),
        _made_of(cache, runs[own], matched, published),
        _quality(runs[own], matched, published),
        WHY.read_text(encoding="utf-8"),
    ]
    text = "\n\n".join(part.strip() for part in parts if part) + "\n"
    part = out.with_suffix(".part")
    part.write_text(text, encoding="utf-8")
    os.replace(part, out)


HEAD = """\
# How much order is there to find? The published ranks of Adult/gender

Spearman's ρ between the published ΔCFlips@100 (Table 4, KDtree) and ours over the seven plain decision
makers is below 0. `make papers-flips-order`, which writes this page, asks what it could have been: how far
the order changes when other people are in the test set, when the same code is trained with another random
state or on another split, and what a run without any fault would reach.

Rows that exist, as on [papers-flips.md](papers-flips.md): *neighbours* (our distance) and *unscaled* (numbers
as DiCE takes them). The zoo's fixed parameters; 10 % test rows; all rejected test rows whose group `f_s`
recovers."""


def _documents(cache: Cache, prefix: str) -> Runs:
    """Give the documents of one run that are there."""
    found = {name: cache.read(f"{prefix}-{name}") for name in SETS["all 10"]}
    return {name: each for name, each in found.items() if each is not None}


def _has(run: Runs, models: Sequence[str]) -> bool:
    return all(name in run for name in models)


def _people(document: Mapping[str, Any], generator: str) -> People:
    part = document[generator]
    return People(np.array(part["person"]), np.array(part["other"], dtype=np.bool_), np.array(part["cflips"]))


def _point(run: Runs, models: Sequence[str], generator: str) -> FloatArray:
    return point([_people(run[name], generator) for name in models], run[models[0]]["settings"]["n_test"])


def _published(published: Published, models: Sequence[str]) -> FloatArray:
    return np.array(
        [published.value("kdtree", True, KEY, name, "cflips", "delta", K) for name in models],
        dtype=np.float64,
    )


def _how_much(runs: dict[str, Runs], own: str, matched: Runs, published: Published) -> str:
    rows = []
    for label, models in SETS.items():
        there = [name for name, run in runs.items() if _has(run, models)]
        splits = [name for name in there if name.endswith("seed-0")]
        trainings = [name for name in there if name.startswith(f"split-{SPLIT_SEED}-")]
        theirs = _published(published, models)
        for generator, called in NAMES.items():
            rng = child(0, "order", label, generator)
            n_test = runs[own][models[0]]["settings"]["n_test"]
            crowd = [_people(runs[own][name], generator) for name in models]
            mine = point(crowd, n_test)
            again = resampled(crowd, n_test, 2 * N, rng)
            people = spearman(again[:N], again[N:])
            noise = again - again.mean(axis=0)
            by_split = np.stack([_point(runs[name], models, generator) for name in splits])
            states = np.stack([_point(runs[name], models, generator) for name in trainings])
            by_people = ceiling(theirs, noise[:N] - noise[N:])
            by_refit, by_state = (
                ceiling(theirs, np.sqrt(2) * each * rng.normal(size=(N, len(models))))
                for each in (noise_of_seeds(by_split), noise_of_seeds(states))
            )
            found = float(spearman(mine, theirs)[0])
            rows.append(
                [
                    label,
                    called,
                    signed(found),
                    signed(float(spearman(_point(matched, models, generator), theirs)[0]))
                    if matched
                    else "–",
                    _range(people),
                    _pairs(list(states)),
                    _pairs(list(by_split)),
                    _range(by_people),
                    _range(by_refit),
                    _range(by_state),
                    " / ".join(
                        f"{percent(float((each <= found).mean()))} %"
                        for each in (by_people, by_refit, by_state)
                    ),
                ]
            )
    head = [
        "decision makers",
        "generator",
        "ρ with the paper",
        "the same, matched to Table 2",
        "(a) two of our runs, other people",
        "other random states",
        "(b) other splits",
        "(c) ceiling, noise of (a)",
        "ceiling, noise of (b)",
        "ceiling, noise of random states",
        "share of the ceilings at or below ours",
    ]
    return (
        "## Spearman's ρ of ΔCFlips@100\n\nMedian and the middle 95 %, or median and range over all pairs of "
        f"runs.\n\n{table(head, rows)}\n\n{LEGEND}"
    )


LEGEND = """\
* (a) The test rows are drawn with replacement, twice and independently, the same rows for all decision
  makers; models and counterfactuals stay. What would change with other rows to choose counterfactuals from
  is not in it.
* (b) Other 10 % of the rows are the test rows, and `f` and `f_s` are trained again on the rest.
* (c) The published values, plus the noise of two runs (theirs and ours): the difference of two resamples as
  in (a), or of two normal draws with each model's standard deviation over the splits of (b), or over the
  random states, without what all models of a run share.
* *matched to Table 2*: the plain decision makers have the settings whose AUC, precision and recall on the
  test rows are nearest to the published ones, chosen before any flip was looked at; the other three as they
  are."""


def _range(values: FloatArray) -> str:
    middle, low, high = words(values)
    return f"{signed(middle)} ({signed(low)} to {signed(high)})"


def _pairs(runs: Sequence[FloatArray]) -> str:
    if len(runs) < 2:
        return "not run"
    found = [float(spearman(a, b)[0]) for a, b in combinations(runs, 2)]
    middle = signed(float(np.median(found)))
    return f"{middle} ({signed(min(found))} to {signed(max(found))}; {len(runs)} runs)"


def _values(runs: dict[str, Runs], own: str, matched: Runs, published: Published) -> str:
    models = SETS["all 10"]
    theirs = _published(published, models)
    splits = [name for name, run in runs.items() if _has(run, models) and name.endswith("seed-0")]
    rows = []
    columns: dict[str, list[FloatArray]] = {}
    for generator in NAMES:
        crowd = [_people(runs[own][name], generator) for name in models]
        n_test = runs[own][models[0]]["settings"]["n_test"]
        again = resampled(crowd, n_test, N, child(0, "order", "values", generator))
        by_split = np.stack([_point(runs[name], models, generator) for name in splits])
        columns[generator] = [
            point(crowd, n_test),
            again.std(axis=0, ddof=1),
            noise_of_seeds(again),
            noise_of_seeds(by_split),
            _point(matched, models, generator) if matched else np.full(len(models), np.nan),
        ]
    for at, name in enumerate(models):
        cells = [percent(float(each[at])) for generator in NAMES for each in columns[generator]]
        rows.append([name, percent(float(theirs[at])), *cells])
    head = ["model", "paper"]
    for called in NAMES.values():
        head += [called, "± people", "± people, not shared", "± split, not shared", "matched"]
    spread = []
    for label, some in SETS.items():
        printed = _published(published, some)
        spread.append(f"{label} {percent(float(np.ptp(printed)))} ({percent(float(printed.std(ddof=1)))})")
    return (
        "## The values, and how far they move\n\nΔCFlips@100 in points; ± is one standard deviation; "
        "*not shared*: without what moves all ten together, which changes no rank. Range (and standard "
        f"deviation) of the published values: {', '.join(spread)}.\n\n{table(head, rows)}"
    )


def _made_of(cache: Cache, own: Runs, matched: Runs, published: Published) -> str:
    """Hold the order against who is among the accepted rows."""
    document = cache.read("who")
    if document is None:
        return ""
    shares = {name: document[name] for name in ("favourable", "other")}
    every = SETS["all 10"]
    printed = {
        name: {
            "dsp": published.parity(KEY, name, "dsp") or 0.0,
            **{each: published.performance(KEY, each, name) or 0.0 for each in ("Precision", "Recall")},
        }
        for name in every
    }
    leads = {"paper": {name: lead(printed[name], **shares) for name in every}}
    for label, run in (("ours", own), ("matched", matched)):
        if run:
            leads[label] = {name: lead(run[name]["quality"], **shares) for name in every}
    rows = []
    for label, models in SETS.items():
        by = {name: np.array([each[model] for model in models]) for name, each in leads.items()}
        row = [label, signed(float(spearman(by["paper"], _published(published, models))[0]))]
        for name, run in (("ours", own), ("matched", matched)):
            for generator in NAMES:
                done = run and spearman(by[name], _point(run, models, generator))[0]
                row.append(signed(float(done)) if run else "–")
            row.append(signed(float(spearman(by[name], by["paper"])[0])) if run else "–")
        rows.append(row)
    head = ["decision makers", "paper: lead and ΔCFlips"]
    for name in ("ours", "matched"):
        head += [f"{name}: lead and {each}" for each in NAMES.values()] + [f"lead of {name} and of the paper"]
    values = [[name, *(percent(each[name]) for each in leads.values())] for name in every]
    return (
        "## What the order is made of\n\n*Lead*: men among the accepted rows minus women among them, as "
        "follows from precision, recall and DSP (Tables 2 and 3) alone. No counterfactual is needed for it. "
        "Spearman's ρ:"
        f"\n\n{table(head, rows)}\n\nLead, in points:\n\n{table(['model', *leads], values)}"
    )


def _quality(own: Runs, matched: Runs, published: Published) -> str:
    if not matched:
        return ""
    rows = []
    for name in DECISION_MAKERS:
        settings = matched[name]["settings"]["settings"]
        row = [name, ", ".join(f"{key} = {value}" for key, value in settings.items())]
        for metric in ("AUC", "Precision", "Recall"):
            theirs = published.performance(KEY, metric, name) or 0.0
            mine, other = own[name]["quality"][metric], matched[name]["quality"][metric]
            row.append(f"{mine:.3f} → {other:.3f} · {theirs:.3f}")
        rows.append(row)
    head = ["model", "settings", "AUC", "precision", "recall"]
    return "## Decision makers matched to Table 2\n\nAs run → matched · paper, on the test rows.\n\n" + table(
        head, rows
    )
