"""The catalogue is complete, its names are functions, and what shows it shows all of it."""

from __future__ import annotations

import inspect
from pathlib import Path

import numpy as np
import pytest

import fairwitness.metrics as room
from fairwitness.errors import ConfigError, DataError
from fairwitness.metrics.declared.catalogue import CATALOGUE, chosen, list_metrics
from fairwitness.metrics.declared.page import main, rewritten, table

#: Metrics that are numbers of a table, not functions: parts or variants of a distance or an entropy.
NO_FUNCTION = {
    "wasserstein_distance_max",
    "wasserstein_distance_to_whole",
    "mmd_max",
    "mmd_to_whole",
    "mmd2_unbiased",
    "total_variation",
    "jensen_shannon",
    "between_group_entropy",
    "within_group_entropy",
    "mean_prediction",
}


def test_every_metric_says_everything() -> None:
    for metric in CATALOGUE.values():
        for field in ("formula", "range", "best", "source"):
            assert getattr(metric, field), f"{metric.name} has no {field}"
        assert metric.needs
        assert metric.tasks
        assert metric.to_dict()["name"] == metric.name


def test_metrics_are_public_functions() -> None:
    levels = {name for name, metric in CATALOGUE.items() if metric.kind == "level"}
    named = set(CATALOGUE) - NO_FUNCTION - {f"{name}_difference" for name in levels} | levels - NO_FUNCTION
    for name in named:
        function = getattr(room, name)
        parameters = list(inspect.signature(function).parameters)
        assert parameters[0] in {"y_true", "scores"}, name


def test_measure_gives_every_metric_that_fits() -> None:
    rng = np.random.default_rng(0)
    n = 400
    g, y = rng.choice(["a", "b"], n), rng.integers(0, 2, n)
    s = rng.random(n)
    labels = room.measure(y, s > 0.5, y_score=s, sensitive_features=g, n_resamples=50)
    numbers = room.measure(
        rng.normal(size=n), s, sensitive_features=g, n_resamples=50, benefit=s, task="regression"
    )
    found = {value.metric for value in (*labels, *numbers)}
    assert found == set(CATALOGUE)
    for value in (*labels, *numbers):
        assert value.family == CATALOGUE[value.metric].family
        assert value.status == "ok", value
        assert value.low <= value.estimate <= value.high, value
    assert not set(labels.left_out) & {value.metric for value in labels}


def test_choosing() -> None:
    assert {metric.name for metric in chosen("entropy")} == {
        metric.name for metric in list_metrics(family="entropy")
    }
    assert [metric.name for metric in chosen(["mae", "accuracy"])] == ["accuracy", "mae"]
    with pytest.raises(ConfigError, match="did you mean accuracy"):
        chosen("acuracy")
    with pytest.raises(ConfigError, match="no metric is named"):
        chosen([])
    with pytest.raises(ConfigError, match="no such family"):
        list_metrics(family="fairness")
    with pytest.raises(ConfigError, match="no such task"):
        list_metrics(task="ranking")
    assert all("regression" in metric.tasks for metric in list_metrics(task="regression"))


def test_the_page_has_the_table_of_today(project_root: Path) -> None:
    page = (project_root / "docs" / "metrics.md").read_text(encoding="utf-8")
    assert page == rewritten(page), "run make docs-metrics"


def test_the_page_is_rewritten_in_place(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    from fairwitness.metrics.declared.page import END, START

    path = tmp_path / "page.md"
    path.write_text(f"before\n{START}\nof yesterday\n{END}\nafter\n", encoding="utf-8")
    assert main([str(path)]) == 0
    text = path.read_text(encoding="utf-8")
    assert text.startswith("before\n")
    assert text.endswith("\nafter\n")
    assert "of yesterday" not in text
    assert table() in text
    assert all(f"| `{name}` |" in text for name in CATALOGUE)
    assert main([]) == 2
    assert "usage" in capsys.readouterr().err
    with pytest.raises(DataError, match="no place"):
        rewritten("nothing")
