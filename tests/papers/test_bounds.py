"""Published bounds of Wu et al. (2019): where print comes from, and what it should have been."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path

import numpy as np
import pytest
from tests.causal.cases import ADULT_BOUNDS

#: Four printed decimals.
PRINT = 0.51e-4
MODULES = ("bounds_tables", "bounds_orders", "bounds_page", "flips_text")


@pytest.fixture
def papers(project_root: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.syspath_prepend(str(project_root / "benchmarks" / "papers"))
    yield {name: importlib.import_module(name) for name in MODULES}
    for name in MODULES:
        sys.modules.pop(name, None)


@pytest.fixture
def reference(papers, shared_path: Path):
    return papers["bounds_tables"].Reference(shared_path / "reference", shared_path / "data/adult.csv.gz")


def ends(found):
    return found.lower, found.upper


class TestTable2:
    def test_print_comes_from_a_product_without_confounding(self, papers, reference):
        tables = papers["bounds_tables"]
        for row in tables.table2(reference):
            assert ends(row.found["made from"]) == pytest.approx(row.printed["ours"], abs=PRINT)
        made_from, observed = tables.d1(reference)
        assert tables.dependence(made_from) < 1e-9
        assert tables.dependence(observed) > 0.07

    def test_the_observed_distribution_says_nothing(self, papers, reference):
        tables = papers["bounds_tables"]
        stored = reference.synthetic["D1"]["rows"]
        found = [*tables.table2(reference), *tables.table2_more(reference)]
        assert len(found) == len(stored)
        for row, right in zip(found, stored, strict=True):
            assert ends(row.found["right"]) == pytest.approx(right["correct_observational"], abs=1e-9)
        for row in found[:4]:
            assert row.found["right"].status == "uninformative"
            assert row.found["right"].lower <= row.truth <= row.found["right"].upper
        corrected = [(-0.5495, 0.4505), (-0.7832, 0.2168), (-0.3707, 0.6293), (-0.3087, 0.6913)]
        for row, right in zip(found, corrected, strict=False):
            assert ends(row.found["right"]) == pytest.approx(right, abs=PRINT)


class TestTable3:
    def test_print_is_the_joint_relaxation(self, papers, reference):
        for row in papers["bounds_tables"].table3(reference):
            assert ends(row.found["joint"]) == pytest.approx(row.printed["ours"], abs=PRINT), row.label

    def test_what_is_tight(self, papers, reference):
        rows = papers["bounds_tables"].table3(reference)
        right = [(0.1772, 0.1836), (0.0878, 0.5049), (-0.0783, -0.0276), (0.1399, 0.2847), (0.0110, 0.1499)]
        for row, expected in zip(rows, right, strict=True):
            assert ends(row.found["right"]) == pytest.approx(expected, abs=PRINT), row.label
            assert row.found["right"].status == "tight"
            assert row.found["right"].lower <= row.truth <= row.found["right"].upper

    def test_the_methods_compared_with(self, papers, reference):
        path, *people = papers["bounds_tables"].table3(reference)
        for row in people:
            assert row.formulas["previous"] == pytest.approx(row.printed["previous"], abs=PRINT)
        assert path.formulas["previous"] == pytest.approx(path.printed["previous"], abs=PRINT)
        stored = reference.synthetic["D2"]["PE"]
        # stored for the distribution as printed, which sums to 0.9999
        assert path.formulas["S = 0 in Y"] == pytest.approx(stored["prev_with_Yparent_s1"], abs=1e-4)
        assert path.formulas["A kept"] == pytest.approx(stored["prev_sharper"], abs=1e-4)


class TestTable4:
    @pytest.fixture
    def rows(self, papers, reference):
        return papers["bounds_tables"].table4(reference)

    def test_print_comes_from_balanced_rows_and_mixed_up_parents(self, rows):
        # the tables of the print were themselves rounded
        for row in rows:
            assert ends(row.found["made from"]) == pytest.approx(row.printed["ours"], abs=1e-4), row.label
            assert row.formulas["previous"] == pytest.approx(row.printed["previous"], abs=1e-4), row.label

    def test_the_rows_as_they_are(self, rows):
        for row, right in zip(rows, ADULT_BOUNDS, strict=True):
            assert ends(row.found["right"]) == pytest.approx(right, abs=PRINT), row.label
            assert ends(row.found["rows"]) == pytest.approx(ends(row.found["right"]), abs=1e-12)
            assert row.formulas["right"][0] <= row.found["right"].lower + 1e-9
            assert row.formulas["right"][1] >= row.found["right"].upper - 1e-9

    def test_without_sex_the_question_is_another_one(self, rows):
        married = [row for row in rows if row.given["marital-status"]]
        assert all(row.found["all"].lower > 0.1 for row in married)
        assert all(row.found["right"].upper < 0.02 for row in married)

    def test_adult_itself_gives_the_stored_cells(self, papers, reference):
        tables = papers["bounds_tables"]
        rows, stored = (tables.counts(reference, which) for which in ("rows", "original_48842"))
        assert rows["n"].sum() == stored["n"].sum() == 48_842
        assert tables.same_cells(rows, stored) == 0

    @pytest.mark.slow
    def test_no_other_order_of_parents_gives_the_print(self, papers, reference):
        found = papers["bounds_orders"].distances(reference)
        assert len(found) == 518_400
        assert found[0] < 1e-4
        assert found[1] > 0.01


def test_the_page_is_written(papers, reference, tmp_path, monkeypatch, project_root):
    monkeypatch.setattr(papers["bounds_page"], "distances", lambda _: np.array([0.00007, 0.0132]))
    page = tmp_path / "papers-bounds.md"
    papers["bounds_page"].write_page(page, reference, "2026-01-01")
    assert (tmp_path / "papers-bounds-adult.png").stat().st_size > 10_000
    ours = [line for line in page.read_text(encoding="utf-8").splitlines() if line.startswith("|")]
    published = (project_root / "docs" / "papers-bounds.md").read_text(encoding="utf-8").splitlines()
    assert ours == [line for line in published if line.startswith("|")]
