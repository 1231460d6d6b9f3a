"""The gate where no rows are to spare: an engine learnt from one half, compared with the other."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from sklearn.base import clone

from fairwitness.canonical.base import CanonicalSampler, CanonicalSet
from fairwitness.canonical.gate import CanonicalGate
from fairwitness.canonical.gate_report import GateReport
from fairwitness.rng import child
from fairwitness.table import n_rows, take_rows
from fairwitness.typing import FloatArray, NativeFrame

#: Fewest rows of a table of which a half is kept from the engine that is gated.
FEWEST = 2000


def gates_by_halves(
    sampler: CanonicalSampler,
    sets: Sequence[CanonicalSet],
    frame: NativeFrame,
    scores: FloatArray,
    gate: Callable[..., CanonicalGate],
) -> list[GateReport]:
    """Gate sets against rows that were not learnt from, where there are enough.

    The sets themselves are learnt from all rows, so that what is compared in them rests on all of them. What
    is gated is then the same engine, learnt from one random half and compared with the other: stricter than a
    comparison with its own rows, and a little stricter than the sets deserve.

    Parameters
    ----------
    sampler, frame, scores
        A fitted engine, and what it was fitted on.
    sets
        Its sets.
    gate
        Makes a gate; takes ``reference`` and ``reference_scores``.

    Returns
    -------
    list of GateReport
        One a set, in their order.
    """
    n = n_rows(frame)
    if n < FEWEST:
        return [gate().check(made) for made in sets]
    order = child(sampler.seed_, "halves").permutation(n)
    one, other = (np.sort(order[side::2][: sampler.max_rows]) for side in (0, 1))
    # the schema of all rows, since a rare level may lie in one half only
    twin = clone(sampler).set_params(schema=sampler.rows_.schema).fit(take_rows(frame, one), scores[one])
    strict = gate(reference=take_rows(frame, other), reference_scores=scores[other])
    return [strict.check(made, twin=twin) for made in sets]
