"""What Duong et al. (2023) print, or their repository's result files hold: sanity ranges, no targets."""

from __future__ import annotations

from collections.abc import Mapping

#: Table → method → measure → published number.
PUBLISHED: Mapping[str, Mapping[str, Mapping[str, float]]] = {
    "law-school": {
        "full linear": {"rmse": 0.8708, "mae": 0.7044, "r2": 0.1202, "w1": 1.074},
        "unaware linear": {"rmse": 0.8891, "mae": 0.7175, "r2": 0.0829, "w1": 0.427},
        "level 2": {"rmse": 0.9265, "mae": 0.7425, "r2": 0.0041, "w1": 0.227},
        "level 3": {"rmse": 0.9298, "mae": 0.7469, "r2": -0.0030, "w1": 0.166},
        "GL": {"rmse": 0.8683, "mae": 0.7002, "r2": 0.1252},
        "GD": {"rmse": 0.8886, "mae": 0.7172, "r2": 0.084},
    },
    "compas": {
        "full linear": {"balanced_accuracy": 0.6597, "paper_cv": 0.8915, "theil_index": 0.2845},
        "unaware linear": {"balanced_accuracy": 0.6618, "paper_cv": 0.8871, "theil_index": 0.2818},
        "level 2": {"balanced_accuracy": 0.6228, "paper_cv": 0.9039, "theil_index": 0.2857},
        "AL": {"balanced_accuracy": 0.6787},
        "GL": {"balanced_accuracy": 0.6794},
        "GD": {"balanced_accuracy": 0.6619, "paper_cv": 0.8117, "theil_index": 0.2274},
    },
    "adult": {
        "full linear": {"balanced_accuracy": 0.6057, "paper_cv": 0.7453, "theil_index": 0.2150},
        "full boosting": {"balanced_accuracy": 0.7298, "paper_cv": 0.6155, "theil_index": 0.1422},
        "unaware linear": {"balanced_accuracy": 0.6033, "paper_cv": 0.7481, "theil_index": 0.2164},
        "level 1": {"balanced_accuracy": 0.515},
        "level 2": {"balanced_accuracy": 0.515},
        "level 3": {"balanced_accuracy": 0.510},
        "AL": {"balanced_accuracy": 0.7377, "paper_cv": 0.6124, "theil_index": 0.1385},
        "GL": {"balanced_accuracy": 0.7458, "paper_cv": 0.6246, "theil_index": 0.1438},
        "GD": {"balanced_accuracy": 0.7902, "paper_cv": 0.5613, "theil_index": 0.0929},
    },
}
#: Law school, full linear: the two sums over race and sex as the authors' code computes them.
PAPER_MMD, PAPER_WASSERSTEIN = 0.7233, 0.5328
#: Their code measures distances on half as many rows, drawn with replacement with this seed.
RESAMPLE = {"frac": 0.5, "replace": True, "random_state": 0}
