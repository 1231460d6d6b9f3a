"""``fairwitness bounds``: what a graph and a table say about an effect along chosen paths."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal, TypeAlias

import typer

from fairwitness.cli.terminal import EXIT_FINDINGS, Output, Quiet, Verbose, working
from fairwitness.text import plain

Verdict: TypeAlias = Literal["unfair", "undetermined"]
Relaxed: TypeAlias = Literal["none", "joint", "confounded"]
Sampled: TypeAlias = Literal["region", "resampled"]


def command(
    graph: Annotated[
        str, typer.Option("--graph", "-g", help='The graph: a .txt or .dot file, or "S -> W -> Y; W <-> Y".')
    ],
    data: Annotated[Path, typer.Option("--data", "-d", help="The table: CSV (also .gz), TSV or parquet.")],
    treatment: Annotated[str, typer.Option("--from", help="Column of the sensitive feature.")],
    outcome: Annotated[str, typer.Option("--to", help="Column of the decision.")],
    path: Annotated[
        list[str] | None,
        typer.Option(
            "--path",
            help='all, direct, indirect, "through dept", or "sex -> dept -> hired" (repeatable).',
        ),
    ] = None,
    given: Annotated[
        list[str] | None, typer.Option("--given", help="What is known of the people: dept=A (repeatable).")
    ] = None,
    active: Annotated[
        str | None, typer.Option("--active", help="Value of the sensitive feature that is compared.")
    ] = None,
    reference: Annotated[
        str | None, typer.Option("--reference", help="Value of the sensitive feature it is compared with.")
    ] = None,
    value: Annotated[
        str | None, typer.Option("--value", help="Value of the decision, by default the favourable one.")
    ] = None,
    notion: Annotated[
        str | None,
        typer.Option("--notion", help="A notion of fairness by name, for example counterfactual_fairness."),
    ] = None,
    truth: Annotated[
        str | None, typer.Option("--truth", help="Column of the true outcome, for counterfactual_error_rate.")
    ] = None,
    for_rows: Annotated[
        str | None,
        typer.Option(
            "--for-rows", help='One interval for each kind of people: "sex,dept", or all columns: all.'
        ),
    ] = None,
    ladder: Annotated[
        bool, typer.Option("--ladder", help="Answer under weaker and stronger assumptions as well.")
    ] = False,
    predictor: Annotated[
        str | None,
        typer.Option("--predictor", help="Column of the model's predictions: the rule is then known."),
    ] = None,
    weights: Annotated[
        str | None, typer.Option("--weights", help="Column of counts or probabilities, one row a cell.")
    ] = None,
    bins: Annotated[
        list[str] | None,
        typer.Option("--bins", help='Where numbers are cut: "age=37,50" or "age > 37" (repeatable).'),
    ] = None,
    drop_missing: Annotated[
        bool, typer.Option("--drop-missing", help="Leave out rows with missing values.")
    ] = False,
    confidence: Annotated[
        float | None,
        typer.Option("--confidence", help="Also cover sampling error, for example with 0.95."),
    ] = None,
    sampling: Annotated[
        Sampled,
        typer.Option(
            "--sampling", help="How: region (valid for any number of rows) or resampled (indicative)."
        ),
    ] = "region",
    seed: Annotated[int, typer.Option("--seed", min=0, help="Seed of the resamples.")] = 0,
    tau: Annotated[float, typer.Option("--tau", help="Threshold of the verdict.")] = 0.1,
    relaxation: Annotated[
        Relaxed, typer.Option("--relaxation", help="Wider bounds that are found sooner: joint or confounded.")
    ] = "none",
    most_columns: Annotated[
        int | None, typer.Option("--most-columns", min=1, help="Largest program that is built.")
    ] = None,
    size_only: Annotated[
        bool, typer.Option("--size-only", help="Say how large the program is, and build nothing.")
    ] = False,
    fail_on: Annotated[
        Verdict | None,
        typer.Option("--fail-on", help="Exit with 1 on this verdict; undetermined includes unfair."),
    ] = None,
    out: Annotated[
        Path | None, typer.Option("--out", help="Also write everything to this JSON file.")
    ] = None,
    output: Output = "text",
    quiet: Quiet = False,
    verbose: Verbose = False,
) -> None:
    """Bound the effect of a sensitive feature on a decision along causal paths, for chosen people.

    The bounds are the smallest and the largest effect that any causal model with this graph can have and
    still give this table.
    """
    from fairwitness.cli.bounds_hints import in_options
    from fairwitness.cli.bounds_lines import document, lines
    from fairwitness.cli.bounds_question import Asked, ask
    from fairwitness.cli.places import ready_file, write_file

    file = None if out is None else ready_file(out)
    with in_options():
        asked = Asked.read(
            graph=graph,
            data=data,
            treatment=treatment,
            outcome=outcome,
            paths=path,
            given=given,
            active=active,
            reference=reference,
            value=value,
            notion=notion,
            truth=truth,
            for_rows=for_rows,
            ladder=ladder,
            predictor=predictor,
            weights=weights,
            bins=bins,
            drop_missing=drop_missing,
            confidence=confidence,
            sampling=sampling,
            seed=seed,
            tau=tau,
            relaxation=relaxation,
            most_columns=most_columns,
            size_only=size_only,
        )
    with working(quiet=quiet, output=output), in_options():
        answered = ask(asked)
    written = document(asked, answered)
    if file is not None:
        write_file(file, written)
    if output == "json":
        typer.echo(written)
    elif not quiet:
        for line in lines(asked, answered, most=None if verbose else 9 if file else 10):
            typer.echo(line)
        if file is not None:
            typer.echo(f"Wrote {plain(file, most=1000)}")
    if fail_on is not None and (
        "unfair" in answered.verdicts or (fail_on == "undetermined" and "undetermined" in answered.verdicts)
    ):
        raise typer.Exit(EXIT_FINDINGS)
