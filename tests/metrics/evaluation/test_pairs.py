from __future__ import annotations

import numpy as np
import pytest

from fairwitness.metrics.evaluation.pairs import beside

RNG = np.random.default_rng(1)
N = 500


def people(seed: int):
    rng = np.random.default_rng(seed)
    where = rng.integers(0, 3, N)
    y = rng.random(N) < 0.4
    own = rng.random(N) < np.where(where == 1, 0.3, 0.6)
    other = np.where(rng.random(N) < 0.7, own, rng.random(N) < 0.5)
    return y, own, other, where == 1, where == 2


def by_hand(y, own, other, group, reference) -> tuple[float, float]:
    """Row by row, with no counts."""

    def apart(accepted):
        return abs(accepted[group].mean() - accepted[reference].mean())

    def accuracy(accepted):
        return (accepted[y].mean() + (~accepted[~y]).mean()) / 2

    return apart(own) - apart(other), accuracy(other) - accuracy(own)


@pytest.mark.parametrize("seed", range(5))
def test_estimates_are_those_of_the_rows(seed: int) -> None:
    given = people(seed)
    found = beside(*given, confidence=0.95, seed=0)
    assert (found.closer.estimate, found.gain.estimate) == pytest.approx(by_hand(*given))
    assert found.closer.n == int(given[3].sum() + given[4].sum())


def test_intervals_are_those_of_resampled_rows() -> None:
    given = people(7)
    found = beside(*given, confidence=0.9, seed=0)
    drawn = []
    for _ in range(1500):
        at = RNG.integers(0, N, N)
        drawn.append(by_hand(*(column[at] for column in given)))
    closer, gain = np.quantile(drawn, [0.05, 0.95], axis=0).T
    assert (found.closer.low, found.closer.high) == pytest.approx(closer, abs=0.012)
    assert (found.gain.low, found.gain.high) == pytest.approx(gain, abs=0.012)


def test_a_model_beside_itself_gains_nothing() -> None:
    y, own, _, group, reference = people(0)
    found = beside(y, own, own, group, reference, confidence=0.95, seed=0)
    for estimate in (found.closer, found.gain):
        assert (estimate.estimate, estimate.low, estimate.high) == (0, 0, 0)


def test_nothing_to_compare_is_none() -> None:
    y, own, other, group, reference = people(0)
    nobody = np.zeros(N, dtype=bool)
    assert beside(y, own, other, nobody, reference, confidence=0.95, seed=0) is None
    assert beside(y, own, other, group, nobody, confidence=0.95, seed=0) is None
    assert beside(~nobody, own, other, group, reference, confidence=0.95, seed=0) is None
