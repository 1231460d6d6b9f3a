from __future__ import annotations

import numpy as np
import pytest

from fairwitness.errors import ConfigError, DataError
from fairwitness.rng import child
from fairwitness.stats import HistogramSketch, wasserstein_1, wasserstein_matrix


@pytest.mark.parametrize("bins", [1, 7, 2048])
def test_within_its_error_of_the_exact_distance(bins):
    rng = child(0, "sketch")
    for x in (rng.random(500), rng.beta(0.3, 2, 500), np.round(rng.random(500), 1)):
        codes, weight = rng.integers(-1, 3, 500), rng.random(500)
        sketch = HistogramSketch.of(x, codes, 3, bins=bins, weight=weight)
        between, from_pool = wasserstein_matrix(x, codes, 3, weight=weight)
        assert sketch.error == pytest.approx(1 / bins)
        assert np.abs(sketch.wasserstein_1() - between).max() <= sketch.error
        assert np.abs(sketch.from_pool() - from_pool).max() <= sketch.error


def test_it_is_exact_for_values_in_the_middle_of_their_bins():
    rng = child(1, "middle")
    x = -2 + (rng.integers(0, 16, 300) + 0.5) / 4
    codes = rng.integers(0, 2, 300)
    sketch = HistogramSketch.of(x, codes, low=-2, high=2, bins=16)
    assert sketch.wasserstein_1()[0, 1] == pytest.approx(wasserstein_1(x[codes == 0], x[codes == 1]))
    assert set(sketch.centres) >= set(x)


def test_parts_add_up_to_the_whole():
    rng = child(2, "parts")
    x, codes = rng.random(1000), rng.integers(-1, 4, 1000)
    parts = [HistogramSketch.of(x[at : at + 130], codes[at : at + 130], 4) for at in range(0, 1000, 130)]
    whole = HistogramSketch.of(x, codes, 4)
    np.testing.assert_array_equal(sum(parts[1:], parts[0]).counts, whole.counts)
    assert whole.counts.sum() == (codes >= 0).sum()


def test_the_ends_belong_to_the_range():
    sketch = HistogramSketch.of([0.0, 1.0, 1.0], bins=4)
    assert sketch.counts.tolist() == [[1, 0, 0, 2]]


def test_an_empty_group_is_nan():
    sketch = HistogramSketch.of([0.2, 0.7], [0, 2], 3, bins=8)
    found = sketch.wasserstein_1()
    assert np.isnan(found[1]).all()
    assert np.isnan(found[:, 1]).all()
    assert found[0, 2] == pytest.approx(0.5)
    assert np.isnan(sketch.from_pool()[1])


def test_refused():
    sketch = HistogramSketch.of([0.5])
    with pytest.raises(DataError, match="outside the range"):
        HistogramSketch.of([1.5])
    with pytest.raises(DataError, match="missing or infinite"):
        HistogramSketch.of([np.nan])
    with pytest.raises(ConfigError, match="range is empty"):
        HistogramSketch.of([0.5], low=1, high=1)
    with pytest.raises(ConfigError, match="bins"):
        HistogramSketch.of([0.5], bins=0)
    with pytest.raises(DataError, match="cannot be added"):
        sketch + HistogramSketch.of([0.5], bins=7)
    with pytest.raises(TypeError):
        sketch + 1
