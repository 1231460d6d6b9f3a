"""The page about evaluations: its examples run, and its files can be read."""

from __future__ import annotations

import doctest
from dataclasses import fields
from pathlib import Path

import pytest

from fairwitness.config import parse_config
from fairwitness.config_compare import parse_evaluation
from fairwitness.config_tables import ComparedConfig, EvaluateConfig


@pytest.fixture(scope="module")
def page(project_root: Path) -> str:
    return (project_root / "docs" / "evaluation.md").read_text(encoding="utf-8")


def example(page: str, heading: str) -> str:
    return page.split(heading, 1)[1].split("```toml\n", 1)[1].split("```", 1)[0]


def test_its_examples_give_what_they_show(project_root: Path) -> None:
    found = doctest.testfile(
        str(project_root / "docs" / "evaluation.md"), module_relative=False, optionflags=doctest.ELLIPSIS
    )
    assert found.attempted > 5
    assert not found.failed


def test_the_file_of_models_can_be_read(page: str) -> None:
    config = parse_evaluation(example(page, "## On the command line"))
    assert list(config.models) == ["in use", "logistic", "FairC", "last year"]
    assert config.evaluate.seeds == EvaluateConfig().seeds
    assert config.models["last year"].scores == "old_score"


def test_the_example_of_compare_can_be_read(page: str) -> None:
    config = parse_config(
        '[table]\npath = "t.csv"\n[sensitive]\ncolumns = "sex"\n[model]\npath = "m.skops"\n'
        + example(page, "## In an audit")
    )
    assert list(config.compare) == ["last year", "challenger", "vendor"]
    assert config.compare["last year"].path is not None
    assert config.compare["challenger"].train == "LGBM"


def test_every_key_is_named(page: str) -> None:
    section = page.split("## On the command line", 1)[1].split("## In an audit", 1)[0]
    for kind in (EvaluateConfig, ComparedConfig):
        for field in fields(kind):
            assert field.name in section, field.name
