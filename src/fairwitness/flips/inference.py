"""Which group do people, and their counterfactuals, look like? What f_s says of both."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import ArrayLike

from fairwitness.arguments import shown
from fairwitness.errors import DataError, FairwitnessError, GroupError, ModelError
from fairwitness.text import listing, plain
from fairwitness.typing import FloatArray, IntArray, NativeFrame

if TYPE_CHECKING:
    from fairwitness.counterfactuals.sets import CounterfactualSet

#: Counterfactuals a classifier is asked about at once.
_CHUNK = 50_000


@runtime_checkable
class Classifier(Protocol):
    """A fitted :class:`fairwitness.model.SensitiveFeatureClassifier`, or any classifier of its shape."""

    classes_: Any

    def predict_proba(self, X: NativeFrame) -> FloatArray:
        """Give (n, classes) probabilities."""
        ...


def class_names(classifier: Classifier) -> list[str]:
    """Give the classes as groups are labelled, in the order of the probability columns.

    Raises
    ------
    ModelError
        If the classifier is not fitted, or is no classifier.
    """
    classes = getattr(classifier, "classes_", None)
    if classes is None or not hasattr(classifier, "predict_proba"):
        raise ModelError(
            "the sensitive-feature classifier is not fitted, or gives no probabilities",
            got=type(classifier).__name__,
            fix="pass a fitted SensitiveFeatureClassifier, or any classifier with predict_proba",
        )
    from fairwitness.table.levels import level_text

    return [level_text(value.item() if isinstance(value, np.generic) else value) for value in classes]


def people_proba(classifier: Classifier, evidence: NativeFrame) -> FloatArray:
    """Give the classifier's probabilities for rows of a table, checked."""
    from fairwitness.table.frames import n_rows

    names = class_names(classifier)
    if n_rows(evidence) == 0:
        return np.zeros((0, len(names)))
    return _checked(classifier, _asked(classifier.predict_proba, evidence), n_rows(evidence))


def counterfactual_proba(
    counterfactuals: CounterfactualSet,
    classifier: Classifier,
    *,
    origins: NativeFrame,
    known: FloatArray | None = None,
) -> FloatArray:
    """Give the classifier's probabilities for every counterfactual.

    Parameters
    ----------
    counterfactuals
        Of q people, m in all.
    classifier
        Fitted. If it has ``predict_proba_for(counterfactuals, origins)``, each counterfactual is judged by
        a model that saw neither it nor its person.
    origins
        (q rows) the columns the classifier reads, of the people themselves. A column that the
        counterfactuals do not have keeps the person's value.
    known
        (n, classes) the probabilities of the table the generator was fitted on. A counterfactual that is a
        row of it needs no second question, provided that it has all columns the classifier reads.

    Returns
    -------
    (m, classes) array, rows summing to 1.
    """
    from fairwitness.table.frames import column_names

    names = column_names(origins)
    out = np.full((len(counterfactuals), len(class_names(classifier))), np.nan)
    whole = set(names) <= set(counterfactuals.encoder.names)
    asked = np.arange(len(counterfactuals))
    if known is not None and whole:
        there = counterfactuals.source >= 0
        out[there] = known[counterfactuals.source[there]]
        asked = np.flatnonzero(~there)
    for at in range(0, len(asked), _CHUNK):
        lines = asked[at : at + _CHUNK]
        out[lines] = _ask(classifier, *decoded_rows(counterfactuals, lines, origins, names))
    return out


def align(proba: FloatArray, classifier: Classifier, labels: Sequence[str]) -> tuple[FloatArray, IntArray]:
    """Bring probabilities into the order of ``labels``; give them, and the most probable label's code.

    Raises
    ------
    GroupError
        If no class of the classifier is one of the labels.
    """
    names = class_names(classifier)
    code = np.array([labels.index(name) if name in labels else -1 for name in names], dtype=np.int64)
    if (code < 0).all():
        raise GroupError(
            "the sensitive-feature classifier knows none of the groups",
            got=f"classes {listing([plain(name) for name in names])}",
            fix=f"fit it on the labels {listing([plain(label) for label in labels])}",
        )
    ordered = np.zeros((len(proba), len(labels)))
    ordered[:, code[code >= 0]] = proba[:, code >= 0]
    return ordered, code[proba.argmax(axis=1)] if len(proba) else np.zeros(0, dtype=np.int64)


def decoded_rows(
    counterfactuals: CounterfactualSet, lines: IntArray, origins: NativeFrame, names: Sequence[str]
) -> tuple[NativeFrame, NativeFrame]:
    """Give some counterfactuals as the classifier reads them, and the person each of them starts from."""
    import narwhals as nw

    from fairwitness.table.frames import column_names, select_columns, take_rows

    decoded = counterfactuals.encoder.decode(counterfactuals.rows[lines])
    people = take_rows(origins, counterfactuals.query[lines])
    own = set(column_names(decoded))
    kept = [name for name in names if name not in own]
    if kept:
        parts = [
            nw.from_native(decoded, eager_only=True),
            nw.from_native(select_columns(people, kept), eager_only=True),
        ]
        decoded = nw.concat(parts, how="horizontal").to_native()
    return select_columns(decoded, names), people


def _ask(classifier: Classifier, rows: NativeFrame, origins: NativeFrame) -> FloatArray:
    from fairwitness.table.frames import n_rows

    held_out = getattr(classifier, "predict_proba_for", None)
    frames = (rows,) if held_out is None else (rows, origins)
    return _checked(classifier, _asked(held_out or classifier.predict_proba, *frames), n_rows(rows))


def _asked(question: Callable[..., object], *frames: NativeFrame) -> object:
    from fairwitness.model.messages import said

    try:
        return question(*frames)
    except FairwitnessError:
        raise
    except Exception as error:  # the user's classifier may raise anything
        raise ModelError(
            f"the sensitive-feature classifier could not judge the rows: {said(error)}",
            fix="fit it on the very columns that it is asked about, or name them with evidence=",
        ) from error


def check_set(counterfactuals: object) -> None:
    """Refuse what is no set of counterfactuals.

    Raises
    ------
    DataError
        If it is none.
    """
    from fairwitness.counterfactuals.sets import CounterfactualSet

    if not isinstance(counterfactuals, CounterfactualSet):
        raise DataError(
            "this is no set of counterfactuals",
            got=type(counterfactuals).__name__,
            fix="pass what a generator's generate(...) gives, or .counterfactuals of a result",
        )


def positions(values: ArrayLike, name: str) -> IntArray:
    """Give positions as integers, from positions or from a mask.

    Raises
    ------
    DataError
        If they are neither.
    """
    array = np.asarray(values)
    if array.dtype == bool and array.ndim == 1:
        return np.flatnonzero(array)
    if array.dtype.kind not in "iu" and array.size:
        raise DataError(
            f"{name} must be positions, or one boolean a row", got=shown(values), fix="pass integers from 0"
        )
    return array.astype(np.int64).reshape(-1)


def _checked(classifier: Classifier, answer: object, n: int) -> FloatArray:
    proba = np.asarray(answer, dtype=np.float64)
    if proba.shape != (n, len(class_names(classifier))) or not np.isfinite(proba).all():
        raise ModelError(
            "the sensitive-feature classifier did not give one probability a row and class",
            got=f"shape {proba.shape} for {n} rows",
            fix="check its predict_proba",
        )
    return proba
