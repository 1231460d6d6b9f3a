"""Reports on disk: all of a report or nothing, and nothing outside its folder."""

from __future__ import annotations

import os
import re
import secrets
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path

from fairwitness.errors import ConfigError
from fairwitness.report.csv import to_csv
from fairwitness.report.document import clean, to_json, without_rows
from fairwitness.report.html import render
from fairwitness.text import plain

#: Tables whose names start like this hold rows of the user's table, one person a line.
ROW_TABLES = ("people", "counterfactuals")

Tables = Mapping[str, Sequence[Mapping[str, object]]]


def write_report(
    document: Mapping[str, object], tables: Tables, folder: str | Path, *, rows: bool = True
) -> Path:
    """Write ``report.html``, ``report.json`` and one CSV file a table into ``folder``.

    Everything is written beside the folder first and moved into place when it is complete, so that an
    interruption leaves the old report or none. Files of other names in the folder stay; a table that
    ``rows=False`` holds back is removed if an earlier report left it there.

    Parameters
    ----------
    document
        The document (see ``report/schema.json``).
    tables
        Name → rows (flat dictionaries).
    folder
        Where to; made if it does not exist.
    rows
        False leaves out everything that shows rows of the user's table, in all files.

    Returns
    -------
    Path
        ``folder``.

    Raises
    ------
    ConfigError
        If ``folder`` cannot be written to, is a file, or is a symbolic link.
    """
    folder = Path(folder)
    document = clean(document) if rows else without_rows(document)
    named = _file_names(tables)
    held_back = [] if rows else [name for name in named if name.startswith(ROW_TABLES)]
    texts = {
        **{name: to_csv(table) for name, table in named.items() if name not in held_back},
        "report.json": to_json(document),
        # Last, so that a page never speaks of files that are not there yet.
        "report.html": render(document, rows=rows),
    }
    return _write(folder, texts, held_back)


def write_tables(tables: Tables, folder: str | Path) -> list[Path]:
    """Write one CSV file a table into ``folder``, all or nothing; give the files.

    Parameters and errors are those of :func:`write_report`.
    """
    folder = Path(folder)
    texts = {name: to_csv(table) for name, table in _file_names(tables).items()}
    _write(folder, texts)
    return [folder / name for name in texts]


def _write(folder: Path, texts: Mapping[str, str], held_back: Sequence[str] = ()) -> Path:
    _check(folder, texts)
    try:
        _place(folder, texts)
        for name in held_back:
            (folder / name).unlink(missing_ok=True)
    except OSError as error:
        raise ConfigError(
            f"the files cannot be written to {plain(folder)}",
            got=plain(error.strerror or type(error).__name__),
            fix="name a folder that you may write to",
        ) from error
    return folder


def _file_names(tables: Tables) -> dict[str, Sequence[Mapping[str, object]]]:
    """Give each table a file name made of letters, digits, hyphens and underscores only."""
    named: dict[str, Sequence[Mapping[str, object]]] = {}
    for name, table in tables.items():
        stem = re.sub(r"[^a-z0-9_]+", "-", name.lower()).strip("-")[:80] or "table"
        file, number = f"{stem}.csv", 2
        while file in named:
            file, number = f"{stem}-{number}.csv", number + 1
        named[file] = table
    return named


def _check(folder: Path, texts: Mapping[str, str]) -> None:
    if folder.is_symlink():
        raise ConfigError(
            f"{plain(folder)} is a symbolic link, and a report is not written through one",
            fix="name the folder it points to",
        )
    if folder.exists() and not folder.is_dir():
        raise ConfigError(f"{plain(folder)} is a file", fix="name a folder for the report")
    for name in texts:
        # A link of this name is replaced by the file, never followed; a folder is in the way.
        if (folder / name).is_dir() and not (folder / name).is_symlink():
            raise ConfigError(
                f"{plain(folder / name)} is a folder", fix="move it away or name another folder"
            )


def _place(folder: Path, texts: Mapping[str, str]) -> None:
    folder.parent.mkdir(parents=True, exist_ok=True)
    beside = folder.parent / f".{folder.name or 'report'}.{secrets.token_hex(6)}.partial"
    beside.mkdir()
    try:
        for name, text in texts.items():
            (beside / name).write_text(text, encoding="utf-8", newline="\n")
        if folder.exists():
            for name in texts:
                os.replace(beside / name, folder / name)
        else:
            os.rename(beside, folder)
    finally:
        shutil.rmtree(beside, ignore_errors=True)
