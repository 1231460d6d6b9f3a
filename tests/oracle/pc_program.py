"""The program of the paper (its equation 4) over every response function, written out by brute force.

The effect is linear in the distribution of each component's response variable, so the program is one over a
product of polytopes: a tensor of what each combination of responses adds. `pc_solve.py` solves it.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from tests.oracle.c_factors import Block, TooLargeError, fitted, kernel_of, make_block, marginal
from tests.oracle.scm import Graph, Query

# A copy of a variable is (name, its parents' copies); a parent whose value is sure is a plain number.


def copies(graph, query, paths):
    """The copies that tell whether (o, Y = y) holds: the factual ones of the evidence, and the outcome's."""
    factual = {}

    def use(copy):
        """A copy as a parent: what the evidence says of it is sure."""
        name = copy[0] if isinstance(copy, tuple) else None
        return query.given[name] if name in query.given and copy == factual.get(name) else copy

    for v in graph.variables:
        factual[v] = (v, tuple(use(factual[p]) for p in graph.parents[v]))

    def nested(v, suffix):
        if v == query.treatment:
            return query.active if suffix in paths else query.reference
        return (v, tuple(use(nested(p, (p, *suffix))) for p in graph.parents[v]))

    return {v: factual[v] for v in query.given}, nested(query.outcome, (query.outcome,))


def closure(roots):
    """All copies that the roots are made of, parents first."""
    found = {}

    def visit(copy):
        if isinstance(copy, tuple) and copy not in found:
            for p in copy[1]:
                visit(p)
            found[copy] = None

    for root in roots:
        visit(root)
    return list(found)


def asked_rows(graph, all_copies):
    asked = {v: set() for v in graph.variables}
    for v, above in all_copies:
        pairs = zip(graph.parents[v], above, strict=True)
        free = [range(graph.cards[p]) if isinstance(c, tuple) else [c] for p, c in pairs]
        asked[v].update(itertools.product(*free))
    return asked


@dataclass
class Program:
    """max/min of tensor · p₁ … p_m / evidence over the blocks' polytopes; axis i of the tensor is block i."""

    graph: Graph
    P: np.ndarray
    query: Query
    blocks: list[Block]
    tensor: np.ndarray
    evidence: float
    kernels: Mapping[str, np.ndarray]  # plugged in: P(v | parents) (parents' cards …, card)
    known: Mapping[str, np.ndarray] | None


def make_program(graph, P, query, *, reduce=True, known=None, most_columns=100_000, most_cells=3_000_000):
    """`reduce`: plug in what is asked once and known; leave out rows of single variables that nothing asks.

    `known`: P(v | parents) of variables that P may leave open, (parents' cards …, card).
    """
    terms = [copies(graph, query, query.paths), copies(graph, query, frozenset())]
    closures = [closure([*seen.values(), outcome]) for seen, outcome in terms]
    asked = asked_rows(graph, [*closures[0], *closures[1]])
    every = {v: set(np.ndindex(*graph.rows(v))) for v in graph.variables}
    kernels, blocks = {}, []
    for members in graph.components:
        v = members[0]
        if not any(asked[m] for m in members):
            continue  # neither the evidence nor the outcome hears of it
        if reduce and len(members) == 1 and all(sum(c[0] == v for c in cs) <= 1 for cs in closures):
            kernel = kernel_of(graph, P, v, known)
            if not any(np.isnan(kernel[row]).any() for row in asked[v]):
                kernels[v] = kernel
                continue
        single = reduce and len(members) == 1
        blocks.append(make_block(graph, P, members, asked if single else every, known, most_columns))
    cells = math.prod(block.columns for block in blocks)
    if cells > most_cells:
        raise TooLargeError(f"{cells} cells")
    evidence = probability_of(graph, fitted(graph, P, known), query.given)
    if evidence <= 0:
        raise ValueError("nobody is as given")
    tensor = np.zeros([block.columns for block in blocks])
    for sign, (seen, outcome) in zip((1, -1), terms, strict=True):
        tensor += sign * term(graph, query, seen, outcome, blocks, kernels)
    return Program(graph, P, query, blocks, tensor, evidence, kernels, known)


def term(graph, query, seen, outcome, blocks, kernels):
    """P(o, Y = y) for every combination of the blocks' columns."""
    used = [v for v in kernels if any(c[0] == v for c in closure([*seen.values(), outcome]))]
    depth = len(blocks) + len(used)

    def along(axis, values):
        return values.reshape([-1 if i == axis else 1 for i in range(depth)])

    axis = {m: i for i, block in enumerate(blocks) for m in block.members}
    axis |= {v: len(blocks) + i for i, v in enumerate(used)}
    table = {m: block.tables[m] for block in blocks for m in block.members}
    values = {}
    weight = np.ones([1] * depth)

    def value(copy):
        return values[copy] if isinstance(copy, tuple) else copy

    for copy in closure([*seen.values(), outcome]):
        v, above = copy
        if v in used:
            values[copy] = along(axis[v], np.arange(graph.cards[v]))
            weight = weight * kernels[v][(*(value(c) for c in above), values[copy])]
        else:
            columns = along(axis[v], np.arange(table[v].shape[-1]))
            values[copy] = table[v][(*(value(c) for c in above), columns)]
        if v in query.given and copy == seen[v]:
            weight = weight * (values[copy] == query.given[v])
    weight = weight * (values[outcome] == query.value)
    total = weight.sum(tuple(range(len(blocks), depth)))
    return np.broadcast_to(total, [block.columns for block in blocks])


def probability_of(graph, P, given):
    return float(marginal(P, graph.variables, tuple(given))[tuple(given.values())])
