"""``fairwitness flips``: counterfactual fair opportunity alone, as a table."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from fairwitness.cli.terminal import Output, Quiet, Verbose, estimate, print_table, working
from fairwitness.text import plain
from fairwitness.typing import Document


def command(
    config: Annotated[Path, typer.Argument(help="The audit.toml that says which table and which model.")],
    k: Annotated[int | None, typer.Option("--k", min=1, help="Counterfactuals a person.")] = None,
    generator: Annotated[
        str | None,
        typer.Option("--generator", help="neighbors (existing rows), genetic, exact (proved) or dice."),
    ] = None,
    seed: Annotated[int | None, typer.Option("--seed", min=0, help="Seed, in place of the file's.")] = None,
    n_jobs: Annotated[int | None, typer.Option("--n-jobs", help="Workers; -1 for all cores.")] = None,
    csv: Annotated[
        Path | None, typer.Option("--csv", help="Also write the curves over k and the proxies here.")
    ] = None,
    allow_pickle: Annotated[
        bool, typer.Option("--allow-pickle", help="Load pickle and joblib files, which can run any code.")
    ] = False,
    output: Output = "text",
    quiet: Quiet = False,
    verbose: Verbose = False,
) -> None:
    """Ask what rejected people would have had to become, and whether that meant another group.

    Prints, for every group, CFlips (share of counterfactuals whose inferred group differs) and nDCCF (the
    same, discounted by rank; 1 is no flip), and their differences to the reference group.
    """
    from fairwitness.config import read_config, with_changes
    from fairwitness.configured import audit_from_config

    settled = with_changes(
        read_config(config),
        {
            "methods.run": ("opportunity",),
            "methods.k": k,
            "methods.generator": generator,
            "run.seed": seed,
            "run.n_jobs": n_jobs,
            "model.allow_pickle": allow_pickle or None,
        },
    )
    with working(quiet=quiet, output=output):
        report = audit_from_config(settled).run()
    if csv is not None:
        from fairwitness.report import write_tables

        for path in write_tables(report.tables, csv):
            typer.echo(f"Wrote {path}", err=True)
    if output == "json":
        typer.echo(report.to_json())
        return
    for answer in report.not_applicable:
        typer.echo(f"Not applicable: {plain(answer.subject)} {plain(answer.reason, most=400)}", err=True)
    print_table(_rows(report.document["sections"].get("opportunity", {})))
    if not quiet:
        for sentence in report.document["summary"]:
            typer.echo(plain(sentence, most=500))


def _rows(section: Document) -> list[dict[str, str]]:
    """One line a group: the funnel, CFlips and nDCCF at k, and the differences to the reference group."""
    rows = []
    for feature in section.get("features", []):
        differences = {entry["group"]: entry for entry in feature["differences"]}
        for group in feature["groups"]:
            difference = differences.get(group["label"], {})
            rows.append(
                {
                    "feature": feature["name"],
                    "group": group["label"]
                    + (" (reference)" if group["label"] == feature["privileged"] else ""),
                    "rejected": str(group["funnel"]["rejected"]),
                    "eligible": str(group["funnel"]["recognised"]),
                    f"CFlips@{section['k']}": estimate(group["at_k"]["cflips"]),
                    f"nDCCF@{section['k']}": estimate(group["at_k"]["ndccf"]),
                    "ΔCFlips": estimate(difference.get("cflips")),
                    "ΔnDCCF": estimate(difference.get("ndccf")),
                }
            )
    return rows
