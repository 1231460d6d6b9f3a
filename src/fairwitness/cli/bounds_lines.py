"""What ``fairwitness bounds`` prints: a few lines for people, or one document for machines."""

from __future__ import annotations

import json
import math
from typing import TYPE_CHECKING

from fairwitness import __version__
from fairwitness.causal.solver.results import EffectBounds
from fairwitness.causal.words import VERDICTS, confounding, effect, evidence, people
from fairwitness.text import interval, listing, percent, plain
from fairwitness.typing import Document

if TYPE_CHECKING:
    from fairwitness.causal.ladder import Ladder
    from fairwitness.causal.row_bounds import RowBounds
    from fairwitness.cli.bounds_question import Answered, Asked

#: How each engine's answer was found, in words.
ENGINES = {
    "number": "a formula",
    "cells": "each cell of the table on its own",
    "induction": "backward induction",
    "linear": "a linear program",
    "corners": "corners of the blocks and linear programs",
    "branch": "branch and bound",
    "joint": "a linear program that lets the blocks answer jointly",
}
#: Kinds of people that get a line.
KINDS = 3
STATUS = {
    "identified": "one value: graph and table leave no other",
    "tight": "tight: proved that no narrower interval is valid",
    "gap": "valid; perhaps not the narrowest",
    "outer": "valid, from a relaxation; narrower ones may be",
    "uninformative": "uninformative: these hold before any data are seen (see --ladder)",
}


def lines(asked: Asked, answered: Answered, *, most: int | None = 10) -> list[str]:
    """Give the lines for the terminal, at most ``most`` of them."""
    if answered.sizes is not None:
        found = _size_lines(answered.sizes)
        if answered.query is not None:
            found = [f"  {line}" for line in str(answered.query).splitlines()] + found
            found.insert(0, "The question, before anything is built:")
        notes: list[str] = []
    elif answered.rows is not None:
        found = _row_lines(answered.rows, asked.tau)
        notes = list(answered.rows.cells[0].bounds.notes)
    elif answered.ladder is not None:
        found = _ladder_lines(answered.ladder, asked.tau)
        notes = list(answered.bounds.notes if answered.bounds else ())
    else:
        assert answered.bounds is not None
        found = _bounds_lines(answered.bounds, asked)
        if most is None:
            found[2:2] = [f"  {line}" for line in str(answered.bounds.query).splitlines()]
        notes = list(answered.bounds.notes)
    if asked.chosen is not None:
        notes.insert(0, asked.chosen)
    if answered.contradiction is not None:
        notes = [answered.contradiction, *(note for note in notes if note != answered.contradiction)]
    told = [f"Note: {plain(note, most=400)}" for note in notes]
    if most is not None and len(found) > most:
        found = found[: most - 1]
    room = None if most is None else most - len(found)
    if room is not None and len(told) > room:
        kept = max(room, 1)  # what was chosen for the user is always said
        more = len(told) - kept
        told = [*told[: kept - 1], f"{told[kept - 1]} ({more} more note{'s' * (more > 1)} with -v)"]
    return [*found, *told]


def _question(bounds: EffectBounds) -> list[str]:
    query = bounds.query
    told = effect(query)
    return [f"{told[0].upper()}{told[1:]}", f"along {query.paths}, among {people(query.given)}"]


def _bounds_lines(bounds: EffectBounds, asked: Asked) -> list[str]:
    found = _question(bounds)
    if asked.notion is not None:
        found[0] = f"{asked.notion.replace('_', ' ').capitalize()}: {effect(bounds.query)}"
    found.append(f"Bounds {interval(bounds.lower, bounds.upper)}, {STATUS[bounds.status]}")
    proof = bounds.certificate
    built = sum(size.columns for size in bounds.sizes)
    naive = max((size.naive_columns for size in bounds.sizes), default=None)
    size = f" of {built:,} columns" if built else ""
    if built and naive is not None and naive > math.log10(built):
        size += f" instead of {_power(naive)}"
    found.append(f"Found by {ENGINES[proof.engine]}{size}, in {proof.seconds:.2g} s")
    if bounds.confidence is not None:
        found.append(f"{100 * bounds.confidence:g} % interval {interval(*bounds.interval)}, {_sure(bounds)}")
    word = bounds.verdict(asked.tau)
    found.append(f"At tau = {asked.tau:g} {word}: {VERDICTS[word].format(tau=f'{asked.tau:g}')}")
    known = "" if asked.settings["predictor"] is None else "; the predictor's rule is known"
    found.append(f"Assumed: {confounding(bounds.query.graph)}{known}")
    if bounds.query.given:
        rows = "" if bounds.n is None else f" of {bounds.n:,.0f} rows"
        share, modelled = percent(bounds.evidence_share), percent(bounds.evidence_probability)
        by_graph = "" if share == modelled else f"; by the graph's factors {modelled} of people"
        found.append(f"The question is about {share}{rows}{by_graph}")
    return found


def _sure(bounds: EffectBounds) -> str:
    return "indicative" if bounds.sampling == "resampled" else "sampling error covered"


def _ladder_lines(ladder: Ladder, tau: float) -> list[str]:
    first = next(rung.bounds for rung in ladder if rung.bounds is not None)
    wide = max(len(rung.title) for rung in ladder)
    found = _question(first)
    for rung in ladder:
        bounds = rung.bounds
        if bounds is None:
            found.append(f"  {rung.title.ljust(wide)}  no bounds: {plain(rung.reason)}")
            continue
        parts = [
            rung.title.ljust(wide),
            interval(bounds.lower, bounds.upper).ljust(18),
            bounds.status.ljust(13),
        ]
        if bounds.confidence is not None:
            parts.append(f"{100 * bounds.confidence:g} % {interval(*bounds.interval)}".ljust(23))
        found.append("  ".join(["", *parts, bounds.verdict(tau)]))
    found += [f"Note: {plain(note, most=400)}" for note in ladder.notes]
    found.append(f"Stated: {ladder.asked.title.lower()}: {'; '.join(ladder.asked.assumptions)}")
    return found


def _row_lines(rows: RowBounds, tau: float) -> list[str]:
    query = rows.cells[0].bounds.query
    told = effect(query)
    shares = rows.shares(tau)
    found = [
        f"{told[0].upper()}{told[1:]}",
        f"along {query.paths}, among {people(rows.fixed)}, by "
        f"{listing([plain(name) for name in rows.evidence if name not in rows.fixed])}",
        f"Surely within ±{tau:g}: {percent(shares['fair'])} of them; surely beyond: "
        f"{percent(shares['unfair'])}; undetermined: {percent(shares['undetermined'])}",
    ]
    first = rows.cells[0].bounds
    what = "bounds" if first.confidence is None else f"{100 * first.confidence:g} % intervals, {_sure(first)}"
    ordered = sorted(rows, key=lambda cell: -cell.share)
    for cell in ordered[:KINDS]:
        own = {name: value for name, value in cell.given.items() if name not in rows.fixed}
        ends = interval(*cell.bounds.interval).ljust(18)
        found.append(
            f"  {percent(cell.share).rjust(5)}  {ends} {cell.bounds.verdict(tau).ljust(13)} {evidence(own)}"
        )
    if len(ordered) > KINDS:
        found.append(f"  and {len(ordered) - KINDS:,} smaller kinds of people (--out, --format json)")
    found.append(f"These are {what}. Assumed: {confounding(query.graph)}")
    return found


def _size_lines(sizes: dict[str, float]) -> list[str]:
    found = ["Columns of the program as it is usually written, before anything is built:"]
    ordered = sorted(sizes.items(), key=lambda item: -item[1])
    found += [f"  {plain(names)}: {_power(size)}" for names, size in ordered[:3]]
    if len(ordered) > 3:
        found.append(f"  and {len(ordered) - 3:,} smaller blocks")
    total = sum(sizes.values())
    found.append(f"All blocks jointly: {_power(total)}. Most of that is merged or never built.")
    return found


def _power(size: float) -> str:
    """Write 10**size: in full while that is readable."""
    return f"{round(10**size):,}" if size < 7 else f"about 10^{size:.1f}" if size < 1e4 else f"10^{size:.3g}"


def document(asked: Asked, answered: Answered) -> str:
    """Write everything as JSON."""
    found: Document = {
        "schema_version": "1",
        "fairwitness_version": __version__,
        "command": "bounds",
        "graph": asked.graph.to_text(),
        "table": asked.name,
        "chosen": asked.chosen,
        "tau": asked.tau,
    }
    if answered.sizes is not None:
        found["sizes"] = [
            {"variables": names.split(", "), "log10_columns": size} for names, size in answered.sizes.items()
        ]
    found["contradiction"] = answered.contradiction
    if answered.bounds is not None:
        found["bounds"] = answered.bounds.to_dict()
        found["verdict"] = answered.bounds.verdict(asked.tau)
    if answered.verdict is not None:
        found["notion"] = None if answered.verdict.notion is None else answered.verdict.notion.to_dict()
        found["sentence"] = answered.verdict.sentence
    if answered.ladder is not None:
        found["ladder"] = answered.ladder.to_dict()
    if answered.rows is not None:
        found["rows"] = answered.rows.to_dict(tau=asked.tau)
    return json.dumps(_finite(found), indent=2, ensure_ascii=False, allow_nan=False)


def _finite(value: object) -> object:
    """Give plain JSON values: NaN and infinities have none, nor have numpy's numbers."""
    if isinstance(value, dict):
        return {str(key): _finite(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(inner) for inner in value]
    if isinstance(value, bool) or value is None or isinstance(value, str | int):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    item = getattr(value, "item", None)
    return _finite(item()) if callable(item) else str(value)
