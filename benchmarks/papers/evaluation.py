"""The evaluation card of Duong et al. (2023): law school, COMPAS and Adult, with this library, beside print.

    FAIRWITNESS_DATA=FOLDER python benchmarks/papers/evaluation.py [--quick]

What each method says of the test rows is kept under .papers/ as it is made, so that an interrupted run goes
on where it stopped; the page is written from what is there, and says what is not.
"""

from __future__ import annotations

import argparse
import os
import time
from pathlib import Path
from typing import Any

from evaluation_methods import METHODS, Judged, NotApplicableError, run, settings
from evaluation_page import Plan, write_page
from evaluation_tasks import TASKS, Task
from flips_cache import Cache

ROOT = Path(__file__).resolve().parents[2]
SEEDS = (0, 1, 2, 3, 4)
QUICK_ROWS, QUICK_SEEDS = 3000, (0, 1)
#: Raise it when a method or a table changes: results of older numbers are made anew.
VERSION = 1


def main() -> None:
    chosen = _arguments()
    folder = Path(chosen.cache or ROOT / ".papers" / ("evaluation-quick" if chosen.quick else "evaluation"))
    cache = Cache(folder)
    seeds = QUICK_SEEDS if chosen.quick else SEEDS
    tasks = [TASKS[key](Path(chosen.data)) for key in chosen.tasks.split(",")]
    whole = {task.key: len(task.X) for task in tasks}
    if chosen.quick:
        tasks = [task.smaller(QUICK_ROWS) for task in tasks]
    found = {}
    for task in tasks:
        for method in METHODS:
            for seed in seeds:
                found[task.key, method, seed] = _judged(cache, task, method, seed, chosen)
    usual = "papers-evaluation.md"
    out = Path(chosen.out or (folder / usual if chosen.quick else ROOT / "docs" / usual))
    plan = Plan(tasks=tuple(tasks), whole=whole, seeds=seeds, quick=chosen.quick, data=Path(chosen.data))
    write_page(out, plan, found, time.strftime("%Y-%m-%d"))
    print(f"written: {out.name}")


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    beside = ROOT.parent / "shared" / "data"
    parser.add_argument("--data", default=os.environ.get("FAIRWITNESS_DATA", beside))
    parser.add_argument("--tasks", default=",".join(TASKS), help="some of law-school,compas,adult")
    parser.add_argument("--quick", action="store_true", help="3,000 rows a table and short training")
    parser.add_argument("--cache", help="folder of kept results")
    parser.add_argument("--out", help="the page to write")
    return parser.parse_args()


def _judged(cache: Cache, task: Task, method: str, seed: int, chosen: Any) -> Judged | str:
    """Give what a method says of the test rows of one split, or why it says nothing."""
    wanted = {
        "version": VERSION,
        "rows": len(task.X),
        "seed": seed,
        **settings(method, task, chosen.quick),
    }

    def make() -> Judged | str:
        train, test = task.split(seed)
        try:
            judged = run(method, task, train, test, seed, chosen.quick)
        except NotApplicableError as reason:
            return str(reason)
        print(f"{task.key:12s}{method:18s}seed {seed}  {judged.seconds:7.1f} s", flush=True)
        return judged

    return cache.models(f"{task.key}-{method.replace(' ', '-')}-{seed}", wanted, make)


if __name__ == "__main__":
    main()
