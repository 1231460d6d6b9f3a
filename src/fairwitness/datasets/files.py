"""Where a public data set is looked for, and whether the file found is the version we know."""

from __future__ import annotations

import gzip
import hashlib
import io
import os
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fairwitness.arguments import as_path
from fairwitness.errors import ConfigError, DataError, FairwitnessWarning, MissingExtraError
from fairwitness.text import listing, plain

if TYPE_CHECKING:
    import pandas as pd

#: Environment variable that names a folder of data files.
FOLDER_VARIABLE = "FAIRWITNESS_DATA"


@dataclass(frozen=True, slots=True)
class Found:
    """One file: its name without folder or ``.gz``, its unpacked bytes and their SHA-256."""

    name: str
    path: Path
    content: bytes

    @property
    def digest(self) -> str:
        """SHA-256 of the unpacked content."""
        return hashlib.sha256(self.content).hexdigest()


def find(data_set: str, names: Sequence[str], *, path: str | os.PathLike[str] | None) -> Found | None:
    """Look for a data file: ``path`` (a file or a folder), else the folder named by the environment.

    Parameters
    ----------
    data_set
        Name of the set, for messages.
    names
        File names that are accepted, best first; each is also tried with ``.gz``.
    path
        What the user named; ``None``: look at ``FAIRWITNESS_DATA`` only.

    Returns
    -------
    Found or None
        ``None`` only where ``path`` is ``None`` and the environment names no folder that has the file.

    Raises
    ------
    DataError
        If ``path`` does not exist, is a folder without the file, or cannot be unpacked.
    """
    if path is not None:
        given = as_path(path)
        if given.is_file():
            return _read(given)
        if given.is_dir():
            inside = _in_folder(given, names)
            if inside is not None:
                return inside
            raise DataError(
                f"the folder given for the data set {data_set} holds none of its files",
                got=plain(given),
                fix=f"put {listing(_with_gz(names))} there, or name the file itself",
            )
        raise DataError(
            f"the path given for the data set {data_set} does not exist",
            got=plain(given),
            fix="correct path=",
        )
    named = os.environ.get(FOLDER_VARIABLE)
    return _in_folder(Path(named).expanduser(), names) if named else None


def not_found(data_set: str, names: Sequence[str], *, online: str | None) -> DataError:
    """Give the error that says the ways to provide a data set."""
    ways = [
        "pass path= (the file or its folder)",
        f"set {FOLDER_VARIABLE} to a folder that holds {listing(_with_gz(names))}",
        f"pass fetch=True to download it ({online})"
        if online
        else "(fetch=True does not help here: no faithful copy is served online)",
    ]
    return DataError(
        f"the data set {data_set} is not shipped with fairwitness and was not found",
        fix=", or ".join(ways[:2]) + (f", or {ways[2]}" if online else f" {ways[2]}"),
    )


def download(data_set: str, sources: Sequence[tuple[str, Callable[[], pd.DataFrame]]]) -> pd.DataFrame:
    """Try the online sources in turn and give the first table that arrives.

    Raises
    ------
    MissingExtraError
        If the only obstacle is a package that is not installed.
    DataError
        If no source answers; the message holds every source's own.
    """
    reasons: list[str] = []
    missing: MissingExtraError | None = None
    for name, get in sources:
        try:
            return get()
        except MissingExtraError as error:
            missing = error
        except Exception as error:
            # Whatever a download library raises (network, parsing, certificates) is one line to the user.
            reasons.append(f"{name}: {plain(error)}")
    if missing is not None and not reasons:
        raise missing
    raise DataError(
        f"the data set {data_set} could not be downloaded",
        got="; ".join(reasons),
        fix=f"check the connection, or pass path=, or set {FOLDER_VARIABLE} to a folder that holds the file",
    )


def from_openml(name: str, version: int) -> pd.DataFrame:
    """Fetch a table from OpenML through scikit-learn."""
    from sklearn.datasets import fetch_openml

    frame: pd.DataFrame = fetch_openml(name, version=version, as_frame=True, parser="auto").frame
    return frame


def from_uci(number: int) -> pd.DataFrame:
    """Fetch a table from the UCI repository through ucimlrepo."""
    try:
        from ucimlrepo import fetch_ucirepo
    except ImportError:
        raise MissingExtraError("ucimlrepo", "data", purpose="downloading from the UCI repository") from None
    frame: pd.DataFrame = fetch_ucirepo(id=number).data.original
    return frame


def read_csv(found: Found, **options: Any) -> pd.DataFrame:
    """Read the found file with pandas; a file that is no such table is a :class:`DataError`."""
    import pandas as pd

    try:
        frame: pd.DataFrame = pd.read_csv(io.BytesIO(found.content), **options)
    except (ValueError, UnicodeDecodeError) as error:
        # pandas' parser errors are ValueErrors.
        raise DataError(
            f"the file {plain(found.name)} cannot be read as a table",
            got=plain(error),
            fix="check that it is the data set's own file",
        ) from None
    return frame


def count_missing(frame: pd.DataFrame) -> dict[str, int]:
    """Give column → number of missing values, for columns that have some."""
    return {str(column): int(count) for column, count in frame.isna().sum().items() if count}


def need_columns(frame: pd.DataFrame, names: Sequence[str], *, file: str) -> None:
    """Stop with the missing names if ``frame`` lacks columns."""
    lacking = [name for name in names if name not in frame.columns]
    if lacking:
        raise DataError(
            f"the file {plain(file)} lacks {len(lacking)} of the expected columns: {listing(lacking)}",
            got=f"{frame.shape[1]} columns: {listing([plain(column) for column in frame.columns])}",
            fix="check that it is the data set's own file, with its header",
        )


def check_version(
    data_set: str,
    digest: str | None,
    *,
    known: Sequence[str],
    counts: Mapping[str, float],
    expected: Mapping[str, float],
) -> tuple[str, ...]:
    """Compare what was read with the version that the papers' counts were verified on.

    Counts that differ give a :class:`FairwitnessWarning`; a file with another hash but the same counts
    gives a note only.

    Returns
    -------
    tuple of str
        Notes for :attr:`Dataset.notes`.
    """
    different = [
        f"{name} {counts[name]:.10g} instead of {value:.10g}"
        for name, value in expected.items()
        if abs(counts[name] - value) > 5e-5
    ]
    if different:
        text = (
            f"The {data_set} data differ from the version that was checked against the published counts: "
            f"{listing(different)}."
        )
        warnings.warn(text, FairwitnessWarning, stacklevel=3)
        return (text,)
    if digest is not None and digest not in known:
        return (
            f"The {data_set} file is not byte for byte the version that was checked, but its counts agree.",
        )
    return ()


def chosen(given: str | Sequence[str], allowed: Sequence[str], *, what: str) -> list[str]:
    """Give the names asked for, each once; one that is not allowed, or none, is a :class:`ConfigError`."""
    names = [given] if isinstance(given, str) or not isinstance(given, Sequence) else list(given)
    names = list(dict.fromkeys(names))
    if not names or not all(name in allowed for name in names):
        raise ConfigError(
            f"{what} is not one that this data set has",
            got=listing([plain(name, most=60) for name in names]) or "none",
            fix=f"use {listing(allowed)}",
        )
    return names


def _with_gz(names: Sequence[str]) -> list[str]:
    return [f"{name}(.gz)" for name in names]


def _in_folder(folder: Path, names: Sequence[str]) -> Found | None:
    for name in names:
        for candidate in (folder / f"{name}.gz", folder / name):
            if candidate.is_file():
                return _read(candidate)
    return None


def _read(path: Path) -> Found:
    try:
        content = path.read_bytes()
        if path.suffix == ".gz":
            content = gzip.decompress(content)
    except (OSError, EOFError) as error:
        raise DataError(
            f"the file {plain(path.name)} cannot be read", got=plain(error), fix="check the file"
        ) from None
    return Found(name=path.name.removesuffix(".gz"), path=path, content=content)
