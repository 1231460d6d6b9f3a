"""The tables of the page, each as Markdown."""

from __future__ import annotations

import math
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from canonical_sets import ENGINES, SIZE, gate_of
from canonical_tasks import KINDS, PROTECTED, BlackBox, Task, as_module
from flips_text import table

from fairwitness.canonical import (
    Lucid,
    LucidSet,
    TreeCanonicalSampler,
    intersections,
    output_rates,
    together,
)
from fairwitness.stats import Estimate

if TYPE_CHECKING:
    from canonical_page import Plan

NOTHING = "–"


def models_table(plan: Plan) -> str:
    """Give the black boxes and how right they are."""
    rows = []
    for (key, kind, blind), box in plan.boxes.items():
        task = next(task for task in plan.tasks if task.key == key)
        size = f", {' + '.join(map(str, box.size))} units" if box.size else ""
        rows.append(
            [
                task.title,
                KINDS[kind] + size,
                "without sex and race" if blind else "all columns",
                f"{len(task.train):,} / {len(task.validation):,} / {len(task.test):,}",
                percent(box.accuracy),
                NOTHING if blind else percent(task.accuracy),
            ]
        )
    head = ["table", "model", "inputs", "rows: training / validation / test", "accuracy, test", "in print"]
    return table(head, rows)


def rates_table(task: Task, plan: Plan) -> str:
    """Give Table 1: what print calls PR and TPR, what they are, and what they should have been."""
    box = plan.boxes[task.key, "linear", False]
    X, y = task.rows(task.test), task.y[task.test]
    accepted = box.scores(X) >= 0.5
    printed = pd.read_csv(plan.reference)
    printed = printed[printed["dataset"] == task.title].set_index(["feature", "category"])
    rows = []
    for name in task.listed:
        for each in output_rates(y, accepted, X[name]):
            there = printed.loc[(name, each.label)] if (name, each.label) in printed.index else None
            mine = (X[name] == each.label).to_numpy() & ~accepted
            missed = f"{100 * y[mine].mean():.1f}" if mine.any() else NOTHING
            rows.append(
                [
                    f"{name}: {each.label}",
                    f"{each.n:,}",
                    NOTHING if there is None else f"{there['positivity_rate_pct']:.1f}",
                    f"{100 * each.base_rate.estimate:.1f}",
                    NOTHING if there is None else f"{there['true_positive_rate_pct']:.1f}",
                    _rate(each.precision),
                    missed,
                    _rate(each.positive_rate),
                    _rate(each.true_positive_rate),
                ]
            )
    head = [
        "group",
        "rows",
        'print: "PR"',
        "base rate of the label",
        'print: "TPR"',
        "precision",
        "favourable among the rejected",
        "**positive rate**",
        "**true positive rate**",
    ]
    return table(head, rows)


def contrast_table(task: Task, plan: Plan) -> str:
    """Give every listed level's share in the sets, by the tree for both black boxes and by LUCID-GAN."""
    tree, network = (plan.sets(task, kind, False, "tree") for kind in ("linear", "network"))
    gans = {name: plan.sets(task, "linear", False, name) for name in ("gan", "published")}
    if tree is None or network is None:
        return "*Not run.*"
    rows = []
    for name in task.listed:
        for at, level in enumerate(_levels(tree, name)):
            rows.append(
                [
                    f"{name}: {level['label']}",
                    pair(level["real_positive"], level["real_negative"]),
                    pair(level["positive"], level["negative"]),
                    _lift(level),
                    _lift(_levels(network, name)[at]),
                    *(
                        NOTHING
                        if made is None
                        else pair(*(_levels(made, name)[at][side] for side in ("positive", "negative")))
                        for made in gans.values()
                    ),
                ]
            )
    head = [
        "level",
        "real rows",
        f"tree ({_verdicts(tree)})",
        "lift",
        f"lift, network ({_verdicts(network)})",
        *(
            f"{ENGINES[name].words}" + ("" if made is None else f" ({_verdicts(made)})")
            for name, made in gans.items()
        ),
    ]
    return table(head, rows)


def combinations(task: Task, plan: Plan) -> str:
    """Give the combinations that occur together beyond chance in the positive set."""
    engine = learnt(task, plan.boxes[task.key, "linear", False])
    rows = [
        [
            each.words,
            percent(each.positive),
            percent(each.expected),
            percent(each.negative),
            number(each.lift),
            f"{each.n_real:,}",
        ]
        for each in together(engine.positive(SIZE), engine.negative(SIZE), most=5)
    ]
    head = [
        "levels",
        "positive set",
        "if its columns were independent",
        "negative set",
        "lift",
        "real rows in both bands",
    ]
    return table(head, rows)


def proxy_table(task: Task, plan: Plan) -> str:
    """Give how far each listed column is apart in the sets, with the protected columns and without them."""
    rows = []
    for kind in KINDS:
        both = [plan.sets(task, kind, blind, "tree") for blind in (False, True)]
        if None in both:
            continue
        for name in task.listed:
            cells = []
            for document in both:
                assert document is not None
                feature = _feature(document, name)
                found = feature["distances"]["total_variation"]
                text = (
                    f"{_hundred(found['estimate'])} ({_hundred(found['low'])} to {_hundred(found['high'])})"
                )
                cells.append(text + ("" if feature["established"] else ", may be chance"))
            strongest = max(
                _levels(both[0], name), key=lambda each: abs(each["positive"] - each["negative"])
            )["label"]
            shares = [
                next(each for each in _levels(document, name) if each["label"] == strongest)
                for document in both
            ]
            rows.append(
                [
                    kind,
                    name,
                    *cells,
                    strongest,
                    *(f"{pair(each['positive'], each['negative'])}, lift {_lift(each)}" for each in shares),
                ]
            )
    head = [
        "model",
        "column",
        "distance with sex and race, %",
        "without, %",
        "level",
        "with: positive / negative set",
        "without",
    ]
    return table(head, rows)


def intersection_table(task: Task, plan: Plan) -> str:
    """Give Figure 4 in numbers: every race by sex in the positive set, without and with what is fixed."""
    grids = crossed(task, plan.boxes[task.key, "linear", False])
    rows = []
    for i, race in enumerate(grids[0].row_labels):
        for j, sex in enumerate(grids[0].column_labels):
            cells = []
            for grid in grids:
                cell = grid.cells[i][j]
                few = ", too few" if cell.few else ""
                cells.append(
                    f"{pair(cell.positive, cell.negative)}, lift {number(cell.lift)} "
                    f"({number(cell.low)} to {number(cell.high)}), n {cell.n:,}{few}"
                    if math.isfinite(cell.positive)
                    else NOTHING
                )
            rows.append([f"{race}, {sex}", *cells])
    name, value = task.fixed
    said = [
        f"{words} ({grid.verdict})" for words, grid in zip(("all", f"{name} = {value}"), grids, strict=False)
    ]
    return table(["race, sex", *said], rows)


def lucid_table(task: Task, plan: Plan) -> str:
    """Give what LUCID finds, for both black boxes."""
    rows = []
    for kind in KINDS:
        found = lucid(task, plan.boxes[task.key, kind, False])
        shares = [
            f"{each.label} {percent(each.start)} → {percent(each.end)}"
            for each in found.distributions(list(PROTECTED))
        ]
        rows.append(
            [
                kind,
                percent(float(found.reached.mean())),
                f"{len(found.history) - 1}",
                percent(float((found.steps == 0).mean())),
                "; ".join(shares),
            ]
        )
    head = [
        "model",
        "samples that it is sure of (p > .99)",
        "steps",
        "sure from the start",
        "start → end",
    ]
    return table(head, rows)


def gate_table(task: Task, plan: Plan) -> str:
    """Give the gate's measures for every engine over its training."""
    rows = []
    for (key, kind, blind, name, epochs), made in plan.found.items():
        if key != task.key or blind:
            continue
        gates = made["gates"]
        one = made["edge"]["one"]
        men = next(each for each in _levels(made, "sex") if each["label"] == "Male")
        rows.append(
            [
                f"{ENGINES[name].words}, {kind}",
                NOTHING if epochs is None else f"{epochs:,}",
                f"{made['seconds']:.1f}" if made["seconds"] < 10 else f"{made['seconds']:.0f}",
                _verdicts(made),
                number(made["correlation"]),
                pair(gates["positive"]["right_side"], gates["negative"]["right_side"]),
                " · ".join(
                    f"{number(gates[side]['column_tv'])} ({number(gates[side]['floor']['column_tv'])})"
                    for side in ("positive", "negative")
                ),
                " · ".join(number(gates[side]["auc"]) for side in ("positive", "negative")),
                percent(gates["all"]["copies"]),
                percent(men["positive"]),
                "refused" if "refused" in one else f"{number(one['mean'])}, {one['verdict']}",
            ]
        )
    head = [
        "engine, black box",
        "epochs",
        "CPU s",
        "verdict: positive · negative",
        "correlation",
        "right side",
        "column TV (floor): positive · negative",
        "AUC: positive · negative",
        "copies",
        "men in the positive set",
        "score 1: mean obtained, verdict",
    ]
    return table(head, rows)


@cache
def learnt(task: Task, box: BlackBox) -> TreeCanonicalSampler:
    """Give the tree engine, fitted on the test rows."""
    rows = task.rows(task.test)
    hidden = list(PROTECTED) if box.blind else []
    return TreeCanonicalSampler(protected=hidden, random_state=0).fit(rows, box.scores(rows))


@cache
def crossed(task: Task, box: BlackBox) -> tuple[Any, ...]:
    """Give the grids of race by sex: of everyone, and of those with the fixed column."""
    engine, gate = learnt(task, box), gate_of(task, box)
    name, value = task.fixed
    fixed = intersections(engine, "race", "sex", given=name, n=SIZE, gate=gate)
    return (
        *intersections(engine, "race", "sex", n=SIZE, gate=gate),
        *(each for each in fixed if each.given[name] == value),
    )


@cache
def lucid(task: Task, box: BlackBox) -> LucidSet:
    """Give 1,000 inputs that a black box is sure of."""
    given = as_module(task, box)
    return (
        Lucid(given.module, one_hot=given.one_hot, output="logit", random_state=0)
        .fit(given.inputs)
        .sample(SIZE)
    )


def percent(value: float | None) -> str:
    return NOTHING if value is None or not math.isfinite(value) else f"{100 * value:.1f} %"


def number(value: float | None) -> str:
    if value is None or not np.isfinite(value):
        return NOTHING
    return f"{value:.2f}" if abs(value) < 10 else f"{value:.0f}"


def pair(a: float | None, b: float | None) -> str:
    return f"{_hundred(a)} / {_hundred(b)} %"


def _hundred(value: float | None) -> str:
    return NOTHING if value is None or not math.isfinite(value) else f"{100 * value:.0f}"


def _lift(level: dict[str, Any]) -> str:
    few = ", too few" if level["n_real"] < 10 else ""
    return f"{number(level['lift'])} ({number(level['low'])} to {number(level['high'])}){few}"


def _rate(found: Estimate) -> str:
    if not math.isfinite(found.estimate):
        return NOTHING
    return f"{100 * found.estimate:.1f} ({100 * found.low:.0f} to {100 * found.high:.0f})"


def _feature(document: dict[str, Any], name: str) -> dict[str, Any]:
    return next(each for each in document["contrast"]["features"] if each["name"] == name)


def _levels(document: dict[str, Any] | None, name: str) -> list[dict[str, Any]]:
    assert document is not None
    levels: list[dict[str, Any]] = _feature(document, name)["levels"]
    return levels


def _verdicts(document: dict[str, Any]) -> str:
    return " · ".join(document["gates"][side]["verdict"] for side in ("positive", "negative"))
