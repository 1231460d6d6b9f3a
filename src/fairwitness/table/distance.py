r"""The one distance between people, used by every index, loss and report.

.. math:: d(a, b) = \sum_{j\ \text{numeric, integer, ordinal}} \frac{|a_j - b_j|}{s_j}
          + \sum_{j\ \text{categorical, boolean}} 1[a_j \ne b_j]

with a robust scale :math:`s_j` per column (the heterogeneous Manhattan form of Gower 1971 and of Wilson and
Martinez 1997). Missing is a value of its own: at distance 0 from missing and 1 from everything else. Without
missing numbers this is a metric; with them the triangle inequality can fail, because two far numbers are each
at distance 1 from missing (an index that prunes by triangles must treat those rows apart).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fairwitness.errors import DataError
from fairwitness.table.schema import Schema
from fairwitness.typing import BoolArray, FloatArray

#: Cells of one block of the distance matrix: small enough for the cache of one core.
_BLOCK = 65_536


@dataclass(frozen=True, slots=True, eq=False)
class MixedDistance:
    """Distance between rows of the encoded matrix; 0 means equal, an unlike category adds 1.

    Parameters
    ----------
    scales
        (d,) what one unit is in each column; 1 for categorical and boolean.
    scale_kinds
        What each scale is: ``"MAD"`` (median absolute deviation from the median), ``"IQR"`` (interquartile
        range), ``"standard deviation"``, ``"range"``, ``"constant"`` (1) or ``"0/1"`` (unlike counts 1).
    """

    scales: FloatArray
    scale_kinds: tuple[str, ...]

    @classmethod
    def fit(cls, matrix: FloatArray, schema: Schema) -> MixedDistance:
        """Measure the scales on an encoded table of shape (n, d).

        The first of MAD, IQR, standard deviation and range that is positive is used; a column without any
        spread gets 1.
        """
        matrix = np.asarray(matrix, dtype=np.float64)
        if matrix.ndim != 2 or matrix.shape[1] != len(schema):
            raise DataError(
                f"the matrix should have shape (n, {len(schema)})",
                got=str(matrix.shape),
                fix="pass rows as Encoder.encode gives them",
            )
        scales = np.ones(len(schema))
        kinds: list[str] = []
        for j, feature in enumerate(schema):
            if feature.kind in {"categorical", "boolean"}:
                kinds.append("0/1")
                continue
            scales[j], kind = _scale(matrix[:, j])
            kinds.append(kind)
        scales.setflags(write=False)
        return cls(scales, tuple(kinds))

    def pairwise(self, A: FloatArray, B: FloatArray) -> FloatArray:
        """Give all distances between the rows of ``A`` (a, d) and ``B`` (b, d) as (a, b).

        Equal to :meth:`rowwise` to the last bit.
        """
        A, B = self._checked(A), self._checked(B)
        out = np.zeros((len(A), len(B)))
        if not out.size:
            return out
        columns = _Columns(self, A, B)
        step = max(1, _BLOCK // len(B))
        with np.errstate(over="ignore"):  # further apart than a float can say: infinitely
            for at in range(0, len(A), step):
                columns.add(slice(at, at + step), out[at : at + step])
        return out

    def rowwise(self, A: FloatArray, B: FloatArray) -> FloatArray:
        """Give the distance of each row of ``A`` (n, d) to the same row of ``B`` (n, d) as (n,)."""
        A, B = self._checked(A), self._checked(B)
        out = np.zeros(np.broadcast_shapes(A.shape, B.shape)[0])
        unlike = np.zeros(len(out))
        for j in range(len(self.scales)):
            a, b = A[:, j], B[:, j]
            if self.scale_kinds[j] == "0/1":
                unlike += _unlike(a, b)
                continue
            with np.errstate(over="ignore"):
                step = np.abs(a - b) / self.scales[j]
            gaps = np.isnan(step)
            out += np.where(gaps, np.isnan(a) != np.isnan(b), step)
        return out + unlike

    def changed(self, A: FloatArray, B: FloatArray) -> BoolArray:
        """Say which values differ between each row of ``A`` and the same row of ``B``, as (n, d)."""
        return _unlike(self._checked(A), self._checked(B))

    def _checked(self, rows: FloatArray) -> FloatArray:
        rows = np.atleast_2d(np.asarray(rows, dtype=np.float64))
        if rows.ndim != 2 or rows.shape[1] != len(self.scales):
            raise DataError(
                f"rows should have {len(self.scales)} columns",
                got=str(rows.shape),
                fix="pass rows as Encoder.encode gives them",
            )
        return rows


class _Columns:
    """Two sets of rows laid out by column, so that a block of distances is a few passes over memory."""

    def __init__(self, distance: MixedDistance, A: FloatArray, B: FloatArray) -> None:
        coded = np.array([kind == "0/1" for kind in distance.scale_kinds], dtype=bool)
        self._amounts = []
        for j in np.flatnonzero(~coded):
            a, b = np.ascontiguousarray(A[:, j]), np.ascontiguousarray(B[:, j])
            self._amounts.append((a, b, distance.scales[j], bool(np.isnan(a).any() or np.isnan(b).any())))
        self._codes = [_small_codes(A[:, j], B[:, j]) for j in np.flatnonzero(coded)]

    def add(self, rows: slice, out: FloatArray) -> None:
        step = np.empty_like(out)
        for a, b, scale, has_gaps in self._amounts:
            np.subtract.outer(a[rows], b, out=step)
            np.abs(step, out=step)
            np.divide(step, scale, out=step)
            if has_gaps:
                gaps = np.isnan(step)
                step[gaps] = np.not_equal.outer(np.isnan(a[rows]), np.isnan(b))[gaps]
            np.add(out, step, out=out)
        if not self._codes:
            return
        unlike = np.zeros(out.shape, dtype=np.uint8 if len(self._codes) < 256 else np.int64)
        differs = np.empty(out.shape, dtype=np.bool_)
        for a, b in self._codes:
            np.not_equal.outer(a[rows], b, out=differs)
            np.add(unlike, differs.view(np.uint8), out=unlike)
        np.add(out, unlike, out=out)


def _small_codes(a: FloatArray, b: FloatArray) -> tuple[NDArray[Any], NDArray[Any]]:
    """Number the values of both columns together in the smallest integer type; NaN is one value."""
    both = np.unique(np.concatenate([a, b]), return_inverse=True, equal_nan=True)[1]
    small = both.astype(np.min_scalar_type(int(both.max(initial=0))))
    return small[: len(a)], small[len(a) :]


def _unlike(a: FloatArray, b: FloatArray) -> BoolArray:
    out: BoolArray = (a != b) & ~(np.isnan(a) & np.isnan(b))
    return out


def _scale(values: FloatArray) -> tuple[float, str]:
    present = values[~np.isnan(values)]
    if len(present):
        # differences of huge values may overflow to infinity, which is no scale
        with np.errstate(over="ignore", invalid="ignore"):
            low, middle, high = np.percentile(present, [25, 50, 75])
            for scale, kind in (
                (np.median(np.abs(present - middle)), "MAD"),
                (high - low, "IQR"),
                (np.std(present), "standard deviation"),
                (np.ptp(present), "range"),
            ):
                if np.isfinite(scale) and scale > 0:
                    return float(scale), kind
    return 1.0, "constant"
