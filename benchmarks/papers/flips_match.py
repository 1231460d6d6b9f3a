"""Decision makers of Adult/gender nearer to the published ones, chosen before any flip is looked at."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
from typing import Any

from flips_models import DECISION_MAKERS, quality
from flips_published import Published
from flips_tasks import Split
from sklearn.base import clone

from fairwitness.model.zoo import decision_makers

#: What is compared with Table 2, each with the same weight.
COMPARED = ("AUC", "Precision", "Recall")
#: Settings tried, from the grids that the authors' winners suggest, with weighted classes where they exist.
TRIED: dict[str, list[dict[str, Any]]] = {
    "LR": [{"C": c, "class_weight": weight} for c, weight in product((0.01, 1.0), (None, "balanced"))],
    "DT": [
        {"max_depth": depth, "ccp_alpha": alpha, "criterion": criterion}
        for depth, alpha, criterion in product((5, 9), (0.0, 0.001, 0.005), ("entropy", "gini"))
    ],
    "SVM": [{"C": c} for c in (0.1, 1.0, 10.0)],
    "LGBM": [
        {"num_leaves": leaves, "n_estimators": trees} for leaves, trees in product((15, 31), (100, 300))
    ],
    "XGB": [{"max_depth": depth, "n_estimators": trees} for depth, trees in product((3, 5, 6), (100, 300))],
    "RF": [{"max_depth": depth, "min_samples_leaf": leaf} for depth, leaf in product((10, 20, 40), (1, 2))],
    "MLP": [
        {"hidden_layer_sizes": [64], "alpha": 0.05},
        {"hidden_layer_sizes": [32, 64], "alpha": 1e-4},
        {"hidden_layer_sizes": [32, 64, 128], "alpha": 0.05},
    ],
}


def choose(split: Split, published: Published, say: Callable[[str], None]) -> dict[str, dict[str, Any]]:
    """Give for each plain decision maker the settings nearest to the published AUC, precision and recall.

    ``away`` is the sum of the three distances.
    """
    out: dict[str, dict[str, Any]] = {}
    for name in DECISION_MAKERS:
        wanted = {each: published.performance(split.task.key, each, name) or 0.0 for each in COMPARED}
        for settings in TRIED[name]:
            got = quality(split, train(split, name, settings))
            away = sum(abs(got[each] - wanted[each]) for each in COMPARED)
            say(f"{name} {settings}: {away:.3f} from the published one")
            if name not in out or away < out[name]["away"]:
                out[name] = {"away": away, "settings": settings}
    return out


def train(split: Split, name: str, settings: dict[str, Any]) -> Any:
    """Train one decision maker with other settings than the zoo's fixed ones."""
    estimator = decision_makers(split.schema, only=[name], quick=True, random_state=0)[name].estimator
    estimator = clone(estimator).set_params(**{f"model__{key}": value for key, value in settings.items()})
    return estimator.fit(split.X.iloc[split.train], split.y[split.train])
