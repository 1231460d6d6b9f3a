"""The rows that the benchmark of metrics measures, from a seed and numpy alone: peers make them too."""

from __future__ import annotations

import numpy as np

RACES = np.array(["Asian", "Black", "Other", "White"])
SEXES = np.array(["Female", "Male"])


def decisions(n: int, seed: int = 0) -> dict[str, np.ndarray]:
    """Give outcomes, decisions, scores and two sensitive features, as numbers of their levels."""
    rng = np.random.default_rng(seed)
    race = rng.choice(len(RACES), n, p=[0.1, 0.2, 0.1, 0.6]).astype(np.int8)
    sex = rng.integers(0, 2, n, dtype=np.int8)
    draw = rng.random(n, dtype=np.float32)
    y = (draw < 0.3 + 0.1 * sex).astype(np.int8)
    score = (rng.random(n, dtype=np.float32) + y) / 2
    return {"race": race, "sex": sex, "y": y, "pred": (score > 0.5).astype(np.int8), "score": score}


def two_samples(n: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Give n scores in all, of two groups of unequal size."""
    rng = np.random.default_rng(seed)
    first = n * 3 // 5
    return rng.random(first), rng.random(n - first) ** 1.1
