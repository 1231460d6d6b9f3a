"""Random numbers that do not depend on how the work was cut up.

One seed gives one independent generator per *purpose* and per *row*: a row's generator is keyed by what
the row is, not by when it is reached, so ``n_jobs``, chunk size and row order never change a result. The
global random state is neither read nor written.
"""

from __future__ import annotations

import hashlib

import numpy as np

from fairwitness.errors import ConfigError
from fairwitness.typing import RandomState


def seed_from(random_state: RandomState) -> int:
    """Turn what scikit-learn calls ``random_state`` into one non-negative integer.

    ``0`` is a seed like any other. ``None`` draws a fresh seed from the operating system (report it, so
    that the run can be repeated).

    Raises
    ------
    ConfigError
        If ``random_state`` is negative or of another type.
    """
    if random_state is None:
        return int(np.random.SeedSequence().generate_state(1, np.uint32)[0])
    if isinstance(random_state, np.random.Generator):
        return int(random_state.integers(2**32))
    if isinstance(random_state, np.random.SeedSequence):
        return int(random_state.generate_state(1, np.uint32)[0])
    if isinstance(random_state, bool) or not isinstance(random_state, int | np.integer):
        raise ConfigError(
            "random_state must be a non-negative integer, a numpy Generator or None",
            got=random_state,
            fix="pass an integer such as random_state=0",
        )
    if random_state < 0:
        raise ConfigError(
            "random_state is negative", got=int(random_state), fix="pass an integer from 0 upwards"
        )
    return int(random_state)


def child(seed: int, *purpose: str | int) -> np.random.Generator:
    """Give the generator for one purpose, for example ``child(seed, "bootstrap", "race")``.

    Equal arguments give equal streams; different purposes give independent ones.
    """
    digest = hashlib.sha256("\x1f".join(f"{type(p).__name__}:{p}" for p in purpose).encode())
    words = np.frombuffer(digest.digest(), dtype=np.uint32)
    return np.random.default_rng([seed, *(int(word) for word in words)])


def child_seed(seed: int, *purpose: str | int) -> int:
    """Give an integer seed for one purpose, for libraries that want ``random_state=int``."""
    return int(child(seed, *purpose).integers(2**31 - 1))
