"""Response functions as paths through a decision diagram, so that as few as possible are told apart.

A joint response function of a block is a choice of a value for every entry of its response tables. There are
far too many to list, but the data and the question ask for few entries at a time, and most choices look alike
to both. The diagram asks one entry after another. Its *state* is what is still undecided of all events that
are asked for; two histories with the same state are one node, and an entry that nobody asks for in a state is
skipped. A distribution over response functions is a flow of one unit from the first node to the last. Every
event's probability is then a sum of flows, and every flow comes from a distribution, so nothing is lost.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from fairwitness.causal.solver.expression import Event

#: Functional → weight, sorted: what an event counts for once it has happened.
Payload: TypeAlias = tuple[tuple[int, float], ...]
#: What is still needed of an event: ``((position of the entry, value), …)``.
Tail: TypeAlias = tuple[tuple[int, int], ...]
State: TypeAlias = frozenset[tuple[Tail, Payload]]


#: Work on one diagram, in events looked at, after which it is given up: some ten seconds. Work, not time, so
#: that the same question is always answered, or always refused.
MOST_WORK = 5_000_000
#: Pairs of entries that share an event, beyond which no better order than the graph's is looked for.
MOST_PAIRS = 1_000_000


class TooWideError(Exception):
    """The diagram has more edges than allowed."""


class TooLongError(TooWideError):
    """It takes too much work to find out how many edges there are."""


@dataclass(frozen=True, eq=False, slots=True)
class Edge:
    """One step: the flow along it counts for each functional with a weight."""

    start: int
    end: int
    counts: Payload


@dataclass(frozen=True, eq=False)
class Diagram:
    """A flow network; node 0 is the source, the last node the sink.

    Attributes
    ----------
    n_entries
        Entries of response tables that are told apart.
    """

    n_nodes: int
    edges: tuple[Edge, ...]
    n_entries: int


def build(
    events: Mapping[Event, Payload],
    cardinality: Mapping[int, int],
    *,
    impossible: frozenset[int] = frozenset(),
    most_edges: int = 40_000,
) -> Diagram:
    """Build the diagram that tells all ``events`` apart.

    Parameters
    ----------
    events
        Event → what it counts for. The empty event always happens.
    cardinality
        Values of each entry.
    impossible
        Functionals of probability 0: steps that would count for one are left out.
    most_edges
        Give up beyond this.

    Raises
    ------
    TooWideError
        If every order of the entries that is tried needs more edges.
    """
    orders = _orders(events)
    # A good order needs few edges; no time is lost on a bad one before a good one was tried.
    limits = [limit for limit in (1_000, 6_000) if limit < most_edges]
    for limit in (*limits, most_edges):
        best: Diagram | None = None
        for order in tuple(orders):
            try:
                found = _build(events, order, cardinality, impossible, limit)
            except TooLongError:
                orders.remove(order)
                continue
            except TooWideError:
                continue
            if best is None or len(found.edges) < len(best.edges):
                best = found
                limit = len(found.edges)
        if best is not None:
            return best
    raise TooWideError


def _orders(events: Mapping[Event, Payload]) -> list[list[int]]:
    entries = sorted({entry for event in events for entry, _ in event})
    first = entries  # causes before effects: an effect is asked only where its causes lead
    if sum(len(event) ** 2 for event in events) > MOST_PAIRS:
        return [first]
    narrow = _narrowest(events, entries)
    return [first] if narrow == first else [first, narrow]


def _narrowest(events: Mapping[Event, Payload], entries: Sequence[int]) -> list[int]:
    """Order the entries so that few of those already asked matter to those still to come."""
    near: dict[int, set[int]] = {entry: set() for entry in entries}
    for event in events:
        names = {entry for entry, _ in event}
        for entry in names:
            near[entry] |= names
    for entry in entries:
        near[entry].discard(entry)
    unasked = {entry: len(near[entry]) for entry in entries}
    left = set(entries)
    asked: set[int] = set()
    order: list[int] = []
    candidates: set[int] = set()
    while left:
        pool = candidates or left
        best = None
        for entry in pool:
            met = near[entry] & asked
            closed = sum(unasked[other] == 1 for other in met)
            score = ((1 if unasked[entry] else 0) - closed, -len(met), entry)
            if best is None or score < best:
                best = score
        if best is None:
            break
        entry = best[2]
        order.append(entry)
        asked.add(entry)
        left.discard(entry)
        candidates.discard(entry)
        for other in near[entry]:
            unasked[other] -= 1
        candidates |= near[entry] & left
    return order


def _build(
    events: Mapping[Event, Payload],
    order: Sequence[int],
    cardinality: Mapping[int, int],
    impossible: frozenset[int],
    most_edges: int,
) -> Diagram:
    place = {entry: position for position, entry in enumerate(order)}
    starting: list[list[tuple[Tail, Payload]]] = [[] for _ in order]
    always: Payload = ()
    for event, payload in events.items():
        tail = tuple(sorted((place[entry], value) for entry, value in event))
        if tail:
            starting[tail[0][0]].append((tail, payload))
        else:
            always = payload
    nothing: State = frozenset()
    nodes: dict[State, int] = {nothing: 0}
    edges: list[Edge] = []
    n_nodes = 1
    work = 0
    for position, entry in enumerate(order):
        fresh = starting[position]
        asking = {
            state: [item for item in state if item[0][0][0] == position] if state else [] for state in nodes
        }
        # Those that do not ask go first, as they are: others may come to the same state.
        following = {state: node for state, node in nodes.items() if not fresh and not asking[state]}
        for state, node in nodes.items():
            if state in following and following[state] == node:
                continue
            waiting = asking[state]
            rest = {tail: payload for tail, payload in state if tail[0][0] != position}
            work += (len(state) + len(fresh) + 1) * cardinality[entry]
            if work > MOST_WORK:
                raise TooLongError
            seen: dict[tuple[State, Payload], None] = {}
            for value in range(cardinality[entry]):
                seen[_answer(value, fresh, waiting, rest)] = None
            for after, counts in seen:
                if impossible and any(functional in impossible for functional, _ in counts):
                    continue
                target = following.get(after)
                if target is None:
                    target = following[after] = n_nodes
                    n_nodes += 1
                edges.append(Edge(node, target, counts))
                if len(edges) > most_edges:
                    raise TooWideError
        nodes = following
    return Diagram(*_closed(n_nodes, edges, nodes, always), len(order))


def _answer(
    value: int,
    fresh: Sequence[tuple[Tail, Payload]],
    waiting: Sequence[tuple[Tail, Payload]],
    rest: Mapping[Tail, Payload],
) -> tuple[State, Payload]:
    """Give the state after an entry was answered, and what has happened by that."""
    counts: dict[int, float] = {}
    after = dict(rest)
    for tail, payload in (*waiting, *fresh):
        if tail[0][1] != value:
            continue
        if len(tail) == 1:
            for functional, weight in payload:
                counts[functional] = counts.get(functional, 0.0) + weight
        else:
            left = tail[1:]
            after[left] = _sum(after[left], payload) if left in after else payload
    return frozenset(after.items()), tuple(sorted(counts.items()))


def _sum(first: Payload, second: Payload) -> Payload:
    total = dict(first)
    for functional, weight in second:
        total[functional] = total.get(functional, 0.0) + weight
    return tuple(sorted(total.items()))


def _closed(
    n_nodes: int, edges: list[Edge], ends: Mapping[State, int], always: Payload
) -> tuple[int, tuple[Edge, ...]]:
    """Lead all that remains into one sink, along an edge that always carries everything."""
    last = list(ends.values())
    if not always and last == [n_nodes - 1] and n_nodes > 1:
        return n_nodes, tuple(edges)
    edges += [Edge(node, n_nodes, always) for node in last]
    return n_nodes + 1, tuple(edges)
