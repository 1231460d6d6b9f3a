"""How far the groups' distributions are apart, as single numbers and as a table of all pairs."""

from __future__ import annotations

import math
import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, get_args

import narwhals as nw
import numpy as np

from fairwitness.arguments import real_number, whole_number
from fairwitness.errors import ConfigError, DataError, FairwitnessWarning
from fairwitness.metrics.counted.confusion import check_weights
from fairwitness.metrics.counted.exact import numbers
from fairwitness.metrics.counted.inputs import check_rows, coded_labels, one_feature, weights
from fairwitness.metrics.counted.sums import group_sums
from fairwitness.rng import child, seed_from
from fairwitness.stats.bandwidth import median_bandwidth
from fairwitness.stats.characteristic import CharacteristicSums
from fairwitness.stats.divergences import jensen_shannon, total_variation
from fairwitness.stats.intervals import Estimate
from fairwitness.stats.permuted import mmd_permutation_p
from fairwitness.stats.wasserstein import wasserstein_matrix
from fairwitness.table.frames import column_labels
from fairwitness.table.groups import Groups
from fairwitness.text import listing, number, plain
from fairwitness.typing import Document, FloatArray, MissingPolicy

if TYPE_CHECKING:
    import pandas as pd

Aggregate = Literal["max", "whole"]
Distance = Literal["wasserstein", "mmd", "mmd2_unbiased", "total_variation", "jensen_shannon"]
#: Bandwidth of the paper's code.
PAPER_SIGMA = 0.5


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Distances:
    """Distances between the groups of one sensitive feature.

    Attributes
    ----------
    name
        The sensitive feature.
    distance
        What was measured.
    labels
        The groups.
    between
        (G, G) distance of every pair; NaN where a group is empty.
    from_whole
        (G,) distance of each group from all groups together.
    share
        (G,) share of each group.
    bandwidth
        σ of the kernel of an MMD; NaN otherwise.
    """

    name: str
    distance: str
    labels: tuple[str, ...]
    between: FloatArray
    from_whole: FloatArray
    share: FloatArray
    bandwidth: float = math.nan

    @property
    def max(self) -> float:
        """The largest distance of two groups; NaN where a group is empty."""
        return float(self.between.max()) if len(self.between) else math.nan

    @property
    def to_whole(self) -> float:
        """Σ_g π_g d(P_g, P): how far a group is from all groups together, on average over people."""
        return float(self.share @ self.from_whole)

    def to_frame(self) -> pd.DataFrame:
        """Give the pairwise distances as a frame with the groups as rows and columns."""
        import pandas as pd

        return pd.DataFrame(self.between, index=list(self.labels), columns=list(self.labels))

    def to_dict(self) -> Document:
        """Give plain values, for JSON: NaN is null."""

        def plainly(values: Any) -> Any:
            if isinstance(values, np.ndarray):
                return [plainly(value) for value in values.tolist()]
            if isinstance(values, list):
                return [plainly(value) for value in values]
            return values if math.isfinite(values) else None

        return {
            "name": self.name,
            "distance": self.distance,
            "labels": list(self.labels),
            "between": plainly(self.between),
            "from_whole": plainly(self.from_whole),
            "share": plainly(self.share),
            "max": plainly(self.max),
            "to_whole": plainly(self.to_whole),
            "bandwidth": plainly(self.bandwidth),
        }

    def __repr__(self) -> str:
        return (
            f"<Distances {self.distance} of {plain(self.name)}: {len(self.labels)} groups, "
            f"max {number(self.max)}, to the whole {number(self.to_whole)}>"
        )


def group_distances(
    scores: Any,
    *,
    sensitive_features: Any,
    distance: Distance = "wasserstein",
    sample_weight: Any = None,
    bandwidth: float | None = None,
    missing: MissingPolicy = "group",
) -> Distances:
    """Measure how far every two groups' distributions are apart, and each from the whole.

    Parameters
    ----------
    scores
        (n,) finite scores or predicted numbers; labels for ``"total_variation"`` and ``"jensen_shannon"``.
    sensitive_features
        One column of n values (of several in a table: their intersection), or
        :class:`fairwitness.table.Groups`.
    distance
        ``"wasserstein"`` (order 1, in units of the score), ``"mmd"`` (square root of the biased form),
        ``"mmd2_unbiased"``, ``"total_variation"`` or ``"jensen_shannon"`` (base 2).
    sample_weight
        (n,) weights, at least 0.
    bandwidth
        σ of the MMD's kernel exp(−d²/2σ²); default the median distance of all scores.
    missing
        What to do with missing sensitive values: ``"group"``, ``"drop"`` or ``"error"``.

    Returns
    -------
    Distances
        ``between`` all pairs, ``max`` and ``to_whole``. All exact; 0 is no difference.

    Raises
    ------
    DataError
        If rows do not align, or a score is missing or infinite.
    ConfigError
        For an unknown distance or a bandwidth of 0.
    """
    if distance not in get_args(Distance):
        raise ConfigError("unknown distance", got=plain(distance), fix=f"use {listing(get_args(Distance))}")
    check_rows(scores=scores, sensitive_features=sensitive_features, sample_weight=sample_weight)
    groups = one_feature(sensitive_features, None, None, missing)
    weight = weights(sample_weight)
    if distance in {"total_variation", "jensen_shannon"}:
        _, codes, labels = coded_labels(scores, scores)
        if weight is not None:
            check_weights(weight)
        if len(codes) != len(groups.codes):
            raise DataError(
                "scores and the groups differ in their number of rows",
                got=f"{len(codes)} and {len(groups.codes)}",
                fix="pass one value a row",
            )
        size = max(len(labels), 1)
        cells = np.where(groups.codes >= 0, groups.codes * size + codes, -1)
        marginals = group_sums(weight, cells, groups.n_groups * size)
        marginals = marginals.reshape(groups.n_groups, size)
        function = total_variation if distance == "total_variation" else jensen_shannon
        between = function(marginals[:, None], marginals[None])
        return _distances(groups, distance, between, function(marginals, marginals.sum(axis=0)), weight)
    values = numbers(scores, "scores")
    if distance == "wasserstein":
        between, whole = wasserstein_matrix(values, groups.codes, groups.n_groups, weight=weight)
        return _distances(groups, distance, between, whole, weight)
    sigma = _bandwidth(values, groups, weight, bandwidth)
    sums = CharacteristicSums.of(values, groups.codes, groups.n_groups, bandwidth=sigma, weight=weight)
    if distance == "mmd":
        between, whole = np.sqrt(sums.mmd_squared()), np.sqrt(sums.from_pool())
    else:
        between, whole = sums.mmd_squared(unbiased=True), sums.from_pool()
    return _distances(groups, distance, between, whole, weight, sigma)


def wasserstein_distance(
    scores: Any,
    *,
    sensitive_features: Any,
    sample_weight: Any = None,
    aggregate: Aggregate = "max",
    missing: MissingPolicy = "group",
) -> float:
    """Give the Wasserstein distance of order 1 between the groups' scores, ∫ abs(F_a − F_b), exactly.

    Parameters
    ----------
    scores
        (n,) finite scores or predicted numbers.
    sensitive_features, sample_weight, missing
        As in :func:`group_distances`.
    aggregate
        Of more than two groups: the largest distance of two (``"max"``), or Σ_g π_g d(P_g, P) (``"whole"``).

    Returns
    -------
    float
        At least 0, in units of the score; 0 is no difference. Noise alone makes it positive.

    Examples
    --------
    >>> from fairwitness.metrics import wasserstein_distance
    >>> wasserstein_distance([0.0, 1.0, 2.0, 3.0], sensitive_features=["a", "a", "b", "b"])
    2.0
    """
    found = group_distances(
        scores, sensitive_features=sensitive_features, sample_weight=sample_weight, missing=missing
    )
    return _aggregated(found, aggregate)


def mmd(
    scores: Any,
    *,
    sensitive_features: Any,
    sample_weight: Any = None,
    bandwidth: float | None = None,
    aggregate: Aggregate = "max",
    missing: MissingPolicy = "group",
) -> float:
    """Give the maximum mean discrepancy between the groups' scores: √MMD², biased form, Gaussian kernel.

    An effect size: it compares distributions, whatever the units. Parameters are as in
    :func:`wasserstein_distance`; ``bandwidth`` is σ in exp(−d²/2σ²), by default the median distance of all
    scores.

    Returns
    -------
    float
        In [0, √2); 0 is no difference. Noise alone makes it positive; :func:`mmd_test` tests that.
    """
    found = group_distances(
        scores,
        sensitive_features=sensitive_features,
        distance="mmd",
        sample_weight=sample_weight,
        bandwidth=bandwidth,
        missing=missing,
    )
    return _aggregated(found, aggregate)


def mmd_test(
    scores: Any,
    *,
    sensitive_features: Any,
    sample_weight: Any = None,
    bandwidth: float | None = None,
    n_permutations: int = 999,
    random_state: Any = 0,
    missing: MissingPolicy = "group",
) -> Estimate:
    """Give the unbiased MMD² of two groups with the permutation p-value of one distribution.

    Of more than two groups the two that are farthest apart are compared, with p times the number of pairs
    (Bonferroni). Parameters are as in :func:`mmd`.

    Parameters
    ----------
    scores, sensitive_features, sample_weight, bandwidth, missing
        As in :func:`mmd`.
    n_permutations
        Number of shuffles.
    random_state
        Seed of the shuffles.

    Returns
    -------
    Estimate
        ``estimate`` may be below 0; ``p_value`` is in (0, 1]. There is no interval.
    """
    whole_number(n_permutations, "n_permutations", fix="pass for example n_permutations=999")
    check_rows(scores=scores, sensitive_features=sensitive_features, sample_weight=sample_weight)
    groups = one_feature(sensitive_features, None, None, missing)
    found = group_distances(
        scores,
        sensitive_features=groups,
        distance="mmd2_unbiased",
        sample_weight=sample_weight,
        bandwidth=bandwidth,
    )
    n = int((groups.codes >= 0).sum())
    upper = np.triu(np.ones(found.between.shape, dtype=bool), 1)
    if np.isnan(found.between[upper]).any():
        return Estimate(math.nan, n=n, reason="a group has fewer than two rows")
    pairs = np.argwhere(upper)
    a, b = pairs[int(found.between[upper].argmax())]
    values, weight = numbers(scores, "scores"), weights(sample_weight)
    inside = [groups.codes == group for group in (a, b)]
    p = mmd_permutation_p(
        values[inside[0]],
        values[inside[1]],
        None if weight is None else weight[inside[0]],
        None if weight is None else weight[inside[1]],
        bandwidth=found.bandwidth,
        rng=child(seed_from(random_state), "mmd test"),
        n_permutations=n_permutations,
    )
    n = int(inside[0].sum() + inside[1].sum())
    return Estimate(float(found.between[a, b]), n=n, p_value=min(p * len(pairs), 1.0))


def paper_wasserstein(scores: Any, *, sensitive_features: Any, sample_weight: Any = None) -> float:
    """Give what the code of Duong et al. (2023) calls Wasserstein: ½ · W2², summed over sensitive features.

    Exact, where the code has Sinkhorn's approximation with blur .05. For comparison with published numbers
    only. Of more than two groups the largest pair counts.

    Parameters
    ----------
    scores
        (n,) finite scores or predicted numbers.
    sensitive_features
        One column, or a table or mapping of columns, whose distances are summed.
    sample_weight
        (n,) weights, at least 0.
    """
    values, weight = numbers(scores, "scores"), weights(sample_weight)
    total = 0.0
    for feature in _each_feature(sensitive_features):
        check_rows(scores=scores, sensitive_features=feature, sample_weight=sample_weight)
        groups = one_feature(feature, None, None, "group")
        between = wasserstein_matrix(values, groups.codes, groups.n_groups, weight=weight, order=2)[0]
        total += float(between.max()) / 2
    return total


def paper_mmd(scores: Any, *, sensitive_features: Any, sample_weight: Any = None) -> float:
    """Give what the code of Duong et al. (2023) calls MMD: ½ · biased MMD², σ = .5, summed over features.

    For comparison with published numbers only. Parameters are as in :func:`paper_wasserstein`.
    """
    values, weight = numbers(scores, "scores"), weights(sample_weight)
    total = 0.0
    for feature in _each_feature(sensitive_features):
        check_rows(scores=scores, sensitive_features=feature, sample_weight=sample_weight)
        groups = one_feature(feature, None, None, "group")
        sums = CharacteristicSums.of(
            values, groups.codes, groups.n_groups, bandwidth=PAPER_SIGMA, weight=weight
        )
        total += float(sums.mmd_squared().max()) / 2
    return total


def _each_feature(features: Any) -> list[Any]:
    if nw.dependencies.is_into_dataframe(features):
        return [features[label] for label in column_labels(features).values()]
    return list(features.values()) if isinstance(features, Mapping) else [features]


def _bandwidth(
    values: FloatArray, groups: Groups, weight: FloatArray | None, bandwidth: float | None
) -> float:
    if bandwidth is not None:
        return real_number(bandwidth, "bandwidth", above=0.0, fix="pass σ in units of the scores")
    inside = groups.codes >= 0
    found = median_bandwidth(values[inside], None if weight is None else weight[inside])
    # All scores are equal: any kernel finds no difference.
    return found if math.isfinite(found) else 1.0


def _distances(
    groups: Groups,
    distance: str,
    between: FloatArray,
    whole: FloatArray,
    weight: FloatArray | None,
    bandwidth: float = math.nan,
) -> Distances:
    total = group_sums(weight, groups.codes, groups.n_groups)
    with np.errstate(invalid="ignore"):
        share = total / total.sum()
    return Distances(groups.name, distance, groups.labels, between, whole, share, bandwidth)


def _aggregated(found: Distances, aggregate: Aggregate) -> float:
    if aggregate not in get_args(Aggregate):
        raise ConfigError(
            "unknown aggregate", got=plain(aggregate), fix=f"use {listing(get_args(Aggregate))}"
        )
    value = found.max if aggregate == "max" else found.to_whole
    if math.isnan(value):
        empty = [label for label, share in zip(found.labels, found.share, strict=True) if not share > 0]
        what = f"{listing([plain(label) for label in empty])} has no rows, or only rows of weight 0"
        warnings.warn(f"the distance is undefined: {what}", FairwitnessWarning, stacklevel=3)
    return value
