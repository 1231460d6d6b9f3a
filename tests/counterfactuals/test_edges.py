"""Odd tables and odd models: every generator gives the right answer or a clear status."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.compose import make_column_selector, make_column_transformer
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

from fairwitness.counterfactuals import GeneticGenerator, NeighborGenerator, PrecomputedGenerator
from fairwitness.errors import ConfigError, DataError
from fairwitness.model import Judgement, as_blackbox
from fairwitness.table import Schema

NAMES = ("genetic", "neighbors", "precomputed")


def made_elsewhere(frame, queries, seed=0):
    """For each query, twenty rows of the table in which some cells are the query's own."""
    rng = np.random.default_rng(seed)
    parts = []
    for at in range(len(queries)):
        rows = frame.iloc[rng.integers(0, len(frame), 20)].reset_index(drop=True)
        home = queries.iloc[[at] * 20].reset_index(drop=True)
        mask = (rng.random((20, 1)) < 0.5) & (rng.random(rows.shape) < 0.5)
        cells = {name: rows[name].where(~mask[:, j], home[name]) for j, name in enumerate(frame.columns)}
        parts.append(pd.DataFrame(cells | {"query": np.full(20, at)}).astype(frame.dtypes.to_dict()))
    return pd.concat(parts, ignore_index=True)


def generator(name, frame, queries):
    if name == "genetic":
        return GeneticGenerator(random_state=0, patience=2, population=40, offspring=40)
    return (
        NeighborGenerator()
        if name == "neighbors"
        else PrecomputedGenerator(made_elsewhere(frame, queries), rank=None)
    )


def search(name, frame, model, *, k=3, n=5, schema=None, favorable=1, queries=None):
    """Search for rejected rows, and hold the answer to what every answer must be."""
    box = as_blackbox(model, favorable=favorable)
    if queries is None:
        queries = frame[~box.judge(frame).accepted][:n].reset_index(drop=True)
    fitted = generator(name, frame, queries).fit(frame, box, schema=schema)
    got = fitted.generate(queries, k)
    made = got.encoder.decode(got.rows)
    assert made.dtypes.equals(frame.dtypes)
    assert list(made.columns) == list(frame.columns)
    if len(made):
        predict = model.predict if hasattr(model, "predict") else lambda f: np.asarray(model(f)) >= 0.5
        assert (predict(made) == favorable).all()  # by the user's own model, as the user would ask it
    origin = got.queries[got.query]
    assert got.encoder.validate(got.rows, origin).all()
    assert got.changed.any(axis=1).all()
    lines = [(q, *row) for q, row in zip(got.query.tolist(), got.rows.tolist(), strict=True)]
    assert len({tuple(map(str, line)) for line in lines}) == len(lines)
    for status, count in zip(got.status, got.n_found.tolist(), strict=True):
        assert status == ("found" if count == k else "short" if count else "none")
    return got


def classifier(estimator=None):
    return make_pipeline(
        make_column_transformer(
            (OneHotEncoder(handle_unknown="ignore"), make_column_selector(dtype_exclude=np.number)),
            remainder=StandardScaler(),
        ),
        estimator or LogisticRegression(),
    )


def people(n=300, seed=0):
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(
        {
            "age": rng.integers(18, 80, n).astype("int8"),
            "code": rng.choice([1, 3, 40], n),
            "job": rng.choice(list("abc"), n),
            "income": rng.normal(4, 2, n).round(1).astype("float32"),
            "owner": rng.random(n) < 0.5,
        }
    )
    return frame, (frame["income"] + 2 * frame["owner"] + (frame["code"] == 3) > 5).astype(int)


# ---------------------------------------------------------------------- what columns hold


@pytest.mark.parametrize("name", NAMES)
def test_integer_codes_stay_codes(name):
    frame, y = people()
    schema = Schema.infer(frame, code={"kind": "categorical"})
    got = search(name, frame, classifier().fit(frame, y), schema=schema)
    assert set(got.status) == {"found"}
    assert set(got.encoder.decode(got.rows)["code"]) <= {1, 3, 40}


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("favorable", ["yes", "no"])
def test_outcomes_that_are_words(name, favorable):
    frame, y = people()
    model = classifier().fit(frame, y.map({0: "no", 1: "yes"}))
    assert set(search(name, frame, model, favorable=favorable).status) == {"found"}


@pytest.mark.parametrize("name", NAMES)
def test_missing_is_a_value_if_the_model_takes_it(name):
    frame, y = people()
    frame["income"] = frame["income"].astype(float)
    frame.loc[::4, "income"] = np.nan
    frame["job"] = frame["job"].where(frame.index % 7 > 0, None)
    model = HistGradientBoostingClassifier(max_iter=15, random_state=0)
    model = make_pipeline(
        make_column_transformer(
            (OneHotEncoder(handle_unknown="ignore"), ["job"]), remainder="passthrough", sparse_threshold=0
        ),
        model,
    ).fit(frame, y)
    queries = frame[(model.predict(frame) == 0) & frame["income"].isna()][:4].reset_index(drop=True)
    got = search(name, frame, model, queries=queries)
    assert set(got.status) == {"found"}
    # from missing to a number is a change, and so is the way back
    schema = Schema.infer(frame).feature("income", monotone="increase")
    got = search(name, frame, model, queries=queries, schema=schema)
    assert got.encoder.decode(got.rows)["income"].isna().all()


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(
    ("column", "value", "said"), [("job", "z", "'job'.*'z'"), ("income", np.nan, "'income'.*missing")]
)
def test_what_the_table_never_had_is_named(name, column, value, said):
    frame, y = people()
    queries = frame[:2].copy()
    queries[column] = [value, frame[column][1]]
    made = generator(name, frame, frame[:2]).fit(frame, classifier().fit(frame, y))
    with pytest.raises(DataError, match=said):
        made.generate(queries, 2)


@pytest.mark.parametrize("name", NAMES)
def test_a_level_that_is_declared_but_never_seen_is_not_proposed(name):
    frame, y = people()
    frame["job"] = pd.Categorical(frame["job"], categories=[*"abcd"])
    got = search(name, frame, classifier().fit(frame, y))
    assert set(got.encoder.decode(got.rows)["job"]) <= set("abc")


# ---------------------------------------------------------------------- what tables look like


@pytest.mark.parametrize("name", NAMES)
def test_all_columns_are_categories(name):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({f"c{j}": rng.choice(list("xyz"), 200) for j in range(4)})
    y = ((frame["c0"] == "x").astype(int) + (frame["c1"] == "y") > 0).astype(int)
    got = search(name, frame, classifier().fit(frame, y))
    assert set(got.status) == {"found"}
    assert (got.distance == np.rint(got.distance)).all()


@pytest.mark.parametrize("name", NAMES)
def test_all_columns_are_numbers(name):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.normal(0, 1, (200, 3)), columns=list("abc"))
    got = search(name, frame, classifier().fit(frame, (frame["a"] + frame["b"] > 0).astype(int)))
    assert set(got.status) == {"found"}


@pytest.mark.parametrize("name", NAMES)
def test_columns_that_are_constant(name):
    frame, y = people()
    frame = frame.assign(one=1, word="same", zero=0.0)
    got = search(name, frame, classifier().fit(frame, y))
    assert set(got.status) == {"found"}
    assert not got.changed[:, -3:].any()


@pytest.mark.parametrize("name", NAMES)
def test_four_hundred_columns(name):
    rng = np.random.default_rng(0)
    columns = {f"n{j}": rng.normal(0, 1, 120).round(2) for j in range(200)}
    columns |= {f"c{j}": rng.choice(list("xyz"), 120) for j in range(200)}
    frame = pd.DataFrame(columns)
    # a rule, not a pipeline: one-hot encoding 200 columns costs far more than the search
    got = search(name, frame, lambda f: (f["n0"] + (f["c0"] == "x") > 0.5).to_numpy(dtype=float), n=3)
    assert got.rows.shape[1] == 400
    if name != "precomputed":
        assert set(got.status) == {"found"}
    if name == "genetic":
        assert got.changed.sum(axis=1).max() <= 20


@pytest.mark.parametrize("name", NAMES)
def test_one_column(name):
    frame = pd.DataFrame({"x": np.arange(20.0)})
    got = search(name, frame, lambda f: (f["x"] > 10).to_numpy(dtype=float), k=2)
    if name != "precomputed":
        assert set(got.status) == {"found"}
        assert got.to_frame()["x"].tolist() == [11.0, 12.0] * 5


@pytest.mark.parametrize("name", ["genetic", "neighbors"])
def test_one_row(name):
    frame = pd.DataFrame({"x": [1.0], "word": ["a"]})
    got = search(name, frame, lambda f: np.zeros(len(f)))
    assert got.status == ("none",)


# ---------------------------------------------------------------------- what models accept


@pytest.mark.parametrize("name", NAMES)
def test_an_outcome_that_cannot_be_reached(name):
    frame, _ = people()
    got = search(name, frame, lambda f: np.full(len(f), 0.2))
    assert got.status == ("none",) * 5
    assert len(got) == 0


@pytest.mark.parametrize("name", NAMES)
def test_an_outcome_that_constraints_cut_off(name):
    frame, _ = people()
    schema = Schema.infer(frame).feature("income", immutable=True)
    got = search(name, frame, lambda f: (f["income"] > 6).to_numpy(dtype=float), schema=schema)
    assert got.status == ("none",) * 5


@pytest.mark.parametrize("name", ["genetic", "neighbors"])
def test_a_class_of_one_row(name):
    frame, _ = people(60)
    frame = frame.drop(columns="income").assign(income=np.arange(60) % 7 + 0.5)
    frame.loc[30, "income"] = 9.5
    got = search(name, frame, lambda f: (f["income"] > 8).to_numpy(dtype=float), k=2)
    if name == "neighbors":
        assert got.status == ("short",) * 5
        assert got.source.tolist() == [30] * 5
    else:
        assert got.status == ("found",) * 5


@pytest.mark.parametrize("name", ["genetic", "neighbors"])
def test_the_only_accepted_row_asks_for_another(name):
    frame, _ = people(60)
    frame["income"] = np.append(np.full(59, 2.0), 9.5)
    rule = lambda f: (f["income"] > 8).to_numpy(dtype=float)  # noqa: E731
    got = search(name, frame, rule, queries=frame[59:].reset_index(drop=True), k=2)
    assert got.status == (("none",) if name == "neighbors" else ("found",))


@pytest.mark.parametrize("name", NAMES)
def test_a_model_that_accepts_everybody(name):
    frame, _ = people()
    got = search(name, frame, lambda f: np.ones(len(f)), queries=frame[:5])
    assert set(got.status) == {"found"}


@pytest.mark.parametrize("name", NAMES)
def test_no_queries(name):
    frame, y = people()
    made = (
        generator(name, frame, frame[:1])
        if name != "precomputed"
        else PrecomputedGenerator(frame[:0].assign(query=pd.Series(dtype=int)), rank=None)
    )
    got = made.fit(frame, classifier().fit(frame, y)).generate(frame[:0], 2)
    assert got.status == ()


@pytest.mark.parametrize("name", ["genetic", "neighbors"])
@pytest.mark.parametrize("container", ["polars", "pyarrow"])
def test_other_containers(name, container):
    frame = pl.from_pandas(people()[0])
    frame = frame if container == "polars" else frame.to_arrow()
    box = as_blackbox(lambda f: (np.asarray(f["income"]) > 6).astype(float))
    made = (GeneticGenerator(random_state=0, patience=2) if name == "genetic" else NeighborGenerator()).fit(
        frame, box
    )
    got = made.generate(frame[:4], 2)
    assert got.encoder.decode(got.rows).schema == frame.schema
    assert set(got.status) == {"found"}
    assert box.judge(got.encoder.decode(got.rows)).accepted.all()


@pytest.mark.parametrize(
    "make",
    [
        lambda: NeighborGenerator(chunk_size="x"),
        lambda: GeneticGenerator(generations=None),
        lambda: GeneticGenerator(patience="5"),
        lambda: GeneticGenerator(validity="high"),
        lambda: GeneticGenerator(sparsity=-1),
    ],
)
def test_a_wrong_setting_is_named(make):
    with pytest.raises(ConfigError, match="must"):
        make()


@pytest.mark.parametrize(
    "budget", [{"max_queries": "x"}, {"max_queries": -1}, {"time_budget": "x"}, {"time_budget": -1}]
)
def test_a_wrong_budget_is_named(budget):
    frame = pd.DataFrame({"a": [0.0, 1.0, 2.0]})
    generator = NeighborGenerator().fit(frame, lambda rows: (rows["a"] > 0.5).to_numpy().astype(float))
    with pytest.raises(ConfigError, match=next(iter(budget))):
        generator.generate(frame.iloc[:1], k=1, **budget)
    with pytest.raises(DataError, match="positions"):
        generator.generate(frame.iloc[:1], k=1).take(["a"])


@pytest.mark.parametrize(
    ("wrong", "error", "says"),
    [
        ({"schema": 3}, ConfigError, "schema is no Schema; got 3"),
        ({"schema": {"a": {"immutable": True}}}, ConfigError, "schema is no Schema"),
        ({"judgement": 3}, DataError, "judgement holds no answers of a model; got 3"),
        ({"judgement": np.ones(4)}, DataError, "judgement holds no answers"),
        (
            {"judgement": Judgement(np.array(list("abcd")), np.ones(4))},
            DataError,
            "accepted must hold booleans",
        ),
        (
            {"judgement": Judgement(np.ones(4, bool), np.array(list("abcd")))},
            DataError,
            "score must hold numbers",
        ),
        ({"judgement": Judgement(np.ones(3, bool), np.ones(3))}, DataError, "one answer for each row"),
        ({"judgement": Judgement(np.ones(4, bool), np.ones(1))}, DataError, "one answer for each row"),
    ],
)
def test_what_is_no_schema_or_judgement_is_named(wrong, error, says):
    frame = pd.DataFrame({"a": [1.0, 2.0, 3.0, 4.0]})
    for made in (
        NeighborGenerator(),
        GeneticGenerator(),
        PrecomputedGenerator(frame.assign(query=0), rank=None),
    ):
        with pytest.raises(error, match=says):
            made.fit(frame, lambda rows: (rows["a"] > 2) * 1.0, **wrong)


def test_a_judgement_of_lists_is_read():
    frame = pd.DataFrame({"a": [1.0, 2.0, 3.0, 4.0]})
    told = Judgement([False, False, True, True], [0.1, 0.2, 0.7, 0.8])
    got = (
        NeighborGenerator()
        .fit(frame, lambda rows: (rows["a"] > 9) * 1.0, judgement=told)
        .generate(frame[:1], 1)
    )
    assert got.score.tolist() == [0.7]
