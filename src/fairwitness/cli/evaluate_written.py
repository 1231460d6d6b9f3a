"""What ``fairwitness evaluate`` leaves behind: files, and a table on the screen."""

from __future__ import annotations

import math
from pathlib import Path

import typer

from fairwitness.cli.places import write_file
from fairwitness.cli.terminal import print_table
from fairwitness.config_tables import EvaluateConfig
from fairwitness.errors import ConfigError
from fairwitness.metrics.evaluation.plot import label
from fairwitness.metrics.evaluation.results import CONSTANT, DEFAULTS, SMALL, Evaluation
from fairwitness.report import to_json, write_tables
from fairwitness.stats import Estimate
from fairwitness.table.groups import CROSS
from fairwitness.text import interval, listing, number, plain


def axes(found: Evaluation, settings: EvaluateConfig) -> tuple[str, str] | None:
    """Give the measures of accuracy and of difference to show; ``None`` where one was not measured."""
    usual = DEFAULTS[found.task]
    accuracy, difference = settings.accuracy or usual[0], settings.difference or usual[1]
    for name, asked in ((accuracy, settings.accuracy), (difference, settings.difference)):
        if name not in found.metrics:
            if asked is not None and found.models:
                found.values(name)  # says what is wrong with it
            return None
    return accuracy, difference


def write(found: Evaluation, settings: EvaluateConfig, folder: Path) -> list[Path]:
    """Write the frame as CSV and JSON, and a picture a sensitive feature as SVG and PNG.

    Raises
    ------
    ConfigError
        If a measure that is to be drawn was not measured, or the folder cannot be written to.
    """
    shown = axes(found, settings)
    written = write_tables({"evaluation": [row.to_dict() for row in found.rows]}, folder)
    document = {**found.to_dict(), "pareto": _fronts(found, shown)}
    write_file(folder / "evaluation.json", to_json(document).rstrip("\n"))
    written.append(folder / "evaluation.json")
    if shown is None or not found.models:
        return written
    for at, feature in enumerate(found.features):
        stem = "evaluation" if at == 0 else f"evaluation-{at + 1}"
        written += _draw(found, shown, feature, folder / stem)
    return written


def _draw(found: Evaluation, shown: tuple[str, str], feature: str, stem: Path) -> list[Path]:
    from fairwitness.drawing import to_svg

    accuracy, difference = shown
    ax = found.plot(difference, accuracy, feature=feature)
    figure = ax.get_figure()
    assert figure is not None
    front = found.pareto(accuracy, difference, feature=feature)
    title = f"{label(accuracy)} against {label(difference)} by {plain(feature)}"
    said = f"On the front, smallest difference first: {listing([plain(name) for name in front])}."
    svg, png = stem.with_suffix(".svg"), stem.with_suffix(".png")
    write_file(svg, to_svg(figure, title=title, description=said))  # type: ignore[arg-type]
    try:
        figure.savefig(png, dpi=144, facecolor="white", metadata={"Software": None})  # type: ignore[union-attr]
    except OSError as error:
        raise ConfigError(
            f"{plain(png)} cannot be written", got=error.strerror, fix="choose another --out"
        ) from error
    return [svg, png]


def _fronts(found: Evaluation, shown: tuple[str, str] | None) -> dict[str, object]:
    if shown is None or not found.models:
        return {}
    accuracy, difference = shown
    return {
        "accuracy": accuracy,
        "difference": difference,
        "by_feature": {
            feature: list(found.pareto(accuracy, difference, feature=feature)) for feature in found.features
        },
    }


def print_summary(found: Evaluation, settings: EvaluateConfig, *, verbose: bool) -> None:
    """Print a line a model: accuracy, and each feature's difference with the group that is farthest."""
    shown = axes(found, settings)
    if shown is not None and found.models:
        accuracy, difference = shown
        upward = found.values(accuracy)
        # Intersections are in the files: a line has room for few columns.
        features = [name for name in found.features if CROSS not in name]
        across = {feature: found.found(difference, feature=feature) for feature in features}
        fronts = {feature: found.pareto(accuracy, difference, feature=feature) for feature in features}
        typer.echo(f"{label(difference).capitalize()} by {listing([plain(name) for name in features])}:")
        print_table(
            [
                {
                    "model": name,
                    label(accuracy): _said(upward.get(name)),
                    **{
                        plain(feature): _with_group(across[feature].get(name))
                        + (" *" if name in fronts[feature] else "")
                        for feature in features
                    },
                }
                for name in found.models
            ]
        )
        for name in found.models:
            if found.constant(name):
                typer.echo(f"{plain(name)} {found.constant(name)}.")
        typer.echo("* no other model is at least as good on both and better on one; intervals in brackets.")
    if found.seeds:
        typer.echo(
            f"Means over {len(found.seeds)} splits with {found.test_size:.0%} test rows; "
            "intervals allow for the rows that splits share."
        )
    for name, reason in found.failures.items():
        typer.echo(f"Left out: {plain(name)}: {plain(reason, most=400)}")
    if verbose:
        for name, notes in found.notes.items():
            for note in (each for each in notes if not each.startswith(CONSTANT)):
                typer.echo(f"Note on {plain(name)}: {note}")


def _said(found: Estimate | None) -> str:
    if found is None or not math.isfinite(found.estimate):
        return "–"
    if found.low == found.high:
        return f"{number(found.estimate)} (no interval)"
    return f"{number(found.estimate)} {interval(found.low, found.high)}"


def _with_group(entry: tuple[Estimate, str] | None) -> str:
    if entry is None:
        return "–"
    found, group = entry
    few = f" ({found.reason.split(';')[0]})" if found.reason.startswith(SMALL) else ""
    return f"{_said(found)}{f' {plain(group, most=20)}' if group else ''}{few}"
