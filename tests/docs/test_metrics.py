"""The pages about metrics: their example runs, and what they say of other libraries is what was computed."""

from __future__ import annotations

import doctest
from pathlib import Path


def test_the_example_prints_what_the_page_says(project_root: Path) -> None:
    found = doctest.testfile(str(project_root / "docs" / "metrics.md"), module_relative=False)
    assert found.attempted > 8
    assert not found.failed
