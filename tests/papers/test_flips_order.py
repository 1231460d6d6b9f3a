"""How much order there is to find: the statistics by hand, and people's flips beside the library's own."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path
from types import ModuleType, SimpleNamespace

import numpy as np
import pytest
from scipy.stats import spearmanr

ROOT = Path(__file__).parents[2]
NAMES = ("flips_order_stats", "flips_tasks", "flips_cells", "flips_models", "flips_order", "flips_cache")


@pytest.fixture
def papers(monkeypatch: pytest.MonkeyPatch) -> SimpleNamespace:
    monkeypatch.syspath_prepend(str(ROOT / "benchmarks" / "papers"))
    before = set(sys.modules)
    found: dict[str, ModuleType] = {name: importlib.import_module(name) for name in NAMES}
    yield SimpleNamespace(**found)
    for name in set(sys.modules) - before:
        if name.startswith("flips"):
            del sys.modules[name]


def test_spearman_row_by_row(papers: SimpleNamespace) -> None:
    rng = np.random.default_rng(0)
    a, b = rng.integers(0, 5, (2, 6, 7)).astype(float)
    wanted = [spearmanr(x, y).statistic for x, y in zip(a, b, strict=True)]
    np.testing.assert_allclose(papers.flips_order_stats.spearman(a, b), wanted)
    np.testing.assert_allclose(
        papers.flips_order_stats.spearman(a[0], b), [spearmanr(a[0], y).statistic for y in b]
    )


def test_delta_with_weights_is_the_delta_of_repeated_people(papers: SimpleNamespace) -> None:
    stats = papers.flips_order_stats
    rng = np.random.default_rng(1)
    person = np.sort(rng.choice(40, 25, replace=False))
    crowd = stats.People(person, rng.random(25) < 0.5, rng.random(25))
    weights = rng.multinomial(40, np.full(40, 1 / 40), size=3)
    for count, got in zip(weights, crowd.delta(weights.astype(float)), strict=True):
        drawn = np.repeat(np.arange(25), count[person])
        other, value = crowd.other[drawn], crowd.cflips[drawn]
        assert got == pytest.approx(abs(value[other].mean() - value[~other].mean()))


def test_resamples_scatter_as_the_formula_says(papers: SimpleNamespace) -> None:
    stats = papers.flips_order_stats
    rng = np.random.default_rng(2)
    other = np.arange(2000) % 2 == 0
    crowd = stats.People(np.arange(2000), other, 0.3 * other + 0.6 * rng.random(2000))
    twin = stats.People(crowd.person, crowd.other, crowd.cflips * 0.5 + 0.1 * crowd.other)
    again = stats.resampled([crowd, twin], 2000, 3000, rng)
    assert stats.point([crowd, twin], 2000) == pytest.approx(again.mean(axis=0), abs=2e-3)
    groups = crowd.cflips[other], crowd.cflips[~other]
    wanted = np.sqrt(sum(each.var() / len(each) for each in groups))
    assert again[:, 0].std() == pytest.approx(wanted, rel=0.1)
    # the same people stand behind both
    assert np.corrcoef(again.T)[0, 1] > 0.3


def test_noise_of_seeds_is_what_is_not_shared(papers: SimpleNamespace) -> None:
    rng = np.random.default_rng(3)
    runs = (
        rng.normal(size=7)
        + 5 * rng.normal(size=(4000, 1))
        + rng.normal(size=(4000, 7)) * [1, 1, 1, 1, 1, 1, 2]
    )
    noise = papers.flips_order_stats.noise_of_seeds(runs)
    assert noise[:6] == pytest.approx(1, abs=0.15)
    assert noise[6] == pytest.approx(2, abs=0.15)


def test_a_ceiling_without_noise_is_one_and_falls_with_it(papers: SimpleNamespace) -> None:
    stats = papers.flips_order_stats
    printed = np.array([76.0, 77.2, 79.4, 78.4, 78.5, 76.7, 77.9])
    rng = np.random.default_rng(4)
    noise = rng.normal(size=(2000, 7))
    middles = [np.median(stats.ceiling(printed, size * noise)) for size in (0.0, 0.5, 2.0, 1e6)]
    assert middles[0] == 1
    assert 1 > middles[1] > middles[2] > 0.2
    assert abs(middles[3]) < 0.05


def test_lead_by_counting(papers: SimpleNamespace) -> None:
    rng = np.random.default_rng(5)
    other, y, given = rng.random((3, 5000)) < [[0.3], [0.25], [0.2]]
    given |= y & (rng.random(5000) < 0.5)
    quality = {
        "Precision": y[given].mean(),
        "Recall": given[y].mean(),
        "dsp": given[~other].mean() - given[other].mean(),
    }
    wanted = (~other[given]).mean() - other[given].mean()
    got = papers.flips_order_stats.lead(quality, favourable=y.mean(), other=other.mean())
    assert got == pytest.approx(wanted)


def test_people_have_the_flips_that_the_library_measures(papers: SimpleNamespace, shared_path: Path) -> None:
    from sklearn.base import clone

    from fairwitness.flips.inference import people_proba
    from fairwitness.model.zoo import decision_makers, sensitive_classifiers

    task = papers.flips_tasks.TASKS[0]
    split = papers.flips_tasks.prepare(task, shared_path / "data", split_seed=1)
    assert not np.array_equal(split.test, papers.flips_tasks.prepare(task, shared_path / "data").test)
    rows, groups = split.X.iloc[split.train], split.group_labels(split.train)
    maker = decision_makers(split.schema, only=["LR"], quick=True, random_state=0)["LR"].estimator
    f = clone(maker).fit(rows, split.y[split.train])
    f_s = sensitive_classifiers(split.schema, only=["RF"], quick=True, random_state=0)["RF"].estimator
    f_s = clone(f_s).fit(rows, groups)
    known = people_proba(f_s, split.X)
    looks = papers.flips_order.align(known, f_s, split.groups.labels)[1]
    for generator in ("neighbors", "kdtree"):
        asked = papers.flips_cells.Asked(generator, k=20, n_resamples=1)
        person, values = papers.flips_order.people(split, f, looks, generator, k=20)
        searched = papers.flips_cells.search(split, f, asked, seed=0, at_random=False)
        assert searched.random is None
        result = papers.flips_cells.measure(split, searched, f_s, asked, known=known, seed=0)
        codes = split.groups.codes[person]
        for code, label in enumerate(split.groups.labels):
            assert values[codes == code].mean() == pytest.approx(result[label].at("cflips", 20).estimate)
