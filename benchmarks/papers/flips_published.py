"""The published figures, read from a folder beside the project, and how ours are ranked against them."""

from __future__ import annotations

import csv
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from flips_cells import KS
from scipy.stats import spearmanr

#: Measure → how the files name it; CFlips is printed in percent.
COLUMN = {"cflips": "cflips_pct", "ndccf": "ndccf"}
#: Generator → how the files name it.
GENERATOR = {"neighbors": "kdtree", "kdtree": "kdtree", "genetic": "genetic", "exact": "mace"}
TABLE = {
    ("genetic", True): ("3", "table3_genetic.csv"),
    ("neighbors", True): ("4", "table4_kdtree.csv"),
    ("genetic", False): ("7", "table7_genetic_other_sensitive.csv"),
    ("neighbors", False): ("8", "table8_kdtree_other_sensitive.csv"),
    ("kdtree", True): ("4", "table4_kdtree.csv"),
    ("kdtree", False): ("8", "table8_kdtree_other_sensitive.csv"),
}
SORTED = {
    True: ("9", "table9_delta_ndccf_sorted.csv"),
    False: ("10", "table10_delta_ndccf_sorted_other_sensitive.csv"),
}

Row = Mapping[str, str]


@dataclass(frozen=True)
class Published:
    """All tables of one folder: file → rows."""

    files: Mapping[str, Sequence[Row]]

    @classmethod
    def read(cls, folder: Path) -> Published:
        names = [name for _, name in (*TABLE.values(), *SORTED.values())]
        names += ["table2_performance.csv", "table6_generation.csv"]
        missing = [name for name in names if not (folder / name).is_file()]
        if missing:
            raise SystemExit(f"the folder of published figures lacks {', '.join(missing)}; pass --reference")
        return cls({name: _rows(folder / name) for name in names})

    def row(self, file: str, **wanted: str) -> Row:
        for row in self.files[file]:
            if all(row[key] == value for key, value in wanted.items()):
                return row
        return {}

    def value(
        self, generator: str, first: bool, task: str, model: str, measure: str, side: str, k: int
    ) -> float | None:
        """One value as a fraction; ``side``: privileged, unprivileged or delta."""
        data_set, sensitive = task.split("/")
        row = self.row(TABLE[generator, first][1], dataset=data_set, sensitive=sensitive, model=model)
        value = _number(row.get(f"{COLUMN[measure]}_{side}@{k}"))
        return value / 100 if value is not None and measure == "cflips" else value

    def comparable(self, generator: str, first: bool, task: str, model: str) -> bool:
        """Whether both groups have a value: where one is empty, the printed Δ is no difference."""
        sides = [
            self.value(generator, first, task, model, "cflips", side, KS[0])
            for side in ("privileged", "unprivileged")
        ]
        return None not in sides

    def implied_rows(self, first: bool, task: str, model: str, side: str, *, most: int = 120) -> int | None:
        """How many rows a printed CFlips must rest on at least: the fewest that can give its digits.

        A mean over n rows of shares of k counterfactuals is a multiple of 1 / (n · k). Both generators are
        asked about the same rows; the k-d tree gives every row 100. 0: the group is empty.
        """
        printed = [
            (value, k)
            for generator, ks in (("genetic", KS[:1]), ("neighbors", KS))
            for k in ks
            if (value := self.value(generator, first, task, model, "cflips", side, k)) is not None
        ]
        if not printed:
            return 0
        for n in range(1, most + 1):
            if all(abs(v * n * k - round(v * n * k)) <= 0.6e-5 * n * k for v, k in printed):
                return n
        return None

    def sorted_delta(
        self, generator: str, first: bool, task: str, model: str, classifier: str, k: int
    ) -> float | None:
        data_set, sensitive = task.split("/")
        row = self.row(SORTED[first][1], dataset=data_set, sensitive=sensitive, model=model)
        return _number(row.get(f"{GENERATOR[generator]}_{classifier}@{k}"))

    def performance(self, task: str, metric: str, model: str) -> float | None:
        data_set, sensitive = task.split("/")
        name = "Adult-deb" if data_set == "AdultDeb" else data_set
        row = self.row("table2_performance.csv", dataset=name, sensitive=sensitive, metric=metric)
        return _number(row.get(model))

    def parity(self, task: str, model: str, metric: str) -> float | None:
        data_set, sensitive = task.split("/")
        row = self.row(TABLE["genetic", True][1], dataset=data_set, sensitive=sensitive, model=model)
        return _number(row.get(metric))

    def coverage(self, data_set: str, model: str, statistic: str, generator: str) -> str:
        row = self.row("table6_generation.csv", dataset=data_set, model=model, statistic=statistic)
        return row.get(GENERATOR[generator], "–")


def rank_correlation(ours: Sequence[float | None], theirs: Sequence[float | None]) -> tuple[float, int]:
    """Spearman's ρ over the models that both have, and their number; NaN below four or without spread."""
    pairs = [(a, b) for a, b in zip(ours, theirs, strict=True) if a is not None and b is not None]
    if len(pairs) < 4 or any(len(set(side)) < 2 for side in zip(*pairs, strict=True)):
        return math.nan, len(pairs)
    mine, published = zip(*pairs, strict=True)
    return float(spearmanr(mine, published).statistic), len(pairs)


def mean_gap(ours: Sequence[float | None], theirs: Sequence[float | None]) -> float:
    """Mean absolute difference over the models that both have."""
    gaps = [abs(a - b) for a, b in zip(ours, theirs, strict=True) if a is not None and b is not None]
    return sum(gaps) / len(gaps) if gaps else math.nan


def _rows(path: Path) -> list[Row]:
    with path.open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def _number(text: str | None) -> float | None:
    return float(text) if text else None
