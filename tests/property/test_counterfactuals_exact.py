from __future__ import annotations

import numpy as np
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st
from sklearn.compose import make_column_transformer
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from sklearn.tree import DecisionTreeClassifier
from tests.oracle import exact_by_hand as by_hand
from tests.oracle import mixed_tables as mixed

from fairwitness.counterfactuals import ExactGenerator
from fairwitness.model import as_blackbox
from fairwitness.table import Schema

ESTIMATORS = {
    "tree": lambda: DecisionTreeClassifier(random_state=0),
    "forest": lambda: RandomForestClassifier(4, random_state=0),
    "histogram": lambda: HistGradientBoostingClassifier(max_iter=4, min_samples_leaf=1),
    "logistic": LogisticRegression,
    "network": lambda: MLPClassifier((4, 3), max_iter=15, random_state=0),
}


@st.composite
def cases(draw):
    """A table with at most a few thousand rows in its world, a schema with constraints, a fitted model."""
    name = draw(st.sampled_from(list(ESTIMATORS)))
    kinds = ("integer", "ordinal", "categorical", "boolean", "numeric")
    frame, kinds = draw(mixed.tables(kinds=kinds, max_rows=14, max_columns=3, containers=("pandas",)))
    numbers = [c for c, kind in zip(frame.columns, kinds, strict=True) if kind in {"numeric", "integer"}]
    if name in {"logistic", "network"}:
        frame[numbers] = frame[numbers].fillna(0.5)
    words = [c for c in frame.columns if c not in numbers]
    overrides = {}
    ordinal = {
        c: {"kind": "ordinal", "levels": ("low", "mid", "high")}
        for c, kind in zip(frame.columns, kinds, strict=True)
        if kind == "ordinal"
    }
    for c in numbers:
        if frame[c].dtype != float:
            overrides[c] = {"kind": "integer", "bounds": (-3, 8)}
        else:
            frame[c] = frame[c].round(1)
            overrides[c] = {"kind": "numeric", "bounds": (-1.5, 1.0), "precision": 1}
    schema = draw(mixed.constraints(Schema.infer(frame, **{**overrides, **ordinal})))
    y = draw(st.lists(st.integers(0, 1), min_size=len(frame), max_size=len(frame)))
    assume(len(set(y)) == 2)
    scale = "passthrough" if draw(st.booleans()) else StandardScaler()
    encode = make_column_transformer(
        (OneHotEncoder(handle_unknown="ignore", sparse_output=False), words), (scale, numbers)
    )
    return frame, schema, make_pipeline(encode, ESTIMATORS[name]()).fit(frame, y)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@settings(max_examples=25, deadline=None, suppress_health_check=list(HealthCheck))
@given(
    case=cases(),
    k=st.integers(1, 5),
    distance=st.sampled_from(["shared", "l0", "l1", "linf"]),
    favorable=st.integers(0, 1),
)
def test_nothing_nearer_exists(case, k, distance, favorable):
    frame, schema, model = case
    exact = ExactGenerator(distance=distance).fit(
        frame, as_blackbox(model, favorable=favorable), schema=schema
    )
    queries = frame.iloc[:2]
    found = exact.generate(queries, k)
    encoded = exact.table_.encode(queries)
    assert exact.table_.model.judge(found.encoder.decode(found.rows)).accepted.all() or not len(found)
    assert found.encoder.validate(found.rows, found.queries[found.query]).all()
    for query in range(len(queries)):
        wanted = by_hand.nearest(exact, encoded[query], k, distance)
        rows = found.rows[found.query == query]
        assert len(np.unique(rows, axis=0)) == len(rows)
        scales, seen = exact.table_.distance.scales, exact.table_.rows
        got = by_hand.distances(distance, encoded[query], rows, exact.table_.encoder.schema, scales, seen)
        np.testing.assert_allclose(np.sort(got), wanted, rtol=1e-9)
        wanted_status = "found" if len(wanted) == k else "short" if len(wanted) else "infeasible"
        assert found.status[query] == wanted_status
