"""What ``fairwitness canonical`` leaves behind: numbers, a picture, and lines on the screen."""

from __future__ import annotations

from pathlib import Path

import typer

from fairwitness.canonical.gate_report import gate_rows
from fairwitness.cli.canonical_asked import Answered, frames
from fairwitness.cli.places import write_file
from fairwitness.cli.terminal import print_table
from fairwitness.report import to_json, write_tables
from fairwitness.table import to_pandas
from fairwitness.text import interval, number, percent, plain

#: Columns that are printed, besides the sensitive ones.
SHOWN = 5


def write(found: Answered, folder: Path, *, rows: bool) -> list[Path]:
    """Write the contrast, its levels and the gate as CSV, all as JSON, and the picture as SVG.

    Raises
    ------
    ConfigError
        If the folder cannot be written to.
    """
    from fairwitness.drawing import to_svg

    tables = {
        "contrast": found.contrast.to_frame().to_dict("records"),
        "levels": found.contrast.levels_frame().to_dict("records"),
        "gate": gate_rows(found.contrast.gates),
    }
    if rows:
        tables |= {name: to_pandas(frame).to_dict("records") for name, frame in frames(found).items()}
    written = write_tables(tables, folder)
    write_file(folder / "canonical.json", to_json(found.contrast.to_dict()).rstrip("\n"))
    figure = found.contrast.plot().get_figure()
    assert figure is not None
    said = "; ".join(feature.sentence for feature in found.contrast.ranked[:SHOWN])
    title = f"Positive and negative set, gate: {found.contrast.verdict}"
    write_file(folder / "canonical.svg", to_svg(figure, title=title, description=said))  # type: ignore[arg-type]
    return [*written, folder / "canonical.json", folder / "canonical.svg"]


def print_answer(found: Answered, *, quiet: bool) -> None:
    """Print the gate's verdict, then the columns: sensitive ones first, then those that differ most."""
    contrast = found.contrast
    for name, gate in zip(("Positive", "Negative"), contrast.gates, strict=True):
        typer.echo(f"{name} set. {plain(gate.sentence, most=2000)}")
    if contrast.verdict == "do not use":
        return
    sensitive = [each for each in contrast.ranked if each.protected]
    others = [each for each in contrast.ranked if not each.protected][:SHOWN]
    lines = []
    for feature in (*sensitive, *others):
        distance, level = feature.estimates["total_variation"], feature.largest
        lines.append(
            {
                "column": plain(feature.name) + (" (sensitive)" if feature.protected else ""),
                "total variation": f"{number(distance.estimate)} {interval(distance.low, distance.high)}",
                "real rows": number(feature.real["total_variation"]),
                "p, corrected": number(feature.p_adjusted, 2),
                "most different level": plain(level.label, most=24),
                "positive": percent(level.positive),
                "negative": percent(level.negative),
            }
        )
    print_table(lines)
    if not quiet:
        for note in found.notes:
            typer.echo(note)
