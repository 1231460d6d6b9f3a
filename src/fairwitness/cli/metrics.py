"""``fairwitness metrics``: what can be measured, from the catalogue that the library itself reads."""

from __future__ import annotations

import json
import shutil
import textwrap
from typing import Annotated

import typer

from fairwitness.cli.terminal import Output, Verbose, print_table


def command(
    names: Annotated[
        list[str] | None, typer.Argument(help="Metrics to explain, also a,b; all are listed without.")
    ] = None,
    listed: Annotated[bool, typer.Option("--list", help="List them, as without any option.")] = False,
    family: Annotated[
        str | None, typer.Option("--family", help="Only performance, group, entropy or distribution.")
    ] = None,
    task: Annotated[
        str | None, typer.Option("--task", help="Only classification, score or regression.")
    ] = None,
    output: Output = "text",
    verbose: Verbose = False,
) -> None:
    """List the metrics, or explain the NAMES: formula, range, which way is good, needs and source.

    With --verbose the list shows all of that, too.
    """
    from fairwitness.metrics.declared.catalogue import chosen, list_metrics

    found = list_metrics(family=family, task=task)
    if names:
        apart = [name.strip() for each in names for name in each.split(",") if name.strip()]
        wanted = {metric.name for metric in chosen(apart)}
        found = tuple(metric for metric in found if metric.name in wanted)
    if output == "json":
        typer.echo(json.dumps([metric.to_dict() for metric in found], indent=2, ensure_ascii=False))
        return
    if not found:
        typer.echo("No metric is of that family and task.")
        return
    if names or verbose:
        for metric in found:
            _explain(metric.to_dict())
        return
    print_table(
        [
            {
                "metric": metric.name,
                "family": metric.family,
                "task": ", ".join(metric.tasks),
                "range": metric.range,
                "best": metric.best,
            }
            for metric in found
        ]
    )


def _explain(metric: dict[str, object]) -> None:
    typer.echo(str(metric.pop("name")))
    width = min(shutil.get_terminal_size().columns, 110)
    for name, value in metric.items():
        shown = ", ".join(map(str, value)) if isinstance(value, list) else value
        said = ("yes" if shown else "no") if isinstance(shown, bool) else str(shown or "no rows")
        text = textwrap.fill(said, width, initial_indent=f"  {name.ljust(10)} ", subsequent_indent=" " * 13)
        typer.echo(text)
