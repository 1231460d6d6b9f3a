"""The page about these predictors: its examples run and print what the page says, and it leaves none out."""

from __future__ import annotations

import doctest
import re
from pathlib import Path

import pytest

from fairwitness import fair


@pytest.fixture(scope="module")
def page(project_root: Path) -> str:
    return (project_root / "docs" / "fair.md").read_text(encoding="utf-8")


def test_examples_print_what_the_page_says(page: str) -> None:
    blocks = re.findall(r"```pycon\n(.*?)```", page, flags=re.DOTALL)
    example = doctest.DocTestParser().get_doctest("".join(blocks), {}, "docs/fair.md", "docs/fair.md", 0)
    assert len(example.examples) > 15
    said: list[str] = []
    found = doctest.DocTestRunner(verbose=False).run(example, out=said.append)
    assert found.failed == 0, "".join(said)


def test_every_predictor_is_on_the_page(page: str) -> None:
    for name in fair.__all__:
        stem = re.sub("(Classifier|Regressor)$", "", name)
        assert stem in page, name
