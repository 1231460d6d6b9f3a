"""Where values come from: counts, sums or histograms, each with its estimate, its n and its resamples.

A source holds the groups of one feature and, last, everyone. Resamples are made when first asked for, once
for all metrics of a source, so that what is compared is resampled together.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Mapping
from functools import cached_property

import numpy as np

from fairwitness.metrics.counted import confusion, entropy, scores
from fairwitness.metrics.counted.confusion import RATE_CELLS, Confusion, Shares
from fairwitness.metrics.counted.moments import OF_SUMS, Moments
from fairwitness.typing import FloatArray, IntArray

#: Metric → function of (..., K, K) cells, and of (..., 2, 2) cells.
OF_LABELS: Mapping[str, Callable[[FloatArray], FloatArray]] = {
    "accuracy": confusion.accuracy,
    "balanced_accuracy": confusion.balanced_accuracy,
    "mcc": confusion.mcc,
}
OF_DECISIONS: Mapping[str, Callable[[FloatArray], FloatArray]] = {
    **{name: confusion.share_of(name) for name in RATE_CELLS},
    "f1": confusion.f1,
    "generalized_entropy_index": lambda cells: entropy.entropy_of_cells(cells, 2),
    "theil_index": lambda cells: entropy.entropy_of_cells(cells, 1),
    "coefficient_of_variation": lambda cells: np.sqrt(2 * entropy.entropy_of_cells(cells, 2)),
    "card_cv": lambda cells: entropy.entropy_of_cells(cells, 2),
    "paper_cv": lambda cells: 2 * np.sqrt(entropy.entropy_of_cells(cells, 2)),
}
OF_SCORES = ("roc_auc", "average_precision", "calibration_error")


class Source(ABC):
    """Values of some metrics for G groups and, at position G, everyone.

    Attributes
    ----------
    rows
        (G + 1,) numbers of rows.
    weighted
        Whether rows have weights.
    """

    rows: IntArray
    weighted: bool

    def __init__(self, n_resamples: int, rng: np.random.Generator) -> None:
        self._n_resamples = n_resamples
        self._rng = rng

    @abstractmethod
    def value(self, name: str) -> FloatArray:
        """Give (G + 1,) values; NaN where undefined."""

    @abstractmethod
    def n(self, name: str) -> FloatArray:
        """Give (G + 1,) effective numbers of rows behind the values."""

    def shares(self, name: str) -> Shares | None:
        """Give the shares of rows that the values are, if they are any."""
        return None

    def samples(self, name: str) -> FloatArray:
        """Give (B, G + 1) resampled values."""
        return self._samples[name]

    @cached_property
    @abstractmethod
    def _samples(self) -> dict[str, FloatArray]: ...


class CountSource(Source):
    """Values that are functions of the tensor of counts."""

    def __init__(
        self, counted: Confusion, names: Collection[str], n_resamples: int, rng: np.random.Generator
    ) -> None:
        super().__init__(n_resamples, rng)
        self._counted = counted
        self._whole = counted.with_overall()
        self._names = [name for name in (*OF_LABELS, *OF_DECISIONS) if name in names]
        self._favorable = counted.favorable
        self.rows = self._whole.rows.sum(axis=(-2, -1))
        self.weighted = counted.weighted

    @property
    def marginals(self) -> FloatArray:
        """(G + 1, K) weight of each predicted label."""
        return np.asarray(self._whole.weight.sum(axis=-2))

    @property
    def cells(self) -> FloatArray:
        """(G + 1, 2, 2) weights of other and favourable labels."""
        return np.asarray(self._whole.binary().weight)

    def value(self, name: str) -> FloatArray:
        """Give (G + 1,) values; NaN where undefined."""
        return self._of(name, self._whole.weight)

    def n(self, name: str) -> FloatArray:
        """Give (G + 1,) effective numbers of rows, those of a rate's denominator."""
        return self._whole.shares(name if name in RATE_CELLS else "accuracy").n

    def shares(self, name: str) -> Shares | None:
        """Give the shares of rows that the values are, if they are any."""
        return self._whole.shares(name) if name in RATE_CELLS or name == "accuracy" else None

    @property
    def two_labels(self) -> bool:
        """Whether labels are only favourable or not."""
        return bool(self._whole.rows.shape[-1] == 2)

    def counted_shares(self, name: str) -> Shares:
        """Give any rate's shares, asked for or not."""
        return self._whole.shares(name)

    def resampled_cells(self) -> FloatArray:
        """Give (B, G + 1, 2, 2) resampled weights of other and favourable labels."""
        return self._samples["cells"]

    def resampled_marginals(self) -> FloatArray:
        """Give (B, G + 1, K) resampled weights of the predicted labels."""
        return self._samples["marginals"]

    @cached_property
    def _samples(self) -> dict[str, FloatArray]:
        found: dict[str, list[FloatArray]] = {name: [] for name in (*self._names, "cells", "marginals")}
        for drawn in self._counted.resample(self._n_resamples, self._rng):
            whole = np.concatenate([drawn, drawn.sum(axis=1, keepdims=True)], axis=1)
            found["cells"].append(confusion.two_labels(whole, self._favorable))
            found["marginals"].append(whole.sum(axis=-2))
            for name in self._names:
                found[name].append(self._of(name, whole))
        return {name: np.concatenate(parts) for name, parts in found.items()}

    def _of(self, name: str, cells: FloatArray) -> FloatArray:
        if name in OF_LABELS:
            return OF_LABELS[name](cells)
        return OF_DECISIONS[name](confusion.two_labels(cells, self._favorable))


class MomentSource(Source):
    """Values that are functions of sums over rows."""

    def __init__(
        self,
        moments: Moments,
        names: Collection[str],
        *,
        weighted: bool,
        n_resamples: int,
        rng: np.random.Generator,
    ) -> None:
        super().__init__(n_resamples, rng)
        self._moments = moments
        self._names = [name for name in OF_SUMS if name in names]
        self.rows = np.append(moments.rows, moments.rows.sum())
        self.weighted = weighted

    @cached_property
    def sums(self) -> dict[str, FloatArray]:
        """(G + 1,) sums by name."""
        return self._moments.sums()

    def value(self, name: str) -> FloatArray:
        """Give (G + 1,) values; NaN where undefined."""
        return OF_SUMS[name](self.sums)

    def n(self, name: str) -> FloatArray:
        """Give (G + 1,) effective numbers of rows."""
        return self._moments.n

    def resampled_sums(self) -> dict[str, FloatArray]:
        """Give (B, G + 1) resampled sums by name."""
        return self._drawn

    @cached_property
    def _drawn(self) -> dict[str, FloatArray]:
        return self._moments.resampled(self._n_resamples, self._rng)

    @cached_property
    def _samples(self) -> dict[str, FloatArray]:
        return {name: OF_SUMS[name](self._drawn) for name in self._names}


class ScoreSource(Source):
    """Values that depend on the order of scores: exact, and resampled on a histogram."""

    def __init__(
        self,
        values: Mapping[str, FloatArray],
        counted: scores.Histogram,
        n: FloatArray,
        *,
        weighted: bool,
        n_resamples: int,
        rng: np.random.Generator,
    ) -> None:
        super().__init__(n_resamples, rng)
        self._values = values
        self._counted = counted
        self._n = n
        rows = counted.rows.sum(axis=(1, 2))
        self.rows = np.append(rows, rows.sum())
        self.weighted = weighted

    def value(self, name: str) -> FloatArray:
        """Give (G + 1,) values; NaN where undefined."""
        return self._values[name]

    def n(self, name: str) -> FloatArray:
        """Give (G + 1,) effective numbers of rows."""
        return self._n

    @cached_property
    def _samples(self) -> dict[str, FloatArray]:
        found: dict[str, list[FloatArray]] = {name: [] for name in self._values}
        for drawn in scores.resampled(self._counted, self._n_resamples, self._rng, weighted=self.weighted):
            whole = np.concatenate([drawn, drawn.sum(axis=1, keepdims=True)], axis=1)
            for name, parts in found.items():
                parts.append(scores.of_histogram(name, whole, self._counted.values))
        return {name: np.concatenate(parts) for name, parts in found.items()}
