"""``fairwitness inspect-model``: say what is in a model file without building the model."""

from __future__ import annotations

import json
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
        items = value if isinstance(value, list | tuple) else [value]
        shown = [_words(item) for item in items] or ["none"]
        typer.echo(f"{name.replace('_', ' ').ljust(width)}  {shown[0]}")
        for item in shown[1:]:
            typer.echo(f"{' ' * width}  {item}")


def _words(value: object) -> str:
    return ("yes" if value else "no") if isinstance(value, bool) else plain(value)
