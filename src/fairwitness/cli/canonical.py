"""``fairwitness canonical``: what rows look like that a model scores highest, and lowest."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal, TypeAlias

import typer

from fairwitness.cli.terminal import Output, working
from fairwitness.text import plain

Engine: TypeAlias = Literal["tree", "bootstrap", "gan"]
EXIT_REFUSED = 1


def command(
    data: Annotated[Path, typer.Argument(help="The table: CSV (also .gz), TSV or parquet.")],
    scores: Annotated[
        str | None, typer.Option("--scores", help="Column of the model's scores, from 0 to 1.")
    ] = None,
    model: Annotated[
        Path | None, typer.Option("--model", "-m", help="Or the model's file, which gives the scores.")
    ] = None,
    sensitive: Annotated[
        list[str] | None,
        typer.Option("--sensitive", "-s", help="Sensitive columns: sex,race (repeatable)."),
    ] = None,
    drop: Annotated[
        list[str] | None,
        typer.Option("--drop", help="Columns to leave out, such as the outcome: a,b (repeatable)."),
    ] = None,
    where: Annotated[
        list[str] | None,
        typer.Option(
            "--where",
            help="Fix a column in both sets: sex=Male, age=30..60 (repeatable; the same one twice: either).",
        ),
    ] = None,
    positive: Annotated[
        str, typer.Option("--positive", help="Quantiles of the scores of the positive set: low,high.")
    ] = "0.9,1",
    negative: Annotated[str, typer.Option("--negative", help="The same of the negative set.")] = "0,0.1",
    engine: Annotated[
        Engine,
        typer.Option(
            "--engine",
            help="tree (made rows), bootstrap (rows of the table), or gan (LUCID-GAN, which needs torch).",
        ),
    ] = "tree",
    time_budget: Annotated[
        float | None,
        typer.Option("--time-budget", help="Seconds after which gan stops training with what it has."),
    ] = None,
    n: Annotated[int, typer.Option("--n", min=1, help="Rows of each set.")] = 1000,
    favorable: Annotated[
        str, typer.Option("--favorable", help="The model's label of the good outcome.")
    ] = "1",
    seed: Annotated[int, typer.Option("--seed", min=0, help="Seed.")] = 0,
    confidence: Annotated[float, typer.Option("--confidence", help="Level of all intervals.")] = 0.95,
    out: Annotated[Path, typer.Option("--out", help="Folder for the numbers and the picture.")] = Path(
        "fairwitness-canonical"
    ),
    rows: Annotated[
        bool, typer.Option("--rows", help="Also write the sets' rows; some may be copies of real ones.")
    ] = False,
    allow_pickle: Annotated[
        bool, typer.Option("--allow-pickle", help="Load pickle and joblib files, which can run any code.")
    ] = False,
    output: Output = "text",
    quiet: Annotated[
        bool, typer.Option("--quiet", "-q", help="Print the verdict, the table and errors only.")
    ] = False,
) -> None:
    """Make rows such as the model scores highest and lowest, and compare every column in them.

    Says first whether the sets are what was asked for (the gate), then which columns differ. Exits with 1 if
    the gate says not to use them.
    """
    from fairwitness.cli.canonical_asked import Asked, answer
    from fairwitness.cli.canonical_written import print_answer, write
    from fairwitness.cli.places import ready_folder
    from fairwitness.report import to_json

    folder = ready_folder(out)
    with working(quiet=quiet, output=output):
        found = answer(
            Asked(
                data=data,
                scores=scores,
                model=model,
                sensitive=_names(sensitive),
                drop=_names(drop),
                where=tuple(where or ()),
                positive=positive,
                negative=negative,
                engine=engine,
                time_budget=time_budget,
                n=n,
                favorable=favorable,
                seed=seed,
                confidence=confidence,
                allow_pickle=allow_pickle,
            )
        )
        written = write(found, folder, rows=rows)
    if output == "json":
        typer.echo(to_json(found.contrast.to_dict()))
    else:
        print_answer(found, quiet=quiet)
        if not quiet:
            names = ", ".join(plain(path.name) for path in written)
            typer.echo(f"Wrote {names} to {plain(folder, most=1000)}")
    if found.contrast.verdict == "do not use":
        raise typer.Exit(EXIT_REFUSED)


def _names(given: list[str] | None) -> tuple[str, ...]:
    return tuple(name.strip() for each in given or () for name in each.split(",") if name.strip())
