"""Example people: a rejected row, and beneath it the nearest changed rows that the model accepts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np

from fairwitness.flips.measures import cflips, ndccf
from fairwitness.text import plain
from fairwitness.typing import Document, FloatArray

if TYPE_CHECKING:
    from fairwitness.case import Case
    from fairwitness.flips.results import OpportunityResult

#: Counterfactuals shown with a person.
_SHOWN = 5


def example_people(result: OpportunityResult, case: Case, group: str) -> list[Document]:
    """Give up to three people: of ``group`` the one with the median CFlips and the one with the highest, and
    the privileged group's median.

    Equal values are told apart by the row's content, so that the choice does not depend on the row order.
    """  # noqa: D205
    values = cflips(result.flips, result.k)
    chosen: list[int] = []
    for label, places in ((group, (0.5, 1.0)), (result.privileged, (0.5,))):
        code = result.labels.index(label)
        members = np.flatnonzero((result.codes == code) & ~np.isnan(values))
        ordered = sorted(members.tolist(), key=lambda at: (values[at], str(case.row_key[result.rows[at]])))
        for place in places:
            if ordered:
                at = ordered[int(place * (len(ordered) - 1))]
                if at not in chosen:
                    chosen.append(at)
    return [_person(result, case, at) for at in chosen]


def person_lines(result: OpportunityResult, case: Case) -> Iterator[Document]:
    """Give one flat line a person searched, for CSV: their place in the user's table, and their values."""
    found = result.counterfactuals
    values = cflips(result.flips, result.k)
    kept = ndccf(result.flips, result.k, convention=result.convention, shortfall=result.shortfall)
    nearest = found.spread(found.distance)[:, 0]
    everyone = np.arange(len(result.rows))
    columns = {
        "row": case.row_number[result.rows].tolist(),
        "key": case.row_key[result.rows].tolist(),
        "group": [result.labels[code] for code in result.codes.tolist()],
        "probability_of_own_group": result.inferred[everyone, result.codes].tolist(),
        "score": found.query_score.tolist(),
        "counterfactuals": found.n_found.tolist(),
        "status": found.status,
        "nearest_distance": nearest.tolist(),
        f"cflips@{result.k}": values.tolist(),
        f"ndccf@{result.k}": kept.tolist(),
    }
    for line in zip(*columns.values(), strict=True):
        yield {"feature": result.name, **dict(zip(columns, line, strict=True))}


def _person(result: OpportunityResult, case: Case, at: int) -> Document:
    found = result.counterfactuals
    lines = np.flatnonzero(found.query == at)[:_SHOWN]
    names = list(found.encoder.names)
    own = result.codes[at]
    rows = _texts(result, np.concatenate([found.queries[[at]], found.rows[lines]]))
    changed = found.changed[lines]
    return {
        "key": str(case.row_key[result.rows[at]]),
        "group": result.labels[own],
        "row": rows[0],
        "score": _finite(found.query_score[at]),
        "inferred": {label: float(p) for label, p in zip(result.labels, result.inferred[at], strict=True)},
        "counterfactuals": [
            {
                "rank": int(found.rank[line]),
                "distance": _finite(found.distance[line]),
                "score": _finite(found.score[line]),
                "values": values,
                "changed": [name for name, moved in zip(names, changed[place], strict=True) if moved],
                "inferred_group": _label(result, int(result.looks[line])),
                "flipped": bool(result.looks[line] != own),
            }
            for place, (line, values) in enumerate(zip(lines.tolist(), rows[1:], strict=True))
        ],
    }


def _label(result: OpportunityResult, code: int) -> str:
    return result.labels[code] if code >= 0 else "another group"


def _texts(result: OpportunityResult, matrix: FloatArray) -> list[dict[str, str]]:
    """Give encoded rows as column → text."""
    from fairwitness.table.frames import column

    frame = result.counterfactuals.encoder.decode(matrix)
    names: Sequence[str] = result.counterfactuals.encoder.names
    columns = {name: [cell_text(value) for value in column(frame, name)] for name in names}
    return [{name: texts[at] for name, texts in columns.items()} for at in range(len(matrix))]


def cell_text(value: object) -> str:
    """Write one cell for a reader: missing by name, floats with six digits, everything safe to print."""
    if value is None or value != value:
        return "missing"
    if isinstance(value, float | np.floating):
        return f"{float(value):.6g}"
    return plain(value, most=60)


def _finite(value: float) -> float | None:
    return float(value) if np.isfinite(value) else None
