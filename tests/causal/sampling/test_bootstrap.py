from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from tests.causal import asking
from tests.oracle import scm

from fairwitness.causal import Distribution
from fairwitness.causal.bounds import answer
from fairwitness.causal.sampling.bootstrap import bootstrap_bounds
from fairwitness.causal.solver.factors import Model
from fairwitness.causal.solver.question import prepare
from fairwitness.errors import ConfigError


def question(text="S -> W -> Y; W <-> Y", n=200, given=None, counts=None):
    graph, P = asking.simple(text, 2, 1)
    query = scm.Query("S", "Y", 1, 1, 0, frozenset(graph.paths("S", "Y")), given or {})
    table = np.round(P * n) if counts is None else counts
    data = Distribution.from_counts(graph.variables, [(0, 1)] * P.ndim, table)
    return prepare(data, asking.causal_graph(graph), **asking.asked(query))


def test_it_holds_the_bounds_and_says_that_it_is_indicative():
    asked = question(given={"S": 0, "W": 1})
    found, bounds = bootstrap_bounds(asked, 40, 0.9, random_state=0), answer(asked)
    assert (found.lower, found.upper) == (bounds.lower, bounds.upper)
    assert found.low < found.lower
    assert found.upper < found.high
    assert found.samples.shape == (40, 2)
    assert found.low == pytest.approx(np.quantile(found.samples[:, 0], 0.05))
    assert found.high == pytest.approx(np.quantile(found.samples[:, 1], 0.95))
    frame = found.to_frame()
    assert frame["bound"].tolist() == ["lower", "upper"]
    assert frame["indicative"].all()
    assert frame["deviation"].tolist() == pytest.approx(found.samples.std(axis=0, ddof=1))
    assert found.indicative
    assert found.to_dict()["indicative"]
    assert "indicative" in repr(found)


def test_a_seed_is_repeated_however_the_work_is_cut(monkeypatch):
    asked = question("S -> Y")
    first = bootstrap_bounds(asked, 30, random_state=0)
    monkeypatch.setattr("fairwitness.causal.sampling.bootstrap.CHUNK", 7)
    assert np.array_equal(first.samples, bootstrap_bounds(asked, 30, random_state=0).samples)
    assert not np.array_equal(first.samples, bootstrap_bounds(asked, 30, random_state=1).samples)


def test_deviation_of_an_identified_effect_is_its_standard_error():
    counts = np.array([[120.0, 80.0], [60.0, 140.0]])
    found = bootstrap_bounds(question("S -> Y", counts=counts), 400, random_state=0)
    expected = np.sqrt(0.6 * 0.4 / 200 + 0.3 * 0.7 / 200)
    assert found.samples[:, 0].std() == pytest.approx(expected, rel=0.12)
    assert found.samples.mean() == pytest.approx(found.lower, abs=0.01)


def test_where_nobody_is_like_the_evidence_nothing_is_known():
    counts = np.array([[40.0, 1.0], [30.0, 30.0]])
    found = bootstrap_bounds(
        question("S -> Y; S <-> Y", counts=counts, given={"S": 0, "Y": 1}), 60, random_state=0
    )
    assert 0 < found.n_without < 60
    assert (found.samples == [-1.0, 1.0]).all(axis=1).sum() >= found.n_without


def test_probabilities_cannot_be_resampled():
    asked = question("S -> Y")
    table = Distribution.from_table(("S", "Y"), [(0, 1)] * 2, np.full((2, 2), 0.25))
    with pytest.raises(ConfigError, match="number of rows"):
        bootstrap_bounds(replace(asked, model=Model(asked.model.graph, table)))


@pytest.mark.parametrize("settings", [{"n_resamples": 1}, {"confidence": 95}, {"random_state": -1}])
def test_settings_that_make_no_sense(settings):
    with pytest.raises(ConfigError):
        bootstrap_bounds(question("S -> Y"), **settings)
