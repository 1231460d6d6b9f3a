"""Progress bars for long work: off in a library call, on in the command line."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TypeVar

T = TypeVar("T")
_shown: ContextVar[bool] = ContextVar("fairwitness_progress", default=False)


@contextmanager
def show_progress(shown: bool = True) -> Iterator[None]:
    """Show (or hide) progress bars on standard error for everything called inside the ``with``."""
    token = _shown.set(shown)
    try:
        yield
    finally:
        _shown.reset(token)


def track(items: Iterable[T], *, description: str, total: int | None = None) -> Iterator[T]:
    """Iterate over ``items`` with a bar named ``description`` if progress is shown."""
    if not _shown.get():
        yield from items
        return
    from tqdm import tqdm

    yield from tqdm(items, desc=description, total=total, leave=False)


@contextmanager
def meter(description: str, total: int) -> Iterator[Callable[[str], None]]:
    """Give a function to call once a step, of ``total``, with what is to be read beside the bar."""
    if not _shown.get():
        yield lambda words: None
        return
    from tqdm import tqdm

    with tqdm(total=total, desc=description, leave=False) as bar:

        def tell(words: str) -> None:
            if words:
                bar.set_postfix_str(words)
            bar.update()

        yield tell
