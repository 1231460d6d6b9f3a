"""The page about canonical sets: its example runs, and it names every measure's idea."""

from __future__ import annotations

import doctest
from pathlib import Path


def test_its_example_gives_what_it_shows(project_root: Path) -> None:
    found = doctest.testfile(str(project_root / "docs" / "canonical.md"), module_relative=False)
    assert found.attempted > 5
    assert not found.failed


def test_every_public_function_is_named(project_root: Path) -> None:
    import fairwitness.canonical as room

    page = (project_root / "docs" / "canonical.md").read_text(encoding="utf-8")
    for name in ("contrast", "direct_vs_proxy", "intersections", "together", "output_rates", "CRITERIA"):
        assert hasattr(room, name)
        assert f"{name}(" in page or name in page
