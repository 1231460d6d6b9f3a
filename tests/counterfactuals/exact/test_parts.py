from __future__ import annotations

import itertools

import numpy as np
import pandas as pd
import pytest

from fairwitness.counterfactuals.exact.forms import NetworkForm
from fairwitness.counterfactuals.exact.grids import grid_of
from fairwitness.counterfactuals.exact.relu import straight
from fairwitness.table import Encoder, Schema


def grid(values, *, step=None, dtype="float64", **feature):
    frame = pd.DataFrame({"a": np.array(values, dtype=dtype)})
    return grid_of(Encoder.fit(frame, Schema.infer(frame, a=feature)), 0, scale=1.0, step=step)


def test_a_grid_of_decimals_is_what_the_column_can_hold():
    tenths = grid([0.1, 0.3, 2.5])
    values = tenths.value(np.arange(tenths.first, tenths.last + 1))
    np.testing.assert_array_equal(values, np.round(np.arange(1, 26) / 10, 1))
    single = grid([0.1, 0.3, 2.5], dtype="float32")
    held = single.value(np.arange(single.first, single.last + 1))
    np.testing.assert_array_equal(held, values.astype(np.float32).astype(np.float64))
    assert tenths.discrete
    assert not grid([0.123456789, 0.3]).discrete  # nobody tells billionths apart


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_a_grid_of_all_floats_goes_from_one_to_the_next(dtype):
    floats = grid([-1 / 3, 2 / 7, 1 / 9], dtype=dtype, precision=None)
    assert not floats.discrete
    for x in (-1 / 3, -1e-300, 0.0, 1e-5, 0.1):
        n = floats.at_least(float(np.dtype(dtype).type(x)))
        here = floats.value(n).astype(dtype)
        after = floats.value(n + 1).astype(dtype)
        assert after == np.nextafter(here, np.dtype(dtype).type(9)) or abs(here) < 1e-76
    ends = floats.value(np.array([floats.first, floats.last]))
    np.testing.assert_array_equal(ends, np.array([-1 / 3, 2 / 7], dtype=dtype).astype(float))


@pytest.mark.parametrize("step", [None, 1e-3])
def test_positions_are_found_again(step):
    some = grid([-1 / 3, 2 / 7, 1 / 9], step=step)
    rng = np.random.default_rng(0)
    for x in rng.uniform(-0.33, 0.28, 50):
        n = some.at_least(x)
        assert float(some.value(n)) >= x > float(some.value(n - 1))


def test_straight_lines_hold_over_the_box():
    rng = np.random.default_rng(0)
    for sizes in ([4, 6, 1], [3, 5, 4, 1], [3, 4, 4, 4, 1]):
        weights = tuple(rng.normal(size=pair) for pair in itertools.pairwise(sizes))
        biases = tuple(rng.normal(size=size) for size in sizes[1:])
        form = NetworkForm(weights, biases, tolerance=0.0)
        low = rng.normal(size=(20, sizes[1]))
        high = low + rng.uniform(0, 2, size=low.shape)
        above, above_start, below, below_start = straight(form, low, high)
        rest = NetworkForm((np.eye(sizes[1]), *weights[1:]), (np.zeros(sizes[1]), *biases[1:]), 0.0)
        for _ in range(30):
            sums = rng.uniform(low, high)
            margin = rest.margin(sums)
            assert (margin <= (above * sums).sum(axis=1) + above_start + 1e-9).all()
            assert (margin >= (below * sums).sum(axis=1) + below_start - 1e-9).all()
        exact = straight(form, low, low)  # a point: both lines meet the network
        at = (exact[0] * low).sum(axis=1) + exact[1]
        np.testing.assert_allclose(at, rest.margin(low), atol=1e-9)


def test_whole_numbers_between_bounds_that_hold_one_of_them() -> None:
    import pandas as pd
    from sklearn.linear_model import LogisticRegression

    from fairwitness.counterfactuals import ExactGenerator
    from fairwitness.table import Schema

    frame = pd.DataFrame({"children": [-3, -3, 0, 4]})
    model = LogisticRegression().fit(frame, [0, 0, 1, 1])
    schema = Schema.infer(frame, children={"bounds": (0, 0.5)})
    found = ExactGenerator().fit(frame, model, schema=schema).generate(frame.iloc[:1], k=1)
    assert model.predict(frame.iloc[2:3]).tolist() == [1]
    assert found.rows.tolist() == [[0.0]]
