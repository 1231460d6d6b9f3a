from __future__ import annotations

import itertools

from fairwitness.table import level_text, sort_levels


def test_order_depends_on_values_only():
    values = [True, 10, 2.5, "b", "B", "", 2**60, 2**60 + 1, False]
    wanted = sort_levels(values)
    assert wanted == (False, True, 2.5, 10, 2**60, 2**60 + 1, "", "B", "b")
    for shuffled in itertools.islice(itertools.permutations(values), 0, 5000, 97):
        assert sort_levels(shuffled) == wanted


def test_repeated_values_are_kept_once():
    assert sort_levels(["a", "b", "a"]) == ("a", "b")


def test_other_values_come_last():
    assert sort_levels([(2, 1), "a", (1, 2)]) == ("a", (1, 2), (2, 1))


def test_whole_floats_read_as_integers():
    assert [level_text(v) for v in (1.0, 1.5, 3, True, "x", float("inf"))] == [
        "1",
        "1.5",
        "3",
        "True",
        "x",
        "inf",
    ]
