"""What LUCID found: where samples started, where they ended, and how sure the module is of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from fairwitness.arguments import shown
from fairwitness.errors import UnknownNameError
from fairwitness.table.frames import Container
from fairwitness.text import listing, number, plain
from fairwitness.typing import BoolArray, Document, FloatArray, IntArray, NativeFrame

if TYPE_CHECKING:
    from matplotlib.axes import Axes

#: Ranges in which a number's distribution is drawn.
RANGES = 6


@dataclass(frozen=True, slots=True)
class LucidShift:
    """How one input, or one level, changed from the start to the end.

    Attributes
    ----------
    feature
        Column.
    level
        Level of a one-hot column; empty for a number.
    start, end
        Mean of the number, or share of the level (0 to 1), at the start and at the end.
    shift
        ``end - start``, for numbers in units of their range: from -1 to 1, 0 is no change.
    """

    feature: str
    level: str
    start: float
    end: float
    shift: float


@dataclass(frozen=True, slots=True)
class LucidShare:
    """How frequent one level, or one range of a number, was at the start and at the end.

    Attributes
    ----------
    feature
        Column.
    label
        The level of a one-hot column, or the range of a number.
    start, end
        Share of the samples, 0 to 1.
    """

    feature: str
    label: str
    start: float
    end: float


@dataclass(frozen=True, slots=True, eq=False)
class LucidSet:
    """Inputs that a module is sure of.

    Attributes
    ----------
    names
        The module's inputs.
    matrix, start
        (n, d) the inputs, and where they started.
    scores
        (n,) the module's probability of the favourable outcome, at the end.
    reached
        (n,) whether the module is as sure of the wanted outcome as was asked for.
    steps
        (n,) steps that were taken.
    history
        Mean probability over all samples after every step, the start first.
    positive
        Whether the favourable outcome was wanted.
    blocks
        One-hot column → positions of its inputs.
    container
        Kind of table that was fitted.
    """

    names: tuple[str, ...]
    matrix: FloatArray
    start: FloatArray
    scores: FloatArray
    reached: BoolArray
    steps: IntArray
    history: FloatArray
    positive: bool
    blocks: Mapping[str, tuple[int, ...]]
    container: Container

    def __len__(self) -> int:
        return len(self.scores)

    def __repr__(self) -> str:
        return (
            f"<LucidSet: {len(self):,} inputs for the {self._wanted} outcome; "
            f"the module is sure of {number(float(self.reached.mean()), 3)} of them after "
            f"{len(self.history) - 1} steps>"
        )

    @property
    def frame(self) -> NativeFrame:
        """The inputs, in the kind of table that was fitted."""
        return self._table({name: self.matrix[:, at] for at, name in enumerate(self.names)})

    def to_frame(self) -> NativeFrame:
        """Give the samples with one column for each one-hot one, the probability, and the steps taken."""
        inside = {at for block in self.blocks.values() for at in block}
        columns: dict[str, np.ndarray] = {
            name: self.matrix[:, at] for at, name in enumerate(self.names) if at not in inside
        }
        for name, block in self.blocks.items():
            levels = np.array([self.names[at] for at in block], dtype=object)
            columns[name] = levels[self.matrix[:, block].argmax(axis=1)]
        return self._table({**columns, "score": self.scores, "reached": self.reached, "steps": self.steps})

    def shifts(self) -> tuple[LucidShift, ...]:
        """Give how every number and every level changed, the largest change first."""
        owner = {at: name for name, block in self.blocks.items() for at in block}
        low = np.minimum(self.matrix.min(axis=0), self.start.min(axis=0))
        high = np.maximum(self.matrix.max(axis=0), self.start.max(axis=0))
        found = []
        for at, name in enumerate(self.names):
            first, last = float(self.start[:, at].mean()), float(self.matrix[:, at].mean())
            unit = 1.0 if at in owner else float(high[at] - low[at]) or 1.0
            level = name if at in owner else ""
            found.append(LucidShift(owner.get(at, name), level, first, last, (last - first) / unit))
        return tuple(sorted(found, key=lambda each: -abs(each.shift)))

    def distributions(self, features: Sequence[str] | None = None) -> tuple[LucidShare, ...]:
        """Give how frequent every level, and every range of a number, was at the start and at the end.

        Parameters
        ----------
        features
            Columns, by the names of the one-hot ones or of the numbers; all by default.

        Raises
        ------
        UnknownNameError
            If there is no such column.
        """
        inside = {at for block in self.blocks.values() for at in block}
        numbers = {name: at for at, name in enumerate(self.names) if at not in inside}
        found: list[LucidShare] = []
        for feature in (*self.blocks, *numbers) if features is None else features:
            if feature in self.blocks:
                found += [
                    LucidShare(feature, self._level(feature, at), *map(float, means))
                    for at in self.blocks[feature]
                    for means in [(self.start[:, at].mean(), self.matrix[:, at].mean())]
                ]
            elif feature in numbers:
                found += _ranges(feature, self.start[:, numbers[feature]], self.matrix[:, numbers[feature]])
            else:
                raise UnknownNameError(
                    "there is no such column among the module's inputs",
                    got=shown(feature),
                    fix=f"use some of {listing([plain(name) for name in (*self.blocks, *numbers)])}",
                )
        return tuple(found)

    def to_dict(self) -> Document:
        """Give what was found as plain values: shares, means, and how sure the module is."""
        return {
            "n": len(self),
            "positive": self.positive,
            "reached": float(self.reached.mean()),
            "mean_score": float(self.scores.mean()),
            "steps": len(self.history) - 1,
            "history": self.history.tolist(),
            "shifts": [
                {name: getattr(each, name) for name in LucidShift.__slots__} for each in self.shifts()
            ],
        }

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw the changes from the start to the end, the largest on top."""
        from fairwitness.drawing import Bar, figure, ranked_bars

        bars = [Bar(plain(each.level or each.feature), each.shift) for each in self.shifts()]
        if ax is None:
            _, ax = figure(640.0, 76 + 34 * min(len(bars), 20))
        return ranked_bars(
            ax,
            bars,
            title=f"What the module prefers for the {self._wanted} outcome",
            xlabel="change from the start: share of the level, or mean in units of the range",
        )

    def plot_distributions(self, ax: Axes | None = None, *, features: Sequence[str] | None = None) -> Axes:
        """Draw every column's distribution at the end beside that at the start (Figure 5).

        Parameters
        ----------
        ax
            The only axes of a figure; a new figure of the right size if absent.
        features
            Columns to draw, as in :meth:`distributions`.
        """
        from fairwitness.drawing import LevelBars, Profile, figure, profiles, profiles_height

        bars: dict[str, list[LevelBars]] = {}
        for each in self.distributions(features):
            bars.setdefault(each.feature, []).append(LevelBars(each.label, (each.end, each.start)))
        columns = [Profile(feature, levels) for feature, levels in bars.items()]
        if ax is None:
            _, ax = figure(640.0, profiles_height(columns))
        return profiles(
            ax,
            columns,
            sets=(f"moved towards the {self._wanted} outcome", "where they started"),
            xlabel=f"share of {len(self):,} samples; the module is sure of {self.reached.mean():.0%} of them",
        )

    @property
    def _wanted(self) -> str:
        return "favourable" if self.positive else "other"

    def _level(self, feature: str, at: int) -> str:
        """Name a level as encoders do not: without the column in front."""
        name = self.names[at]
        start = next((f"{feature}{mark}" for mark in "_=+ " if name.startswith(f"{feature}{mark}")), "")
        return name.removeprefix(start)

    def _table(self, columns: Mapping[str, np.ndarray]) -> NativeFrame:
        if self.container == "pandas":
            import pandas as pd

            return pd.DataFrame(dict(columns))
        import narwhals as nw

        return nw.from_dict(
            {name: values.tolist() for name, values in columns.items()}, backend=self.container
        ).to_native()


def _ranges(feature: str, start: FloatArray, end: FloatArray) -> list[LucidShare]:
    """Give the shares of (at most) six ranges of a number, equally wide."""
    both = np.concatenate([start, end])
    low, high = float(both.min()), float(both.max())
    if low == high:
        return [LucidShare(feature, number(low), 1.0, 1.0)]
    edges = np.linspace(low, high, RANGES + 1)
    labels = [f"{number(float(a))} to {number(float(b))}" for a, b in pairwise(edges)]
    if np.array_equal(both, np.round(both)):
        edges = np.unique(np.round(edges))
        last = [*edges[1:-1] - 1, high]
        labels = [
            f"{a:.0f}" if a == b else f"{a:.0f} to {b:.0f}" for a, b in zip(edges[:-1], last, strict=True)
        ]
    code = [
        np.clip(np.searchsorted(edges, each, side="right") - 1, 0, len(edges) - 2) for each in (start, end)
    ]
    share = [np.bincount(each, minlength=len(edges) - 1) / len(each) for each in code]
    return [
        LucidShare(feature, label, float(first), float(last))
        for label, first, last in zip(labels, *share, strict=True)
    ]
