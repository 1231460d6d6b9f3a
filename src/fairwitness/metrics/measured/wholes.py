"""Rows of what concerns a feature as a whole: distances between distributions, parts of an entropy."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from fairwitness.metrics.counted.entropy import (
    CELL_BENEFITS,
    between_groups,
    entropy_of_cells,
    entropy_of_sums,
)
from fairwitness.metrics.declared.catalogue import CATALOGUE
from fairwitness.metrics.measured.comparing import OVERALL, SPREADLESS, Asked, rows_of
from fairwitness.metrics.measured.reading import Inputs
from fairwitness.metrics.measured.results import MeasuredValue
from fairwitness.metrics.measured.sources import CountSource, MomentSource
from fairwitness.metrics.measured.spreads import COMPARED, MOST_PAIRED, Spreads
from fairwitness.metrics.measured.tables import Tables
from fairwitness.stats.intervals import percentile
from fairwitness.table.groups import Groups
from fairwitness.text import listing, plain
from fairwitness.typing import FloatArray


def distance_rows(
    names: Sequence[str], inputs: Inputs, tables: Tables, groups: Groups, asked: Asked
) -> Iterator[MeasuredValue]:
    """Give distances of every group from the reference, and of all groups."""
    values = inputs.prediction if inputs.task == "regression" else inputs.score
    assert values is not None
    reference = asked.reference_of(groups, None, names[0])
    counted = tables.histogram(values, groups.codes, groups.n_groups, split=False)
    spreads = Spreads(
        values,
        groups.codes,
        counted,
        names,
        reference=reference,
        sample_weight=inputs.weight,
        confidence=asked.confidence,
        n_resamples=tables.n_resamples,
        rng=tables.rng("spreads", groups.name),
    )
    empty = [label for label, n in zip(groups.labels, spreads.n, strict=True) if not n]
    for name in names:
        if name in COMPARED:
            rows = rows_of(name, spreads.compared(name), None, groups, reference, asked, None, "")
            yield from (_reasoned(row, groups, spreads.n, reference, asked) for row in rows)
            continue
        estimate, low, high = spreads.whole(name)
        status, reason = ("ok", "") if math.isfinite(low) else ("partial", _no_interval(groups))
        if low == high:
            status, reason = "partial", SPREADLESS
        if empty:
            status, reason = (
                "partial",
                f"{listing([plain(label) for label in empty])} has no rows and is left out",
            )
        if not math.isfinite(estimate):
            status, reason = "undefined", "there are no rows"
        yield MeasuredValue(
            name,
            CATALOGUE[name].family,
            feature=groups.name,
            estimate=estimate,
            low=low,
            high=high,
            n=int(spreads.n.sum() + 1e-9),
            status=status,  # type: ignore[arg-type]
            reason=reason,
        )


def entropy_rows(
    names: Sequence[str], tables: Tables, groups: Groups, asked: Asked
) -> Iterator[MeasuredValue]:
    """Give the parts of the generalised entropy index that lie between and within groups."""
    if not names:
        return
    source = tables.source("between_group_entropy", groups)
    if isinstance(source, CountSource):
        parts = _of_cells(source.cells)
        samples = _of_cells(source.resampled_cells())
    else:
        assert isinstance(source, MomentSource)
        parts = _of_sums(source.sums)
        samples = _of_sums(source.resampled_sums())
    n = int(source.n("accuracy")[-1] + 1e-9)
    for name in names:
        at = 0 if name == "between_group_entropy" else 1
        low, high = percentile(samples[at], asked.confidence)
        estimate = float(parts[at])
        known = math.isfinite(estimate)
        yield MeasuredValue(
            name,
            "entropy",
            feature=groups.name,
            estimate=estimate,
            low=float(low) if known else math.nan,
            high=float(high) if known else math.nan,
            n=n,
            status="ok" if known else "undefined",
            reason="" if known else CATALOGUE[name].undefined,
        )


def _of_cells(cells: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Give between and within of (..., G + 1, 2, 2) cells, everyone last."""
    groups = cells[..., :-1, :, :]
    flat = groups.reshape(*groups.shape[:-2], 4)
    between = between_groups(flat.sum(axis=-1), flat @ CELL_BENEFITS, 2)
    return between, entropy_of_cells(cells[..., -1, :, :], 2) - between


def _of_sums(sums: dict[str, FloatArray]) -> tuple[FloatArray, FloatArray]:
    """Give between and within of (..., G + 1) sums, everyone last."""
    weight, benefit = sums["weight"], sums["benefit"]
    between = between_groups(weight[..., :-1], benefit[..., :-1], 2)
    whole = entropy_of_sums(weight[..., -1], benefit[..., -1], sums["benefit²"][..., -1], 2)
    return between, whole - between


def _reasoned(
    row: MeasuredValue, groups: Groups, n: FloatArray, reference: int, asked: Asked
) -> MeasuredValue:
    """Say of a distance why it has no value or no interval, and whether a group is small."""
    from dataclasses import replace

    places = {row.group: groups.labels.index(row.group)}
    if row.reference != OVERALL or reference < len(n):
        places[row.reference] = reference
    empty = [label for label, at in places.items() if not n[at]]
    if empty:
        return replace(row, status="undefined", reason=f"{plain(empty[0])}: there are no rows")
    if not math.isfinite(row.estimate):
        return replace(row, status="undefined", reason="a group has a single row, and so no pair of rows")
    if not math.isfinite(row.low):
        return replace(
            row, status="partial", reason="the scores reach too far for the bandwidth to be resampled"
        )
    if row.low == row.high:
        return replace(row, status="partial", reason=SPREADLESS)
    few = [
        f"{plain(label)} has {int(n[at] + 1e-9):,} rows"
        for label, at in places.items()
        if n[at] < asked.minimum_n
    ]
    if few:
        return replace(row, status="small", reason=f"{'; '.join(few)}, fewer than {asked.minimum_n:,}")
    return replace(row, status="ok", reason="")


def _no_interval(groups: Groups) -> str:
    if groups.n_groups > MOST_PAIRED:
        return f"the largest distance of more than {MOST_PAIRED} groups is not resampled"
    return "the scores reach too far for the bandwidth to be resampled"
