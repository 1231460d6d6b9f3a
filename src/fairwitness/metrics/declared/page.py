"""The table of metrics in ``docs/metrics.md``.

``python -m fairwitness.metrics.declared.page docs/metrics.md`` rewrites it.
Only what stands between the two marks is replaced; the text around it is written by hand.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import get_args

from fairwitness.arguments import as_path
from fairwitness.errors import DataError
from fairwitness.metrics.declared.catalogue import Family, Metric, list_metrics
from fairwitness.text import plain

START = "<!-- written by python -m fairwitness.metrics.declared.page; do not edit -->"
END = "<!-- end of the written part -->"
_TITLES = {
    "performance": "How well it predicts",
    "group": "Groups, and how they differ",
    "entropy": "How unequally benefits are spread",
    "distribution": "How far distributions are apart",
}


def table() -> str:
    """Give the catalogue as Markdown, one table a family."""
    parts = []
    for family in get_args(Family):
        rows = [_row(metric) for metric in list_metrics(family=family)]
        head = "| metric | formula | range | no difference / better | needs | adds up | undefined | source |"
        parts.append("\n".join([f"### {_TITLES[family]} (`{family}`)", "", head, "|---" * 8 + "|", *rows]))
    return "\n\n".join(parts)


def rewritten(page: str) -> str:
    """Give a page with the part between the marks written anew.

    Raises
    ------
    DataError
        If the page lacks one of the marks.
    """
    before, start, rest = page.partition(START)
    _, end, after = rest.partition(END)
    if not start or not end:
        raise DataError("the page has no place for the table", fix=f"put {START} and {END} on lines")
    return f"{before}{START}\n\n{table()}\n\n{END}{after}"


def main(arguments: list[str]) -> int:
    """Rewrite the page named on the command line."""
    if len(arguments) != 1:
        print("usage: python -m fairwitness.metrics.declared.page docs/metrics.md", file=sys.stderr)
        return 2
    path: Path = as_path(arguments[0])
    path.write_text(rewritten(path.read_text(encoding="utf-8")), encoding="utf-8")
    return 0


def _row(metric: Metric) -> str:
    cells = [
        f"`{metric.name}`",
        metric.formula,
        metric.range,
        metric.best,
        ", ".join(f"`{need}`" if " " not in need else need for need in metric.needs),
        "yes" if metric.additive else "no",
        metric.undefined or "no rows",
        metric.source,
    ]
    return f"| {' | '.join(plain(cell).replace('|', chr(92) + '|') for cell in cells)} |"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
