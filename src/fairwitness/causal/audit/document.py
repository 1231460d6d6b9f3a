"""Bounds as plain values: what ``report.json`` holds, and the tables beside it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from fairwitness.causal.audit.audited import shown_value
from fairwitness.causal.audit.effects import WORDS
from fairwitness.causal.audit.words import assumptions
from fairwitness.causal.sampling.resampled import N_RESAMPLES, N_SLOW
from fairwitness.typing import Document

if TYPE_CHECKING:
    from fairwitness.causal.audit.audited import Audited
    from fairwitness.causal.audit.effects import Contrast, Effect, Key, People
    from fairwitness.causal.implied.independences import ImpliedTests
    from fairwitness.causal.ladder import Ladder, Rung
    from fairwitness.causal.solver.results import EffectBounds

#: How intervals came about.
SAMPLING = {
    "resampled": f"indicative: standard deviations over {N_RESAMPLES} tables with weights drawn anew "
    f"(Bayesian bootstrap), or over {N_SLOW} where bounds take many programs",
    "region": "a region that holds the true distribution with at least this probability, for any number of "
    "rows",
    "none": "not in the ranges",
}
#: Kinds of people that the report lists, largest first.
MOST_LISTED = 12


def document(contrasts: Sequence[Contrast], audited: Audited, tests: ImpliedTests) -> Document:
    """Give the section of the report."""
    options = audited.options
    return {
        "graph": _graph(audited),
        "assumptions": assumptions(audited),
        "tau": options.tau,
        "confidence": audited.level,
        "n": audited.n,
        "tests": {
            "alpha": tests.alpha,
            "complete": tests.complete,
            "tests": [test.to_dict() for test in tests.tests],
        },
        "features": list(_features(contrasts, audited)),
        "notes": [*audited.notes, *_notes(contrasts, audited)],
        "sampling_error": options.sampling_error,
        "minimum_n": audited.case.minimum_n,
        "settings": {
            "decision": audited.decision,
            "tau": options.tau,
            **({"bins": dict(options.bins)} if options.bins else {}),
            **({"paths": list(options.paths)} if options.paths else {}),
            **({"redlining": list(options.redlining)} if options.redlining else {}),
            "sampling error": SAMPLING[options.sampling_error],
        },
    }


def _graph(audited: Audited) -> Document:
    graph, setting = audited.setting.graph, audited.setting
    roles = dict.fromkeys(graph.nodes, "column") | dict.fromkeys(setting.features, "sensitive feature")
    roles[setting.decision] = "decision"
    if setting.outcome is not None:
        roles[setting.outcome] = "true outcome"
    return {
        "text": graph.to_text(),
        "decision": setting.decision,
        "reason": setting.reason,
        "nodes": [
            {
                "name": name,
                "role": roles[name],
                "levels": [shown_value(value) for value in audited.distribution.levels[at]],
                "cut": name in audited.options.bins,
            }
            for at, name in enumerate(graph.nodes)
        ],
        "directed": [list(edge) for edge in graph.directed],
        "bidirected": [list(arc) for arc in graph.bidirected],
    }


def _features(contrasts: Sequence[Contrast], audited: Audited) -> Iterator[Document]:
    for node in dict.fromkeys(each.pair.node for each in contrasts):
        own = [each for each in contrasts if each.pair.node == node]
        yield {
            "name": own[0].pair.groups.name,
            "node": node,
            "privileged": own[0].pair.privileged,
            "contrasts": [_contrast(each, audited) for each in own],
        }


def _contrast(contrast: Contrast, audited: Audited) -> Document:
    tau = audited.options.tau
    return {
        "group": contrast.pair.group,
        "effects": [_effect(each, tau) for each in contrast.effects],
        "people": [_people(each, tau) for each in contrast.people],
        "ladders": [_ladder(key, ladder, contrast, tau) for key, ladder in contrast.ladders.items()],
    }


def _bounds(bounds: EffectBounds | None, tau: float) -> Document:
    """Give bounds, the interval around them (none where sampling error is not in them), and the verdict."""
    if bounds is None:
        return dict.fromkeys(("lower", "upper", "low", "high", "status", "verdict"))
    low, high = (None, None) if bounds.confidence is None else bounds.interval
    return {
        "lower": bounds.lower,
        "upper": bounds.upper,
        "low": low,
        "high": high,
        "status": bounds.status,
        "verdict": WORDS[bounds.verdict(tau)],
    }


def _effect(effect: Effect, tau: float) -> Document:
    bounds = effect.bounds
    return {
        "key": effect.key,
        "title": effect.title,
        "paths": str(effect.paths),
        "edges": [list(edge) for edge in effect.edges()],
        **_bounds(bounds, tau),
        "reason": effect.reason,
        "remedy": effect.remedy,
        "notation": None if bounds is None else str(bounds.query),
        "certificate": None if bounds is None else _certificate(bounds),
        "unidentified": [] if bounds is None else [list(block) for block in bounds.unidentified],
        "slack": 0.0 if bounds is None else bounds.slack,
    }


def _certificate(bounds: EffectBounds) -> Document:
    """Give what vouches for the bounds, but not the seconds: equal audits have equal documents."""
    return {name: value for name, value in bounds.certificate.to_dict().items() if name != "seconds"}


def _people(found: People, tau: float) -> Document:
    return {
        "key": found.key,
        "told_apart_by": list(found.observed),
        "n": found.n,
        "n_kinds": found.n_kinds,
        "few": found.few,
        **{word: found.count(word, tau) for word in ("within", "beyond", "open")},
        "kinds": [
            {
                "given": {name: shown_value(kind.given[name]) for name in found.observed},
                "n": kind.n,
                **_bounds(kind.bounds, tau),
            }
            for kind in found.kinds[:MOST_LISTED]
        ],
        "reason": found.reason,
        "remedy": found.remedy,
    }


def _rung(rung: Rung, key: Key, ladder: Ladder, contrast: Contrast, tau: float) -> Document:
    """Give the range of a rung; that of the assumptions made has the interval of the effect itself."""
    effect = contrast.effect(key) if rung is ladder.asked else None
    if effect is not None:
        return _bounds(effect.bounds, tau)
    # Other rungs know nothing of sampling error, so nothing is said of ±τ.
    return {**_bounds(rung.bounds, tau), "verdict": None}


def _ladder(key: Key, ladder: Ladder, contrast: Contrast, tau: float) -> Document:
    return {
        "key": key,
        "rungs": [
            {
                "name": rung.name,
                "title": rung.title,
                "assumptions": list(rung.assumptions),
                "asked": rung is ladder.asked,
                **_rung(rung, key, ladder, contrast, tau),
                "reason": rung.reason or "",
            }
            for rung in ladder
        ],
    }


def _notes(contrasts: Sequence[Contrast], audited: Audited) -> list[str]:
    """Give what the bounds themselves note, each sentence once."""
    said = [
        note for each in contrasts for e in each.effects if e.bounds is not None for note in e.bounds.notes
    ]
    return [note for note in dict.fromkeys(said) if note not in audited.notes]


def tables(contrasts: Sequence[Contrast], audited: Audited) -> dict[str, list[dict[str, Any]]]:
    """Give the rows that are written as CSV: effects, rungs of the ladder, and kinds of people."""
    tau = audited.options.tau
    effects, rungs, kinds = [], [], []
    for contrast in contrasts:
        pair = contrast.pair
        who = {"feature": pair.groups.name, "group": pair.group, "privileged": pair.privileged}
        effects += [
            {
                **who,
                "effect": effect.key,
                "paths": str(effect.paths),
                **_bounds(effect.bounds, tau),
                "confidence": audited.level,
                "n": audited.n,
                "reason": effect.reason,
            }
            for effect in contrast.effects
        ]
        for key, ladder in contrast.ladders.items():
            rungs += [
                {
                    **who,
                    "effect": key,
                    "assumptions": rung.title,
                    **_rung(rung, key, ladder, contrast, tau),
                }
                for rung in ladder
            ]
        for found in contrast.people:
            kinds += [
                {
                    **who,
                    "notion": found.key,
                    **{name: shown_value(kind.given[name]) for name in found.observed},
                    "n": kind.n,
                    **_bounds(kind.bounds, tau),
                }
                for kind in found.kinds
            ]
    return {"bounds": effects, "bounds_ladder": rungs, "bounds_people": kinds}
