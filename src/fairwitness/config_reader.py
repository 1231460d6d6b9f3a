"""The reader of TOML files that speak of tables, models and groups: values checked, errors with the line.

A mistyped key is an error with the nearest right one, and a key that does not apply is an error too: nothing
is silently ignored.
"""

from __future__ import annotations

import difflib
import json
import math
import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import fields, replace
from pathlib import Path
from typing import Any, ClassVar, NoReturn, TypeVar

from fairwitness.config_tables import (
    CHOICES,
    RANGES,
    READABLE,
    SECTIONS,
    TABLES,
    AuditConfig,
    EvaluationConfig,
)
from fairwitness.errors import ConfigError
from fairwitness.text import plain

C = TypeVar("C", AuditConfig, EvaluationConfig)


def read_text(path: Path, *, missing: str) -> str:
    """Read a file of UTF-8 text.

    Parameters
    ----------
    path
        The file.
    missing
        What to do if there is none.

    Raises
    ------
    ConfigError
        If it is missing, a folder, or no text; the message names the line.
    """
    name = plain(path)
    try:
        content = path.read_bytes()
    except FileNotFoundError:
        raise ConfigError(f"there is no file {name}", fix=missing) from None
    except OSError as error:
        what = "is a folder" if path.is_dir() else f"cannot be opened ({error.strerror})"
        raise ConfigError(f"{name} {what}", fix="name a file") from None
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise ConfigError(
            f"{name}, line {line}: the file is not UTF-8 text",
            fix="save it as UTF-8, or write that line anew",
        ) from None


def parse_text(text: str, *, name: str, fix: str) -> dict[str, Any]:
    """Read TOML.

    Parameters
    ----------
    text
        The content.
    name
        Of the file, for messages.
    fix
        What to do if it is no TOML.

    Raises
    ------
    ConfigError
        If it is none.
    """
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise ConfigError(f"{plain(name)} is not valid TOML: {plain(error)}", fix=fix) from None


class Reader:
    """Checks one file's values and knows on which line each of them stands.

    ``sections`` are the tables that it may hold; ``usual`` is what the file is called if it has no name.
    """

    sections: ClassVar[Mapping[str, type[Any]]] = TABLES
    usual: ClassVar[str] = "audit.toml"

    def __init__(self, text: str, source: Path | None) -> None:
        self.lines = tuple(text.splitlines())
        self.source = source
        self.folder = source.absolute().parent if source else Path.cwd()

    def section(self, name: str, values: Mapping[str, Any], kind: type[Any] | None = None) -> Any:
        """Read one table into its dataclass, or into another one of the same keys."""
        kind = kind or self.sections[name]
        known = {entry.name: str(entry.type) for entry in fields(kind)}
        out: dict[str, Any] = {}
        for key, value in values.items():
            if key not in known:
                self.unknown(key, tuple(known), table=name)
            out[key] = self.value(name, key, value, known[key])
        return kind(**out)

    def value(self, table: str, key: str, value: Any, declared: str) -> Any:
        """Give one value as its dataclass declares it, checked."""
        wanted = declared.replace(" | None", "")
        read = self.typed(value, wanted)
        if read is None:
            self.fail(f"{key} must be {READABLE[wanted]}", table=table, key=key, got=value)
        bad = wrong(table, key, read)
        if bad:
            self.fail(bad[0], table=table, key=key, got=value, fix=bad[1])
        return read

    def typed(self, value: Any, wanted: str) -> Any:
        """Give the value as the dataclass wants it, or ``None`` where it is of another type."""
        if wanted == "Path":
            return self.folder / value if isinstance(value, str) and value.strip() else None
        if wanted == "tuple[str, ...]":
            items = [value] if isinstance(value, str) else value
            texts = isinstance(items, list) and all(isinstance(item, str) for item in items)
            return tuple(items) if texts else None
        if wanted == "float":
            return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else None
        kinds: Mapping[str, Any] = {"bool": bool, "int": int, "str": str, "Severity": str}
        if wanted in kinds:
            return value if type(value) is kinds[wanted] else None
        if wanted.startswith("Mapping"):
            return value if isinstance(value, dict) else None
        return value if isinstance(value, str | int | float | bool) else None

    def unknown(self, key: str, known: tuple[str, ...], *, table: str | None) -> NoReturn:
        """Stop at a name that nobody knows, with the nearest one that somebody does."""
        close = difflib.get_close_matches(key, known, n=1)
        where = f"[{table}] has no" if table else "there is no"
        self.fail(
            f"{where} {'key' if table else 'table'} {plain(key)}",
            table=table,
            key=key,
            fix=f"write {close[0]}" if close else f"use some of {', '.join(known)}",
        )

    def fail(
        self,
        what: str,
        *,
        table: str | None,
        key: str | None = None,
        got: object = None,
        fix: str | None = None,
    ) -> NoReturn:
        """Stop, and say in which line."""
        line = line_of(self.lines, table, key)
        where = f"{plain(self.source or self.usual)}{f', line {line}' if line else ''}"
        raise ConfigError(f"{where}: {what}", got=None if got is None else as_toml(got), fix=fix)


def wrong(table: str, key: str, value: Any) -> tuple[str, str] | None:
    """Say what is wrong with a value of the right type, and how to put it right."""
    choices = CHOICES.get((table, key))
    if choices:
        given = value if isinstance(value, tuple) else (value,)
        if not given or any(each not in choices for each in given):
            return f"{key} is not one of the possible values", f"use {_either(choices)}"
        if "auto" in given and len(given) > 1:
            return f"{key} is auto and something else", "keep one of the two"
    if (table, key) in RANGES:
        low, high = RANGES[table, key]
        if value is not None and not low <= value <= high:
            usual = SECTIONS[table].__dataclass_fields__[key].default
            return (
                f"{key} must lie between {low:,} and {high:,}",
                f"write for example {key} = {100 if usual is None else usual}",
            )
    if key == "n_jobs" and value == 0:
        return "n_jobs is 0", "write 1 or more, or -1 for all cores"
    if key == "confidence" and not 0 < value < 1:
        return "confidence must lie between 0 and 1", "write for example confidence = 0.95"
    if key == "test_size" and not 0 < value < 1:
        return "test_size must lie between 0 and 1", "write for example test_size = 0.2"
    if key == "tau" and not 0 < value < 1:
        return "tau must lie between 0 and 1", "write for example tau = 0.1"
    if key == "threshold" and not math.isfinite(value):
        return "threshold must be a finite number", "write for example threshold = 0.5"
    if key in {"separator", "decimal"} and len(value) != 1:
        return f"{key} must be one character", f'write for example {key} = ","'
    return None


def _either(choices: Sequence[str]) -> str:
    return f"{', '.join(choices[:-1])} or {choices[-1]}"


def as_toml(value: object) -> str:
    """Write a value as the file has it, safe to print."""
    if isinstance(value, str):
        return plain(json.dumps(value, ensure_ascii=False))
    if isinstance(value, list | tuple):
        return f"[{', '.join(as_toml(item) for item in value)}]"
    return plain(str(value).lower() if isinstance(value, bool) else value)


def line_of(lines: Sequence[str], table: str | None, key: str | None) -> int | None:
    """Find the line of a key by scanning: tomllib does not keep positions."""
    current: list[str] = []
    header: int | None = None
    for at, line in enumerate(lines, start=1):
        if match := re.match(r"\s*\[+\s*(.+?)\s*\]+\s*(#.*)?$", line):
            current = _parts(match.group(1))
            if table is None and key is not None and current[:1] == [key]:
                return at
            if table is not None and current[:1] == [table]:
                header = header or at
                if key is None or current[1:2] == [key]:
                    return at
        elif key is not None and current == ([table] if table else []) and _names(line, key):
            return at
    return header


def _parts(header: str) -> list[str]:
    """Take ``schema."a b"`` apart."""
    found = re.findall(r'"((?:[^"\\]|\\.)*)"|\'([^\']*)\'|([^."\'\s]+)', header)
    return [_unescaped(double) if double else single or bare for double, single, bare in found]


def _names(line: str, key: str) -> bool:
    match = re.match(r'\s*(?:"((?:[^"\\]|\\.)*)"|\'([^\']*)\'|([\w-]+))\s*[=.]', line)
    return match is not None and key in {_unescaped(match.group(1) or ""), *match.groups()[1:]}


def _unescaped(text: str) -> str:
    try:
        return str(json.loads(f'"{text}"'))
    except ValueError:
        return text


def with_changes(config: C, changes: Mapping[str, object]) -> C:
    """Give a copy with some values replaced: ``{"methods.k": 10}``; ``None`` leaves the file's value."""
    for name, value in changes.items():
        if value is None:
            continue
        table, key = name.split(".")
        bad = wrong(table, key, value)
        if bad:
            raise ConfigError(bad[0], got=as_toml(value), fix=bad[1])
        config = replace(config, **{table: replace(getattr(config, table), **{key: value})})
    return config
