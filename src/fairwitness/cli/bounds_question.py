"""The question of ``fairwitness bounds``: options read, values that were left out chosen, answered."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from fairwitness.arguments import real_number, shown
from fairwitness.causal.bounds import answer
from fairwitness.causal.data.distribution import Distribution
from fairwitness.causal.graph.causal_graph import CausalGraph
from fairwitness.causal.graph.nested import NestedCounterfactual
from fairwitness.causal.implied.contradiction import contradiction
from fairwitness.causal.ladder import Ladder, assumption_ladder
from fairwitness.causal.notions import pc_fairness
from fairwitness.causal.row_bounds import RowBounds
from fairwitness.causal.rows import population_bounds
from fairwitness.causal.solver.problem import Limits
from fairwitness.causal.solver.question import prepare, size_of
from fairwitness.causal.solver.results import EffectBounds
from fairwitness.causal.verdict import Verdict
from fairwitness.draft import GOOD_WORDS
from fairwitness.errors import ConfigError, DataError
from fairwitness.table import read_table
from fairwitness.table.levels import level_text
from fairwitness.text import listing, plain
from fairwitness.typing import NativeFrame


@dataclass(frozen=True, eq=False)
class Asked:
    """What the command line asks, read.

    Attributes
    ----------
    settings
        What all questions take: treatment, outcome, values, evidence, weights, bins, predictor.
    paths
        ``None`` where none were named.
    chosen
        What was taken for values that were not named, as a sentence; ``None`` if all were.
    """

    graph: CausalGraph
    table: NativeFrame
    name: str
    settings: dict[str, Any]
    paths: object
    notion: str | None
    truth: str | None
    for_rows: list[str] | None
    every_row: bool
    ladder: bool
    confidence: float | None
    sampling: str
    seed: int
    tau: float
    relaxation: str
    limits: Limits
    size_only: bool
    chosen: str | None = None

    @classmethod
    def read(
        cls,
        *,
        graph: str,
        data: Path,
        treatment: str,
        outcome: str,
        paths: Sequence[str] | None,
        given: Sequence[str] | None,
        active: str | None,
        reference: str | None,
        value: str | None,
        notion: str | None,
        truth: str | None,
        for_rows: str | None,
        ladder: bool,
        predictor: str | None,
        weights: str | None,
        bins: Sequence[str] | None,
        drop_missing: bool,
        confidence: float | None,
        sampling: str,
        seed: int,
        tau: float,
        relaxation: str,
        most_columns: int | None,
        size_only: bool,
    ) -> Asked:
        """Read the options and the table.

        Raises
        ------
        ConfigError
            If an option cannot be read, two of them exclude each other, or the graph has no such node.
        DataError
            If the table cannot be read, or a value has to be named.
        """
        real_number(tau, "--tau", above=0.0, below=1.0, fix="pass for example --tau 0.1")
        if confidence is not None:
            real_number(confidence, "--confidence", above=0.0, below=1.0, fix="pass --confidence 0.95")
        _exclude(
            {
                "--notion": notion,
                "--for-rows": for_rows,
                "--ladder": ladder or None,
                "--size-only": size_only or None,
            }
        )
        read = CausalGraph.from_any(graph)
        evidence = _evidence(given or ())
        if sampling == "resampled" and confidence is None:
            raise ConfigError(
                "--sampling says how an interval is made, and none is asked for", fix="add --confidence 0.95"
            )
        read.check(treatment, outcome, *evidence)
        kept = {
            "weights": weights,
            "bins": dict(_bins(each, read) for each in bins or ()) or None,
            "missing": "drop" if drop_missing else "error",
        }
        frame = read_table(data)
        values, chosen = _values(frame, treatment, outcome, (active, reference, value), evidence, kept)
        everybody = for_rows is not None and for_rows.strip() == "all"
        return cls(
            graph=read,
            table=frame,
            name=data.name,
            settings={
                "treatment": treatment,
                "outcome": outcome,
                **values,
                "given": evidence or None,
                "predictor": predictor,
                **kept,
            },
            paths=_paths(paths),
            notion=notion,
            truth=truth,
            for_rows=None
            if for_rows is None or everybody
            else [name.strip() for name in for_rows.split(",") if name.strip()],
            every_row=everybody,
            ladder=ladder,
            confidence=confidence,
            sampling=sampling,
            seed=seed,
            tau=tau,
            relaxation=relaxation,
            limits=Limits() if most_columns is None else Limits(columns=most_columns),
            size_only=size_only,
            chosen=chosen,
        )


@dataclass(frozen=True, eq=False)
class Answered:
    """What was found; one of these is there."""

    bounds: EffectBounds | None = None
    verdict: Verdict | None = None
    ladder: Ladder | None = None
    rows: RowBounds | None = None
    sizes: dict[str, float] | None = None
    query: NestedCounterfactual | None = None
    verdicts: frozenset[str] = field(default_factory=frozenset)
    contradiction: str | None = None


def ask(asked: Asked) -> Answered:
    """Answer the question, and say if the table contradicts the graph that the answer rests on."""
    found = _ask(asked)
    if asked.size_only:
        return found
    model = prepare(asked.table, asked.graph, **asked.settings).model
    return replace(found, contradiction=contradiction(model))


def _ask(asked: Asked) -> Answered:
    named = asked.settings | {"paths": "all" if asked.paths is None else asked.paths}
    if asked.size_only:
        question = prepare(asked.table, asked.graph, **named)
        return Answered(sizes=size_of(question), query=question.query)
    sure: dict[str, Any] = {
        "confidence": asked.confidence,
        "sampling": asked.sampling,
        "random_state": asked.seed,
        "limits": asked.limits,
    }
    if asked.ladder:
        found = assumption_ladder(asked.table, asked.graph, **named, **sure)
        stated = found.asked.bounds
        verdicts = frozenset() if stated is None else frozenset({stated.verdict(asked.tau)})
        return Answered(ladder=found, bounds=stated, verdicts=verdicts)
    sure["relaxation"] = asked.relaxation
    if asked.for_rows is not None or asked.every_row:
        rows = population_bounds(asked.table, asked.graph, for_rows=asked.for_rows, **named, **sure)
        return Answered(
            rows=rows, verdicts=frozenset(word for word, share in rows.shares(asked.tau).items() if share > 0)
        )
    if asked.notion is None:
        bounds = answer(prepare(asked.table, asked.graph, **named), **sure)
        verdict = Verdict(bounds, asked.tau)
    else:
        notion = {"notion": asked.notion, "paths": asked.paths, "y": asked.truth, "tau": asked.tau}
        verdict = pc_fairness(asked.table, asked.graph, **(asked.settings | notion), **sure)
    return Answered(bounds=verdict.bounds, verdict=verdict, verdicts=frozenset({str(verdict)}))


def _exclude(options: dict[str, object]) -> None:
    named = [name for name, value in options.items() if value]
    if len(named) > 1:
        raise ConfigError(f"{listing(named)} ask different questions", fix="use one of them at a time")


def _pair(text: str, option: str, example: str) -> tuple[str, str]:
    name, sign, value = text.partition("=")
    if not sign or not name.strip() or not value.strip():
        raise ConfigError(f"{option} cannot be read", got=shown(text), fix=f"write it as {option} {example}")
    return name.strip(), value.strip()


def _evidence(given: Sequence[str]) -> dict[str, str]:
    found: dict[str, str] = {}
    for each in given:
        name, value = _pair(each, "--given", "dept=A")
        if found.setdefault(name, value) != value:
            raise ConfigError(
                f"--given has two values of {plain(name)}",
                got=f"{plain(found[name])} and {plain(value)}",
                fix="name one; people have one value each",
            )
    return found


def _bins(text: str, graph: CausalGraph) -> tuple[str, object]:
    """Read ``age=37,50`` (cut points) or ``age > 37`` (a cut in words)."""
    for sign in (">", "<"):
        name = text.partition(sign)[0].strip()
        if sign in text and graph.has(name):
            return name, text.strip()
    name, points = _pair(text, "--bins", "age=37,50")
    graph.check(name)
    try:
        return name, [float(point) for point in points.split(",")]
    except ValueError:
        raise ConfigError(
            f"the cut points of {plain(name)} are no numbers",
            got=shown(points),
            fix=f"write for example --bins {plain(name)}=37,50",
        ) from None


def _paths(paths: Sequence[str] | None) -> object:
    if not paths:
        return None
    words = [each for each in paths if "->" not in each and "→" not in each]
    if words and len(paths) > 1:
        raise ConfigError(
            "a set of paths by name stands alone",
            got=listing([shown(each) for each in paths]),
            fix="name one set, or write every path out as in --path 'sex -> dept -> hired'",
        )
    return words[0] if words else list(paths)


def _values(
    frame: NativeFrame,
    treatment: str,
    outcome: str,
    named: tuple[str | None, str | None, str | None],
    evidence: dict[str, str],
    kept: dict[str, Any],
) -> tuple[dict[str, object], str | None]:
    """Choose the values that were not named, and say which."""
    active, reference, value = named
    if treatment == outcome:
        raise ConfigError("--from and --to are the same column", got=plain(treatment), fix="name two columns")
    cuts = {name: cut for name, cut in (kept["bins"] or {}).items() if name in (treatment, outcome)}
    counted = Distribution.from_data(frame, [treatment, outcome], **(kept | {"bins": cuts or None}))
    of_treatment, of_outcome = counted.levels
    said, options = [], []
    if active is None or reference is None:
        own = evidence.get(treatment) if active is None and reference is None else None
        pair = _two(counted, treatment, of_treatment, active, reference if own is None else own)
        said.append(
            f"{plain(treatment)} = {plain(pair[0])} against {plain(pair[1])}"
            + (", which the people have" if own is not None else "")
        )
        options += ["--active", "--reference"]
        first, second = pair
    else:
        first, second = active, reference
    if value is not None:
        compared: object = value
    else:
        compared, why = _favourable(of_outcome)
        said.append(f"{plain(outcome)} = {plain(compared)} {why}")
        options.append("--value")
    chosen = f"{'; '.join(said)} ({', '.join(options)})" if said else None
    return {"active": first, "reference": second, "outcome_value": compared}, chosen


def _two(
    counted: Distribution,
    treatment: str,
    levels: Sequence[object],
    active: str | None,
    reference: str | None,
) -> tuple[object, object]:
    if len(levels) == 1:
        raise DataError(
            f"the sensitive feature {plain(treatment)} has one value only",
            got=shown(levels[0]),
            fix="an effect needs two; check the column",
        )
    if len(levels) > 2:
        raise DataError(
            f"{plain(treatment)} has {len(levels)} values, and an effect compares two",
            got=listing([shown(level) for level in levels], most=20),
            fix="name two of them with --active and --reference",
        )
    if active is not None:
        at = counted.level_index(treatment, active)
        return levels[at], levels[1 - at]
    at = 0 if reference is None else counted.level_index(treatment, reference)
    return levels[1 - at], levels[at]


def _favourable(levels: Sequence[object]) -> tuple[object, str]:
    words = {level_text(level).strip().lower(): level for level in reversed(levels)}
    good = next((words[word] for word in GOOD_WORDS if word in words), None)
    if good is not None:
        return good, "as the favourable outcome"
    if len(levels) <= 2:
        return levels[-1], "as the outcome, without a reason"
    raise DataError(
        f"the decision has {len(levels)} values, and none reads as the favourable one",
        got=listing([shown(level) for level in levels], most=20),
        fix="name one with --value",
    )
