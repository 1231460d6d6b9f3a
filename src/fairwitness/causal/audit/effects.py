"""What an audit asks of a graph and a table: effects of sensitive features, and whom they concern."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from fairwitness.causal.audit.audited import ACCEPTED, Audited
from fairwitness.causal.audit.options import split_paths
from fairwitness.causal.bounds import answer
from fairwitness.causal.graph.paths import PathSet, path_set
from fairwitness.causal.ladder import Ladder, Rung, assumption_ladder
from fairwitness.causal.notions import NOTIONS
from fairwitness.causal.sampling.resampled import resampled_intervals
from fairwitness.causal.solver.problem import Limits
from fairwitness.causal.solver.question import Question, prepare
from fairwitness.causal.solver.results import EffectBounds
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


@dataclass(frozen=True, slots=True)
class Kind:
    """People who are alike in what is known of them, and the bounds of the effect on such people."""

    given: Mapping[str, object]
    n: int
    bounds: EffectBounds


@dataclass(frozen=True, eq=False)
class People:
    """How many people an effect concerns, by how much it may be for people like them.

    Attributes
    ----------
    key
        Name of the notion.
    observed
        What is known of people.
    kinds
        The kinds of people with enough people to say something about, largest first.
    n, n_kinds
        People asked about, and kinds of people, those of few people included.
    reason, remedy
        Why there are none, and what to do.
    """

    key: Literal["counterfactual_fairness", "group_direct_discrimination"]
    observed: tuple[str, ...]
    kinds: tuple[Kind, ...] = ()
    n: int = 0
    n_kinds: int = 0
    reason: str = ""
    remedy: str = ""

    @property
    def few(self) -> int:
        """People of whose kind there are too few to say anything."""
        return self.n - sum(kind.n for kind in self.kinds)

    def count(self, word: Word, tau: float) -> int:
        """Give how many people have this verdict; people of rare kinds have none, so theirs is open."""
        found = sum(kind.n for kind in self.kinds if WORDS[kind.bounds.verdict(tau)] == word)
        return found + self.few if word == "open" else found


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
    """Give the sets of paths to ask about, each once: all, the edge, the others, and those of interest."""
    seen: set[object] = set()
    for key, title, paths in _path_sets(pair):
        listed = frozenset(paths.paths(most=MOST_PATHS))
        if len(listed) == MOST_PATHS or listed not in seen:  # more than are listed cannot be compared
            seen.add(listed)
            yield key, title, paths


def _path_sets(pair: Pair) -> Iterator[tuple[Key, str, PathSet]]:
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
            chosen = made(split_paths(text))
            yield "paths", f"Effect along {plain(chosen, most=60)}", chosen


def _effects(pair: Pair) -> Iterator[Effect]:
    audited = pair.audited
    valid = audited.options.sampling_error == "region"
    found: list[tuple[Effect, Question | None]] = []
    for key, title, paths in path_sets(pair):
        try:
            question = prepare(audited.distribution, audited.graph, **pair.asked, paths=paths)
            bounds = answer(question, confidence=audited.level if valid else None, limits=LIMITS)
        except FairwitnessError as error:
            found.append((Effect(key, title, paths, None, _reason(error), error.fix or ""), None))
        else:
            found.append((Effect(key, title, paths, bounds), question))
    if audited.options.sampling_error == "resampled":
        yield from _resampled(pair, found)
    else:
        yield from (effect for effect, _ in found)


def _resampled(pair: Pair, effects: Sequence[tuple[Effect, Question | None]]) -> Iterator[Effect]:
    """Put an indicative interval around the bounds that say something."""
    case = pair.audited.case
    asked = [
        (question, each.bounds)
        for each, question in effects
        if question is not None and each.bounds is not None and not each.bounds.uninformative
    ]
    settings: dict[str, Any] = {"confidence": case.confidence, "seed": case.seed, "n_jobs": case.n_jobs}
    found = iter(resampled_intervals(asked, limits=LIMITS, **settings) if asked else [])
    for each, _ in effects:
        if each.bounds is None or each.bounds.uninformative:
            yield each
        else:
            sure = replace(
                each.bounds, interval=next(found), confidence=case.confidence, sampling="resampled"
            )
            yield replace(each, bounds=sure)


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
    """Ask about each kind of people, told apart by what is ``observed`` and, where given, ``own`` groups."""
    audited = pair.audited
    names = (*observed, *([pair.node] if own else []))
    known = audited.distribution.take(*names)
    assert known.counts is not None
    places = np.argwhere(known.counts > 0)
    if own:
        codes = [known.level_index(pair.node, value) for value in own]
        places = places[np.isin(places[:, -1], codes)]
    sizes = [round(float(known.counts[tuple(place)])) for place in places]
    enough = [at for at, size in enumerate(sizes) if size >= audited.case.minimum_n]
    if len(enough) > MOST_KINDS:
        return People(
            key,
            names,
            reason=f"{len(enough):,} kinds of people are told apart, more than {MOST_KINDS:,}",
            remedy="cut columns more coarsely, or leave some out of the graph",
        )
    try:
        question = prepare(audited.distribution, audited.graph, **pair.asked, paths=paths, observed=names)
        kinds = []
        for at in enough:
            given = {
                name: levels[code]
                for name, levels, code in zip(names, known.levels, places[at].tolist(), strict=True)
            }
            kinds.append(Kind(given, sizes[at], answer(question.about(given), limits=LIMITS)))
    except FairwitnessError as error:
        return People(key, names, reason=_reason(error), remedy=error.fix or "")
    kinds.sort(key=lambda kind: -kind.n)
    return People(key, names, tuple(kinds), n=sum(sizes), n_kinds=len(sizes))


def _ladders(pair: Pair, effects: tuple[Effect, ...]) -> Iterator[tuple[Key, Ladder]]:
    """Ask the same under more and under fewer hidden common causes, but of chosen paths."""
    for effect in effects:
        if effect.key not in ("total", "direct", "indirect"):
            continue
        try:
            ladder = assumption_ladder(
                pair.audited.distribution,
                pair.audited.setting.graph,
                **pair.asked,
                paths=effect.paths,
                predictor=None if pair.audited.touched else pair.audited.distribution,
                limits=LIMITS,
            )
        except FairwitnessError:
            continue  # the effect itself has its reason
        yield effect.key, replace(ladder, rungs=tuple(_rungs(ladder, pair.audited)))


def _rungs(ladder: Ladder, audited: Audited) -> Iterator[Rung]:
    """Leave out what the graph declares, where that is another rung: it draws no arc at the decision."""
    touched = audited.setting.graph.siblings(audited.decision)
    for rung in ladder:
        if rung.name != "declared" or touched:
            yield rung
