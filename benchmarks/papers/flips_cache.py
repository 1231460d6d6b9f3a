"""Results that survive an interrupted run: one file each, used again only under the same settings."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import joblib


class Cache:
    """A folder of JSON documents, and of fitted models; both carry the settings they were made with."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        folder.mkdir(parents=True, exist_ok=True)

    def document(
        self, name: str, settings: Mapping[str, Any], make: Callable[[], dict[str, Any]]
    ) -> dict[str, Any]:
        """Give the document of that name, made now unless it is there under these settings."""
        path = self.folder / f"{name}.json"
        wanted = json.loads(json.dumps(settings))
        if path.is_file():
            there = json.loads(path.read_text(encoding="utf-8"))
            if there["settings"] == wanted:
                return there
        document = {"settings": wanted, **make()}
        _write(path, json.dumps(document, indent=1, allow_nan=False))
        return document

    def read(self, name: str) -> dict[str, Any] | None:
        """Give a document whatever its settings, or ``None``."""
        path = self.folder / f"{name}.json"
        return json.loads(path.read_text(encoding="utf-8")) if path.is_file() else None

    def models(self, name: str, settings: Mapping[str, Any], make: Callable[[], Any]) -> Any:
        """Give fitted models. The files are this run's own: nobody else's are ever loaded."""
        path = self.folder / f"{name}.joblib"
        if path.is_file():
            kept, models = joblib.load(path)
            if kept == dict(settings):
                return models
        models = make()
        part = path.with_suffix(".part")
        joblib.dump((dict(settings), models), part, compress=3)
        os.replace(part, path)
        return models


def _write(path: Path, text: str) -> None:
    part = path.with_suffix(".part")
    part.write_text(text + "\n", encoding="utf-8")
    os.replace(part, path)
