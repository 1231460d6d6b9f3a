from __future__ import annotations

import numpy as np
import pytest

from fairwitness.errors import ModelError
from fairwitness.model.labels import favorable_index, is_label, same


@pytest.mark.parametrize(
    ("classes", "favorable", "expected"),
    [
        ((0, 1), 1, 1),
        ((0, 1), 0, 0),
        ((0, 1), True, 1),
        ((False, True), 1, 1),
        ((False, True), False, 0),
        ((-1, 1), -1, 0),
        (("bad", "good"), "good", 1),
        (("bad", "good"), np.str_("bad"), 0),
        ((1, 2), np.int64(2), 1),
        ((1.0, 2.0), 2, 1),
        ((b"a", b"b"), b"b", 1),
    ],
)
def test_the_favorable_label_is_found_in_its_own_type(
    classes: tuple, favorable: object, expected: int
) -> None:
    assert favorable_index(classes, favorable) == expected


def test_an_unknown_label_lists_the_classes() -> None:
    with pytest.raises(ModelError, match=r"'bad' and 'good'; got 'Good'"):
        favorable_index(("bad", "good"), "Good")


@pytest.mark.parametrize(("classes", "favorable"), [(("0", "1"), 1), ((0, 1), "1"), ((b"a",), "a")])
def test_text_and_numbers_are_not_confused(classes: tuple, favorable: object) -> None:
    with pytest.raises(ModelError, match="not among"):
        favorable_index(classes, favorable)


def test_the_message_hints_at_the_type_where_only_the_type_is_wrong() -> None:
    with pytest.raises(ModelError, match="mind the type"):
        favorable_index(("0", "1"), 1)


def test_labels_in_a_message_are_made_printable() -> None:
    with pytest.raises(ModelError) as caught:
        favorable_index(("\x1b[31mred", "b"), 1)
    assert "\x1b" not in str(caught.value)


@pytest.mark.parametrize(
    ("labels", "label", "expected"),
    [
        (np.array([0, 1, 1]), 1, [False, True, True]),
        (np.array([0, 1, 1]), "1", [False, False, False]),
        (np.array([True, False]), 1, [True, False]),
        (np.array(["a", "b"]), "a", [True, False]),
        (np.array(["a", "b"]), 1, [False, False]),
        (np.array(["a", 1, None], dtype=object), 1, [False, True, False]),
        (np.array(["a", 1, None], dtype=object), "a", [True, False, False]),
        (np.array([1.0, np.nan]), 1, [True, False]),
    ],
)
def test_labels_of_every_dtype_are_compared(labels: np.ndarray, label: object, expected: list[bool]) -> None:
    assert is_label(labels, label).tolist() == expected


def test_equality_of_labels() -> None:
    assert same(np.bool_(True), 1)
    assert not same("1", 1)
    assert not same(b"1", "1")
