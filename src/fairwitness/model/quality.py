"""How well a sensitive feature can be read off the other columns: held-out, per group, with intervals."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from scipy.special import expit, logit, ndtri
from scipy.stats import rankdata

from fairwitness.rng import child
from fairwitness.stats import Estimate
from fairwitness.text import number, plain
from fairwitness.typing import Document, FloatArray, IntArray


@dataclass(frozen=True, slots=True)
class ClassifierQuality:
    """Quality of a sensitive-feature classifier on rows it was not trained on.

    Attributes
    ----------
    labels
        The G groups.
    confusion
        (G, G) counts: true group in rows, inferred group in columns.
    n
        (G,) rows of each group.
    recall, precision, f1
        (G,) in [0, 1]; NaN where a group was never inferred.
    balanced_accuracy
        Mean recall over groups, with a bootstrap interval (rows resampled within groups); 1/G is chance.
    auc
        Area under the ROC curve, mean over groups of one against the rest (two groups: the plain one),
        with DeLong's interval on the logit scale; 0.5 is chance.
    better_than_chance
        Whether the interval of the balanced accuracy lies above 1/G.
    estimator
        Name of the classifier.
    confidence
        Level of the intervals.
    note
        One sentence on what to keep in mind.
    """

    labels: tuple[str, ...]
    confusion: IntArray
    n: IntArray
    recall: FloatArray
    precision: FloatArray
    f1: FloatArray
    balanced_accuracy: Estimate
    auc: Estimate
    better_than_chance: bool
    estimator: str
    confidence: float
    note: str

    def __repr__(self) -> str:
        chance = "better than chance" if self.better_than_chance else "not shown to be better than chance"
        return (
            f"<ClassifierQuality {plain(self.estimator)}, {len(self.labels)} groups: balanced accuracy "
            f"{number(self.balanced_accuracy.estimate, 2)}, AUC {number(self.auc.estimate, 2)}, {chance}>"
        )

    def to_dict(self) -> Document:
        """Give plain values for JSON; NaN becomes null."""
        return {
            "labels": list(self.labels),
            "confusion": self.confusion.tolist(),
            "per_group": [
                {
                    "label": label,
                    "n": int(self.n[at]),
                    "recall": _finite(self.recall[at]),
                    "precision": _finite(self.precision[at]),
                    "f1": _finite(self.f1[at]),
                }
                for at, label in enumerate(self.labels)
            ],
            "balanced_accuracy": self.balanced_accuracy.to_dict(),
            "auc": self.auc.to_dict(),
            "better_than_chance": self.better_than_chance,
            "estimator": self.estimator,
            "confidence": self.confidence,
            "note": self.note,
        }


def classifier_quality(
    codes: IntArray,
    proba: FloatArray,
    labels: tuple[str, ...],
    *,
    estimator: str = "",
    seed: int = 0,
    confidence: float = 0.95,
    n_resamples: int = 2000,
) -> ClassifierQuality:
    """Measure held-out probabilities against the true groups.

    Parameters
    ----------
    codes
        (n,) true group, 0 to G - 1; every group occurs.
    proba
        (n, G) probabilities from models that did not see the row.
    labels
        The G groups.
    """
    groups = len(labels)
    inferred = proba.argmax(axis=1)
    confusion = np.bincount(codes * groups + inferred, minlength=groups**2).reshape(groups, groups)
    n = confusion.sum(axis=1)
    hits = confusion.diagonal()
    with np.errstate(invalid="ignore"):
        recall = hits / n
        precision = hits / confusion.sum(axis=0)
        f1 = 2 * hits / (n + confusion.sum(axis=0))
    balanced = _balanced_accuracy(confusion, seed=seed, confidence=confidence, n_resamples=n_resamples)
    chance = 1 / groups
    better = bool(balanced.low > chance)
    return ClassifierQuality(
        labels=labels,
        confusion=confusion.astype(np.int64),
        n=n.astype(np.int64),
        recall=recall,
        precision=precision,
        f1=f1,
        balanced_accuracy=balanced,
        auc=macro_auc(codes, proba, confidence=confidence),
        better_than_chance=better,
        estimator=estimator,
        confidence=confidence,
        note=_note(labels, n, better=better, chance=chance),
    )


def macro_auc(codes: IntArray, proba: FloatArray, *, confidence: float = 0.95) -> Estimate:
    """One-vs-rest AUC, averaged over groups, with DeLong's interval.

    Each row's part in the average is known in closed form (the share of the other side that it is ranked
    above, ties counted half), so that the interval needs no resampling.
    """
    n, groups = proba.shape
    influence = np.zeros(n)
    # With two groups both sides give the same area; the second is the plain one.
    asked = [1] if groups == 2 else list(range(groups))
    areas = np.zeros(len(asked))
    for at, group in enumerate(asked):
        inside = codes == group
        positives, negatives = int(inside.sum()), int((~inside).sum())
        score = proba[:, group]
        ranks = rankdata(score)
        above = np.empty(n)
        # Rank among all less rank among one's own: how many of the other side lie below (ties half).
        above[inside] = (ranks[inside] - rankdata(score[inside])) / negatives
        above[~inside] = 1 - (ranks[~inside] - rankdata(score[~inside])) / positives
        areas[at] = above[inside].mean()
        share = np.where(inside, positives / n, negatives / n)
        influence += (above - areas[at]) / share / len(asked)
    area = float(areas.mean())
    error = float(influence.std(ddof=1)) / math.sqrt(n)
    if not 0 < area < 1 or error == 0:
        return Estimate(area, area, area, n=n)
    half = float(ndtri(0.5 + confidence / 2)) * error / (area * (1 - area))
    return Estimate(area, float(expit(logit(area) - half)), float(expit(logit(area) + half)), n=n)


def _balanced_accuracy(confusion: IntArray, *, seed: int, confidence: float, n_resamples: int) -> Estimate:
    n = confusion.sum(axis=1)
    recall = confusion.diagonal() / n
    rng = child(seed, "classifier quality", "balanced accuracy")
    # Resampling a group's rows only matters through how many of them are right.
    drawn = np.column_stack(
        [
            rng.binomial(int(size), share, size=n_resamples) / size
            for size, share in zip(n, recall, strict=True)
        ]
    ).mean(axis=1)
    low, high = np.quantile(drawn, [0.5 - confidence / 2, 0.5 + confidence / 2])
    return Estimate(float(recall.mean()), float(low), float(high), n=int(n.sum()))


def _note(labels: tuple[str, ...], n: IntArray, *, better: bool, chance: float) -> str:
    if not better:
        return (
            "The interval of the balanced accuracy does not lie above chance "
            f"({chance:.2f}): the columns are not shown to tell the groups apart."
        )
    few = [label for label, size in zip(labels, n, strict=True) if size < 30]
    if few:
        return f"{len(few)} of {len(labels)} groups have fewer than 30 rows; their recall is rough."
    return "Every row was classified by a model that had not seen it."


def _finite(value: float) -> float | None:
    return float(value) if math.isfinite(value) else None
