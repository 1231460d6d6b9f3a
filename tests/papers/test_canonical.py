"""Algaba et al. (2023): what their Table 1 prints, and the page that is made of it."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from fairwitness.canonical import output_rates

MODULES = (
    "canonical", "canonical_tasks", "canonical_sets", "canonical_tables", "canonical_figures",
    "canonical_page", "flips_cache", "flips_text",
)  # fmt: skip


@pytest.fixture(scope="module")
def papers(project_root: Path):
    folder = str(project_root / "benchmarks" / "papers")
    sys.path.insert(0, folder)
    yield {name: importlib.import_module(name) for name in MODULES}
    sys.path.remove(folder)
    for name in MODULES:
        sys.modules.pop(name, None)


@pytest.fixture(scope="module")
def printed(shared_path: Path) -> pd.DataFrame:
    return pd.read_csv(shared_path / "reference" / "lucid_table1_rates.csv")


@pytest.mark.parametrize("key", ["adult", "compas"])
def test_what_print_calls_positivity_is_the_base_rate_of_the_label(papers, printed, shared_path, key) -> None:
    task = papers["canonical_tasks"].TASKS[key](shared_path / "data")
    X, y = task.rows(task.test), task.y[task.test]
    rows = printed[printed["dataset"] == task.title]
    assert len(rows) == {"adult": 20, "compas": 8}[key]
    for row in rows.itertuples():
        mine = (X[row.feature] == row.category).to_numpy()
        assert 100 * y[mine].mean() == pytest.approx(row.positivity_rate_pct, abs=0.0501)


def test_what_print_calls_true_positive_rate_is_near_the_precision(papers, printed, shared_path) -> None:
    """On Adult, with a model trained anew; the rate of that name lies ten and more points lower."""
    tasks = papers["canonical_tasks"]
    task = tasks.TASKS["adult"](shared_path / "data")
    X, y = task.rows(task.test), task.y[task.test]
    accepted = tasks.black_box(task, "linear", blind=False).scores(X) >= 0.5
    for each in output_rates(y, accepted, X["sex"]):
        row = printed[(printed["dataset"] == "Adult") & (printed["category"] == each.label)].iloc[0]
        print_ = row["true_positive_rate_pct"] / 100
        assert each.precision.low <= print_ <= each.precision.high
        assert each.true_positive_rate.high < print_ - 0.05


@pytest.mark.parametrize("kind", ["linear", "network"])
def test_the_torch_module_is_the_pipeline(papers, shared_path, kind) -> None:
    torch = pytest.importorskip("torch")
    tasks = papers["canonical_tasks"]
    task = tasks.TASKS["compas"](shared_path / "data").smaller(0.3)
    box = tasks.black_box(task, kind, blind=False)
    given = tasks.as_module(task, box)
    with torch.no_grad():
        logits = given.module(torch.tensor(given.inputs.to_numpy(), dtype=torch.float32))[:, 0].numpy()
    rows, seen = task.rows(task.test), task.rows(task.train)
    known = np.logical_and.reduce([rows[name].isin(seen[name]) for name in given.one_hot])
    assert 1 / (1 + np.exp(-logits)) == pytest.approx(box.scores(rows[known]), abs=1e-4)
    for name, levels in given.one_hot.items():
        assert given.inputs[levels].sum(axis=1).eq(1).all(), name


def test_the_page_is_written_whole(papers, shared_path, tmp_path, monkeypatch) -> None:
    """A small part: one table, the two engines that need no training."""
    pytest.importorskip("torch")
    page = tmp_path / "page.md"
    asked = ["canonical.py", "--quick", "--tasks", "compas", "--engines", "tree,bootstrap"]
    asked += ["--data", str(shared_path / "data"), "--cache", str(tmp_path / "kept"), "--out", str(page)]
    asked += ["--reference", str(shared_path / "reference" / "lucid_table1_rates.csv")]
    monkeypatch.setattr(sys, "argv", asked)
    papers["canonical"].main()
    text = page.read_text(encoding="utf-8")
    assert "quick form" in text
    assert "What the paper reads" not in text  # words of the whole run
    assert "<!--" not in text
    assert "{" not in text
    assert "| race: African-American |" in text
    for name in ("figure2", "figure3", "figure4a", "figure5", "figure6"):
        assert (tmp_path / f"page-compas-{name}.png").stat().st_size > 5000
        assert f"(page-compas-{name}.png)" in text
    kept = sorted(path.name for path in (tmp_path / "kept").glob("*.json"))
    assert kept == sorted(
        f"compas-{kind}-{setting}-{engine}.json"
        for kind in ("linear", "network")
        for setting in ("direct", "proxy")
        for engine in ("tree", "bootstrap")
    )
