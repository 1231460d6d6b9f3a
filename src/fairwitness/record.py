"""The record of an audit: everything as plain values, in the shape of ``report/schema.json``.

Only the part named ``run`` (when, how long, with which versions, by which command) differs between two
audits of the same table and model with the same seed.
"""

from __future__ import annotations

import hashlib
import math
import platform
import time
import warnings
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path, PurePath

import numpy as np

import fairwitness
from fairwitness.arguments import as_path
from fairwitness.case import Case
from fairwitness.errors import ConfigError, FairwitnessWarning
from fairwitness.findings import SEVERITIES, Finding, Section
from fairwitness.report import SCHEMA_VERSION, clean
from fairwitness.table import Groups, table_hash
from fairwitness.text import plain
from fairwitness.typing import Document

#: Versions of these decide the numbers; they are written into every report.
RECORDED = (
    "numpy", "scipy", "scikit-learn", "pandas", "narwhals", "pyarrow", "xgboost", "lightgbm", "onnxruntime",
    "torch",
)  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """What the reader of a report is told besides the numbers."""

    outcome: str | None
    source: str
    notes: tuple[str, ...]
    command: str


@dataclass(slots=True)
class Clock:
    """Seconds spent on each stage, for the reader who wonders what took so long."""

    seconds: dict[str, float] = field(default_factory=dict)
    _last: float = field(default_factory=time.perf_counter)

    def lap(self, stage: str) -> None:
        """Book the time since the last lap under ``stage``."""
        now = time.perf_counter()
        self.seconds[stage] = round(now - self._last, 3)
        self._last = now


def make_document(
    case: Case,
    sections: Sequence[Section],
    told: Told,
    *,
    warnings: Sequence[str],
    seconds: Mapping[str, float],
) -> Document:
    """Gather one audit into one document (see ``report/schema.json``)."""
    findings = sort_findings(each for section in sections for each in section.findings)
    # The table's own sentences (which columns the model reads) qualify the measured ones: they come last.
    spoken = sorted(sections, key=lambda section: section.key == "data")
    document = {
        "schema_version": SCHEMA_VERSION,
        "fairwitness_version": fairwitness.__version__,
        "run": {
            "created": datetime.now(UTC).isoformat(timespec="seconds"),
            "seconds": dict(seconds),
            "command": told.command,
            "platform": f"{platform.system()} {platform.machine()}, Python {platform.python_version()}",
            "versions": versions(),
        },
        "audited": _audited(case, told),
        "summary": [paragraph for section in spoken for paragraph in section.paragraphs],
        "overview": [row.to_dict() for section in sections for row in section.overview],
        "findings": [finding.to_dict() for finding in findings],
        "not_applicable": [each.to_dict() for section in sections for each in section.not_applicable],
        # A method that needs more than was given has no document, and no section.
        "sections": {s.key: s.document for s in sections if s.key != "data" and s.document},
        "limits": {
            "data": [
                *told.notes,
                *(n for s in sections if s.key == "data" for n in s.document["notes"]),
            ],
            "warnings": list(warnings),
        },
        "reproducibility": {
            "settings": _settings(case),
            "digests": {"table": table_hash(case.inputs), "model": _digest(case)},
            "cite": f"fairwitness {fairwitness.__version__}: a counterfactual fairness auditor for tabular "
            "decision models",
        },
    }
    plain_values: Document = clean(document)
    return plain_values


def _audited(case: Case, told: Told) -> Document:
    info = case.models[0].info
    return {
        "model": {
            "kind": info.kind,
            "name": info.name,
            "digest": _digest(case),
            "feature_names": list(case.schema.names),
            "classes": None if info.classes is None else [str(label) for label in info.classes],
            "threshold": case.models[0].threshold,
            "has_score": info.has_score,
            "n_models": len(case.models),
            "notes": list(info.notes),
        },
        "table": {
            "source": told.source,
            "rows": case.n_rows,
            "columns": len(case.schema.names),
            "digest": table_hash(case.inputs),
        },
        "outcome": told.outcome,
        "favorable": case.favorable,
        "people": case.people,
        "n_accepted": int(case.judgement.accepted.sum()),
        "n_rejected": int((~case.judgement.accepted).sum()),
        "sensitive_features": [_groups(groups) for groups in case.groups],
        "seed": case.seed,
        "k": case.k,
        "confidence": case.confidence,
    }


def _groups(groups: Groups) -> Document:
    return {
        "name": groups.name,
        "parts": list(groups.parts),
        "labels": list(groups.labels),
        "counts": [int(count) for count in groups.counts],
        "privileged": groups.labels[groups.privileged],
        "privileged_reason": groups.privileged_reason,
        "missing": groups.missing,
        "n_missing": int(groups.n_missing),
    }


def _digest(case: Case) -> str | None:
    """Name the model: by its bytes, or, for models trained for this audit, by their answers.

    The bytes of a model that was trained by a worker process and by this one differ; its answers do not.
    """
    if len(case.models) == 1:
        return case.models[0].info.digest
    answers = np.column_stack([case.judgement.accepted, np.round(case.judgement.score, 9)])
    return hashlib.sha256(answers.tobytes()).hexdigest()


def _settings(case: Case) -> Document:
    shown = {
        name: value
        if isinstance(value, str | int | float | bool | list | tuple | Mapping | None)
        else _named(value)
        for name, value in case.settings.items()
    }
    return {
        "seed": case.seed,
        "k": case.k,
        "confidence": case.confidence,
        "minimum_n": case.minimum_n,
        "favorable": case.favorable,
        **shown,
    }


def _named(value: object) -> str:
    """Name a setting that is no plain value: a file without its folder, anything else by its type."""
    return value.name if isinstance(value, PurePath) else type(value).__name__


def sort_findings(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """Sort: established first, highest severity first, then farthest from the reference for its width."""

    def strength(finding: Finding) -> float:
        low, high = finding.interval
        width = high - low
        if not math.isfinite(width) or width <= 0:
            return 0.0
        estimate = finding.estimate
        if not math.isfinite(estimate):  # a range without a value in it: its nearer end counts
            estimate = min(max(low, finding.reference), high)
        return abs(estimate - finding.reference) / width

    return tuple(
        sorted(
            findings,
            key=lambda f: (
                not f.established,
                SEVERITIES.index(f.severity),
                -strength(f),
                f.code,
                f.subject,
            ),
        )
    )


def versions() -> dict[str, str]:
    """Versions of the libraries that decide the numbers, where installed."""
    found = {"fairwitness": fairwitness.__version__}
    for package in RECORDED:
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            continue
    return found


def pass_on(caught: Sequence[warnings.WarningMessage]) -> list[str]:
    """Give our own warnings as sentences for the report; let everybody else's through as they were."""
    said: list[str] = []
    for each in caught:
        if issubclass(each.category, FairwitnessWarning):
            text = str(each.message)
            if text not in said:
                said.append(text)
        else:
            warnings.warn_explicit(each.message, each.category, each.filename, each.lineno)
    return said


def place_for(path: str | Path | None) -> Path | None:
    """Check that a file can be put there, before anything is drawn for it.

    Raises
    ------
    ConfigError
        If the path is none, its folder does not exist, or it is a folder itself.
    """
    if path is None:
        return None
    place = as_path(path)
    if place.is_dir() or not place.parent.is_dir():
        why = "it is a folder" if place.is_dir() else "there is no such folder"
        raise _unwritable(place, why)
    return place


def written(text: str, place: Path | None) -> str:
    """Write ``text`` to ``place`` (if there is one) and give it back."""
    if place is not None:
        try:
            place.write_text(text, encoding="utf-8")
        except OSError as error:
            raise _unwritable(place, error.strerror or str(error)) from error
    return text


def _unwritable(place: Path, why: str) -> ConfigError:
    return ConfigError(
        "the report cannot be written",
        got=f"{plain(place)}: {plain(why)}",
        fix="name a file in a folder that exists and that you may write to",
    )


def in_notebook(page: str) -> str:
    """Wrap a whole page so that a notebook shows it without mixing up the styles of the two."""
    import html

    return (
        f'<iframe srcdoc="{html.escape(page, quote=True)}" style="width:100%;height:70vh;border:0" '
        'title="fairwitness report"></iframe>'
    )
