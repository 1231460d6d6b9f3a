"""The page about causal bounds: its example runs and prints what the page says."""

from __future__ import annotations

import doctest
import re
from pathlib import Path
from typing import get_args

import pytest

from fairwitness.causal.solver.problem import Limits
from fairwitness.causal.solver.results import Status
from fairwitness.causal.solver.solve import Engine


@pytest.fixture(scope="module")
def page(project_root: Path) -> str:
    return (project_root / "docs" / "bounds.md").read_text(encoding="utf-8")


def test_the_example_prints_what_the_page_says(
    page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    blocks = re.findall(r"```pycon\n(.*?)```", page, flags=re.DOTALL)
    example = doctest.DocTestParser().get_doctest("".join(blocks), {}, "docs/bounds.md", "docs/bounds.md", 0)
    assert len(example.examples) > 15
    said: list[str] = []
    found = doctest.DocTestRunner(verbose=False).run(example, out=said.append)
    assert found.failed == 0, "".join(said)
    drawn = (tmp_path / "bounds-ladder.png").read_bytes()
    assert drawn.startswith(b"\x89PNG")


def test_pictures_are_there(page: str, project_root: Path) -> None:
    pictures = re.findall(r"!\[.+?\]\((.+?)\)", page)
    assert pictures == ["bounds-ladder.png"]
    for name in pictures:
        assert (project_root / "docs" / name).is_file()


def test_every_engine_and_status_is_described(page: str) -> None:
    rows = [line for line in page.splitlines() if line.startswith("|")]
    engines = {name for row in rows for name in re.findall(r"\| `([a-z]+)` \|", row)}
    assert engines >= set(get_args(Engine))
    statuses = {row.split("`")[1] for row in rows if row.startswith("| `")}
    assert statuses >= set(get_args(Status))


def test_limits_are_the_codes(page: str) -> None:
    limits = Limits()
    assert f"more than {limits.columns:,} columns" in page
    assert f"`seconds`\n({limits.seconds:g})" in page
