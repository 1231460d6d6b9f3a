"""Change one thing at a time, with neighbours: which of them brings the published figures back."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from flips_cells import Asked, Searched, make_generator, measure, search, summary
from flips_models import quality, weight_key
from flips_tasks import Split
from sklearn.base import clone

from fairwitness.flips.inference import people_proba
from fairwitness.model import SensitiveFeatureClassifier
from fairwitness.rng import child_seed

#: Variant → what is different from the run itself.
VARIANTS = {
    "as run": "the run itself",
    "DiCE's order": 'rank="dice": of our 1,000 nearest, by distance and number of changed columns',
    "f_s out of sample": "f_s cross-fitted: rows it was trained on are judged by a fold that left them out",
    "f_s without weights": "f_s trained on the groups as they are, not weighted to equal size",
}

#: Decision maker → parameters that bring its precision and recall on Adult nearer to the published ones.
NEARER: dict[str, dict[str, Any]] = {"LR": {"class_weight": "balanced"}, "RF": {"max_depth": 20}}


def run_nearer(
    split: Split, decision_makers: Mapping[str, Any], classifier: Any, *, seed: int
) -> dict[str, Any]:
    """Train some decision makers as the published ones seem to be, and measure as DiCE's k-d tree does."""
    asked = Asked("kdtree", n_resamples=1)
    known = people_proba(classifier, split.X)
    out: dict[str, Any] = {}
    for model, changes in NEARER.items():
        if model not in decision_makers:
            continue
        estimator = clone(decision_makers[model])
        estimator.set_params(**{f"model__{key}": value for key, value in changes.items()})
        estimator.fit(split.X.iloc[split.train], split.y[split.train])
        searched = search(split, estimator, asked, seed=seed)
        result = measure(split, searched, classifier, asked, known=known, seed=seed)
        out[model] = {
            **summary(split, result, asked.k),
            "quality": quality(split, estimator),
            "parameters": {key: str(value) for key, value in changes.items()},
        }
    return out


def run_variants(
    split: Split,
    decision_makers: Mapping[str, Any],
    classifier: Any,
    *,
    seed: int,
    say: Callable[[str], None],
) -> dict[str, Any]:
    """Give variant → decision maker → summary (neighbours, one f_s)."""
    asked = Asked("neighbors", n_resamples=1)
    plain = _without_weights(split, classifier)
    crossed = SensitiveFeatureClassifier(
        clone(classifier), random_state=child_seed(seed, "papers", "cross"), n_jobs=1
    ).fit(split.X, split.group_labels(np.arange(len(split.X))))
    proba = {
        name: people_proba(each, split.X)
        for name, each in (("f_s", classifier), ("plain", plain), ("crossed", crossed))
    }

    def flips(searched: Searched, f_s: Any, known: str) -> dict[str, Any]:
        bare = replace(searched, random=None)
        return summary(split, measure(split, bare, f_s, asked, known=proba[known], seed=seed), asked.k)

    out: dict[str, Any] = {name: {} for name in VARIANTS}
    for model, estimator in decision_makers.items():
        say(f"{split.task.key} {model}: variants")
        ours = search(split, estimator, asked, seed=seed)
        ranked = search(
            split, estimator, asked, seed=seed, generator=make_generator("neighbors", seed=seed, rank="dice")
        )
        out["as run"][model] = flips(ours, classifier, "f_s")
        out["DiCE's order"][model] = flips(ranked, classifier, "f_s")
        out["f_s out of sample"][model] = flips(ours, crossed, "crossed")
        out["f_s without weights"][model] = flips(ours, plain, "plain")
    return out


def _without_weights(split: Split, classifier: Any) -> Any:
    """Give f_s trained again with its groups as they are."""
    unfitted = clone(classifier)
    unfitted.set_params(**{weight_key(unfitted): 1.0})
    return unfitted.fit(split.X.iloc[split.train], split.group_labels(split.train))
