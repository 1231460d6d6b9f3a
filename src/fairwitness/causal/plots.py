"""Bounds as pictures: intervals on one axis with 0 and ±τ, and what they assume beside them."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from fairwitness.arguments import real_number, shown
from fairwitness.causal.solver.results import CLOSE, EffectBounds
from fairwitness.causal.words import confounding, evidence, people
from fairwitness.errors import ConfigError
from fairwitness.text import listing, percent, plain

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from fairwitness.causal.graph.nested import NestedCounterfactual
    from fairwitness.causal.ladder import Ladder
    from fairwitness.causal.row_bounds import RowBounds
    from fairwitness.drawing.range_rows import Range

#: Most cells of a population that get a line of their own.
MOST_LINES = 24


def plot_bounds(
    bounds: Sequence[EffectBounds],
    ax: Axes | None = None,
    *,
    tau: float | None = None,
    labels: Sequence[str] | None = None,
    beside: Sequence[str] | None = None,
    title: str | None = None,
) -> Axes:
    """Draw the bounds of several questions on one axis.

    A thick line is what cannot be excluded: pale where no model is known that attains it, an empty hatched
    box where the bounds are those that hold without any data, a diamond where there is one value. A thin line
    is the confidence interval.

    Parameters
    ----------
    bounds
        What to draw, first on top.
    ax
        Axes to draw on; a new figure if absent.
    tau
        Threshold: dotted lines at ±τ.
    labels
        Names at the left, one each; by default what tells the questions apart (evidence, else paths).
    beside
        Words at the right, one each; by default what is assumed of hidden common causes; ``()`` for none.
    title
        Above; by default what is compared.

    Returns
    -------
    Axes
        ``ax``, for chaining.

    Raises
    ------
    ConfigError
        If there is nothing to draw, or not one label each.
    """
    found = list(bounds) if isinstance(bounds, Iterable) else [bounds]
    if not found or not all(isinstance(each, EffectBounds) for each in found):
        raise ConfigError("there are no bounds to draw", got=shown(bounds), fix="pass a list of EffectBounds")
    told, common = _told_apart([each.query for each in found])
    names = _each("labels", labels, len(found)) or told
    words = [_beside(each) for each in found] if beside is None else _each("beside", beside, len(found))
    rows = [
        _range(each, name, word)
        for each, name, word in zip(found, names, words or [""] * len(found), strict=True)
    ]
    level = next((each.confidence for each in found if each.confidence is not None), None)
    above = title or _title(found[0].query)
    return _drawn(rows, ax, tau=tau, title=above, subtitle=common, confidence=level)


def plot_ladder(ladder: Ladder, ax: Axes | None = None, *, tau: float | None = None) -> Axes:
    """Draw a ladder: one interval a rung, weakest assumptions on top, in words beside it."""
    rows = [
        _missing(rung.title, rung.reason or "")
        if rung.bounds is None
        else _range(rung.bounds, rung.title, _sentence("; ".join(rung.assumptions)))
        for rung in ladder
    ]
    level = next((r.bounds.confidence for r in ladder if r.bounds is not None), None)
    query = ladder.query
    common = f"{query.paths}; {people(query.given)}"
    return _drawn(rows, ax, tau=tau, title=_title(query), subtitle=common, confidence=level)


def plot_rows(found: RowBounds, ax: Axes | None = None, *, tau: float = 0.1) -> Axes:
    """Draw a population: a line a cell, or, where there are many, a band as high as its share of people."""
    tau = real_number(tau, "tau", above=0.0, below=1.0, fix="pass for example tau=0.1")
    query = found.cells[0].bounds.query
    common = f"{query.paths}; {people(found.fixed)}"
    if len(found) > MOST_LINES:
        return _bands(found, ax, tau=tau, title=_title(query), common=common)
    told = [name for name in found.evidence if name not in found.fixed] or list(found.evidence)
    rows = [
        _range(
            cell.bounds,
            evidence({name: cell.given[name] for name in told}),
            f"{percent(cell.share)} of people",
        )
        for cell in found
    ]
    level = found.cells[0].bounds.confidence
    return _drawn(rows, ax, tau=tau, title=_title(query), subtitle=common, confidence=level)


def _drawn(
    rows: Sequence[Range],
    ax: Axes | None,
    *,
    tau: float | None,
    title: str,
    subtitle: str,
    confidence: float | None,
) -> Axes:
    from fairwitness.drawing import figure
    from fairwitness.drawing.range_rows import ranges, ranges_height

    thresholds: tuple[float, ...] = ()
    if tau is not None:
        tau = real_number(tau, "tau", above=0.0, below=1.0, fix="pass for example tau=0.1")
        thresholds = (-tau, tau)
    if ax is None:
        ax = figure(760, ranges_height(rows, subtitle=subtitle))[1]
    return ranges(
        ax,
        rows,
        title=title,
        subtitle=subtitle,
        xlabel="effect: difference of probabilities" + ("" if tau is None else f"; dotted: ±{tau:g}"),
        thresholds=thresholds,
        interval_label="" if confidence is None else f"{100 * confidence:g} % interval",
        hollow_label="uninformative",
    )


def _range(bounds: EffectBounds, name: str, beside: str) -> Range:
    from fairwitness.drawing.range_rows import Kind, Range

    proof = bounds.certificate
    attained: tuple[float, float] | None = (proof.lower_attained, proof.upper_attained)
    kind: Kind = "range"
    if bounds.identified:
        kind = "point"
    elif bounds.uninformative:
        kind = "hollow"
    elif not proof.exact:
        middle = (bounds.lower + bounds.upper) / 2
        attained = (middle, middle)  # points of a relaxation need not be possible
    elif proof.gap < CLOSE:
        attained = None
    return Range(
        name.replace(" = ", "\u00a0=\u00a0"),  # a value stays with its name
        bounds.lower,
        bounds.upper,
        kind,
        attained,
        None if bounds.confidence is None else bounds.interval,
        beside,
    )


def _missing(name: str, reason: str) -> Range:
    from fairwitness.drawing.range_rows import Range

    return Range(name, math.nan, math.nan, "none", beside=_sentence(reason))


def _title(query: NestedCounterfactual) -> str:
    return (
        f"Effect of {plain(query.treatment, most=24)} = {plain(query.active, most=16)} instead of "
        f"{plain(query.reference, most=16)} on {plain(query.outcome, most=24)} = "
        f"{plain(query.outcome_value, most=16)}"
    )


def _told_apart(queries: Sequence[NestedCounterfactual]) -> tuple[list[str], str]:
    """Name questions by what tells them apart (whom they are about, which paths); and say what they share."""
    who = [evidence(query.given) if query.given else "everyone" for query in queries]
    paths = [str(query.paths) for query in queries]
    if len(set(paths)) == 1:
        return who, paths[0]
    if len(set(who)) == 1:
        return paths, people(queries[0].given)
    return [f"{path}; {whom}" for path, whom in zip(paths, who, strict=True)], ""


def _beside(bounds: EffectBounds) -> str:
    return _sentence(confounding(bounds.query.graph))


def _sentence(text: str) -> str:
    return f"{text[:1].upper()}{text[1:]}"


def _each(name: str, words: Sequence[str] | None, count: int) -> list[str]:
    if words is None:
        return []
    found = [words] if isinstance(words, str) else [str(word) for word in words]
    if found and len(found) != count:
        raise ConfigError(
            f"there should be one of {name} for each of the {count} bounds",
            got=listing([plain(word, most=40) for word in found]),
            fix=f"pass {count}, or leave {name} out",
        )
    return found


def _bands(found: RowBounds, ax: Axes | None, *, tau: float, title: str, common: str) -> Axes:
    """Draw every cell as a band, as high as its share of people, sorted by where it lies."""
    from fairwitness.drawing import figure
    from fairwitness.drawing.band_rows import Band, bands

    ordered = sorted(found, key=lambda cell: (cell.bounds.interval[0] + cell.bounds.interval[1], cell.share))
    shares = found.shares(tau)
    said = (
        f"surely within ±{tau:g}: {percent(shares['fair'])} of people; surely beyond: "
        f"{percent(shares['unfair'])}; undetermined: {percent(shares['undetermined'])}"
    )
    return bands(
        ax if ax is not None else figure(640, 420)[1],
        [
            Band(
                cell.share,
                cell.bounds.lower,
                cell.bounds.upper,
                None if cell.bounds.confidence is None else cell.bounds.interval,
                hollow=cell.bounds.uninformative,
            )
            for cell in ordered
        ],
        title=title,
        xlabel=f"effect: difference of probabilities; dotted: ±{tau:g}",
        ylabel=f"share of people ({len(found):,} kinds)",
        thresholds=(-tau, tau),
        notes=(common, said),
    )
