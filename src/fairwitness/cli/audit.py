"""``fairwitness audit``: audit a model on a table, as a file says."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Annotated

import typer

from fairwitness.cli.terminal import (
    FailOn,
    Output,
    Quiet,
    RowsOrNot,
    Verbose,
    exit_on,
    print_report,
    working,
)


def command(
    config: Annotated[Path, typer.Argument(help="The audit.toml that says which table and which model.")],
    out: Annotated[Path | None, typer.Option("--out", help="Folder for the report.")] = None,
    seed: Annotated[int | None, typer.Option("--seed", min=0, help="Seed, in place of the file's.")] = None,
    k: Annotated[int | None, typer.Option("--k", min=1, help="Counterfactuals a person.")] = None,
    n_jobs: Annotated[int | None, typer.Option("--n-jobs", help="Workers; -1 for all cores.")] = None,
    fail_on: FailOn = None,
    rows: RowsOrNot = None,
    allow_pickle: Annotated[
        bool, typer.Option("--allow-pickle", help="Load pickle and joblib files, which can run any code.")
    ] = False,
    output: Output = "text",
    quiet: Quiet = False,
    verbose: Verbose = False,
) -> None:
    """Audit a model on a table, as CONFIG says, and write a report."""
    from fairwitness.cli.places import ready_folder
    from fairwitness.config import read_config, with_changes
    from fairwitness.configured import audit_from_config

    changes = {
        "report.out": out,
        "run.seed": seed,
        "run.n_jobs": n_jobs,
        "methods.k": k,
        "report.rows": rows,
        "report.fail_on": fail_on,
        "model.allow_pickle": allow_pickle or None,
    }
    settled = with_changes(read_config(config), changes)
    folder = ready_folder(settled.report.out)
    with working(quiet=quiet, output=output):
        report = audit_from_config(settled, command=f"fairwitness audit {shlex.quote(config.name)}").run()
        report.write(folder, rows=settled.report.rows)
    print_report(report, folder, quiet=quiet, verbose=verbose, output=output)
    exit_on(report, settled.report.fail_on)
