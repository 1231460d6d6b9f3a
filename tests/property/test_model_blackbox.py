from __future__ import annotations

import numpy as np
import pandas as pd
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder

from fairwitness.model import as_blackbox
from fairwitness.model.labels import favorable_index, is_label

COLUMNS = ["a", "b", "c d"]


def training() -> tuple[pd.DataFrame, np.ndarray]:
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({name: rng.integers(0, 5, 80) for name in COLUMNS})
    return frame, np.where(frame["a"] + frame["b"] + rng.integers(0, 3, 80) > 5, "yes", "no")


X, Y = training()
MODELS = [
    RandomForestClassifier(4, random_state=0, n_jobs=1).fit(X, Y),
    HistGradientBoostingClassifier(max_iter=4).fit(X, Y),
    make_pipeline(OneHotEncoder(handle_unknown="ignore"), LogisticRegression()).fit(X, Y),
]


def formula(frame: pd.DataFrame) -> np.ndarray:
    return ((frame["a"] + frame["b"] + 4) / 20).to_numpy()


@st.composite
def tables(draw: st.DrawFn) -> pd.DataFrame:
    rows = draw(st.lists(st.tuples(*[st.integers(-2, 7)] * 3), min_size=1, max_size=25))
    return pd.DataFrame(rows, columns=COLUMNS)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(tables(), st.integers(1, 30), st.permutations([*COLUMNS, "extra"]), st.sampled_from(range(4)))
def test_batches_and_column_order_do_not_matter(
    frame: pd.DataFrame, size: int, order: list[str], which: int
) -> None:
    model = formula if which == 3 else MODELS[which]
    favorable = 1 if which == 3 else "yes"
    whole = as_blackbox(model, favorable=favorable).judge(frame)
    assert ((whole.score >= 0) & (whole.score <= 1)).all()
    shuffled = frame.assign(extra=0)[order]
    parts = as_blackbox(model, favorable=favorable, batch_size=size).judge(shuffled)
    assert np.array_equal(whole.accepted, parts.accepted)
    assert np.array_equal(whole.score, parts.score)


@settings(max_examples=60, deadline=None)
@given(tables(), st.sampled_from(range(3)), st.sampled_from(["yes", "no"]))
def test_accepted_means_accepted_by_the_users_object(frame: pd.DataFrame, which: int, favorable: str) -> None:
    accepted = as_blackbox(MODELS[which], favorable=favorable).judge(frame).accepted
    assert np.array_equal(accepted, MODELS[which].predict(frame) == favorable)


labels = st.one_of(st.integers(-3, 3), st.booleans(), st.text(max_size=3), st.floats(-3, 3))


@settings(deadline=None)
@given(st.lists(labels, min_size=1, max_size=6), st.integers(0, 5))
def test_a_label_is_found_where_it_first_stands(classes: list, at: int) -> None:
    wanted = classes[at % len(classes)]
    found = favorable_index(classes, wanted)
    column = np.empty(len(classes), dtype=object)
    column[:] = classes
    assert is_label(column, wanted).argmax() == found
    assert classes[found] == wanted
