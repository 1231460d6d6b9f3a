"""Does one task of the benchmark of metrics in a process of its own: ``WHO TASK N [PATH]``; prints JSON.

Peers' tasks import nothing of this project, so that they can run in environments of their own.
"""

from __future__ import annotations

import json
import resource
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from metrics_rows import RACES, SEXES, decisions, two_samples

#: A quick task is done again until this many CPU seconds are spent, five times at most; the median counts.
ENOUGH = 2.0
SIGMA = 0.3
RATES = (
    "selection_rate",
    "true_positive_rate",
    "false_positive_rate",
    "true_negative_rate",
    "false_negative_rate",
    "accuracy",
)
Work = Callable[[], dict[str, Any]]


def ours(task: str, n: int, path: str) -> Work:
    import fairwitness as fw
    from fairwitness import stats

    if task in {"groups", "text", "bootstrap", "bare"}:
        rows = decisions(n)
        groups = _groups(rows, task)
        if task == "bare":
            from fairwitness.metrics import count_labels

            codes = rows["race"].astype(np.int64)
            accepted, good = rows["pred"].astype(bool), rows["y"].astype(bool)

            def bare() -> dict[str, Any]:
                counted = count_labels(accepted, codes, len(RACES), good)
                return {name: counted.shares(name).value.tolist() for name in RATES}

            return bare

        def measured() -> dict[str, Any]:
            found = fw.metrics.measure(
                rows["y"], rows["pred"], sensitive_features=groups, metrics=list(RATES), n_resamples=1000
            )
            return {name: [v.estimate for v in found[name] if v.group] for name in RATES}

        if task != "bootstrap":
            return measured

        def resampled() -> dict[str, Any]:
            found = fw.metrics.measure(
                rows["y"],
                rows["pred"],
                sensitive_features=groups,
                metrics=[
                    "balanced_accuracy",
                    "f1",
                    "mcc",
                    "generalized_entropy_index",
                    "theil_index",
                    "f1_difference",
                ],
                n_resamples=1000,
            )
            return {"intervals": int(sum(np.isfinite(v.low) for v in found))}

        return resampled
    if task in {"mmd", "wasserstein", "median"}:
        x, y = two_samples(n)
        if task == "mmd":
            return lambda: {"value": stats.mmd_squared(x, y, bandwidth=SIGMA)}
        if task == "wasserstein":
            return lambda: {"value": stats.wasserstein_1(x, y)}
        both = np.concatenate([x, y])
        return lambda: {"value": stats.median_bandwidth(both)}

    def counted() -> dict[str, Any]:
        source: Any = path
        if task == "duckdb":
            import duckdb

            duckdb.sql("SET threads = 1")
            source = duckdb.read_parquet(path)
        elif task == "polars":
            import polars as pl

            source = pl.scan_parquet(path)
        more = {"y_score": "score"} if task == "scores" else {}
        found = fw.metrics.count_metrics(
            source, y_true="y", y_pred="pred", sensitive_features=["race", "sex"], **more
        )
        value = found.value("statistical_parity_difference", feature="sex", group=_other(found))
        return {"rows": found.n_rows, "value": value.estimate}

    return counted


def _other(found: Any) -> str:
    return next(label for label in SEXES if label != found.groups["sex"]["privileged"])


def fairlearn(task: str, n: int, path: str) -> Work:
    from fairlearn import metrics as fl
    from sklearn.metrics import accuracy_score

    rows = decisions(n)
    functions = {name: getattr(fl, name) for name in RATES[:-1]} | {"accuracy": accuracy_score}
    # each resample takes the same time: a few stand for all
    few = {"n_boot": 10, "ci_quantiles": [0.025, 0.975], "random_state": 0} if task == "bootstrap" else {}

    def measured() -> dict[str, Any]:
        frame = fl.MetricFrame(
            metrics=functions,
            y_true=rows["y"],
            y_pred=rows["pred"],
            sensitive_features=_groups(rows, task),
            **few,
        )
        return {name: frame.by_group[name].tolist() for name in RATES}

    return measured


def aif360(task: str, n: int, path: str) -> Work:
    import pandas as pd
    from aif360.datasets import BinaryLabelDataset
    from aif360.metrics import ClassificationMetric

    rows = decisions(n)
    frame = pd.DataFrame({name: rows[name].astype(float) for name in ("race", "y")})

    def measured() -> dict[str, Any]:
        true = BinaryLabelDataset(df=frame, label_names=["y"], protected_attribute_names=["race"])
        given = true.copy()
        given.labels = rows["pred"].astype(float)[:, None]
        sides = {"unprivileged_groups": [{"race": 1.0}], "privileged_groups": [{"race": 3.0}]}
        metric = ClassificationMetric(true, given, **sides)
        return {
            "value": metric.statistical_parity_difference(),
            "more": [
                metric.disparate_impact(),
                metric.equal_opportunity_difference(),
                metric.average_odds_difference(),
                metric.false_positive_rate_difference(),
                metric.error_rate_difference(),
            ],
        }

    return measured


def scipy(task: str, n: int, path: str) -> Work:
    x, y = two_samples(n)
    if task == "wasserstein":
        from scipy.stats import wasserstein_distance

        return lambda: {"value": wasserstein_distance(x, y)}
    from scipy.spatial.distance import cdist, pdist

    if task == "median":
        both = np.concatenate([x, y])
        return lambda: {"value": float(np.median(pdist(both[:, None])))}

    def kernel(a: np.ndarray, b: np.ndarray) -> float:
        return float(np.exp(-cdist(a[:, None], b[:, None], "sqeuclidean") / (2 * SIGMA**2)).mean())

    return lambda: {"value": kernel(x, x) + kernel(y, y) - 2 * kernel(x, y)}


def geomloss(task: str, n: int, path: str) -> Work:
    import torch
    from geomloss import SamplesLoss

    torch.set_num_threads(1)
    x, y = (torch.from_numpy(each)[:, None] for each in two_samples(n))
    # its loss is half of MMD²
    return lambda: {"value": 2 * float(SamplesLoss("gaussian", blur=SIGMA, backend="tensorized")(x, y))}


def write(task: str, n: int, path: str) -> Work:
    import pyarrow as pa
    import pyarrow.parquet as pq

    step = 1_000_000

    def written() -> dict[str, Any]:
        writer = None
        for at in range(0, n, step):
            rows = decisions(min(step, n - at), seed=at)
            columns = {
                name: pa.DictionaryArray.from_arrays(pa.array(rows[name]), pa.array(levels.tolist())).cast(
                    pa.string()
                )
                for name, levels in (("race", RACES), ("sex", SEXES))
            }
            table = pa.table({**columns, **{name: rows[name] for name in ("y", "pred", "score")}})
            writer = writer or pq.ParquetWriter(path, table.schema)
            writer.write_table(table)
        assert writer is not None
        writer.close()
        return {"bytes": Path(path).stat().st_size}

    return written


def _groups(rows: dict[str, np.ndarray], task: str) -> Any:
    if task != "text":
        return rows["race"].astype(np.int64)
    import pandas as pd

    return pd.Series(RACES[rows["race"]], name="race", dtype="str")


def main() -> None:
    who, task, n, path = sys.argv[1], sys.argv[2], int(sys.argv[3]), (sys.argv[4:] or [""])[0]
    work = globals()[who](task, n, path)
    once = task in {"counts", "scores", "duckdb", "polars", "write"}
    if not once:
        globals()[who](task, 1000, path)()  # what is imported when first used
    seconds: list[float] = []
    while not seconds or (not once and sum(seconds) < ENOUGH and len(seconds) < 5):
        start = resource.getrusage(resource.RUSAGE_SELF).ru_utime, time.perf_counter()
        found = work()
        seconds.append(resource.getrusage(resource.RUSAGE_SELF).ru_utime - start[0])
        wall = time.perf_counter() - start[1]
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(json.dumps({"cpu": float(np.median(seconds)), "wall": wall, "peak_mb": peak, "found": found}))


if __name__ == "__main__":
    main()
