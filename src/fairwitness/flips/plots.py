"""The paper's three figures: one person in two dimensions, ranked proxies, curves over k."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from fairwitness.arguments import shown, whole_number
from fairwitness.errors import ConfigError
from fairwitness.flips.results import MEASURES
from fairwitness.text import listing, percent, plain
from fairwitness.typing import FloatArray

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from fairwitness.flips.proxy_results import ProxyResult
    from fairwitness.flips.results import OpportunityResult
    from fairwitness.table.schema import Feature

_NAMES = {"cflips": "CFlips@k", "ndccf": "nDCCF@k", "ndccf_sorted": "nDCCF@k"}
_ORDERS = {"ndccf_sorted": ", nearest to the boundary first"}
_MEANINGS = {
    "cflips": "share of counterfactuals that look like another group",
    "ndccf": "discounted share that keeps the group",
    "ndccf_sorted": "discounted share that keeps the group",
}


def plot_opportunity(result: OpportunityResult, ax: Axes | None = None, *, measure: str = "cflips") -> Axes:
    """Draw one measure over k, a line a group with its band (Figure 3).

    A dotted line beside each shows what the group would have, were people accepted at random, where that
    is known; groups with few people are marked.
    """
    from fairwitness.drawing import Curve, curves

    if measure not in MEASURES or getattr(result.groups[0], measure) is None:
        have = [name for name in MEASURES if getattr(result.groups[0], name) is not None]
        raise ConfigError(
            "there is no such measure in this result", got=shown(measure), fix=f"use one of {listing(have)}"
        )
    lines = []
    for at, group in enumerate(result.groups):
        curve = getattr(group, measure)
        if np.isfinite(curve.estimate).any():
            random = (group.random or {}).get(measure)
            few = ", few" if group.small else ""
            lines.append(
                Curve(
                    label=f"{plain(group.label, most=22)} (n = {group.funnel.with_counterfactuals:,}{few})",
                    x=curve.ks.tolist(),
                    y=curve.estimate.tolist(),
                    low=curve.low.tolist(),
                    high=curve.high.tolist(),
                    style_index=at,
                    beside=None if random is None else random.estimate.tolist(),
                )
            )
    drawn = curves(
        _axes(ax),
        lines,
        xlabel="k, counterfactuals counted",
        ylabel=_MEANINGS[measure],
        ylim=(0.0, 1.0),
        beside_label="were people accepted at random",
    )
    title = f"{_NAMES[measure]} by {plain(result.name, most=40)}{_ORDERS.get(measure, '')}"
    return _titled(drawn, title, columns=2, inside=ax is not None)


def plot_proxies(result: ProxyResult, ax: Axes | None = None, *, most: int = 20) -> Axes:
    """Draw the ranked correlations with their intervals (Figure 2)."""
    from fairwitness.drawing import Bar, ranked_bars

    most = whole_number(most, "most", fix="pass for example most=20")
    drawn = sum(bool(np.isfinite(feature.rho)) for feature in result.features)
    return ranked_bars(
        _axes(ax, height=90 + 30 * max(min(drawn, most), 3)),
        [Bar(feature.label, feature.rho, feature.low, feature.high) for feature in result.features],
        title="Columns that change with the inferred group",
        xlabel=f"ρ with the change of P(inferred {plain(result.privileged)})",
        most=most,
        xlim=(-1.0, 1.0),
    )


def plot_person(
    result: OpportunityResult,
    person: int = 0,
    ax: Axes | None = None,
    *,
    columns: tuple[str, str] | None = None,
) -> Axes:
    """Draw one person and their counterfactuals, coloured by inferred group (Figure 1).

    Parameters
    ----------
    result
        Of :func:`fairwitness.flips.fair_opportunity`.
    person
        Position in ``result.rows``.
    ax
        Axes to draw on; a new figure if absent.
    columns
        Two numeric or ordinal columns; default the first two principal components of the person and
        their counterfactuals (numbers scaled by their spread, levels as zeros and ones).

    Raises
    ------
    ConfigError
        If there is no such person or column.
    """
    from fairwitness.drawing import scatter_people

    found = result.counterfactuals
    if not found.n_queries:
        raise ConfigError("there is no person in this result", fix="look at the reasons of its groups")
    most = found.n_queries - 1
    person = whole_number(person, "person", least=0, most=most, fix="pass a position in rows")
    lines = np.flatnonzero(found.query == person)
    own = result.labels[result.codes[person]]
    matrix = np.concatenate([found.queries[[person]], found.rows[lines]])
    features = found.encoder.schema.features
    if columns is None:
        where, shares = _components(matrix, features)
        xlabel, ylabel = (
            f"{which} principal component ({percent(share)} of the spread)"
            for which, share in zip(("first", "second"), shares, strict=True)
        )
    else:
        where = _named(matrix, features, columns)
        xlabel, ylabel = plain(columns[0]), plain(columns[1])
    codes = [int(code) if code >= 0 else len(result.labels) for code in result.looks[lines]]
    names = [*result.labels, "another group"]
    drawn = scatter_people(
        _axes(ax),
        where[0],
        where[1:],
        codes,
        [f"inferred {plain(names[code], most=22)}" for code in codes],
        xlabel=xlabel,
        ylabel=ylabel,
        query_label=f"the person ({plain(own, most=22)})",
    )
    title = f"{plain(own, most=40)}: {len(lines):,} counterfactuals"
    return _titled(drawn, title, columns=3, inside=ax is not None)


def _named(matrix: FloatArray, features: Sequence[Feature], columns: tuple[str, str]) -> FloatArray:
    ordered = {f.name: at for at, f in enumerate(features) if f.kind not in {"categorical", "boolean"}}
    if isinstance(columns, str) or len(columns) != 2:
        raise ConfigError(
            "a person is drawn along two columns",
            got=shown(columns),
            fix='pass for example ("age", "income")',
        )
    for name in columns:
        if name not in ordered:
            raise ConfigError(
                "a person can be drawn along numeric and ordinal columns only",
                got=plain(name),
                fix=f"use two of {listing([plain(each) for each in ordered])}",
            )
    return matrix[:, [ordered[name] for name in columns]]


def _components(matrix: FloatArray, features: Sequence[Feature]) -> tuple[FloatArray, list[float]]:
    """Give the first two principal components of a few rows, (n, 2), and each one's share of the spread."""
    parts = [np.zeros((len(matrix), 2))]
    for at, feature in enumerate(features):
        values = matrix[:, at]
        if feature.kind in {"categorical", "boolean"}:
            # A missing value is in no level.
            parts.append((values[:, None] == np.arange(len(feature.levels))).astype(np.float64))
            continue
        known = values[~np.isnan(values)]
        spread = known.std() if len(known) else 0.0
        if spread > 0:
            filled = np.where(np.isnan(values), known.mean(), values)
            parts.append(((filled - known.mean()) / spread)[:, None])
    wide = np.concatenate(parts, axis=1)
    wide -= wide.mean(axis=0)
    values, vectors = np.linalg.eigh(wide.T @ wide)
    axes = vectors[:, [-1, -2]]
    # An eigenvector's sign is arbitrary: its largest entry is made positive.
    largest = np.abs(axes).argmax(axis=0)
    axes = axes * np.where(axes[largest, [0, 1]] < 0, -1.0, 1.0)
    whole = max(float(values.sum()), np.finfo(np.float64).tiny)
    return np.asarray(wide @ axes), [max(float(values[at]), 0.0) / whole for at in (-1, -2)]


def _titled(ax: Axes, title: str, *, columns: int, inside: bool) -> Axes:
    """Put a title above the legend, which stands above the axes in rows of ``columns`` names.

    On axes of the caller's the legend goes inside: other axes may stand above and beside them.
    """
    from fairwitness.drawing import style

    box = ax.get_legend()
    rows = 0 if box is None or inside else -(-len(box.get_texts()) // columns)
    with style():
        if box is not None and inside:
            handles, names = ax.get_legend_handles_labels()
            box = ax.legend(handles, names, loc="best", fontsize="small", frameon=True, framealpha=0.8)
            for text in box.get_texts():
                text.set_parse_math(False)
        ax.set_title(title, loc="left", pad=6 + 22 * rows, parse_math=False)
    return ax


def _axes(ax: Axes | None, *, height: float = 360) -> Axes:
    from fairwitness.drawing import figure

    if ax is None:
        return figure(height=height)[1]
    if not hasattr(ax, "get_legend_handles_labels"):
        raise ConfigError("ax is no matplotlib Axes", got=shown(ax), fix="pass Axes, or leave it out")
    return ax
