"""The demonstration: real mortgage decisions, a decision maker that never sees race, one audit."""

from __future__ import annotations

from fairwitness.audit import Audit
from fairwitness.datasets import load_loanapp
from fairwitness.datasets.loanapp import decision_maker
from fairwitness.model import CrossFitted
from fairwitness.rng import child_seed, seed_from
from fairwitness.table import Schema
from fairwitness.typing import RandomState

#: A causal graph for the demonstration: an assumption, made by nobody who knows these applicants. It draws
#: every edge that the order of its columns allows, and admits hidden common causes of all three of them
#: (wealth, age), and of race and sex, which go together among applicants. What it assumes lies in what it
#: leaves out: nothing hidden moves race or sex together with the columns or the decision.
GRAPH = """
race <-> sex
{race, sex} -> sch
{race, sex, sch} -> {gdlin, obrat}
{race, sex, sch, gdlin, obrat} -> approve
sch <-> gdlin; sch <-> obrat; gdlin <-> obrat
"""
#: Obligations above 36 % of income: the customary guideline of mortgage lenders.
BINS = {"obrat": "> 36"}
ASSUMED = (
    "The causal graph is an assumption made for this demonstration, with a few of the model's columns: sch "
    "(more than 12 years of schooling), gdlin (credit history meets guidelines) and obrat (all obligations, "
    "percent of income, cut at 36, a customary guideline). Nobody who knows these applicants has checked it. "
    "gdlin is the lender's own finding, so the paths through it are also shown on their own."
)


def mortgage_audit(
    *, random_state: RandomState = 0, k: int = 100, n_jobs: int | None = None, command: str = ""
) -> Audit:
    """Prepare the audit of a cross-fitted decision maker on the Boston mortgage applications.

    Raises
    ------
    MissingExtraError
        If the package that carries the data is not installed.
    """
    seed = seed_from(random_state)
    data = load_loanapp()
    model = CrossFitted(
        decision_maker(), cv=5, random_state=child_seed(seed, "decision maker"), n_jobs=n_jobs
    ).fit(data.X, data.y)
    dropped = [f"{column} is no model input: {reason}." for column, reason in data.dropped.items()]
    return Audit(
        model,
        data.X,
        data.y,
        sensitive_features=data.sensitive,
        privileged=data.privileged,
        favorable=data.favorable,
        schema=Schema.infer(data.X, **data.schema_hints),
        graph=GRAPH,
        settings={"bins": BINS, "redlining": ["gdlin"]},
        k=k,
        random_state=seed,
        n_jobs=n_jobs,
        outcome=data.outcome,
        people=data.people,
        source=data.source,
        notes=[ASSUMED, *data.notes, *dropped],
        command=command,
    )
