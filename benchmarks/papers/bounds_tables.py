"""Tables 2, 3 and 4 of Wu, Zhang, Wu and Tong (2019) from the distributions that lie beside the project.

Each row has what is printed, what the library gives for the distribution that the print was made from, and
what it gives for the observed one.
"""

from __future__ import annotations

import csv
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from fairwitness.causal import Distribution, EffectBounds, effect_bounds

Ends = tuple[float, float]

EDGES = "S -> W -> A -> Y; S -> Y; W -> Y"
CONFOUNDED = f"{EDGES}; S <-> W; S <-> A; S <-> Y; W <-> A; W <-> Y; A <-> Y"
PATHS = ("S -> W -> A -> Y", "S -> Y")
#: The published tables ask what changes if S goes from 1 to 0.
SYNTHETIC: Mapping[str, Any] = {
    "treatment": "S",
    "outcome": "Y",
    "active": 0,
    "reference": 1,
    "outcome_value": 1,
}
SWAY = tuple("SWAY")

#: Parents of each variable, in the order in which the paper's program reads its tables.
ADULT = {
    "age": (),
    "sex": (),
    "education": ("age",),
    "marital-status": ("age", "sex", "education"),
    "workclass": ("age", "education", "marital-status"),
    "hours": ("age", "sex", "education", "marital-status", "workclass"),
    "income": ("age", "sex", "education", "marital-status", "hours", "workclass"),
}
ADULT_TEXT = "\n".join(f'"{parent}" -> "{name}"' for name, parents in ADULT.items() for parent in parents)
ADULT_ASKED: Mapping[str, Any] = {
    "treatment": "sex",
    "outcome": "income",
    "active": 1,
    "reference": 0,
    "outcome_value": 1,
}


@dataclass(frozen=True)
class Row:
    """One line of a table: what is printed, and named intervals of ours (or of others' formulas)."""

    label: str
    given: Mapping[str, int]
    printed: Mapping[str, Ends]
    found: Mapping[str, EffectBounds]
    formulas: Mapping[str, Ends] = field(default_factory=dict)
    truth: float | None = None


def ends(found: EffectBounds) -> Ends:
    """Lower and upper bound."""
    return found.lower, found.upper


@dataclass(frozen=True)
class Reference:
    """The folder with the published numbers, and the file of Adult's rows if there is one."""

    folder: Path
    rows: Path | None = None

    def document(self, name: str) -> Any:
        return json.loads((self.folder / name).read_text(encoding="utf-8"))

    def printed(self, name: str) -> list[dict[str, str]]:
        with (self.folder / name).open(newline="", encoding="utf-8") as file:
            return list(csv.DictReader(file))

    @cached_property
    def synthetic(self) -> Any:
        return self.document("pc_paper_tables.json")

    @cached_property
    def adult(self) -> Any:
        return self.document("pc_adult_counts.json")


def _ends(row: Mapping[str, str], prefix: str = "") -> Ends:
    return float(row[f"{prefix}lb"]), float(row[f"{prefix}ub"])


def _combinations() -> list[dict[str, int]]:
    return [{"S": 1, "W": w, "A": a} for w in (0, 1) for a in (0, 1)]


def _table(values: Sequence[float]) -> Distribution:
    return Distribution.from_table(SWAY, [(0, 1)] * 4, np.reshape(values, (2,) * 4))


# --- Table 2 ---


def d1(reference: Reference) -> tuple[Distribution, Distribution]:
    """The distribution that the print was made from, and the observed one."""
    stored = reference.synthetic["D1"]
    return _table(stored["P_as_published_pipeline"]), _table(stored["P_true_observational"])


def table2(reference: Reference) -> list[Row]:
    """PCE on D1, everything confounded."""
    made_from, observed = d1(reference)
    rows = []
    printed = reference.printed("pc_table2_d1_bounds.csv")
    for number, (row, given) in enumerate(zip(printed, _combinations(), strict=True), start=1):
        asked = {**SYNTHETIC, "paths": list(PATHS), "given": given}
        rows.append(
            Row(
                str(number),
                given,
                {"ours": _ends(row)},
                {
                    "made from": effect_bounds(made_from, CONFOUNDED, **asked),
                    "right": effect_bounds(observed, CONFOUNDED, **asked),
                },
                truth=float(row["truth"]),
            )
        )
    return rows


def table2_more(reference: Reference) -> list[Row]:
    """What can be said of D1, which the paper does not ask."""
    _, observed = d1(reference)
    rows = []
    for label, paths, given in (
        ("path effect of all", list(PATHS), {}),
        ("total effect of all", "all", {}),
        ("path effect of S = 1", list(PATHS), {"S": 1}),
    ):
        found = effect_bounds(observed, CONFOUNDED, **SYNTHETIC, paths=paths, given=given)
        rows.append(Row(label, given, {}, {"right": found}))
    return rows


def dependence(table: Distribution) -> float:
    """How much P(A = 1 | S, W) differs between the values of S, at most: 0 if nothing but W matters to A."""
    joint = table.take("S", "W", "A").probability
    chance = joint[..., 1] / joint.sum(axis=-1)
    return float(np.abs(chance[1] - chance[0]).max())


# --- Table 3 ---


def d2(reference: Reference) -> Distribution:
    """As printed it sums to 0.9999; here to 1."""
    return _table(reference.synthetic["D2"]["P"])


def table3(reference: Reference) -> list[Row]:
    """Path effect and counterfactual effect on D2, nothing confounded."""
    table = d2(reference)
    chance = table.probability[..., 1] / table.probability.sum(axis=-1)  # of Y = 1 given S, W, A
    rows = []
    for row in reference.printed("pc_table3_d2_bounds.csv"):
        whole = row["effect"] == "PE"
        given = {} if whole else _combinations()[int(row["o"]) - 1]
        asked = {**SYNTHETIC, "paths": list(PATHS) if whole else "all", "given": given}
        rows.append(
            Row(
                "PE" if whole else f"CE {row['o']}",
                given,
                {"ours": _ends(row), "previous": _ends(row, "previous_")},
                {
                    "joint": effect_bounds(table, EDGES, **asked, relaxation="joint"),
                    "right": effect_bounds(table, EDGES, **asked),
                },
                _path_formulas(table, chance) if whole else {"previous": _person_formula(chance, given)},
                truth=float(row["truth"]),
            )
        )
    return rows


def _person_formula(chance: np.ndarray, given: Mapping[str, int]) -> Ends:
    """[14]: had S been 0, W and A might have been anything."""
    known = chance[given["S"], given["W"], given["A"]]
    return float(chance[0].min() - known), float(chance[0].max() - known)


def _path_formulas(table: Distribution, chance: np.ndarray) -> dict[str, Ends]:
    """[20] as printed (S = 1 inside Y), with S = 0 there, and with the distribution of A kept."""
    W = table.take("S", "W").probability
    W = W / W.sum(axis=-1, keepdims=True)  # S, W
    A = table.take("W", "A").probability
    A = A / A.sum(axis=-1, keepdims=True)  # W, A
    before = float(np.einsum("w,wa,wa->", W[1], A, chance[1]))
    kept = [float(np.einsum("w,wa,a->", W[0], A, end(chance[0], axis=0))) for end in (np.min, np.max)]
    return {
        "previous": (float(chance[1].min()) - before, float(chance[1].max()) - before),
        "S = 0 in Y": (float(chance[0].min()) - before, float(chance[0].max()) - before),
        "A kept": (kept[0] - before, kept[1] - before),
    }


# --- Table 4 ---


def counts(reference: Reference, which: str) -> pd.DataFrame:
    """Adult's cells: "oversampled", "original_48842", or "rows" from the rows themselves."""
    if which == "rows":
        return binary(reference)
    return pd.DataFrame(reference.adult[which], columns=[*reference.adult["columns"], "n"])


def binary(reference: Reference) -> pd.DataFrame:
    """Count Adult's rows after its columns were cut in two as the paper says."""
    assert reference.rows is not None
    rows = pd.read_csv(reference.rows)
    cut = pd.DataFrame(
        {
            "age": rows["age"] > 37,
            "sex": rows["sex"] == "Male",
            "workclass": rows["workclass"] != "Private",
            "education": rows["education-num"] > 9,
            "marital-status": rows["marital-status"] == "Married-civ-spouse",
            "hours": rows["hours-per-week"] > 40,
            "income": rows["income"] == ">50K",
        }
    ).astype(int)
    return cut.value_counts().rename("n").reset_index()


def conditional(cells: pd.DataFrame, name: str, given: Sequence[str]) -> np.ndarray:
    """P(name | given), one axis a variable, `name` last."""
    counted = np.zeros((2,) * (len(given) + 1))
    np.add.at(counted, tuple(cells[each].to_numpy() for each in (*given, name)), cells["n"].to_numpy(float))
    return counted / counted.sum(axis=-1, keepdims=True)


def product(cells: pd.DataFrame, *, laid_out: Sequence[str] | None = None) -> Distribution:
    """The product of the conditional tables, read with the parents in the order of `ADULT`.

    `laid_out`: the order in which they were written down, if that is another one: then they are scrambled.
    """
    joint = np.ones((1,) * len(ADULT))
    names = list(ADULT)
    for name, parents in ADULT.items():
        written = parents if laid_out is None else [each for each in laid_out if each in parents]
        shape = [1] * len(names)
        places = [names.index(each) for each in (*parents, name)]
        for place in places:
            shape[place] = 2
        table = conditional(cells, name, written)
        joint = joint * np.transpose(table, np.argsort(places)).reshape(shape)
    return Distribution.from_table(names, [(0, 1)] * len(names), joint)


def previous(table: Distribution, given: Mapping[str, int]) -> Ends:
    """[14] for Adult: had she been a man, she might or might not have been married."""
    joint = table.take("age", "education", "sex", "marital-status", "income").probability
    joint = joint[given["age"], given["education"]]
    chance = joint[..., 1] / joint.sum(axis=-1)  # of income = 1, given sex and marriage
    known = chance[0, given["marital-status"]]
    return float(chance[1].min() - known), float(chance[1].max() - known)


def table4(reference: Reference) -> list[Row]:
    """CE on Adult: as printed, and on the rows as they are."""
    oversampled = counts(reference, "oversampled")
    made_from = product(oversampled, laid_out=reference.adult["columns"])
    frames = {"balanced": oversampled, "right": counts(reference, "original_48842")}
    fitted = product(frames["right"])
    if reference.rows is not None:
        frames["rows"] = counts(reference, "rows")
    rows = []
    for printed in reference.printed("pc_table4_adult_bounds.csv"):
        bits = f"{int(printed['o']):03b}"
        given = dict(zip(("age", "education", "marital-status"), map(int, bits), strict=True))
        women = {**given, "sex": 0}
        found = {"made from": effect_bounds(made_from, ADULT_TEXT, **ADULT_ASKED, given=women)}
        for name, frame in frames.items():
            found[name] = effect_bounds(frame, ADULT_TEXT, **ADULT_ASKED, given=women, weights="n")
        found["all"] = effect_bounds(frames["right"], ADULT_TEXT, **ADULT_ASKED, given=given, weights="n")
        rows.append(
            Row(
                bits,
                given,
                {"ours": _ends(printed), "previous": _ends(printed, "previous_")},
                found,
                {"previous": previous(made_from, given), "right": previous(fitted, given)},
            )
        )
    return rows


def same_cells(first: pd.DataFrame, second: pd.DataFrame) -> int:
    """The number of people by whom two tables of cells differ."""
    names = list(ADULT)
    counted = [frame[frame["n"] > 0].set_index(names)["n"] for frame in (first, second)]
    return int(counted[0].sub(counted[1], fill_value=0).abs().sum())
