"""Causal bounds: CPU seconds and memory, beside the paper's program as it stands, and autobounds.

    python benchmarks/bounds.py [--quick] [--peer-python PYTHON --peer-seconds 40] [--only KEY,KEY]

Every question is put to a random world with a fixed seed, in a process of its own. The naive program is
equation 4 of Wu et al. (2019) with one column for every joint response function (`bounds_naive.py`), solved
by the same HiGHS; where it cannot be built its number of columns is given. The peer is the package
autobounds (its own polynomial program and SCIP), which PyPI does not have:

    git clone https://github.com/duarteguilherme/autobounds && python -m venv peers
    peers/bin/pip install ./autobounds

What must hold is checked in the same run: our bounds are proved, agree with the naive program where that
asks the same question, and lie within it and within autobounds' where those ask less.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from bounds_naive import MOST_COLUMNS
from bounds_worlds import Case, cases
from peer import demand

HERE = Path(__file__).parent
QUICK = ("ternary", "eight-direct", "pair-3-direct", "pair-3-person", "block-4", "blocks-4-4-256")
#: Questions that autobounds is asked: to the paper's own graph, and the smallest with a confounded pair.
PEER = ("ternary", "pair-1-direct", "block-4", "blocks-4-4", "paper-person", "blocks-4-4-256")
#: Questions whose response functions are few enough to be listed and merged; and those for column generation.
MERGED = ("pair-1-direct", "pair-1-person", "pair-2-direct", "pair-2-person")
GENERATED = (
    *MERGED,
    "pair-3-direct",
    "pair-3-person",
    "pair-4-direct",
    "pair-4-person",
    "pair-5-direct",
    "pair-5-person",
)
CLOSE = 1e-6


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--only", default="")
    parser.add_argument("--peer-python", help="a Python that has autobounds")
    parser.add_argument("--peer-seconds", type=float, default=40.0)
    chosen = parser.parse_args()
    keys = tuple(chosen.only.split(",")) if chosen.only else QUICK if chosen.quick else ()
    asked = [case for case in cases() if not keys or case.key in keys]
    print(
        f"load {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores; CPU seconds, and MB that a question adds"
    )
    missed, told = [], False
    for case in asked:
        print(f"\n{case.key}: {case.title}")
        ours = child("ours", case)
        demand(ours["exact"] and ours["gap"] < CLOSE, _ours(ours))
        if not reached(case, ours["seconds"]):
            missed.append(case.key)
        beside_naive(case, ours)
        beside_columns(case, ours)
        if case.key in PEER and not told:
            told = beside_peer(case, ours, chosen.peer_python, chosen.peer_seconds)
    print(f"\nload {os.getloadavg()[0]:.1f}; goals missed: {', '.join(missed) or 'none'}")


def child(who: str, case: Case) -> Any:
    done = subprocess.run(
        [sys.executable, str(HERE / "bounds_child.py"), who, case.key],
        stdout=subprocess.PIPE,
        text=True,
        check=True,
        env={**os.environ, "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"},
    )
    return json.loads(done.stdout)


def _ours(ours: dict[str, Any]) -> str:
    size = f", {ours['columns']:,} columns x {ours['rows']:,} rows" if ours["columns"] else ""
    return (
        f"[{ours['lower']:.4f}, {ours['upper']:.4f}] {ours['status']}, proved to {ours['gap']:.0e} by "
        f"{ours['engine']}{size}: {ours['seconds']:.4f} s, {ours['peak_mb']:.1f} MB"
    )


def reached(case: Case, seconds: float) -> bool:
    if case.goal is None:
        return True
    well = seconds <= case.goal
    print(f"  goal of {case.goal:g} s: {'reached' if well else 'MISSED'}, {seconds / case.goal:.3f} of it")
    return well


def beside_naive(case: Case, ours: dict[str, Any]) -> None:
    """Solve the paper's program, or say how large it would be."""
    world = case.world
    everything = tuple(world.cards)
    if world.columns(everything) > math.log10(MOST_COLUMNS):
        fewest = world.columns(case.open)
        why = "impossible" if fewest > 9 else "not built"
        names = ", ".join(case.open) if len(case.open) < 9 else f"the {len(case.open)} mediators"
        print(f"  naive: {why}, {_power(fewest)} columns for {names} alone")
        return
    naive = child("naive", case)
    print(
        f"  naive: [{naive['lower']:.4f}, {naive['upper']:.4f}], {naive['columns']:,} columns: "
        f"{naive['seconds']:.2f} s, {naive['peak_mb']:.0f} MB; naive / ours: "
        f"{naive['seconds'] / ours['seconds']:,.0f} x the CPU, "
        f"{naive['peak_mb'] / max(ours['peak_mb'], 0.1):,.0f} x the memory"
    )
    within = naive["lower"] - CLOSE <= ours["lower"] and ours["upper"] <= naive["upper"] + CLOSE
    if len(world.components()) == 1:
        same = max(abs(naive[end] - ours[end]) for end in ("lower", "upper")) < CLOSE
        demand(same, "the same bounds")
    else:
        demand(within, "within the naive bounds, which admit one hidden cause of everything")


def beside_columns(case: Case, ours: dict[str, Any]) -> None:
    """Count what merging leaves, and solve by column generation."""
    if case.key in MERGED:
        merged = child("merged", case)
        print(
            f"  merged columns: {merged['listed']:,} of {', '.join(case.open)} -> {merged['merged']:,}; "
            f"the diagram's steps: {ours['columns']:,}"
        )
    if case.key in GENERATED:
        other = child("columns", case)
        print(
            f"  column generation: [{other['lower']:.4f}, {other['upper']:.4f}], {other['rounds']:,} rounds: "
            f"{other['seconds']:.3f} s, {other['seconds'] / ours['seconds']:,.1f} x ours, "
            "which also reads and builds"
        )
        same = max(abs(other[end] - ours[end]) for end in ("lower", "upper")) < CLOSE
        demand(same, "the same bounds")


def _power(log10: float) -> str:
    if log10 > 300:
        return f"10^{log10:,.0f}"
    return f"{10 ** (log10 % 1):.1f}e{int(log10)}"


def beside_peer(case: Case, ours: dict[str, Any], python: str | None, seconds: float) -> bool:
    """Ask autobounds; true if it is not there, so that it is said once."""
    if not python:
        print("  autobounds was not run: pass --peer-python with a Python that has autobounds")
        return True
    if subprocess.run([python, "-c", "import autobounds"], capture_output=True, check=False).returncode:
        print(f"  autobounds was not run: {python} has no autobounds")
        return True
    if case.world.columns(tuple(case.world.cards)) > 7:
        print("  autobounds: not run, it lists every joint response function of each component")
        return False
    world = case.world
    asked = {
        "cards": dict(world.cards),
        "edges": world.edges,
        "confounded": [part for part in world.components() if len(part) > 1],
        "table": world.table().ravel().tolist(),
        "treatment": case.treatment,
        "outcome": case.outcome,
        "active": case.active,
        "reference": case.reference,
        "given": dict(case.given),
        "paths": case.listed(),
        "seconds": seconds,
    }
    try:
        done = subprocess.run(
            [python, str(HERE / "peers" / "autobounds_program.py")],
            input=json.dumps(asked),
            capture_output=True,
            text=True,
            check=False,
            timeout=seconds + 120,
        )
    except subprocess.TimeoutExpired:
        print(f"  autobounds: no program after {seconds + 120:.0f} s")
        return False
    if done.returncode:
        print(f"  autobounds: it failed: {done.stderr.strip().splitlines()[-1]}")
        return False
    found = json.loads(done.stdout)
    spent = found["built"] + found["solving"]
    state = "proved" if found["proved"] else f"not proved after {seconds:.0f} s"
    print(
        f"  autobounds: [{found['lower']:.4f}, {found['upper']:.4f}] {state}, {found['parameters']:,} "
        f"parameters: {found['built']:.1f} + {found['solving']:.1f} s, {found['peak_mb']:.0f} MB in all; "
        f"autobounds / ours: {spent / ours['seconds']:,.0f} x the CPU"
    )
    within = found["lower"] - 1e-4 <= ours["lower"] and ours["upper"] <= found["upper"] + 1e-4
    demand(within, "within autobounds' dual bounds")
    return False


if __name__ == "__main__":
    main()
