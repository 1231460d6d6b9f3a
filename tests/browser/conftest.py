from __future__ import annotations

import json
from pathlib import Path

import pytest

from fairwitness.report import render

DOCUMENTS = Path(__file__).parents[1] / "report" / "documents"


def _page(name: str, *, rows: bool = True) -> str:
    return render(json.loads((DOCUMENTS / f"{name}.json").read_text(encoding="utf-8")), rows=rows)


@pytest.fixture(scope="session")
def page() -> str:
    """The page of a whole audit."""
    return _page("mortgage")


@pytest.fixture(scope="session")
def bounds_page() -> str:
    """The page of an audit with a causal graph."""
    return _page("bounds")


@pytest.fixture(scope="session")
def evaluation_page() -> str:
    """The page of an audit with models to compare."""
    return _page("evaluation")


@pytest.fixture(scope="session")
def bare_page() -> str:
    """The page of an audit in which nothing could be measured."""
    return _page("nothing_measurable")
