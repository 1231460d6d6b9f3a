"""Tables 3, 4, 6, 7, 8, 9 and 10 of Cornacchia et al. (2023) with this library, beside what they print.

    FAIRWITNESS_DATA=FOLDER python benchmarks/papers/flips.py [--quick] [--reference FOLDER]

Every result is kept under .papers/ as it is made, so that an interrupted run goes on where it stopped; the
page is written from what is there, and says what is not.
"""

from __future__ import annotations

import argparse
import os
import time
from pathlib import Path
from typing import Any

from flips_cache import Cache
from flips_cells import EXACT_K, Asked, NotThereError, known_proba, make_generator, run_cell
from flips_dice import run_dice_itself
from flips_evidence import run_nearer, run_variants
from flips_models import (
    CLASSIFIERS,
    DECISION_MAKERS,
    WEIGHTED,
    WITH_FAIR,
    classifier_quality,
    classifiers,
    decision_maker,
    plain_parameters,
    quality,
    settings_of,
)
from flips_page import Plan, write_page
from flips_published import Published
from flips_tasks import TASKS, Split, Task, prepare

import fairwitness

ROOT = Path(__file__).resolve().parents[2]
GENERATORS = ("neighbors", "kdtree", "genetic", "exact")
#: Settings drawn from every grid; 0: the zoo's fixed parameters. The large table takes hours otherwise.
DRAWS = {"German": 24, "Crime": 12, "Adult": 0, "AdultDeb": 0}
#: For AdvDeb, LFERM and FairC and their kin: a network takes long on 100 columns, too.
FAIR_DRAWS = {**DRAWS, "Crime": 0}
#: At most so many rejected rows of each group get proofs on the large table.
EXACT_PEOPLE = 25
#: Rejected rows of each group that the genetic generator is asked about, for the fair decision makers.
MOST_PEOPLE = 300
#: Decision makers that DiCE itself is tried on.
PEER_MODELS = ("LR", "DT")


def main() -> None:
    chosen = _arguments()
    folder = Path(chosen.cache or ROOT / ".papers" / ("flips-quick" if chosen.quick else "flips"))
    cache = Cache(folder)
    published = Published.read(Path(chosen.reference))
    page = "papers-flips-fair.md" if chosen.fair else "papers-flips.md"
    out = Path(chosen.out or (folder / page if chosen.quick else ROOT / "docs" / page))
    tasks = [task for task in TASKS if chosen.tasks is None or task.key in chosen.tasks.split(",")]
    plan = Plan(
        models=tuple(chosen.models.split(",")),
        generators=tuple(chosen.generators.split(",")),
        classifiers=tuple(chosen.classifiers.split(",")),
        seed=chosen.seed,
        quick=chosen.quick,
        people=chosen.people,
        fair=chosen.fair,
    )
    if not chosen.page_only:
        for task in tasks:
            _run(prepare(task, data_folder()), plan, cache, chosen)
    write_page(out, cache, published, plan, tasks if chosen.quick else TASKS)
    print(f"written: {out.name}")


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="German/gender only, fixed parameters")
    parser.add_argument("--fair", action="store_true", help="AdvDeb, LFERM and FairC beside their plain kin")
    parser.add_argument("--reference", default=ROOT.parent / "shared" / "reference")
    parser.add_argument("--tasks", help="German/gender,Adult/gender,...")
    parser.add_argument("--models", default=",".join(DECISION_MAKERS))
    parser.add_argument("--generators", default=",".join(GENERATORS))
    parser.add_argument("--classifiers", default=",".join(CLASSIFIERS))
    parser.add_argument("--draws", type=int, help="settings drawn from every grid; 0: fixed, -1: all")
    parser.add_argument("--people", type=int, help="genetic: at most so many rejected test rows a group")
    parser.add_argument("--exact-seconds", type=float, default=120, help="budget of one exact cell")
    parser.add_argument("--no-variants", dest="variants", action="store_false")
    parser.add_argument("--peer-python", help="a Python that has dice-ml: DiCE itself on some of the rows")
    parser.add_argument("--peer-rows", type=int, default=15, help="at most so many rows a group for DiCE")
    parser.add_argument("--page-only", action="store_true", help="write the page from what is there")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--cache")
    parser.add_argument("--out")
    chosen = parser.parse_args()
    if chosen.fair:
        chosen.models, chosen.generators, chosen.variants = (
            ",".join(WITH_FAIR),
            "neighbors,kdtree,genetic",
            False,
        )
        chosen.people = chosen.people or MOST_PEOPLE
    if chosen.quick:
        chosen.tasks, chosen.draws = chosen.tasks or "German/gender", 0
        chosen.exact_seconds = min(chosen.exact_seconds, 10)
    return chosen


def _run(split: Split, plan: Plan, cache: Cache, chosen: argparse.Namespace) -> None:
    task = split.task
    usual = FAIR_DRAWS if plan.fair else DRAWS
    draws = usual[task.data_set] if chosen.draws is None else chosen.draws
    draws = None if draws < 0 else draws
    trained = {"seed": plan.seed, "draws": draws}
    made = settings_of(split, seed=plan.seed, draws=draws)
    _say(f"{task.key}: {len(split.X):,} rows, {len(split.test):,} of them test rows")
    f_s = classifiers(split, plan.classifiers, cache, **trained)
    estimators = {name: tuned.estimator for name, tuned in f_s.items()}
    known = known_proba(split, estimators)
    cache.document(
        f"{task.slug}-fs",
        {**made, "classifiers": sorted(estimators), "weighted": list(WEIGHTED)},
        lambda: {
            name: {**classifier_quality(split, each), "parameters": plain_parameters(f_s[name])}
            for name, each in estimators.items()
        },
    )
    models: dict[str, Any] = {}
    for name in plan.models:
        _say(f"{task.key} {name}: train")
        tuned = decision_maker(split, name, cache, **trained)
        models[name] = tuned.estimator
        cache.document(
            f"{task.slug}-f-{name}",
            made,
            lambda tuned=tuned: {
                **quality(split, tuned.estimator),
                "parameters": plain_parameters(tuned),
            },
        )
    for generator in plan.generators:
        try:
            make_generator(generator, seed=plan.seed)
        except NotThereError as missing:  # nothing is kept, so that the next run tries again
            _say(f"{task.key}: {generator} not run, {missing}")
            continue
        asked = _asked(generator, task, chosen)
        settings = {
            **made,
            "asked": vars(asked),
            "classifiers": sorted(estimators),
            "weighted": list(WEIGHTED),
            "version": fairwitness.__version__,
        }
        for name in plan.models:
            _say(f"{task.key} {name}: {generator}")
            cache.document(
                f"{task.slug}-{generator}-{name}",
                settings,
                lambda name=name, asked=asked: {
                    **run_cell(split, models[name], estimators, known, asked, seed=plan.seed),
                    "date": time.strftime("%Y-%m-%d"),
                },
            )
    if chosen.variants and "XGB" in estimators and not plan.quick:
        cache.document(
            f"{task.slug}-variants",
            {**made, "models": list(models), "weighted": list(WEIGHTED), "version": fairwitness.__version__},
            lambda: {"variants": run_variants(split, models, estimators["XGB"], seed=plan.seed, say=_say)},
        )
    if chosen.variants and "XGB" in estimators and task.key == "Adult/gender":
        _say(f"{task.key}: nearer to the published decision makers")
        cache.document(
            f"{task.slug}-nearer",
            {**made, "weighted": list(WEIGHTED)},
            lambda: {"nearer": run_nearer(split, models, estimators["XGB"], seed=plan.seed)},
        )
    if chosen.peer_python and "XGB" in estimators:
        for name in PEER_MODELS:
            _say(f"{task.key} {name}: DiCE itself")
            cache.document(
                f"{task.slug}-dice-{name}",
                {**made, "rows": chosen.peer_rows, "weighted": list(WEIGHTED)},
                lambda name=name: run_dice_itself(
                    split,
                    models[name],
                    estimators["XGB"],
                    known=known["XGB"],
                    python=chosen.peer_python,
                    most=chosen.peer_rows,
                    seed=plan.seed,
                    patience=900,
                ),
            )


def _asked(generator: str, task: Task, chosen: argparse.Namespace) -> Asked:
    if generator == "exact":
        most = EXACT_PEOPLE if task.data_set.startswith("Adult") else None
        return Asked("exact", k=EXACT_K, seconds=chosen.exact_seconds, most=most)
    return Asked(generator, most=chosen.people if generator == "genetic" else None)


def data_folder() -> Path | None:
    """Where the loaders look: FAIRWITNESS_DATA, else the folder beside the project."""
    beside = ROOT.parent / "shared" / "data"
    return None if os.environ.get("FAIRWITNESS_DATA") or not beside.is_dir() else beside


def _say(text: str) -> None:
    print(time.strftime("%H:%M:%S"), text, flush=True)


if __name__ == "__main__":
    main()
