from __future__ import annotations

import dataclasses
import json

import numpy as np
import pandas as pd
import pytest

from fairwitness.causal import Distribution, effect_bounds
from fairwitness.causal.solver.results import Certificate
from fairwitness.errors import ConfigError


@pytest.fixture(scope="module")
def found():
    """[−0.6, 0.4]: S → Y, of s = 1 nothing is known."""
    data = Distribution.from_table(["S", "Y"], [("f", "m"), (0, 1)], [[0.4, 0.6], [0, 0]])
    return effect_bounds(
        data, "S -> Y", treatment="S", outcome="Y", active="m", reference="f", outcome_value=1
    )


def certificate(low, high, *, attained=None, exact=True):
    inner = attained or (low, high)
    return Certificate("linear", exact, low, high, *inner, 2, 0.1)


def made(found, low, high, *, attained=None, exact=True, before=None, interval=None):
    return dataclasses.replace(
        found,
        lower=low,
        upper=high,
        interval=interval or (low, high),
        certificate=certificate(low, high, attained=attained, exact=exact),
        reference_probability=before,
    )


class TestStatus:
    @pytest.mark.parametrize(
        ("ends", "more", "expected"),
        [
            ((0.2, 0.2), {}, "identified"),
            ((0.2, 0.2 + 5e-8), {}, "identified"),
            ((0.2, 0.3), {}, "tight"),
            ((0.2, 0.3), {"attained": (0.2 + 5e-8, 0.3)}, "tight"),
            ((0.2, 0.3), {"attained": (0.21, 0.3)}, "gap"),
            ((0.2, 0.3), {"attained": (0.2, 0.29)}, "gap"),
            ((0.2, 0.3), {"exact": False}, "outer"),
            ((0.2, 0.3), {"exact": False, "attained": (0.21, 0.29)}, "outer"),
            ((-1.0, 1.0), {}, "uninformative"),
            ((-1.0, 1.0), {"exact": False}, "outer"),
            ((-1.0, 0.9), {}, "tight"),
            ((-0.3, 0.7), {"before": 0.3}, "uninformative"),
            ((-0.3, 0.69), {"before": 0.3}, "tight"),
            ((-0.29, 0.7), {"before": 0.3}, "tight"),
            ((-0.3, 0.7), {"before": None}, "tight"),
            ((0.0, 0.0), {"before": 0.0, "exact": False}, "identified"),
        ],
    )
    def test_says_what_the_bounds_are_worth(self, found, ends, more, expected):
        bounds = made(found, *ends, **more)
        assert bounds.status == expected
        assert bounds.identified == (expected == "identified")
        assert bounds.uninformative == (expected == "uninformative")

    def test_gap(self):
        assert certificate(-0.5, 0.5, attained=(-0.4, 0.2)).gap == pytest.approx(0.3)
        assert certificate(-0.5, 0.5, attained=(-0.1, 0.45)).gap == pytest.approx(0.4)
        # rounding may put what is attained a hair outside
        assert certificate(-0.5, 0.5, attained=(-0.5 - 1e-12, 0.5 + 1e-12)).gap == 0


class TestVerdict:
    @pytest.mark.parametrize(
        ("low", "high", "expected"),
        [
            (-0.05, 0.05, "fair"),
            (0.0, 0.0, "fair"),
            (-0.1, 0.05, "undetermined"),
            (-0.05, 0.1, "undetermined"),
            (0.1, 0.2, "undetermined"),
            (0.11, 0.2, "unfair"),
            (-0.3, -0.11, "unfair"),
            (-0.3, -0.1, "undetermined"),
            (-0.5, 0.5, "undetermined"),
            (0.05, 0.2, "undetermined"),
        ],
    )
    def test_compares_the_interval_with_tau(self, found, low, high, expected):
        assert made(found, low, high).verdict(0.1) == expected

    def test_rests_on_the_interval_and_not_on_the_bounds(self, found):
        assert made(found, -0.05, 0.05, interval=(-0.2, 0.2)).verdict(0.1) == "undetermined"
        assert made(found, 0.15, 0.2, interval=(0.05, 0.3)).verdict(0.1) == "undetermined"
        assert made(found, -0.05, 0.05).verdict() == "fair"

    @pytest.mark.parametrize("tau", [0, 1, -0.1, "much", float("nan")])
    def test_of_thresholds_that_make_no_sense(self, found, tau):
        with pytest.raises(ConfigError, match="tau"):
            found.verdict(tau)


class TestAsPlainValues:
    def test_document(self, found):
        document = json.loads(json.dumps(found.to_dict()))
        assert (document["lower"], document["upper"]) == pytest.approx((-0.6, 0.4))
        assert document["interval"] == [document["lower"], document["upper"]]
        assert document["status"] == "uninformative"
        assert document["identified"] is False
        assert document["confidence"] is None
        assert document["query"]["active"] == "m"
        assert document["certificate"]["engine"] == "linear"
        assert document["certificate"]["gap"] == pytest.approx(0)
        assert document["unidentified"] == [["Y"]]
        assert document["evidence_probability"] == 1.0
        assert document["reference_probability"] == pytest.approx(0.6)
        assert document["slack"] == 0.0
        assert document["n"] is None
        (size,) = document["sizes"]
        assert size["members"] == ["Y"]
        assert size["naive_columns"] == pytest.approx(np.log10(4))
        assert size["columns"] == found.sizes[0].columns

    def test_frame(self, found):
        frame = found.to_frame()
        assert isinstance(frame, pd.DataFrame)
        assert len(frame) == 1
        row = frame.iloc[0]
        assert (row["lower"], row["upper"]) == (found.lower, found.upper)
        assert (row["interval_low"], row["interval_high"]) == found.interval
        assert (row["active"], row["reference"], row["paths"]) == ("m", "f", "all paths from S to Y")
        assert (row["status"], row["engine"], row["given"]) == ("uninformative", "linear", "")

    def test_frame_says_of_whom(self, found):
        query = dataclasses.replace(found.query, given={"S": "f", "Y": 1})
        assert dataclasses.replace(found, query=query).to_frame().loc[0, "given"] == "S = f, Y = 1"

    def test_repr(self, found):
        assert repr(found) == "<EffectBounds [-0.6000, 0.4000] uninformative>"
        sure = dataclasses.replace(made(found, 0.2, 0.3, interval=(0.1, 0.4)), confidence=0.95)
        assert repr(sure) == "<EffectBounds [0.2000, 0.3000] tight, 95% interval [0.1000, 0.4000]>"


def test_plot_draws_on_the_axes_that_it_is_given(found):
    from matplotlib.figure import Figure

    ax = Figure().subplots()
    assert found.plot(ax, tau=0.1) is ax
    assert ax.has_data() or ax.patches or ax.collections
