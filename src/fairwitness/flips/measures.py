"""CFlips and nDCCF: how often, and how early in the ranking, the inferred group changes.

Both read one matrix of flips: a row a person, a column a rank (nearest first), 1 where the counterfactual
at that rank is inferred to belong to another group than the person, 0 where not, NaN where fewer
counterfactuals were found than asked for. Every k comes from one cumulative sum.

Source: Cornacchia et al., *Counterfactual Fair Opportunity* (2023), equations 3 and 7-9.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, TypeAlias, get_args

import numpy as np
from numpy.typing import ArrayLike

from fairwitness.arguments import number_array, shown
from fairwitness.errors import ConfigError, DataError
from fairwitness.typing import FloatArray, IntArray

Convention: TypeAlias = Literal["equations", "published"]
Shortfall: TypeAlias = Literal["available", "ideal_k", "drop"]


def cflips(
    flips: ArrayLike, k: int | Sequence[int] | None = None, *, shortfall: Shortfall = "available"
) -> FloatArray:
    """Share of a person's first k counterfactuals whose inferred group is not the person's (eq. 3).

    Parameters
    ----------
    flips
        (q, k_max) of 0, 1 and trailing NaN; see the module.
    k
        A rank from 1 to k_max, or several; default k_max.
    shortfall
        What to do with a person who has n < k counterfactuals.

        * ``"available"``: divide by min(k, n).
        * ``"ideal_k"``: divide by k, as equation 3 prints it. The ranks that are missing then count as
          "no flip", which makes the value smaller; in :func:`ndccf` the same choice counts them as lost,
          which makes that value smaller as well.
        * ``"drop"``: NaN.

        A person without any counterfactual is NaN always.

    Returns
    -------
    (q,) for one k, (q, len(k)) for several
        In [0, 1]. 0: no counterfactual changes the inferred group. Compare groups: the same value in
        each is what the definition calls counterfactual fair opportunity.

    Raises
    ------
    ConfigError
        If k or ``shortfall`` makes no sense.
    DataError
        If ``flips`` holds anything but 0, 1 and trailing NaN.

    Examples
    --------
    Two people with four and two counterfactuals, nearest first:

    >>> import numpy as np
    >>> from fairwitness.flips import cflips
    >>> flips = [[0, 1, 1, 1], [1, 0, np.nan, np.nan]]
    >>> cflips(flips)
    array([0.75, 0.5 ])
    >>> cflips(flips, 1)
    array([0., 1.])
    """
    return _at(cflips_curve(flips, shortfall=shortfall), k)


def ndccf(
    flips: ArrayLike,
    k: int | Sequence[int] | None = None,
    *,
    convention: Convention = "equations",
    shortfall: Shortfall = "available",
) -> FloatArray:
    """Rank-discounted share of counterfactuals that keep the inferred group (eq. 7-9).

    A counterfactual at rank j that does not flip earns ``1 / log2(j + 1)``; the sum over the first k is
    divided by what no flip at all would earn.

    Parameters
    ----------
    flips
        (q, k_max) of 0, 1 and trailing NaN; see the module.
    k
        A rank from 1 to k_max, or several; default k_max.
    convention
        ``"equations"`` credits ranks 1 to min(k, n). ``"published"`` reproduces the paper's tables, whose
        numerator stops one rank early for a person's last counterfactual: ranks 1 to min(k, n - 1) over
        ranks 1 to min(k, n). Its ceiling at k = n = 100 is 0.9928, not 1.
    shortfall
        What to do with a person who has n < k counterfactuals. ``"available"``: the ideal sum runs over
        min(k, n) ranks; ``"ideal_k"``: over all k ranks, so that missing ranks count as lost; ``"drop"``:
        NaN. A person without any counterfactual is NaN always.

    Returns
    -------
    (q,) for one k, (q, len(k)) for several
        In [0, 1]. 1: no counterfactual changes the inferred group.

    Raises
    ------
    ConfigError
        If k, ``convention`` or ``shortfall`` makes no sense.
    DataError
        If ``flips`` holds anything but 0, 1 and trailing NaN.

    Examples
    --------
    A flip at the first rank costs more than one at the last:

    >>> from fairwitness.flips import ndccf
    >>> ndccf([[1, 0, 0], [0, 0, 1]]).round(3)
    array([0.531, 0.765])

    Nothing flips, in the paper's counting:

    >>> ndccf([[0] * 100], convention="published").round(4)
    array([0.9928])
    """
    return _at(ndccf_curve(flips, convention=convention, shortfall=shortfall), k)


def cflips_curve(flips: ArrayLike, *, shortfall: Shortfall = "available") -> FloatArray:
    """Give :func:`cflips` at every k from 1 to k_max, (q, k_max), in one pass.

    ``flips``, ``shortfall`` and errors are as in :func:`cflips`.
    """
    matrix, found = _checked(flips)
    ranks = np.arange(1, matrix.shape[1] + 1)
    total = np.cumsum(np.where(np.isnan(matrix), 0.0, matrix), axis=1)
    divisor = np.broadcast_to(ranks, matrix.shape).astype(np.float64)
    return _over(total, divisor, np.minimum(divisor, found[:, None]), found, shortfall)


def ndccf_curve(
    flips: ArrayLike, *, convention: Convention = "equations", shortfall: Shortfall = "available"
) -> FloatArray:
    """Give :func:`ndccf` at every k from 1 to k_max, (q, k_max), in one pass.

    ``flips``, ``convention``, ``shortfall`` and errors are as in :func:`ndccf`.
    """
    _check_choice("convention", convention, get_args(Convention))
    matrix, found = _checked(flips)
    ranks = np.arange(1, matrix.shape[1] + 1)
    discount = 1 / np.log2(ranks + 1)
    # For a binary flip, 2^(1 - flip) - 1 is 1 - flip.
    credit = np.where(np.isnan(matrix), 0.0, (1 - matrix) * discount)
    if convention == "published":
        credit[ranks == found[:, None]] = 0.0
    ideal = np.cumsum(discount)
    last = np.clip(np.minimum(ranks, found[:, None]), 1, None)
    return _over(
        np.cumsum(credit, axis=1),
        np.broadcast_to(ideal, matrix.shape),
        ideal[last - 1],
        found,
        shortfall,
    )


def check_ks(k: int | Sequence[int] | None, k_max: int) -> tuple[int, ...]:
    """Give the ranks asked for, checked; ``None`` is ``k_max``.

    Raises
    ------
    ConfigError
        If one is not an integer from 1 to ``k_max``, or none is asked for.
    """
    if k is None:
        asked: tuple[object, ...] = (k_max,)
    elif isinstance(k, Sequence | np.ndarray) and not isinstance(k, str):
        asked = tuple(k)
    else:
        asked = (k,)
    for value in asked or (None,):
        if isinstance(value, bool) or not isinstance(value, int | np.integer) or not 1 <= value <= k_max:
            raise ConfigError(
                f"k must be an integer from 1 to {k_max}, the number of counterfactuals asked for",
                got=shown(value),
                fix="pass such a k, or generate more counterfactuals",
            )
    return tuple(int(value) for value in asked)  # type: ignore[call-overload]


def _at(curve: FloatArray, k: int | Sequence[int] | None) -> FloatArray:
    columns = np.asarray(check_ks(k, curve.shape[1])) - 1
    one = k is None or np.ndim(k) == 0
    return np.asarray(curve[:, columns[0]] if one else curve[:, columns])


def _over(
    total: FloatArray,
    whole: FloatArray,
    available: FloatArray,
    found: IntArray,
    shortfall: Shortfall,
) -> FloatArray:
    """Divide a running total by what the shortfall rule says; NaN where nothing was found."""
    _check_choice("shortfall", shortfall, get_args(Shortfall))
    out = np.full(total.shape, np.nan)
    some = np.broadcast_to(found[:, None] > 0, total.shape)
    if shortfall == "drop":
        some = some & (np.arange(1, total.shape[1] + 1) <= found[:, None])
    np.divide(total, available if shortfall == "available" else whole, out=out, where=some)
    return out


def _checked(flips: ArrayLike) -> tuple[FloatArray, IntArray]:
    matrix = number_array(flips, "flips", fix="pass 1 where the inferred group changes, 0 where not")
    if matrix.ndim != 2:
        raise DataError(
            "flips must be a matrix: a row a person, a column a rank",
            got=f"shape {matrix.shape}",
            fix="pass an array of shape (people, ranks)",
        )
    missing = np.isnan(matrix)
    if not (missing | (matrix == 0) | (matrix == 1)).all():
        raise DataError(
            "flips must hold 0, 1 and NaN only",
            got=float(matrix[~(missing | (matrix == 0) | (matrix == 1))][0]),
            fix="pass 1 where the inferred group differs from the person's, 0 where not",
        )
    if (missing[:, :-1] & ~missing[:, 1:]).any():
        raise DataError(
            "flips has a NaN before a value: a rank without counterfactual followed by one with",
            got=f"row {int(np.argmax((missing[:, :-1] & ~missing[:, 1:]).any(axis=1)))}",
            fix="number the ranks of each person from 1 without gaps",
        )
    return matrix, (~missing).sum(axis=1)


def _check_choice(name: str, value: object, allowed: tuple[str, ...]) -> None:
    if value not in allowed:
        raise ConfigError(
            f"{name} must be one of {', '.join(allowed)}", got=shown(value), fix="pass one of these"
        )
