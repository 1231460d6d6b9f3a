"""The audit: plan → methods → findings → report.

This file knows the order of things and nothing else: no method's thresholds, no column, no picture. A
method is added by adding its room and naming it in :data:`METHODS`.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Literal

from fairwitness import record
from fairwitness.arguments import shown
from fairwitness.canonical.checks import run as canonical
from fairwitness.case import Case
from fairwitness.causal.audit.options import read_graph
from fairwitness.causal.checks import run as bounds
from fairwitness.errors import ConfigError, FairwitnessWarning
from fairwitness.findings import SEVERITIES, Finding, NotApplicable, Section, Severity
from fairwitness.flips.checks import run as opportunity
from fairwitness.intake import prepare_case
from fairwitness.intake.checks import run as data
from fairwitness.metrics.checks import run as rates
from fairwitness.metrics.evaluation.checks import run as evaluation
from fairwitness.progress import track
from fairwitness.report import render, to_json, write_report
from fairwitness.table import Schema
from fairwitness.text import listing
from fairwitness.typing import Document, MissingPolicy, NativeFrame, RandomState

#: Method name → what runs it. The order is the order of the report.
METHODS: Mapping[str, Callable[[Case], Section]] = {
    "rates": rates,
    "opportunity": opportunity,
    "bounds": bounds,
    "canonical": canonical,
    "evaluation": evaluation,
}


@dataclass(frozen=True, slots=True)
class AuditReport:
    """What one audit found.

    Attributes
    ----------
    document
        Everything as plain values: what ``report.json`` holds.
    sections
        One entry a method, with its own result objects under ``results``.
    """

    document: Document
    sections: tuple[Section, ...]

    @property
    def findings(self) -> tuple[Finding, ...]:
        """All findings: highest severity first, then largest in relation to its uncertainty."""
        return record.sort_findings(finding for section in self.sections for finding in section.findings)

    @property
    def not_applicable(self) -> tuple[NotApplicable, ...]:
        """All questions that could not be asked, with the reason."""
        return tuple(answer for section in self.sections for answer in section.not_applicable)

    def at_least(self, severity: Severity) -> tuple[Finding, ...]:
        """Give the established findings of this severity or a higher one."""
        if severity not in SEVERITIES:
            raise ConfigError(
                "there is no such severity", got=shown(severity), fix=f"use one of {', '.join(SEVERITIES)}"
            )
        worst = SEVERITIES[: SEVERITIES.index(severity) + 1]
        return tuple(each for each in self.findings if each.established and each.severity in worst)

    @property
    def tables(self) -> dict[str, Sequence[Mapping[str, object]]]:
        """Table name → rows: what is written as CSV beside the report."""
        return {name: table for section in self.sections for name, table in section.tables.items()}

    def to_dict(self) -> Document:
        """Give the whole report as plain values."""
        return self.document

    def to_html(self, path: str | Path | None = None, *, rows: bool = True) -> str:
        """Render the report as one self-contained HTML page; write it to ``path`` if given.

        ``rows=False`` leaves out the example people.
        """
        place = record.place_for(path)
        return record.written(render(self.document, rows=rows), place)

    def to_json(self, path: str | Path | None = None) -> str:
        """Give the report as JSON text; write it to ``path`` if given."""
        place = record.place_for(path)
        return record.written(to_json(self.document), place)

    def write(self, folder: str | Path = "fairwitness-report", *, rows: bool = True) -> Path:
        """Write ``report.html``, ``report.json`` and the tables as CSV, all or nothing."""
        return write_report(self.document, self.tables, Path(folder), rows=rows)

    def __repr__(self) -> str:
        counts = {s: sum(f.severity == s for f in self.findings) for s in SEVERITIES}
        said = ", ".join(f"{count} {severity}" for severity, count in counts.items() if count)
        return f"<AuditReport: {said or 'no findings'}; {len(self.not_applicable)} not applicable>"

    def _repr_html_(self) -> str:
        return record.in_notebook(self.to_html())


class Audit:
    """Audit one decision model on one table.

    Parameters
    ----------
    model
        Anything :func:`fairwitness.as_blackbox` takes, or a fitted
        :class:`fairwitness.model.CrossFitted` (then every row is judged by a model that never saw it).
    X
        Table of n rows: the model's inputs, and the sensitive columns unless they lie beside it.
    y
        (n,) true outcomes, if known: needed for true and false positive rates only.
    sensitive_features
        Column names (or cuts such as ``"age > 25"``), or a frame, column or mapping beside ``X``.
    privileged
        The reference group: a value, or column → value. Chosen by acceptance rate, and said, if absent.
    favorable
        The label of the good outcome, in ``y`` and among the model's classes.
    threshold
        Score from which a row is accepted; at 0.5 a classifier's own decision is used.
    schema
        Kinds, ranges and constraints of the columns; inferred if absent.
    graph
        A causal graph of the table's columns and the decision, in any form that
        :meth:`fairwitness.causal.CausalGraph.from_any` reads, such as
        ``"sex -> income; {sex, income} -> decision"``: an assumption of yours, which bounds on the effects
        of sensitive features rest on. The node of the decision is called ``decision``, or like the
        outcome, or is the only one without effects.
    compare
        Name → another model, of any kind that ``model`` may be: measured on the same rows, so that the report
        shows accuracy against differences between groups. One that cannot be asked is said, and left out.
    methods
        ``"auto"`` or names among ``"rates"``, ``"opportunity"``, ``"bounds"``, ``"canonical"`` and
        ``"evaluation"``.
    k
        Counterfactuals a person, at most.
    random_state
        Seed. Equal seeds give equal reports, whatever ``n_jobs``, chunk sizes and row order.
    n_jobs
        Workers, as in joblib.
    missing
        What a missing sensitive value means: ``"error"``, ``"group"`` (of its own) or ``"drop"``.
    intersections
        Also compare combinations of sensitive features: ``True`` for all of them together, or the ones that
        are wanted, as lists of names: ``[("race", "sex")]``.
    confidence
        Level of all intervals.
    minimum_n
        Groups with fewer rows are shown and marked.
    settings
        Method options: ``generator``, ``classifier``, ``convention``, ``shortfall``, ``max_people``,
        ``thresholds``; for bounds ``bins`` (where numbers are cut, ``{"income": [30000]}``), ``tau``
        (effects up to this size are within tolerance), ``paths`` and ``redlining`` (of interest),
        ``decision`` (its node) and ``sampling_error`` (``"resampled"``, ``"region"`` or ``"none"``).
    outcome, people, source, notes, command
        Words for the report: the outcome column's name, what to call the rows, where the table came from,
        what was done to it beforehand, and the command that makes the report again.

    Examples
    --------
    >>> import fairwitness as fw
    >>> world = fw.datasets.proxy_world(200, random_state=0)  # or a model, a table and outcomes of your own
    >>> report = fw.Audit(
    ...     world.model, world.X, world.y, sensitive_features={"group": world.sensitive}, k=20, random_state=0
    ... ).run()
    >>> "FLIP001" in {finding.code for finding in report.at_least("high")}
    True
    >>> page = report.to_html()  # to_html("report.html") writes it, and write("folder") writes all there is
    """

    def __init__(
        self,
        model: object,
        X: NativeFrame,
        y: object = None,
        *,
        sensitive_features: object,
        privileged: object = None,
        favorable: object = 1,
        threshold: float = 0.5,
        schema: Schema | None = None,
        graph: object = None,
        compare: Mapping[str, object] | None = None,
        methods: Literal["auto"] | Sequence[str] = "auto",
        k: int = 100,
        random_state: RandomState = None,
        n_jobs: int | None = None,
        missing: MissingPolicy = "group",
        intersections: bool | Sequence[Sequence[str]] = True,
        confidence: float = 0.95,
        minimum_n: int = 30,
        settings: Mapping[str, object] | None = None,
        outcome: str | None = None,
        people: str = "people",
        source: str = "a table in memory",
        notes: Sequence[str] = (),
        command: str = "",
    ) -> None:
        self.methods = _plan(methods)
        self.told = record.Told(
            outcome=outcome,
            source=source or "a table in memory",
            notes=(notes,) if isinstance(notes, str) else tuple(map(str, notes or ())),
            command=command or "",
        )
        self._prepare = partial(
            prepare_case,
            model,
            X,
            y,
            sensitive_features=sensitive_features,
            privileged=privileged,
            favorable=favorable,
            threshold=threshold,
            schema=schema,
            graph=read_graph(graph, settings),
            compare=compare,
            k=k,
            random_state=random_state,
            n_jobs=n_jobs,
            missing=missing,
            intersections=intersections,
            confidence=confidence,
            minimum_n=minimum_n,
            outcome=outcome,
            people=people or "people",
            settings=settings,
        )

    def __repr__(self) -> str:
        return f"<Audit: {', '.join(self.methods)}; run() gives the report>"

    def run(self) -> AuditReport:
        """Ask every planned method and gather what it says.

        Raises
        ------
        FairwitnessError
            If the table, the model or a setting makes the audit as a whole impossible. A method that
            does not apply is not an error: it answers with a reason.
        """
        clock = record.Clock()
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always", FairwitnessWarning)
            case = self._prepare()
            clock.lap("prepare")
            sections = [data(case)]
            for name in track(self.methods, description="methods"):
                sections.append(METHODS[name](case))
                clock.lap(name)
        said = record.pass_on(caught)
        document = record.make_document(case, sections, self.told, warnings=said, seconds=clock.seconds)
        return AuditReport(document=document, sections=tuple(sections))


def _plan(methods: Literal["auto"] | Sequence[str]) -> tuple[str, ...]:
    listed = isinstance(methods, Iterable) and not isinstance(methods, str)
    asked = list(methods) if listed else [methods]
    if asked == ["auto"]:
        return tuple(METHODS)
    unknown = [name for name in asked if name not in METHODS]
    if unknown or not asked:
        raise ConfigError(
            "there is no such method",
            got=listing([shown(name) for name in unknown]) or "none",
            fix=f"use auto, or some of {', '.join(METHODS)}",
        )
    return tuple(name for name in METHODS if name in asked)
