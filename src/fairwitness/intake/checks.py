"""What the table itself says: does the model read a sensitive feature, or a copy of one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from fairwitness.case import Case
from fairwitness.findings import Finding, Section
from fairwitness.text import listing, plain
from fairwitness.typing import FloatArray, IntArray

#: A column that names the group of this share of the rows it could have got wrong repeats the group.
REPEAT_SHARE = 0.99
#: A column with more distinct values than this tells rows apart, not groups: only one cut of it is tried.
MOST_LEVELS = 50
#: With fewer rows a level, almost any column seems to tell the groups apart.
ROWS_A_LEVEL = 4
#: With fewer rows outside the largest group, a cut of almost any column seems to.
ROWS_A_CUT = 10


@dataclass(frozen=True, slots=True)
class Repeat:
    """A model input that says (almost) the same as a sensitive feature.

    ``share`` is 1 if the group follows from the column's value in every row, 0 if knowing the value helps
    no more than always naming the largest group.
    """

    column: str
    feature: str
    share: float


def repeated_groups(matrix: FloatArray, names: Sequence[str], codes: IntArray, feature: str) -> list[Repeat]:
    """Find columns that determine the group: Goodman and Kruskal's λ of group given column.

    A column of many values counts by the two sides of its best cut: age in months repeats ``age > 25``.

    Parameters
    ----------
    matrix
        (n, d) encoded model inputs.
    names
        d column names.
    codes
        (n,) group of each row, −1 where it is not known.
    feature
        Name of the sensitive feature.
    """
    known = codes >= 0
    if not known.any():
        return []
    group = codes[known]
    n_groups = int(group.max()) + 1
    largest = np.bincount(group).max()
    if largest == len(group):
        return []
    found = []
    for at, name in enumerate(names):
        values, level = np.unique(np.nan_to_num(matrix[known, at], nan=np.inf), return_inverse=True)
        if len(values) < 2:
            continue
        table = np.bincount(level.reshape(-1) * n_groups + group, minlength=len(values) * n_groups)
        table = table.reshape(len(values), n_groups)
        if len(values) <= min(MOST_LEVELS, len(group) // ROWS_A_LEVEL):
            right = table.max(axis=1).sum()
        elif len(group) - largest < ROWS_A_CUT:
            continue
        else:
            below = np.cumsum(table, axis=0)[:-1]
            right = (below.max(axis=1) + (table.sum(axis=0) - below).max(axis=1)).max()
        share = float((right - largest) / (len(group) - largest))
        if share >= REPEAT_SHARE:
            found.append(Repeat(name, feature, share))
    return found


def run(case: Case) -> Section:
    """Give the findings about the table and the columns the model reads."""
    matrix = case.encoder.encode(case.inputs)
    names = list(case.schema.names)
    findings: list[Finding] = []
    notes = [*case.schema.warnings]
    read: list[str] = []
    unread: list[str] = []
    for groups in case.groups:
        if len(groups.parts) > 1:
            continue
        name = plain(groups.name)
        # A cut is read off its column: a model reads age, not "age > 25".
        reads = [plain(part) for part in groups.parts if part in names]
        repeats = repeated_groups(matrix, names, groups.codes, groups.name)
        findings.extend(_reads(part, case.n_rows) for part in reads)
        (read if reads else unread).extend(plain(part) for part in groups.parts)
        others = [repeat for repeat in repeats if repeat.column not in groups.parts]
        findings.extend(_repeats(repeat, case.n_rows) for repeat in others)
        if groups.n_missing:
            notes.append(
                f"{name} is missing in {groups.n_missing} of {case.n_rows} rows; "
                + {
                    "group": "they form a group of their own",
                    "drop": "they are left out of comparisons",
                }.get(groups.missing, "this was not allowed")
                + "."
            )
        if groups.privileged_reason != "given":
            notes.append(
                f"No reference group was named for {name}; {plain(groups.labels[groups.privileged])} was "
                f"{groups.privileged_reason}."
            )
    nullable = [plain(feature.name) for feature in case.schema.features if feature.nullable]
    if nullable:
        notes.append(
            f"Missing values occur in {listing(nullable, most=12)}; they are passed to the model as they are "
            "and count as a value of their own in distances."
        )
    return Section(
        key="data",
        findings=tuple(findings),
        paragraphs=(_reading(len(names), read, unread, asked=case.models[0].info.can_query),),
        document={"notes": notes},
    )


def _reading(n_columns: int, read: Sequence[str], unread: Sequence[str], *, asked: bool) -> str:
    """Say in words which sensitive features the model reads, if it is there to be ``asked``."""
    if not asked:
        return "Only the model's predictions were given: what it reads is not known."
    columns = "1 column" if n_columns == 1 else f"{n_columns} columns"
    if not read:
        verb = "is" if len(unread) == 1 else "are"
        return f"The model reads {columns}; {listing(unread)} {verb} not among them."
    said = f"The model reads {columns}, {listing(read)} among them"
    return f"{said}, but not {listing(unread)}." if unread else f"{said}."


def _reads(name: str, n: int) -> Finding:
    return Finding(
        code="DATA001",
        severity="note",
        title=f"The model reads {name} directly",
        section="data",
        measure="model input",
        subject=name,
        n=n,
        remedy="compare with the same model trained without this column",
    )


def _repeats(repeat: Repeat, n: int) -> Finding:
    return Finding(
        code="DATA002",
        severity="note",
        title=f"The model input {plain(repeat.column)} repeats {plain(repeat.feature)}",
        section="data",
        measure="share of group membership that follows from the column (λ)",
        subject=plain(repeat.column),
        estimate=repeat.share,
        n=n,
        remedy="leave the column out, or treat it as the sensitive feature itself",
    )
