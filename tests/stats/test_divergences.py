from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from scipy.spatial.distance import jensenshannon

from fairwitness.errors import ConfigError, DataError
from fairwitness.rng import child
from fairwitness.stats import jensen_shannon, total_variation


def test_total_variation_is_the_largest_difference_in_any_events_probability():
    rng = child(0, "tv")
    for _ in range(20):
        p, q = rng.dirichlet(np.ones(5)), rng.dirichlet(np.ones(5))
        events = [list(e) for size in range(6) for e in itertools.combinations(range(5), size)]
        largest = max(abs(p[e].sum() - q[e].sum()) for e in events)
        assert total_variation(p, q) == pytest.approx(largest)


@pytest.mark.parametrize("base", [2.0, math.e, 10.0])
def test_jensen_shannon_is_the_square_of_scipys_distance(base):
    rng = child(1, "js")
    for _ in range(20):
        p, q = rng.integers(0, 4, 8) + np.eye(8)[0], rng.integers(0, 4, 8) + np.eye(8)[1]
        assert jensen_shannon(p, q, base=base) == pytest.approx(jensenshannon(p, q, base=base) ** 2)


def test_ends_of_the_range():
    assert total_variation([3, 1], [6, 2]) == 0
    assert jensen_shannon([3, 1], [6, 2]) == pytest.approx(0, abs=1e-15)
    assert total_variation([1, 0], [0, 5]) == 1
    assert jensen_shannon([1, 0], [0, 5]) == 1
    assert jensen_shannon([1, 0], [0, 5], base=math.e) == pytest.approx(math.log(2))


def test_all_pairs_at_once_and_empty_groups():
    counts = np.array([[2, 2], [0, 4], [0, 0]])
    found = total_variation(counts[:, None], counts)
    assert found[:2, :2].tolist() == [[0, 0.5], [0.5, 0]]
    for measure in (total_variation, jensen_shannon):
        found = measure(counts[:, None], counts)
        assert np.isnan(found[2]).all()
        assert np.isnan(found[:, 2]).all()
        assert not np.isnan(found[:2, :2]).any()


@pytest.mark.parametrize("bad", [[-1, 2], [np.nan, 1], [np.inf, 1], ["a", "b"], 3.0, [1, 2, 3]])
def test_bad_counts_are_refused(bad):
    for measure in (total_variation, jensen_shannon):
        with pytest.raises(DataError):
            measure(bad, [1, 2])


@pytest.mark.parametrize("bad", [1.0, 0.0, -2.0, math.nan, "2"])
def test_the_base_is_above_one(bad):
    with pytest.raises(ConfigError, match="base"):
        jensen_shannon([1, 2], [1, 2], base=bad)
