"""``fairwitness inspect-model``: say what is in a model file without building the model."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated

import typer

from fairwitness.cli.terminal import Output, Verbose
from fairwitness.text import plain


def command(
    file: Annotated[Path, typer.Argument(help="A skops, ONNX, XGBoost, LightGBM, pickle or joblib file.")],
    output: Output = "text",
    verbose: Verbose = False,
) -> None:
    """Say what is in a model FILE: its format, what loading it would need, and whether that is safe.

    Nothing in the file is run and no model is built.
    """
    from fairwitness.model import inspect_model

    found = inspect_model(file).to_dict()
    if output == "json":
        typer.echo(json.dumps(found, indent=2))
        return
    details = found.pop("details")
    lines = {**found, **details}
    width = max(len(name) for name in lines)
    for name, value in lines.items():
        shown = _lines(name, value) or ["none"]
        typer.echo(f"{name.replace('_', ' ').ljust(width)}  {shown[0]}")
        for item in shown[1:]:
            typer.echo(f"{' ' * width}  {item}")


def _lines(name: str, value: object) -> list[str]:
    """Write one fact: a list goes on a line an item, a version such as [3, 2, 0] on one."""
    if name == "size":
        return [f"{value:,} bytes"]
    if name == "version" and isinstance(value, list | tuple):
        return [".".join(map(plain, value))]
    items = value if isinstance(value, list | tuple) else [value]
    return [_words(item) for item in items]


def _words(value: object) -> str:
    if isinstance(value, Mapping):
        if {"name", "type", "shape"} <= set(value):  # an input or output of a graph
            shape = " × ".join("any" if size is None else plain(size) for size in value["shape"])
            return f"{plain(value['name'])}: {plain(value['type'])}{f', {shape}' if shape else ''}"
        return ", ".join(f"{plain(name)} {plain(inner)}" for name, inner in value.items())
    return ("yes" if value else "no") if isinstance(value, bool) else plain(value)
