from __future__ import annotations

from collections.abc import Callable

import pytest

from fairwitness.errors import ConfigError
from fairwitness.parallel import map_row_chunks, workers


@pytest.fixture
def bounds() -> Callable[[slice], tuple[int, int]]:
    # A closure travels to a worker by value; a worker could not import this file.
    return lambda rows: (rows.start, rows.stop)


def test_chunks_cover_all_rows_in_order(bounds: Callable[[slice], tuple[int, int]]) -> None:
    assert map_row_chunks(bounds, 5, chunk_size=2) == [(0, 2), (2, 4), (4, 5)]
    assert map_row_chunks(bounds, 0, chunk_size=2) == []


def test_workers_do_not_change_the_result(bounds: Callable[[slice], tuple[int, int]]) -> None:
    assert map_row_chunks(bounds, 9, chunk_size=2, n_jobs=2) == map_row_chunks(bounds, 9, chunk_size=2)


def test_a_chunk_needs_a_row(bounds: Callable[[slice], tuple[int, int]]) -> None:
    with pytest.raises(ConfigError, match="chunk_size"):
        map_row_chunks(bounds, 5, chunk_size=0)


@pytest.mark.parametrize(
    ("asked", "tasks", "expected"), [(1000, 5, 5), (2, 5, 2), (1, 0, 1), (None, 5, None), (-1, 1, 1)]
)
def test_no_more_workers_than_tasks(asked: int | None, tasks: int, expected: int | None) -> None:
    assert workers(asked, tasks) == expected


def test_no_workers_is_an_error() -> None:
    for wrong in (0, "2", 1.5, True):
        with pytest.raises(ConfigError, match="n_jobs must be a number of workers"):
            workers(wrong, 3)
