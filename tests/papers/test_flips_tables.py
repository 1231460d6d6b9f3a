"""Published numbers of Cornacchia et al. (2023): what follows from the definitions, and what does not."""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np
import pytest

from fairwitness.flips import ndccf

TABLES = (
    "table3_genetic",
    "table4_kdtree",
    "table7_genetic_other_sensitive",
    "table8_kdtree_other_sensitive",
)


def _rows(path: Path) -> list[dict[str, str]]:
    with path.open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


@pytest.mark.parametrize("table", TABLES)
def test_every_printed_delta_is_the_absolute_difference(shared_path: Path, table: str) -> None:
    checked = 0
    for row in _rows(shared_path / "reference" / f"{table}.csv"):
        for measure, unit in (("cflips_pct", 0.001), ("ndccf", 0.0001)):
            for k in (10, 50, 100):
                privileged = row[f"{measure}_privileged@{k}"]
                unprivileged = row[f"{measure}_unprivileged@{k}"]
                delta = row[f"{measure}_delta@{k}"]
                if not (privileged and unprivileged and delta):
                    continue  # an empty group: the paper's 0*, which is no value
                difference = abs(float(privileged) - float(unprivileged))
                # Three rounded numbers: each may be half a unit off.
                assert float(delta) == pytest.approx(difference, abs=1.5 * unit + 1e-9), (row, measure, k)
                checked += 1
    assert checked >= 150


@pytest.mark.parametrize("table", TABLES)
def test_no_printed_ndccf_at_100_passes_the_ceiling_of_the_published_convention(
    shared_path: Path, table: str
) -> None:
    ceiling = float(ndccf(np.zeros((1, 100)), convention="published")[0])
    assert f"{ceiling:.4f}" == "0.9928"
    printed = [
        float(row[column])
        for row in _rows(shared_path / "reference" / f"{table}.csv")
        for column in ("ndccf_privileged@100", "ndccf_unprivileged@100")
        if row[column]
    ]
    assert max(printed) <= ceiling + 0.00005


def test_rows_that_print_no_flip_print_the_ceiling(shared_path: Path) -> None:
    ceilings = {k: float(ndccf(np.zeros((1, 100)), k, convention="published")[0]) for k in (10, 50, 100)}
    assert ceilings[10] == ceilings[50] == 1
    checked = 0
    for table in TABLES:
        for row in _rows(shared_path / "reference" / f"{table}.csv"):
            for group in ("privileged", "unprivileged"):
                for k in (10, 50, 100):
                    flips, kept = row[f"cflips_pct_{group}@{k}"], row[f"ndccf_{group}@{k}"]
                    if flips and kept and float(flips) == 0:
                        assert float(kept) == pytest.approx(ceilings[k], abs=0.00015), (table, row, group)
                        checked += 1
    assert checked > 0


def test_a_sorted_delta_of_an_empty_group_is_the_ceiling(shared_path: Path) -> None:
    # German: MLP as classifier recovers nobody of one group; the table prints the other group's value.
    printed = {
        float(row["genetic_MLP@100"])
        for row in _rows(shared_path / "reference" / "table9_delta_ndccf_sorted.csv")
        if row["dataset"] == "German" and row["genetic_MLP@100"]
    }
    assert printed <= {0.9928, 0.9927}
    assert 0.9928 in printed


@pytest.mark.parametrize("table", TABLES)
def test_more_counterfactuals_never_take_flips_away(shared_path: Path, table: str) -> None:
    # k · CFlips@k counts flips among the first k, k · (1 − CFlips@k) those that do not flip.
    checked = 0
    for row in _rows(shared_path / "reference" / f"{table}.csv"):
        for group in ("privileged", "unprivileged"):
            printed = [row[f"cflips_pct_{group}@{k}"] for k in (10, 50, 100)]
            if not all(printed):
                continue
            for sign, offset in ((1, 0), (-1, 100)):
                counts = [k * (offset + sign * float(v)) for k, v in zip((10, 50, 100), printed, strict=True)]
                assert all(np.diff(counts) >= -0.1), (table, row, group)
                checked += 1
    assert checked >= 100


def test_one_cell_is_run_as_the_tables_are_made(
    shared_path: Path, project_root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("xgboost", reason="f_s is XGB")
    monkeypatch.syspath_prepend(str(project_root / "benchmarks" / "papers"))
    from flips_cache import Cache
    from flips_cells import Asked, known_proba, run_cell
    from flips_models import classifiers, decision_maker
    from flips_tasks import TASKS, prepare

    task = next(each for each in TASKS if each.key == "German/gender")
    split, cache = prepare(task, shared_path / "data"), Cache(tmp_path)
    fixed = {"seed": 0, "draws": 0}
    estimators = {n: each.estimator for n, each in classifiers(split, ["XGB"], cache, **fixed).items()}
    model = decision_maker(split, "LR", cache, **fixed).estimator
    cell = run_cell(
        split,
        model,
        estimators,
        known_proba(split, estimators),
        Asked("neighbors", n_resamples=20),
        seed=0,
    )
    assert (cell["n_test"], cell["n_with"]) == (100, cell["n_rejected"])
    values = cell["by_classifier"]["XGB"]
    assert 0 < values["n"]["privileged"] + values["n"]["unprivileged"] <= cell["n_rejected"]
    ceiling = float(ndccf(np.zeros((1, 100)), convention="published")[0])
    for measure in ("cflips", "ndccf", "ndccf_sorted"):
        privileged, other, difference = (
            np.array([values[measure][side][k] for k in ("10", "50", "100")])
            for side in ("privileged", "unprivileged", "difference")
        )
        assert difference == pytest.approx(other - privileged)
        for group in (privileged, other):
            assert (group >= 0).all()
            assert (group <= (1 if measure == "cflips" else np.array([1, 1, ceiling]))).all()
    flips = np.array([k * values["cflips"]["unprivileged"][str(k)] for k in (10, 50, 100)])
    assert (np.diff(flips) >= 0).all()
    # What the paper prints for this cell: women flip more often than men.
    assert values["cflips"]["difference"]["100"] > 0
    assert values["beyond_random"][0] < values["cflips"]["difference"]["100"]


def test_the_page_says_what_was_not_run(
    shared_path: Path, project_root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(str(project_root / "benchmarks" / "papers"))
    from flips_cache import Cache
    from flips_page import Plan, write_page
    from flips_published import Published
    from flips_tasks import TASKS

    plan = Plan(("LR", "DT"), ("neighbors",), ("XGB",), seed=0, quick=True, people=None)
    published = Published.read(shared_path / "reference")
    write_page(tmp_path / "page.md", Cache(tmp_path / "cache"), published, plan, TASKS)
    lines = (tmp_path / "page.md").read_text(encoding="utf-8").splitlines()
    ours = [line for line in lines if "| ours" in line and "ours |" not in line.replace("| ours |", "")]
    assert len(ours) == 2 * (3 + 1) * len(TASKS)  # genetic, neighbours, unscaled; sorted
    assert all("not run" in line for line in ours)
    printed = next(line for line in lines if "| paper | (22 + 4)" in line)
    assert "31.4 / 35.5 / 39.1 | 27.5 / 27.5 / 27.3 | 3.9 / 8.0 / 11.8" in printed


def test_ranks_are_compared_only_where_both_have_them(
    project_root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(str(project_root / "benchmarks" / "papers"))
    from flips_published import rank_correlation

    assert rank_correlation([1, 2, None, 3, 4], [10, 20, 0, 30, 40]) == (pytest.approx(1.0), 4)
    rho, n = rank_correlation([1, 2, None], [3, 2, 1])
    assert np.isnan(rho)
    assert n == 2
