"""What a distribution says of the response variable of one c-component.

A response is a table for each of the component's variables: its value for every row of its parents' values.
The data give the c-factor of every prefix of the component's variables in every context (values of outside
parents) that occurs; a context that never occurs is left free.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

NOWHERE = 1 << 20  # a value that no table has: a row that is asked although it was left out is an IndexError


class TooLargeError(Exception):
    """Brute force would take too long."""


def marginal(P, variables, keep):
    """P summed to the variables `keep`, axes in that order."""
    axes = [variables.index(v) for v in keep]
    return np.transpose(P.sum(tuple(i for i in range(P.ndim) if i not in axes)), np.argsort(np.argsort(axes)))


def prefix_factors(graph, P, members, known=None):
    """For each prefix of the members: its outside parents, and its c-factor (prefix … outside …) or NaN."""
    variables, factors = graph.variables, []
    for j in range(1, len(members) + 1):
        prefix = members[:j]
        above = {p for m in prefix for p in graph.parents[m]} - set(prefix)
        outside = tuple(v for v in variables if v in above)
        if known is not None and members[0] in known:
            order = [graph.parents[members[0]].index(v) for v in outside]
            kernel = np.transpose(known[members[0]], (*order, len(order)))
            factors.append((outside, np.moveaxis(kernel, -1, 0)))
            continue
        both = marginal(P, variables, (*prefix, *outside))
        before = both.sum(j - 1, keepdims=True)
        with np.errstate(invalid="ignore", divide="ignore"):
            conditional = np.where(before > 0, both / before, np.nan)
        if j > 1:
            before, earlier = factors[-1]  # both name outside parents in the graph's order
            shape = [graph.cards[v] if v in (*prefix[:-1], *before) else 1 for v in (*prefix, *outside)]
            earlier = earlier.reshape(shape)
            conditional = np.where(earlier == 0, 0, conditional * earlier)
        factors.append((outside, conditional))
    return factors


def kernel_of(graph, P, v, known=None):
    """P(v | parents), shape (parents' cards …, card), NaN where the parents' values never occur."""
    outside, factor = prefix_factors(graph, P, (v,), known)[0]
    order = [outside.index(p) for p in graph.parents[v]]
    return np.transpose(np.moveaxis(factor, 0, -1), (*order, len(order)))


def fitted(graph, P, known=None):
    """The distribution that the graph's factors make: P itself where P has the independences of the graph."""
    names, product = graph.variables, np.ones(graph.shape)
    for members in graph.components:
        outside, factor = prefix_factors(graph, P, members, known)[-1]
        order = np.argsort([names.index(v) for v in (*members, *outside)])
        shape = [graph.cards[v] if v in (*members, *outside) else 1 for v in names]
        factor = np.transpose(factor, order).reshape(shape)
        with np.errstate(invalid="ignore"):
            product = product * np.where(np.isnan(factor), np.inf, factor)
    product[np.isnan(product)] = 0  # a context that never occurs, by a factor that is 0
    if np.isinf(product).any():
        raise ValueError("the independences of the graph make people of whom nothing is seen")
    return product


@dataclass
class Block:
    """One component: its responses (columns), and what is known of their distribution p: A p = b, p ≥ 0."""

    members: tuple[str, ...]
    tables: Mapping[str, np.ndarray]  # (parents' cards …, columns); NOWHERE where the row is not asked
    A: np.ndarray
    b: np.ndarray

    @property
    def columns(self):
        return self.A.shape[1]


def responses(graph, members, asked, most):
    """Every joint response function: for each member its table (parents' cards …, columns)."""
    entries = [(m, row) for m in members for row in np.ndindex(*graph.rows(m)) if row in asked[m]]
    cards = [graph.cards[m] for m, _ in entries]
    columns = math.prod(cards)
    if columns > most:
        raise TooLargeError(f"{columns} response functions of {members}")
    values = np.indices(cards).reshape(len(cards), columns) if cards else np.zeros((0, 1), int)
    tables = {m: np.full((*graph.rows(m), columns), NOWHERE) for m in members}
    for (m, row), value in zip(entries, values, strict=True):
        tables[m][row] = value
    return tables


def make_block(graph, P, members, asked, known=None, most=100_000):
    tables = responses(graph, members, asked, most)
    columns = tables[members[0]].shape[-1]
    at = np.arange(columns)
    A, b = [np.ones(columns)], [1.0]
    for j, (outside, factor) in enumerate(prefix_factors(graph, P, members, known), start=1):
        for context in np.ndindex(*(graph.cards[v] for v in outside)):
            fixed = dict(zip(outside, context, strict=True))
            if (
                len(members) == 1
                and tuple(fixed[p] for p in graph.parents[members[0]]) not in asked[members[0]]
            ):
                continue  # a row of its own, free of all others
            values = dict(fixed)
            for m in members[:j]:
                values[m] = tables[m][(*(values[p] for p in graph.parents[m]), at)]
            for levels in np.ndindex(*(graph.cards[m] for m in members[:j])):
                if np.isnan(factor[(*levels, *context)]):
                    continue
                hit = np.all([values[m] == x for m, x in zip(members[:j], levels, strict=True)], axis=0)
                A.append(hit.astype(float))
                b.append(factor[(*levels, *context)])
    return Block(members, tables, np.array(A), np.array(b))
