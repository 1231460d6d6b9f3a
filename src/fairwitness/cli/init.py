"""``fairwitness init``: write an audit.toml for a table, with what was inferred from it."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Annotated

import typer

from fairwitness.cli.terminal import Quiet, Verbose
from fairwitness.text import plain


def command(
    data: Annotated[Path, typer.Argument(help="The table: CSV (also .gz), TSV or parquet.")],
    sensitive: Annotated[
        list[str],
        typer.Option("--sensitive", "-s", help='Sensitive column or cut ("age > 25"); may be repeated.'),
    ],
    target: Annotated[str | None, typer.Option("--target", "-t", help="Outcome column.")] = None,
    favorable: Annotated[
        str | None, typer.Option("--favorable", help="The good outcome; guessed, and said, if absent.")
    ] = None,
    model: Annotated[Path | None, typer.Option("--model", "-m", help="The model file to audit.")] = None,
    out: Annotated[Path, typer.Option("--out", help="Where to write the file.")] = Path("audit.toml"),
    na_values: Annotated[
        list[str] | None, typer.Option("--na-value", help='Text that means missing ("?"); may be repeated.')
    ] = None,
    encoding: Annotated[str, typer.Option("--encoding", help="Of a text file.")] = "utf-8",
    separator: Annotated[
        str | None, typer.Option("--separator", help="Between fields of a text file; found out if absent.")
    ] = None,
    decimal: Annotated[str, typer.Option("--decimal", help="Decimal mark of a text file.")] = ".",
    force: Annotated[bool, typer.Option("--force", help="Replace a file that is there.")] = False,
    quiet: Quiet = False,
    verbose: Verbose = False,
) -> None:
    """Write an audit.toml for the table DATA, with what was inferred and its warnings."""
    from fairwitness.draft import draft_config, save_draft

    draft = draft_config(
        data,
        sensitive=sensitive,
        target=target,
        favorable=favorable,
        model=model,
        beside=out,
        na_values=na_values or (),
        encoding=encoding,
        separator=separator,
        decimal=decimal,
    )
    save_draft(draft, out, force=force)
    if quiet:
        return
    for warning in draft.warnings:
        typer.echo(f"Note: {plain(warning, most=600)}")
    typer.echo(f"Wrote {plain(out)}. Read it, then run: fairwitness audit {plain(shlex.quote(str(out)))}")
