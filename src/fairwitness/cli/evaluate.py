"""``fairwitness evaluate``: several models, or columns of predictions, side by side."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal, TypeAlias

import typer

from fairwitness.cli.terminal import Output, Quiet, Verbose, working
from fairwitness.text import plain

Task: TypeAlias = Literal["auto", "classification", "regression"]
EXIT_INCOMPLETE = 3


def command(
    source: Annotated[
        Path,
        typer.Argument(help="An evaluate.toml, or a table that holds predictions (CSV, .gz, TSV, parquet)."),
    ],
    outcome: Annotated[
        str | None, typer.Option("--outcome", "-y", help="Column of the true outcome.")
    ] = None,
    predictions: Annotated[
        list[str] | None,
        typer.Option(
            "--predictions", "-p", help="Columns of decisions, labels or numbers: a,b (repeatable)."
        ),
    ] = None,
    score: Annotated[
        list[str] | None,
        typer.Option(
            "--score", help="Columns of scores from 0 to 1: one for each column of predictions, or alone."
        ),
    ] = None,
    sensitive: Annotated[
        list[str] | None,
        typer.Option(
            "--sensitive", "-s", help='Sensitive columns or cuts: sex,race (repeatable), "age > 25".'
        ),
    ] = None,
    favorable: Annotated[
        str | None, typer.Option("--favorable", help="The good outcome; 1 if it is not named.")
    ] = None,
    task: Annotated[
        Task | None, typer.Option("--task", help="What the outcome is; found out if absent.")
    ] = None,
    metrics: Annotated[
        list[str] | None,
        typer.Option("--metrics", help="Measures or families of measures; all of them if absent."),
    ] = None,
    accuracy: Annotated[
        str | None, typer.Option("--accuracy", help="Measure on the vertical axis of the picture.")
    ] = None,
    difference: Annotated[
        str | None, typer.Option("--difference", help="Measure on the horizontal axis of the picture.")
    ] = None,
    seeds: Annotated[
        int | None, typer.Option("--seeds", min=1, help="Splits, in place of the file's.")
    ] = None,
    seed: Annotated[int | None, typer.Option("--seed", min=0, help="Seed, in place of the file's.")] = None,
    n_jobs: Annotated[int | None, typer.Option("--n-jobs", help="Workers; -1 for all cores.")] = None,
    confidence: Annotated[float | None, typer.Option("--confidence", help="Level of all intervals.")] = None,
    out: Annotated[Path | None, typer.Option("--out", help="Folder for the frame and the pictures.")] = None,
    allow_pickle: Annotated[
        bool, typer.Option("--allow-pickle", help="Load pickle and joblib files, which can run any code.")
    ] = False,
    output: Output = "text",
    quiet: Quiet = False,
    verbose: Verbose = False,
) -> None:
    """Measure models, or columns of predictions, side by side: accuracy, groups, entropy, distributions.

    Writes all numbers as CSV and JSON and, for each sensitive feature, a picture of accuracy against the
    difference between groups. Exits with 3 if a model could not be measured; the others are written all the
    same.
    """
    from fairwitness.cli.evaluate_asked import Given, asked
    from fairwitness.cli.evaluate_written import print_summary, write
    from fairwitness.cli.places import ready_folder
    from fairwitness.evaluated import evaluation_from_config

    config = asked(
        source,
        Given(
            outcome=outcome,
            predictions=tuple(predictions or ()),
            scores=tuple(score or ()),
            sensitive=tuple(sensitive or ()),
            favorable=favorable,
        ),
        {
            "evaluate.task": task,
            "evaluate.metrics": None if metrics is None else tuple(metrics),
            "evaluate.accuracy": accuracy,
            "evaluate.difference": difference,
            "evaluate.seeds": seeds,
            "evaluate.confidence": confidence,
            "evaluate.out": out,
            "run.seed": seed,
            "run.n_jobs": n_jobs,
        },
        allow_pickle=allow_pickle,
    )
    folder = ready_folder(config.evaluate.out)
    with working(quiet=quiet, output=output):
        found = evaluation_from_config(config)
        written = write(found, config.evaluate, folder)
    if output == "json":
        typer.echo((folder / "evaluation.json").read_text(encoding="utf-8"))
    elif not quiet:
        print_summary(found, config.evaluate, verbose=verbose)
        typer.echo(f"Wrote {', '.join(plain(path.name) for path in written)} to {plain(folder, most=1000)}")
    if found.failures:
        raise typer.Exit(EXIT_INCOMPLETE)
