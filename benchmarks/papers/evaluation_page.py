"""The page: our numbers beside the published ones, and what of the protocol was changed."""

from __future__ import annotations

import math
import platform
import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import sklearn
from evaluation_methods import METHODS, ROUNDS, Judged
from evaluation_published import PAPER_MMD, PAPER_WASSERSTEIN, PUBLISHED, RESAMPLE
from evaluation_tasks import TEST_SHARE, Task
from flips_text import table

import fairwitness
from fairwitness.metrics import Evaluation, evaluate, paper_mmd, paper_wasserstein, wasserstein_distance
from fairwitness.metrics.evaluation.mean import over_splits
from fairwitness.stats import Estimate

#: Written by hand, with places for the tables.
TEXT = Path(__file__).with_suffix(".md")
QUICK = "\n**This is the quick form**: 3,000 rows a table and short training. Its numbers mean little.\n"
#: Measure → heading. ``w1`` and ``mmd`` are sums over race and sex of the largest distance of two groups.
REGRESSION = {"rmse": "RMSE", "mae": "MAE", "r2": "R²", "w1": "Σ W₁", "mmd": "Σ MMD"}
CLASSES = {
    "balanced_accuracy": "balanced accuracy",
    "paper_cv": "CV (2√GE(2))",
    "theil_index": "TI",
    "spd": "Σ parity",
    "w1": "Σ W₁",
    "mmd": "Σ MMD",
}
SUMS = {
    "w1": "wasserstein_distance_max",
    "mmd": "mmd_max",
    "spd": "statistical_parity_difference",
}


@dataclass(frozen=True)
class Plan:
    """What a run covers."""

    tasks: tuple[Task, ...]
    whole: Mapping[str, int]
    seeds: tuple[int, ...]
    quick: bool
    data: Path


Found = Mapping[tuple[str, str, int], Judged | str]


def write_page(out: Path, plan: Plan, found: Found, date: str) -> None:
    """Write the page, and a picture a table beside it."""
    parts = []
    for task in plan.tasks:
        evaluation = _evaluated(task, plan, found)
        picture = out.with_name(f"{out.stem}-{task.key}.png")
        _draw(evaluation, task, picture)
        parts.append(_section(task, plan, found, evaluation, picture))
    whole = [task for task in plan.tasks if task.key == "law-school" and len(task.X) == plan.whole[task.key]]
    text = TEXT.read_text(encoding="utf-8").format_map(
        {
            "run": f"{date}, fairwitness {fairwitness.__version__}, scikit-learn {sklearn.__version__}, "
            f"Python {platform.python_version()}",
            "quick": QUICK if plan.quick else "",
            "seeds": len(plan.seeds),
            "share": f"{TEST_SHARE:.0%}".replace("%", " %"),
            "rounds": max(ROUNDS.values()),
            "tables": "\n\n".join(parts),
            "own_split": _own_split(whole[0]) if whole else "Left out: it needs the whole law school table.",
            "seconds": _seconds(found),
        }
    )
    out.parent.mkdir(parents=True, exist_ok=True)
    out.write_text(text.strip() + "\n", encoding="utf-8")


def _evaluated(task: Task, plan: Plan, found: Found) -> Evaluation:
    """Measure what was kept, as the library measures a table that holds predictions of several runs."""
    runs: dict[str, dict[int, np.ndarray]] = {}
    for (key, method, seed), judged in found.items():
        if key == task.key and not isinstance(judged, str):
            column = np.full(len(task.X), np.nan)
            column[task.split(seed)[1]] = judged.scores
            runs.setdefault(method, {})[seed] = column
    names = {*REGRESSION, *CLASSES, *SUMS.values()} - {*SUMS}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return evaluate(
            runs,
            y=task.y,
            sensitive_features=task.sensitive,
            task="regression" if task.regression else "classification",
            metrics=sorted(names),
            n_resamples=100,
            random_state=0,
        )


def _estimates(evaluation: Evaluation, measure: str, seeds: tuple[int, ...]) -> dict[str, Estimate]:
    """Give the mean over splits; of sums over race and sex, the mean of each split's sum."""
    if measure not in SUMS:
        return evaluation.values(measure)
    out = {}
    for model in evaluation.models:
        each = []
        for seed in seeds:
            rows = [
                row
                for row in evaluation.rows
                if (row.model, row.seed, row.metric) == (model, str(seed), SUMS[measure])
            ]
            worst = [
                max(abs(row.estimate.estimate) for row in rows if row.feature == feature)
                for feature in evaluation.features
            ]
            each.append(Estimate(float(sum(worst)), n=rows[0].estimate.n if rows else 0))
        ratio = TEST_SHARE / (1 - TEST_SHARE)
        out[model] = over_splits(each, [ratio] * len(each), confidence=0.95)[0]
    return out


def _section(task: Task, plan: Plan, found: Found, evaluation: Evaluation, picture: Path) -> str:
    measures = REGRESSION if task.regression else CLASSES
    columns = {name: _estimates(evaluation, name, plan.seeds) for name in measures}
    rows, reasons = [], []
    for method, words in METHODS.items():
        judged = found.get((task.key, method, plan.seeds[0]))
        if isinstance(judged, str):
            reasons.append(f"{words}: {judged}")
            continue
        if method not in evaluation.models:
            continue
        published = PUBLISHED[task.key].get(method, {})
        rows.append([words, *(_cell(columns[name].get(method), published.get(name)) for name in measures)])
    restarts = sum(
        judged.restarts
        for (key, _, _), judged in found.items()
        if key == task.key and not isinstance(judged, str)
    )
    accuracy, difference = ("rmse", SUMS["w1"]) if task.regression else ("balanced_accuracy", SUMS["spd"])
    fronts = "; ".join(
        f"{feature}: {', '.join(evaluation.pareto(accuracy, difference, feature=feature))}"
        for feature in evaluation.features
    )
    notes = [
        *task.notes,
        *([f"Not applicable: {'; '.join(reasons)}."] if reasons else []),
        f"Minimax runs that collapsed to a constant and were started again: {restarts}.",
        f"Beaten by no other in {measures[accuracy]} and {difference.replace('_', ' ')} (estimates alone, "
        f"smallest difference first). {fronts}.",
    ]
    return "\n\n".join(
        [
            f"## {task.title}",
            table(["", *measures.values()], rows),
            "\n".join(f"* {note}" for note in notes),
            f"![{measures[accuracy]} against the difference between groups]({picture.name})",
        ]
    )


def _cell(found: Estimate | None, published: float | None) -> str:
    if found is None or not math.isfinite(found.estimate):
        return "–"
    half = (found.high - found.low) / 2
    text = _number(found.estimate) + (f" ± {_number(half)}" if math.isfinite(half) else "")
    return text if published is None else f"{text} ({_number(published)})"


def _number(value: float) -> str:
    text = f"{value:.3f}" if abs(value) < 10 else f"{value:.1f}"
    return text.replace("-", "−").replace("0.", ".", 1) if abs(value) < 1 else text.replace("-", "−")


def _draw(evaluation: Evaluation, task: Task, picture: Path) -> None:
    feature, x, y = (
        ("race", SUMS["w1"], "rmse") if task.regression else ("sex", SUMS["spd"], "balanced_accuracy")
    )
    ax = evaluation.plot(x, y, feature=feature)
    picture.parent.mkdir(parents=True, exist_ok=True)
    ax.figure.savefig(picture, dpi=110, facecolor="white", metadata={"Software": None})


def _own_split(task: Task) -> str:
    """Full and unaware least squares on the authors' own split, measured as they do and as we do."""
    from sklearn.linear_model import LinearRegression

    train, test = task.split(0)
    whole = task.X.assign(race=task.sensitive["race"] == "White", sex=task.sensitive["sex"] == "male")
    truth, groups = task.y[test], task.sensitive.iloc[test].reset_index(drop=True)
    rows = []
    for method, columns in (("full linear", [*task.X.columns, "race", "sex"]), ("unaware linear", [*task.X])):
        inputs = whole[columns].astype(float)
        guess = LinearRegression().fit(inputs.iloc[train], task.y[train]).predict(inputs.iloc[test])
        error = guess - truth
        ours = {
            "rmse": float(np.sqrt(np.mean(error**2))),
            "mae": float(np.mean(np.abs(error))),
            "r2": float(1 - np.sum(error**2) / np.sum((truth - truth.mean()) ** 2)),
            "w1": sum(
                wasserstein_distance(guess, sensitive_features=groups[name]) for name in ("race", "sex")
            ),
        }
        printed = PUBLISHED[task.key][method]
        rows.append([METHODS[method], *(f"{ours[name]:.4f} ({printed[name]:.4f})" for name in ours)])
        if method == "full linear":
            drawn = groups.assign(guess=guess).sample(**RESAMPLE)
            half = {name: drawn[name].to_numpy() for name in ("race", "sex")}
            sums = [
                [
                    "½ MMD², σ = .5, summed over race and sex",
                    f"{paper_mmd(drawn['guess'].to_numpy(), sensitive_features=half):.4f}",
                    f"{PAPER_MMD:.4f}",
                    f"{paper_mmd(guess, sensitive_features=groups):.4f}",
                ],
                [
                    "½ W₂², summed over race and sex",
                    f"{paper_wasserstein(drawn['guess'].to_numpy(), sensitive_features=half):.4f}",
                    f"{PAPER_WASSERSTEIN:.4f}",
                    f"{paper_wasserstein(guess, sensitive_features=groups):.4f}",
                ],
            ]
    first = table(["", "RMSE", "MAE", "R²", "Σ W₁"], rows)
    second = table(
        ["full linear", "ours, on half the rows drawn again", "their repository", "ours, on all test rows"],
        sums,
    )
    return f"{first}\n\n{second}"


def _seconds(found: Found) -> str:
    total: dict[str, float] = {}
    for (key, _, _), judged in found.items():
        if not isinstance(judged, str):
            total[key] = total.get(key, 0.0) + judged.seconds
    parts = ", ".join(f"{key} {seconds / 60:.1f} min" for key, seconds in total.items())
    return f"{sum(total.values()) / 60:.0f} CPU minutes of training and predicting ({parts})"
