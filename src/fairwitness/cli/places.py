"""Where a command writes to: looked at before anybody waits for the result."""

from __future__ import annotations

import os
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
