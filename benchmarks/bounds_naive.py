"""The program of the paper as it stands: equation 4, one column for every joint response function.

Independent of the library. The columns are numbered; a column's number, read in mixed radix, is one response
function for each variable, and that function's number in turn its answer to every row of the parents' values.
Two linear programs over all of them, a sparse matrix with one row for each cell of the data, solved by HiGHS.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from bounds_worlds import Case, World
from scipy import sparse

#: More columns are not built.
MOST_COLUMNS = 2_000_000


class TooManyError(Exception):
    """The program cannot be built; holds log10 of its number of columns."""


@dataclass(frozen=True)
class Bounds:
    lower: float
    upper: float
    columns: int
    rows: int


def solve(case: Case, table: np.ndarray) -> Bounds:
    """Build the program and find both ends."""
    world = case.world
    size = world.columns(tuple(world.cards))
    if size > math.log10(MOST_COLUMNS):
        raise TooManyError(size)
    functions = numbered(world, tuple(world.cards))
    factual: dict[str, np.ndarray] = {}
    for name in world.cards:
        factual[name] = answer(world, name, functions, factual)
    cell = np.ravel_multi_index([factual[name] for name in world.cards], table.shape)
    counted = np.ones(len(cell), dtype=bool)
    for name, value in case.given.items():
        counted &= factual[name] == value
    paths = set(case.listed())
    effect = holds(case, functions, paths) - holds(case, functions, set())
    shown = table[tuple(case.given.get(name, slice(None)) for name in world.cards)]
    cost = np.where(counted, effect, 0) / shown.sum()
    rows = np.arange(len(cell))
    matrix = sparse.csc_matrix((np.ones(len(cell)), (cell, rows)), shape=(table.size, len(cell)))
    total = sparse.csc_matrix(np.ones((1, len(cell))))
    whole = sparse.vstack([matrix, total], format="csc")
    low, high = _ends(whole, np.append(table.ravel(), 1.0), cost)
    return Bounds(low, high, len(cell), table.size + 1)


def numbered(world: World, names: tuple[str, ...]) -> dict[str, np.ndarray]:
    """For each of some variables the number of its response function in every column."""
    counts = {
        name: world.cards[name] ** math.prod(world.cards[p] for p in world.parents(name)) for name in names
    }
    columns = np.arange(math.prod(counts.values()))
    found = {}
    for name, count in counts.items():
        columns, found[name] = np.divmod(columns, count)
    return found


def answer(
    world: World, name: str, functions: Mapping[str, np.ndarray], values: Mapping[str, np.ndarray]
) -> np.ndarray:
    """What the response functions of one variable answer to its parents' values."""
    row = np.zeros(len(functions[name]), dtype=np.int64)
    for parent in world.parents(name):
        row = row * world.cards[parent] + values[parent]
    return functions[name] // world.cards[name] ** row % world.cards[name]


def holds(case: Case, functions: Mapping[str, np.ndarray], paths: set[tuple[str, ...]]) -> np.ndarray:
    """Whether the outcome happens if the treatment is active along `paths` and at its reference elsewhere."""
    world = case.world

    def value(name: str, rest: tuple[str, ...]) -> np.ndarray:
        if name == case.treatment:
            level = case.active if rest in paths else case.reference
            return np.full(len(functions[name]), level)
        above = {parent: value(parent, (parent, *rest)) for parent in world.parents(name)}
        return answer(world, name, functions, above)

    return (value(case.outcome, (case.outcome,)) == 1).astype(float)


def _ends(matrix: sparse.csc_matrix, right: np.ndarray, cost: np.ndarray) -> tuple[float, float]:
    """Solve for both ends, each from the start: beginning where the other ended takes 30 times as long."""
    import highspy

    n_rows, n_columns = matrix.shape
    found = []
    for sense in (highspy.ObjSense.kMinimize, highspy.ObjSense.kMaximize):
        solver = getattr(highspy, "_Highs", highspy.Highs)()
        solver.setOptionValue("output_flag", False)
        solver.setOptionValue("threads", 1)
        model = highspy.HighsLp()
        model.num_col_, model.num_row_ = n_columns, n_rows
        model.sense_ = sense
        model.col_cost_ = cost
        model.col_lower_ = np.zeros(n_columns)
        model.col_upper_ = np.full(n_columns, highspy.kHighsInf)
        model.row_lower_ = model.row_upper_ = right
        model.a_matrix_.format_ = highspy.MatrixFormat.kColwise
        model.a_matrix_.start_, model.a_matrix_.index_ = matrix.indptr, matrix.indices
        model.a_matrix_.value_ = matrix.data
        solver.passModel(model)
        solver.run()
        assert solver.getModelStatus() == highspy.HighsModelStatus.kOptimal, solver.getModelStatus()
        found.append(float(solver.getInfo().objective_function_value))
    return found[0], found[1]
