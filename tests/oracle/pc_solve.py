"""The paper's program solved exactly where that can be done by brute force.

* `naive`: one response variable for all variables, nothing reduced (the paper's program as printed);
* `tight`: the components' own; all but the largest of the unidentified polytopes are replaced by their
  vertices, found by solving every basis, and the last is a linear program; `TooLargeError` if that is long;
* `joint`: the unidentified components share one response variable; `confounded`: all variables do;
* `attained`: what alternating linear programs reach, so bounds that are never too wide.

A solution is given back as a `scm.Model`, which says itself whether it has the distribution and the effect.
"""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass

import numpy as np
from scipy.optimize import linprog
from tests.oracle.c_factors import NOWHERE, TooLargeError, kernel_of, make_block, responses
from tests.oracle.pc_program import make_program, probability_of
from tests.oracle.scm import Model

EXACT = {"primal_feasibility_tolerance": 1e-10, "dual_feasibility_tolerance": 1e-10}


class InfeasibleError(Exception):
    """No model with this graph has this distribution."""


@dataclass
class Bounds:
    lower: float
    upper: float
    engine: str
    lower_model: Model | None = None
    upper_model: Model | None = None

    def __contains__(self, value):
        return self.lower - 1e-7 <= value <= self.upper + 1e-7


@dataclass
class Reduced:
    """A program whose columns are thinned; `origin` says which column of each block stands for the rest."""

    tensor: np.ndarray
    A: list[np.ndarray]
    b: list[np.ndarray]
    origin: list[np.ndarray]
    fixed: dict[int, np.ndarray]  # blocks already decided: their distribution over the block's columns
    place: list[int]  # which block each axis is


def thin(program):
    """Drop columns that a zero forbids, merge those that no constraint and no query tells apart."""
    r = Reduced(
        program.tensor,
        [block.A for block in program.blocks],
        [block.b for block in program.blocks],
        [np.arange(block.columns) for block in program.blocks],
        {},
        list(range(len(program.blocks))),
    )
    for i in range(len(r.A)):
        keep = ~(r.A[i][r.b[i] == 0] > 0).any(axis=0)
        pick(r, i, np.flatnonzero(keep))
        rows = r.b[i] != 0
        r.A[i], r.b[i] = r.A[i][rows], r.b[i][rows]
        if not keep.any():
            raise InfeasibleError("a component has no response left")
    decided = True
    while decided:
        decided = False
        for i in range(len(r.A)):
            slices = np.moveaxis(r.tensor, i, 0).reshape(len(r.origin[i]), -1)
            both = np.concatenate([r.A[i].T, np.round(slices, 12)], axis=1)
            _, first = np.unique(both, axis=0, return_index=True)
            pick(r, i, np.sort(first))
        for i in range(len(r.A)):
            if identified(r.tensor, r.A[i], i):
                settle(r, program, i, feasible(r.A[i], r.b[i]))
                decided = True
                break
    return r


def pick(r, i, columns):
    r.tensor = np.take(r.tensor, columns, axis=i)
    r.A[i] = r.A[i][:, columns]
    r.origin[i] = r.origin[i][columns]


def settle(r, program, i, p):
    """Block i has this distribution."""
    full = np.zeros(program.blocks[r.place[i]].columns)
    full[r.origin[i]] = p
    r.fixed[r.place[i]] = full
    r.tensor = np.tensordot(r.tensor, p, axes=(i, 0))
    for parts in (r.A, r.b, r.origin, r.place):
        del parts[i]


def identified(tensor, A, i):
    """Whether the data say all that the query asks of block i: its slices combine its constraints."""
    slices = np.unique(np.moveaxis(tensor, i, 0).reshape(A.shape[1], -1).round(12), axis=1)
    if slices.shape[1] > 4000:
        return False
    coefficients = np.linalg.lstsq(A.T, slices, rcond=None)[0]
    return bool(np.abs(A.T @ coefficients - slices).max() < 1e-9)


def lp(c, A, b):
    """min c p over A p = b, p ≥ 0."""
    found = linprog(c, A_eq=A, b_eq=b, bounds=(0, None), method="highs", options=EXACT)
    if found.status == 2:
        raise InfeasibleError("no distribution over responses has this distribution")
    assert found.status == 0, found.message
    return found.fun, np.maximum(found.x, 0)


def feasible(A, b):
    return lp(np.zeros(A.shape[1]), A, b)[1]


def independent_rows(A):
    kept = []
    for i in range(len(A)):
        if np.linalg.matrix_rank(A[[*kept, i]]) > len(kept):
            kept.append(i)
    return kept


def vertices(A, b, most=60_000):
    """All vertices of {p ≥ 0: A p = b} by solving every basis; A holds zeros and ones."""
    rows = independent_rows(A)
    rank, columns = len(rows), A.shape[1]
    if math.comb(columns, rank) > most:
        raise TooLargeError(f"{math.comb(columns, rank)} bases")
    bases = np.array(list(itertools.combinations(range(columns), rank)))
    square = A[rows][:, bases].transpose(1, 0, 2)
    regular = np.abs(np.linalg.det(square)) > 0.5  # determinants of such matrices are whole numbers
    bases = bases[regular]
    solved = np.linalg.solve(square[regular], np.broadcast_to(b[rows], (len(bases), rank))[..., None])[..., 0]
    good = (solved >= -1e-11).all(axis=1)
    points = np.zeros((good.sum(), columns))
    points[np.arange(good.sum())[:, None], bases[good]] = np.maximum(solved[good], 0)
    points = points[np.abs(points @ A.T - b).max(axis=1) < 1e-8]
    if not len(points):
        raise InfeasibleError("no distribution over responses has this distribution")
    return points[np.unique(points.round(10), axis=0, return_index=True)[1]]


def tight(program, *, most_programs=600, models=False):
    """The least and the greatest effect of all models with this graph and this distribution."""
    r = thin(program)
    if not r.A:
        value = float(r.tensor) / program.evidence
        model = as_model(program, r.fixed) if models else None
        return Bounds(value, value, "number", model, model)
    sizes = [len(o) for o in r.origin]
    last = int(np.argmax(sizes))
    others = [i for i in range(len(sizes)) if i != last]
    corners = [vertices(r.A[i], r.b[i]) for i in others]
    count = math.prod(len(c) for c in corners)
    if count > most_programs:
        raise TooLargeError(f"{count} linear programs")
    tensor = np.moveaxis(r.tensor, last, -1)
    for points in corners:  # contract the first axis with each vertex; the vertices become an axis at the end
        tensor = np.moveaxis(np.tensordot(points, tensor, axes=(1, 0)), 0, -1)
    tensor = tensor.reshape(sizes[last], -1) if others else tensor.reshape(sizes[last], 1)
    objectives, back = np.unique(tensor.round(13), axis=1, return_index=True)
    ends, best = [], []
    for sign in (1, -1):
        found = [lp(sign * c, r.A[last], r.b[last]) for c in objectives.T]
        k = int(np.argmin([value for value, _ in found]))
        ends.append(sign * found[k][0] / program.evidence)
        chosen = np.unravel_index(back[k], [len(c) for c in corners]) if corners else ()
        best.append({last: found[k][1]} | {i: c[j] for i, c, j in zip(others, corners, chosen, strict=True)})
    engine = f"vertex x LP ({objectives.shape[1]} LPs)" if others else "LP"
    made = [None, None]
    if models:
        for end, points in enumerate(best):
            full = dict(r.fixed)
            for i, p in points.items():
                full[r.place[i]] = np.zeros(program.blocks[r.place[i]].columns)
                full[r.place[i]][r.origin[i]] = p
            made[end] = as_model(program, full)
    return Bounds(ends[0], ends[1], engine, *made)


def attained(program, rng, *, starts=4, rounds=30):
    """Bounds that some model reaches: a linear program for one block after another, from random starts."""
    r = thin(program)
    if not r.A:
        value = float(r.tensor) / program.evidence
        return Bounds(value, value, "number")
    ends = []
    for sign in (1, -1):
        best = np.inf
        for _ in range(starts):
            points = [lp(rng.normal(size=A.shape[1]), A, b)[1] for A, b in zip(r.A, r.b, strict=True)]
            value = np.inf
            for _ in range(rounds):
                before = value
                for i in range(len(points)):
                    c = r.tensor
                    for j in reversed(range(len(points))):
                        if j != i:
                            c = np.tensordot(c, points[j], axes=(j, 0))
                    value, points[i] = lp(sign * c, r.A[i], r.b[i])
                if value > before - 1e-12:
                    break
            best = min(best, value)
        ends.append(sign * best / program.evidence)
    return Bounds(ends[0], ends[1], "alternating")


def unidentified(program):
    """The components that the data leave open and the query asks about."""
    return [program.blocks[i].members for i in thin(program).place]


def joint(graph, P, query, **settings):
    """One response variable for all unidentified components together: one linear program, looser."""
    open_ones = unidentified(make_program(graph, P, query, **settings))
    merged = graph.merged(tuple(v for c in open_ones for v in c)) if open_ones else graph
    return tight(make_program(merged, P, query, **settings))


def naive(graph, P, query, most=20_000):
    """The paper's program as printed: P(r) for every joint response r of all variables, rows P(v)."""
    everything = graph.merged(graph.variables)
    every = {v: set(np.ndindex(*graph.rows(v))) for v in graph.variables}
    tables = responses(graph, graph.variables, every, most)
    model = Model(everything, (np.ones(tables[graph.variables[0]].shape[-1]),), tables)
    _, of = model.worlds()
    values = model.factual(of)
    cell = np.ravel_multi_index([values[v] for v in graph.variables], graph.shape)
    A = (cell == np.arange(P.size)[:, None]).astype(float)
    seen = model.holds(query.given, of)
    moved = model.nested(query, query.paths, of) == query.value
    stayed = model.nested(query, frozenset(), of) == query.value
    c = seen * (moved * 1.0 - stayed * 1.0) / probability_of(graph, P, query.given)
    return Bounds(lp(c, A, P.ravel())[0], -lp(-c, A, P.ravel())[0], "naive")


def confounded(graph, P, query):
    """Everything confounded, without a program: each cell's people may be whoever the cell allows.

    Σ over cells v ⊨ o of P(v) times the most (least) that a response with V(r) = v can give: responses are
    made up entry by entry, when a world asks.
    """
    names = graph.variables
    ends = np.zeros(2)
    for cell in np.argwhere(P > 0):
        seen = dict(zip(names, (int(x) for x in cell), strict=True))
        if any(seen[v] != x for v, x in query.given.items()):
            continue
        entries = {(v, tuple(seen[p] for p in graph.parents[v])): seen[v] for v in names}
        possible = set(outcomes(graph, query, entries))
        ends += P[tuple(cell)] * np.array([min(possible), max(possible)])
    ends /= probability_of(graph, P, query.given)
    return Bounds(float(ends[0]), float(ends[1]), "confounded")


def outcomes(graph, query, entries):
    """1[Y moved = y] − 1[Y stayed = y] for every way to fill the response tables' other entries."""

    class AskedError(Exception):
        pass

    def value(v, suffix, paths):
        if v == query.treatment:
            return query.active if suffix in paths else query.reference
        entry = (v, tuple(value(p, (p, *suffix), paths) for p in graph.parents[v]))
        if entry not in entries:
            raise AskedError(entry)
        return entries[entry]

    try:
        both = (query.paths, frozenset())
        y = [value(query.outcome, (query.outcome,), paths) == query.value for paths in both]
    except AskedError as asked:
        entry = asked.args[0]
        for level in range(graph.cards[entry[0]]):
            yield from outcomes(graph, query, {**entries, entry: level})
    else:
        yield int(y[0]) - int(y[1])


def coupled(*distributions):
    """One hidden cause for distributions (labels, probability): each takes its quantiles; any will do."""
    cuts = np.unique(np.concatenate([np.cumsum(p)[:-1] for _, p in distributions] + [[0.0, 1.0]]).clip(0, 1))
    cuts = cuts[np.append(True, np.diff(cuts) > 1e-15)]
    middle, width = (cuts[1:] + cuts[:-1]) / 2, np.diff(cuts)
    chosen = [np.asarray(x)[np.searchsorted(np.cumsum(p)[:-1], middle)] for x, p in distributions]
    return width, chosen


def as_model(program, points):
    """The blocks' distributions (block → probability of each column) as a model."""
    g, P = program.graph, program.P
    hidden, tables = [], {}
    for members in g.components:
        i = next((i for i, block in enumerate(program.blocks) if block.members == members), None)
        v = members[0]
        if len(members) > 1:
            if i is None:
                every = {m: set(np.ndindex(*g.rows(m))) for m in members}
                block = make_block(g, P, members, every, program.known)
                p = feasible(block.A, block.b)
            else:
                block, p = program.blocks[i], points[i]
            some = np.flatnonzero(p > 0)
            hidden.append(p[some] / p[some].sum())
            tables |= {m: block.tables[m][..., some] for m in members}
            continue
        kernel = kernel_of(g, P, v, program.known)
        rows = list(np.ndindex(*g.rows(v)))
        parts, free = [], rows
        if i is not None:
            block, p = program.blocks[i], points[i]
            some = np.flatnonzero(p > 0)
            parts.append((some, p[some] / p[some].sum()))
            free = [row for row in rows if block.tables[v][(*row, 0)] == NOWHERE]
        for row in free:
            q = kernel[row]
            parts.append((np.arange(g.cards[v]), np.full(len(q), 1 / len(q)) if np.isnan(q).any() else q))
        width, chosen = coupled(*parts)
        table = np.zeros((*g.rows(v), len(width)), int)
        if i is not None:
            table = np.where(block.tables[v] == NOWHERE, 0, block.tables[v])[..., chosen.pop(0)]
        for row, levels in zip(free, chosen, strict=True):
            table[row] = levels
        hidden.append(width)
        tables[v] = table
    return Model(g, tuple(hidden), tables)


def certified(model, P, query, effect, tolerance=1e-7):
    """Whether this model has the distribution P and the effect: an attained bound proves itself so."""
    apart = np.abs(model.distribution() - P).max()
    return bool(max(apart, abs(model.effect(query) - effect)) < tolerance)
