from __future__ import annotations

import graphlib
import itertools

import numpy as np
import pytest

from fairwitness.causal.solver import diagram as module
from fairwitness.causal.solver.diagram import TooWideError, build


def happened(events, cardinality, impossible=frozenset()):
    """What each way to answer all entries counts for: functional → weight, by going through them all."""
    entries = sorted(cardinality)
    found = set()
    for answers in itertools.product(*(range(cardinality[entry]) for entry in entries)):
        given = dict(zip(entries, answers, strict=True))
        counted = {}
        for event, payload in events.items():
            if all(given[entry] == value for entry, value in event):
                for functional, weight in payload:
                    counted[functional] = counted.get(functional, 0.0) + weight
        if not impossible & set(counted):
            found.add(vector(counted))
    return found


def vector(counted):
    return tuple(sorted((functional, round(weight, 9)) for functional, weight in counted.items() if weight))


def paths(made):
    """What each path from the first node to the last counts for: the corners of all flows."""
    after = {}
    for edge in made.edges:
        after.setdefault(edge.start, []).append(edge)
    found = set()

    def walk(node, counted):
        if node == made.n_nodes - 1:
            found.add(vector(counted))
        for edge in after.get(node, ()):
            more = dict(counted)
            for functional, weight in edge.counts:
                more[functional] = more.get(functional, 0.0) + weight
            walk(edge.end, more)

    walk(0, {})
    return found


def one_each(events):
    return {event: ((number, 1.0),) for number, event in enumerate(events)}


def some_events(rng, n_entries=5):
    cardinality = {int(e): int(rng.integers(2, 4)) for e in rng.permutation(40)[:n_entries]}
    entries = sorted(cardinality)
    events = set()
    for _ in range(int(rng.integers(1, 7))):
        chosen = sorted(rng.permutation(entries)[: int(rng.integers(1, 4))].tolist())
        events.add(tuple((entry, int(rng.integers(cardinality[entry]))) for entry in chosen))
    return sorted(events), cardinality


class TestFlowsAreDistributions:
    def test_random_events(self):
        """Every path answers all entries in some way, and every way to answer them is a path."""
        rng = np.random.default_rng(0)
        for number in range(100):
            events, cardinality = some_events(rng)
            asked = one_each(events)
            made = build(asked, cardinality)
            assert paths(made) == happened(asked, cardinality), number
            assert made.n_entries == len({entry for event in events for entry, _ in event})

    def test_random_questions(self):
        """One question may be a weighted sum of events, one event may count for several questions."""
        rng = np.random.default_rng(1)
        for number in range(100):
            events, cardinality = some_events(rng)
            asked = {}
            for event in events:
                functionals = sorted(rng.permutation(4)[: int(rng.integers(1, 4))].tolist())
                asked[event] = tuple((f, float(rng.choice([-2.0, -1.0, 0.5, 1.0]))) for f in functionals)
            assert paths(build(asked, cardinality)) == happened(asked, cardinality), number

    def test_impossible_functionals(self):
        rng = np.random.default_rng(2)
        fewer = 0
        for number in range(100):
            events, cardinality = some_events(rng)
            asked = one_each(events)
            impossible = frozenset(int(f) for f in range(len(events)) if rng.random() < 0.3)
            made = build(asked, cardinality, impossible=impossible)
            expected = happened(asked, cardinality, impossible)
            assert paths(made) == expected, number
            assert not any(functional in impossible for edge in made.edges for functional, _ in edge.counts)
            fewer += len(expected) < len(happened(asked, cardinality))
        assert fewer > 30

    def test_every_order_of_the_entries(self):
        rng = np.random.default_rng(3)
        for _ in range(20):
            events, cardinality = some_events(rng, n_entries=4)
            asked = one_each(events)
            entries = sorted({entry for event in events for entry, _ in event})
            for order in itertools.permutations(entries):
                made = module._build(asked, order, cardinality, frozenset(), 1000)
                assert paths(made) == happened(asked, cardinality)

    def test_flows_run_from_the_first_node_to_the_last(self):
        rng = np.random.default_rng(4)
        for _ in range(60):
            events, cardinality = some_events(rng)
            made = build(one_each(events), cardinality)
            assert {edge.start for edge in made.edges} == set(range(made.n_nodes - 1))
            assert {edge.end for edge in made.edges} == set(range(1, made.n_nodes))
            before = {}
            for edge in made.edges:
                before.setdefault(edge.end, set()).add(edge.start)
            order = list(graphlib.TopologicalSorter(before).static_order())  # refuses cycles
            assert (order[0], order[-1]) == (0, made.n_nodes - 1)


class TestSmallOnes:
    def test_skipping_an_entry_into_a_state_that_others_come_to(self):
        """After 0 = 1 nothing is open and entry 1 is skipped; after 0 = 0 both its answers end there too."""
        asked = one_each([((0, 0), (1, 0)), ((2, 0),)])
        cardinality = {0: 2, 1: 2, 2: 2}
        made = build(asked, cardinality)
        assert paths(made) == {vector(c) for c in ({}, {0: 1}, {1: 1}, {0: 1, 1: 1})}
        # start; entry 1 is asked; entry 2 is asked; end
        assert made.n_nodes == 4
        assert sorted((edge.start, edge.end, edge.counts) for edge in made.edges) == [
            (0, 1, ()),
            (0, 2, ()),
            (1, 2, ()),
            (1, 2, ((0, 1.0),)),
            (2, 3, ()),
            (2, 3, ((1, 1.0),)),
        ]

    def test_one_question_of_one_entry(self):
        made = build({((7, 1),): ((0, 1.0),)}, {7: 4})
        assert made.n_nodes == 2
        assert sorted(edge.counts for edge in made.edges) == [(), ((0, 1.0),)]  # all other answers look alike

    def test_the_empty_event_always_happens(self):
        for events in ({(): ((3, 2.0),)}, {(): ((3, 2.0),), ((0, 1),): ((1, 1.0),)}):
            made = build(events, {0: 2})
            assert paths(made) == happened(events, {0: 2})
            assert all(dict(counted)[3] == 2.0 for counted in paths(made))

    def test_nothing_is_asked(self):
        made = build({}, {})
        assert (made.n_nodes, made.n_entries) == (2, 0)
        assert paths(made) == {()}

    def test_everything_is_impossible(self):
        asked = one_each([((0, 0),), ((0, 1),)])
        made = build(asked, {0: 2}, impossible=frozenset({0, 1}))
        assert paths(made) == set()

    def test_weights_that_cancel(self):
        """Two events that differ in weight only are told apart from two that cancel."""
        asked = {((0, 0), (1, 0)): ((0, 1.0),), ((0, 1), (1, 0)): ((0, -1.0),)}
        assert paths(build(asked, {0: 2, 1: 2})) == {(), ((0, 1.0),), ((0, -1.0),)}

    def test_histories_that_look_alike_are_one_node(self):
        """A long chain of events that start anew needs a few steps an entry, not a product of all."""
        asked = one_each([((entry, value),) for entry in range(30) for value in (0, 1)])
        made = build(asked, dict.fromkeys(range(30), 2))
        assert len(made.edges) == 60
        assert made.n_nodes == 31


class TestTooWide:
    def test_is_refused(self):
        """All 10 answers have to be remembered until the end: 2 + 4 + … + 1024 steps."""
        events = [tuple((entry, (number >> entry) & 1) for entry in range(10)) for number in range(1024)]
        asked = one_each(events)
        cardinality = dict.fromkeys(range(10), 2)
        whole = sum(2**k for k in range(1, 11))
        assert len(build(asked, cardinality).edges) == whole
        assert len(build(asked, cardinality, most_edges=whole).edges) == whole
        with pytest.raises(TooWideError):
            build(asked, cardinality, most_edges=whole - 1)
        with pytest.raises(TooWideError):
            build(asked, cardinality, most_edges=50)

    def test_the_narrower_order_is_taken(self):
        """Pairs (i, i + 20): one after the other 20 answers would be remembered at once."""
        asked = one_each([((i, a), (i + 20, b)) for i in range(20) for a in (0, 1) for b in (0, 1)])
        made = build(asked, dict.fromkeys(range(40), 2), most_edges=500)
        assert len(made.edges) == 20 * (2 + 4)

    def test_chains_and_trees_in_any_order_are_narrow(self):
        """What is named at random is asked along its links, so that two or three answers are remembered."""
        rng = np.random.default_rng(5)
        for links in (
            list(itertools.pairwise(range(24))),
            [(i, (i - 1) // 2) for i in range(1, 24)],
            [(i, j) for i in range(0, 24, 3) for j in range(i, min(i + 4, 24)) if i != j],
        ):
            name = rng.permutation(24).tolist()
            events = [
                tuple(sorted([(name[i], a), (name[j], b)])) for i, j in links for a in (0, 1) for b in (0, 1)
            ]
            made = build(one_each(events), dict.fromkeys(range(24), 2), most_edges=210)
            assert made.n_entries == 24
            assert len(made.edges) < 210


def test_too_much_work_is_given_up_whatever_the_limit(monkeypatch):
    """Finding out how wide a diagram is may take longer than anybody waits; work is counted, not time."""
    events = {((i, 0), (i + 20, 1)): ((i, 1.0),) for i in range(20)}
    cardinality = dict.fromkeys(range(40), 2)
    assert build(events, cardinality).edges
    tried = []
    whole = module._build

    def counting(*arguments):
        tried.append(arguments[-1])
        return whole(*arguments)

    monkeypatch.setattr(module, "_build", counting)
    monkeypatch.setattr(module, "MOST_WORK", 5)
    with pytest.raises(TooWideError):
        build(events, cardinality)
    assert set(tried) == {1_000}  # a larger limit would not help


def test_with_many_pairs_the_graphs_order_is_taken(monkeypatch):
    events = {((i, 0), ((i * 7) % 9 + 10, 1)): ((i, 1.0),) for i in range(9)}
    monkeypatch.setattr(module, "MOST_PAIRS", 5)
    assert module._orders(events) == [sorted({entry for event in events for entry, _ in event})]
