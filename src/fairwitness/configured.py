"""From ``audit.toml`` to an audit: read the table, load or train the model, hand both over."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from fairwitness.audit import Audit
from fairwitness.config import AuditConfig, ModelConfig
from fairwitness.counterfactuals import (
    CounterfactualGenerator,
    DiceGenerator,
    ExactGenerator,
    GeneticGenerator,
    NeighborGenerator,
)
from fairwitness.errors import ConfigError, DataError
from fairwitness.model import (
    CrossFitted,
    EndpointSettings,
    as_blackbox,
    decision_makers,
    load_model,
    sensitive_classifiers,
)
from fairwitness.model.coded import CodedLabels
from fairwitness.model.digest import file_digest
from fairwitness.rng import child_seed
from fairwitness.table import (
    Schema,
    column,
    column_names,
    n_rows,
    parse_sensitive_spec,
    read_table,
    select_columns,
)
from fairwitness.text import listing, plain
from fairwitness.typing import NativeFrame


@dataclass(frozen=True, slots=True)
class Sources:
    """The table of an ``audit.toml``, taken apart; all parts in the order of its rows."""

    X: NativeFrame
    y: np.ndarray | None
    predictions: np.ndarray | None
    notes: tuple[str, ...]


def audit_from_config(config: AuditConfig, *, command: str = "") -> Audit:
    """Build the audit that a configuration describes.

    Raises
    ------
    FairwitnessError
        If the table or the model cannot be read, or they do not fit together.
    """
    sources = read_sources(config)
    schema = _schema(config, sources.X)
    return Audit(
        _model(config, sources),
        sources.X,
        sources.y,
        sensitive_features=list(config.sensitive.columns),
        privileged=dict(config.sensitive.privileged) or None,
        favorable=config.outcome.favorable,
        schema=schema,
        methods=config.methods.run,
        k=config.methods.k,
        random_state=config.run.seed,
        n_jobs=config.run.n_jobs,
        missing=config.sensitive.missing,  # type: ignore[arg-type]  # checked by config.CHOICES
        intersections=config.sensitive.intersections,
        confidence=config.methods.confidence,
        minimum_n=config.methods.minimum_n,
        settings={
            "generator": make_generator(config.methods.generator, config.run.n_jobs, config.run.seed),
            "convention": config.methods.convention,
            "shortfall": config.methods.shortfall,
            "classifier": _classifier(config, sources.X),
            "max_people": config.methods.max_people,
            "thresholds": config.methods.thresholds,
        },
        outcome=config.outcome.column,
        people=config.outcome.people,
        source=config.table.path.name,
        notes=sources.notes,
        command=command,
    )


def read_sources(config: AuditConfig) -> Sources:
    """Read the table and take it apart: inputs with sensitive columns, outcome, and what was left out.

    Raises
    ------
    DataError
        If the file cannot be read or a named column is not in it.
    """
    table = config.table
    frame = read_table(
        table.path, na_values=table.na_values, encoding=table.encoding, separator=table.separator
    )
    present = column_names(frame)
    for role, names in {
        "drop": table.drop,
        "id": (table.id,) if table.id else (),
        "outcome": (config.outcome.column,) if config.outcome.column else (),
        "predictions": (config.model.predictions,) if config.model.predictions else (),
    }.items():
        for name in names:
            if name not in present:
                raise DataError(
                    f"{plain(table.path.name)} has no column {plain(name)}, named as {role}",
                    fix=f"use one of {listing([plain(each) for each in present], most=20)}",
                )
    left_out = {*table.drop, table.id, config.outcome.column, config.model.predictions}
    sensitive = {
        name if name in present else parse_sensitive_spec(name).column for name in config.sensitive.columns
    }
    X = select_columns(frame, [name for name in present if name not in left_out or name in sensitive])
    outcome = config.outcome.column
    notes = [f"{n_rows(frame)} rows and {len(present)} columns were read from {plain(table.path.name)}."]
    if table.drop:
        notes.append(f"Left out on request: {listing([plain(name) for name in table.drop])}.")
    predictions = config.model.predictions
    return Sources(
        X=X,
        y=column(frame, outcome) if outcome else None,
        predictions=column(frame, predictions) if predictions else None,
        notes=tuple(notes),
    )


def _model(config: AuditConfig, sources: Sources) -> object:
    """Load, reach or train the model that ``[model]`` names."""
    asked = config.model
    options: dict[str, Any] = {
        "favorable": config.outcome.favorable,
        "threshold": asked.threshold,
        "kind": asked.kind,
        "batch_size": asked.batch_size,
        "feature_names": asked.features or None,
        "max_queries": asked.max_queries,
    }
    if asked.path is not None:
        loaded = load_model(asked.path, allow_pickle=asked.allow_pickle, trusted=asked.trusted)
        return as_blackbox(loaded, **options, digest=file_digest(asked.path))
    if asked.url is not None:
        return as_blackbox(asked.url, **options, endpoint=_endpoint(asked))
    if sources.predictions is not None:
        return as_blackbox(sources.predictions, **{**options, "kind": "predictions"})
    return _train(config, sources)


def _train(config: AuditConfig, sources: Sources) -> CrossFitted:
    """Train one of the papers' decision makers without the sensitive columns, out of sample for every row."""
    name = str(config.model.train)
    assert sources.y is not None  # config.check asks for an outcome wherever a model is trained
    X = _inputs(config, sources.X)
    seed = child_seed(config.run.seed, "train")
    makers = decision_makers(Schema.infer(X), only=[name], quick=True, random_state=seed)
    # XGBoost learns 0 and 1 only; the audit's favourable label stays the user's own.
    maker = CodedLabels(makers[name].estimator)
    return CrossFitted(maker, cv=5, random_state=seed, n_jobs=config.run.n_jobs).fit(X, sources.y)


def _classifier(config: AuditConfig, X: NativeFrame) -> object:
    """Give the sensitive-feature classifier asked for; ``None`` is the library's own choice."""
    name = config.methods.classifier
    if name == "default":
        return None
    columns = _inputs(config, X)
    seed = child_seed(config.run.seed, "classifier")
    specs = sensitive_classifiers(Schema.infer(columns), only=[name], quick=True, random_state=seed)
    return specs[name].estimator


def _inputs(config: AuditConfig, X: NativeFrame) -> NativeFrame:
    """Give the table without its sensitive columns."""
    present = column_names(X)
    sensitive = {
        spec if spec in present else parse_sensitive_spec(spec).column for spec in config.sensitive.columns
    }
    return select_columns(X, [column for column in present if column not in sensitive])


def _endpoint(model: ModelConfig) -> EndpointSettings:
    return EndpointSettings(
        secret_env=model.secret_env, header=model.secret_header, prefix=model.secret_prefix
    )


def _schema(config: AuditConfig, X: NativeFrame) -> Schema:
    present = column_names(X)
    for name in config.schema:
        if name not in present:
            raise ConfigError(
                f"[schema] describes a column that the table lacks: {plain(name)}",
                fix=f"use one of {listing([plain(each) for each in present], most=20)}",
            )
    return Schema.infer(X, **{name: dict(changes) for name, changes in config.schema.items()})


def make_generator(name: str, n_jobs: int | None, seed: int) -> CounterfactualGenerator:
    """Give the generator of this name (``neighbors``, ``genetic``, ``exact`` or ``dice``)."""
    if name == "neighbors":
        return NeighborGenerator(n_jobs=n_jobs)
    if name == "genetic":
        return GeneticGenerator(n_jobs=n_jobs, random_state=child_seed(seed, "genetic"))
    if name == "exact":
        return ExactGenerator(n_jobs=n_jobs)
    if name == "dice":
        return DiceGenerator(random_state=child_seed(seed, "dice"))
    raise ConfigError("there is no such generator", got=name, fix="use neighbors, genetic, exact or dice")
