from __future__ import annotations

import math

import pytest

from fairwitness.drawing import GROUP_MARKERS
from fairwitness.report import groups, show, tables


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (0.123456, "0.123"),
        (-0.5, "−0.500"),
        (None, "–"),
        (math.nan, "–"),
        (0, "0"),
        (1234.5, "1,230"),
        (True, "–"),
    ],
)
def test_numbers_have_three_digits_and_a_true_minus(value: object, expected: str) -> None:
    assert show.number(value) == expected


def test_counts_are_whole() -> None:
    assert show.count(1989) == "1,989"
    assert show.measured(1989.0) == "1,989"
    assert show.measured(1.0) == "1.00"


def test_intervals_stand_in_brackets_and_hold_together() -> None:
    assert show.interval(-0.1, 0.25) == "[−0.100,\u00a00.250]"
    assert show.interval(None, 0.25) == ""
    assert show.percent_interval(0.544, 0.7) == "[54,\u00a070]"


def test_small_probabilities_are_not_zero() -> None:
    assert show.probability(0.0004997) == "<\u00a00.001"
    assert show.probability(0.071) == "0.071"


def test_names_are_escaped_isolated_and_visible() -> None:
    assert show.name("<b>\u202e") == "<bdi>&lt;b&gt;\\u202e</bdi>"


def test_right_to_left_words_in_sentences_are_isolated() -> None:
    assert show.prose("Of שלום 62 % [54, 70]") == "Of <bdi>שלום</bdi> 62\u00a0%\u00a0[54,\u00a070]"


def test_numbers_are_padded_to_align_on_the_point() -> None:
    cells = [[tables.number(value)] for value in (0.5, -0.0123, 12.25, 0, None)]
    made = tables.table("t", "c", ["x"], cells)
    shown = [row[0] for row in made.rows]
    assert [cell.text for cell in shown] == ["0.500", "−0.0123", "12.2", "0", "–"]
    assert [cell.pad for cell in shown] == [1, 0, 3, 5, 0]


def test_every_marker_has_a_character() -> None:
    assert len(groups._SHAPES) == len(GROUP_MARKERS)
