"""Two other ways to the same bounds where one set of variables is confounded, to see what the diagram saves.

`merged`: list every response function and merge those that neither the data nor the question tell apart.
`generate`: column generation. A master program holds few response functions; the one that would improve it
most is a longest path through the library's diagram, which makes pricing as cheap as it can be.
"""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
from bounds_naive import answer, holds, numbered
from bounds_worlds import Case
from scipy import sparse

#: Cost of missing a cell of the data, above any effect.
PENALTY = 10.0


def merged(case: Case, table: np.ndarray) -> dict[str, int]:
    """Count the response functions of the confounded variables, and those that differ in what they do."""
    world = case.world
    outside = tuple(name for name in world.cards if name not in case.open)
    functions = numbered(world, case.open)
    n = len(functions[case.open[0]])
    paths = set(case.listed())
    cells, effect = [], np.zeros(n)
    for context in itertools.product(*(range(world.cards[name]) for name in outside)):
        held = dict(zip(outside, context, strict=True))
        # a root's response function is its value
        whole = {**functions, **{name: np.full(n, value) for name, value in held.items()}}
        values = {name: whole[name] for name in outside}
        for name in case.open:
            values[name] = answer(world, name, whole, values)
        shape = [world.cards[v] for v in case.open]
        cells.append(np.ravel_multi_index([values[v] for v in case.open], shape))
        counted = np.ones(n, dtype=bool)
        for name, value in case.given.items():
            counted &= values[name] == value
        chance = table[tuple(held.get(name, slice(None)) for name in world.cards)].sum()
        effect += chance * counted * (holds(case, whole, paths) - holds(case, whole, set()))
    _, effects = np.unique(effect.round(12), return_inverse=True)
    kinds = np.unique(np.column_stack([*cells, effects]), axis=0)
    return {"listed": n, "merged": len(kinds)}


def generate(program: Any) -> dict[str, float]:
    """Solve a block's program by column generation, both ends."""
    network = _Network(program)
    found = [network.extreme(sign) for sign in (-1.0, 1.0)]
    return {"lower": found[0][0], "upper": found[1][0], "rounds": found[0][1] + found[1][1]}


class _Network:
    """The diagram as the program's matrix has it: cells' rows first, then a row a node but the first."""

    def __init__(self, program: Any) -> None:
        matrix = program.polytope.matrix.tocsc()
        self.n_cells = program.size.cells
        self.cells = matrix[: self.n_cells].T.tocsr()
        self.right = program.polytope.high[: self.n_cells]
        self.cost = np.asarray(program.asked.todense()).ravel()
        flows = matrix[self.n_cells :].tocsc()
        source = flows.shape[0]  # it has no row; its place is taken by that of the last node
        edges = []
        for column in range(flows.shape[1]):
            part = slice(flows.indptr[column], flows.indptr[column + 1])
            ends = dict(zip(flows.data[part], flows.indices[part], strict=True))
            edges.append((ends.get(-1.0, source), ends[1.0]))
        self.start = np.array([start for start, _ in edges])
        self.source, self.sink = source, 0
        self.order, self.into = self._sorted(edges)

    def _sorted(self, edges: list[tuple[int, int]]) -> tuple[list[int], dict[int, list[int]]]:
        import networkx as nx

        into: dict[int, list[int]] = {}
        for number, (_, end) in enumerate(edges):
            into.setdefault(end, []).append(number)
        return [n for n in nx.topological_sort(nx.MultiDiGraph(edges)) if n != self.source], into

    def _longest(self, weights: np.ndarray) -> tuple[float, list[int]]:
        best = {self.source: 0.0}
        step = {}
        for node in self.order:
            gains = [(best[self.start[each]] + weights[each], each) for each in self.into[node]]
            best[node], step[node] = max(gains)
        path, node = [], self.sink
        while node != self.source:
            path.append(step[node])
            node = self.start[step[node]]
        return best[self.sink], path

    def extreme(self, sign: float) -> tuple[float, int]:
        import highspy

        solver = getattr(highspy, "_Highs", highspy.Highs)()
        solver.setOptionValue("output_flag", False)
        solver.setOptionValue("threads", 1)
        solver.changeObjectiveSense(highspy.ObjSense.kMaximize)
        for value in (*self.right, 1.0):
            solver.addRow(value, value, 0, np.array([], dtype=np.int32), np.array([]))
        for row, way in itertools.product(range(self.n_cells), (1.0, -1.0)):
            self._add(solver, -PENALTY, np.array([row]), np.array([way]))
        y, base, rounds = np.zeros(self.n_cells), -np.inf, 0
        while True:
            gain, path = self._longest(sign * self.cost - self.cells @ y)
            if gain - base < 1e-9:
                return sign * solver.getInfo().objective_function_value, rounds
            column = sparse.csr_matrix(self.cells[path].sum(axis=0))
            rows, values = np.append(column.indices, self.n_cells), np.append(column.data, 1.0)
            self._add(solver, sign * self.cost[path].sum(), rows, values)
            solver.run()
            dual = np.array(solver.getSolution().row_dual)
            y, base, rounds = dual[:-1], dual[-1], rounds + 1

    def _add(self, solver: Any, cost: float, rows: np.ndarray, values: np.ndarray) -> None:
        solver.addCol(float(cost), 0.0, np.inf, len(rows), rows.astype(np.int32), values)
