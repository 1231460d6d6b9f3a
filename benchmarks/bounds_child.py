"""Answers one question of the benchmark, in a process whose memory is its own: ``WHO KEY``."""

from __future__ import annotations

import json
import re
import resource
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from bounds_worlds import Case, cases

#: A question is asked again until this many CPU seconds are spent, nine times at most.
ENOUGH = 1.0


def peak_mb(work: Callable[[], Any]) -> tuple[Any, float]:
    """Do the work; give its result and how far memory rose above what was held before, in MB."""
    status = Path("/proc/self/status")
    if not status.is_file():  # not Linux: only what was never reached before is seen
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        return work(), (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024
    Path("/proc/self/clear_refs").write_text("5")
    held = _kilobytes(status, "VmRSS")
    result = work()
    return result, max(_kilobytes(status, "VmHWM") - held, 0) / 1024


def _kilobytes(status: Path, name: str) -> int:
    found = re.search(rf"{name}:\s+(\d+)", status.read_text())
    assert found is not None
    return int(found.group(1))


def ours(case: Case) -> dict[str, Any]:
    from fairwitness.causal import CausalGraph, Distribution, effect_bounds

    world = case.world
    levels = [tuple(range(size)) for size in world.cards.values()]
    data = Distribution.from_table(tuple(world.cards), levels, world.table())
    graph = CausalGraph.from_text(world.text())
    for text in ("S -> W -> Y; S -> Y; W <-> Y", "S -> W -> Y; S -> Y"):  # what is imported when first used
        small = {"treatment": "S", "outcome": "Y", "active": 1, "reference": 0, "outcome_value": 1}
        table = Distribution.from_table(tuple("SWY"), [(0, 1)] * 3, [[[1, 2], [3, 4]], [[5, 6], [7, 9]]])
        effect_bounds(table, text, **small, given={"S": 0, "W": 0, "Y": 0})
    seconds: list[float] = []

    def once() -> Any:
        start = time.process_time()
        found = effect_bounds(data, graph, **case.asked)
        seconds.append(time.process_time() - start)
        return found

    found, peak = peak_mb(once)
    while sum(seconds) < ENOUGH and len(seconds) < 9:
        once()
    proof = found.certificate
    return {
        "seconds": statistics.median(seconds),
        "peak_mb": peak,
        "lower": found.lower,
        "upper": found.upper,
        "status": found.status,
        "engine": proof.engine,
        "exact": proof.exact,
        "gap": proof.gap,
        "programs": proof.programs,
        "columns": sum(size.columns for size in found.sizes),
        "rows": sum(size.rows for size in found.sizes),
    }


def naive(case: Case) -> dict[str, Any]:
    from bounds_naive import solve

    table = case.world.table()
    start = time.process_time()
    found, peak = peak_mb(lambda: solve(case, table))
    return {"seconds": time.process_time() - start, "peak_mb": peak, **vars(found)}


def merged(case: Case) -> dict[str, Any]:
    from bounds_columns import merged

    return merged(case, case.world.table())


def columns(case: Case) -> dict[str, Any]:
    import networkx  # noqa: F401 - imported before the clock runs
    from bounds_columns import generate

    from fairwitness.causal import CausalGraph, Distribution
    from fairwitness.causal.solver.question import prepare

    world = case.world
    levels = [tuple(range(size)) for size in world.cards.values()]
    data = Distribution.from_table(tuple(world.cards), levels, world.table())
    question = prepare(data, CausalGraph.from_text(world.text()), **case.asked)
    (block,) = question.program().blocks
    start = time.process_time()
    found, peak = peak_mb(lambda: generate(block))
    return {"seconds": time.process_time() - start, "peak_mb": peak, **found}


def main() -> None:
    who, key = sys.argv[1:]
    case = next(each for each in cases() if each.key == key)
    json.dump({"ours": ours, "naive": naive, "merged": merged, "columns": columns}[who](case), sys.stdout)


if __name__ == "__main__":
    main()
