"""ExactGenerator on German credit: CPU a query until the nearest rows are proved, beside a CP-SAT model.

    FAIRWITNESS_DATA=... python benchmarks/exact.py [--queries 20] [--peer-queries 3] [--models rf,lr,...]

The peer (used where ortools is installed) is a model over the split intervals of the same forest: one literal
a leaf, one an interval, exactly one leaf a tree. It is solved as it is, and with everything cut away that is
farther than the nearest row, as if that were known. Its answers must be the same.
"""

from __future__ import annotations

import argparse
import time
from itertools import pairwise

import numpy as np
from sklearn.compose import make_column_selector, make_column_transformer
from sklearn.ensemble import (
    GradientBoostingClassifier,
    HistGradientBoostingClassifier,
    RandomForestClassifier,
)
from sklearn.linear_model import LogisticRegression
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from sklearn.tree import DecisionTreeClassifier

from fairwitness.counterfactuals import ExactGenerator, GeneticGenerator, NeighborGenerator
from fairwitness.counterfactuals.exact.columns import lines_of
from fairwitness.counterfactuals.exact.engines import TreeEngine
from fairwitness.counterfactuals.exact.ensemble import TreeRelaxation
from fairwitness.counterfactuals.exact.lines import ListLine
from fairwitness.counterfactuals.limits import Limits
from fairwitness.datasets import load_german
from fairwitness.model import as_blackbox

#: Median CPU seconds to stay under for the nearest row with the random forest.
GOAL = 2.0


def models() -> dict[str, object]:
    import lightgbm
    import xgboost

    return {
        "rf": RandomForestClassifier(100, max_depth=10, random_state=0),
        "lr": LogisticRegression(max_iter=1000),
        "dt": DecisionTreeClassifier(max_depth=8, random_state=0),
        "gb": GradientBoostingClassifier(random_state=0),
        "hgb": HistGradientBoostingClassifier(random_state=0),
        "xgboost": xgboost.XGBClassifier(n_estimators=100, max_depth=6, n_jobs=1),
        "lightgbm": lightgbm.LGBMClassifier(n_estimators=100, n_jobs=1, verbose=-1),
        "mlp": MLPClassifier((100,), max_iter=500, random_state=0),
        "mlp2": MLPClassifier((30, 20), alpha=1.0, max_iter=500, random_state=0),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--queries", type=int, default=20)
    parser.add_argument("--peer-queries", type=int, default=3)
    parser.add_argument("--models", default="rf,lr,dt,gb,hgb,xgboost,lightgbm,mlp,mlp2")
    chosen = parser.parse_args()
    german = load_german()
    X, y = german.X, (german.y == "good").astype(int)
    for name in chosen.models.split(","):
        encode = make_column_transformer(
            (
                OneHotEncoder(handle_unknown="ignore", sparse_output=False),
                make_column_selector(dtype_exclude="number"),
            ),
            (StandardScaler(), make_column_selector(dtype_include="number")),
        )
        model = make_pipeline(encode, models()[name]).fit(X, y)
        refused = X[model.predict(X) == 0]
        queries = refused.sample(min(chosen.queries, len(refused)), random_state=7)
        box = as_blackbox(model)
        exact = ExactGenerator().fit(X, box)
        others = [GeneticGenerator(random_state=0).fit(X, box), NeighborGenerator().fit(X, box)]
        for k in (1, 10, 100):
            seconds, nearest, boxes, proved = [], [], [], 0
            for at in range(len(queries)):
                start = time.process_time()
                found = exact.generate(queries.iloc[at : at + 1], k)
                seconds.append(time.process_time() - start)
                proved += found.status[0] != "budget"
                boxes.append(found.settings["n_boxes"])
                nearest.append(found.distance[0])
            print(
                f"{name}, k = {k}: median {np.median(seconds):.2f} s CPU a query, most {max(seconds):.2f}; "
                f"{proved} of {len(queries)} proved; {np.median(boxes):.0f} boxes"
            )
            if k > 1:
                continue
            for other in others:
                theirs = other.generate(queries, 10)
                far = theirs.spread(theirs.distance)[:, 0]
                assert (np.array(nearest) <= far + 1e-9).all(), f"{other.name} found a nearer row"
                print(f"  nearest {np.mean(nearest):.2f} away on average; {other.name}'s {np.mean(far):.2f}")
            if name == "rf":
                print(f"  goal of {GOAL:g} s: {'reached' if np.median(seconds) < GOAL else 'MISSED'}")
                peer(exact, queries.iloc[: chosen.peer_queries], nearest, float(np.median(seconds)))


def peer(exact: ExactGenerator, queries: object, nearest: list[float], ours: float) -> None:
    """Solve the same queries with CP-SAT, and compare."""
    try:
        from ortools.sat.python import cp_model
    except ImportError:
        print("  CP-SAT: not measured, ortools is not installed")
        return
    table, engine = exact.table_, exact._engine
    assert isinstance(engine, TreeEngine)
    encoded = table.encode(queries)
    numbers = exact._model.inputs(encoded)
    limits = Limits.of(table.encoder.schema, encoded)
    for cut in (False, True):
        spent = []
        for at in range(len(encoded)):
            limit = nearest[at] if cut else np.inf
            one = limits.take(slice(at, at + 1))
            lines = lines_of(exact._columns, exact._metric, one, limit)
            lines, relaxation = engine.relax(lines, numbers[at], exact._metric, limit)
            best, seconds = solve(cp_model, lines, relaxation)
            spent.append(seconds)
            assert abs(best - nearest[at]) < 1e-4, "CP-SAT disagrees"
        form = "cut at the nearest row" if cut else "plain"
        print(
            f"  CP-SAT, {form}, {len(spent)} of these, one worker: median "
            f"{np.median(spent):.2f} s CPU; CP-SAT / ours: {np.median(spent) / ours:.1f}"
        )


def solve(cp_model: object, lines: list, relaxation: TreeRelaxation) -> tuple[float, float]:
    """Give the nearest distance by CP-SAT, and the CPU seconds of building and solving the model."""
    start = time.process_time()
    model = cp_model.CpModel()
    costs, above, option = [], {}, {}
    for j, line in enumerate(lines):
        if isinstance(line, ListLine):
            places = np.arange(line.last + 1)
        else:
            edges = np.concatenate([[0], line.cuts])
            ends = np.concatenate([line.cuts - 1, [line.last]])
            places = np.clip(line.place, edges, ends)
        cells = [model.new_bool_var("") for _ in places]
        model.add_exactly_one(cells)
        costs += [(round(1e6 * c), v) for c, v in zip(line.at(places)[1], cells, strict=True)]
        option[j] = cells
        if not isinstance(line, ListLine):
            above[j] = [model.new_bool_var("") for _ in line.cuts]
            for c, literal in enumerate(above[j]):
                model.add(literal == sum(cells[c + 1 :]))
    leaf = [model.new_bool_var("") for _ in relaxation._value]
    starts = [*relaxation._starts.tolist(), len(leaf)]
    for first, last in pairwise(starts):
        model.add_exactly_one(leaf[first:last])
    for j, line in enumerate(lines):
        for number, literal in enumerate(leaf):
            if isinstance(line, ListLine):
                ways = relaxation._reach[j][:, number]
                if not ways.all():
                    model.add_bool_or([option[j][o] for o in np.flatnonzero(ways)]).only_enforce_if(literal)
                continue
            low, high = relaxation._first[j][number], relaxation._last[j][number]
            if low > 0:
                model.add_implication(literal, above[j][int(np.searchsorted(line.cuts, low))])
            if high < line.last:
                beyond = above[j][int(np.searchsorted(line.cuts, high + 1))]
                model.add_implication(literal, beyond.negated())
    margin = sum(round(1e9 * v) * x for v, x in zip(relaxation._value, leaf, strict=True))
    model.add(margin >= round(-1e9 * relaxation._offset) + 1)
    model.minimize(sum(cost * literal for cost, literal in costs))
    solver = cp_model.CpSolver()
    solver.parameters.num_workers = 1
    status = solver.solve(model)
    seconds = time.process_time() - start
    assert status == cp_model.OPTIMAL
    return solver.objective_value / 1e6, seconds


if __name__ == "__main__":
    main()
