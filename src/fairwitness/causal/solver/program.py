"""The program of one block: a polytope of what the data say of its response functions, and what is asked.

Only what can matter is built. A context whose last members' entries nobody else asks for says no more than
its first members do: whatever the others do there, the rest can be answered as the data say, independently.
And entries that no chain of events joins to the question have no part in it.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from scipy import sparse

from fairwitness.causal.solver.diagram import Diagram, Payload, TooWideError, build
from fairwitness.causal.solver.expression import Entries, Event, too_large
from fairwitness.causal.solver.factors import Factor, Model
from fairwitness.causal.solver.linear import Polytope, with_slack
from fairwitness.text import listing, plain
from fairwitness.typing import FloatArray

#: Cells of the table of one block that are looked at one by one.
MOST_LISTED = 500_000


@dataclass(frozen=True, slots=True)
class BlockSize:
    """How large one block's program is, before and after merging.

    Attributes
    ----------
    members
        The confounded variables.
    naive_columns
        Joint response functions, log10: the columns of the program as the paper writes it.
    columns, rows
        Of the program that was solved: steps of the diagram; its nodes and the cells of the data.
    cells
        Probabilities of the data that constrain it.
    entries
        Entries of response tables that are told apart.
    """

    members: tuple[str, ...]
    naive_columns: float
    columns: int
    rows: int
    cells: int
    entries: int

    def __str__(self) -> str:
        whole = 10**self.naive_columns
        count = f"{whole:,.0f}" if self.naive_columns < 12 else f"about 10^{self.naive_columns:.0f}"
        names = ", ".join(map(plain, self.members))
        return (
            f"{{{names}}}: {count} joint response functions; of them the data and the question tell "
            f"{self.columns:,} columns apart, by {self.entries:,} answers in all, with {self.cells:,} "
            "probabilities to meet; response functions that answer alike where somebody asks are one"
        )


@dataclass(frozen=True, eq=False)
class BlockProgram:
    """A polytope of response distributions, and the probabilities of events as linear functions on it.

    Attributes
    ----------
    asked
        One row an event asked for (or one row for a single objective), one column a step of the diagram.
    slack
        The least total amount by which the data's probabilities must be missed (ε); 0 if they can be met.
    """

    members: tuple[str, ...]
    polytope: Polytope
    asked: sparse.csr_matrix
    size: BlockSize
    slack: float


def naive_columns(model: Model, members: Iterable[str]) -> float:
    """Give log10 of the number of joint response functions of some variables."""
    return sum(
        math.prod(model.cardinality(parent) for parent in model.graph.parents(name))
        * math.log10(model.cardinality(name))
        for name in members
    )


def constraints(
    factor: Factor, entries: Entries, asked: Iterable[Event]
) -> tuple[dict[Event, float], Mapping[int, int]]:
    """Give the events that the data give a probability to, as far as they can matter to those asked for.

    Returns
    -------
    tuple
        Event → probability; and entry → number of its values, for all entries concerned.
    """
    asked_entries = {entry for event in asked for entry, _ in event}
    cells_in_all = math.prod(factor.model.cardinality(name) for name in factor.axes)
    if cells_in_all > MOST_LISTED:
        names = listing([plain(name) for name in factor.axes])
        raise too_large(f"the table of {names} has more than {MOST_LISTED:,} cells", float(cells_in_all))
    cells = list(_placed(factor, entries))
    lengths = _lengths(cells, asked_entries)
    found: dict[Event, float] = {}
    for (context, steps, place), length in zip(cells, lengths, strict=True):
        if length:
            event = tuple(sorted(steps[:length]))
            if event not in found:
                members = place[:length]
                index = (*members, *((0,) * (len(factor.members) - length)), *context)
                table = factor.prefixes[length]
                short = tuple(0 if size == 1 else at for at, size in zip(index, table.shape, strict=True))
                found[event] = float(table[short])
    found = _joined(found, asked_entries)
    touched = asked_entries | {entry for event in found for entry, _ in event}
    return found, {entry: entries.cardinality(entry) for entry in touched}


_Placed = tuple[tuple[int, ...], list[tuple[int, int]], tuple[int, ...]]


def _placed(factor: Factor, entries: Entries) -> Iterable[_Placed]:
    graph = factor.model.graph
    axis = {name: number for number, name in enumerate(factor.axes)}
    n_members = len(factor.members)
    parents = [[axis[parent] for parent in graph.parents(name)] for name in factor.members]
    for cell in factor.cells():
        place = (*cell.members, *((0,) * (n_members - len(cell.members))), *cell.context)
        steps = [
            (entries.number(name, [place[at] for at in parents[i]]), place[i])
            for i, name in enumerate(factor.members[: len(cell.members)])
        ]
        yield cell.context, steps, cell.members


def _lengths(cells: Sequence[_Placed], asked: set[int]) -> list[int]:
    """Find how many first members of each cell can matter."""
    contexts: dict[tuple[int, ...], list[int]] = {}
    for number, (context, _, _) in enumerate(cells):
        contexts.setdefault(context, []).append(number)
    lengths = [len(steps) for _, steps, _ in cells]
    while True:
        users: dict[int, set[tuple[int, ...]]] = {}
        for (context, steps, _), length in zip(cells, lengths, strict=True):
            for entry, _ in steps[:length]:
                users.setdefault(entry, set()).add(context)
        changed = False
        for context, numbers in contexts.items():
            longest = max(lengths[number] for number in numbers)
            while longest:
                last = {cells[n][1][longest - 1][0] for n in numbers if lengths[n] >= longest}
                if any(entry in asked or users[entry] != {context} for entry in last):
                    break
                longest -= 1
            for number in numbers:
                if lengths[number] > longest:
                    lengths[number] = longest
                    changed = True
        if not changed:
            return lengths


def _joined(found: Mapping[Event, float], asked: set[int]) -> dict[Event, float]:
    """Keep the events that a chain of shared entries joins to the question."""
    by_entry: dict[int, list[Event]] = {}
    for event in found:
        for entry, _ in event:
            by_entry.setdefault(entry, []).append(event)
    kept: set[Event] = set()
    reached = set(asked)
    waiting = list(asked)
    while waiting:
        for event in by_entry.get(waiting.pop(), ()):
            if event in kept:
                continue
            kept.add(event)
            fresh = {entry for entry, _ in event} - reached
            reached |= fresh
            waiting += fresh
    return {event: value for event, value in found.items() if event in kept}


def block_program(
    model: Model,
    members: Sequence[str],
    entries: Entries,
    asked: Mapping[Event, Payload],
    n_asked: int,
    *,
    most_columns: int = 40_000,
) -> BlockProgram:
    """Build the program of one block.

    Parameters
    ----------
    asked
        Event → (number of the question, weight) pairs: question q is the weighted sum of its events.
    n_asked
        Number of questions.

    Raises
    ------
    TooLargeError
        If it has more than ``most_columns`` columns.
    """
    factor = model.factor(members)
    given, cardinality = constraints(factor, entries, asked)
    functionals = {event: number + n_asked for number, event in enumerate(given)}
    rhs = np.array(list(given.values()), dtype=np.float64)
    events: dict[Event, Payload] = {event: ((number, 1.0),) for event, number in functionals.items()}
    for event, payload in asked.items():
        events[event] = tuple(sorted((*events.get(event, ()), *payload)))
    zero = frozenset(n_asked + int(row) for row in np.flatnonzero(rhs == 0))

    def made(impossible: frozenset[int]) -> tuple[Diagram, Polytope, sparse.csr_matrix]:
        try:
            diagram = build(events, cardinality, impossible=impossible, most_edges=most_columns)
        except TooWideError:
            size = 10 ** min(naive_columns(model, members), 300.0)
            names = listing([plain(name) for name in factor.members])
            raise too_large(
                f"the response functions of {names} need more than {most_columns:,} columns", size
            ) from None
        return (diagram, *assembled(diagram, rhs, n_asked))

    diagram, polytope, questions = made(zero)
    slack = 0.0
    if polytope.optimize(np.zeros(polytope.n_columns), "max") is None:
        diagram, polytope, questions = made(frozenset())
        soft = np.zeros(polytope.n_rows, dtype=bool)
        soft[: len(rhs)] = True
        plain_columns = polytope.n_columns
        polytope, slack = with_slack(polytope, soft)
        empty = sparse.csr_matrix((n_asked, polytope.n_columns - plain_columns))
        questions = sparse.hstack([questions, empty], format="csr")
    size = BlockSize(
        factor.members,
        naive_columns(model, members),
        polytope.n_columns,
        polytope.n_rows,
        len(rhs),
        diagram.n_entries,
    )
    return BlockProgram(factor.members, polytope, questions, size, slack)


def assembled(diagram: Diagram, rhs: FloatArray, n_asked: int) -> tuple[Polytope, sparse.csr_matrix]:
    """Write the flow network as a polytope: first the data's cells, then what flows in flows out."""
    n_columns = len(diagram.edges)
    n_cells = len(rhs)
    rows: list[int] = []
    columns: list[int] = []
    values: list[float] = []
    asked: tuple[list[int], list[int], list[float]] = ([], [], [])
    for column, edge in enumerate(diagram.edges):
        for functional, weight in edge.counts:
            if functional < n_asked:
                asked[0].append(functional)
                asked[1].append(column)
                asked[2].append(weight)
            else:
                rows.append(functional - n_asked)
                columns.append(column)
                values.append(weight)
        if edge.start != 0:
            rows.append(n_cells + edge.start)
            columns.append(column)
            values.append(-1.0)
        if edge.end != diagram.n_nodes - 1:
            rows.append(n_cells + edge.end)
            columns.append(column)
            values.append(1.0)
        else:
            rows.append(n_cells)
            columns.append(column)
            values.append(1.0)
    n_rows = n_cells + max(diagram.n_nodes - 1, 1)
    matrix = sparse.csc_matrix((values, (rows, columns)), shape=(n_rows, n_columns))
    limits = np.zeros(n_rows)
    limits[:n_cells] = rhs
    limits[n_cells] = 1.0  # the row of the source is not needed; in its place, all flow arrives
    questions = sparse.csr_matrix((asked[2], (asked[0], asked[1])), shape=(n_asked, n_columns))
    return Polytope(matrix, limits, limits, np.ones(n_columns)), questions
