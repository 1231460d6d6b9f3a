"""The declarations of comparisons, entropies and distances."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from fairwitness.metrics.declared.metric import (
    BOTH,
    DECIDED,
    EITHER,
    GROUPED,
    HARDT,
    NO_GOOD,
    NO_NO,
    NO_OTHER,
    NO_YES,
    SPEICHER,
    Metric,
    Task,
)


def comparisons() -> Iterator[Metric]:
    """Declare the comparisons that have names of their own."""
    for name, needs, formula, bounds, best, source, undefined in (
        (
            "statistical_parity_difference",
            DECIDED,
            "P(Ŷ = 1 | a) − P(Ŷ = 1 | r)",
            "[−1, 1]",
            "0",
            "Dwork et al. 2012",
            "",
        ),
        (
            "disparate_impact_ratio",
            DECIDED,
            "P(Ŷ = 1 | a) / P(Ŷ = 1 | r)",
            "[0, ∞)",
            "1 (four-fifths rule of thumb: .8)",
            "Feldman et al. 2015",
            "no row of the reference is accepted",
        ),
        (
            "equal_opportunity_difference",
            GROUPED,
            "P(Ŷ = 1 | Y = 1, a) − P(Ŷ = 1 | Y = 1, r)",
            "[−1, 1]",
            "0",
            HARDT,
            NO_GOOD,
        ),
        (
            "false_positive_rate_difference",
            GROUPED,
            "P(Ŷ = 1 | Y = 0, a) − P(Ŷ = 1 | Y = 0, r)",
            "[−1, 1]",
            "0",
            "Chouldechova 2017 (predictive equality)",
            NO_OTHER,
        ),
        (
            "predictive_parity_difference",
            GROUPED,
            "P(Y = 1 | Ŷ = 1, a) − P(Y = 1 | Ŷ = 1, r)",
            "[−1, 1]",
            "0",
            "Chouldechova 2017",
            NO_YES,
        ),
        (
            "negative_predictive_value_difference",
            GROUPED,
            "P(Y = 0 | Ŷ = 0, a) − P(Y = 0 | Ŷ = 0, r)",
            "[−1, 1]",
            "0",
            "Berk et al. 2021 (conditional use accuracy)",
            NO_NO,
        ),
        (
            "average_odds_difference",
            GROUPED,
            "½ (ΔTPR + ΔFPR): opposite differences cancel",
            "[−1, 1]",
            "0",
            "Bellamy et al. 2018",
            EITHER,
        ),
        (
            "average_absolute_odds_difference",
            GROUPED,
            "½ (|ΔTPR| + |ΔFPR|)",
            "[0, 1]",
            "0",
            "Bellamy et al. 2018",
            EITHER,
        ),
        ("equalized_odds_difference", GROUPED, "max(|ΔTPR|, |ΔFPR|)", "[0, 1]", "0", HARDT, EITHER),
    ):
        yield Metric(name, "group", BOTH, "comparison", needs, formula, bounds, best, source, True, undefined)


def level_differences(levels: Sequence[Metric]) -> Iterator[Metric]:
    """Declare the difference in each level that has no name of its own."""
    for level in levels:
        if level.name in NAMED_DIFFERENCES or level.name in {"true_negative_rate", "false_negative_rate"}:
            continue
        yield Metric(
            f"{level.name}_difference",
            "group" if level.family == "performance" else level.family,
            level.tasks,
            "comparison",
            (*level.needs, "sensitive_features"),
            f"{level.name}(a) − {level.name}(r)",
            {"[0, 1]": "[−1, 1]", "[−1, 1]": "[−2, 2]"}.get(level.range, "(−∞, ∞)"),
            "0",
            "difference of two values",
            level.additive,
            level.undefined,
        )


def entropies() -> Iterator[Metric]:
    """Declare how unequally benefits are spread."""
    for name, formula, bounds, source in (
        ("generalized_entropy_index", "E[(b/μ)² − 1] / 2 (alpha = 2), b = Ŷ − Y + 1", "[0, ∞)", SPEICHER),
        ("theil_index", "E[(b/μ) ln(b/μ)], 0 ln 0 = 0", "[0, ln n]", "Theil 1967; " + SPEICHER),
        ("coefficient_of_variation", "√(2 · GE(2)) = σ(b) / μ", "[0, ∞)", "Speicher et al. 2018"),
    ):
        yield Metric(
            name,
            "entropy",
            ("classification", "regression"),
            "level",
            ("y_true", "y_pred", "or benefit"),
            formula,
            bounds,
            "0",
            source,
            True,
            "every benefit is 0",
        )
    for name, formula, source in (
        ("card_cv", "GE(2), which the card calls cv", "evaluation card of Duong et al. 2023"),
        ("paper_cv", "2 √GE(2), as the paper's code has it", "Duong et al. 2023, code"),
    ):
        yield Metric(
            name,
            "entropy",
            ("classification", "regression"),
            "level",
            ("y_true", "y_pred", "or benefit"),
            formula,
            "[0, ∞)",
            "0",
            source,
            True,
            "every benefit is 0",
        )
    for name, formula in (
        ("between_group_entropy", "GE(2) of benefits replaced by their group's mean"),
        ("within_group_entropy", "GE(2) − between: Σ_a P(a) (μ_a/μ)² GE(2 | a)"),
    ):
        yield Metric(
            name,
            "entropy",
            ("classification", "regression"),
            "whole",
            ("y_true", "y_pred", "or benefit", "sensitive_features"),
            formula,
            "[0, ∞)",
            "0",
            "Shorrocks 1980; Speicher et al. 2018",
            True,
            "every benefit is 0",
        )


def distances() -> Iterator[Metric]:
    """Declare how far distributions are apart."""
    numbers: tuple[Task, ...] = ("score", "regression")
    scored = ("y_score or y_pred", "sensitive_features")
    for name, tasks, kind, needs, formula, bounds, source, additive in (
        (
            "wasserstein_distance",
            numbers,
            "comparison",
            scored,
            "∫ |F_a − F_r|: order 1, in units of the score",
            "[0, ∞)",
            "Kantorovich 1942",
            False,
        ),
        (
            "wasserstein_distance_max",
            numbers,
            "whole",
            scored,
            "largest W1 between any two groups",
            "[0, ∞)",
            "Kantorovich 1942",
            False,
        ),
        (
            "wasserstein_distance_to_whole",
            numbers,
            "whole",
            scored,
            "Σ_a P(a) W1(P_a, P)",
            "[0, ∞)",
            "Kantorovich 1942",
            False,
        ),
        (
            "mmd",
            numbers,
            "comparison",
            scored,
            "√MMD²(P_a, P_r), biased form, k = exp(−d²/2σ²), σ the median distance of all scores",
            "[0, √2)",
            "Gretton et al. 2012",
            True,
        ),
        (
            "mmd_max",
            numbers,
            "whole",
            scored,
            "largest mmd between any two groups",
            "[0, √2)",
            "Gretton et al. 2012",
            True,
        ),
        (
            "mmd_to_whole",
            numbers,
            "whole",
            scored,
            "Σ_a P(a) mmd(P_a, P)",
            "[0, √2)",
            "Gretton et al. 2012",
            True,
        ),
        (
            "mmd2_unbiased",
            numbers,
            "comparison",
            scored,
            "MMD² without the pairs of a row with itself; may be below 0",
            "(−∞, 2)",
            "Gretton et al. 2012",
            True,
        ),
        (
            "total_variation",
            BOTH,
            "comparison",
            DECIDED,
            "½ Σ_k |P(Ŷ = k | a) − P(Ŷ = k | r)|",
            "[0, 1]",
            "standard",
            True,
        ),
        (
            "jensen_shannon",
            BOTH,
            "comparison",
            DECIDED,
            "JS divergence of Ŷ in a and r, base 2",
            "[0, 1]",
            "Lin 1991",
            True,
        ),
    ):
        yield Metric(name, "distribution", tasks, kind, needs, formula, bounds, "0", source, additive)  # type: ignore[arg-type]


#: Level → the name that the difference in it has in the literature.
NAMED_DIFFERENCES = {
    "selection_rate": "statistical_parity_difference",
    "true_positive_rate": "equal_opportunity_difference",
    "recall": "equal_opportunity_difference",
    "false_positive_rate": "false_positive_rate_difference",
    "specificity": "false_positive_rate_difference",
    "positive_predictive_value": "predictive_parity_difference",
    "precision": "predictive_parity_difference",
    "negative_predictive_value": "negative_predictive_value_difference",
}
