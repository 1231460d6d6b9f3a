"""The page's tables, each a function from results and published figures to Markdown."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from flips_cells import KS
from flips_published import SORTED, TABLE, Published, mean_gap, rank_correlation
from flips_results import Results
from flips_tasks import Task
from flips_text import absolute, interval, percent, percents, signed, table, three, threes

NAMES = {"neighbors": "neighbours", "kdtree": "unscaled", "genetic": "genetic", "exact": "exact"}
COMPARED = ("genetic", "neighbors", "kdtree")
NOT_RUN = "not run"
#: The paper does not say how many rows a value rests on.
_IMPLIED = dict.fromkeys(
    ("German", "Crime"), " In brackets: the fewest rows that can give the paper's printed digits."
)


def agreement(results: Results, published: Published) -> str:
    """Spearman's ρ over the models of every task and generator, and how far apart the values are."""
    rows = []
    for generator in COMPARED:
        for task in results.tasks:
            cells = [f"{NAMES[generator]}", task.key]
            number = 0
            for measure in ("cflips", "ndccf"):
                found = [_rho(results, published, task, generator, measure, k) for k in KS]
                number = found[-1][1]
                cells.append(" / ".join(signed(rho) for rho, _ in found))
            ours, theirs = _deltas(results, published, task, generator, "cflips", KS[-1])
            cells += [
                str(number),
                percent(_mean(ours, theirs, 0)),
                percent(_mean(ours, theirs, 1)),
                percent(mean_gap(ours, theirs)),
            ]
            rows.append(cells)
    return (
        "## How far ours agree\n\nSpearman's rank correlation over the models that have a value for both "
        "groups in the paper and in ours (with 7 models, |ρ| from 0.79 on differs from chance at the 5 % "
        "level), and the mean ΔCFlips@100 over these models, in points.\n\n"
        + table(
            [
                "generator",
                "data set",
                "ρ of ΔCFlips",
                "ρ of ΔnDCCF",
                "models",
                "mean ΔCFlips@100 ours",
                "paper",
                "mean gap a model",
            ],
            rows,
        )
    )


#: Decision maker that tries to be fair → the plain one that it is made from.
KIN = {"AdvDeb": "MLP", "LFERM": "SVM", "FairC": "LR"}


def against_plain(results: Results, published: Published) -> str:
    """Whether a decision maker that tries to be fair has a smaller |ΔCFlips| than its plain kin."""
    rows = []
    for generator in COMPARED:
        for task in results.tasks:
            first = task.first
            for made, plain in KIN.items():
                ours = [results.delta(task, generator, m, "cflips", KS[-1]) for m in (plain, made)]
                theirs = [
                    published.value(generator, first, task.key, m, "cflips", "delta", KS[-1])
                    if published.comparable(generator, first, task.key, m)
                    else None
                    for m in (plain, made)
                ]
                rows.append([NAMES[generator], task.key, f"{plain} → {made}", _moved(ours), _moved(theirs)])
    return (
        "## Against their plain kin\n\n|ΔCFlips@100| in points, of the plain model and of the one that "
        "tries to be fair; –: a group is empty.\n\n"
        + table(["generator", "data set", "models", "ours", "paper"], rows)
    )


def _moved(pair: Sequence[float | None]) -> str:
    before, after = pair
    if before is None or after is None:
        return "–"
    sign = "lower" if abs(after) < abs(before) else "not lower"
    return f"{percent(abs(before))} → {percent(abs(after))}, {sign}"


def flips_table(results: Results, published: Published, generators: Sequence[str], first: bool) -> str:
    """Tables 3, 4, 7 and 8."""
    number, _ = TABLE[generators[0], first]
    out = [f"## Table {number}: {NAMES[generators[0]]}"]
    for task in _of(results, first):
        rows = []
        for model in results.models:
            for generator in generators:
                name = "ours" if generator == generators[0] else f"ours, {NAMES[generator]}"
                rows.append([model, name, *_ours(results, task, generator, model)])
            printed = _theirs(published, task, generators[0], model)
            rows.append(["", "paper", _implied(published, task, model), *printed])
        head = ["model", "", "rows: privileged + other", "CFlips privileged", "CFlips other", "ΔCFlips"]
        head += ["nDCCF privileged", "nDCCF other", "ΔnDCCF"]
        searched = _searched(results, task, generators[0])
        out.append(f"### {task.key}\n\n{searched}{table(head, rows)}")
    return "\n\n".join(out) if len(out) > 1 else ""


def sorted_table(results: Results, published: Published, first: bool) -> str:
    """Tables 9 and 10: ΔnDCCF of the sets ordered by nearness to the decision boundary."""
    out = [f"## Table {SORTED[first][0]}: ΔnDCCF, nearest to the boundary first"]
    for task in _of(results, first):
        rows = []
        ranks = ["Spearman's ρ", ""]
        for model in results.models:
            ours, theirs = [model, "ours"], ["", "paper"]
            for generator in COMPARED:
                for classifier in results.classifiers:
                    values = [
                        results.delta(task, generator, model, "ndccf_sorted", k, classifier) for k in KS
                    ]
                    known = results.values(task, generator, model, classifier) is not None
                    ours.append(threes(values) if known else NOT_RUN)
                    printed = [
                        published.sorted_delta(generator, first, task.key, model, classifier, k) for k in KS
                    ]
                    theirs.append(threes(printed))
            rows += [ours, theirs]
        for generator in COMPARED:
            for classifier in results.classifiers:
                pairs = [
                    rank_correlation(
                        [
                            results.delta(task, generator, m, "ndccf_sorted", k, classifier)
                            for m in results.models
                        ],
                        [
                            published.sorted_delta(generator, first, task.key, m, classifier, k)
                            for m in results.models
                        ],
                    )[0]
                    for k in KS
                ]
                ranks.append(" / ".join(signed(rho) for rho in pairs))
        head = ["model", ""]
        head += [f"{NAMES[g]}, {c}" for g in COMPARED for c in results.classifiers]
        out.append(f"### {task.key}\n\n{table(head, [*rows, ranks])}")
    return "\n\n".join(out) if len(out) > 1 else ""


def coverage(results: Results, published: Published) -> str:
    """Table 6: rows with counterfactuals, and how many."""
    rows = []
    for task in _of(results, True):
        for model in ("LR", "DT", "RF", "MLP"):
            row = [task.data_set, model]
            for generator in ("genetic", "neighbors", "kdtree", "exact"):
                row.append(_covered(results.cell(task, generator, model)))
                if generator == "neighbors":  # the paper's KDtree stands beside both
                    continue
                with_, median = (
                    published.coverage(task.data_set, model, statistic, generator)
                    for statistic in ("rows_with_counterfactuals", "median_counterfactuals")
                )
                row.append(f"{with_}; {median}" if with_[:1].isdigit() else with_)
            rows.append(row)
    head = ["data set", "model", "genetic, ours", "Genetic", "neighbours, ours", "unscaled, ours", "KDtree"]
    head += ["exact, ours", "MACE"]
    return (
        "## Table 6: rows with at least one counterfactual; median number of them\n\n"
        "The paper asks for every test row's opposite outcome; ours are the rejected test rows, which are "
        "all that the measures use.\n\n" + table(head, rows)
    )


def _budgets(seconds: set[float]) -> str:
    return " or ".join(f"{each:.0f}" for each in sorted(seconds))


def _covered(cell: dict[str, Any] | None) -> str:
    if cell is None:
        return NOT_RUN
    if "reason" in cell:
        return str(cell["reason"])
    if cell["settings"]["asked"]["generator"] == "exact":
        proved, asked = cell["status"].get("found", 0), cell["settings"]["asked"]
        return f"{proved} of {cell['n_searched']} proved; {asked['k']}"
    return f"{cell['n_with']:,} of {cell['n_searched']:,}; {cell['median_found']:.0f}"


def exact_table(results: Results) -> str:
    """CFlips of provably nearest rows: no published table has them."""
    rows: list[list[str]] = []
    budgets: set[float] = set()
    for task in results.tasks:
        for model in results.models:
            cell, values = results.cell(task, "exact", model), results.values(task, "exact", model)
            if cell is None or values is None:
                continue
            k = str(cell["settings"]["asked"]["k"])
            budgets.add(cell["settings"]["asked"]["seconds"])
            flips = [values["cflips"][side][k] for side in ("privileged", "unprivileged", "difference")]
            rows.append(
                [
                    task.key,
                    model,
                    f"{values['n']['privileged']} + {values['n']['unprivileged']}",
                    *(percents([absolute(v)]) for v in flips),
                    ", ".join(f"{count} {status}" for status, count in cell["status"].items()),
                ]
            )
    if not rows:
        return ""
    head = [
        "data set",
        "model",
        "rows",
        "CFlips@10 privileged",
        "other",
        "ΔCFlips@10",
        "rejected rows by status",
    ]
    return (
        "## Exact: provably nearest new rows (not in the paper's tables of flips)\n\n"
        f"k = 10, at most {_budgets(budgets)} seconds a cell; on Adult at most 25 rejected rows of each "
        "group. *found*: all ten are proved. *budget*: out of time, and the rows are the nearest known, "
        "mostly rows of the table.\n\n" + table(head, rows)
    )


def beyond(results: Results) -> str:
    """The part of the difference that random acceptance does not give."""
    rows = []
    for task in results.tasks:
        for model in results.models:
            values = results.values(task, "neighbors", model)
            if values is None or values["beyond_random"] is None:
                continue
            whole = values["cflips"]["difference"][str(KS[-1])]
            low, high = values["interval"]
            extra = values["beyond_random"]
            if whole is None or extra[0] is None:
                continue
            rows.append(
                [
                    task.key,
                    model,
                    f"{values['n']['privileged']} + {values['n']['unprivileged']}",
                    interval(whole, low, high),
                    percent(whole - extra[0]),
                    interval(*extra),
                ]
            )
    if not rows:
        return ""
    head = ["data set", "model", "rows", "ΔCFlips@100 (95 %)", "random acceptance"]
    head.append("beyond random acceptance (95 %)")
    return (
        "## Beyond random acceptance (not in the paper)\n\n"
        "Even a model that accepts people at random has a ΔCFlips, because most rows of a table, and most "
        "doubtful profiles, look like the larger group. We ask the same people, neighbours and `f_s` under "
        "random acceptance of as many rows and take that off: what is left is what the model's own choices "
        "add.\n\nSigned, other minus privileged, in points, f_s XGB. An interval from a handful of rows is "
        "too narrow to be believed.\n\n" + table(head, rows)
    )


def performance(results: Results, published: Published) -> str:
    """Table 2 and the first columns of Table 3, to see whether the models are alike."""
    rows = []
    for task in _of(results, True):
        for name in results.classifiers:
            ours = results.classifier_quality(task).get(name)
            rows.append(_performance_row(task, f"f_s {name}", ours, published, f"fs_{name}"))
        for model in results.models:
            row = _performance_row(task, model, results.quality(task, model), published, model)
            for metric in ("dsp", "deo", "dao"):
                row.append(
                    _pair((results.quality(task, model) or {}).get(metric), published, task, model, metric)
                )
            rows.append(row)
    head = ["data set", "model", "AUC", "accuracy", "precision", "recall", "F1", "DSP", "DEO", "DAO"]
    wide = [[*row, *[""] * (len(head) - len(row))] for row in rows]
    return (
        "## Are the models alike? Table 2, and DSP, DEO, DAO of Table 3\n\n"
        "Ours · paper, on the test rows. For f_s the privileged group is the positive class.\n\n"
        + table(head, wide)
    )


def _rho(
    results: Results, published: Published, task: Task, generator: str, measure: str, k: int
) -> tuple[float, int]:
    return rank_correlation(*_deltas(results, published, task, generator, measure, k))


def _deltas(
    results: Results, published: Published, task: Task, generator: str, measure: str, k: int
) -> tuple[list[float | None], list[float | None]]:
    """Ours and theirs over the models; ``None`` where a group of the paper's is empty."""
    ours = [results.delta(task, generator, m, measure, k) for m in results.models]
    theirs = [
        published.value(generator, task.first, task.key, m, measure, "delta", k)
        if published.comparable(generator, task.first, task.key, m)
        else None
        for m in results.models
    ]
    return ours, theirs


def _mean(ours: Sequence[float | None], theirs: Sequence[float | None], side: int) -> float:
    pairs = [pair for pair in zip(ours, theirs, strict=True) if None not in pair]
    return sum(pair[side] or 0.0 for pair in pairs) / len(pairs) if pairs else math.nan


def _ours(results: Results, task: Task, generator: str, model: str) -> list[str]:
    values = results.values(task, generator, model)
    if values is None:
        cell = results.cell(task, generator, model) or {}
        return [cell.get("reason", NOT_RUN), *[""] * 6]
    out = [f"{values['n']['privileged']} + {values['n']['unprivileged']}"]
    for measure, write in (("cflips", percents), ("ndccf", threes)):
        for side in ("privileged", "unprivileged", "difference"):
            row = [values[measure][side][str(k)] for k in KS]
            out.append(write([absolute(v) for v in row]) if row[0] is not None else "no rows")
    return out


def _theirs(published: Published, task: Task, generator: str, model: str) -> list[str]:
    star = "" if published.comparable(generator, task.first, task.key, model) else " *"
    out = []
    for measure, write in (("cflips", percents), ("ndccf", threes)):
        for side in ("privileged", "unprivileged", "delta"):
            row = [published.value(generator, task.first, task.key, model, measure, side, k) for k in KS]
            text = write(row) if row[0] is not None else "0\\*"
            out.append(text + (star.replace("*", "\\*") if side == "delta" else ""))
    return out


def _implied(published: Published, task: Task, model: str) -> str:
    if task.data_set not in ("German", "Crime"):  # from some hundred rows on, every number of rows fits
        return ""
    rows = [published.implied_rows(task.first, task.key, model, s) for s in ("privileged", "unprivileged")]
    return "" if None in rows else f"({rows[0]} + {rows[1]})"


def _searched(results: Results, task: Task, generator: str) -> str:
    cells = [results.cell(task, generator, model) for model in results.models]
    known = [cell for cell in cells if cell is not None and "n_searched" in cell]
    if not known:
        return ""
    if all(cell["n_searched"] == cell["n_rejected"] for cell in known):
        return f"All rejected ones of {known[0]['n_test']:,} test rows.{_IMPLIED.get(task.data_set, '')}\n\n"
    most = max(cell["settings"]["asked"]["most"] or 0 for cell in known)
    return f"At most {most} rejected test rows of each group, drawn at random.\n\n"


def _performance_row(
    task: Task, name: str, ours: dict[str, Any] | None, published: Published, column: str
) -> list[str]:
    row = [task.key, name]
    for metric in ("AUC", "ACC", "Precision", "Recall", "F1"):
        theirs = published.performance(task.key, metric, column)
        row.append(f"{three(None if ours is None else ours[metric])} · {three(theirs)}")
    return row


def _pair(ours: float | None, published: Published, task: Task, model: str, metric: str) -> str:
    return f"{three(ours)} · {three(published.parity(task.key, model, metric))}"


def _of(results: Results, first: bool) -> list[Task]:
    return [task for task in results.tasks if task.first is first]
