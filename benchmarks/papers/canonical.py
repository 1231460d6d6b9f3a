"""LUCID-GAN's tables and figures (Algaba et al. 2023) on Adult and COMPAS, with this library, beside print.

    FAIRWITNESS_DATA=FOLDER python benchmarks/papers/canonical.py [--quick] [--reference FILE]

Sets are kept under .papers/ as they are made, so that an interrupted run goes on where it stopped; the page
is written from what is there, and says what is not.
"""

from __future__ import annotations

import argparse
import os
import time
from pathlib import Path
from typing import Any

from canonical_page import Plan, write_page
from canonical_sets import ENGINES, Engine, measured
from canonical_tasks import TASKS, BlackBox, Task, black_box
from flips_cache import Cache

ROOT = Path(__file__).resolve().parents[2]
#: Share of the rows in the quick form.
QUICK_SHARE = 0.25
QUICK_EPOCHS = (5,)
#: Raise it when an engine, a black box or a table changes: results of older numbers are made anew.
VERSION = 2
#: Which black boxes, with (direct) and without (proxy) the protected columns, an engine makes sets of. What
#: the page says of training over time is said of the first.
CASES = (("linear", False), ("linear", True), ("network", False), ("network", True))
#: The slow engines are asked about fewer of them.
SLOW = {"gan": CASES[:3], "published": CASES[:2]}

Boxes = dict[tuple[str, str, bool], BlackBox]


def main() -> None:
    chosen = _arguments()
    folder = Path(chosen.cache or ROOT / ".papers" / ("canonical-quick" if chosen.quick else "canonical"))
    cache = Cache(folder)
    tasks = [TASKS[key](Path(chosen.data)) for key in chosen.tasks.split(",")]
    if chosen.quick:
        tasks = [task.smaller(QUICK_SHARE) for task in tasks]
    boxes: Boxes = {}
    found: dict[tuple[str, str, bool, str, int | None], dict[str, Any]] = {}
    for task in tasks:
        for kind, blind in CASES:
            boxes[task.key, kind, blind] = _box(cache, task, kind, blind=blind)
        for name in chosen.engines.split(","):
            for kind, blind in SLOW.get(name, CASES):
                # the whole of the training is looked at once; elsewhere only its end
                stops = _stops(ENGINES[name], task, whole=(kind, blind) == CASES[0], quick=chosen.quick)
                made = _sets(cache, task, boxes[task.key, kind, blind], name, stops)
                for epoch, document in made.items():
                    found[task.key, kind, blind, name, int(epoch) if epoch else None] = document
    usual = "papers-canonical.md"
    out = Path(chosen.out or (folder / usual if chosen.quick else ROOT / "docs" / usual))
    plan = Plan(
        tasks=tuple(tasks), boxes=boxes, found=found, quick=chosen.quick, reference=Path(chosen.reference)
    )
    write_page(out, plan, time.strftime("%Y-%m-%d"))
    print(f"written: {out.name}")


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    beside = ROOT.parent / "shared"
    parser.add_argument("--data", default=os.environ.get("FAIRWITNESS_DATA", beside / "data"))
    parser.add_argument(
        "--reference", default=beside / "reference" / "lucid_table1_rates.csv", help="Table 1 as printed"
    )
    parser.add_argument("--tasks", default=",".join(TASKS), help="some of adult,compas")
    parser.add_argument("--engines", default=",".join(ENGINES), help=f"some of {','.join(ENGINES)}")
    parser.add_argument("--quick", action="store_true", help="a quarter of the rows, five epochs")
    parser.add_argument("--cache", help="folder of kept results")
    parser.add_argument("--out", help="the page to write")
    return parser.parse_args()


def _box(cache: Cache, task: Task, kind: str, *, blind: bool) -> BlackBox:
    """Give a black box, trained now unless it is kept."""
    wanted = {"version": VERSION, "rows": len(task.train), "kind": kind, "blind": blind}
    name = f"{task.key}-{kind}-{'proxy' if blind else 'direct'}"
    return cache.models(name, wanted, lambda: black_box(task, kind, blind=blind))


def _stops(engine: Engine, task: Task, *, whole: bool, quick: bool) -> tuple[int, ...]:
    """Give the epochs of a training after which the engine is looked at; none if it has no epochs."""
    if not engine.epochs:
        return ()
    if quick:
        return QUICK_EPOCHS
    return engine.epochs[task.key] if whole else (engine.shown[task.key],)


def _sets(
    cache: Cache, task: Task, box: BlackBox, name: str, stops: tuple[int, ...]
) -> dict[str, dict[str, Any]]:
    """Give the sets of one black box by one engine, made now unless they are kept."""
    wanted = {"version": VERSION, "rows": len(task.test), "stops": stops}
    key = f"{task.key}-{box.kind}-{'proxy' if box.blind else 'direct'}-{name}"

    def make() -> dict[str, Any]:
        start = time.process_time()
        found = measured(task, box, ENGINES[name], stops)
        print(f"{key:40s}{time.process_time() - start:8.1f} CPU s", flush=True)
        return {"found": found}

    return cache.document(key, wanted, make)["found"]


if __name__ == "__main__":
    main()
