"""The declarations of all metrics, family by family.

:mod:`fairwitness.metrics.declared.catalogue` collects them.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import Literal, TypeAlias

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


BOTH: tuple[Task, ...] = ("classification",)
LABELS, SCORES = ("y_true", "y_pred"), ("y_true", "y_score")
GROUPED, DECIDED = ("y_true", "y_pred", "sensitive_features"), ("y_pred", "sensitive_features")
NO_GOOD = "no row has the favourable outcome"
NO_OTHER = "no row has the unfavourable outcome"
NO_YES = "no row is accepted"
NO_NO = "every row is accepted"
ONE_CLASS = "the true outcomes have a single class"
EITHER = "a group lacks rows of one outcome"
FAWCETT = "Fawcett 2006"
HARDT = "Hardt, Price & Srebro 2016"
SPEICHER = "Speicher et al. 2018"


def performance() -> Iterator[Metric]:
    """Declare how well labels, scores and numbers are predicted."""

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
        needs = SCORES if task == "score" else LABELS
        return Metric(
            name, "performance", (task,), "level", needs, formula, bounds, best, source, additive, undefined
        )

    yield one("accuracy", "classification", "P(Ŷ = Y)", "[0, 1]", "higher", FAWCETT)
    yield one(
        "balanced_accuracy",
        "classification",
        "mean over classes k of Y: P(Ŷ = k | Y = k)",
        "[0, 1]",
        "higher",
        "Brodersen et al. 2010",
        ONE_CLASS,
    )
    yield one("precision", "classification", "P(Y = 1 | Ŷ = 1)", "[0, 1]", "higher", FAWCETT, NO_YES)
    yield one("recall", "classification", "P(Ŷ = 1 | Y = 1)", "[0, 1]", "higher", FAWCETT, NO_GOOD)
    yield one("specificity", "classification", "P(Ŷ = 0 | Y = 0)", "[0, 1]", "higher", FAWCETT, NO_OTHER)
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
        ONE_CLASS,
        additive=False,
    )
    yield one(
        "average_precision",
        "score",
        "Σ over thresholds t: (recall(t) − recall(t before)) · precision(t)",
        "[0, 1]",
        "higher",
        "Zhu 2004",
        NO_GOOD,
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


def rates() -> Iterator[Metric]:
    """Declare the values that groups are compared by."""
    for name, formula, best, undefined in (
        ("selection_rate", "P(Ŷ = 1 | A = a)", "equal over groups", ""),
        ("true_positive_rate", "P(Ŷ = 1 | Y = 1, A = a)", "higher", NO_GOOD),
        ("false_positive_rate", "P(Ŷ = 1 | Y = 0, A = a)", "lower", NO_OTHER),
        ("true_negative_rate", "P(Ŷ = 0 | Y = 0, A = a)", "higher", NO_OTHER),
        ("false_negative_rate", "P(Ŷ = 0 | Y = 1, A = a)", "lower", NO_GOOD),
        ("positive_predictive_value", "P(Y = 1 | Ŷ = 1, A = a)", "higher", NO_YES),
        ("negative_predictive_value", "P(Y = 0 | Ŷ = 0, A = a)", "higher", NO_NO),
    ):
        needs = ("y_pred",) if name == "selection_rate" else LABELS
        yield Metric(name, "group", BOTH, "level", needs, formula, "[0, 1]", best, FAWCETT, True, undefined)
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
