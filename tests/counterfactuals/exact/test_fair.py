"""The linear decision makers of ``fairwitness.fair``, behind a pipeline, beside asking about every row."""

from __future__ import annotations

import numpy as np
import pytest

from fairwitness.counterfactuals import ExactGenerator
from fairwitness.fair import LFERM, FairC
from fairwitness.model import as_blackbox

FAIR = {
    "lferm": (LFERM(), {}),
    "fairc": (FairC(), {}),
    "lferm by another threshold": (LFERM(), {"threshold": 0.6}),
    "fairc by another threshold": (FairC(), {"threshold": 0.4}),
    "fairc, the other outcome": (FairC(), {"favorable": 0}),
}


@pytest.mark.parametrize("name", FAIR)
def test_equal_to_asking_about_every_row_there_is(name, table, behind, by_hand):
    estimator, settings = FAIR[name]
    X, y = table(1)
    model = behind(estimator)
    model.fit(X, y, **{f"{model.steps[-1][0]}__sensitive_features": X["owner"].to_numpy()})
    box = as_blackbox(model, **{"favorable": 1, **settings})
    exact = ExactGenerator().fit(X, box)
    queries = X[~box.judge(X).accepted].iloc[:5]
    found = exact.generate(queries, 3)
    encoded = exact.table_.encode(queries)
    assert set(found.status) == {"found"}
    for query in range(len(queries)):
        wanted = by_hand.nearest(exact, encoded[query], 3, "shared")
        np.testing.assert_allclose(found.distance[found.query == query], wanted, rtol=1e-9)
    assert box.judge(found.encoder.decode(found.rows)).accepted.all()
