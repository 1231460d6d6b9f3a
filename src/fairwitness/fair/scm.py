"""A structural causal model as a user declares it: who causes whom, what is not measured, which families."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Literal, get_args

from fairwitness.arguments import items_of, shown
from fairwitness.causal import CausalGraph
from fairwitness.errors import ConfigError
from fairwitness.text import listing, plain

#: How a node is distributed given its causes: normal (identity link), Poisson (log), or Bernoulli (logit).
Family = Literal["gaussian", "poisson", "bernoulli"]


@dataclass(frozen=True, init=False)
class SCM:
    """A causal graph with roles: sensitive features, latent causes, the outcome.

    Parameters
    ----------
    graph
        Anything that :meth:`fairwitness.causal.CausalGraph.from_any` reads, such as
        ``"{race, sex, K} -> {UGPA, LSAT, FYA}"``. Nodes are names of columns; other columns are not used.
    sensitive
        Node or nodes of the sensitive features.
    outcome
        Node of the outcome, if it is in the graph. It must have no effects: it is not known when predicting.
    latents
        Nodes that no column measures: independent standard normal causes, outside of which nothing causes
        them, and which do not cause a sensitive feature.
    families
        Node → ``"gaussian"``, ``"poisson"`` or ``"bernoulli"``, for nodes that a latent causes. What is left
        out follows from the column: two values are Bernoulli, numbers normal.

    Attributes
    ----------
    graph, sensitive, outcome, latents, families
        As given, the graph as a :class:`~fairwitness.causal.CausalGraph`.
    columns
        The measured nodes that are neither sensitive nor the outcome, in the graph's order.

    Raises
    ------
    ConfigError
        If a name is no node, has two roles, or a role contradicts the graph.

    Examples
    --------
    >>> from fairwitness.fair import SCM
    >>> scm = SCM(
    ...     "{race, sex, K} -> {UGPA, LSAT, FYA}", sensitive=["race", "sex"], outcome="FYA", latents="K"
    ... )
    >>> scm.columns
    ('UGPA', 'LSAT')
    >>> scm.descendants
    ('UGPA', 'LSAT')
    """

    graph: CausalGraph
    sensitive: tuple[str, ...]
    outcome: str | None
    latents: tuple[str, ...]
    families: Mapping[str, Family]

    def __init__(
        self,
        graph: Any,
        *,
        sensitive: str | Iterable[str],
        outcome: str | None = None,
        latents: str | Iterable[str] = (),
        families: Mapping[str, Family] | None = None,
    ) -> None:
        if outcome is not None and not isinstance(outcome, str):
            raise ConfigError(
                "outcome must name a node", got=shown(outcome), fix='pass e.g. outcome="income"'
            )
        if families is not None and not isinstance(families, Mapping):
            raise ConfigError(
                "families must be a mapping from node to family",
                got=shown(families),
                fix='pass e.g. families={"score": "gaussian"}',
            )
        for name, value in {
            "graph": CausalGraph.from_any(graph),
            "sensitive": _names(sensitive, "sensitive"),
            "outcome": outcome,
            "latents": _names(latents, "latents"),
            "families": dict(families or {}),
        }.items():
            object.__setattr__(self, name, value)
        self._check()

    @property
    def columns(self) -> tuple[str, ...]:
        """The measured nodes that are neither sensitive nor the outcome."""
        roles = {*self.sensitive, *self.latents, self.outcome}
        return tuple(node for node in self.graph.nodes if node not in roles)

    @property
    def descendants(self) -> tuple[str, ...]:
        """The columns that a sensitive feature causes, directly or not."""
        reached = self.graph.descendants(*self.sensitive)
        return tuple(name for name in self.columns if name in reached)

    @property
    def non_descendants(self) -> tuple[str, ...]:
        """The columns that no sensitive feature causes."""
        reached = self.graph.descendants(*self.sensitive)
        return tuple(name for name in self.columns if name not in reached)

    def latents_of(self, node: str) -> tuple[str, ...]:
        """Give the latent causes of ``node``."""
        return tuple(name for name in self.graph.parents(node) if name in self.latents)

    def measured_causes(self, node: str) -> tuple[str, ...]:
        """Give the direct causes of ``node`` that are measured."""
        return tuple(name for name in self.graph.parents(node) if name not in self.latents)

    @property
    def measured_graph(self) -> CausalGraph:
        """The graph over measured nodes: what latents cause in common is joined by arcs."""
        return self.graph.hiding(*self.latents) if self.latents else self.graph

    def _check(self) -> None:
        graph = self.graph
        if not self.sensitive:
            raise ConfigError("no sensitive feature is named", fix='pass for example sensitive="sex"')
        roles = [*self.sensitive, *self.latents, *([] if self.outcome is None else [self.outcome])]
        graph.check(*roles, *self.families)
        twice = sorted({plain(name) for name in roles if roles.count(name) > 1})
        if twice:
            raise ConfigError("a node has two roles", got=listing(twice), fix="give each node one role")
        unknown = [
            family
            for family in self.families.values()
            if not isinstance(family, str) or family not in get_args(Family)
        ]
        if unknown:
            raise ConfigError(
                "there is no such family",
                got=shown(unknown[0]),
                fix=f"use {listing([repr(each) for each in get_args(Family)])}",
            )
        if self.outcome is not None and graph.children(self.outcome):
            effects = listing([plain(each) for each in graph.children(self.outcome)])
            raise ConfigError(
                f"the outcome {plain(self.outcome)} causes {effects}",
                fix="leave out what comes after the outcome: it is not known when predicting",
            )
        for latent in self.latents:
            self._check_latent(latent)
        if not self.columns:
            raise ConfigError("the graph has no column to predict from", fix="name the model's inputs in it")

    def _check_latent(self, latent: str) -> None:
        graph, name = self.graph, plain(latent)
        if graph.parents(latent) or graph.siblings(latent):
            raise ConfigError(
                f"the latent {name} has causes, or shares one",
                got=listing([plain(each) for each in (*graph.parents(latent), *graph.siblings(latent))]),
                fix="a latent is what is left beside all that is measured: let nothing cause it",
            )
        caused = [each for each in graph.children(latent) if each in self.sensitive]
        if caused:
            raise ConfigError(
                f"the latent {name} causes the sensitive feature {plain(caused[0])}",
                fix="remove that edge: what tells the sensitive feature cannot stand in for it",
            )
        if not set(graph.children(latent)) & set(self.columns):
            raise ConfigError(
                f"the latent {name} causes no column, so nothing tells what it is",
                fix="draw its edges, or leave it out",
            )


def _names(value: object, argument: str) -> tuple[str, ...]:
    names = [value] if isinstance(value, str) else items_of(value)
    if names is None or not all(isinstance(name, str) for name in names):
        raise ConfigError(
            f"{argument} must name nodes",
            got=shown(value),
            fix=f'pass their names, for example {argument}=["A", "B"]',
        )
    return tuple(str(name) for name in names)
