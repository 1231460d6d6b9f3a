"""Runs a peer in its own environment, on the same rows and the same model, in the same process tree."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import joblib
import pandas as pd

#: Name → the script in ``peers/``, the package's name for pip, and the name it is imported by.
PEERS = {
    "DiCE": ("dice.py", "dice-ml", "dice_ml"),
    "NICE": ("nearest_instance.py", "NICEx", "nice"),
    "treecf": ("tree_ensembles.py", "treecf", "treecf"),
}


@dataclass
class Peer:
    """What a peer made of some queries: its rows (``None``: none) and its user CPU seconds a query."""

    made: pd.DataFrame | None
    cpu_per_query: float
    queries: int
    failed: int


def run_peer(
    name: str,
    python: str | None,
    model: Any,
    table: pd.DataFrame,
    queries: pd.DataFrame,
    k: int,
    *more: str,
    patience: float = 600,
) -> Peer | str:
    """Let a peer answer; a sentence says why not. ``table`` has its ``outcome``."""
    file, package, module = PEERS[name]
    if not python:
        return f"{name} was not run: pass --peer-python with a Python that has {package}"
    here = subprocess.run([python, "-c", f"import {module}"], capture_output=True, check=False)
    if here.returncode:
        return f"{name} was not run: {python} has no {package}"
    script = Path(__file__).parent / "peers" / file
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        joblib.dump((table, queries.reset_index(drop=True), model), folder / "input.joblib")
        try:
            done = subprocess.run(
                [python, str(script), made, str(k), *more],
                stdout=subprocess.PIPE,
                text=True,
                check=False,
                env={**os.environ, "TQDM_DISABLE": "1"},
                timeout=patience,
            )
        except subprocess.TimeoutExpired:
            return f"{name} was stopped after {patience:.0f} s for {len(queries)} queries, k = {k}"
        if done.returncode:
            return f"{name} was not run: {python} ended with {done.returncode}"
        result = json.loads(done.stdout)
        path = folder / "made.joblib"
        return Peer(made=joblib.load(path) if path.is_file() else None, **result)


def demand(holds: bool, sentence: str) -> None:
    """Print a line that must hold; end the benchmark if it does not."""
    print(f"  {'ok' if holds else 'FAILED'}: {sentence}")
    if not holds:
        sys.exit(1)
