from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from fairwitness.report import render

DOCUMENTS = Path(__file__).parent / "documents"


def _load(name: str) -> dict[str, Any]:
    document: dict[str, Any] = json.loads((DOCUMENTS / f"{name}.json").read_text(encoding="utf-8"))
    return document


def _small() -> dict[str, Any]:
    document = _load("mortgage")
    document["audited"]["sensitive_features"] = document["audited"]["sensitive_features"][:1]
    document["overview"] = [row for row in document["overview"] if row["subject"] == "race"][:2]
    for section in document["sections"].values():
        section["features"] = section["features"][:1]
    feature = document["sections"]["opportunity"]["features"][0]
    feature["proxies"] = [*feature["proxies"][:3], feature["proxies"][-1]]
    return document


@pytest.fixture
def mortgage() -> dict[str, Any]:
    """A whole audit: race, sex and their intersection, with three example people."""
    return _load("mortgage")


@pytest.fixture(scope="session")
def mortgage_page() -> str:
    """The page of the whole audit."""
    return render(_load("mortgage"))


@pytest.fixture
def small() -> dict[str, Any]:
    """The same audit with one sensitive feature only: quicker to render."""
    return _small()


@pytest.fixture(scope="session")
def small_page() -> str:
    """The page of the small audit."""
    return render(_small())


@pytest.fixture
def bounded() -> dict[str, Any]:
    """An audit with a causal graph: race in three groups, sex beside the graph; no other method but rates."""
    return _load("bounds")


@pytest.fixture(scope="session")
def bounds_page() -> str:
    """The page of the audit with a causal graph."""
    return render(_load("bounds"))


@pytest.fixture
def nothing() -> dict[str, Any]:
    """An audit in which nothing could be measured."""
    return _load("nothing_measurable")
