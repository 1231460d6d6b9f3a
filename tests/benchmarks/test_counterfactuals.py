"""The benchmark of new rows: both tables, and peers that may be missing."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path

import pandas as pd
import pytest

ROOT = Path(__file__).parents[2]
TOY = """
from served import serve

def prepare(table, model, k, more):
    assert "outcome" in table and more == ["more"]
    def answer(query):
        if query.iloc[0]["n"] == 3:
            raise ValueError("nothing here")
        return query.assign(n=9.0).loc[query.index.repeat(k)]
    return answer

serve(prepare)
"""


@pytest.fixture
def benchmarks(monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT / "benchmarks"))
    names = ("tables", "peer", "counterfactuals")
    yield {name: importlib.import_module(name) for name in names}
    for name in names:
        sys.modules.pop(name, None)


def test_german_stands_beside_adult_and_missing_peers_are_named(benchmarks, shared_path, monkeypatch, capsys):
    monkeypatch.setenv("FAIRWITNESS_DATA", str(shared_path / "data"))
    monkeypatch.setattr(sys, "argv", ["x", "--tables", "german", "--models", "dt", "--queries", "3"])
    benchmarks["counterfactuals"].main()
    out = capsys.readouterr().out
    assert "german, 1,000 rows" in out
    assert "k = 1," in out
    assert "k = 100," in out
    assert "DiCE was not run: pass --peer-python with a Python that has dice-ml" in out
    assert "NICE was not run" in out
    assert "FAILED" not in out
    X, _ = benchmarks["tables"].load("adult")
    assert X.shape == (45222, 13)


def test_ensembles_have_a_peer_of_their_own(benchmarks):
    peers_for = benchmarks["counterfactuals"].peers_for
    assert {"treecf"} == {p[0] for p in peers_for("rf", k100=False)} - {
        p[0] for p in peers_for("lr", k100=False)
    }
    assert ("DiCE", 100, "genetic") in peers_for("lr", k100=True)


def test_a_peer_answers_in_its_own_process(benchmarks, monkeypatch, tmp_path):
    peer = benchmarks["peer"]
    script = tmp_path / "toy.py"
    script.write_text(f"import sys; sys.path.insert(0, {str(ROOT / 'benchmarks/peers')!r})\n{TOY}")
    monkeypatch.setitem(peer.PEERS, "toy", (str(script), "toy", "json"))
    table = pd.DataFrame({"n": [1, 2, 3], "outcome": 0})
    got = peer.run_peer("toy", sys.executable, None, table, table[["n"]], 2, "more")
    assert (got.queries, got.failed) == (3, 1)
    assert got.made["n"].tolist() == [9] * 4
    assert got.made["n"].dtype == table["n"].dtype
    assert got.made["rank"].tolist() == [1, 2, 1, 2]


def test_a_peer_that_is_not_installed_says_so(benchmarks, monkeypatch):
    peer = benchmarks["peer"]
    monkeypatch.setitem(peer.PEERS, "toy", ("toy.py", "toy-package", "no_such_module"))
    table = pd.DataFrame({"n": [1], "outcome": 0})
    assert "has no toy-package" in peer.run_peer("toy", sys.executable, None, table, table[["n"]], 1)
