"""Find the counterfactuals of rows of a table, each by the model that judges the row."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from fairwitness.arguments import whole_number
from fairwitness.rng import child
from fairwitness.typing import BoolArray, IntArray, NativeFrame

if TYPE_CHECKING:
    from fairwitness.counterfactuals.base import CounterfactualGenerator
    from fairwitness.counterfactuals.sets import CounterfactualSet
    from fairwitness.model.blackbox import BlackBox
    from fairwitness.model.judgement import Judgement
    from fairwitness.table.schema import Schema


def search(
    models: Sequence[BlackBox],
    fold: IntArray,
    inputs: NativeFrame,
    rows: IntArray,
    *,
    generator: CounterfactualGenerator,
    k: int,
    schema: Schema | None = None,
    judgement: Judgement | None = None,
) -> CounterfactualSet:
    """Find up to ``k`` counterfactuals for each of ``rows``.

    Parameters
    ----------
    models, fold
        The model, or one a fold, and (n,) which of them judges each row. A person's counterfactuals are
        accepted by the very model that rejected the person.
    inputs
        (n rows) the columns the model reads.
    rows
        (q,) positions in ``inputs``.
    generator
        Unfitted or fitted; it is copied, never changed.
    k
        Counterfactuals a person.
    schema
        Kinds and constraints of ``inputs``.
    judgement
        What a single model says of ``inputs``, if known: the model is then not asked again. That is also
        how a mere column of predictions can be audited, with neighbours, which are rows it has judged.
    """
    from fairwitness.counterfactuals.sets import CounterfactualSet
    from fairwitness.table.frames import take_rows

    sets, places = [], []
    for member, model in enumerate(models):
        mine = np.flatnonzero(fold[rows] == member)
        if not len(mine) and len(models) > 1:
            continue
        fitted = copy.copy(generator).fit(
            inputs, model, schema=schema, judgement=judgement if len(models) == 1 else None
        )
        sets.append(fitted.generate(take_rows(inputs, rows[mine]), k))
        places.append(mine)
    if not sets:  # nobody to search for; any member gives the empty set
        fitted = copy.copy(generator).fit(inputs, models[0], schema=schema)
        return fitted.generate(take_rows(inputs, rows), k)
    return sets[0] if len(sets) == 1 else CounterfactualSet.join(sets, places)


def draw_people(eligible: BoolArray, codes: IntArray, *, most: int | None, seed: int) -> BoolArray:
    """Choose whom to search for: all eligible rows, or at most ``most`` of each group.

    Parameters
    ----------
    eligible, codes
        (n,) who is eligible, and (n,) group codes.
    most
        Cap on the people of one group; ``None``: no cap.
    seed
        Of the draw. A row's place in the draw depends on the seed and its position only, so that mostly
        the same people serve several features.

    Returns
    -------
    (n,) mask.
    """
    if most is None:
        return eligible.copy()
    most = whole_number(most, "max_people", fix="pass for example max_people=2000, or None for no cap")
    chosen = np.zeros(len(eligible), dtype=bool)
    place = child(seed, "people").permutation(len(eligible))
    for group in np.unique(codes[eligible]):
        members = np.flatnonzero(eligible & (codes == group))
        chosen[members[np.argsort(place[members])[:most]]] = True
    return chosen
