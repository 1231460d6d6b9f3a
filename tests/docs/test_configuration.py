"""The page about audit.toml names every key there is, and no other, with the right default."""

from __future__ import annotations

import re
import tomllib
from dataclasses import MISSING, fields
from pathlib import Path

import pandas as pd
import pytest

from fairwitness.config import TABLES, parse_config
from fairwitness.config_graph import causal_graph
from fairwitness.table import Feature, Link, Schema


@pytest.fixture(scope="module")
def page(project_root: Path) -> dict[str, dict[str, str]]:
    """Table → key → default, as the page has them."""
    found: dict[str, dict[str, str]] = {}
    table = ""
    text = (project_root / "docs" / "configuration.md").read_text(encoding="utf-8")
    for line in text.splitlines():
        cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
        if match := re.match(r"\*\*\[([a-z]+)", cells[0]):
            table = match.group(1)
            found[table] = {}
        elif len(cells) == 3 and table and cells[0].startswith("`"):
            keys = re.findall(r"`([^`]+)`", cells[0])
            defaults = cells[1].split(", ") if len(keys) > 1 and ", " in cells[1] else [cells[1]] * len(keys)
            found[table] |= dict(zip(keys, defaults, strict=True))
    return found


@pytest.mark.parametrize("table", TABLES)
def test_every_key_is_described(page: dict[str, dict[str, str]], table: str) -> None:
    assert set(page[table]) == {field.name for field in fields(TABLES[table])}


@pytest.mark.parametrize("table", TABLES)
def test_defaults_are_the_codes(page: dict[str, dict[str, str]], table: str) -> None:
    for field in fields(TABLES[table]):
        said = page[table][field.name]
        if field.default is MISSING or field.default is None or not said.startswith("`"):
            continue
        value = str(field.default).lower() if isinstance(field.default, bool) else str(field.default)
        if isinstance(field.default, tuple):
            value = str(list(field.default)).replace("'", '"')
        assert said.strip('`"') == value.strip('"'), (table, field.name)


def test_every_field_of_a_column_is_described(project_root: Path) -> None:
    text = (project_root / "docs" / "configuration.md").read_text(encoding="utf-8")
    section = text.split("| in [schema.", 1)[1].split("\n\n", 1)[0]
    described = set(re.findall(r"^\| `([a-z]+)`", section, flags=re.MULTILINE))
    assert described == {field.name for field in fields(Feature)} - {"name", "column"} | {"linked"}


def test_the_example_of_a_column_can_be_read(project_root: Path) -> None:
    text = (project_root / "docs" / "configuration.md").read_text(encoding="utf-8")
    example = tomllib.loads(text.split("```toml\n", 1)[1].split("```", 1)[0])["schema"]
    frame = pd.DataFrame(
        {
            "age": [30, 40, 50],
            "marital-status": ["Married", "Divorced", "Never-married"],
            "education": ["HS-grad", "Masters", "HS-grad"],
            "education-num": [9, 14, 9],
        }
    )
    schema = Schema.infer(frame, **example)
    assert schema.links == (Link(("education", "education-num")),)
    assert schema["marital-status"].forbidden == (
        ("Divorced", ("Never-married",)),
        ("Married", ("Never-married",)),
    )


def test_the_example_of_a_graph_can_be_read(project_root: Path) -> None:
    text = (project_root / "docs" / "configuration.md").read_text(encoding="utf-8")
    example = text.split("## A causal graph", 1)[1].split("```toml\n", 1)[1].split("```", 1)[0]
    config = parse_config(
        '[table]\npath = "t.csv"\n[sensitive]\ncolumns = "sex"\n[model]\nurl = "http://m"\n' + example
    )
    graph = causal_graph(config.graph)
    assert graph.nodes == ("sex", "education", "income", "decision")
    assert graph.bidirected == (("education", "income"),)
