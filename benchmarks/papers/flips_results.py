"""What a run has left in its cache, asked by task, generator and model."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from typing import Any

from flips_cache import Cache
from flips_tasks import Task


class Results:
    """Cells by task, generator and model; ``None`` where a cell was not run."""

    def __init__(
        self, cache: Cache, tasks: Sequence[Task], models: Sequence[str], classifiers: Sequence[str]
    ) -> None:
        self.cache, self.tasks = cache, tuple(tasks)
        self.models, self.classifiers = tuple(models), tuple(classifiers)

    def cell(self, task: Task, generator: str, model: str) -> dict[str, Any] | None:
        return self.cache.read(f"{task.slug}-{generator}-{model}")

    def values(
        self, task: Task, generator: str, model: str, classifier: str = "XGB"
    ) -> dict[str, Any] | None:
        cell = self.cell(task, generator, model)
        return None if cell is None else cell.get("by_classifier", {}).get(classifier)

    def delta(
        self, task: Task, generator: str, model: str, measure: str, k: int, classifier: str = "XGB"
    ) -> float | None:
        """|unprivileged − privileged|, as the tables print it; ``None`` where it is not known."""
        values = self.values(task, generator, model, classifier)
        signed = None if values is None else values[measure]["difference"].get(str(k))
        return None if signed is None else abs(signed)

    def quality(self, task: Task, model: str) -> dict[str, Any] | None:
        return self.cache.read(f"{task.slug}-f-{model}")

    def classifier_quality(self, task: Task) -> dict[str, Any]:
        return self.cache.read(f"{task.slug}-fs") or {}

    def variants(self, task: Task) -> dict[str, Any] | None:
        document = self.cache.read(f"{task.slug}-variants")
        return None if document is None else document["variants"]

    def cells(self) -> Iterator[dict[str, Any]]:
        for task in self.tasks:
            for generator in ("neighbors", "kdtree", "genetic", "exact"):
                for model in self.models:
                    cell = self.cell(task, generator, model)
                    if cell is not None:
                        yield cell

    def dates(self) -> str:
        days = sorted({cell["date"] for cell in self.cells()})
        return " to ".join(dict.fromkeys([days[0], days[-1]])) if days else "nothing was run"

    def cores(self) -> str:
        return f"on a machine of {os.cpu_count()} cores"

    def exact(self) -> str:
        if any(cell["settings"]["asked"]["generator"] == "exact" for cell in self.cells()):
            return "*Exact* stands beside MACE."
        return "An exact generator, to stand beside MACE, was not run."

    def parameters(self) -> str:
        """Say which parameters the models have."""
        said = {}
        for task in self.tasks:
            document = self.quality(task, self.models[0])
            if document is not None:
                said.setdefault(document["settings"]["draws"], []).append(task.key)
        words = {
            draws: "the zoo's fixed parameters"
            if draws == 0
            else "5-fold search of the whole grids"
            if draws is None
            else f"5-fold search of at most {draws} settings drawn from each grid (AUC for f, F1 for f_s)"
            for draws in said
        }
        return "; ".join(f"{words[draws]}: {', '.join(keys)}" for draws, keys in said.items()) + "."
