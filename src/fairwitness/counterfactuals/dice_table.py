"""A table as DiCE wants it, and a model that DiCE can ask.

DiCE turns categories into text and treats all else as numbers. It therefore sees codes: every category is
the text of its code, and every column has a name of our own, so that nothing of the user's table can be
lost on the way through it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from fairwitness.typing import FloatArray, IntArray

if TYPE_CHECKING:
    from fairwitness.counterfactuals.budget import Budget
    from fairwitness.counterfactuals.fitted import FittedTable
    from fairwitness.counterfactuals.limits import Limits

#: The outcome's column, and the text of a missing category.
OUTCOME, MISSING = "outcome", "missing"
#: DiCE stores whole numbers in 32 bits.
_LARGEST = 2**31 - 1


class OutOfBudget(Exception):  # noqa: N818 - no error: it stops DiCE, and becomes a status
    """DiCE has asked often or long enough."""


@dataclass(frozen=True, eq=False)
class DiceTable:
    """The fitted table in DiCE's form.

    Attributes
    ----------
    frame
        Distinct rows without missing numbers, and their outcome, 1 for accepted.
    numbers
        Names of the columns that are numbers to DiCE.
    coded, whole
        (d,) which columns are categories, and which hold whole numbers.
    """

    frame: pd.DataFrame
    numbers: tuple[str, ...]
    coded: np.ndarray
    whole: np.ndarray

    @classmethod
    def of(cls, table: FittedTable) -> DiceTable:
        """Lay out the distinct rows of a fitted table."""
        features, rows = table.encoder.schema.features, table.rows
        coded = np.array([feature.is_coded for feature in features], dtype=np.bool_)
        whole = np.array([feature.kind == "integer" for feature in features], dtype=np.bool_)
        whole &= np.array([np.nanmax(np.abs(column), initial=0) <= _LARGEST for column in rows.T])
        numbers = tuple(f"c{j}" for j in np.flatnonzero(~coded))
        view = cls(pd.DataFrame(), numbers, coded, whole)
        complete = ~np.isnan(rows[:, ~coded]).any(axis=1)
        frame = view.show(rows[complete])
        frame[OUTCOME] = table.accepted[complete].astype(np.int64)
        return cls(frame, numbers, coded, whole)

    def show(self, rows: FloatArray) -> pd.DataFrame:
        """Give encoded rows (n, d), without missing numbers, as DiCE sees them."""
        columns: dict[str, object] = {}
        for j, values in enumerate(rows.T):
            if self.coded[j]:
                gone = np.isnan(values)
                text = np.where(gone, 0, values).astype(np.int64).astype(str).astype(object)
                text[gone] = MISSING
                columns[f"c{j}"] = pd.Series(text, dtype=object)
            else:
                columns[f"c{j}"] = values.astype(np.int64) if self.whole[j] else values
        return pd.DataFrame(columns)

    def read(self, frame: pd.DataFrame) -> FloatArray:
        """Encode DiCE's rows; a row with something unreadable in it is left out."""
        rows, readable = self._read(frame)
        return rows[readable]

    def _read(self, frame: pd.DataFrame) -> tuple[FloatArray, IntArray]:
        rows = np.empty((len(frame), len(self.coded)))
        odd = np.zeros(len(frame), dtype=np.bool_)
        for j, coded in enumerate(self.coded.tolist()):
            values = frame[f"c{j}"]
            rows[:, j] = pd.to_numeric(values.astype(object), errors="coerce").to_numpy(dtype=np.float64)
            gone = np.isnan(rows[:, j])
            odd |= gone & (values.astype(str).to_numpy() != MISSING) if coded else gone
        return rows, np.flatnonzero(~odd)

    def lacks(self, query: FloatArray) -> bool:
        """Say whether a number of the query is missing."""
        return bool(np.isnan(query[~self.coded]).any())

    def permitted(self, limits: Limits) -> tuple[list[str], dict[str, list[object]]]:
        """Say for one query which columns may vary, and within what; DiCE knows the table's values only."""
        vary: list[str] = []
        ranges: dict[str, list[object]] = {}
        for j, coded in enumerate(self.coded.tolist()):
            name, own = f"c{j}", limits.queries[0, j]
            if limits.frozen[j]:
                continue
            column = self.frame[name]
            if coded:
                texts = sorted(set(column))
                codes = np.array([np.nan if text == MISSING else float(text) for text in texts])
                mask = limits.permits_values(j, codes)[0]
                values: list[object] = [text for text, good in zip(texts, mask.tolist(), strict=True) if good]
                if len(values) > 1:
                    vary.append(name)
                    ranges[name] = values
                continue
            low = limits.low[0, j] if np.isfinite(limits.low[0, j]) else min(column.min(), own)
            high = limits.high[0, j] if np.isfinite(limits.high[0, j]) else max(column.max(), own)
            if self.whole[j]:
                low, high = int(np.ceil(low)), int(np.floor(high))
            if low < high:
                vary.append(name)
                ranges[name] = [low, high]
        return vary, ranges


class Judge:
    """The user's model as DiCE asks it: two columns of probabilities, the second for the good outcome."""

    def __init__(self, table: FittedTable, view: DiceTable, budget: Budget, max_calls: int | None) -> None:
        self._table = table
        self._view = view
        self._budget = budget
        self._max_calls = max_calls
        self.calls = 0

    def predict_proba(self, frame: pd.DataFrame) -> FloatArray:
        """(n, 2) probability-like scores; at least a half exactly where the model accepts."""
        self.calls += 1
        rows, readable = self._view._read(frame)
        if (
            self._budget.out_of_time()
            or self._budget.allowed(len(readable)) < len(readable)
            or (self._max_calls is not None and self.calls > self._max_calls)
        ):
            raise OutOfBudget
        rows = self._table.encoder.snap(rows[readable])
        answer = self._table.model.judge(self._table.encoder.decode(rows))
        self._budget.spend(len(rows))
        score = np.clip(answer.score - self._table.model.threshold + 0.5, 0.0, 1.0)
        score = np.where(np.isnan(score), answer.accepted, score)
        bounded = np.where(answer.accepted, np.maximum(score, 0.5), np.minimum(score, np.nextafter(0.5, 0)))
        good = np.zeros(len(frame))
        good[readable] = bounded
        return np.column_stack([1 - good, good])

    def predict(self, frame: pd.DataFrame) -> IntArray:
        """(n,) 1 where the model accepts."""
        return (self.predict_proba(frame)[:, 1] >= 0.5).astype(np.int64)
