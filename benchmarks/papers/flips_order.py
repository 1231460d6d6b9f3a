"""How much order is there to find? The published ranks of Adult/gender, and what a perfect run would reach.

    FAIRWITNESS_DATA=FOLDER python benchmarks/papers/flips_order.py [--reference FOLDER] [--page-only]

Measures how far the order of the decision makers by ΔCFlips@100 depends on who is in the test set and on
the split, with rows that exist (ours, and chosen by numbers without scale as DiCE does). Every result is
kept under .papers/, so that an interrupted run goes on where it stopped.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path
from typing import Any

import numpy as np
from flips_cache import Cache
from flips_cells import Asked, known_proba, search
from flips_match import TRIED, choose, train
from flips_models import DECISION_MAKERS, classifiers, decision_maker, quality
from flips_order_page import write_page
from flips_published import Published
from flips_tasks import SPLIT_SEED, TASKS, Split, prepare

from fairwitness.fair import makers as fair
from fairwitness.flips import cflips
from fairwitness.flips.inference import align
from fairwitness.typing import FloatArray, IntArray
from flips import ROOT, data_folder

TASK = next(task for task in TASKS if task.key == "Adult/gender")
MODELS = (*DECISION_MAKERS, *fair.FAIR_DECISION_MAKERS)
GENERATORS = ("neighbors", "kdtree")
#: The published split first, then others: with what is left of the rows, all is trained again.
SPLITS = (SPLIT_SEED, 1, 2, 3)
#: Random states of the training, on the published split: the first is the run itself.
TRAININGS = (0, 1, 2)
K = 100


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--reference", default=ROOT.parent / "shared" / "reference")
    parser.add_argument("--page-only", action="store_true", help="write the page from what is there")
    parser.add_argument("--cache", default=ROOT / ".papers" / "flips-order")
    parser.add_argument("--out", default=ROOT / "docs" / "papers-flips-order.md")
    chosen = parser.parse_args()
    cache = Cache(Path(chosen.cache))
    published = Published.read(Path(chosen.reference))
    if not chosen.page_only:
        for split_seed in SPLITS:
            split = prepare(TASK, data_folder(), split_seed=split_seed)
            for seed in TRAININGS if split_seed == SPLIT_SEED else TRAININGS[:1]:
                run(split, cache, split_seed, seed)
            if split_seed == SPLIT_SEED:
                cache.document("who", {"data": split.digest}, lambda split=split: who(split))
                run_matched(split, cache, published)
    write_page(Path(chosen.out), cache, published)
    print(f"written: {Path(chosen.out).name}")


def who(split: Split) -> dict[str, float]:
    """Shares of the test rows that have the favourable outcome, and that are not in the privileged group."""
    other = split.groups.codes[split.test] != split.groups.privileged
    return {"favourable": float(split.y[split.test].mean()), "other": float(other.mean())}


def run(split: Split, cache: Cache, split_seed: int, seed: int) -> None:
    """Train f_s and every decision maker with the zoo's fixed parameters, and keep each person's CFlips."""
    folder = Cache(cache.folder / f"split-{split_seed}-seed-{seed}")
    looks = looks_of(split, folder, seed)
    for name in MODELS:
        say(f"split {split_seed}, random state {seed}: {name}")
        keep(
            split,
            cache,
            f"split-{split_seed}-seed-{seed}-{name}",
            {"split": split_seed, "seed": seed},
            lambda name=name: decision_maker(split, name, folder, seed=seed, draws=0).estimator,
            looks,
        )


def run_matched(split: Split, cache: Cache, published: Published) -> None:
    """The same for plain decision makers like the published ones, which are chosen without any flip."""
    chosen = cache.document(
        "matched", {"data": split.digest, "tried": TRIED}, lambda: {"chosen": choose(split, published, say)}
    )["chosen"]
    looks = looks_of(split, Cache(cache.folder / f"split-{SPLIT_SEED}-seed-0"), 0)
    for name, each in chosen.items():
        say(f"matched: {name} {each['settings']}")
        keep(
            split,
            cache,
            f"matched-{name}",
            each,
            lambda name=name, each=each: train(split, name, each["settings"]),
            looks,
        )


def looks_of(split: Split, folder: Cache, seed: int) -> IntArray:
    """(n,) the group that f_s (XGB) sees in each row of the table, as a code of the split's groups."""
    f_s = {"XGB": classifiers(split, ["XGB"], folder, seed=seed, draws=0)["XGB"].estimator}
    return align(known_proba(split, f_s)["XGB"], f_s["XGB"], split.groups.labels)[1]


def keep(
    split: Split, cache: Cache, name: str, settings: dict[str, Any], train: Any, looks: IntArray
) -> None:
    """Make the document of one decision maker unless it is there: quality, and people's CFlips@100."""

    def make() -> dict[str, Any]:
        estimator = train()
        out: dict[str, Any] = {"quality": quality(split, estimator)}
        for generator in GENERATORS:
            rows, values = people(split, estimator, looks, generator)
            out[generator] = {
                "person": np.searchsorted(split.test, rows).tolist(),
                "other": (split.groups.codes[rows] != split.groups.privileged).tolist(),
                "cflips": values.tolist(),
            }
        return out

    cache.document(name, {"data": split.digest, "n_test": len(split.test), **settings}, make)


def people(
    split: Split, estimator: Any, looks: IntArray, generator: str, k: int = K
) -> tuple[IntArray, FloatArray]:
    """Give the rejected test rows whose group f_s recovers, and the CFlips@k of each."""
    found = search(split, estimator, Asked(generator, k=k), seed=0, at_random=False)
    own = split.groups.codes[found.rows]
    flips = found.found.spread(looks[found.found.source] != own[found.found.query])
    known = looks[found.rows] == own
    return found.rows[known], cflips(flips[known], k)


def say(text: str) -> None:
    print(time.strftime("%H:%M:%S"), text, flush=True)


if __name__ == "__main__":
    main()
