"""What a person sees in the terminal: errors, progress and the short summary after an audit."""

from __future__ import annotations

import functools
import math
import os
import sys
import traceback
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal, ParamSpec, TypeAlias

import typer

from fairwitness.errors import FairwitnessError, FairwitnessWarning
from fairwitness.findings import Severity
from fairwitness.progress import show_progress
from fairwitness.text import interval, number, percent, plain

if TYPE_CHECKING:
    from fairwitness.audit import AuditReport
    from fairwitness.findings import Finding, NotApplicable
    from fairwitness.typing import Document

P = ParamSpec("P")
EXIT_FINDINGS, EXIT_STOPPED, EXIT_UNEXPECTED = 1, 130, 3

Format: TypeAlias = Literal["text", "json"]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Print errors only.")]
Verbose = Annotated[bool, typer.Option("--verbose", "-v", help="Say more; show where an error came from.")]
Output = Annotated[Format, typer.Option("--format", help="Print words for people or JSON for machines.")]
FailOn = Annotated[
    Severity | None,
    typer.Option("--fail-on", help="Exit with 1 if a finding has this severity or a higher one."),
]
Rows = Annotated[bool, typer.Option("--rows/--no-rows", help="Show example people in the report.")]

RowsOrNot = Annotated[
    bool | None,
    typer.Option(
        "--rows/--no-rows", help="Show example people in the report, in place of what the file says."
    ),
]


def guarded(command: Callable[P, None]) -> Callable[P, None]:
    """Turn what goes wrong inside a command into one message and the right exit code."""

    @functools.wraps(command)
    def run(*args: P.args, **kwargs: P.kwargs) -> None:
        verbose = bool(kwargs.get("verbose"))
        try:
            with heard(quiet=bool(kwargs.get("quiet"))):
                command(*args, **kwargs)
        except typer.Exit:
            raise
        except FairwitnessError as error:
            if verbose:
                traceback.print_exc()
            complain(str(error))
            raise typer.Exit(error.exit_code) from None
        except KeyboardInterrupt:
            complain("Stopped. Nothing was written.")
            raise typer.Exit(EXIT_STOPPED) from None
        except BrokenPipeError:
            # The reader of a pipe (head, less) has had enough: that is not an error.
            sys.stderr.close()
            raise typer.Exit(0) from None
        except MemoryError:
            complain("The memory did not suffice. To fix: audit fewer rows, or a smaller --k.")
            raise typer.Exit(EXIT_UNEXPECTED) from None
        except Exception as error:  # a mistake of ours, or of a library: never a stack trace unasked
            if verbose:
                traceback.print_exc()
            said = f"{type(error).__name__}: {error}".rstrip(".: ")
            complain(f"This should not have happened ({said}). To fix: add -v, and report what it says.")
            raise typer.Exit(EXIT_UNEXPECTED) from None

    return run


@contextmanager
def heard(*, quiet: bool) -> Iterator[None]:
    """Print warnings as notes of one line on standard error, each once, without the place in the code."""
    told: set[str] = set()

    def note(message: Warning | str, category: type[Warning], *_: object, **__: object) -> None:
        ours = issubclass(category, FairwitnessWarning)
        text = plain(f"{'' if ours else f'{category.__name__}: '}{message}", most=400)
        if text not in told and not quiet:
            told.add(text)
            typer.echo(f"Note: {text}", err=True)

    with warnings.catch_warnings():
        warnings.simplefilter("always", FairwitnessWarning)
        warnings.showwarning = note
        yield


def complain(message: str) -> None:
    """Print an error on standard error, in colour only where there is a terminal."""
    label = typer.style("Error:", fg="red", bold=True) if sys.stderr.isatty() else "Error:"
    typer.echo(f"{label} {plain(message, most=2000)}", err=True)


@contextmanager
def working(*, quiet: bool, output: Format) -> Iterator[None]:
    """Show progress while something long runs, unless nobody would see it or it would be in the way."""
    with show_progress(not quiet and output == "text" and sys.stderr.isatty()):
        yield


def print_report(report: AuditReport, folder: Path, *, quiet: bool, verbose: bool, output: Format) -> None:
    """Print at most ten lines: the paragraph, the highest findings, and where the report is."""
    if output == "json":
        # As it was written: with or without the rows of people.
        typer.echo((folder / "report.json").read_text(encoding="utf-8"))
        return
    if quiet:
        return
    if verbose:
        for paragraph in report.document["summary"]:
            typer.echo(plain(paragraph, most=2000))
    for row in _headlines(report.document["overview"]):
        typer.echo(row)
    established = [finding for finding in report.findings if finding.established]
    for finding in established[: None if verbose else 3]:
        typer.echo(_line(finding))
    # Nobody asked for bounds where there is no causal graph; the report's table says how to.
    answers = [
        a for a in report.not_applicable if a.method != "bounds" or "bounds" in report.document["sections"]
    ]
    whole = [answer for answer in answers if not answer.subject]
    for answer in whole[:2]:
        typer.echo(f"Not applicable: {_unanswered(answer)}")
    more = len(established) - 3
    rest = [_counted(more, "more finding")] if more > 0 and not verbose else []
    if unsure := sum(not finding.established for finding in report.findings):
        rest.append(f"{unsure} not established")
    if others := len(answers) - len(whole[:2]):
        rest.append(f"{_counted(others, 'question')} not applicable")
    if rest:
        typer.echo(f"Also: {', '.join(rest)} (see the report).")
    typer.echo(f"Report: {plain(folder / 'report.html', most=1000)}")


def print_unanswered(answers: Sequence[NotApplicable]) -> None:
    """Say on standard error what could not be asked, and why."""
    for answer in answers:
        typer.echo(f"Not applicable: {_unanswered(answer)}", err=True)


def _unanswered(answer: NotApplicable) -> str:
    subject = answer.subject or {
        "rates": "group rates",
        "opportunity": "flips",
        "bounds": "causal bounds",
        "canonical": "canonical sets",
        "evaluation": "evaluation",
    }.get(answer.method, answer.method)
    return f"{plain(subject)}: {plain(answer.reason, most=400)}."


def _counted(n: int, what: str) -> str:
    return f"{n:,} {what}{'' if n == 1 else 's'}"


def _headlines(overview: Sequence[Document], *, most: int = 4) -> list[str]:
    """Give one line for each sensitive feature and leading measure, each group with its interval."""
    leading = [row for row in overview if row["measure"].startswith(("Acceptance", "CFlips"))]
    lines = []
    for row in sorted(leading, key=lambda row: [each["subject"] for each in leading].index(row["subject"])):
        points = row["points"]
        if not any(_known(point["estimate"]) for point in points):
            continue
        groups = [_group(point) for point in points[:3]]
        groups += [_counted(len(points) - 3, "more group")] if len(points) > 3 else []
        lines.append(f"{plain(row['subject'], most=40)}, {row['measure']}: {', '.join(groups)}")
    return lines[:most]


def _known(value: float | None) -> bool:
    return value is not None and math.isfinite(value)


def _group(point: Document) -> str:
    """Write one group's estimate: ``White 3 % [2, 4] (5 % at random)``, or ``White –``."""
    if not _known(point["estimate"]):
        return f"{plain(point['group'], most=40)} –"
    bounds = interval(point["low"], point["high"], as_percent=True)
    random = point.get("at_random")
    return (
        f"{plain(point['group'], most=40)} {percent(point['estimate'])} {bounds}"
        f"{f' ({percent(random)} at random)' if random is not None else ''}"
    )


def _line(finding: Finding) -> str:
    colours = {"high": "red", "medium": "yellow", "low": "cyan", "note": None}
    label = finding.severity.upper().ljust(6)
    if sys.stdout.isatty() and (colour := colours[finding.severity]):
        label = typer.style(label, fg=colour, bold=True)
    measured = f"n = {finding.n:,}"
    # Most titles hold the estimate with its interval already.
    if "[" not in finding.title and all(math.isfinite(bound) for bound in finding.interval):
        measured = f"{number(finding.estimate)} {interval(*finding.interval)}, {measured}"
    return f"{label} {finding.code}  {plain(finding.title)} ({measured})"


def has_screen() -> bool:
    """Say whether a browser would open in a window; without one it would take over the terminal."""
    named = ("DISPLAY", "WAYLAND_DISPLAY", "BROWSER")
    return sys.platform in {"darwin", "win32"} or any(os.environ.get(name) for name in named)


def exit_on(report: AuditReport, severity: Severity | None) -> None:
    """Leave with 1 if the report holds an established finding of ``severity`` or a higher one."""
    if severity is not None and report.at_least(severity):
        raise typer.Exit(EXIT_FINDINGS)


def estimate(entry: Mapping[str, float | None] | None) -> str:
    """Write an estimate of a report document with its interval: ``0.62 [0.54, 0.7]``."""
    if not entry or not _known(entry.get("estimate")):
        return "–"
    value, low, high = (entry.get(key) for key in ("estimate", "low", "high"))
    bounds = (math.nan if bound is None else bound for bound in (low, high))
    return f"{number(float(value or 0.0))} {interval(*bounds)}"


def print_table(rows: Sequence[Mapping[str, str]]) -> None:
    """Print rows of one shape as an aligned table, without lines or colours."""
    if not rows:
        return
    head = {name: name for name in rows[0]}
    cells = [{name: plain(value, most=40) for name, value in row.items()} for row in [head, *rows]]
    width = {name: max(len(row[name]) for row in cells) for name in head}
    for row in cells:
        typer.echo("  ".join(row[name].ljust(width[name]) for name in head).rstrip())
