"""Every metric, declared once: what it is, what it needs, its formula, its range and where it comes from.

The page in ``docs/metrics.md``, ``fairwitness metrics --list`` and :func:`measure` read this table; the
numbers are computed elsewhere, by name. Formulas write Y for the true label (1 is the favourable one), Ŷ
for the decision, s for the score, A for the group, a for one group and r for the reference it is compared
with, and w for the weights.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Literal, TypeAlias, get_args

from fairwitness.errors import ConfigError
from fairwitness.text import listing, plain
from fairwitness.typing import Document

Family: TypeAlias = Literal["performance", "group", "entropy", "distribution"]
Task: TypeAlias = Literal["classification", "score", "regression"]
#: ``level``: a value a group and one for everyone; ``comparison``: a group against the reference;
#: ``whole``: one value for a sensitive feature.
Kind: TypeAlias = Literal["level", "comparison", "whole"]


@dataclass(frozen=True, slots=True)
class Metric:
    """One metric, as it is declared.

    Attributes
    ----------
    name
        Its name everywhere: in frames, on the command line, and as a function of :mod:`fairwitness.metrics`.
    family
        ``"performance"``, ``"group"``, ``"entropy"`` or ``"distribution"``.
    tasks
        Where it exists: decisions or labels (``"classification"``), scores, predicted numbers
        (``"regression"``).
    kind
        ``"level"`` (one value a group, and one for everyone), ``"comparison"`` (a group against the
        reference) or ``"whole"`` (one value a sensitive feature).
    needs
        The arguments that it needs.
    formula
        In plain text.
    range
        Possible values.
    best
        The value of no difference, or which direction is good.
    source
        Where it was defined.
    additive
        Whether it is made of sums over rows, so that parts of a table can be counted apart and merged.
    undefined
        When there is no value, in words.
    """

    name: str
    family: Family
    tasks: tuple[Task, ...]
    kind: Kind
    needs: tuple[str, ...]
    formula: str
    range: str
    best: str
    source: str
    additive: bool = True
    undefined: str = ""

    def to_dict(self) -> Document:
        """Give plain values, for JSON."""
        return {**asdict(self), "tasks": list(self.tasks), "needs": list(self.needs)}


_BOTH: tuple[Task, ...] = ("classification",)
_LABELS, _SCORES = ("y_true", "y_pred"), ("y_true", "y_score")
_GROUPED, _DECIDED = ("y_true", "y_pred", "sensitive_features"), ("y_pred", "sensitive_features")
_NO_GOOD = "no row has the favourable outcome"
_NO_OTHER = "no row has the unfavourable outcome"
_NO_YES = "no row is accepted"
_NO_NO = "every row is accepted"
_ONE_CLASS = "the true outcomes have a single class"
_EITHER = "a group lacks rows of one outcome"
_FAWCETT = "Fawcett 2006"
_HARDT = "Hardt, Price & Srebro 2016"
_SPEICHER = "Speicher et al. 2018"


def _performance() -> Iterator[Metric]:
    def one(
        name: str,
        task: Task,
        formula: str,
        bounds: str,
        best: str,
        source: str,
        undefined: str = "",
        *,
        additive: bool = True,
    ) -> Metric:
        needs = _SCORES if task == "score" else _LABELS
        return Metric(
            name, "performance", (task,), "level", needs, formula, bounds, best, source, additive, undefined
        )

    yield one("accuracy", "classification", "P(Ŷ = Y)", "[0, 1]", "higher", _FAWCETT)
    yield one(
        "balanced_accuracy",
        "classification",
        "mean over classes k of Y: P(Ŷ = k | Y = k)",
        "[0, 1]",
        "higher",
        "Brodersen et al. 2010",
        _ONE_CLASS,
    )
    yield one("precision", "classification", "P(Y = 1 | Ŷ = 1)", "[0, 1]", "higher", _FAWCETT, _NO_YES)
    yield one("recall", "classification", "P(Ŷ = 1 | Y = 1)", "[0, 1]", "higher", _FAWCETT, _NO_GOOD)
    yield one("specificity", "classification", "P(Ŷ = 0 | Y = 0)", "[0, 1]", "higher", _FAWCETT, _NO_OTHER)
    yield one(
        "f1",
        "classification",
        "2TP / (2TP + FP + FN)",
        "[0, 1]",
        "higher",
        "van Rijsbergen 1979",
        "no row is accepted or has the favourable outcome",
    )
    yield one(
        "mcc",
        "classification",
        "correlation of Ŷ and Y over classes (Gorodkin's R_K; φ for two)",
        "[−1, 1]",
        "higher",
        "Matthews 1975; Gorodkin 2004",
        "the true outcomes or the predictions have a single class",
    )
    yield one("brier_score", "score", "E[(s − Y)²]", "[0, 1]", "lower", "Brier 1950")
    yield one(
        "log_loss",
        "score",
        "−E[Y ln s + (1 − Y) ln(1 − s)], s kept 2.2e−16 from 0 and 1",
        "[0, 36.1]",
        "lower",
        "Good 1952",
    )
    yield one(
        "roc_auc",
        "score",
        "P(s > s′ | Y = 1, Y′ = 0) + ½ P(s = s′ | Y = 1, Y′ = 0)",
        "[0, 1]",
        "higher",
        "Hanley & McNeil 1982",
        _ONE_CLASS,
        additive=False,
    )
    yield one(
        "average_precision",
        "score",
        "Σ over thresholds t: (recall(t) − recall(t before)) · precision(t)",
        "[0, 1]",
        "higher",
        "Zhu 2004",
        _NO_GOOD,
        additive=False,
    )
    yield one(
        "calibration_error",
        "score",
        "Σ over 10 bins b of equal width: P(b) · |E[s | b] − P(Y = 1 | b)|",
        "[0, 1]",
        "lower",
        "Naeini, Cooper & Hauskrecht 2015",
    )
    yield one("rmse", "regression", "√E[(ŷ − y)²]", "[0, ∞)", "lower", "standard")
    yield one("mae", "regression", "E|ŷ − y|", "[0, ∞)", "lower", "standard")
    yield one(
        "r2",
        "regression",
        "1 − E[(ŷ − y)²] / Var(y)",
        "(−∞, 1]",
        "higher",
        "standard",
        "the true outcomes are all equal",
    )
    yield one(
        "mean_residual", "regression", "E[y − ŷ] (above 0: predicted too low)", "(−∞, ∞)", "0", "standard"
    )


def _rates() -> Iterator[Metric]:
    for name, formula, best, undefined in (
        ("selection_rate", "P(Ŷ = 1 | A = a)", "equal over groups", ""),
        ("true_positive_rate", "P(Ŷ = 1 | Y = 1, A = a)", "higher", _NO_GOOD),
        ("false_positive_rate", "P(Ŷ = 1 | Y = 0, A = a)", "lower", _NO_OTHER),
        ("true_negative_rate", "P(Ŷ = 0 | Y = 0, A = a)", "higher", _NO_OTHER),
        ("false_negative_rate", "P(Ŷ = 0 | Y = 1, A = a)", "lower", _NO_GOOD),
        ("positive_predictive_value", "P(Y = 1 | Ŷ = 1, A = a)", "higher", _NO_YES),
        ("negative_predictive_value", "P(Y = 0 | Ŷ = 0, A = a)", "higher", _NO_NO),
    ):
        needs = ("y_pred",) if name == "selection_rate" else _LABELS
        yield Metric(name, "group", _BOTH, "level", needs, formula, "[0, 1]", best, _FAWCETT, True, undefined)
    yield Metric(
        "mean_prediction",
        "group",
        ("regression", "score"),
        "level",
        ("y_pred or y_score",),
        "E[ŷ | A = a]",
        "(−∞, ∞)",
        "equal over groups",
        "Calders et al. 2013",
    )


def _comparisons() -> Iterator[Metric]:
    for name, needs, formula, bounds, best, source, undefined in (
        (
            "statistical_parity_difference",
            _DECIDED,
            "P(Ŷ = 1 | a) − P(Ŷ = 1 | r)",
            "[−1, 1]",
            "0",
            "Dwork et al. 2012",
            "",
        ),
        (
            "disparate_impact_ratio",
            _DECIDED,
            "P(Ŷ = 1 | a) / P(Ŷ = 1 | r)",
            "[0, ∞)",
            "1 (four-fifths rule of thumb: .8)",
            "Feldman et al. 2015",
            "no row of the reference is accepted",
        ),
        (
            "equal_opportunity_difference",
            _GROUPED,
            "P(Ŷ = 1 | Y = 1, a) − P(Ŷ = 1 | Y = 1, r)",
            "[−1, 1]",
            "0",
            _HARDT,
            _NO_GOOD,
        ),
        (
            "false_positive_rate_difference",
            _GROUPED,
            "P(Ŷ = 1 | Y = 0, a) − P(Ŷ = 1 | Y = 0, r)",
            "[−1, 1]",
            "0",
            "Chouldechova 2017 (predictive equality)",
            _NO_OTHER,
        ),
        (
            "predictive_parity_difference",
            _GROUPED,
            "P(Y = 1 | Ŷ = 1, a) − P(Y = 1 | Ŷ = 1, r)",
            "[−1, 1]",
            "0",
            "Chouldechova 2017",
            _NO_YES,
        ),
        (
            "negative_predictive_value_difference",
            _GROUPED,
            "P(Y = 0 | Ŷ = 0, a) − P(Y = 0 | Ŷ = 0, r)",
            "[−1, 1]",
            "0",
            "Berk et al. 2021 (conditional use accuracy)",
            _NO_NO,
        ),
        (
            "average_odds_difference",
            _GROUPED,
            "½ (ΔTPR + ΔFPR): opposite differences cancel",
            "[−1, 1]",
            "0",
            "Bellamy et al. 2018",
            _EITHER,
        ),
        (
            "average_absolute_odds_difference",
            _GROUPED,
            "½ (|ΔTPR| + |ΔFPR|)",
            "[0, 1]",
            "0",
            "Bellamy et al. 2018",
            _EITHER,
        ),
        (
            "equalized_odds_difference",
            _GROUPED,
            "max(|ΔTPR|, |ΔFPR|)",
            "[0, 1]",
            "0",
            _HARDT,
            _EITHER,
        ),
    ):
        yield Metric(
            name, "group", _BOTH, "comparison", needs, formula, bounds, best, source, True, undefined
        )


def _level_differences(levels: Sequence[Metric]) -> Iterator[Metric]:
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


def _entropy() -> Iterator[Metric]:
    for name, formula, bounds, source in (
        ("generalized_entropy_index", "E[(b/μ)² − 1] / 2 (alpha = 2), b = Ŷ − Y + 1", "[0, ∞)", _SPEICHER),
        ("theil_index", "E[(b/μ) ln(b/μ)], 0 ln 0 = 0", "[0, ln n]", "Theil 1967; " + _SPEICHER),
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


def _distribution() -> Iterator[Metric]:
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
            _BOTH,
            "comparison",
            _DECIDED,
            "½ Σ_k |P(Ŷ = k | a) − P(Ŷ = k | r)|",
            "[0, 1]",
            "standard",
            True,
        ),
        (
            "jensen_shannon",
            _BOTH,
            "comparison",
            _DECIDED,
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


def _declared() -> dict[str, Metric]:
    levels = [*_performance(), *_rates()]
    every = [*levels, *_comparisons(), *_level_differences(levels), *_entropy(), *_distribution()]
    return {metric.name: metric for metric in every}


#: Every metric by name, in the order in which they are shown.
CATALOGUE: dict[str, Metric] = _declared()


def list_metrics(*, family: str | None = None, task: str | None = None) -> tuple[Metric, ...]:
    """Give the declared metrics, or those of one family or task.

    Parameters
    ----------
    family
        ``"performance"``, ``"group"``, ``"entropy"`` or ``"distribution"``; ``None`` for all.
    task
        ``"classification"``, ``"score"`` or ``"regression"``; ``None`` for all.

    Raises
    ------
    ConfigError
        For another family or task.

    Examples
    --------
    >>> from fairwitness.metrics import list_metrics
    >>> [metric.name for metric in list_metrics(family="performance", task="regression")]
    ['rmse', 'mae', 'r2', 'mean_residual']
    """
    for what, given, known in (("family", family, get_args(Family)), ("task", task, get_args(Task))):
        if given is not None and given not in known:
            raise ConfigError(
                f"there is no such {what} of metrics", got=plain(given), fix=f"use {listing(known)}"
            )
    return tuple(
        metric
        for metric in CATALOGUE.values()
        if (family is None or metric.family == family) and (task is None or task in metric.tasks)
    )


def chosen(metrics: str | Sequence[str]) -> tuple[Metric, ...]:
    """Give the metrics that names and families stand for; ``"all"`` for every one.

    Raises
    ------
    ConfigError
        For a name that is neither a metric nor a family.
    """
    wanted = [metrics] if isinstance(metrics, str) else list(metrics)
    families = get_args(Family)
    for name in wanted:
        if name != "all" and name not in CATALOGUE and name not in families:
            import difflib

            near = difflib.get_close_matches(str(name), [*CATALOGUE, *families], n=3)
            raise ConfigError(
                "there is no such metric",
                got=plain(name),
                fix=f"did you mean {listing(near)}?" if near else "see fairwitness metrics --list",
            )
    if not wanted:
        raise ConfigError("no metric is named", fix='pass metrics="all", names or families')
    return tuple(
        metric
        for metric in CATALOGUE.values()
        if "all" in wanted or metric.name in wanted or metric.family in wanted
    )
