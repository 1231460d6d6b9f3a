"""The sources of :func:`measure`: each counted once, for a feature, a stratum or everyone."""

from __future__ import annotations

from collections.abc import Collection

import numpy as np

from fairwitness.metrics.counted.confusion import Confusion, count_labels
from fairwitness.metrics.counted.exact import residual_columns, score_columns, score_values
from fairwitness.metrics.counted.moments import OF_SUMS, sum_rows
from fairwitness.metrics.counted.scores import MOST_BINS, Histogram, histogram
from fairwitness.metrics.measured.comparing import parts_of
from fairwitness.metrics.measured.reading import Inputs
from fairwitness.metrics.measured.sources import OF_SCORES, CountSource, MomentSource, ScoreSource, Source
from fairwitness.rng import child
from fairwitness.table.groups import Groups
from fairwitness.typing import FloatArray, IntArray

#: Bins of all groups together.
_ALL_BINS = 2 * MOST_BINS


class Tables:
    """Counts, sums and histograms of one table, made when first asked for.

    Parameters
    ----------
    inputs
        The table.
    names
        All metrics that will be asked for, so that they are resampled together.
    several
        Whether labels are told apart beyond favourable or not.
    seed, n_resamples
        Of the resamples.
    """

    def __init__(
        self, inputs: Inputs, names: Collection[str], *, several: bool, seed: int, n_resamples: int
    ) -> None:
        self.inputs = inputs
        self.n_resamples = n_resamples
        self._names = frozenset(names)
        self._several = several
        self._seed = seed
        self._made: dict[tuple[str, str, int], Source] = {}
        self._counted: dict[str, Confusion] = {}

    def rng(self, *purpose: str | int) -> np.random.Generator:
        """Give the generator for one purpose."""
        return child(self._seed, "metrics", *purpose)

    def source(self, metric: str, groups: Groups | None, stratum: int = -1) -> Source:
        """Give the source of a metric's parts for a feature (``None``: everyone), in one stratum or all."""
        part = parts_of(metric)[0]
        kind = self._kind(part)
        name = "" if groups is None else groups.name
        key = (kind, name, stratum)
        if key not in self._made:
            codes = self.codes(groups, stratum)
            n_groups = 1 if groups is None else groups.n_groups
            rng = self.rng(kind, name, stratum)
            if kind == "counts":
                self._made[key] = self._counts(groups, stratum, rng)
            elif kind == "sums":
                self._made[key] = self._sums(codes, n_groups, rng)
            else:
                self._made[key] = self._scores(codes, n_groups, rng)
        return self._made[key]

    def codes(self, groups: Groups | None, stratum: int = -1) -> IntArray:
        """Give (n,) groups of the rows in a stratum, −1 elsewhere."""
        codes = np.zeros(self.inputs.n, dtype=np.int64) if groups is None else groups.codes
        if stratum < 0 or self.inputs.strata is None:
            return codes
        return np.where(self.inputs.strata.codes == stratum, codes, -1)

    def histogram(
        self, values: FloatArray, codes: IntArray, n_groups: int, *, split: bool = True
    ) -> Histogram:
        """Count scores a group, and ``split`` by outcome; fewer bins the more groups there are."""
        most = max(min(MOST_BINS, _ALL_BINS // n_groups), 32)
        good = self.inputs.good if split else None
        return histogram(
            values,
            codes,
            n_groups,
            good,
            self.inputs.weight,
            most=most,
            rows=self.inputs.rows,
            squares=self.inputs.squares,
        )

    def _kind(self, part: str) -> str:
        if part in OF_SCORES:
            return "scores"
        stated = self.inputs.benefit is not None
        if part in OF_SUMS and (part not in _ENTROPIES or stated):
            return "sums"
        if part in _WHOLE_ENTROPIES:
            return "sums" if stated else "counts"
        return "counts"

    def _counts(self, groups: Groups | None, stratum: int, rng: np.random.Generator) -> CountSource:
        """Count all strata of a feature at once."""
        strata = self.inputs.strata if stratum >= 0 else None
        key = f"{'' if groups is None else groups.name}\x1f{strata is not None}"
        n_groups = 1 if groups is None else groups.n_groups
        if key not in self._counted:
            predicted, true, size, favorable = self.inputs.labels(several=self._several)
            codes = self.codes(groups)
            cells = n_groups
            if strata is not None:
                outside = (codes < 0) | (strata.codes < 0)
                codes = np.where(outside, -1, strata.codes * n_groups + codes)
                cells = n_groups * strata.n_groups
            self._counted[key] = count_labels(
                predicted,
                codes,
                cells,
                true,
                n_labels=size,
                favorable=favorable,
                sample_weight=self.inputs.weight,
                rows=self.inputs.rows,
                squares=self.inputs.squares,
            )
        counted = self._counted[key]
        if strata is not None:
            part = slice(stratum * n_groups, (stratum + 1) * n_groups)
            counted = Confusion(
                counted.rows[part],
                counted.weight[part],
                counted.squares[part],
                counted.favorable,
                counted.has_outcome,
                counted.weighted,
            )
        return CountSource(counted, self._names, self.n_resamples, rng)

    def _sums(self, codes: IntArray, n_groups: int, rng: np.random.Generator) -> MomentSource:
        inputs = self.inputs
        columns: dict[str, FloatArray] = {}
        if inputs.task == "regression":
            outcome = inputs.prediction if inputs.y_true is None else inputs.outcome
            columns |= residual_columns(outcome, inputs.prediction)
        elif inputs.score is not None:
            columns["prediction"] = inputs.score
            if inputs.y_true is not None:
                columns |= score_columns(inputs.score, inputs.good)
        benefit = inputs.benefits
        if benefit is not None:
            from fairwitness.metrics.counted.entropy import powers

            columns |= {
                "benefit": benefit,
                "benefit²": benefit**2,
                "benefit ln benefit": powers(benefit, 1),
            }
        sums = sum_rows(columns, codes, n_groups, rng, sample_weight=inputs.weight)
        return MomentSource(
            sums,
            [name for name in self._names if name in OF_SUMS and _has(name, columns)],
            weighted=inputs.weight is not None,
            n_resamples=self.n_resamples,
            rng=rng,
        )

    def _scores(self, codes: IntArray, n_groups: int, rng: np.random.Generator) -> ScoreSource:
        inputs = self.inputs
        assert inputs.score is not None
        counted = self.histogram(inputs.score, codes, n_groups)
        everyone = np.where(codes >= 0, 0, -1)
        values = {
            name: np.append(
                score_values(name, inputs.score, inputs.good, codes, n_groups, inputs.weight),
                score_values(name, inputs.score, inputs.good, everyone, 1, inputs.weight),
            )
            for name in OF_SCORES
            if name in self._names
        }
        total = np.append(counted.weight.sum(axis=(1, 2)), counted.weight.sum())
        squares = np.append(counted.squares.sum(axis=(1, 2)), counted.squares.sum())
        with np.errstate(invalid="ignore", divide="ignore"):
            n = np.where(total > 0, total**2 / squares, 0.0)
        return ScoreSource(
            values, counted, n, weighted=inputs.weight is not None, n_resamples=self.n_resamples, rng=rng
        )


_ENTROPIES = frozenset(
    {"generalized_entropy_index", "theil_index", "coefficient_of_variation", "card_cv", "paper_cv"}
)
_WHOLE_ENTROPIES = frozenset({"between_group_entropy", "within_group_entropy"})


def _has(name: str, columns: Collection[str]) -> bool:
    """Say whether the columns that a metric is made of are there."""
    needed = {
        "rmse": "residual",
        "mae": "residual",
        "r2": "residual",
        "mean_residual": "residual",
        "mean_prediction": "prediction",
        "brier_score": "brier",
        "log_loss": "log loss",
    }
    return needed.get(name, "benefit") in columns
