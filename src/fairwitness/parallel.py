"""Row chunks over joblib: the one place that decides how work is spread.

A chunk is a slice of rows. The function must give each row the same result whatever chunk it is in (see
:mod:`fairwitness.rng`), so the concatenated result depends neither on ``n_jobs`` nor on ``chunk_size``.
Another joblib backend (Dask, Ray, Spark) is chosen as usual, with ``joblib.parallel_config``.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from fairwitness.arguments import check_jobs, whole_number
from fairwitness.progress import track

T = TypeVar("T")


def map_row_chunks(
    function: Callable[[slice], T],
    n_rows: int,
    *,
    chunk_size: int,
    n_jobs: int | None = None,
    description: str = "rows",
) -> list[T]:
    """Call ``function(slice)`` for consecutive slices of ``chunk_size`` rows; results in row order.

    Parameters
    ----------
    function
        Takes a slice of row numbers. Must be picklable if ``n_jobs`` is not 1 or ``None``.
    n_rows
        Number of rows to cover; 0 gives an empty list.
    chunk_size
        Rows a slice, at least 1.
    n_jobs
        As in joblib; ``None`` is 1 unless a ``joblib.parallel_config`` is active.

    Raises
    ------
    ConfigError
        If ``chunk_size`` is below 1, or ``n_jobs`` is 0.
    """
    whole_number(chunk_size, "chunk_size")
    slices = [slice(at, min(at + chunk_size, n_rows)) for at in range(0, n_rows, chunk_size)]
    n_jobs = workers(n_jobs, len(slices))
    if len(slices) <= 1 or n_jobs == 1:
        return [function(rows) for rows in track(slices, description=description)]
    from joblib import Parallel, delayed

    results = Parallel(n_jobs=n_jobs, return_as="generator")(delayed(function)(rows) for rows in slices)
    return list(track(results, description=description, total=len(slices)))


def workers(n_jobs: int | None, n_tasks: int) -> int | None:
    """Give the workers to start for ``n_tasks``: never more than tasks, whatever was asked for.

    Raises
    ------
    ConfigError
        If ``n_jobs`` is 0 or no integer.
    """
    check_jobs(n_jobs)
    if n_jobs is None:
        return None
    if n_jobs > 0:
        return min(n_jobs, max(n_tasks, 1))
    from joblib import effective_n_jobs

    return min(int(effective_n_jobs(n_jobs)), max(n_tasks, 1))
