from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fairwitness.errors import ConfigError
from fairwitness.rng import child, child_seed, seed_from


def test_zero_is_a_seed_like_any_other() -> None:
    assert seed_from(0) == 0
    assert child(0, "a").integers(2**60) == child(0, "a").integers(2**60)
    assert child(0, "a").integers(2**60) != child(1, "a").integers(2**60)


def test_none_draws_a_fresh_seed() -> None:
    assert len({seed_from(None) for _ in range(20)}) > 1


@pytest.mark.parametrize("wrong", [-1, 1.5, "0", True])
def test_a_wrong_seed_is_an_error_that_says_so(wrong: object) -> None:
    with pytest.raises(ConfigError, match="random_state"):
        seed_from(wrong)  # type: ignore[arg-type]


@given(st.lists(st.one_of(st.text(max_size=3), st.integers(0, 9)), min_size=1, max_size=3))
def test_different_purposes_give_different_streams(purpose: list[str | int]) -> None:
    other = [*purpose, "x"]
    assert child(0, *purpose).integers(2**62) != child(0, *other).integers(2**62)


def test_a_number_and_its_text_are_different_purposes() -> None:
    assert child_seed(0, 1) != child_seed(0, "1")


def test_the_global_random_state_is_left_alone() -> None:
    before = np.random.get_state()[1].copy()  # noqa: NPY002
    child(0, "anything").random(10)
    seed_from(None)
    assert (np.random.get_state()[1] == before).all()  # noqa: NPY002
