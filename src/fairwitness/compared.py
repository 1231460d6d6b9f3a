"""Models of ``[compare]``: loaded, made or read, to be measured beside the audited one."""

from __future__ import annotations

import numpy as np

from fairwitness.config import AuditConfig, place
from fairwitness.config_tables import ComparedConfig
from fairwitness.errors import DataError, FairwitnessError
from fairwitness.model import BlackBox, CrossFitted, as_blackbox, decision_makers, load_model
from fairwitness.model.coded import CodedLabels
from fairwitness.model.digest import file_digest
from fairwitness.rng import child_seed
from fairwitness.sources import Sources
from fairwitness.table import Schema, column_names, select_columns
from fairwitness.text import listing, plain


def compared_models(config: AuditConfig, sources: Sources) -> dict[str, object]:
    """Give name → model, for :class:`fairwitness.Audit`'s ``compare``.

    Raises
    ------
    FairwitnessError
        If a file cannot be loaded, or columns are missing; the message names the line.
    """
    return {name: _model(config, name, asked, sources) for name, asked in config.compare.items()}


def _model(config: AuditConfig, name: str, asked: ComparedConfig, sources: Sources) -> object:
    good = config.outcome.favorable if asked.favorable is None else asked.favorable
    if asked.train is not None:
        return _trained(config, name, asked, sources)
    try:
        if asked.predictions is not None:
            given: object = sources.compared[name]
            box = as_blackbox(given, favorable=good, threshold=asked.threshold, kind="predictions")
        else:
            box = model_of_file(asked, good)
    except FairwitnessError as error:
        raise type(error)(
            f"{place(config, 'compare', name)}: {error.what}", got=error.got, fix=error.fix
        ) from error
    box.in_table = config.outcome.favorable
    return box


def model_of_file(asked: ComparedConfig, favorable: object) -> BlackBox:
    """Load the model of an entry that names a file, by the rules of safe loading.

    Raises
    ------
    FairwitnessError
        If it cannot be loaded or called.
    """
    assert asked.path is not None  # one of path, predictions and train, by the reader
    return as_blackbox(
        load_model(asked.path, allow_pickle=asked.allow_pickle, trusted=asked.trusted),
        favorable=favorable,
        threshold=asked.threshold,
        kind=asked.kind,  # type: ignore[arg-type]  # an unknown one is refused there
        feature_names=asked.features or None,
        digest=file_digest(asked.path),
    )


def _trained(config: AuditConfig, name: str, asked: ComparedConfig, sources: Sources) -> CrossFitted:
    """Cross-fit a decision maker on the columns that are not sensitive."""
    usable = [each for each in column_names(sources.X) if each not in sources.sensitive]
    wanted = list(asked.features) or usable
    outside = [each for each in wanted if each not in usable]
    if sources.y is None or outside or not wanted:
        what = "without an outcome" if sources.y is None else f"on {plain((outside or ['no column'])[0])}"
        raise DataError(
            f"{place(config, 'compare', name)}: a model cannot be trained {what}",
            fix=f"use some of {listing([plain(each) for each in usable], most=20)}, and name the outcome",
        )
    assert asked.train is not None
    X = select_columns(sources.X, wanted)
    seed = child_seed(config.run.seed, "compare", name)
    maker = decision_makers(Schema.infer(X), only=[asked.train], quick=True, random_state=seed)
    fitted = CrossFitted(CodedLabels(maker[asked.train].estimator), cv=5, random_state=seed)
    return fitted.fit(X, np.asarray(sources.y))
