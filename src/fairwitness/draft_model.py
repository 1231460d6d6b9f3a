"""What a model file says of itself, as far as an ``audit.toml`` needs it; the model is not built."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from fairwitness.model import inspect_model
from fairwitness.text import listing, plain


@dataclass(frozen=True, slots=True)
class ModelFacts:
    """What a draft takes from a model file.

    Attributes
    ----------
    favorable
        The good outcome as the model says it, where that is not the table's word and can be told.
    features
        The table's columns in the model's order, where the model names them otherwise.
    notes
        Sentences for the reader.
    """

    favorable: object | None
    features: tuple[str, ...]
    notes: tuple[str, ...]


def describe_model(path: Path, present: Sequence[str], good: object) -> ModelFacts:
    """Look into a model file.

    Parameters
    ----------
    path
        The file.
    present
        Columns of the table.
    good
        The favourable outcome as the table has it.

    Raises
    ------
    ModelError
        If there is no such file, or it is of no known format.
    """
    file = inspect_model(path)
    name = plain(file.name)
    notes = []
    untrusted = _texts(file.details.get("untrusted_types"))
    if not file.loads_by_default and not untrusted:
        notes.append(
            f"Loading {name} can run any code that its maker put in: if you trust them, audit it with "
            "--allow-pickle."
        )
    if untrusted:
        notes.append(
            f"{name} holds {listing([plain(each) for each in untrusted], most=5)}: if you trust these types, "
            "list them as trusted in [model]."
        )
    features, said = _features(name, file.details, present)
    favorable = None
    numbered = file.format.startswith(("xgboost", "lightgbm")) or _numbered(file.details.get("classes"))
    if numbered and isinstance(good, str):
        favorable = 1
        notes.append(
            f"{name} answers with numbers: 1 was taken for {plain(good)}; check favorable in [model]."
        )
    return ModelFacts(favorable, features, (*notes, *said))


def _features(
    name: str, details: Mapping[str, object], present: Sequence[str]
) -> tuple[tuple[str, ...], list[str]]:
    """Match the model's names of columns with the table's, as far as it has any."""
    inputs: Any = details.get("inputs")
    known = _texts(details.get("features"))
    if isinstance(inputs, list | tuple):
        known = [str(each["name"]) for each in inputs if isinstance(each, Mapping) and "name" in each]
        if len(known) == 1 and known[0] not in present:
            return (), [
                f"{name} names no columns: list them, in the order of training, as features in [model]."
            ]
    absent = [each for each in known if each not in present]
    if not absent:
        return (), []
    # Converters write other signs than letters and digits as underscores.
    alike = {re.sub(r"\W", "_", column): column for column in present}
    matched = tuple(each if each in present else alike.get(each, "") for each in known)
    if all(matched) and len(set(matched)) == len(matched):
        return matched, [
            f"{name} calls {listing([plain(each) for each in absent])} what the table calls "
            f"{listing([plain(alike[each]) for each in absent])}; check features in [model]."
        ]
    return (), [f"{name} reads {listing([plain(each) for each in absent])}, which the table lacks."]


def _numbered(classes: object) -> bool:
    texts = _texts(classes)
    return len(texts) == 2 and set(texts) == {"0", "1"}


def _texts(values: object) -> list[str]:
    return [str(value) for value in values] if isinstance(values, list | tuple) else []
