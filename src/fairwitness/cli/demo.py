"""``fairwitness demo``: the whole way on real data, from applications to a report."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from fairwitness.cli.terminal import (
    FailOn,
    Output,
    Quiet,
    Rows,
    Verbose,
    exit_on,
    has_screen,
    print_report,
    working,
)


def command(
    out: Annotated[Path, typer.Option("--out", help="Folder for the report.")] = Path("fairwitness-report"),
    seed: Annotated[int, typer.Option("--seed", min=0, help="Seed; equal seeds give equal reports.")] = 0,
    k: Annotated[int, typer.Option("--k", min=1, help="Counterfactuals a person.")] = 100,
    n_jobs: Annotated[int, typer.Option("--n-jobs", help="Workers; -1 for all cores.")] = 2,
    fail_on: FailOn = None,
    rows: Rows = True,
    open_report: Annotated[bool, typer.Option("--open", help="Open the report in a browser.")] = False,
    output: Output = "text",
    quiet: Quiet = False,
    verbose: Verbose = False,
) -> None:
    """Audit a model of 1,989 real mortgage decisions and write a report.

    The applications are those the Federal Reserve Bank of Boston collected in 1990. A decision maker is
    trained on them without race and sex, in five folds, so that every applicant is judged by a model that
    never saw them.
    """
    from fairwitness.cli.places import ready_folder
    from fairwitness.demo import mortgage_audit

    folder = ready_folder(out)
    with working(quiet=quiet, output=output):
        report = mortgage_audit(
            random_state=seed, k=k, n_jobs=n_jobs, command=f"fairwitness demo --seed {seed} --k {k}"
        ).run()
        report.write(folder, rows=rows)
    print_report(report, folder, quiet=quiet, verbose=verbose, output=output)
    if open_report and has_screen():
        import webbrowser

        webbrowser.open((folder / "report.html").as_uri())
    exit_on(report, fail_on)
