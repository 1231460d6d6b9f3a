"""Where a command writes to: looked at before anybody waits for the result."""

from __future__ import annotations

import os
import secrets
from pathlib import Path

from fairwitness.errors import ConfigError
from fairwitness.text import plain


def ready_folder(folder: Path) -> Path:
    """Give the absolute path of a folder that can be written to, or made.

    Raises
    ------
    ConfigError
        If it is a file or a symbolic link, lies under a file, or may not be written to.
    """
    folder = Path(os.path.abspath(folder))
    shown = plain(folder)
    try:
        if folder.is_symlink():
            raise ConfigError(
                f"{shown} is a symbolic link, and nothing is written through one",
                fix="name the folder it points to",
            )
        there = next(each for each in (folder, *folder.parents) if each.exists())
        if not there.is_dir():
            raise ConfigError(f"{plain(there)} is a file", fix="name a folder")
        if not os.access(there, os.W_OK | os.X_OK):
            raise ConfigError(f"{plain(there)} may not be written to", fix="name another folder")
    except OSError as error:
        raise ConfigError(
            f"{shown} can be no folder", got=error.strerror, fix="name another folder"
        ) from error
    return folder


def ready_file(file: Path) -> Path:
    """Give the absolute path of a file that can be written.

    Raises
    ------
    ConfigError
        If it is a folder or a symbolic link, or its folder cannot be written to.
    """
    file = Path(os.path.abspath(file))
    if file.is_symlink() or file.is_dir():
        kind = "a symbolic link" if file.is_symlink() else "a folder"
        raise ConfigError(f"{plain(file)} is {kind}", fix="name a file")
    ready_folder(file.parent)
    return file


def write_file(file: Path, text: str) -> None:
    """Write a file, whole or not at all; its folder is made if need be.

    Raises
    ------
    ConfigError
        If it cannot be written.
    """
    beside = file.with_name(f".{file.name}.{secrets.token_hex(4)}.partial")
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        try:
            beside.write_text(f"{text}\n", encoding="utf-8")
            beside.replace(file)
        finally:
            beside.unlink(missing_ok=True)
    except OSError as error:
        raise ConfigError(
            f"{plain(file)} cannot be written", got=error.strerror, fix="choose another --out"
        ) from error
