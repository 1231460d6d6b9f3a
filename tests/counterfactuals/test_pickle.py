from __future__ import annotations

import copy
import pickle

import numpy as np
import pandas as pd

from fairwitness.counterfactuals import NeighborGenerator


def test_a_set_can_be_pickled_and_copied() -> None:
    frame = pd.DataFrame({"income": np.arange(20.0), "job": ["a", "b"] * 10})
    generator = NeighborGenerator().fit(frame, lambda rows: (rows["income"] > 9).to_numpy().astype(float))
    found = generator.generate(frame.iloc[:3], k=2)
    for again in (pickle.loads(pickle.dumps(found)), copy.deepcopy(found)):
        assert again.to_dict() == found.to_dict()
        assert (again.rows == found.rows).all()
