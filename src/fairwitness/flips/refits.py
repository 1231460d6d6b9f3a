"""What other training rows would have made of the classifier: the uncertainty that comes from f_s.

The classifier learns from the same table, and what it learns by chance moves the values of many people at
once: if the accepted happen to hold a few more men, a flexible classifier takes acceptance itself for a sign
of men. People who are resampled all meet the same classifier and see nothing of it. The models of a
cross-fitted classifier were each trained without one part of the table, so what each of them makes of the
people is a delete-a-group jackknife of the training rows, at the price of some predictions.

In synthetic worlds whose true difference is 0 (1,000 rows, groups 1.5 standard deviations apart), 95 %
intervals with the default classifier held 0 in 70 to 75 % of 100 worlds without this variance, and in 97 %
with it; in worlds of groups 3 apart in 89 to 90 %, and in 97 to 98 %. A classifier that was fitted elsewhere
has no folds: intervals then are for that very classifier.

A jackknife takes the estimate for smooth in the training rows. Where a class hangs on a handful of them it
jumps, and the jackknife is too large rather than too small: on Adult, 169 refused women of Asian origin are
recognised, but seven in ten of their new profiles have a high capital gain, and too few people who come from
Asia have one to learn from whether they are women. Four of the five models take .14 to .29 of the profiles
for another group, the fifth .71; trained on ten resampled tables, the classifier gave .12 to .72. The
interval is [0, 1]. Such groups are named (FLIP007).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from fairwitness.flips.inference import Classifier, align, decoded_rows
from fairwitness.typing import BoolArray, FloatArray, IntArray, NativeFrame

if TYPE_CHECKING:
    from fairwitness.counterfactuals.sets import CounterfactualSet

#: People of one group whose new rows are asked about once more by each fold's model. The variance that comes
#: from the classifier moves all people alike, so that some of them show it.
MOST_PEOPLE = 200


@dataclass(frozen=True, slots=True, eq=False)
class Refit:
    """What one fold's model infers.

    Attributes
    ----------
    recognised
        (q,) people whom it takes for members of their own group; those not asked about are left out.
    flipped
        For each set of counterfactuals: (m,) whether it takes each for a member of another group than its
        person's.
    """

    recognised: BoolArray
    flipped: tuple[FloatArray, ...]

    def flips(self, which: int, counterfactuals: CounterfactualSet) -> FloatArray:
        """Give one set's flips as (q, k_max), NaN for people who are not recognised."""
        return self.only_recognised(counterfactuals.spread(self.flipped[which]))

    def only_recognised(self, flips: FloatArray) -> FloatArray:
        """Leave out, as NaN, the rows of people who are not recognised."""
        return np.where(self.recognised[:, None], flips, np.nan)


def refits(
    classifier: Classifier,
    sets: Sequence[CounterfactualSet],
    codes: IntArray,
    *,
    rows: IntArray,
    evidence: NativeFrame,
    labels: Sequence[str],
) -> list[Refit]:
    """Ask each fold's model about people and their counterfactuals; none if the classifier has no folds.

    Parameters
    ----------
    classifier
        Fitted.
    sets
        Counterfactuals of the same q people, found in different ways; ``source`` points into ``evidence``.
    codes, rows
        (q,) group and position in the table of each person.
    evidence
        (n rows) the columns the classifier reads.
    labels
        The groups.
    """
    crossfit: Any = getattr(classifier, "crossfit_", None)
    if crossfit is None or not len(rows):
        return []
    from fairwitness.table.canonical import row_keys
    from fairwitness.table.frames import column_names, select_columns, take_rows

    names = column_names(evidence)
    known = [_in_table(each, names) for each in sets]
    asked = np.ones(len(rows), dtype=np.bool_)
    if not all(each.all() for each in known):
        asked = _some(codes)
    lines = [np.flatnonzero(asked[each.query]) for each in sets]
    wanted = [each.source[line[there[line]]] for each, line, there in zip(sets, lines, known, strict=True)]
    table = np.unique(np.concatenate([rows[asked], *wanted]))
    new = [line[~there[line]] for line, there in zip(lines, known, strict=True)]
    people = take_rows(evidence, rows)
    frames = [
        take_rows(evidence, table),
        *(
            decoded_rows(each, line, people, names)[0]
            for each, line in zip(sets, new, strict=True)
            if len(line)
        ),
    ]
    frames = [select_columns(frame, [str(name) for name in crossfit.feature_names_in_]) for frame in frames]
    keys = [row_keys(frame) for frame in frames]
    out = []
    for fold in range(len(crossfit.models_)):
        looks = iter(
            [
                align(crossfit.proba_by(frame, key, np.full(len(key), fold)), classifier, labels)[1]
                for frame, key in zip(frames, keys, strict=True)
            ]
        )
        of_table = next(looks)
        at = np.searchsorted(table, rows.clip(max=table[-1]))
        recognised = asked & (of_table[at] == codes)
        flipped = []
        for each, line, there, made in zip(sets, lines, known, new, strict=True):
            look = np.full(len(each), -2, dtype=np.int64)
            old = line[there[line]]
            look[old] = of_table[np.searchsorted(table, each.source[old])]
            if len(made):
                look[made] = next(looks)
            flipped.append((look != codes[each.query]).astype(np.float64))
        out.append(Refit(recognised, tuple(flipped)))
    return out


def _in_table(counterfactuals: CounterfactualSet, names: Sequence[str]) -> BoolArray:
    """Say which counterfactuals are rows of the table, with all columns the classifier reads."""
    whole = set(names) <= set(counterfactuals.encoder.names)
    return np.asarray((counterfactuals.source >= 0) & whole)


def _some(codes: IntArray) -> BoolArray:
    """Choose at most ``MOST_PEOPLE`` of each group, spread evenly over the rows."""
    chosen = np.zeros(len(codes), dtype=np.bool_)
    for group in np.unique(codes):
        members = np.flatnonzero(codes == group)
        step = max(len(members) / MOST_PEOPLE, 1.0)
        chosen[members[np.unique((np.arange(min(len(members), MOST_PEOPLE)) * step).astype(np.int64))]] = True
    return chosen
