"""Metrics beside fairlearn, AIF360, SciPy and geomloss: user CPU on the same rows, and memory over files.

    python benchmarks/metrics.py [--quick] [--aif-python PATH] [--geomloss-python PATH] [--folder PATH]

Every task runs in a process of its own. fairlearn and SciPy come from this environment; AIF360 and geomloss
from their own: ``python -m venv aif && aif/bin/pip install aif360``, and geomloss with torch and scipy. Files
of up to 1e8 rows (about 500 MB) are written to ``--folder``, by default a temporary one, and deleted.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from peer import demand

CHILD = Path(__file__).parent / "metrics_child.py"
#: fairlearn resamples so often for each of a thousand resamples that are asked of us.
FEW, MANY = 10, 1000
#: Bytes of a row on disk, generously.
ROW_BYTES = 12


@dataclass
class Done:
    """One task: what it found, user CPU seconds, wall seconds, and the largest size of its process in MB."""

    found: dict[str, Any]
    cpu: float
    wall: float
    peak_mb: float


def do(who: str, task: str, n: int, path: str = "", *, python: str | None = None) -> Done | str:
    """Do a task in a process of its own; a sentence says why not."""
    command = [python or sys.executable, str(CHILD), who, task, str(n), path]
    single = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "POLARS_MAX_THREADS"), "1")
    done = subprocess.run(command, capture_output=True, text=True, check=False, env={**os.environ, **single})
    if done.returncode:
        lines = done.stderr.strip().splitlines()
        return f"{who} {task}, {n:,} rows, was not measured: {lines[-1] if lines else done.returncode}"
    return Done(**json.loads(done.stdout.strip().splitlines()[-1]))


def beside(title: str, mine: Done, peers: dict[str, Done | str], goal: float) -> None:
    """Print our seconds, the goal, and each peer's ratio."""
    reached = "reached" if mine.cpu <= goal else "NOT reached"
    print(f"{title}: {mine.cpu:.3f} s user CPU (to reach: {goal:g} s, {reached}), {mine.peak_mb:,.0f} MB")
    for name, peer in peers.items():
        if isinstance(peer, str):
            print(f"  {peer}")
        else:
            print(f"  {name}: {peer.cpu:,.2f} s, ratio {peer.cpu / mine.cpu:,.1f}; {peer.peak_mb:,.0f} MB")


def groups(n: int, aif_python: str | None) -> None:
    """Six rates a group."""
    mine = need(do("ours", "groups", n))
    peer = do("fairlearn", "groups", n)
    peers: dict[str, Done | str] = {"fairlearn MetricFrame": peer}
    aif: Done | str = "AIF360 was not run: pass --aif-python with a Python that has aif360"
    if aif_python:
        aif = do("aif360", "groups", n, python=aif_python)
    peers["AIF360 (six differences of one pair)"] = aif
    beside(f"six rates with intervals, {n:,} rows, whole numbers as groups", mine, peers, 0.05)
    bare = need(do("ours", "bare", n))
    beside("  the counts and rates alone", bare, {}, 0.05)
    if not isinstance(peer, str):
        same = all(np.allclose(values, peer.found[name]) for name, values in mine.found.items())
        demand(same, "the same rates as fairlearn's")
    if not isinstance(aif, str):
        rates = mine.found["selection_rate"]
        demand(np.isclose(rates[1] - rates[3], aif.found["value"]), "AIF360's difference in acceptance")
    text = need(do("ours", "text", n))
    beside("the same, text as groups", text, {"fairlearn MetricFrame": do("fairlearn", "text", n)}, 0.4)
    demand(text.found == mine.found, "the same rates with text")


def bootstrap(n: int) -> None:
    """A thousand resamples."""
    mine = need(do("ours", "bootstrap", n))
    peer, once = do("fairlearn", "bootstrap", n), do("fairlearn", "groups", n)
    if isinstance(peer, Done) and isinstance(once, Done):
        peer = replace(peer, cpu=once.cpu + (peer.cpu - once.cpu) * MANY / FEW)
    title = f"{MANY:,} resamples of six metrics, {n:,} rows ({mine.found['intervals']} intervals)"
    beside(title, mine, {f"fairlearn (from {FEW} resamples)": peer}, 0.05)


def distances(n: int, small: int, geomloss_python: str | None) -> None:
    """Distances between two samples."""
    mine = need(do("ours", "mmd", n))
    beside(f"Gaussian MMD², {n:,} scores", mine, {}, 0.2)
    some = need(do("ours", "mmd", small))
    peers = {"all pairs (SciPy)": do("scipy", "mmd", small)}
    if geomloss_python:
        peers["geomloss"] = do("geomloss", "mmd", small, python=geomloss_python)
    else:
        peers["geomloss"] = "geomloss was not run: pass --geomloss-python with a Python that has geomloss"
    beside(f"Gaussian MMD², {small:,} scores", some, peers, 0.2)
    for name, peer in peers.items():
        if not isinstance(peer, str):
            gap = abs(peer.found["value"] - some.found["value"])
            demand(gap < (1e-12 if "SciPy" in name else 1e-6), f"within {gap:.0e} of {name}")
    mine = need(do("ours", "median", n))
    beside(f"median distance of all pairs, {n:,} scores", mine, {}, 2.0)
    some = need(do("ours", "median", small))
    peer = need(do("scipy", "median", small))
    beside(f"median distance of all pairs, {small:,} scores", some, {"SciPy pdist": peer}, 2.0)
    demand(peer.found == some.found, "the same median as that of all pairs listed")
    mine = need(do("ours", "wasserstein", 10 * n))
    peer = need(do("scipy", "wasserstein", 10 * n))
    beside(f"Wasserstein-1, {10 * n:,} scores", mine, {"SciPy": peer}, 0.5)
    gap = abs(peer.found["value"] / mine.found["value"] - 1)
    demand(gap < 1e-9, f"within {gap:.0e} of SciPy's, relatively")


def files(sizes: list[int], folder: str | None) -> None:
    """Counts over parquet files: time grows with the rows, memory does not."""
    with tempfile.TemporaryDirectory(dir=folder) as made:
        peaks: dict[str, list[float]] = {}
        for n in sizes:
            free = shutil.disk_usage(made).free
            if free < 2 * ROW_BYTES * n:
                print(f"{n:,} rows were left out: {free / 1e9:.0f} GB are free in {made}")
                continue
            path = str(Path(made) / f"{n}.parquet")
            size = need(do("write", "write", n, path)).found["bytes"]
            tasks = ["counts", "scores"] + (["duckdb", "polars"] if n <= sizes[1] else [])
            answers = {task: do("ours", task, n, path) for task in tasks}
            Path(path).unlink()
            for task, answer in answers.items():
                if isinstance(answer, str):
                    print(f"  {answer}")
                    continue
                peaks.setdefault(task, []).append(answer.peak_mb)
                print(
                    f"parquet, {n:,} rows ({size / 1e6:,.0f} MB), {task}: {answer.cpu:.2f} s user CPU, "
                    f"{answer.wall:.2f} s, {answer.peak_mb:,.0f} MB"
                )
            values = {answer.found["value"] for answer in answers.values() if not isinstance(answer, str)}
            demand(np.ptp(list(values)) < 1e-12, f"one answer whoever counted {n:,} rows")
        for task in ("counts", "scores"):
            if len(peaks.get(task, ())) < 2:
                continue
            flat = max(peaks[task]) - min(peaks[task])
            demand(
                flat < 60, f"memory for {task} rises by {flat:.0f} MB from {sizes[0]:,} to {sizes[-1]:,} rows"
            )


def need(done: Done | str) -> Done:
    """Stop if one of our own tasks failed."""
    if isinstance(done, str):
        raise SystemExit(done)
    return done


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="a hundredth of the rows, in seconds")
    parser.add_argument("--aif-python")
    parser.add_argument("--geomloss-python")
    parser.add_argument("--folder", help="where files are written")
    parser.add_argument("--only", choices=("groups", "bootstrap", "distances", "files"))
    chosen = parser.parse_args()
    n = 10_000 if chosen.quick else 1_000_000
    if chosen.only in (None, "groups"):
        groups(n, chosen.aif_python)
    if chosen.only in (None, "bootstrap"):
        bootstrap(1_000 if chosen.quick else 10_000)
    if chosen.only in (None, "distances"):
        distances(n, 1_000 if chosen.quick else 10_000, chosen.geomloss_python)
    if chosen.only in (None, "files"):
        files([10_000, 100_000] if chosen.quick else [1_000_000, 10_000_000, 100_000_000], chosen.folder)


if __name__ == "__main__":
    main()
