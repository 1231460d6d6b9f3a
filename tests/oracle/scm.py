"""Structural causal models whose hidden causes take few values: what is true of them is enumerated.

Values are codes 0 … card−1. Each c-component of the graph has one hidden cause, and each variable a table of
its values for every row of its parents' values and every value of the hidden cause.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

Path = tuple[str, ...]


@dataclass(frozen=True)
class Graph:
    """A directed acyclic graph, `cards` in topological order, its variables parted into c-components."""

    cards: Mapping[str, int]
    parents: Mapping[str, Path]
    components: tuple[Path, ...]

    def __post_init__(self):
        place = {v: i for i, v in enumerate(self.cards)}
        assert set(self.parents) == set(place)
        assert all(place[p] < place[v] for v, above in self.parents.items() for p in above)
        assert sorted(v for c in self.components for v in c) == sorted(place)
        assert all([place[v] for v in c] == sorted(place[v] for v in c) for c in self.components)

    @classmethod
    def of(cls, cards, edges, groups=()):
        """From edges and groups of variables that share a hidden cause; groups that overlap are one."""
        parents = {v: tuple(p for p in cards if (p, v) in {tuple(e) for e in edges}) for v in cards}
        return cls(dict(cards), parents, parted(cards, groups))

    @property
    def variables(self):
        return tuple(self.cards)

    @property
    def shape(self):
        return tuple(self.cards.values())

    @property
    def edges(self):
        return tuple((p, v) for v in self.cards for p in self.parents[v])

    @property
    def bidirected(self):
        return tuple(pair for c in self.components for pair in itertools.combinations(c, 2))

    def rows(self, v):
        """The shape of the parents' values."""
        return tuple(self.cards[p] for p in self.parents[v])

    def ancestors(self, names):
        """The variables and all that they descend from."""
        found = set(names)
        for v in reversed(self.variables):
            if v in found:
                found.update(self.parents[v])
        return found

    def paths(self, source, target):
        """All directed paths, as tuples of names."""
        if source == target:
            return [(target,)]
        return [(*path, target) for p in self.parents[target] for path in self.paths(source, p)]

    def merged(self, *groups):
        """The graph with more hidden causes in common."""
        return Graph(self.cards, self.parents, parted(self.cards, [*self.components, *groups]))


def parted(variables, groups):
    parts = [{v} for v in variables]
    for group in groups:
        joined = [p for p in parts if p & set(group)]
        parts = [p for p in parts if not p & set(group)] + ([set().union(*joined)] if joined else [])
    ordered = [tuple(v for v in variables if v in part) for part in parts]
    return tuple(sorted(ordered, key=lambda part: list(variables).index(part[0])))


@dataclass(frozen=True)
class Query:
    """P(outcome = value; active along `paths` | given) − P(outcome = value; reference | given)."""

    treatment: str
    outcome: str
    value: int
    active: int
    reference: int
    paths: frozenset[Path]
    given: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True, repr=False)
class Model:
    """Hidden causes: one distribution (k,) a component; tables: (parents' cards …, k) for each variable."""

    graph: Graph
    hidden: tuple[np.ndarray, ...]
    tables: Mapping[str, np.ndarray]

    def worlds(self):
        """Every combination of hidden values: its probability (n,), and each variable's hidden value (n,)."""
        grid = np.meshgrid(*(np.arange(len(p)) for p in self.hidden), indexing="ij")
        chosen = [g.ravel() for g in grid]
        probability = np.prod([p[u] for p, u in zip(self.hidden, chosen, strict=True)], axis=0)
        of = {v: u for c, u in zip(self.graph.components, chosen, strict=True) for v in c}
        return probability, of

    def factual(self, of):
        """Every variable's value in every world."""
        values = {}
        for v in self.graph.variables:
            values[v] = self.tables[v][(*(values[p] for p in self.graph.parents[v]), of[v])]
        return values

    def distribution(self):
        """P(v), shape (cards …)."""
        probability, of = self.worlds()
        values = self.factual(of)
        cell = np.ravel_multi_index([values[v] for v in self.graph.variables], self.graph.shape)
        counted = np.bincount(cell, weights=probability, minlength=math.prod(self.graph.shape))
        return counted.reshape(self.graph.shape)

    def nested(self, query, paths, of):
        """The outcome in every world when the treatment is `active` along `paths` and `reference` elsewhere.

        Plain recursion over path suffixes: a variable seen at the head of a suffix takes its value from its
        parents seen at the heads of the suffixes that are one longer; at the treatment it is a whole path.
        """
        g = self.graph

        def value(v, suffix):
            if v == query.treatment:
                level = query.active if suffix in paths else query.reference
                return np.full(len(of[v]), level)
            return self.tables[v][(*(value(p, (p, *suffix)) for p in g.parents[v]), of[v])]

        return value(query.outcome, (query.outcome,))

    def holds(self, given, of):
        """In which worlds the evidence is seen."""
        values = self.factual(of)
        seen = np.ones(len(values[self.graph.variables[0]]), dtype=bool)
        for v, x in given.items():
            seen &= values[v] == x
        return seen

    def evidence(self, query):
        """P(o)."""
        probability, of = self.worlds()
        return math.fsum(probability[self.holds(query.given, of)])

    def effect(self, query):
        """The true path-specific counterfactual effect."""
        probability, of = self.worlds()
        seen = self.holds(query.given, of)
        moved = self.nested(query, query.paths, of) == query.value
        stayed = self.nested(query, frozenset(), of) == query.value
        given = math.fsum(probability[seen])
        if given <= 0:
            raise ValueError("nobody is as given")
        return math.fsum((probability * (moved * 1 - stayed * 1))[seen]) / given


def random_graph(rng, n, *, most_values=4, edge=0.6, confounded=0.35, most_parents=3):
    """A graph of n variables V0, V1, …: the order of the names says nothing about who comes first."""
    names = [f"V{i}" for i in rng.permutation(n)]
    cards = {v: int(rng.choice([2, 2, 2, 3, 4])) for v in names}
    cards = {v: min(c, most_values) for v, c in cards.items()}
    edges = []
    for j, v in enumerate(names):
        above = [p for p in names[:j] if rng.random() < edge]
        above = [above[i] for i in rng.permutation(len(above))[:most_parents]]
        edges += [(p, v) for p in above]
    groups = [(a, b) for a, b in itertools.combinations(names, 2) if rng.random() < confounded / (n - 1)]
    return Graph.of(cards, edges, groups)


def random_model(rng, graph, *, most=6, dense=False, constant=0.0, most_worlds=50_000):
    """Random tables and distributions of hidden causes with up to `most` values, or as many as `dense` needs.

    `dense`: every variable can take every value in every row; `constant`: the share of rows nothing moves.
    """
    fewest = [max(graph.cards[v] for v in c) if dense else 2 for c in graph.components]
    sizes = [
        int(rng.integers(k, max(most, k) + 1)) + dense * 3 * (len(c) - 1)
        for k, c in zip(fewest, graph.components, strict=True)
    ]
    while math.prod(sizes) > most_worlds and any(k > f for k, f in zip(sizes, fewest, strict=True)):
        sizes[int(np.argmax(np.subtract(sizes, fewest)))] -= 1
    hidden = tuple(rng.dirichlet(np.full(k, rng.choice([0.5, 1.0, 5.0]))) for k in sizes)
    of = {v: k for c, k in zip(graph.components, sizes, strict=True) for v in c}
    tables = {}
    for v in graph.variables:
        table = rng.integers(0, graph.cards[v], size=(*graph.rows(v), of[v]))
        if dense:
            table[..., : graph.cards[v]] = np.arange(graph.cards[v])
            table = rng.permuted(table, axis=-1)
        fixed = rng.random(graph.rows(v)) < constant
        tables[v] = np.where(fixed[..., None], table[..., :1], table)
    return Model(graph, hidden, tables)


def without_level(rng, model, v):
    """The model in which v never takes one of its values (or never takes it in some rows of its parents)."""
    table = model.tables[v].copy()
    level = int(rng.integers(model.graph.cards[v]))
    other = (level + 1) % model.graph.cards[v]
    rows = (rng.random(table.shape[:-1]) < rng.choice([0.5, 1.0]))[..., None]
    table = np.where(rows & (table == level), other, table)
    return Model(model.graph, model.hidden, {**model.tables, v: table})


def random_query(rng, model):
    """A treatment, an outcome that descends from it if any does, any set of paths, evidence that occurs."""
    g = model.graph
    pairs = list(itertools.permutations(g.variables, 2))
    pairs = [(s, y) for s, y in pairs if s in g.ancestors([y])] or pairs
    if rng.random() < 0.7:  # more paths, more to get wrong
        pairs = [pair for pair in pairs if len(g.paths(*pair)) >= 2] or pairs
    treatment, outcome = pairs[int(rng.integers(len(pairs)))]
    paths = g.paths(treatment, outcome)
    if rng.random() < 0.6:
        some = rng.permutation(len(paths))[: int(rng.integers(1, max(len(paths), 2)))]
    else:
        some = np.flatnonzero(rng.random(len(paths)) < rng.choice([0.5, 1.0]))
    active, reference = (int(x) for x in rng.permutation(g.cards[treatment])[:2])
    probability, of = model.worlds()
    someone = int(rng.choice(len(probability), p=probability / probability.sum()))
    values = model.factual(of)
    names = rng.permutation(g.variables)[: int(rng.integers(0, len(g.variables) + 1))]
    given = {str(v): int(values[v][someone]) for v in names}
    value = int(rng.integers(g.cards[outcome]))
    return Query(treatment, outcome, value, active, reference, frozenset(paths[i] for i in some), given)


def random_case(seed, *, least=3, most=6, **graph_settings):
    """A model, its distribution and a query; half of the models leave no cell of a single variable empty."""
    rng = np.random.default_rng(seed)
    graph = random_graph(rng, int(rng.integers(least, most + 1)), **graph_settings)
    dense = bool(rng.random() < 0.5)
    model = random_model(rng, graph, dense=dense, constant=0.0 if dense else float(rng.choice([0.0, 0.3])))
    query = random_query(rng, model)
    if rng.random() < 0.2:
        rare = without_level(rng, model, query.treatment)
        if rare.evidence(query) > 0:
            model = rare
    return model, model.distribution(), query
