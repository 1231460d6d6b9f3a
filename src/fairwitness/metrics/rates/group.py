"""Group rates and their comparison with the privileged group, each with its interval and its n."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike

from fairwitness.arguments import boolean_array, whole_number
from fairwitness.errors import DataError
from fairwitness.metrics.counted.counts import Counts, Rate, count_decisions
from fairwitness.metrics.counted.inputs import weights
from fairwitness.metrics.counted.intervals import (
    Bounds,
    joint_level,
    mean_absolute_interval,
    mean_interval,
    ratio_interval,
)
from fairwitness.metrics.rates.results import Comparison, GroupRate, GroupRates
from fairwitness.stats.intervals import Estimate, check_confidence, combine_difference, wilson
from fairwitness.table.groups import Groups
from fairwitness.text import plain


def group_rates(
    accepted: ArrayLike,
    groups: Groups,
    y: ArrayLike | None = None,
    *,
    sample_weight: ArrayLike | None = None,
    confidence: float = 0.95,
    minimum_n: int = 30,
) -> GroupRates:
    """Measure how often each group is accepted, and, with outcomes, how often rightly and wrongly so.

    Parameters
    ----------
    accepted
        (n,) booleans (or 0 and 1): whether the model gives the favourable outcome.
    groups
        The groups of one sensitive feature, from :func:`fairwitness.table.sensitive_groups`. Rows that its
        policy dropped (code −1) count nowhere.
    y
        (n,) booleans (or 0 and 1): whether the true outcome is the favourable one. Without it there is
        no true or false positive rate, and what needs them is ``None``.
    sample_weight
        (n,) weights, at least 0. Rates are weighted; intervals rest on the effective number of rows
        (Σw)² / Σw², which is given as ``n``.
    confidence
        Level of each interval, between 0 and 1.
    minimum_n
        Groups with fewer rows are marked ``small`` (and measured all the same).

    Returns
    -------
    GroupRates
        With differences as group − privileged: the group's DSP, DEO and DAO of the counterfactual fair
        opportunity paper (section 5), whose tables print their absolute values; "no difference" is 0,
        and 1 for the ratio. A rate over no rows is NaN with its reason, and so is what is made of it.

    Raises
    ------
    DataError
        If lengths differ, values are not booleans, or a weight is negative.
    ConfigError
        If ``confidence`` is not between 0 and 1.

    Notes
    -----
    Rates have Wilson's interval, differences Newcombe's, ratios and the average odds difference the same
    construction for a quotient and a mean, and the average *absolute* odds difference a joint one; see
    :mod:`fairwitness.metrics.counted.intervals` for the reasons. No random numbers are used.
    """
    check_confidence(confidence)
    whole_number(minimum_n, "minimum_n", least=0, fix="pass for example minimum_n=30")
    if not isinstance(groups, Groups):
        raise DataError(
            "groups must be the groups of one sensitive feature",
            got=type(groups).__name__,
            fix="pass one entry of fairwitness.table.sensitive_groups(...)",
        )
    counts = count_decisions(
        boolean_array(accepted, "accepted"),
        groups.codes,
        groups.n_groups,
        None if y is None else boolean_array(y, "y"),
        sample_weight=weights(sample_weight),
    )
    among = {"acceptance": counts.rate("all")}
    if counts.has_outcome:
        among["true_positive_rate"] = counts.rate("good")
        among["false_positive_rate"] = counts.rate("other")
    others = [at for at in range(groups.n_groups) if at != groups.privileged]
    return GroupRates(
        name=groups.name,
        privileged=groups.privileged_label,
        has_outcome=counts.has_outcome,
        groups=tuple(
            _group(at, label, counts, among, confidence, minimum_n) for at, label in enumerate(groups.labels)
        ),
        comparisons=tuple(_comparison(at, groups, counts, among, confidence) for at in others),
        confidence=confidence,
        counts=counts,
    )


def _group(
    at: int, label: str, counts: Counts, among: dict[str, Rate], confidence: float, minimum_n: int
) -> GroupRate:
    rate = among["acceptance"]
    return GroupRate(
        label=label,
        n=int(rate.rows[at]),
        n_accepted=int(rate.accepted[at]),
        small=bool(rate.rows[at] < minimum_n),
        **{
            name: _share(each, at, confidence, _lack(name, each, at, label), weighted=counts.weighted)
            for name, each in among.items()
        },
    )


def _share(rate: Rate, at: int, confidence: float, lack: str, *, weighted: bool) -> Estimate:
    low, high = wilson(rate.successes[at], rate.n[at], confidence)
    return Estimate(
        estimate=float(rate.value[at]),
        low=float(low),
        high=float(high),
        n=_whole(rate.n[at]),
        # With weights the rate is no quotient of two counts.
        numerator=None if weighted else int(rate.accepted[at]),
        denominator=None if weighted else int(rate.rows[at]),
        reason=lack,
    )


def _comparison(
    at: int, groups: Groups, counts: Counts, among: dict[str, Rate], confidence: float
) -> Comparison:
    label = groups.labels[at]
    base = groups.privileged

    def lacking(*names: str) -> str:
        found = [
            _lack(name, among[name], place, groups.labels[place]) for name in names for place in (at, base)
        ]
        return "; ".join(dict.fromkeys(reason for reason in found if reason))

    def pair(name: str) -> int:
        return _whole(among[name].n[at]) + _whole(among[name].n[base])

    acceptance = among["acceptance"]
    gap, bounds = _difference(acceptance, at, base, confidence)
    ratio, ratio_bounds = _ratio(acceptance, at, base, confidence)
    no_one = "" if math.isfinite(ratio) else f"no row of {plain(groups.labels[base])} is accepted"
    result = Comparison(
        group=label,
        statistical_parity_difference=_made(gap, bounds, pair("acceptance"), lacking("acceptance")),
        disparate_impact_ratio=_made(
            ratio, ratio_bounds, pair("acceptance"), lacking("acceptance") or no_one
        ),
    )
    if not counts.has_outcome:
        return result
    rates = ("true_positive_rate", "false_positive_rate")
    (true, true_bounds), (false, false_bounds) = (
        _difference(among[name], at, base, confidence) for name in rates
    )
    joint = [_difference(among[name], at, base, joint_level(confidence))[1] for name in rates]
    both, n_both = lacking(*rates), sum(pair(name) for name in rates)
    return Comparison(
        group=label,
        statistical_parity_difference=result.statistical_parity_difference,
        disparate_impact_ratio=result.disparate_impact_ratio,
        equal_opportunity_difference=_made(true, true_bounds, pair(rates[0]), lacking(rates[0])),
        average_odds_difference=_made(
            (true + false) / 2, mean_interval(true, true_bounds, false, false_bounds), n_both, both
        ),
        average_absolute_odds_difference=_made(
            (abs(true) + abs(false)) / 2, mean_absolute_interval(joint[0], joint[1]), n_both, both
        ),
    )


def _difference(rate: Rate, at: int, base: int, confidence: float) -> tuple[float, Bounds]:
    mine, theirs = (wilson(rate.successes[place], rate.n[place], confidence) for place in (at, base))
    bounds = combine_difference(rate.value[at], mine, rate.value[base], theirs)
    return float(rate.value[at] - rate.value[base]), bounds


def _ratio(rate: Rate, at: int, base: int, confidence: float) -> tuple[float, Bounds]:
    mine, theirs = (wilson(rate.successes[place], rate.n[place], confidence) for place in (at, base))
    bounds = ratio_interval(rate.value[at], mine, rate.value[base], theirs)
    own, other = float(rate.value[at]), float(rate.value[base])
    return own / other if other > 0 else math.nan, bounds


def _made(value: float, bounds: Bounds, n: int, lack: str) -> Estimate:
    if lack:
        return Estimate(estimate=math.nan, n=n, reason=lack)
    return Estimate(estimate=value, low=float(bounds[0]), high=float(bounds[1]), n=n)


def _lack(name: str, rate: Rate, at: int, label: str) -> str:
    """Say why a group has no such rate; empty if it has."""
    if np.isfinite(rate.value[at]):
        return ""
    shown = plain(label)
    if rate.rows[at]:
        return f"all such rows of {shown} have weight 0"
    return {
        "acceptance": f"{shown} has no rows",
        "true_positive_rate": f"no row of {shown} has the favourable outcome",
        "false_positive_rate": f"no row of {shown} has the unfavourable outcome",
    }[name]


def _whole(n: float) -> int:
    # An effective number a rounding error below a whole one is that whole one.
    return math.floor(float(n) + 1e-9)
