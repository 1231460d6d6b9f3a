"""DiCE's own genetic rows for some of the same people, judged by the same models: are theirs farther away?"""

from __future__ import annotations

import importlib
import sys
from pathlib import Path
from typing import Any

import numpy as np
from flips_cells import Asked, Searched, make_generator, measure, summary
from flips_tasks import Split

from fairwitness.counterfactuals import PrecomputedGenerator
from fairwitness.flips.evaluate import eligible_rows
from fairwitness.flips.inference import align
from fairwitness.flips.search import draw_people
from fairwitness.model import as_blackbox
from fairwitness.typing import FloatArray

#: Ranks asked for: at 100, DiCE does not converge in a minute a row.
K = 10


def run_dice_itself(
    split: Split,
    estimator: Any,
    classifier: Any,
    *,
    known: FloatArray,
    python: str,
    most: int,
    seed: int,
    patience: float,
) -> dict[str, Any]:
    """Give both generators' summaries for at most ``most`` eligible test rows of each group."""
    sys.path.append(str(Path(__file__).parents[1]))
    peer = importlib.import_module("peer")
    box = as_blackbox(estimator, favorable=1)
    judgement = box.judge(split.X)
    _, looks = align(known, classifier, split.groups.labels)
    eligible = eligible_rows(judgement.accepted, split.groups.codes, looks)
    in_test = np.isin(np.arange(len(split.X)), split.test)
    rows = np.flatnonzero(draw_people(eligible & in_test, split.groups.codes, most=most, seed=seed))
    people = split.X.iloc[rows]
    table = split.X.assign(outcome=split.y)
    answer = peer.run_peer("DiCE", python, estimator, table, people, K, "genetic", patience=patience)
    if isinstance(answer, str) or answer.made is None:
        return {"reason": answer if isinstance(answer, str) else "DiCE found nothing"}
    asked = Asked("genetic", k=K, n_resamples=1)
    out: dict[str, Any] = {"rows": len(rows), "failed": answer.failed}
    makers = {
        "DiCE": PrecomputedGenerator(answer.made),
        "ours": make_generator("genetic", seed=seed),
    }
    for name, maker in makers.items():
        fitted = maker.fit(split.X, box, schema=split.schema, judgement=judgement)
        found = fitted.generate(people, K)
        searched = Searched(box, judgement, rows, rows, found, None, 0.0)
        result = measure(split, searched, classifier, asked, known=known, seed=seed)
        out[name] = {
            **summary(split, result, K),
            "changed": float(found.changed.sum(axis=1).mean()),
            "distance": float(found.distance.mean()),
        }
    return out
