from __future__ import annotations

import warnings
from collections.abc import Callable

import numpy as np
import pandas as pd
import pytest
from sklearn.dummy import DummyClassifier

from fairwitness import parallel
from fairwitness.errors import ConfigError, FairwitnessWarning
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


class Picky(UserWarning):
    """Not made from a text alone."""

    def __init__(self, text: str, more: int) -> None:
        super().__init__(text)
        self.more = more


def test_what_workers_warn_of_is_heard_here_once(capfd: pytest.CaptureFixture[str]) -> None:
    def warn(rows: slice) -> int:
        warnings.warn("few rows", FairwitnessWarning, stacklevel=1)
        warnings.warn("few rows", FairwitnessWarning, stacklevel=1)
        warnings.warn(f"rows from {rows.start}", RuntimeWarning, stacklevel=1)
        return rows.start

    with warnings.catch_warnings(record=True) as heard:
        warnings.simplefilter("always")
        assert map_row_chunks(warn, 4, chunk_size=2, n_jobs=2) == [0, 2]
    said = [(str(each.message), each.category) for each in heard]
    assert said.count(("few rows", FairwitnessWarning)) == 2  # the two lines
    assert said.count(("rows from 0", RuntimeWarning)) == said.count(("rows from 2", RuntimeWarning)) == 1
    assert "few rows" not in capfd.readouterr().err


def test_the_caller_s_filters_decide_about_workers_warnings() -> None:
    def warn(rows: slice) -> int:
        warnings.warn("few rows", FairwitnessWarning, stacklevel=1)
        return rows.start

    with warnings.catch_warnings(record=True) as heard:
        warnings.simplefilter("ignore")
        map_row_chunks(warn, 4, chunk_size=2, n_jobs=2)
    assert heard == []
    with pytest.raises(FairwitnessWarning, match="few rows"):  # the tests' own filter
        map_row_chunks(warn, 4, chunk_size=2, n_jobs=2)


def test_a_warning_of_an_unusual_kind_comes_back_as_a_text() -> None:
    def warn(rows: slice) -> int:
        warnings.warn(Picky("few rows", 1), stacklevel=1)
        return rows.start

    # as in a worker, but without sending the class to one
    task = parallel._Listening(warn, ("another", 1))
    result, (said,) = task(slice(3, 4))
    assert result == 3
    with pytest.warns(UserWarning, match="Picky: few rows"):
        said.repeat()


def test_threads_share_the_caller_s_filters() -> None:
    from joblib import parallel_config

    def warn(rows: slice) -> int:
        warnings.warn("few rows", FairwitnessWarning, stacklevel=1)
        return rows.start

    with parallel_config(backend="threading"), pytest.warns(FairwitnessWarning, match="few rows"):
        assert map_row_chunks(warn, 4, chunk_size=2, n_jobs=2) == [0, 2]


def test_an_audit_records_what_the_folds_of_its_classifier_warn_of() -> None:
    from fairwitness.model import CrossFitted

    class Doubtful(DummyClassifier):
        def fit(self, X, y):
            warnings.warn("a fold with doubts", FairwitnessWarning, stacklevel=1)
            return super().fit(X, y)

    table = pd.DataFrame({"a": range(20)})
    with pytest.warns(FairwitnessWarning, match="a fold with doubts") as heard:
        CrossFitted(Doubtful(), cv=3, random_state=0, n_jobs=2).fit(table, np.arange(20) % 2)
    assert len(heard) == 1
