"""The benchmark of metrics: its rows, its tasks, and a peer that is missing."""

from __future__ import annotations

import importlib
import json
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
NAMES = ("peer", "metrics_rows", "metrics_child", "metrics")


@pytest.fixture
def benchmarks(monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT / "benchmarks"))
    yield {name: importlib.import_module(name) for name in NAMES}
    for name in NAMES:
        sys.modules.pop(name, None)


def test_rows_are_seeded_and_of_the_size_asked_for(benchmarks):
    rows = benchmarks["metrics_rows"]
    one, two = rows.decisions(500), rows.decisions(500)
    assert all((one[name] == two[name]).all() for name in one)
    assert {len(values) for values in one.values()} == {500}
    assert set(one["pred"]) == {0, 1}
    x, y = rows.two_samples(500)
    assert len(x) + len(y) == 500
    assert len(x) != len(y)


def test_peers_and_we_give_the_same_rates(benchmarks):
    child = benchmarks["metrics_child"]
    wanted = child.ours("groups", 3000, "")()
    for found in (child.ours("text", 3000, "")(), child.ours("bare", 3000, "")()):
        assert {name: pytest.approx(values) for name, values in found.items()} == wanted
    peer = child.fairlearn("groups", 3000, "")()
    assert {name: pytest.approx(values) for name, values in peer.items()} == wanted


@pytest.mark.parametrize("task", ["mmd", "wasserstein", "median"])
def test_peers_and_we_give_the_same_distances(benchmarks, task):
    child = benchmarks["metrics_child"]
    ours, theirs = (made(task, 400, "")()["value"] for made in (child.ours, child.scipy))
    assert ours == pytest.approx(theirs, abs=1e-12)


def test_files_are_counted_by_whoever_counts(benchmarks, tmp_path):
    child = benchmarks["metrics_child"]
    path = str(tmp_path / "rows.parquet")
    assert child.write("write", 5000, path)()["bytes"] > 5000
    rows = benchmarks["metrics_rows"].decisions(5000, seed=0)
    accepted = [rows["pred"][rows["sex"] == sex].mean() for sex in (0, 1)]
    for task in ("counts", "duckdb", "polars"):
        found = child.ours(task, 5000, path)()
        assert found["rows"] == 5000
        assert abs(found["value"]) == pytest.approx(abs(accepted[0] - accepted[1]))


def test_a_task_runs_in_a_process_of_its_own(benchmarks):
    done = benchmarks["metrics"].do("ours", "mmd", 1000)
    assert done.cpu >= 0
    assert done.peak_mb > 10
    x, y = benchmarks["metrics_rows"].two_samples(1000)
    from fairwitness.stats import mmd_squared

    assert done.found["value"] == mmd_squared(x, y, bandwidth=benchmarks["metrics_child"].SIGMA)


def test_a_peer_that_is_missing_is_a_sentence(benchmarks, capsys):
    metrics = benchmarks["metrics"]
    answer = metrics.do("nobody", "mmd", 100)
    assert isinstance(answer, str)
    assert "was not measured" in answer
    metrics.beside("x", metrics.Done({}, 0.5, 1.0, 10.0), {"nobody": answer}, 0.2)
    out = capsys.readouterr().out
    assert "NOT reached" in out
    assert "was not measured" in out


def test_peers_tasks_import_nothing_of_the_project():
    """AIF360 and geomloss live in environments without it."""
    code = (
        "import sys, json; sys.path.insert(0, 'benchmarks'); import metrics_child as c;"
        "c.scipy('mmd', 10, '')(); print(json.dumps([m for m in sys.modules if m.startswith('fairwitness')]))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT, check=True)
    assert json.loads(done.stdout) == []


def test_too_little_disk_leaves_a_size_out(benchmarks, monkeypatch, capsys):
    metrics = benchmarks["metrics"]
    monkeypatch.setattr(metrics.shutil, "disk_usage", lambda _: type("Usage", (), {"free": 10})())
    metrics.files([10, 20], None)
    assert capsys.readouterr().out.count("were left out") == 2
