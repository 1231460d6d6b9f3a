"""The vocabulary of ``audit.toml``: its tables as frozen dataclasses, and what their keys may be.

:data:`TABLES` is all there is: ``fairwitness init`` writes from it and :mod:`fairwitness.config` checks
against it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from fairwitness.findings import SEVERITIES, Severity


@dataclass(frozen=True, slots=True)
class TableConfig:
    """``[table]``: the file and how to read it."""

    path: Path
    drop: tuple[str, ...] = ()
    id: str | None = None
    na_values: tuple[str, ...] = ()
    encoding: str = "utf-8"
    separator: str | None = None
    decimal: str = "."


@dataclass(frozen=True, slots=True)
class OutcomeConfig:
    """``[outcome]``: what the decision is about; ``column`` may be absent from the table."""

    favorable: object = 1
    column: str | None = None
    people: str = "people"


@dataclass(frozen=True, slots=True)
class SensitiveConfig:
    """``[sensitive]``: the sensitive features, by column or as a cut such as ``"age > 25"``."""

    columns: tuple[str, ...]
    privileged: Mapping[str, object] = field(default_factory=dict)
    missing: str = "group"
    intersections: bool = True


@dataclass(frozen=True, slots=True)
class ModelConfig:
    """``[model]``: exactly one of ``path``, ``url``, ``predictions`` and ``train``."""

    path: Path | None = None
    url: str | None = None
    predictions: str | None = None
    train: str | None = None
    kind: str = "auto"
    favorable: object | None = None
    threshold: float = 0.5
    features: tuple[str, ...] = ()
    allow_pickle: bool = False
    trusted: tuple[str, ...] = ()
    secret_env: str | None = None
    secret_header: str = "Authorization"
    secret_prefix: str = "Bearer "
    max_queries: int | None = None
    batch_size: int | None = None


@dataclass(frozen=True, slots=True)
class ComparedConfig:
    """``[compare.NAME]``, ``[models.NAME]``: one model by ``path``, ``predictions`` or ``train``."""

    path: Path | None = None
    predictions: str | None = None
    train: str | None = None
    scores: str | None = None
    features: tuple[str, ...] = ()
    kind: str = "auto"
    favorable: object | None = None
    threshold: float = 0.5
    allow_pickle: bool = False
    trusted: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class EvaluateConfig:
    """``[evaluate]``: splits for models that are trained, what is measured, and where the results go."""

    seeds: int = 5
    test_size: float = 0.2
    task: str = "auto"
    metrics: tuple[str, ...] = ("all",)
    accuracy: str | None = None
    difference: str | None = None
    confidence: float = 0.95
    minimum_n: int = 30
    resamples: int = 1000
    out: Path = Path("fairwitness-evaluation")


@dataclass(frozen=True, slots=True)
class GraphConfig:
    """``[graph]``: a causal graph, as ``text`` or in a ``file``, and what is asked of it."""

    text: str | None = None
    file: Path | None = None
    decision: str | None = None
    bins: Mapping[str, object] = field(default_factory=dict)
    confounded: tuple[str, ...] = ()
    tau: float = 0.1
    redlining: tuple[str, ...] = ()
    paths: tuple[str, ...] = ()
    sampling_error: str = "resampled"


@dataclass(frozen=True, slots=True)
class MethodsConfig:
    """``[methods]``: what to measure, and how."""

    run: tuple[str, ...] = ("auto",)
    k: int = 100
    generator: str = "neighbors"
    convention: str = "equations"
    shortfall: str = "available"
    classifier: str = "default"
    max_people: int = 2000
    confidence: float = 0.95
    minimum_n: int = 30
    thresholds: Path | None = None


@dataclass(frozen=True, slots=True)
class RunConfig:
    """``[run]``: seed and workers. Two runs with one seed write the same ``report.json``."""

    seed: int = 0
    n_jobs: int = 1


@dataclass(frozen=True, slots=True)
class ReportConfig:
    """``[report]``: where to, and whether single people are shown."""

    out: Path = Path("fairwitness-report")
    rows: bool = True
    fail_on: Severity | None = None


@dataclass(frozen=True, slots=True)
class AuditConfig:
    """The whole file. Relative paths have been resolved against the file's own folder."""

    table: TableConfig
    sensitive: SensitiveConfig
    model: ModelConfig
    outcome: OutcomeConfig = field(default_factory=OutcomeConfig)
    graph: GraphConfig = field(default_factory=GraphConfig)
    methods: MethodsConfig = field(default_factory=MethodsConfig)
    run: RunConfig = field(default_factory=RunConfig)
    report: ReportConfig = field(default_factory=ReportConfig)
    schema: Mapping[str, Mapping[str, object]] = field(default_factory=dict)
    compare: Mapping[str, ComparedConfig] = field(default_factory=dict)
    source: Path | None = None
    lines: tuple[str, ...] = field(default=(), repr=False)


@dataclass(frozen=True, slots=True)
class EvaluationConfig:
    """A whole ``evaluate.toml``. Relative paths have been resolved against the file's own folder."""

    table: TableConfig
    outcome: OutcomeConfig
    sensitive: SensitiveConfig
    models: Mapping[str, ComparedConfig]
    evaluate: EvaluateConfig = field(default_factory=EvaluateConfig)
    run: RunConfig = field(default_factory=RunConfig)
    source: Path | None = None
    lines: tuple[str, ...] = field(default=(), repr=False)


TABLES: Mapping[str, type[Any]] = {
    "table": TableConfig,
    "outcome": OutcomeConfig,
    "sensitive": SensitiveConfig,
    "model": ModelConfig,
    "graph": GraphConfig,
    "methods": MethodsConfig,
    "run": RunConfig,
    "report": ReportConfig,
}
#: The tables of an ``evaluate.toml``; models stand in tables of their own, ``[models.NAME]``.
EVALUATION_TABLES: Mapping[str, type[Any]] = {
    "table": TableConfig,
    "outcome": OutcomeConfig,
    "sensitive": SensitiveConfig,
    "evaluate": EvaluateConfig,
    "run": RunConfig,
}
#: Tables of every file that is read, by name.
SECTIONS: Mapping[str, type[Any]] = {
    **TABLES,
    **EVALUATION_TABLES,
    "models": ComparedConfig,
    "compare": ComparedConfig,
}
REQUIRED = {"table": ("path",), "sensitive": ("columns",), "model": ()}
CHOICES: Mapping[tuple[str, str], tuple[str, ...]] = {
    ("methods", "run"): ("auto", "rates", "opportunity", "bounds", "canonical", "evaluation"),
    ("sensitive", "missing"): ("error", "group", "drop"),
    ("methods", "generator"): ("neighbors", "genetic", "exact", "dice"),
    ("methods", "convention"): ("equations", "published"),
    ("methods", "classifier"): ("default", "RF", "MLP", "XGB"),
    ("methods", "shortfall"): ("available", "ideal_k", "drop"),
    ("graph", "sampling_error"): ("resampled", "region", "none"),
    ("report", "fail_on"): SEVERITIES,
    ("evaluate", "task"): ("auto", "classification", "regression"),
    ("models", "train"): ("LR", "SVM", "DT", "RF", "MLP", "XGB", "LGBM", "AdvDeb", "LFERM", "FairC"),
    ("compare", "train"): ("LR", "SVM", "DT", "RF", "MLP", "XGB", "LGBM"),
    ("model", "train"): ("LR", "SVM", "DT", "RF", "MLP", "XGB", "LGBM"),
}
#: Smallest and largest number that makes sense.
RANGES: Mapping[tuple[str, str], tuple[int, int]] = {
    ("methods", "k"): (1, 10_000),
    ("methods", "max_people"): (1, 10_000_000),
    ("methods", "minimum_n"): (1, 1_000_000),
    ("evaluate", "seeds"): (1, 1000),
    ("evaluate", "minimum_n"): (1, 1_000_000),
    ("evaluate", "resamples"): (100, 100_000),
    ("model", "max_queries"): (1, 10**12),
    ("model", "batch_size"): (1, 10**9),
    ("run", "n_jobs"): (-256, 256),
    ("run", "seed"): (0, 2**63),
}
#: Where the model comes from → the keys of ``[model]`` that say something about it.
MODEL_KEYS: Mapping[str, tuple[str, ...]] = {
    "path": (
        "kind", "favorable", "threshold", "features", "allow_pickle", "trusted", "max_queries", "batch_size",
    ),
    "url": (
        "kind", "favorable", "threshold", "features", "secret_env", "secret_header", "secret_prefix",
        "max_queries", "batch_size",
    ),
    "predictions": ("favorable", "threshold"),
    "train": ("threshold", "features"),
}  # fmt: skip
#: The same for a model beside others.
COMPARED_KEYS: Mapping[str, tuple[str, ...]] = {
    "path": ("kind", "favorable", "threshold", "features", "allow_pickle", "trusted"),
    "predictions": ("scores", "favorable", "threshold"),
    "train": ("threshold", "features"),
}
#: Declared type → what to write, for somebody who reads TOML and not Python.
READABLE: Mapping[str, str] = {
    "Path": "a path in quotes",
    "str": "text in quotes",
    "Severity": "text in quotes",
    "bool": "true or false",
    "int": "a whole number",
    "float": "a number",
    "object": "text in quotes, a number, true or false",
    "tuple[str, ...]": "a list of texts in quotes",
    "Mapping[str, object]": 'a table, such as { sex = "male" }',
}
