"""What an audit asks of a graph and a table: effects of each sensitive feature, and how many people they concern."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from fairwitness.causal.audited import ACCEPTED, Audited
from fairwitness.causal.bounds import EffectBounds, effect_bounds
from fairwitness.causal.ladder import Ladder, Rung, assumption_ladder
from fairwitness.causal.notions import NOTIONS
from fairwitness.causal.options import split_paths
from fairwitness.causal.paths import PathSet, path_set
from fairwitness.causal.row_bounds import RowBounds, RowCell
from fairwitness.causal.rows import population_bounds
from fairwitness.causal.solve import Limits
from fairwitness.errors import FairwitnessError
from fairwitness.text import listing, plain

if TYPE_CHECKING:
    from fairwitness.table.groups import Groups

Word = Literal["within", "beyond", "open"]
Key = Literal["total", "direct", "indirect", "redlining", "paths"]

#: The paper's verdicts in an audit's words.
WORDS: Mapping[str, Word] = {"fair": "within", "unfair": "beyond", "undetermined": "open"}
#: What one question of an audit may cost.
LIMITS = Limits(columns=50_000, seconds=10.0)
#: Distinct kinds of people that are asked about one by one.
MOST_KINDS = 400
#: Paths that are listed to draw them.
MOST_PATHS = 500


@dataclass(frozen=True, slots=True)
class Pair:
    """One group against the privileged one, of a sensitive feature that is a node of the graph."""

    audited: Audited
    node: str
    groups: Groups
    group: str

    @property
    def privileged(self) -> str:
        """The group compared with."""
        return self.groups.privileged_label

    @property
    def asked(self) -> dict[str, Any]:
        """What if people were ``group`` instead of ``privileged``: above 0, more would be accepted."""
        return {
            "treatment": self.node,
            "outcome": self.audited.decision,
            "active": self.group,
            "reference": self.privileged,
            "outcome_value": ACCEPTED,
        }


@dataclass(frozen=True, eq=False)
class Effect:
    """An effect over everyone, along some paths; or why it could not be bounded.

    Attributes
    ----------
    key, title
        Which effect.
    paths
        The active paths.
    bounds
        ``None`` where there are none, and then ``reason`` says why and ``remedy`` what to do.
    """

    key: Key
    title: str
    paths: PathSet
    bounds: EffectBounds | None
    reason: str = ""
    remedy: str = ""

    def edges(self) -> tuple[tuple[str, str], ...]:
        """Give the edges along the active paths."""
        listed = self.paths.paths(most=MOST_PATHS)
        return tuple(dict.fromkeys(edge for path in listed for edge in pairwise(path)))

    def word(self, tau: float) -> Word | None:
        """Say whether the effect is within ±τ, beyond, or cannot be told; None without bounds."""
        return None if self.bounds is None else WORDS[self.bounds.verdict(tau)]


@dataclass(frozen=True, eq=False)
class People:
    """How many people an effect concerns, by how much it may be for people like them.

    Attributes
    ----------
    key
        Name of the notion.
    rows
        Bounds for each distinct combination of what is known of people; one entry for each group asked about.
    reason, remedy
        Why there are none, and what to do.
    """

    key: Literal["counterfactual_fairness", "group_direct_discrimination"]
    observed: tuple[str, ...]
    rows: tuple[RowBounds, ...] = ()
    reason: str = ""
    remedy: str = ""

    @property
    def cells(self) -> tuple[RowCell, ...]:
        """Each kind of people, those of most people first."""
        return tuple(sorted((cell for rows in self.rows for cell in rows), key=lambda cell: -(cell.n or 0)))

    @property
    def n(self) -> int:
        """People asked about."""
        return sum(size(cell) for cell in self.cells)

    def count(self, word: Word, tau: float) -> int:
        """Give how many people have this verdict."""
        return sum(size(cell) for cell in self.cells if WORDS[cell.bounds.verdict(tau)] == word)


def size(cell: RowCell) -> int:
    """Give how many people are of this kind."""
    return round(cell.n or 0)


@dataclass(frozen=True, eq=False)
class Contrast:
    """All that is measured of one group against the privileged one."""

    pair: Pair
    effects: tuple[Effect, ...]
    people: tuple[People, ...]
    ladders: Mapping[Key, Ladder]

    def effect(self, key: Key) -> Effect | None:
        """Give the first effect of this key, if it was asked about."""
        return next((each for each in self.effects if each.key == key), None)


def measure(pair: Pair) -> Contrast:
    """Bound every effect of one group against the privileged one."""
    effects = tuple(_effects(pair))
    return Contrast(pair, effects, tuple(_people(pair)), dict(_ladders(pair, effects)))


def path_sets(pair: Pair) -> Iterator[tuple[Key, str, PathSet]]:
    """Give the sets of paths to ask about: all, the edge, the others, and those of interest."""
    graph, node, decision, options = (
        pair.audited.graph, pair.node, pair.audited.decision, pair.audited.options,
    )  # fmt: skip

    def made(paths: object) -> PathSet:
        return path_set(graph, node, decision, paths)

    yield "total", "Total effect", made("all")
    has_edge = node in graph.parents(decision)
    indirect = made("indirect")
    if has_edge and not indirect.is_empty:
        yield "direct", "Direct effect", made("direct")
        yield "indirect", "Indirect effect", indirect
    between = graph.descendants(node) & graph.ancestors(decision)
    red = tuple(name for name in options.redlining if name in between and name not in (node, decision))
    if red:
        yield (
            "redlining",
            f"Effect by way of {listing([plain(name) for name in red])}",
            made({"through": red}),
        )
    for text in options.paths:
        if {path[0] for path in split_paths(text)} == {node}:
            yield "paths", "Effect along the paths of interest", made(split_paths(text))


def _effects(pair: Pair) -> Iterator[Effect]:
    for key, title, paths in path_sets(pair):
        try:
            bounds = effect_bounds(
                pair.audited.distribution,
                pair.audited.graph,
                **pair.asked,
                paths=paths,
                confidence=pair.audited.level,
                limits=LIMITS,
            )
        except FairwitnessError as error:
            yield Effect(key, title, paths, None, _reason(error), error.fix or "")
        else:
            yield Effect(key, title, paths, bounds)


def _reason(error: FairwitnessError) -> str:
    return f"{error.what} ({error.got})" if error.got else error.what


def _people(pair: Pair) -> Iterator[People]:
    graph, decision = pair.audited.graph, pair.audited.decision
    truth = pair.audited.setting.outcome
    known, _ = NOTIONS["counterfactual_fairness"].known(graph, pair.node, decision, truth)
    others = tuple(name for name in known if name != pair.node)
    yield _asked(pair, "counterfactual_fairness", others, "all", (pair.group, pair.privileged))
    beside = tuple(name for name in graph.parents(decision) if name != pair.node)
    if pair.node in graph.parents(decision) and beside:
        yield _asked(pair, "group_direct_discrimination", beside, "direct")


def _asked(pair: Pair, key: Any, observed: tuple[str, ...], paths: str, own: tuple[str, ...] = ()) -> People:
    """Ask about each kind of people: those of the groups ``own``, or all, told apart by what is ``observed``."""
    audited = pair.audited
    counts = audited.distribution.take(*observed, *([pair.node] if own else [])).counts
    assert counts is not None
    if own:
        counts = counts[..., [audited.distribution.level_index(pair.node, value) for value in own]]
    kinds = int(np.count_nonzero(counts))
    names = (*observed, *([pair.node] if own else []))
    if kinds > MOST_KINDS:
        return People(
            key,
            names,
            reason=f"{kinds:,} kinds of people differ in what the graph knows of them, more than {MOST_KINDS:,}",
            remedy="cut columns more coarsely, or leave some out of the graph",
        )
    try:
        rows = tuple(
            population_bounds(
                audited.distribution,
                audited.graph,
                **pair.asked,
                for_rows=observed,
                given=given,
                paths=paths,
                limits=LIMITS,
                n_jobs=1,
            )
            for given in ([{pair.node: value} for value in own] or [{}])
        )
    except FairwitnessError as error:
        return People(key, names, reason=_reason(error), remedy=error.fix or "")
    return People(key, names, rows)


def _ladders(pair: Pair, effects: tuple[Effect, ...]) -> Iterator[tuple[Key, Ladder]]:
    """Ask the same under more and under fewer hidden common causes; of the kinds of effect each once."""
    seen: set[Key] = set()
    for effect in effects:
        if effect.key in seen:
            continue
        seen.add(effect.key)
        try:
            ladder = assumption_ladder(
                pair.audited.distribution,
                pair.audited.setting.graph,
                **pair.asked,
                paths=effect.paths,
                predictor=pair.audited.distribution,
                limits=LIMITS,
            )
        except FairwitnessError:
            continue  # the effect itself has its reason
        yield effect.key, replace(ladder, rungs=tuple(_rungs(ladder, pair.audited)))


def _rungs(ladder: Ladder, audited: Audited) -> Iterator[Rung]:
    """Leave out what the graph declares where it declares nothing about the decision: another rung says the same."""
    touched = any(audited.decision in arc for arc in audited.setting.graph.bidirected)
    for rung in ladder:
        if rung.name != "declared" or touched:
            yield rung
