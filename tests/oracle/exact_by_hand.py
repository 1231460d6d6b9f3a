"""Nearest accepted rows by asking the model about every row there is, on grids small enough for that."""

from __future__ import annotations

import itertools

import numpy as np


def world(schema, own):
    """All values each column may hold, the query's own among them."""
    columns = []
    for feature, mine in zip(schema.features, own, strict=True):
        if feature.is_coded:
            values = [float(code) for code in range(len(feature.levels))]
        else:
            low, high = feature.bounds
            size = 10.0**feature.precision
            values = [n / size for n in range(int(np.ceil(low * size - 1e-9)), int(high * size + 1e-9) + 1)]
        if feature.nullable:
            values.append(np.nan)
        if not any(value == mine or (np.isnan(value) and np.isnan(mine)) for value in values):
            values.append(float(mine))
        columns.append(values)
    return np.array(list(itertools.product(*columns)))


def distances(name, own, rows, schema, scales, table):
    """The distance ``name`` of every row, column by column with plain numbers."""
    parts = np.zeros(rows.shape)
    for j, feature in enumerate(schema.features):
        a, b = rows[:, j], own[j]
        same = (a == b) | (np.isnan(a) & np.isnan(b))
        unit = scales[j]
        if name in {"l1", "linf"}:
            spread = np.nanmax(table[:, j]) - np.nanmin(table[:, j])
            unit = spread if spread > 0 else 1.0
        amount = np.abs(a - b) / unit
        flat = feature.kind in {"categorical", "boolean"} or name == "l0"
        parts[:, j] = np.where(same, 0.0, np.where(np.isnan(amount) | flat, 1.0, amount))
    return parts.max(axis=1) if name == "linf" else parts.sum(axis=1)


def nearest(generator, own, k, name):
    """(≤ k,) ascending distances of the nearest accepted, permitted rows other than the query."""
    table = generator.table_
    schema = table.encoder.schema
    rows = world(schema, own)
    rows = rows[table.encoder.validate(rows, own)]
    rows = rows[~((rows == own) | (np.isnan(rows) & np.isnan(own))).all(axis=1)]
    if not len(rows):
        return np.zeros(0)
    accepted = table.model.judge(table.encoder.decode(rows)).accepted
    far = distances(name, own, rows[accepted], schema, table.distance.scales, table.rows)
    return np.sort(far)[:k]
