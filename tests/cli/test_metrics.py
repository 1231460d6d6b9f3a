from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from fairwitness.metrics import CATALOGUE

Call = Callable[..., Any]


def test_the_list_has_every_metric(fairwitness: Call) -> None:
    ran = fairwitness("metrics", "--list")
    assert (ran.code, ran.err) == (0, "")
    assert [line.split()[0] for line in ran.out.splitlines()[1:]] == list(CATALOGUE)
    assert fairwitness("metrics").out == ran.out


def test_json_is_the_catalogue(fairwitness: Call) -> None:
    found = json.loads(fairwitness("metrics", "--format", "json").out)
    assert [entry["name"] for entry in found] == list(CATALOGUE)
    assert set(found[0]) >= {"formula", "range", "best", "source", "needs", "additive", "undefined"}


def test_family_and_task_narrow_it(fairwitness: Call) -> None:
    found = json.loads(
        fairwitness("metrics", "--family", "performance", "--task", "regression", "--format", "json").out
    )
    assert [entry["name"] for entry in found] == ["rmse", "mae", "r2", "mean_residual"]
    assert "No metric" in fairwitness("metrics", "mae", "--family", "entropy").out


def test_names_are_split_at_commas(fairwitness: Call) -> None:
    found = json.loads(fairwitness("metrics", "mae,rmse", "r2", "--format", "json").out)
    assert [entry["name"] for entry in found] == ["rmse", "mae", "r2"]


def test_one_is_explained(fairwitness: Call) -> None:
    out = fairwitness("metrics", "theil_index").out
    assert "E[(b/μ) ln(b/μ)]" in out
    assert "Theil 1967" in out
    assert "formula" in fairwitness("metrics", "--verbose", "--task", "regression").out


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["acuracy"], "did you mean accuracy"),
        (["--family", "x"], "no such family"),
        (["--task", "x"], "task"),
    ],
)
def test_a_wrong_word_is_usage(fairwitness: Call, arguments: list[str], said: str) -> None:
    ran = fairwitness("metrics", *arguments)
    assert ran.code == 2
    assert said in ran.err
