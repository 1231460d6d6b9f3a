"""The paper's figures 2 to 6, drawn by the library from this run's black boxes."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from canonical_sets import SIZE, gate_of
from canonical_tables import crossed, learnt, lucid
from canonical_tasks import PROTECTED, BlackBox, Task

from fairwitness.canonical import TreeCanonicalSampler, contrast, direct_vs_proxy

if TYPE_CHECKING:
    from canonical_page import Plan


def draw(task: Task, plan: Plan, page: Path) -> dict[str, tuple[str, Path]]:
    """Draw all figures of one table; give place in the text → (words, picture)."""
    direct, proxy = (plan.boxes[task.key, "linear", blind] for blind in (False, True))
    rows = task.rows(task.test)
    grids = crossed(task, direct)
    gates = [gate_of(task, box) for box in (direct, proxy)]
    drawn = {
        "figure2": ("both sets, model with sex and race", _sets(task, direct)),
        "figure3": ("both sets, model without sex and race", _sets(task, proxy)),
        "figure4a": ("race by sex", grids[0].plot()),
        "figure4b": (f"race by sex, {task.fixed[0]} fixed", grids[1].plot()) if len(grids) > 1 else None,
        "figure5": (
            "LUCID, start and end",
            lucid(task, plan.boxes[task.key, "network", False]).plot_distributions(features=task.shown),
        ),
        "figure6": (
            "with sex and race less without",
            direct_vs_proxy(
                rows,
                direct.scores(rows),
                proxy.scores(rows),
                protected=PROTECTED,
                sampler=TreeCanonicalSampler(random_state=0),
                gates=gates,
                n=SIZE,
            ).plot(features=task.shown),
        ),
    }
    out = {}
    for name, made in drawn.items():
        if made is not None:
            words, ax = made
            picture = page.with_name(f"{page.stem}-{task.key}-{name}.png")
            _save(ax, picture)
            out[name] = (f"{task.title}: {words}", picture)
    return out


def _sets(task: Task, box: BlackBox) -> Any:
    """Draw the contrast of the tree engine's sets, gated on validation rows."""
    engine, gate = learnt(task, box), gate_of(task, box)
    sets = engine.positive(SIZE), engine.negative(SIZE)
    found = contrast(*sets, protected=PROTECTED, gates=[gate.check(made) for made in sets], random_state=0)
    return found.plot(features=task.shown)


def _save(ax: Any, picture: Path) -> None:
    from matplotlib import pyplot as plt

    ax.figure.savefig(picture, dpi=80, facecolor="white", metadata={"Software": None})
    plt.close(ax.figure)
