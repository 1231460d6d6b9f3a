"""From ``audit.toml`` to an audit: read the table, load or train the model, hand both over."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from fairwitness.audit import Audit
from fairwitness.causal.graph.causal_graph import CausalGraph
from fairwitness.compared import compared_models
from fairwitness.config import AuditConfig, ModelConfig, place
from fairwitness.config_graph import causal_graph, graph_settings
from fairwitness.counterfactuals import (
    CounterfactualGenerator,
    DiceGenerator,
    ExactGenerator,
    GeneticGenerator,
    NeighborGenerator,
)
from fairwitness.errors import ConfigError, DataError, ModelError, SchemaError
from fairwitness.intake.prepare import input_columns
from fairwitness.model import (
    BlackBox,
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
from fairwitness.sources import Sources, read_sources
from fairwitness.table import Schema, column_names, select_columns
from fairwitness.text import did_you_mean, listing, plain


def audit_from_config(config: AuditConfig, *, command: str = "") -> Audit:
    """Build the audit that a configuration describes.

    Raises
    ------
    FairwitnessError
        If the table or the model cannot be read, or they do not fit together.
    """
    sources = read_sources(config)
    model = _model(config, sources)
    read = _columns_read(model, sources)
    schema, notes = _schema(config, sources, read)
    graph = _graph(config, sources)
    return Audit(
        model,
        sources.X,
        sources.y,
        sensitive_features=list(config.sensitive.columns),
        privileged=dict(config.sensitive.privileged) or None,
        favorable=config.outcome.favorable,
        threshold=config.model.threshold,
        schema=schema,
        graph=graph,
        compare=compared_models(config, sources) or None,
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
            "classifier": _classifier(config, sources, read),
            "max_people": config.methods.max_people,
            "thresholds": config.methods.thresholds,
            **(graph_settings(config.graph) if graph is not None else {}),
        },
        outcome=config.outcome.column,
        people=config.outcome.people,
        source=config.table.path.name,
        notes=(*sources.notes, *notes),
        command=command,
    )


def _model(config: AuditConfig, sources: Sources) -> BlackBox | CrossFitted:
    """Load, reach or train the model that ``[model]`` names."""
    asked = config.model
    if asked.train is not None:
        return _train(config, asked.train, sources)
    options: dict[str, Any] = {
        "favorable": config.outcome.favorable if asked.favorable is None else asked.favorable,
        "threshold": asked.threshold,
        "kind": asked.kind,
        "batch_size": asked.batch_size,
        "feature_names": asked.features or None,
        "max_queries": asked.max_queries,
    }
    given: object = asked.url
    if asked.path is not None:
        given = load_model(asked.path, allow_pickle=asked.allow_pickle, trusted=asked.trusted)
        options["digest"] = file_digest(asked.path)
    elif asked.url is not None:
        options["endpoint"] = _endpoint(asked)
    else:
        given, options["kind"] = sources.predictions, "predictions"
    try:
        box = as_blackbox(given, **options)
    except ModelError as error:
        if asked.favorable is None and error.what.startswith("the favourable outcome"):
            # The table's word for the good outcome need not be the model's.
            raise ModelError(
                error.what, got=error.got, fix="write the model's own label for it as favorable in [model]"
            ) from error
        raise
    box.in_table = config.outcome.favorable
    return box


def _train(config: AuditConfig, name: str, sources: Sources) -> CrossFitted:
    """Train one of the papers' decision makers without the sensitive columns, out of sample for every row."""
    assert sources.y is not None  # config asks for an outcome wherever a model is trained
    names = [each for each in column_names(sources.X) if each not in sources.sensitive]
    wanted = list(config.model.features) or names
    for each in wanted:
        if each not in names:
            why = (
                "is sensitive"
                if each in sources.sensitive
                else sources.left_out.get(each, "is not in the table")
            )
            raise DataError(
                f"{place(config, 'model', 'features')}: a model cannot be trained on {plain(each)}",
                got=why,
                fix=f"use some of {listing([plain(other) for other in names], most=20)}",
            )
    if not wanted:
        raise DataError(
            f"no column of {plain(config.table.path.name)} is left to train a model on",
            got=listing([plain(each) for each in sources.present], most=20),
            fix="use a table with columns besides the outcome and the sensitive ones, or drop fewer",
        )
    X = select_columns(sources.X, wanted)
    seed = child_seed(config.run.seed, "train")
    makers = decision_makers(Schema.infer(X), only=[name], quick=True, random_state=seed)
    # XGBoost learns 0 and 1 only; the audit's favourable label stays the user's own.
    maker = CodedLabels(makers[name].estimator)
    return CrossFitted(maker, cv=5, random_state=seed, n_jobs=config.run.n_jobs).fit(X, sources.y)


def _columns_read(model: BlackBox | CrossFitted, sources: Sources) -> list[str]:
    """Give the columns of the table that the model reads."""
    if isinstance(model, CrossFitted):
        return [str(name) for name in model.feature_names_in_]
    try:
        return input_columns(sources.X, model, sorted(sources.sensitive))
    except ModelError as error:
        taken = [name for name in model.info.feature_names or () if name in sources.left_out]
        if not taken:
            raise
        raise ModelError(
            f"the model reads {plain(taken[0])}, which {sources.left_out[taken[0]]} takes out of the table",
            fix="leave it in, or name the columns that the model reads as features in [model]",
        ) from error


def _classifier(config: AuditConfig, sources: Sources, read: Sequence[str]) -> object:
    """Give the sensitive-feature classifier asked for; ``None`` is the library's own choice."""
    name = config.methods.classifier
    seen = [each for each in read if each not in sources.sensitive]
    if name == "default" or not seen:
        return None
    schema = Schema.infer(select_columns(sources.X, seen))
    seed = child_seed(config.run.seed, "classifier")
    return sensitive_classifiers(schema, only=[name], quick=True, random_state=seed)[name].estimator


def _endpoint(model: ModelConfig) -> EndpointSettings:
    return EndpointSettings(
        secret_env=model.secret_env, header=model.secret_header, prefix=model.secret_prefix
    )


def _schema(config: AuditConfig, sources: Sources, read: Sequence[str]) -> tuple[Schema, list[str]]:
    """Describe the columns that the model reads: nobody needs to know more of the others."""
    notes = []
    for name in config.schema:
        if name not in sources.present:
            raise ConfigError(
                f"{place(config, 'schema', name)}: the table has no column {plain(name)!r}",
                fix=f"use one of {listing([plain(each) for each in sources.present], most=20)}",
            )
        if name not in read:
            notes.append(f"The schema describes {plain(name)}, which the model does not read.")
    changes = {name: dict(entry) for name, entry in config.schema.items() if name in read}
    try:
        return Schema.infer(select_columns(sources.X, list(read)), **changes), notes
    except SchemaError as error:
        for name in changes:
            if repr(plain(name)) in error.what:
                raise ConfigError(
                    f"{place(config, 'schema', name)}: {error.what}", got=error.got, fix=error.fix
                ) from error
        raise


def _graph(config: AuditConfig, sources: Sources) -> CausalGraph | None:
    """Read the causal graph, if there is one; what has effects in it must be a column."""
    if config.graph.text is None and config.graph.file is None:
        return None
    graph = causal_graph(config.graph)
    usable = {*column_names(sources.X), *config.sensitive.columns, config.outcome.column}
    for node in graph.nodes:
        if graph.children(node) and node not in usable:
            key = "text" if config.graph.file is None else "file"
            why = (
                f"{sources.left_out[node]} takes it out"
                if node in sources.left_out
                else "the table has no such column"
            )
            raise ConfigError(
                f"{place(config, 'graph', key)}: the graph has the node {plain(node)!r}, but {why}",
                got=f"columns {listing([plain(each) for each in sources.present], most=20)}",
                fix=f"{did_you_mean(node, usable - {None})}; a cause that is not measured is drawn as an arc "
                "between what it causes: A <-> B",
            )
    return graph


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
