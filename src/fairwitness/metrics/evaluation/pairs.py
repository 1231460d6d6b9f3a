"""Two models on the same rows: how much closer one accepts two groups, and what that costs in accuracy."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from fairwitness.stats import Estimate
from fairwitness.typing import BoolArray, FloatArray

N_RESAMPLES = 2000
_NEITHER, _GROUP, _REFERENCE = 0, 1, 2


@dataclass(frozen=True, slots=True)
class Beside:
    """A model beside the audited one.

    Attributes
    ----------
    closer
        abs(difference in acceptance rates) of the audited model less that of the other: above 0 the other
        model's rates are closer to each other. In [−1, 1].
    gain
        Balanced accuracy of the other model less that of the audited one, over all rows. In [−1, 1].
    """

    closer: Estimate
    gain: Estimate


def beside(
    y: BoolArray,
    own: BoolArray,
    other: BoolArray,
    group: BoolArray,
    reference: BoolArray,
    *,
    confidence: float,
    seed: int,
) -> Beside | None:
    """Compare two models' decisions on the same n rows, with paired percentile intervals.

    Rows are resampled together for both models: what is easy for one is easy for the other, so that the
    interval of the difference is narrower than the models' own intervals let expect. All that counts about a
    row is in which of 24 cells (group, outcome, both decisions) it is, so counts are drawn from a
    multinomial, which is the bootstrap of the rows.

    Parameters
    ----------
    y, own, other
        (n,) whether the outcome is the favourable one, and whether each model accepts.
    group, reference
        (n,) who is compared with whom; disjoint.
    confidence
        Level of the intervals.
    seed
        Of the resamples.

    Returns
    -------
    Beside, or ``None`` where a group is empty or the outcomes have one class.
    """
    where = np.where(group, _GROUP, np.where(reference, _REFERENCE, _NEITHER))
    cell = ((where * 2 + y) * 2 + own) * 2 + other
    counts = np.bincount(cell.astype(np.int64), minlength=24).astype(np.float64)
    if not group.any() or not reference.any() or y.all() or not y.any():
        return None
    drawn = np.random.default_rng(seed).multinomial(len(y), counts / counts.sum(), size=N_RESAMPLES)
    tail = (1 - confidence) / 2
    closer, gain = _compare(counts[None])
    many = _compare(drawn.astype(np.float64))
    n = int(group.sum() + reference.sum())
    ends = [np.nanquantile(values, (tail, 1 - tail)) for values in many]
    return Beside(
        closer=Estimate(float(closer[0]), float(ends[0][0]), float(ends[0][1]), n),
        gain=Estimate(float(gain[0]), float(ends[1][0]), float(ends[1][1]), len(y)),
    )


def _compare(counts: FloatArray) -> tuple[FloatArray, FloatArray]:
    """(R, 24) counts → (R,) how much closer, and (R,) how much more accurate; NaN where a group is empty."""
    cube = counts.reshape(-1, 3, 2, 2, 2)  # resample, group, outcome, own decision, other decision
    with np.errstate(invalid="ignore", divide="ignore"):
        people = cube.sum(axis=(2, 3, 4))
        own = cube[:, :, :, 1, :].sum(axis=(2, 3)) / people
        other = cube[:, :, :, :, 1].sum(axis=(2, 3)) / people
        apart = [np.abs(rate[:, _GROUP] - rate[:, _REFERENCE]) for rate in (own, other)]
        outcome = cube.sum(axis=(1, 3, 4))
        right_own = np.stack([cube[:, :, 0, 0, :].sum(axis=(1, 2)), cube[:, :, 1, 1, :].sum(axis=(1, 2))], 1)
        right_other = np.stack(
            [cube[:, :, 0, :, 0].sum(axis=(1, 2)), cube[:, :, 1, :, 1].sum(axis=(1, 2))], 1
        )
        accuracy = [(right / outcome).mean(axis=1) for right in (right_own, right_other)]
    return apart[0] - apart[1], accuracy[1] - accuracy[0]
