"""Canonical sets of Adult: seconds and quality of each engine, beside the published implementation's figures.

    python benchmarks/canonical.py [ADULT] [--quick]

The black boxes are trained on the published training split; engines learn from one half of the test split and
are measured against the other (three random halves; one with --quick). The published figures are those that
were measured of the authors' code on the same rows with LightGBM, by hand, before this library had an engine.
"""

from __future__ import annotations

import argparse
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from fairwitness.canonical import BootstrapSampler, CanonicalGate, TreeCanonicalSampler
from fairwitness.datasets import load_adult

#: What is asked for, on held-out rows: measure, bound, whether less is better.
WANTED = (
    ("fit, CPU s (all rows)", 2.0, True),
    ("1,000 rows, CPU s", 0.05, True),
    ("column TV beyond the floor", 0.01, True),
    ("pair TV beyond the floor", 0.03, True),
    ("AUC", 0.56, True),
    ("correlation", 0.96, False),
)
#: Mean score, share above .5 and correlation of rows made "for prediction 1" after 50, 75 and 100 epochs.
PUBLISHED = (
    "published implementation, score 1: mean score .32 / .35 / .31 after 50 / 75 / 100 epochs, 26-29 % above "
    ".5, correlation .26-.38; 4.8 s an epoch"
)
ENGINES: dict[str, Callable[[int], Any]] = {
    "tree": lambda seed: TreeCanonicalSampler(random_state=seed),
    "tree, leaf 20": lambda seed: TreeCanonicalSampler(leaf=20, nearest=20, random_state=seed),
    "bootstrap": lambda seed: BootstrapSampler(random_state=seed),
}


def black_boxes(X: pd.DataFrame, y: np.ndarray, *, quick: bool) -> dict[str, Any]:
    """Train the models whose canonical sets are made."""
    from lightgbm import LGBMClassifier
    from sklearn.compose import make_column_selector, make_column_transformer
    from sklearn.neural_network import MLPClassifier
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import OneHotEncoder, OrdinalEncoder, StandardScaler

    levels, numbers = (
        make_column_selector(dtype_exclude="number"),
        make_column_selector(dtype_include="number"),
    )
    unknown = {"handle_unknown": "use_encoded_value", "unknown_value": -1}
    found = {
        "LightGBM": make_pipeline(
            make_column_transformer((OrdinalEncoder(**unknown), levels), remainder="passthrough"),
            LGBMClassifier(random_state=0, n_jobs=1, verbose=-1),
        )
    }
    if not quick:
        found["MLP"] = make_pipeline(
            make_column_transformer(
                (OneHotEncoder(handle_unknown="ignore"), levels), (StandardScaler(), numbers)
            ),
            MLPClassifier((64, 32), early_stopping=True, random_state=0, max_iter=60),
        )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return {name: model.fit(X, y) for name, model in found.items()}


def reader(model: Any) -> Callable[[pd.DataFrame], np.ndarray]:
    """Give what reads a model's scores, without its warnings."""

    def scored(frame: pd.DataFrame) -> np.ndarray:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return np.asarray(model.predict_proba(frame)[:, 1])

    return scored


def halves(n: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Give the rows that are learnt from, and those that are compared with."""
    order = np.random.default_rng(seed).permutation(n)
    return order[: n // 2], order[n // 2 :]


def adult(path: Path | None) -> tuple[pd.DataFrame, np.ndarray, pd.DataFrame]:
    """Give the rows and outcomes of the training split, and the rows of the test split."""
    data = load_adult(path, sensitive=("sex", "race"))
    X, y = pd.concat([data.X, data.sensitive], axis=1), data.favored
    assert data.beside is not None
    test = (data.beside["split"] == "test").to_numpy()
    return X[~test].reset_index(drop=True), y[~test], X[test].reset_index(drop=True)


def measured(engine: Callable[[int], Any], X: pd.DataFrame, model: Any, seed: int) -> dict[str, float]:
    """Measure one engine on one random half of the rows."""
    scored = reader(model)
    scores = scored(X)
    start = time.process_time()
    whole = engine(seed).fit(X, scores)
    fit = time.process_time() - start
    whole.sample(10, quantile=(0.9, 1))
    start = time.process_time()
    whole.sample(1000, quantile=(0.9, 1))
    drawn = time.process_time() - start
    a, b = halves(len(X), seed)
    half = engine(seed).fit(X.iloc[a], scores[a])
    gate = CanonicalGate(scored, reference=X.iloc[b], reference_scores=scores[b], random_state=seed)
    probe = gate.probe(half, 3000)
    bands = [gate.check(half.sample_set(2000, quantile=each)) for each in ((0.9, 1.0), (0.0, 0.1))]

    def beyond(name: str) -> float:
        return max(report[name].value - report[name].floor for report in (probe, *bands))

    fixed = half.sample_set(
        1000, quantile=(0.8, 1), where={"sex": "Female", "marital-status": "Married-civ-spouse"}
    )
    sure = half.sample_set(1000, score=float(scores[a].max()))
    return {
        "fit, CPU s (all rows)": fit,
        "1,000 rows, CPU s": drawn,
        "column TV beyond the floor": beyond("column_tv"),
        "pair TV beyond the floor": beyond("pair_tv"),
        "AUC": probe["auc"].value,
        "AUC, worse band": max(report["auc"].value for report in bands),
        "correlation": probe["correlation"].value,
        "right side, top tenth": bands[0]["right_side"].value,
        "mean score at the largest score": float(scored(sure.frame).mean()),
        "exact copies": probe["copies"].value,
        "impossible": probe["impossible"].value,
        "fixed columns kept": fixed.kept,
    }


def main() -> None:
    """Run the benchmark."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("adult", nargs="?", type=Path)
    parser.add_argument("--quick", action="store_true")
    asked = parser.parse_args()
    train_X, train_y, test_X = adult(asked.adult)
    print(f"Adult, {len(test_X):,} test rows, {test_X.shape[1]} columns")
    for name, model in black_boxes(train_X, train_y, quick=asked.quick).items():
        for engine, make in ENGINES.items():
            if asked.quick and engine != "tree":
                continue
            runs = [measured(make, test_X, model, seed) for seed in range(1 if asked.quick else 3)]
            print(f"\n{name}, {engine}: mean (worst) of {len(runs)}")
            wanted = {key: (bound, less) for key, bound, less in WANTED}
            for key in runs[0]:
                values = [run[key] for run in runs]
                bound, less = wanted.get(key, (None, True))
                worst = max(values) if less else min(values)
                said = ""
                if bound is not None and engine == "tree":
                    reached = worst <= bound if less else worst >= bound
                    said = f"  (to reach: {bound:g}, {'reached' if reached else 'NOT reached'})"
                print(f"  {key}: {np.mean(values):.3f} ({worst:.3f}){said}")
    print(f"\n{PUBLISHED}")


if __name__ == "__main__":
    main()
