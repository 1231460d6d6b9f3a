from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from fairwitness.arguments import as_path, boolean_array, check_jobs, number_array, real_number, whole_number
from fairwitness.errors import ConfigError, DataError


@pytest.mark.parametrize("value", [1, 7, np.int64(7), np.uint8(3)])
def test_integers_of_any_make_are_whole_numbers(value: object) -> None:
    found = whole_number(value, "k")
    assert type(found) is int
    assert found == value


@pytest.mark.parametrize("value", [0, -1, 5.0, "5", None, True, np.float64(5), [5]])
def test_what_is_no_whole_number_is_said_and_how_to_mend_it(value: object) -> None:
    with pytest.raises(ConfigError, match=r"^k must be a whole number of at least 1; got .*To fix: pass for"):
        whole_number(value, "k")


def test_a_whole_number_may_have_a_ceiling() -> None:
    assert whole_number(0, "k", least=0, most=0) == 0
    with pytest.raises(ConfigError, match="from 1 to 1,000"):
        whole_number(1001, "k", most=1000)


@pytest.mark.parametrize("value", [0, 1, -0.1, 95, "0.95", None, float("nan"), True])
def test_a_real_number_lies_strictly_inside(value: object) -> None:
    with pytest.raises(ConfigError, match="above 0 and below 1"):
        real_number(value, "confidence", above=0, below=1, fix="pass 0.95")
    assert real_number(np.float32(0.5), "confidence", above=0, below=1) == 0.5


@pytest.mark.parametrize("value", [0, "2", 1.5, True])
def test_workers_are_counted(value: object) -> None:
    with pytest.raises(ConfigError, match="n_jobs must be a number of workers"):
        check_jobs(value)
    check_jobs(None)
    check_jobs(-1)


@pytest.mark.parametrize("values", ["x", [["a"]], [[1], [1, 2]], [object()]])
def test_numbers_are_numbers(values: object) -> None:
    with pytest.raises(DataError, match="flips must hold numbers"):
        number_array(values, "flips", fix="pass zeros and ones")


def test_zeros_ones_and_booleans_are_booleans() -> None:
    for values in (
        [0, 1, 1],
        [False, True, True],
        np.array([False, True, True], dtype=object),
        [0.0, 1.0, 1.0],
    ):
        np.testing.assert_array_equal(boolean_array(values, "accepted"), [False, True, True])
    for values in (["no"], [0, 2], None, [[1], [1, 2]], [None, True]):
        with pytest.raises(DataError, match="accepted must hold booleans"):
            boolean_array(values, "accepted")


def test_paths_are_text_or_paths() -> None:
    assert as_path("a/b") == as_path(Path("a/b")) == Path("a/b")
    for value in (3, None, b"a", ["a"]):
        with pytest.raises(ConfigError, match="must be the name of a file or folder"):
            as_path(value)
