from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fairwitness.text import csv_cell, interval, listing, number, percent, plain


@pytest.mark.parametrize(
    ("value", "written"),
    [
        (0.0, "0"),
        (0.6234, "0.623"),
        (-0.0412, "-0.0412"),
        (12.345, "12.3"),
        (1234.5, "1,230"),
        (0.9996, "1.00"),
        (2e-6, "0.00000200"),
        (3.2e-45, "3.20e-45"),
        (-1.25e-9, "-1.25e-09"),
        (math.nan, "–"),
        (math.inf, "–"),
    ],
)
def test_numbers_have_three_significant_digits(value: float, written: str) -> None:
    assert number(value) == written


def test_percent_and_intervals() -> None:
    assert percent(0.624) == "62 %"
    assert interval(0.54, 0.7, as_percent=True) == "[54, 70]"
    assert interval(0.5412, 0.7) == "[0.541, 0.700]"
    assert interval(math.nan, 1) == "[–]"


def test_listing() -> None:
    assert listing([]) == ""
    assert listing(["a"]) == "a"
    assert listing(["a", "b", "c"]) == "a, b and c"
    assert listing(["a", "b", "c"], most=1) == "a and 2 more"


@given(st.text())
def test_plain_text_has_no_control_or_direction_characters(text: str) -> None:
    shown = plain(text)
    assert len(shown) <= 200
    assert not any(ord(c) < 32 or 0x7F <= ord(c) < 0xA0 for c in shown)
    assert not any(c in shown for c in "\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\u200e\u200f")


def test_plain_makes_a_terminal_escape_visible() -> None:
    assert plain("\x1b[31mred") == "\\u001b[31mred"


@pytest.mark.parametrize("payload", ["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", " =1", "\r=1"])
def test_formulas_are_disarmed_in_csv_cells(payload: str) -> None:
    assert csv_cell(payload) == "'" + payload


@pytest.mark.parametrize("harmless", ["a=1", "", "5", -5, 1.5, None, True])
def test_other_cells_stay_as_they_are(harmless: object) -> None:
    assert csv_cell(harmless) is harmless
