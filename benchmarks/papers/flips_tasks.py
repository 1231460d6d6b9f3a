"""The data sets and sensitive features of Cornacchia et al. (2023), split as the authors split them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd
from sklearn.model_selection import train_test_split

from fairwitness.datasets import Dataset, load_adult, load_adult_debiased, load_crime, load_german
from fairwitness.table import Groups, Schema, sensitive_groups
from fairwitness.typing import IntArray

#: The authors' seed and share of test rows.
SPLIT_SEED, TEST_SHARE = 42, 0.1


@dataclass(frozen=True)
class Task:
    """One data set and one sensitive feature, by the names that the published tables give them."""

    data_set: str
    sensitive: str
    column: str
    load: Callable[..., Dataset]
    #: Which tables have it: the paper's own (3, 4, 6, 9), or the appendix's others (7, 8, 10).
    first: bool

    @property
    def key(self) -> str:
        return f"{self.data_set}/{self.sensitive}"

    @property
    def slug(self) -> str:
        return self.key.replace("/", "-").lower()


TASKS = (
    Task("German", "gender", "sex", load_german, True),
    Task("German", "age", "age", load_german, False),
    Task("Crime", "race", "race", load_crime, True),
    Task("Adult", "gender", "sex", load_adult, True),
    Task("AdultDeb", "gender", "sex", load_adult_debiased, True),
    Task("Adult", "marital-status", "marital-status", partial(load_adult, sensitive="marital-status"), False),
    Task(
        "AdultDeb",
        "marital-status",
        "marital-status",
        partial(load_adult_debiased, sensitive="marital-status"),
        False,
    ),
)


@dataclass(frozen=True, eq=False)
class Split:
    """A task's table, its outcome (1: favourable), its two groups, and who is in the test set."""

    task: Task
    X: pd.DataFrame
    y: IntArray
    groups: Groups
    schema: Schema
    train: IntArray
    test: IntArray
    digest: str | None

    @property
    def labels(self) -> tuple[str, str]:
        """The privileged and the other group."""
        other = next(each for each in self.groups.labels if each != self.groups.privileged_label)
        return self.groups.privileged_label, other

    def group_labels(self, rows: IntArray) -> np.ndarray:
        return np.asarray(self.groups.label_of(self.groups.codes[rows]), dtype=str)


def prepare(task: Task, folder: Path | None = None, *, split_seed: int = SPLIT_SEED) -> Split:
    """Load and split: 10 % test rows, stratified on outcome and group, in the order of the file.

    Columns keep the kinds that the loader knows, but none is immutable: the authors let everything vary.
    """
    data = task.load(folder)
    y = data.favored.astype(np.int64)
    privileged = {task.column: data.privileged[task.column]}
    groups = sensitive_groups(data.sensitive[[task.column]], privileged=privileged)[0]
    train, test = train_test_split(
        np.arange(len(y)), test_size=TEST_SHARE, random_state=split_seed, stratify=2 * groups.codes + y
    )
    return Split(
        task=task,
        X=data.X.reset_index(drop=True),
        y=y,
        groups=groups,
        schema=Schema.infer(data.X, **{name: dict(kind) for name, kind in data.kinds.items()}),
        train=np.sort(train),
        test=np.sort(test),
        digest=data.digest,
    )
