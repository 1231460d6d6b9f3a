"""Tables in which it is known what a model's scores go with."""

from __future__ import annotations

import numpy as np
import pandas as pd

from fairwitness.typing import FloatArray

#: World → the columns that its scores go with, and no others.
ANSWERS = {
    "null": set(),
    "direct": {"sex"},
    "proxy": {"sex", "club"},
    "interaction": {"race", "sex"},
}


def world(name: str, n: int = 2000, seed: int = 0) -> tuple[pd.DataFrame, FloatArray]:
    """Give a table and scores.

    ``null``: the score goes with nothing. ``direct``: with sex only. ``proxy``: with the club, which four in
    five men and one in five women are in; the model does not see sex. ``interaction``: high where exactly one
    of two sensitive features is set, so that neither goes with it, were it not that one is frequent.
    """
    rng = np.random.default_rng([seed, n, *name.encode()])
    man = rng.random(n) < 0.5
    white = rng.random(n) < (0.7 if name == "interaction" else 0.5)
    club = rng.random(n) < np.where(man, 0.8, 0.2) if name == "proxy" else rng.random(n) < 0.5
    frame = pd.DataFrame(
        {
            "age": rng.integers(18, 80, n),
            "income": np.round(rng.lognormal(3, 0.6, n), 1),
            "sex": np.where(man, "man", "woman"),
            "race": np.where(white, "white", "black"),
            "club": np.where(club, "in", "out"),
            "town": rng.choice(["a", "b", "c", "d"], n),
        }
    )
    mean = {
        "null": np.zeros(n),
        "direct": np.where(man, 1.5, -1.5),
        "proxy": np.where(club, 1.5, -1.5),
        "interaction": np.where(man & white, 2.0, -1.0),
    }[name]
    return frame, 1 / (1 + np.exp(-(mean + rng.normal(0, 0.7, n))))
