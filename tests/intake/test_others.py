from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LogisticRegression

from fairwitness.errors import ConfigError
from fairwitness.intake.others import judge_others
from fairwitness.model import CrossFitted

RNG = np.random.default_rng(0)
X = pd.DataFrame({"a": RNG.normal(size=60), "b": RNG.normal(size=60)})
Y = (X["a"] + RNG.normal(size=60) > 0).astype(int)
ORDER = RNG.permutation(60)


def judged(models):
    return judge_others(models, X, ORDER, favorable=1, threshold=0.5)


def test_answers_stand_in_the_order_of_the_case() -> None:
    model = LogisticRegression().fit(X[["b"]], Y)
    column = (X["a"] > 0).astype(int).to_numpy()
    found = judged({"model": model, "column": column})
    assert found["model"].judgement.accepted.tolist() == (model.predict(X[["b"]]) == 1)[ORDER].tolist()
    assert found["column"].judgement.accepted.tolist() == (column == 1)[ORDER].tolist()
    assert found["model"].kind == "scikit-learn"
    assert not found["column"].judgement.has_score


def test_cross_fitted_models_judge_rows_that_they_did_not_see() -> None:
    model = CrossFitted(LogisticRegression(), cv=3, random_state=0).fit(X, Y)
    held = model.held_out_proba(X)[:, 1]
    found = judged({"model": model})["model"].judgement
    assert found.score == pytest.approx(held[ORDER])
    other = CrossFitted(LogisticRegression(), cv=3, random_state=0).fit(X + 1, Y)
    assert "not in the table" in judged({"other": other})["other"].failure


def test_what_fails_is_said() -> None:
    found = judged({"unfitted": LogisticRegression(), "short": np.zeros(3), "nothing": object()})
    assert all(each.judgement is None for each in found.values())
    assert "has not been fitted" in found["unfitted"].failure
    assert found["unfitted"].remedy == "call fit first"


def test_models_need_names() -> None:
    assert judged(None) == {}
    with pytest.raises(ConfigError, match="map names to models"):
        judged([LogisticRegression()])
    with pytest.raises(ConfigError, match="no name"):
        judged({" ": LogisticRegression()})
