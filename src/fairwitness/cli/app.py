"""The application: its commands and its exit codes.

Exit codes: 0 nothing at or over ``--fail-on``, 1 findings at or over it, 2 usage, 3 data or model error,
130 stopped by the user. The command modules import nothing heavy until they run, so ``--help`` is quick.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

import typer

import fairwitness
from fairwitness.cli import audit, bounds, canonical, demo, evaluate, flips, init, inspect_model, metrics
from fairwitness.cli.terminal import guarded

app = typer.Typer(
    name="fairwitness",
    help="Audit a tabular decision model for counterfactual fairness: what would the model have needed "
    "these people to become?",
    add_completion=False,
    no_args_is_help=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)
#: What the list of commands says of each; a longer line would be cut.
COMMANDS = {
    "demo": (demo, "Audit a model of 1,989 real mortgage decisions."),
    "audit": (audit, "Audit a model on a table, as an audit.toml says."),
    "init": (init, "Write an audit.toml for a table."),
    "flips": (flips, "Measure counterfactual fair opportunity alone."),
    "bounds": (bounds, "Bound an effect along causal paths."),
    "canonical": (canonical, "Compare what is scored highest and lowest."),
    "evaluate": (evaluate, "Measure models or predictions side by side."),
    "metrics": (metrics, "List the metrics, with formula and source."),
    "inspect-model": (inspect_model, "Say what is in a model file without opening it."),
}
for name, (module, short) in COMMANDS.items():
    app.command(name, short_help=short)(guarded(module.command))


def _version(asked: bool) -> None:
    if asked:
        typer.echo(f"fairwitness {fairwitness.__version__}")
        raise typer.Exit


@app.callback()
def _root(
    version: Annotated[
        bool, typer.Option("--version", help="Print the version and exit.", callback=_version, is_eager=True)
    ] = False,
) -> None:
    """Options that come before a command."""


def run(arguments: Sequence[str]) -> int:
    """Run one command line and give its exit code."""
    try:
        app(args=list(arguments), prog_name="fairwitness")
    except SystemExit as stop:
        return stop.code if isinstance(stop.code, int) else int(stop.code is not None)
    return 0
