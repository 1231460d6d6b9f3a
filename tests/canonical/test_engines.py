"""Engines: what they give back, what they keep, and what they refuse."""

from __future__ import annotations

import json
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from tests.canonical.worlds import world

from fairwitness.canonical import BootstrapSampler, CanonicalSampler, TreeCanonicalSampler
from fairwitness.canonical.tree import mirrored
from fairwitness.errors import ConfigError, DataError, FairwitnessWarning, NotFittedError

ENGINES = (TreeCanonicalSampler, BootstrapSampler)


def mixed(n: int = 300) -> tuple[pd.DataFrame, np.ndarray]:
    rng = np.random.default_rng(1)
    frame = pd.DataFrame(
        {
            "real": rng.normal(size=n),
            "text": rng.choice(np.array(["x", "y", None], dtype=object), n),
            "declared": pd.Categorical(
                rng.choice(["lo", "hi"], n), categories=["lo", "mid", "hi"], ordered=True
            ),
            "flag": rng.random(n) < 0.5,
            "constant": 7,
            "gaps": np.where(rng.random(n) < 0.2, np.nan, rng.integers(0, 5, n)),
            "whole": pd.array(np.where(rng.random(n) < 0.5, None, 1), dtype="Int64"),
        }
    )
    return frame, rng.random(n)


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("container", ["pandas", "polars", "pyarrow"])
def test_frames_come_back_in_kind_and_after_saving_equal(
    engine: type[CanonicalSampler], container: str, tmp_path: Path
) -> None:
    frame, scores = mixed()
    given = {"pandas": lambda f: f, "polars": pl.from_pandas, "pyarrow": pa.Table.from_pandas}[container](
        frame
    )
    fitted = engine().fit(given, scores)
    rows = fitted.sample(40, band=(0.2, 0.9), where={"text": "x", "flag": True})
    assert type(rows) is type(given)
    if container == "pandas":
        assert (rows.dtypes == frame.dtypes).all()
        assert list(rows.columns) == list(frame.columns)
    else:
        assert rows.schema == given.schema
    fitted.save(tmp_path / "engine.npz")
    loaded = CanonicalSampler.load(tmp_path / "engine.npz")
    assert type(loaded) is engine
    assert loaded.sample(40, band=(0.2, 0.9), where={"text": "x", "flag": True}).equals(rows)
    # a set of fixed columns that was not asked for before saving
    again = {"where": {"declared": "lo"}, "quantile": (0.5, 1.0)}
    assert loaded.sample(30, **again).equals(fitted.sample(30, **again))


@pytest.mark.parametrize("engine", ENGINES)
def test_a_seed_gives_the_same_rows_whatever_the_order_workers_and_global_state(
    engine: type[CanonicalSampler],
) -> None:
    frame, scores = mixed()
    first = engine(random_state=3).fit(frame, scores).sample(60, quantile=(0.5, 1))
    np.random.seed(5)  # noqa: NPY002 - the global state is what must not matter
    before = np.random.get_state()[1].copy()  # noqa: NPY002
    order = np.random.default_rng(0).permutation(len(frame))
    more = {"n_jobs": 2} if engine is TreeCanonicalSampler else {}
    fitted = engine(random_state=3, **more).fit(frame.iloc[order], scores[order])
    assert fitted.sample(60, quantile=(0.5, 1)).equals(first)
    assert (np.random.get_state()[1] == before).all()  # noqa: NPY002
    assert not fitted.sample(60, quantile=(0.5, 1), random_state=9).equals(first)


@pytest.mark.parametrize("engine", ENGINES)
def test_fixed_columns_are_kept_all_at_once(engine: type[CanonicalSampler]) -> None:
    frame, scores = world("direct")
    fitted = engine().fit(frame, scores)
    where = {"sex": "man", "town": ["a", "b"], "age": (30, 60)}
    made = fitted.sample_set(400, quantile=(0.5, 1), where=where)
    assert made.kept == 1.0
    assert (made.frame["sex"] == "man").all()
    assert made.frame["town"].isin(["a", "b"]).all()
    assert made.frame["age"].between(30, 60).all()
    inside = frame.assign(score=scores).query(
        "sex == 'man' and town in ('a', 'b') and 30 <= age <= 60 and score >= @scores_low",
        local_dict={"scores_low": made.request.low},
    )
    assert made.request.support == len(inside)


def test_the_joint_distribution_at_a_score_is_that_of_the_rows() -> None:
    frame, scores = world("proxy", 6000)
    made = TreeCanonicalSampler().fit(frame, scores).sample(4000, quantile=(0.8, 1))
    real = frame[scores >= np.quantile(scores, 0.8, method="inverted_cdf")]
    for columns in (["sex"], ["sex", "club"], ["club", "town"]):
        a, b = (each.value_counts(columns, normalize=True) for each in (made, real))
        assert a.sub(b, fill_value=0).abs().sum() / 2 < 0.05
    assert made["income"].mean() == pytest.approx(real["income"].mean(), rel=0.05)


def test_rows_at_the_ends_of_leaves_are_drawn_as_often_as_others() -> None:
    # a tree cuts where levels change: were its ends drawn less often, rare levels would grow rarer
    apart = []
    for seed in range(10):
        frame, scores = world("proxy", 2000, seed)
        made = TreeCanonicalSampler().fit(frame, scores).sample_set(4000, quantile=(0.9, 1))
        apart.append((made.frame["sex"] == "man").mean() - (made.real()["sex"] == "man").mean())
    assert abs(np.mean(apart)) < 0.008


def test_places_are_folded_so_that_all_are_met_equally_often() -> None:
    for count in range(1, 9):
        places = [
            int(place)
            for offset in range(-3, 4)
            for place in mirrored(np.arange(count) + offset, np.full(count, count))
        ]
        assert sorted(places) == sorted(list(range(count)) * 7)


def test_leaves_of_more_rows_give_fewer_copies() -> None:
    frame, scores = mixed(1200)
    known = set(frame[["real", "gaps"]].itertuples(index=False, name=None))

    def copied(leaf: int) -> int:
        rows = TreeCanonicalSampler(leaf=leaf, nearest=leaf).fit(frame, scores).sample(800, quantile=(0, 1))
        return sum(row in known for row in rows[["real", "gaps"]].itertuples(index=False, name=None))

    assert copied(100) < copied(2)


def test_bootstrap_rows_are_rows_of_the_table_with_the_nearest_scores() -> None:
    frame, scores = world("direct", 500)
    frame["key"] = np.arange(500)
    made = BootstrapSampler(neighbours=5).fit(frame, scores).sample_set(200, score=0.7)
    order = np.argsort(scores)
    place = np.searchsorted(scores[order], 0.7)
    assert set(made.frame["key"]) == set(order[place - 3 : place + 3])  # three on either side


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize(
    "table",
    [
        pd.DataFrame({"a": np.arange(60.0)}),
        pd.DataFrame({"a": ["x", "y", "z"] * 20}),
        pd.DataFrame({"a": [1] * 60, "b": ["k"] * 60}),
        pd.DataFrame({0: [True, False] * 30, 1: np.arange(60)}),
        pd.DataFrame({"a": [np.nan, 1.0, 2.0] * 20, "b": [None, "x", "y"] * 20}),
    ],
    ids=["no levels", "no numbers", "constant", "integer names and booleans", "missing"],
)
def test_odd_tables(engine: type[CanonicalSampler], table: pd.DataFrame) -> None:
    scores = np.linspace(0.02, 0.4, 60)  # one-sided as well
    rows = engine().fit(table, scores).sample(50, quantile=(0.5, 1))
    assert rows.shape == (50, table.shape[1])
    assert (rows.dtypes == table.dtypes).all()
    assert list(rows.columns) == list(table.columns)
    for name in table:
        assert set(rows[name].dropna()) <= set(table[name].dropna())


def test_missing_values_are_drawn_as_often_as_they_occur() -> None:
    frame, scores = mixed(3000)
    rows = TreeCanonicalSampler().fit(frame, scores).sample(3000, quantile=(0, 1))
    for name in ("text", "gaps"):
        assert rows[name].isna().mean() == pytest.approx(frame[name].isna().mean(), abs=0.03)
    fixed = TreeCanonicalSampler().fit(frame, scores).sample(50, quantile=(0, 1), where={"gaps": None})
    assert fixed["gaps"].isna().all()


def test_many_levels_are_grouped_and_said() -> None:
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(
        {"place": [f"p{i}" for i in rng.integers(0, 3000, 9000)], "x": rng.normal(size=9000)}
    )
    with pytest.warns(FairwitnessWarning, match="rarest are learnt as one"):
        fitted = TreeCanonicalSampler().fit(frame, rng.random(9000))
    rows = fitted.sample(500, quantile=(0, 1))
    assert rows["place"].nunique() > 200
    assert set(rows["place"]) <= set(frame["place"])
    assert any("place" in note for note in fitted.notes_)


def test_many_rows_are_drawn_from_and_said() -> None:
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"x": rng.normal(size=5000), "k": rng.choice(["a", "b"], 5000)})
    scores = rng.random(5000)
    with pytest.warns(FairwitnessWarning, match="Learnt from 1,000 of 5,000 rows"):
        fitted = TreeCanonicalSampler(max_rows=1000).fit(frame, scores)
    assert len(fitted.rows_) == 1000
    with pytest.warns(FairwitnessWarning):
        other = TreeCanonicalSampler(max_rows=1000).fit(frame[::-1], scores[::-1])
    assert other.sample(20, quantile=(0, 1)).equals(fitted.sample(20, quantile=(0, 1)))


def test_few_supporting_rows_are_said_and_none_are_refused_with_the_nearest() -> None:
    frame, scores = world("direct", 400)
    frame.loc[:2, "town"] = "rare"
    scores[:3] = [0.9, 0.92, 0.94]
    fitted = TreeCanonicalSampler().fit(frame, scores)
    with pytest.warns(FairwitnessWarning, match="Only 3 real rows support the request"):
        made = fitted.sample_set(20, band=(0.85, 0.99), where={"town": "rare"})
    assert made.request.support == 3
    assert (made.frame["town"] == "rare").all()
    with pytest.raises(DataError) as caught:
        fitted.sample(20, band=(0.0, 0.05), where={"town": "rare"})
    assert "no row supports the request" in str(caught.value)
    assert "0.900" in str(caught.value)  # the nearest score that such a row has
    assert "without town" in str(caught.value)


@pytest.mark.parametrize(
    ("request_", "says"),
    [
        ({}, "exactly one of"),
        ({"score": 0.5, "band": (0, 1)}, "exactly one of"),
        ({"score": 1.5}, "from 0 to 1"),
        ({"score": True}, "from 0 to 1"),
        ({"band": (0.9, 0.1)}, "between 0 and 1"),
        ({"band": 0.5}, "pair of numbers"),
        ({"quantile": (0, np.nan)}, "must be a number"),
        ({"quantile": (0, 1), "where": ["sex"]}, "which columns are fixed"),
    ],
)
def test_requests_that_make_no_sense(request_: dict[str, object], says: str) -> None:
    frame, scores = world("null", 100)
    with pytest.raises(ConfigError, match=says):
        TreeCanonicalSampler().fit(frame, scores).sample(10, **request_)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("where", "says"),
    [
        ({"sexx": "man"}, "not in the table"),
        ({"sex": "mann"}, "no such level"),
        ({"sex": ["man", 3]}, "no such"),
    ],
)
def test_columns_and_levels_that_are_not_there(where: dict[str, object], says: str) -> None:
    frame, scores = world("null", 100)
    with pytest.raises(DataError, match=says):
        TreeCanonicalSampler().fit(frame, scores).sample(10, quantile=(0, 1), where=where)


@pytest.mark.parametrize(
    ("scores", "says"),
    [
        ([0.5] * 97 + [np.nan, 0.2, np.nan], "rows 97 and 99"),
        ([0.5] * 99 + [1.2], "1.2 in row 99"),
        ([0.5] * 99, "99 scores for 100 rows"),
        (["a"] * 100, "numbers"),
    ],
)
def test_scores_that_are_none(scores: list[object], says: str) -> None:
    frame, _ = world("null", 100)
    with pytest.raises(DataError, match=says):
        TreeCanonicalSampler().fit(frame, scores)  # type: ignore[arg-type]


def test_other_refusals() -> None:
    frame, scores = world("null", 100)
    with pytest.raises(DataError, match="too few rows"):
        TreeCanonicalSampler().fit(frame[:4], scores[:4])
    with pytest.raises(DataError, match="protected column"):
        TreeCanonicalSampler(protected=["gender"]).fit(frame, scores)
    with pytest.raises(NotFittedError, match="call fit"):
        TreeCanonicalSampler().sample(5, score=0.5)
    with pytest.raises(ConfigError, match="leaf"):
        TreeCanonicalSampler(leaf=0).fit(frame, scores)
    with pytest.raises(ConfigError, match="n must be"):
        TreeCanonicalSampler().fit(frame, scores).sample(0, quantile=(0, 1))


def test_a_file_runs_nothing_and_is_checked(tmp_path: Path) -> None:
    frame, scores = world("null", 200)
    path = tmp_path / "engine.npz"
    TreeCanonicalSampler().fit(frame, scores).save(path)
    with pytest.raises(DataError, match="holds a TreeCanonicalSampler"):
        BootstrapSampler.load(path)
    with np.load(path) as file:
        arrays = dict(file)

    def changed(**changes: np.ndarray) -> Path:
        np.savez(tmp_path / "changed.npz", **{**arrays, **changes})
        return tmp_path / "changed.npz"

    document = json.loads(arrays["document"].tobytes())
    other = json.dumps({**document, "engine": "os"}).encode()
    for broken in (
        {"document": np.frombuffer(other, dtype=np.uint8)},
        {"document": np.frombuffer(b"{", dtype=np.uint8)},
        {"scores": arrays["scores"] + 5},
        {"matrix": arrays["matrix"] + 1000},
        {"state_tree0_left": np.zeros_like(arrays["state_tree0_left"])},  # a circle
        {"state_tree0_members": arrays["state_tree0_members"] + 10**6},
        {"state_tree0_members": np.array([object()], dtype=object)},
    ):
        with pytest.raises(DataError, match="no canonical sampler"):
            CanonicalSampler.load(changed(**broken))
    (tmp_path / "text").write_text("nothing")
    with pytest.raises(DataError):
        CanonicalSampler.load(tmp_path / "text")
    with pytest.raises(DataError, match="cannot be read"):
        CanonicalSampler.load(tmp_path / "absent.npz")


def test_settings_are_scikit_learns() -> None:
    from sklearn.base import clone

    engine = clone(TreeCanonicalSampler(leaf=7, protected=["sex"]))
    assert engine.get_params()["leaf"] == 7
    frame, scores = world("null", 100)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert engine.fit(frame, scores) is engine
    assert engine.rows_.inputs == ("age", "income", "race", "club", "town")
