"""What an audit says: findings with stable codes, and "not applicable" as a first-class answer.

A finding is a measured number with its interval, its n and a severity. Severity comes from thresholds in
``findings.toml`` (a data file, so that a policy can be read and replaced without reading code), and only
where the interval excludes the value of no difference; otherwise the finding is "not established".
"""

from __future__ import annotations

import math
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from importlib.resources import files
from pathlib import Path
from typing import Literal, TypeAlias

from fairwitness.arguments import as_path, real_number, shown
from fairwitness.errors import ConfigError
from fairwitness.text import plain
from fairwitness.typing import Document

Severity = Literal["high", "medium", "low", "note"]
SEVERITIES: tuple[Severity, ...] = ("high", "medium", "low", "note")
#: Severities that a threshold gives, the highest first.
STEPS: tuple[Severity, ...] = ("high", "medium", "low")
Interval = tuple[float, float]
Thresholds: TypeAlias = Mapping[str, Mapping[str, object]]


@dataclass(frozen=True, slots=True)
class Finding:
    """One measured fact that a person may act on.

    Attributes
    ----------
    code
        Stable identifier, listed in ``findings.toml``; never reused for another meaning.
    severity
        ``high``, ``medium``, ``low`` (threshold exceeded) or ``note`` (worth knowing, no threshold).
    title
        One sentence: what was measured and what came out, with no judgement.
    section
        The method it came from (``rates``, ``opportunity``, ...); the report links to it.
    measure
        Name of the measure, for example ``ΔCFlips@100``.
    subject
        For whom or what: a group, a feature.
    estimate, interval, confidence
        The number, its interval and the interval's level; NaN where there is none.
    n
        Number of independent units (rows, not counterfactuals) behind the estimate.
    reference
        The value that means "no difference" (0 for differences, 1 for ratios).
    threshold
        The threshold passed, if any.
    established
        False if the interval holds ``reference``: shown apart, with a remedy.
    remedy
        What would make the answer firmer, or what to look at next.
    """

    code: str
    severity: Severity
    title: str
    section: str
    measure: str
    subject: str
    estimate: float = math.nan
    interval: Interval = (math.nan, math.nan)
    n: int = 0
    confidence: float = 0.95
    reference: float = 0.0
    threshold: float | None = None
    established: bool = True
    remedy: str = ""
    evidence: Mapping[str, object] = field(default_factory=dict)

    def __repr__(self) -> str:
        said = self.severity if self.established else f"{self.severity}, not established"
        return f"<Finding {self.code} ({said}): {self.title} (n = {self.n:,})>"

    def to_dict(self) -> Document:
        """Give the finding as plain values, for JSON."""
        return {
            "code": self.code,
            "severity": self.severity,
            "title": self.title,
            "section": self.section,
            "measure": self.measure,
            "subject": self.subject,
            "estimate": self.estimate,
            "interval": list(self.interval),
            "n": self.n,
            "confidence": self.confidence,
            "reference": self.reference,
            "threshold": self.threshold,
            "established": self.established,
            "remedy": self.remedy,
            "evidence": dict(self.evidence),
        }


@dataclass(frozen=True, slots=True)
class NotApplicable:
    """A question that could not be asked here, and why; never a stack trace, never a zero."""

    method: str
    reason: str
    remedy: str = ""
    subject: str = ""

    def to_dict(self) -> Document:
        """Give the statement as plain values, for JSON."""
        return {
            "method": self.method,
            "subject": self.subject,
            "reason": self.reason,
            "remedy": self.remedy,
        }


@dataclass(frozen=True, slots=True)
class OverviewRow:
    """One line of the report's first picture: a measure, and each group's estimate on one axis.

    Attributes
    ----------
    measure, subject
        Name of the measure and of the sensitive feature.
    points
        ``(group, estimate, low, high)``, the privileged group first; an estimate of NaN between two numbers
        is an interval without a value that is likelier than others.
    unit
        ``share``, ``index`` (0 to 1, no share of anything), ``difference``, ``ratio`` or ``correlation``.
    at_random
        For each point, what a model that accepts as many at random gives the group; empty if not known.
    reference, thresholds
        The value of no difference, where it is no group's own, and values to mark.
    """

    measure: str
    subject: str
    points: tuple[tuple[str, float, float, float], ...]
    unit: str = "share"
    at_random: tuple[float, ...] = ()
    reference: float | None = None
    thresholds: tuple[float, ...] = ()

    def to_dict(self) -> Document:
        """Give the row as plain values, for JSON."""
        return {
            "measure": self.measure,
            "subject": self.subject,
            "unit": self.unit,
            **({} if self.reference is None else {"reference": self.reference}),
            **({"thresholds": list(self.thresholds)} if self.thresholds else {}),
            "points": [
                {
                    "group": group,
                    "estimate": estimate,
                    "low": low,
                    "high": high,
                    **({"at_random": self.at_random[at]} if self.at_random else {}),
                }
                for at, (group, estimate, low, high) in enumerate(self.points)
            ],
        }


@dataclass(frozen=True, slots=True)
class Section:
    """All that one method has to say in one audit.

    Attributes
    ----------
    key
        Stable name, also the anchor in the report: ``rates``, ``opportunity``, ...
    results
        The method's own result objects (one a sensitive feature), for use from Python.
    document
        The same facts as plain values: what ``report.json`` holds and the HTML is drawn from.
    paragraphs
        The answer in words that can be read aloud, each claim with number and interval: one paragraph for
        each sensitive feature, or for all of them where little is to be said.
    tables
        Name → rows (lists of flat dictionaries), written as CSV files beside the report.
    """

    key: str
    results: tuple[object, ...] = ()
    findings: tuple[Finding, ...] = ()
    not_applicable: tuple[NotApplicable, ...] = ()
    overview: tuple[OverviewRow, ...] = ()
    paragraphs: tuple[str, ...] = ()
    document: Document = field(default_factory=dict)
    tables: Mapping[str, Sequence[Mapping[str, object]]] = field(default_factory=dict)

    def __repr__(self) -> str:
        return (
            f"<Section {self.key}: {len(self.results)} results, {len(self.findings)} findings, "
            f"{len(self.not_applicable)} not applicable>"
        )


@lru_cache(maxsize=1)
def _shipped() -> Thresholds:
    text = files("fairwitness").joinpath("findings.toml").read_text(encoding="utf-8")
    table: Thresholds = tomllib.loads(text)
    return table


def load_thresholds(policy: object = None) -> Thresholds:
    """Give the thresholds: code → table of values.

    Parameters
    ----------
    policy
        ``None`` for those that we ship; the path of a TOML file, or a mapping, in the form of
        ``findings.toml``. A code that the policy has gets the policy's steps (``low``, ``medium``,
        ``high``) in place of ours; all else stays as shipped.

    Raises
    ------
    ConfigError
        If the file cannot be read, a code is unknown, or a step is no number.
    """
    if policy is None:
        return _shipped()
    given = policy if isinstance(policy, Mapping) else _read_policy(as_path(policy, "thresholds"))
    merged = dict(_shipped())
    for code, entry in given.items():
        if code not in merged:
            raise ConfigError(
                "the thresholds name a finding that does not exist",
                got=shown(code),
                fix=f"use some of {', '.join(merged)}",
            )
        if not isinstance(entry, Mapping):
            raise ConfigError(
                f"the thresholds of {code} are no table of values",
                got=shown(entry),
                fix=f"write for example [{code}] and below it high = 0.2",
            )
        kept = {name: value for name, value in merged[code].items() if name not in STEPS}
        merged[code] = {**kept, **entry}
        for step in (*STEPS, "reference"):
            if step in entry:
                _as_float(entry[step], f"{step} of {code}")
    return merged


def _read_policy(path: Path) -> Mapping[str, object]:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise ConfigError(
            "the thresholds file cannot be read",
            got=plain(error.strerror or error),
            fix=f"check the path {plain(path)}",
        ) from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ConfigError(
            f"the thresholds file {plain(path.name)} is no TOML", got=plain(error), fix="mend that line"
        ) from error


def grade(
    code: str,
    estimate: float,
    interval: Interval,
    *,
    thresholds: Thresholds | None = None,
) -> tuple[Severity, float | None, bool]:
    """Give severity, the threshold passed and whether the finding is established.

    The distance of ``estimate`` from the code's ``reference`` is compared with its ``low``, ``medium``
    and ``high`` thresholds. An interval that holds the reference, or is missing, makes the finding
    "not established" and its severity ``note``.
    """
    entry = (_shipped() if thresholds is None else thresholds).get(code)
    if entry is None:
        raise ConfigError(
            f"no thresholds for the finding code {code}", fix="add the code to the thresholds file"
        )
    reference = _as_float(entry.get("reference", 0.0), f"reference of {code}")
    low, high = interval
    if not all(map(math.isfinite, (estimate, low, high))) or low <= reference <= high:
        return "note", None, False
    for severity in STEPS:
        if severity not in entry:
            continue
        threshold = _as_float(entry[severity], f"{severity} of {code}")
        # A threshold on the far side of the reference (a ratio's 0.8) is passed from that side only.
        passed = (
            estimate <= threshold
            if entry.get("direction") == "below"
            else abs(estimate - reference) >= threshold
        )
        if passed:
            return severity, threshold, True
    return "note", None, True


def _as_float(value: object, name: str) -> float:
    return real_number(value, f"the threshold {name}", fix="correct the thresholds")
