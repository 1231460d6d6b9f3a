"""``fairwitness flips``: counterfactual fair opportunity alone, as a table."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from fairwitness.cli.terminal import Output, Verbose, estimate, print_table, print_unanswered, working
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
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Print the table and errors only.")] = False,
    verbose: Verbose = False,
) -> None:
    """Ask what rejected people would have had to become, and whether that meant another group.

    Prints, for every group, CFlips (share of counterfactuals whose inferred group differs) and nDCCF (the
    same, discounted by rank; 1 is no flip), and their differences to the reference group.
    """
    from fairwitness.cli.places import ready_folder
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
    folder = None if csv is None else ready_folder(csv)
    with working(quiet=quiet, output=output):
        report = audit_from_config(settled).run()
    rows = settled.report.rows
    if folder is not None:
        from fairwitness.report import write_tables
        from fairwitness.report.write import ROW_TABLES

        tables = {
            name: table for name, table in report.tables.items() if rows or not name.startswith(ROW_TABLES)
        }
        for path in write_tables(tables, folder):
            typer.echo(f"Wrote {plain(path, most=1000)}", err=True)
    if output == "json":
        from fairwitness.report import to_json, without_rows

        typer.echo(report.to_json() if rows else to_json(without_rows(report.document)))
        return
    print_unanswered(report.not_applicable)
    print_table(_rows(report.document["sections"].get("opportunity", {})))
    if not quiet:
        for sentence in report.document["summary"]:
            typer.echo(plain(sentence, most=2000))


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
