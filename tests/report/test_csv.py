from __future__ import annotations

import csv
import io
import math

import numpy as np
import pytest

from fairwitness.report.csv import to_csv


def read(text: str) -> list[list[str]]:
    return list(csv.reader(io.StringIO(text)))


def test_columns_are_joined_in_order_of_appearance() -> None:
    assert read(to_csv([{"a": 1, "b": 2}, {"c": 3, "a": 4}])) == [
        ["a", "b", "c"],
        ["1", "2", ""],
        ["4", "", "3"],
    ]


def test_missing_is_empty_and_noise_is_rounded() -> None:
    row = {"a": None, "b": math.nan, "c": 0.1 + 0.2, "d": np.float64(2.5), "e": True}
    assert read(to_csv([row]))[1] == ["", "", "0.3", "2.5", "True"]


@pytest.mark.parametrize(
    "payload", ["=1+1", "+1", "-1+cmd|' /C calc'!A0", "@SUM(A1)", "  =1", "\t=1", "\r=1"]
)
def test_formulas_are_disarmed_in_cells_and_headings(payload: str) -> None:
    heading, cell = (line[0] for line in read(to_csv([{payload: payload}])))
    for shown in (heading, cell):
        assert shown.lstrip()[0] not in "=+-@\t\r"


def test_negative_numbers_stay_numbers() -> None:
    assert read(to_csv([{"a": -0.5, "b": -3}]))[1] == ["-0.5", "-3"]


def test_control_and_direction_characters_become_visible() -> None:
    text = to_csv([{"a": "x\x1b[31m\u202ey\nz\ud800"}])
    assert not set("\x1b\u202e\ud800") & set(text)
    assert len(text.splitlines()) == 2
    text.encode("utf-8")


def test_odd_cells_read_back() -> None:
    row = {'a"b': 'he said "no", then left', "list": [1, 2]}
    assert read(to_csv([row])) == [['a"b', "list"], ['he said "no", then left', "[1, 2]"]]


def test_nothing_is_empty() -> None:
    assert to_csv([]) == ""
