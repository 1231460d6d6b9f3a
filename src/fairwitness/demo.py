"""The demonstration: real mortgage decisions, a decision maker that never sees race, one audit."""

from __future__ import annotations

from fairwitness.audit import Audit
from fairwitness.datasets import load_loanapp
from fairwitness.datasets.loanapp import decision_maker
from fairwitness.model import CrossFitted
from fairwitness.rng import child_seed, seed_from
from fairwitness.table import Schema
from fairwitness.typing import RandomState


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
        k=k,
        random_state=seed,
        n_jobs=n_jobs,
        outcome=data.outcome,
        people=data.people,
        source=data.source,
        notes=[*data.notes, *dropped],
        command=command,
    )
