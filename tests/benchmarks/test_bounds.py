"""The benchmark of causal bounds: its worlds, the naive program, other ways, and a peer that is missing."""

from __future__ import annotations

import dataclasses
import importlib
import itertools
import sys
from pathlib import Path

import numpy as np
import pytest

from fairwitness.causal import Distribution, effect_bounds
from fairwitness.causal.solver.question import prepare

ROOT = Path(__file__).parents[2]
NAMES = ("peer", "bounds_worlds", "bounds_naive", "bounds_columns", "bounds")


@pytest.fixture
def benchmarks(monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT / "benchmarks" / "peers"))
    monkeypatch.syspath_prepend(str(ROOT / "benchmarks"))
    names = (*NAMES, "autobounds_program")
    yield {name: importlib.import_module(name) for name in names}
    for name in names:
        sys.modules.pop(name, None)


@pytest.fixture
def case_of(benchmarks):
    return {case.key: case for case in benchmarks["bounds_worlds"].cases()}


def test_a_question_stands_beside_the_naive_program(benchmarks, case_of, monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", ["x", "--only", "block-4"])
    benchmarks["bounds"].main()
    benchmarks["bounds"].beside_naive(case_of["pair-3-direct"], {})
    out = capsys.readouterr().out
    assert "FAILED" not in out
    assert "8,192 columns" in out
    assert "naive: impossible, 1.7e10 columns for W, Y alone" in out
    assert "autobounds was not run: pass --peer-python" in out


def test_column_generation_finds_the_same_bounds(benchmarks, case_of):
    case = case_of["pair-1-person"]
    levels = [(0, 1)] * len(case.world.cards)
    data = Distribution.from_table(tuple(case.world.cards), levels, case.world.table())
    (block,) = prepare(data, case.world.text(), **case.asked).program().blocks
    found = benchmarks["bounds_columns"].generate(block)
    ours = effect_bounds(data, case.world.text(), **case.asked)
    assert (found["lower"], found["upper"]) == pytest.approx((ours.lower, ours.upper), abs=1e-8)
    assert found["rounds"] > 5


def test_the_sizes_are_those_that_the_goals_were_set_for(benchmarks, case_of):
    power = benchmarks["bounds"]._power
    sizes = {key: power(case.world.columns(case.open)) for key, case in case_of.items()}
    assert sizes["ternary"] == "5.9e5"
    assert sizes["eight-total"] == "5.8e76"
    assert [sizes[f"pair-{extra}-direct"] for extra in (3, 4, 5)] == ["1.7e10", "7.4e19", "1.4e39"]
    assert sizes["person-16"] == "10^39,456"
    assert sizes["blocks-4-4-256"] == "4.1e3"


def test_worlds_have_the_independences_of_their_graphs(benchmarks, case_of):
    table = case_of["block-4"].world.table()
    assert table.sum() == pytest.approx(1)
    chance = table.sum(axis=3)  # A hears of S through W alone
    chance = chance[:, :, 1] / chance.sum(axis=2)
    assert chance[0] == pytest.approx(chance[1])
    pair = case_of["pair-1-direct"].world
    assert sorted(map(len, pair.components())) == [1, 1, 2]
    joint = pair.table()
    assert joint.sum(axis=(2, 3)) == pytest.approx(
        np.outer(joint.sum(axis=(1, 2, 3)), joint.sum(axis=(0, 2, 3)))
    )


def test_the_naive_program_is_manskis_on_two_variables(benchmarks):
    worlds, naive = benchmarks["bounds_worlds"], benchmarks["bounds_naive"]
    world = worlds.World({"S": 2, "Y": 2}, (("S", "Y"),), (("S", "Y"),), seed=9)
    case = worlds.Case("bow", "", world, "all")
    table = world.table()
    found = naive.solve(case, table)
    assert (found.columns, found.rows) == (8, 5)
    assert found.lower == pytest.approx(-table[0, 1] - table[1, 0])
    assert found.upper == pytest.approx(table[0, 0] + table[1, 1])


def test_too_many_columns_are_not_built(benchmarks, case_of):
    case = case_of["pair-3-direct"]
    with pytest.raises(benchmarks["bounds_naive"].TooManyError):
        benchmarks["bounds_naive"].solve(case, case.world.table())


def test_merged_columns_are_counted(benchmarks, case_of):
    case = case_of["pair-1-person"]
    found = benchmarks["bounds_columns"].merged(case, case.world.table())
    # four answers of W; for each, what Y does where W leads for each of two S and two X
    assert found == {"listed": 1024, "merged": 64}


def test_the_peer_writes_the_same_probability(benchmarks, case_of):
    """Evaluate what is put to autobounds, term by term, in random models of the paper's graph."""
    peer = benchmarks["autobounds_program"]
    case = case_of["blocks-4-4-256"]
    asked = {
        "cards": dict(case.world.cards),
        "edges": [list(edge) for edge in case.world.edges],
        "treatment": "S",
        "outcome": "Y",
        "active": 0,
        "reference": 1,
        "given": {"Y": 1},
    }
    rng = np.random.default_rng(0)
    paths = set(case.listed())
    for _ in range(5):
        functions = {
            name: rng.integers(2, size=(2,) * len(case.world.parents(name))) for name in case.world.cards
        }
        direct = _imagined(case, functions, paths)
        factual = {"S": int(functions["S"])}
        for name in ("W", "A", "Y"):
            factual[name] = int(functions[name][tuple(factual[p] for p in case.world.parents(name))])
        stands_for = _Deterministic(case, functions, factual)
        found = peer.probability(stands_for, asked, paths)
        assert found == (factual["Y"] == 1 and direct == 1)


@dataclasses.dataclass
class _Deterministic:
    """Answers what autobounds would be asked, for one world."""

    case: object
    functions: dict
    factual: dict

    def p(self, text: str) -> int:
        return int(all(self._holds(event) for event in text.split("&")))

    def _holds(self, event: str) -> bool:
        left, value = event.rsplit("=", 1)
        name, _, held = left.partition("(")
        if not held:
            return self.factual[name] == int(value)
        values = dict(part.split("=") for part in held.rstrip(")").split(","))
        row = tuple(int(values[parent]) for parent in self.case.world.parents(name))
        return int(self.functions[name][row]) == int(value)


def _imagined(case, functions, paths):
    def value(name, rest):
        if name == "S":
            return case.active if rest in paths else case.reference
        return int(functions[name][tuple(value(p, (p, *rest)) for p in case.world.parents(name))])

    return value("Y", ("Y",))


def test_all_paths_are_listed(case_of):
    case = case_of["eight-total"]
    assert len(case.listed()) == 2**6
    assert len(case_of["eight-direct"].listed()) == 1
    assert all(set(itertools.pairwise(path)) <= set(case.world.edges) for path in case.listed())
