"""Bounds in plain words: sentences of an audit that can be read aloud."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING

from fairwitness.causal.words import confounding
from fairwitness.text import listing, percent, plain

if TYPE_CHECKING:
    from fairwitness.causal.audit.audited import Audited
    from fairwitness.causal.audit.effects import Contrast, Effect, People, Word
    from fairwitness.causal.solver.results import EffectBounds

#: What a verdict says of an effect and ±τ.
VERDICTS: dict[Word, str] = {"within": "within", "beyond": "beyond", "open": "cannot be told"}
UNINFORMATIVE = "uninformative under these assumptions"


def moved(low: float, high: float) -> str:
    """Say by how many percentage points fewer or more are accepted: ``between 1.5 and 3.2 … fewer``."""
    a, b = round(100 * low, 1) + 0.0, round(100 * high, 1) + 0.0
    if a == b:
        return f"{_points(abs(a))} {'fewer' if a < 0 else 'more'}" if a else "as many"
    if b <= 0:
        return f"between {-b:.1f} and {_points(-a)} fewer"
    if a >= 0:
        return f"between {a:.1f} and {_points(b)} more"
    return f"between {_points(-a)} fewer and {b:.1f} more"


def _points(value: float) -> str:
    return f"{value:.1f} percentage points"


def one_value(bounds: EffectBounds) -> float:
    """Give the value of bounds whose ends are written alike; NaN where they leave a range open."""
    alike = round(bounds.lower, 3) == round(bounds.upper, 3)
    return (bounds.lower + bounds.upper) / 2 if alike else math.nan


def changed(bounds: EffectBounds) -> str:
    """Say what bounds say, and beside them the interval that also covers sampling error."""
    said = moved(bounds.lower, bounds.upper)
    return said if bounds.confidence is None else f"{said} {_interval(bounds)}"


def _interval(bounds: EffectBounds) -> str:
    """Write the interval in percentage points, counted in the direction that the words before it have."""
    fewer = round(100 * bounds.upper, 1) <= 0 and round(100 * bounds.lower, 1) < 0
    low, high = (-end for end in reversed(bounds.interval)) if fewer else bounds.interval
    return f"[{_signed(low)}, {_signed(high)}]"


def _signed(end: float) -> str:
    return f"{round(100 * end, 1) + 0.0:.1f}".replace("-", "−")


def title(effect: Effect, contrast: Contrast) -> str:
    """Say one effect in one sentence, without a judgement."""
    what = f"{effect.title} of {_feature(contrast)}, {_pair(contrast)}{_outside(effect, contrast)}"
    if effect.bounds is None:
        return f"{what}: not computed"
    if effect.bounds.uninformative:
        return f"{what}: {UNINFORMATIVE}"
    return f"{what}: the model accepts {changed(effect.bounds)}"


def _outside(effect: Effect, contrast: Contrast) -> str:
    """Say of a direct effect of what the model does not read how it comes about."""
    pair = contrast.pair
    if effect.key != "direct" or pair.node not in pair.audited.unread:
        return ""
    return ", by way of columns outside the graph (the model does not read it)"


def people_title(found: People, contrast: Contrast, tau: float) -> str:
    """Say for how many people an effect is beyond ±τ."""
    beyond, open_ = found.count("beyond", tau), found.count("open", tau)
    least, most = percent(beyond / found.n), percent((beyond + open_) / found.n)
    share = least if least == most else f"between {least.removesuffix(' %')} and {most}"
    which = "direct effect" if found.key == "group_direct_discrimination" else "effect"
    return (
        f"For {share} of {plain(contrast.pair.audited.case.people)}, the {which} of {_feature(contrast)}, "
        f"{_pair(contrast)}, on people like them is beyond ±{100 * tau:g} percentage points"
    )


def _feature(contrast: Contrast) -> str:
    return plain(contrast.pair.groups.name)


def _pair(contrast: Contrast) -> str:
    return f"{plain(contrast.pair.group)} in place of {plain(contrast.pair.privileged)}"


def paragraph(contrasts: list[Contrast], audited: Audited) -> str:
    """Say in a few sentences what was found of one sensitive feature: of its largest group."""
    counts = {label: int(count) for label, count in zip(*_sizes(contrasts[0]), strict=True)}
    main = max(contrasts, key=lambda each: counts[each.pair.group])
    said = [*_sentences(main, audited)]
    more = len(contrasts) - 1
    if more:
        said.append(f"{more} other group{'s are' if more > 1 else ' is'} compared in the table.")
    return " ".join(said)


def _sizes(contrast: Contrast) -> tuple[tuple[str, ...], list[int]]:
    return contrast.pair.groups.labels, contrast.pair.groups.counts.tolist()


def _sentences(contrast: Contrast, audited: Audited) -> Iterator[str]:
    people, tau = plain(audited.case.people), audited.options.tau
    total = contrast.effect("total")
    group, other = plain(contrast.pair.group), plain(contrast.pair.privileged)
    if total is None or total.bounds is None:
        why = "" if total is None else total.reason
        yield f"The effect of {_feature(contrast)} could not be bounded: {why}."
        return
    if total.bounds.uninformative:
        yield (
            f"Whether the model would accept more or fewer {people} if everyone were {group} than if "
            f"everyone were {other} cannot be told: the causal graph leaves all of it open."
        )
    else:
        rate = moved(total.bounds.lower, total.bounds.upper)
        yield (
            f"If the causal graph holds, the model would accept {rate} {people} if everyone were {group} "
            f"{'as' if rate == 'as many' else 'than'} if everyone were {other}{_sure(total.bounds)}."
        )
    direct, indirect = contrast.effect("direct"), contrast.effect("indirect")
    if direct and direct.bounds and indirect and indirect.bounds:
        stands = (
            ", which stands for columns outside the graph, as the model does not read it,"
            if contrast.pair.node in audited.unread
            else ""
        )
        yield (
            f"Along the edge from {plain(contrast.pair.node)} to {plain(audited.decision)} alone{stands} it "
            f"would be {_open(direct.bounds)}; along all other paths, {_open(indirect.bounds)}."
        )
    found = next((each for each in contrast.people if each.key == "counterfactual_fairness"), None)
    if found is not None and found.n:
        yield _shares(found, contrast, people, tau)


def _open(bounds: EffectBounds) -> str:
    return UNINFORMATIVE if bounds.uninformative else changed(bounds)


def _sure(bounds: EffectBounds) -> str:
    if bounds.confidence is None:
        return ""
    return f" ({percent(bounds.confidence)} interval {_interval(bounds)})"


def _shares(found: People, contrast: Contrast, people: str, tau: float) -> str:
    words: tuple[Word, ...] = ("beyond", "within", "open")
    parts = {word: percent(found.count(word, tau) / found.n) for word in words}
    alike = listing([plain(name) for name in found.observed], most=8)
    return (
        f"Kind by kind ({people} alike in {alike}), {_feature(contrast)} moves acceptance by more than "
        f"{100 * tau:g} percentage points for {parts['beyond']} of them, by less for {parts['within']}; for "
        f"{parts['open']} graph and table leave it open."
    )


def _rule(decision: str, read: str, audited: Audited) -> str:
    """Say how the decision follows from its causes."""
    if audited.touched:
        others = listing([plain(name) for name in audited.touched])
        return (
            f"{decision} is the model's own decision; something hidden may move it together with {others}, "
            "by way of columns that the graph leaves out."
        )
    return (
        f"{decision} is the model's own decision, taken as the share accepted among people alike in {read}; "
        "nothing hidden moves it together with other columns."
    )


def _reads(audited: Audited) -> str:
    return "also reads" if audited.case.models[0].info.can_query else "may also read"


def _moved(audited: Audited) -> str:
    return "something hidden may" if audited.touched else "nothing hidden is assumed to"


def assumptions(audited: Audited) -> list[str]:
    """Say all that the bounds rest on."""
    graph, decision = audited.setting.graph, plain(audited.decision)
    read = listing([plain(name) for name in audited.graph.parents(audited.decision)], most=12)
    said = [
        "The graph is taken as true: an edge or a hidden common cause that it does not draw is assumed not "
        "to exist.",
        f"Hidden common causes: {_joined(confounding(audited.graph))}.",
        _rule(decision, read, audited),
    ]
    cut = [plain(name) for name in graph.nodes if name in audited.options.bins]
    if cut:
        verb = "are" if len(cut) > 1 else "is"
        said.append(f"{listing(cut)} {verb} cut: people in one group of it are taken as alike.")
    taken_out = sorted(set(graph.bidirected) - set(audited.graph.bidirected))
    if taken_out:
        arcs = listing([f"{plain(a)} <-> {plain(b)}" for a, b in taken_out])
        said.append(f"Arcs at the decision were taken out, as the model's answer is known: {arcs}.")
    if audited.beyond:
        names = listing([plain(name) for name in audited.beyond], most=6)
        many, they, them = (
            (f"{len(audited.beyond):,} columns", "they do", "them")
            if len(audited.beyond) > 1
            else ("a column", "it does", "it")
        )
        said.append(
            f"The model {_reads(audited)} {many} that the graph leaves out ({names}): what {they} is counted "
            f"to the edges into the decision, and {_moved(audited)} move {them} together with columns of the "
            "graph."
        )
    if audited.unread:
        several = len(audited.unread) > 1
        said.append(
            f"The model does not read {listing([plain(name) for name in audited.unread])}: "
            f"{'their edges' if several else 'its edge'} to the decision stand{'' if several else 's'} for "
            "what runs through columns that the graph leaves out."
        )
    if audited.unlinked:
        several = len(audited.unlinked) > 1
        said.append(
            f"The model reads {listing([plain(name) for name in audited.unlinked])}, but the graph gives "
            f"{'them' if several else 'it'} no edge to the decision."
        )
    return said


def _joined(sentence: str) -> str:
    return (
        "none"
        if sentence == "no hidden common causes"
        else sentence.removeprefix("hidden common causes are possible ")
    )
