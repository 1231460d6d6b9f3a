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


@dataclass
class Peer:
    """What a peer made of some queries: its rows (``None``: none) and its user CPU seconds a query."""

    made: pd.DataFrame | None
    cpu_per_query: float
    queries: int
    failed: int


def run_dice(
    python: str | None,
    method: str,
    model: Any,
    table: pd.DataFrame,
    queries: pd.DataFrame,
    k: int,
    *,
    patience: float = 600,
) -> Peer | str:
    """Let DiCE answer; a sentence says why not."""
    if not python:
        return "DiCE was not run: pass --peer-python with a Python that has dice-ml"
    script = Path(__file__).parent / "peers" / "dice.py"
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        joblib.dump((table, queries.reset_index(drop=True), model), folder / "input.joblib")
        try:
            done = subprocess.run(
                [python, str(script), name, method, str(k)],
                stdout=subprocess.PIPE,
                text=True,
                check=False,
                env={**os.environ, "TQDM_DISABLE": "1"},
                timeout=patience,
            )
        except subprocess.TimeoutExpired:
            return f"DiCE {method} was stopped after {patience:.0f} s for {len(queries)} queries"
        if done.returncode:
            return f"DiCE was not run: {python} ended with {done.returncode}"
        result = json.loads(done.stdout)
        path = folder / "made.joblib"
        return Peer(made=joblib.load(path) if path.is_file() else None, **result)


def demand(holds: bool, sentence: str) -> None:
    """Print a line that must hold; end the benchmark if it does not."""
    print(f"  {'ok' if holds else 'FAILED'}: {sentence}")
    if not holds:
        sys.exit(1)
