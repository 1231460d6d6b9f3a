"""Random mixed tables, with ties, duplicates, constants and gaps, for property tests."""

from __future__ import annotations

import hashlib

import narwhals as nw
import pandas as pd
import polars as pl
from hypothesis import strategies as st

KINDS = ("numeric", "integer", "ordinal", "categorical", "boolean")
_VALUES = {
    "numeric": [-1.5, 0.0, 0.1, 0.3, 2.5, 7.25],
    "integer": [-3, 0, 1, 2, 3, 40],
    "ordinal": ["low", "mid", "high"],
    "categorical": ["a", "b b", "<c>", "é"],
    "boolean": [False, True],
}


@st.composite
def tables(draw, *, kinds=KINDS, max_rows=25, max_columns=4, containers=("pandas", "polars")):
    """A frame, and for each column its kind."""
    container = draw(st.sampled_from(containers))
    drawn = draw(st.lists(st.sampled_from(kinds), min_size=1, max_size=max_columns))
    n = draw(st.integers(1, max_rows))
    columns = {}
    for j, kind in enumerate(drawn):
        values = draw(st.lists(st.sampled_from(_VALUES[kind]), min_size=1, max_size=4, unique=True))
        if kind in {"numeric", "ordinal", "categorical"} and draw(st.booleans()):
            values = [*values, None]
        cells = draw(st.lists(st.sampled_from(values), min_size=n, max_size=n))
        if all(cell is None for cell in cells):
            cells[0] = values[0] if values[0] is not None else _VALUES[kind][0]
        columns[f"column {j}"] = (kind, cells)
    return _frame(columns, container), tuple(kind for kind, _ in columns.values())


def _frame(columns, container):
    if container == "polars":
        types = {"numeric": pl.Float64, "integer": pl.Int32, "boolean": pl.Boolean}
        return pl.DataFrame(
            {
                name: pl.Series(
                    name,
                    cells,
                    dtype=pl.Enum(_VALUES["ordinal"]) if kind == "ordinal" else types.get(kind, pl.String),
                )
                for name, (kind, cells) in columns.items()
            }
        )
    series = {}
    for name, (kind, cells) in columns.items():
        if kind == "ordinal":
            series[name] = pd.Categorical(cells, categories=_VALUES["ordinal"], ordered=True)
        elif kind == "categorical":
            series[name] = pd.Series(cells, dtype="object")
        else:
            types = {"numeric": "float64", "integer": "int32", "boolean": "bool"}
            series[name] = pd.Series(cells, dtype=types[kind])
    return pd.DataFrame(series)


def records(frame):
    """Rows as tuples of plain values, missing as None."""
    return [
        tuple(None if cell is None or cell != cell else cell for cell in row)
        for row in nw.from_native(frame, eager_only=True).rows()
    ]


def coin(share):
    """A model that accepts about ``share`` of all rows, by a hash of their content."""

    def score(frame):
        return [min(1.0, max(0.0, _hash(row) / 2**32 + share - 0.5)) for row in records(frame)]

    return score


def _hash(row):
    plain = tuple(float(c) if isinstance(c, int | float) else c for c in row)
    return int.from_bytes(hashlib.sha256(repr(plain).encode()).digest()[:4], "little")


@st.composite
def constraints(draw, schema):
    """The schema with random constraints on some columns."""
    for feature in schema.features:
        choice = draw(st.sampled_from(["free", "free", "immutable", "monotone", "range"]))
        if choice == "immutable":
            schema = schema.feature(feature.name, immutable=True)
        elif choice == "monotone" and feature.kind in {"numeric", "integer", "ordinal"}:
            schema = schema.feature(feature.name, monotone=draw(st.sampled_from(["increase", "decrease"])))
        elif choice == "range" and feature.is_coded:
            pool = [*feature.levels, None] if feature.nullable else list(feature.levels)
            some = draw(st.lists(st.sampled_from(pool), min_size=1, unique=True))
            schema = schema.feature(feature.name, allowed=tuple(some))
        elif choice == "range":
            low, high = feature.bounds
            ends = sorted(draw(st.tuples(st.floats(low, high), st.floats(low, high))))
            schema = schema.feature(feature.name, bounds=tuple(ends))
    return schema


@st.composite
def vocabulary(draw, schema, frame):
    """The schema with random constraints of every kind, forbidden transitions and links among them."""
    schema = draw(constraints(schema))
    for feature in schema.features:
        if feature.is_coded and draw(st.booleans()):
            pool = [*feature.levels, None] if feature.nullable else list(feature.levels)
            some = st.lists(st.sampled_from(pool), max_size=2, unique=True)
            schema = schema.feature(
                feature.name, forbidden=draw(st.dictionaries(st.sampled_from(pool), some))
            )
    names = draw(st.permutations(schema.names))
    width = draw(st.sampled_from([0, 2, 2, 3]))
    if 2 <= width <= len(names):
        columns = names[:width]
        given = None
        if draw(st.booleans()):
            rows = records(frame)
            cells = [[row[schema.names.index(name)] for row in rows] for name in columns]
            mixed = st.tuples(*(st.sampled_from(values) for values in cells))
            given = draw(st.lists(mixed, min_size=1, max_size=5))
        schema = schema.link(*columns, combinations=given)
    return schema
