"""Models beside the audited one: asked about the same rows, and what fails is said."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from fairwitness.arguments import shown
from fairwitness.case import Compared
from fairwitness.errors import ConfigError, FairwitnessError, ModelError
from fairwitness.model import CrossFitted, Judgement, as_blackbox, judge_by_fold
from fairwitness.table import select_columns
from fairwitness.text import plain
from fairwitness.typing import IntArray, NativeFrame


def judge_others(
    models: Mapping[str, object] | None,
    X: NativeFrame,
    order: IntArray,
    *,
    favorable: object,
    threshold: float,
) -> dict[str, Compared]:
    """Ask every model about all rows of the user's table, in its order, and sort the answers as the case is.

    Parameters
    ----------
    models
        Name → anything that an audit takes as a model.
    X
        The user's table; each model finds its own columns in it.
    order
        (n,) the case's order of rows.
    favorable, threshold
        Of models that are no black boxes yet.

    Raises
    ------
    ConfigError
        If ``models`` is no mapping of names. A model that fails is no error.
    """
    if models is None:
        return {}
    if not isinstance(models, Mapping):
        raise ConfigError(
            "compare must map names to models", got=shown(models), fix='pass for example {"last year": model}'
        )
    for name in models:
        if not isinstance(name, str) or not name.strip():
            raise ConfigError("a model to compare has no name", got=shown(name), fix="pass text as its key")
    return {
        name: _judged(model, X, order, favorable=favorable, threshold=threshold)
        for name, model in models.items()
    }


def _judged(
    model: object, X: NativeFrame, order: IntArray, *, favorable: object, threshold: float
) -> Compared:
    try:
        if isinstance(model, CrossFitted):
            rows = select_columns(X, [str(name) for name in model.feature_names_in_])
            fold = model.fold_of(rows)
            if (fold < 0).any():
                raise ModelError(
                    f"{int((fold < 0).sum()):,} rows were not in the table that it was cross-fitted on",
                    fix="fit it on this table",
                )
            members = model.members(favorable=favorable, threshold=threshold)
            judged, info = judge_by_fold(members, fold, rows), members[0].info
        else:
            box = as_blackbox(model, favorable=favorable, threshold=threshold)
            judged, info = box.judge(X), box.info
    except FairwitnessError as error:
        got = "" if error.got is None else f" (got {plain(error.got)})"
        return Compared(
            None, failure=f"{plain(error.what, most=300)}{got}", remedy=plain(error.fix or "", most=300)
        )
    answers = Judgement(accepted=judged.accepted[order], score=np.asarray(judged.score)[order])
    # A column's bytes depend on the order of the rows, and a report must not.
    digest = info.digest if info.can_query else None
    return Compared(answers, kind=info.kind, digest=digest)
