"""Row chunks over joblib: the one place that decides how work is spread.

A chunk is a slice of rows. The function must give each row the same result whatever chunk it is in (see
:mod:`fairwitness.rng`), so the concatenated result depends neither on ``n_jobs`` nor on ``chunk_size``.
Another joblib backend (Dask, Ray, Spark) is chosen as usual, with ``joblib.parallel_config``.

What is warned of in a worker comes back with its result and is warned of here, once: the caller's filters
decide about it, and an audit records it, as if one process had done it all.
"""

from __future__ import annotations

import os
import platform
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from fairwitness.arguments import check_jobs, whole_number
from fairwitness.progress import track

T = TypeVar("T")
S = TypeVar("S")


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
    return spread(function, slices, n_jobs=n_jobs, description=description)


def spread(
    function: Callable[[S], T], tasks: Sequence[S], *, n_jobs: int | None = None, description: str = "tasks"
) -> list[T]:
    """Call ``function`` for every task; results in the order of the tasks.

    Parameters
    ----------
    function, n_jobs
        As in :func:`map_row_chunks`.
    tasks
        What to call it with, one after the other.

    Raises
    ------
    ConfigError
        If ``n_jobs`` is 0.
    """
    n_jobs = workers(n_jobs, len(tasks))
    if len(tasks) <= 1 or n_jobs == 1:
        return [function(task) for task in track(tasks, description=description)]
    from joblib import Parallel, delayed

    listening = delayed(_Listening(function, this_process()))
    results = Parallel(n_jobs=n_jobs, return_as="generator")(listening(task) for task in tasks)
    told: dict[_Warned, None] = {}
    out: list[T] = []
    for result, said in track(results, description=description, total=len(tasks)):
        out.append(result)
        told |= dict.fromkeys(said)
    # A warning may be an error to the caller; raised above, it would leave workers with tasks in hand.
    for each in told:
        each.repeat()
    return out


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


def this_process() -> tuple[str, int]:
    """Name the process: what a worker counts, or warns of, stays there unless it is sent back."""
    return platform.node(), os.getpid()


@dataclass(frozen=True, slots=True)
class _Warned:
    """One warning of a worker: text, kind, and the place in the code."""

    text: str
    category: type[Warning]
    filename: str
    line: int

    def repeat(self) -> None:
        """Warn of it in this process."""
        try:
            message = self.category(self.text)
        except TypeError:  # a kind that is not made from a text alone
            message = UserWarning(f"{self.category.__name__}: {self.text}")
        warnings.warn_explicit(message, type(message), self.filename, self.line)


@dataclass(frozen=True, eq=False)
class _Listening(Generic[S, T]):
    """A function that gives its result, and what was warned of meanwhile if that is in another process.

    Threads of the caller's process share its filters, which hear them anyway.
    """

    function: Callable[[S], T]
    caller: tuple[str, int]

    def __call__(self, task: S) -> tuple[T, list[_Warned]]:
        """Call the function, and listen."""
        if this_process() == self.caller:
            return self.function(task), []
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")  # the caller's filters decide
            result = self.function(task)
        said = [_Warned(str(each.message), each.category, each.filename, each.lineno) for each in caught]
        return result, list(dict.fromkeys(said))
