"""A masked model of rows beside the tree engine: whether one neural engine more would earn its place.

    python benchmarks/canonical_masked.py [ADULT] [--rows 500] [--seeds 3] [--models MLP]

The protocol is that of ``canonical.py``: black boxes trained on Adult's training split, engines on one half
of the test split (or on the first ``--rows`` of it), compared with the other half. Needs torch. The answer
was no: ``docs/canonical-masked.md``.
"""

from __future__ import annotations

import argparse
import sys
import time
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from masked_model import MaskedModel

from canonical import adult, black_boxes, halves, reader
from fairwitness.canonical import CanonicalGate, TreeCanonicalSampler
from fairwitness.canonical.base import CanonicalSampler

ENGINES: dict[str, Any] = {
    "tree, 2 candidates": lambda **given: TreeCanonicalSampler(candidates=2, **given),
    "tree, 2 candidates, leaf 20": lambda **given: TreeCanonicalSampler(
        candidates=2, leaf=20, nearest=20, **given
    ),
    "masked": MaskedModel,
}
#: Two to four columns fixed at once.
FIXED: tuple[dict[str, Any], ...] = (
    {"sex": "Female", "marital-status": "Married-civ-spouse"},
    {"sex": "Male", "race": "Black"},
    {"age": (25, 35), "occupation": "Prof-specialty"},
    {"education": "HS-grad", "occupation": "Craft-repair", "sex": "Male"},
    {"sex": "Female", "race": "White", "education": "Bachelors"},
    {"hours-per-week": (50, 99), "workclass": "Private", "sex": "Male"},
    {"marital-status": "Never-married", "age": (30, 45), "sex": "Male", "race": "White"},
    {"marital-status": "Divorced", "sex": "Female", "occupation": "Adm-clerical", "race": "White"},
)


def measured(make: Any, X: pd.DataFrame, scored: Any, seed: int, rows: int | None) -> dict[str, float]:
    """Measure one engine on one random half of the rows."""
    scores = scored(X)
    a, b = halves(len(X), seed)
    a = a[:rows]
    start = time.process_time()
    engine: CanonicalSampler = make(random_state=seed).fit(X.iloc[a], scores[a])
    fit = time.process_time() - start
    for feature in engine.rows_.schema.features:  # a small table may lack levels of the others
        if feature.is_coded:
            b = b[X[feature.name].iloc[b].isin(list(feature.levels)).to_numpy()]
    engine.sample(10, quantile=(0.9, 1))
    start = time.process_time()
    engine.sample(1000, quantile=(0.9, 1))
    drawn = time.process_time() - start
    reference: dict[str, Any] = {"reference": X.iloc[b], "reference_scores": scores[b], "random_state": seed}
    gate = CanonicalGate(scored, **reference)
    probe = gate.probe(engine, 3000)
    bands = [gate.check(engine.sample_set(2000, quantile=each)) for each in ((0.9, 1.0), (0.0, 0.1))]

    def beyond(name: str) -> float:
        return max(report[name].value - report[name].floor for report in (probe, *bands))

    found = {
        "fit on a half, CPU s": fit,
        "1,000 rows, CPU s": drawn,
        "column TV beyond the floor": beyond("column_tv"),
        "pair TV beyond the floor": beyond("pair_tv"),
        "AUC, all scores": probe["auc"].value,
        "AUC, highest tenth": bands[0]["auc"].value,
        "AUC, lowest tenth": bands[1]["auc"].value,
        "correlation": probe["correlation"].value,
        "right side, highest tenth": bands[0]["right_side"].value,
        "mean score at the largest": float(scored(engine.sample(1000, score=float(scores[a].max()))).mean()),
        "exact copies": probe["copies"].value,
        "impossible": probe["impossible"].value,
    }
    if rows is None:
        few = CanonicalGate(None, measures=["column_tv", "pair_tv", "kept"], **reference)
        fixed = [few.check(engine.sample_set(2000, quantile=(0, 1), where=each)) for each in FIXED]
        for name, words in (("column_tv", "column"), ("pair_tv", "pair")):
            apart = [report[name].value - report[name].floor for report in fixed]
            found[f"2 to 4 columns fixed: {words} TV beyond the floor"] = float(np.mean(apart))
        found["fixed columns kept"] = float(np.mean([report["kept"].value for report in fixed]))
    return found


def main() -> None:
    """Run the benchmark."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("adult", nargs="?", type=Path)
    parser.add_argument("--rows", type=int)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--models", nargs="+", default=["LightGBM", "MLP"])
    parser.add_argument("--engines", nargs="+", choices=list(ENGINES), default=list(ENGINES))
    asked = parser.parse_args()
    warnings.simplefilter("ignore")
    train_X, train_y, X = adult(asked.adult)
    boxes = black_boxes(train_X, train_y, quick=False)
    for model in asked.models:
        scored = reader(boxes[model])
        for engine in asked.engines:
            runs = []
            for seed in range(asked.seeds):
                runs.append(measured(ENGINES[engine], X, scored, seed, asked.rows))
                print(model, engine, seed, {k: round(v, 3) for k, v in runs[-1].items()}, file=sys.stderr)
            print(f"\n{model}, {engine}: mean (least to most) of {len(runs)}", flush=True)
            for key in runs[0]:
                values = [run[key] for run in runs]
                print(f"  {key}: {np.mean(values):.3f} ({min(values):.3f} to {max(values):.3f})", flush=True)


if __name__ == "__main__":
    main()
