"""The page: every table and figure of the LUCID-GAN paper, ours beside print where print has numbers."""

from __future__ import annotations

import platform
import re
import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import sklearn
from canonical_figures import draw
from canonical_sets import ENGINES
from canonical_tables import (
    combinations,
    contrast_table,
    gate_table,
    intersection_table,
    lucid_table,
    models_table,
    proxy_table,
    rates_table,
)
from canonical_tasks import BlackBox, Task

import fairwitness

#: Written by hand, with places for the tables.
TEXT = Path(__file__).with_suffix(".md")
WHOLE = re.compile(r"<!--whole-->\n(.*?)\n<!--/whole-->", re.DOTALL)
QUICK = "\n**This is the quick form**: a quarter of the rows, five epochs. Its numbers mean little.\n"


@dataclass(frozen=True)
class Plan:
    """What a run covers.

    Attributes
    ----------
    tasks
        The tables.
    boxes
        (task, kind, blind) → black box.
    found
        (task, kind, blind, engine, epochs) → what was measured.
    quick
        Whether it is the quick form.
    reference
        The printed Table 1.
    """

    tasks: tuple[Task, ...]
    boxes: Mapping[tuple[str, str, bool], BlackBox]
    found: Mapping[tuple[str, str, bool, str, int | None], dict[str, Any]]
    quick: bool
    reference: Path

    def sets(self, task: Task, kind: str, blind: bool, engine: str) -> dict[str, Any] | None:
        """Give what was measured of an engine at the epoch that is shown, or ``None``."""
        shown = ENGINES[engine].shown.get(task.key)
        mine = {
            epoch: document
            for (key, *case, name, epoch), document in self.found.items()
            if (key, *case, name) == (task.key, kind, blind, engine)
        }
        return mine.get(shown, next(iter(mine.values()), None))


def write_page(out: Path, plan: Plan, date: str) -> None:
    """Write the page, and its pictures beside it."""
    out.parent.mkdir(parents=True, exist_ok=True)
    places: dict[str, str] = {
        "run": f"{date}, fairwitness {fairwitness.__version__}, scikit-learn {sklearn.__version__}, "
        f"Python {platform.python_version()}",
        "quick": QUICK if plan.quick else "",
        "models": models_table(plan),
        "seconds": _seconds(plan),
    }
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for task in plan.tasks:
            pictures = draw(task, plan, out)
            made = {
                "rates": rates_table(task, plan),
                "direct": contrast_table(task, plan),
                "together": combinations(task, plan),
                "proxy": proxy_table(task, plan),
                "crossed": intersection_table(task, plan),
                "lucid": lucid_table(task, plan),
                "gate": gate_table(task, plan),
                **{name: f"![{words}]({picture.name})" for name, (words, picture) in pictures.items()},
            }
            places |= {f"{task.key}_{name}": text for name, text in made.items()}
    text = TEXT.read_text(encoding="utf-8")
    # what was written by hand of the numbers holds for the whole run only
    text = WHOLE.sub("" if plan.quick else r"\1", text).format_map(_Given(places))
    out.write_text(text.strip() + "\n", encoding="utf-8")


class _Given(dict[str, str]):
    """Places of the text; one whose table was not run says so."""

    def __missing__(self, key: str) -> str:
        return f"*{key.replace('_', ', ')}: not run.*"


def _seconds(plan: Plan) -> str:
    # of one training seen at several epochs the last holds the others
    longest: dict[tuple[object, ...], float] = {}
    for (*case, _), document in plan.found.items():
        longest[tuple(case)] = max(longest.get(tuple(case), 0.0), document["seconds"])
    return f"{sum(longest.values()) / 60:.0f} CPU minutes of learning"
