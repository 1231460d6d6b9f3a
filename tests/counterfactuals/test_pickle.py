from __future__ import annotations

import copy
import pickle

import numpy as np
import pandas as pd

from fairwitness.counterfactuals import GeneticGenerator, NeighborGenerator, evaluate_counterfactuals
from fairwitness.flips import fair_opportunity


def test_a_set_can_be_pickled_and_copied() -> None:
    frame = pd.DataFrame({"income": np.arange(20.0), "job": ["a", "b"] * 10})
    generator = NeighborGenerator().fit(frame, lambda rows: (rows["income"] > 9).to_numpy().astype(float))
    found = generator.generate(frame.iloc[:3], k=2)
    for again in (pickle.loads(pickle.dumps(found)), copy.deepcopy(found)):
        assert again.to_dict() == found.to_dict()
        assert (again.rows == found.rows).all()


def test_what_is_made_of_a_set_can_be_pickled_and_copied() -> None:
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"income": rng.normal(4, 2, 200).round(1), "hours": rng.integers(0, 50, 200)})
    group = pd.Series(np.where(frame["hours"] + rng.normal(0, 9, 200) > 25, "m", "f"), name="sex")

    def model(rows: pd.DataFrame) -> np.ndarray:
        return (rows["income"] > 5).to_numpy().astype(float)

    found = GeneticGenerator(random_state=0).fit(frame, model).generate(frame[frame["income"] < 5][:4], k=3)
    flips = fair_opportunity(model, frame, group, k=3, n_resamples=20, n_permutations=20, n_jobs=1)
    evaluation = evaluate_counterfactuals(found, X=frame, model=model)
    for result in (found, flips, flips.counterfactuals, evaluation):
        for again in (pickle.loads(pickle.dumps(result)), copy.deepcopy(result)):
            assert again.to_dict() == result.to_dict()
