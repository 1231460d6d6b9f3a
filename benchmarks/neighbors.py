"""NeighborGenerator on Adult beside DiCE's k-d tree: user CPU a query, on the same rows and model.

    python benchmarks/neighbors.py [adult.csv.gz] [--peer-python PATH] [--queries 3000] [--k 100]

The peer lives in its own environment, with the same versions of scikit-learn and LightGBM:
``python -m venv peers && peers/bin/pip install dice-ml lightgbm pyarrow``.
"""

from __future__ import annotations

import argparse

import numpy as np
import pandas as pd
from peer import demand, run_peer
from tables import load, timed, train

from fairwitness.counterfactuals import CounterfactualSet, NeighborGenerator, PrecomputedGenerator
from fairwitness.model import as_blackbox
from fairwitness.typing import FloatArray


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("table", nargs="?")
    parser.add_argument("--peer-python")
    parser.add_argument("--peer-queries", type=int, default=4)
    parser.add_argument("--queries", type=int, default=3000)
    parser.add_argument("--k", type=int, default=100)
    chosen = parser.parse_args()

    X, y = load("adult", chosen.table)
    model = train("lightgbm", X, y)
    answer = model.predict(X)
    queries = X[answer == 0].sample(chosen.queries, random_state=0)
    print(f"Adult, {len(X):,} rows, LightGBM pipeline, {len(queries):,} rejected queries, k = {chosen.k}")

    generator, fit_cpu, fit_wall = timed(lambda: NeighborGenerator().fit(X, as_blackbox(model)))
    print(f"fit: {fit_wall:.2f} s wall, {fit_cpu:.2f} s CPU (the model judges the whole table here)")
    got, cpu, wall = timed(lambda: generator.generate(queries, chosen.k))
    ours = cpu / len(queries)
    print(f"generate: {wall:.2f} s wall, {cpu:.2f} s CPU, {1000 * ours:.3f} ms CPU a query")
    demand(wall < 10, "under 10 s of wall time")
    demand(set(got.status) == {"found"}, f"{len(got):,} rows, {chosen.k} for every query")
    again = model.predict(got.encoder.decode(got.rows))
    demand(bool((again == 1).all()), "every row accepted when the user's own model is asked again")
    check_by_brute_force(got, generator, X, answer, queries, chosen.k)
    compare_with_a_tree(got, generator, ours)

    table = X.assign(outcome=y)
    some = queries[: chosen.peer_queries]
    peer = run_peer("DiCE", chosen.peer_python, model, table, some, chosen.k, "kdtree")
    if isinstance(peer, str):
        print(peer)
        return
    print(f"DiCE kdtree, {peer.queries} of these queries: {peer.cpu_per_query:.2f} s CPU a query")
    print(f"ratio of CPU a query, DiCE / ours: {peer.cpu_per_query / ours:,.0f}")
    mine = got.take(np.arange(len(some)))
    print(quality("ours", mine))
    if peer.made is not None:
        checked = PrecomputedGenerator(peer.made).fit(X, as_blackbox(model)).generate(some, chosen.k)
        print(quality("DiCE", checked) + f"; dropped {checked.settings['dropped']}")


def quality(name: str, cset: CounterfactualSet) -> str:
    summary = cset.to_dict()
    return (
        f"{name}: {len(cset)} valid rows, mean distance {np.mean(cset.distance):.2f}, "
        f"mean changed {summary['mean_changed']:.2f}, {summary['status']['found']} of {cset.n_queries} with k"
    )


def check_by_brute_force(
    got: CounterfactualSet,
    generator: NeighborGenerator,
    X: pd.DataFrame,
    answer: FloatArray,
    queries: pd.DataFrame,
    k: int,
) -> None:
    """Measure every accepted row of the frame against a few queries, column by column."""
    accepted = X[answer == 1].drop_duplicates()
    scales = dict(zip(got.encoder.names, generator.table_.distance.scales, strict=True))
    sample = np.linspace(0, len(queries) - 1, 25).astype(int)
    same = True
    for at in sample:
        query, far = queries.iloc[at], np.zeros(len(accepted))
        for name in X:
            column = accepted[name].to_numpy()
            if pd.api.types.is_numeric_dtype(accepted[name]):
                far += np.abs(column - query[name]) / scales[name]
            else:
                far += column != query[name]
        want = np.sort(far)[:k]
        same &= bool(np.allclose(got.distance[got.query == at], want, rtol=1e-9))
        # whatever ties with the last row may stand in for it; nothing nearer may be missing
        nearer = set(map(tuple, accepted[far < want[-1] - 1e-9].to_numpy().tolist()))
        mine = got.encoder.decode(got.rows[got.query == at])
        same &= nearer <= set(map(tuple, mine.to_numpy().tolist()))
    demand(same, f"equal to a brute-force search on {len(sample)} queries")


def compare_with_a_tree(got: CounterfactualSet, generator: NeighborGenerator, ours: float) -> None:
    """Time scikit-learn's ball tree on the same metric: halves of one-hot columns, scaled numbers."""
    from sklearn.neighbors import BallTree

    distance = generator.table_.distance
    accepted = generator.table_.rows[generator.table_.accepted]

    def flat(matrix: FloatArray) -> FloatArray:
        parts = []
        for j, kind in enumerate(distance.scale_kinds):
            if kind == "0/1":
                levels = np.arange(len(got.encoder.schema.features[j].levels))
                parts.append((matrix[:, j, None] == levels) / 2)
            else:
                parts.append(matrix[:, [j]] / distance.scales[j])
        return np.hstack(parts)

    tree = BallTree(flat(accepted), metric="manhattan")
    some = flat(got.queries[:200])
    (far, _), cpu, _ = timed(lambda: tree.query(some, k=got.k))
    mine = got.distance[got.query < 200].reshape(len(some), -1)
    demand(bool(np.allclose(far, mine, atol=1e-6)), "equal to a ball tree on 200 queries")
    print(f"ratio of CPU a query, ball tree / ours: {cpu / len(some) / ours:.1f}")


if __name__ == "__main__":
    main()
