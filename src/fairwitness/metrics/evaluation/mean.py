"""One number from several splits, with an interval that knows that splits share their rows."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from scipy.special import stdtrit

from fairwitness.stats import Estimate
from fairwitness.text import listing

#: What an interval is of, as the frames say it.
ROWS, SPLITS, RUNS = "rows", "splits", "runs"

#: Why an interval over splits has no width.
ALIKE = "the splits do not differ, so the interval has no width and says nothing"


def over_splits(
    found: Sequence[Estimate],
    ratios: Sequence[float | None],
    *,
    confidence: float,
    limits: tuple[float, float] = (-math.inf, math.inf),
) -> tuple[Estimate, str]:
    """Give the mean of a measure over splits or runs, and what its interval is of.

    Training parts of random splits overlap, so that results of J splits vary less between them than new data
    would let them. The variance of the mean is therefore taken as (1/J + n_test/n_train) s², with s² the
    variance over splits, and the interval from Student's t with J − 1 degrees of freedom (Nadeau and Bengio
    2003, "Inference for the generalization error"). It is approximate, and wide for few splits; what lies
    outside the measure's range is cut off. Where all splits give one value it has no width and says nothing,
    which the reason says.

    Where runs judged all rows (nothing was held out), their spread says nothing of new rows: the interval
    then reaches from the lowest to the highest of the runs' own.

    Parameters
    ----------
    found
        One estimate a split, with its own interval and n.
    ratios
        n_test / n_train of each split; ``None`` where nothing was held out.
    confidence
        Level of the interval.
    limits
        The smallest and the largest possible value.

    Returns
    -------
    Estimate, and ``"rows"``, ``"splits"`` or ``"runs"``.
    """
    known = [(each, ratio) for each, ratio in zip(found, ratios, strict=True) if math.isfinite(each.estimate)]
    if not known:
        reasons = list(dict.fromkeys(each.reason for each in found if each.reason))
        return Estimate(math.nan, n=_mean_n(found), reason=listing(reasons, most=3) or "no value"), ROWS
    lacking = len(found) - len(known)
    why = f"{lacking} of {len(found)} splits have no value" if lacking else ""
    if len(known) == 1:
        one = known[0][0]
        return Estimate(one.estimate, one.low, one.high, one.n, reason=why), ROWS
    values = np.array([each.estimate for each, _ in known])
    mean, n = float(values.mean()), _mean_n([each for each, _ in known])
    held = [ratio for _, ratio in known if ratio is not None]
    if len(held) < len(known):
        low = min(each.low for each, _ in known)
        high = max(each.high for each, _ in known)
        return Estimate(mean, low, high, n, reason=why), RUNS
    if values.min() == values.max():
        why = "; ".join(each for each in (why, ALIKE) if each)
        return Estimate(float(values[0]), float(values[0]), float(values[0]), n, reason=why), SPLITS
    spread = float(values.std(ddof=1)) * math.sqrt(1 / len(values) + sum(held) / len(held))
    half = float(stdtrit(len(values) - 1, 0.5 + confidence / 2)) * spread
    low, high = max(mean - half, limits[0]), min(mean + half, limits[1])
    return Estimate(mean, low, high, n, reason=why), SPLITS


def _mean_n(found: Sequence[Estimate]) -> int:
    return round(sum(each.n for each in found) / len(found)) if found else 0
