from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.dataset as ds
import pyarrow.parquet as pq
import pytest

from fairwitness.errors import ConfigError, DataError, GroupError
from fairwitness.table import EqualBins, cells_tally, count_cells, count_table, sensitive_groups
from fairwitness.table.batches import batches, stream_columns

N = 700


@pytest.fixture
def frame():
    rng = np.random.default_rng(0)
    race = rng.choice(["a", "b", "c"], N).astype(object)
    race[rng.random(N) < 0.1] = None
    age = rng.integers(18, 70, N).astype(float)
    age[rng.random(N) < 0.1] = np.nan
    return pd.DataFrame(
        {
            "race": race,
            "age": age,
            "ok": rng.random(N) < 0.4,
            "y": rng.integers(-1, 2, N),
            "score": np.round(rng.random(N), 3),
            "w": np.round(rng.random(N), 2),
            "times": rng.integers(0, 4, N),
        }
    )


def as_duckdb(frame, folder):
    return pytest.importorskip("duckdb").from_df(frame)


def as_file(frame, folder):
    path = folder / "rows.parquet"
    pq.write_table(pa.Table.from_pandas(frame), path, row_group_size=97)
    return path


def as_folder(frame, folder):
    for at in range(0, N, 300):
        pq.write_table(pa.Table.from_pandas(frame[at : at + 300]), folder / f"part{at:03}.parquet")
    return str(folder)


def as_stream(frame, folder):
    table = pa.Table.from_pandas(frame)
    return pa.RecordBatchReader.from_batches(table.schema, table.to_batches(max_chunksize=50))


SOURCES = {
    "pandas": lambda f, _: f,
    "polars": lambda f, _: pl.from_pandas(f),
    "arrow": lambda f, _: pa.Table.from_pandas(f),
    "polars lazy": lambda f, _: pl.from_pandas(f).lazy(),
    "duckdb": as_duckdb,
    "file": as_file,
    "folder": as_folder,
    "paths": lambda f, folder: [as_file(f, folder)],
    "dataset": lambda f, folder: ds.dataset(as_file(f, folder)),
    "stream": as_stream,
    "dictionary": lambda f, folder: as_file(f.astype({"race": "category"}), folder),
}


@pytest.fixture(params=SOURCES)
def source(request, frame, tmp_path):
    return SOURCES[request.param](frame, tmp_path)


def as_dict(cells):
    keys = zip(*(cells.table[name].to_pylist() for name in cells.table.column_names), strict=True)
    sums = zip(cells.rows, cells.weight, cells.squares, strict=True)
    return {key: tuple(float(each) for each in parts) for key, parts in zip(keys, sums, strict=True)}


def by_hand(frame, keys, weight):
    found = {}
    for at, key in enumerate(keys):
        rows, total, squares = found.get(key, (0.0, 0.0, 0.0))
        found[key] = (rows + 1, total + weight[at], squares + weight[at] ** 2)
    return found


@pytest.mark.parametrize("weights", [None, "w", "times"])
def test_cells_are_the_same_wherever_the_table_is(frame, source, weights):
    cells = count_cells(source, ["y", "race", "ok"], weights=weights)
    weight = np.ones(N) if weights is None else frame[weights].to_numpy(dtype=float)
    race = [None if value is None or value != value else value for value in frame["race"]]
    want = by_hand(frame, list(zip(frame["y"], race, frame["ok"], strict=True)), weight)
    got = as_dict(cells)
    assert got.keys() == want.keys()
    for key, sums in want.items():
        assert got[key] == pytest.approx(sums, abs=1e-9)
    assert cells.weighted == (weights is not None)
    assert cells.rows.sum() == N


def test_numbers_are_cut_wherever_the_table_is(frame, source):
    cells = count_cells(source, ["ok", "age >= 40"])
    assert cells.table.column_names == ["ok", "age ≥ 40"]
    labels = [None if a != a else "age ≥ 40" if a >= 40 else "age < 40" for a in frame["age"]]
    want = by_hand(frame, list(zip(frame["ok"], labels, strict=True)), np.ones(N))
    assert as_dict(cells) == want
    assert cells.table["age ≥ 40"].type.ordered
    assert cells.table["age ≥ 40"].chunk(0).dictionary.to_pylist() == ["age ≥ 40", "age < 40"]


def test_scores_are_binned_wherever_the_table_is(frame, source):
    bins = EqualBins(0, 1, 64)
    cells = count_cells(source, ["ok", "score"], bins={"score": bins}, weights="w")
    codes = np.minimum((frame["score"].to_numpy() * 64).astype(int), 63)
    want = by_hand(frame, list(zip(frame["ok"], codes, strict=True)), frame["w"].to_numpy())
    got = as_dict(cells)
    assert got.keys() == want.keys()
    for key, sums in want.items():
        assert got[key] == pytest.approx(sums, abs=1e-9)
    assert np.abs(bins.centres(codes) - frame["score"]).max() <= bins.width / 2


@pytest.mark.parametrize("kind", ["file", "folder", "pandas", "polars lazy", "duckdb"])
def test_refused_wherever_the_table_is(frame, tmp_path, kind):
    frame["late"] = np.where(np.arange(N) == 690, -1.0, 0.5)
    frame["gone"] = np.where(np.arange(N) == 690, np.nan, 0.5)
    frame["name"] = [f"n{at}" for at in range(N)]
    source = SOURCES[kind](frame, tmp_path)
    with pytest.raises(DataError, match="lacks column lost"):
        count_cells(source, ["race", "lost"])
    with pytest.raises(DataError, match="different names"):
        count_cells(source, ["race", "race"])
    with pytest.raises(DataError, match="different names"):
        count_cells(source, [])
    with pytest.raises(DataError, match="counted as well"):
        count_cells(source, ["race", "w"], weights="w")
    for weights in ("late", "gone"):
        with pytest.raises(DataError, match="negative, infinite or missing"):
            count_cells(source, ["race"], weights=weights)
    with pytest.raises(DataError, match="should hold numbers"):
        count_cells(source, ["ok"], weights="race")
    with pytest.raises(GroupError, match="cannot be cut"):
        count_cells(source, ["race > 3"])
    with pytest.raises(DataError, match="outside their range"):
        count_cells(source, ["late"], bins={"late": EqualBins()})
    with pytest.raises(DataError, match="missing values"):
        count_cells(source, ["gone"], bins={"gone": EqualBins()})
    with pytest.raises(DataError, match="more than 500 combinations"):
        count_cells(source, ["name"], max_cells=500)


@pytest.mark.parametrize("most", [0, 20, 2**19])
@pytest.mark.parametrize("weights", [None, "w"])
def test_whether_or_not_all_cells_have_room(monkeypatch, frame, tmp_path, most, weights):
    monkeypatch.setattr(cells_tally, "MOST_DENSE", most)
    monkeypatch.setattr(cells_tally, "_SPAN", 2)
    got = as_dict(count_cells(as_folder(frame, tmp_path), ["times", "y", "race"], weights=weights))
    race = [None if value is None or value != value else value for value in frame["race"]]
    weight = np.ones(N) if weights is None else frame["w"].to_numpy()
    want = by_hand(frame, list(zip(frame["times"], frame["y"], race, strict=True)), weight)
    assert got.keys() == want.keys()
    for key, sums in want.items():
        assert got[key] == pytest.approx(sums, abs=1e-9)


def test_many_values_and_wide_whole_numbers(frame, tmp_path):
    frame["id"] = np.arange(N) * 10**9
    cells = count_cells(as_file(frame, tmp_path), ["id", "ok", "score"])
    assert cells.table.num_rows == N
    assert set(cells.table["id"].to_pylist()) == set(frame["id"])


def test_count_table_reads_files(frame, tmp_path):
    path = as_file(frame, tmp_path)
    got = count_table(str(path), ["race", "ok"], weights="w")
    want = count_table(frame, ["race", "ok"], weights="w")
    assert got.levels == want.levels
    np.testing.assert_allclose(got.counts, want.counts)
    assert count_table(path, ["y"]).counts.dtype == np.int64
    with pytest.raises(DataError, match="takes its weights from a column"):
        count_table(path, ["y"], weights=np.ones(N))


def test_batches(frame, tmp_path):
    path = as_file(frame, tmp_path)
    parts = list(batches(path, ["ok", "race"], rows=64))
    assert sum(part.num_rows for part in parts) == N
    assert max(part.num_rows for part in parts) <= 64
    assert all(part.schema.names == ["ok", "race"] for part in parts)
    assert pa.types.is_dictionary(parts[0].schema.field("race").type)
    stream = as_stream(frame, tmp_path)
    assert max(part.num_rows for part in batches(stream, ["y"], rows=30)) <= 30
    assert stream_columns(path) == list(frame)


def test_files_that_are_none(tmp_path):
    with pytest.raises(DataError, match="no such file"):
        count_cells(tmp_path / "lost.parquet", ["a"])
    with pytest.raises(DataError, match="holds no parquet files"):
        count_cells(tmp_path, ["a"])
    (tmp_path / "rows.csv").write_text("a,b\n1,2\n")
    with pytest.raises(DataError, match="cannot be read as parquet"):
        count_cells(tmp_path / "rows.csv", ["a"])


def test_an_empty_table_has_no_cells(tmp_path):
    pq.write_table(pa.table({"a": pa.array([], pa.int64())}), tmp_path / "empty.parquet")
    assert count_cells(tmp_path / "empty.parquet", ["a"]).table.num_rows == 0


@pytest.mark.parametrize("bad", [(1.0, 1.0, 5), (0.0, np.inf, 5), (0.0, 1.0, 0)])
def test_bins_have_a_range(bad):
    with pytest.raises(ConfigError):
        EqualBins(*bad)


def test_groups_of_cells_are_the_groups_of_the_rows(frame):
    cells = count_cells(frame, ["race", "ok", "age >= 40"])
    table = cells.table.select(["race", "age ≥ 40"])
    accepted = np.array(cells.table["ok"].to_pylist(), dtype=float)
    asked = {"missing": "group", "intersections": True}
    got = sensitive_groups(table, accepted=accepted, rows=cells.rows, **asked)
    want = sensitive_groups({"race": frame["race"], "age >= 40": frame["age"]}, accepted=frame["ok"], **asked)
    for mine, theirs in zip(got, want, strict=True):
        assert mine.to_dict() | {"parts": None} == theirs.to_dict() | {"parts": None}
    few = np.arange(3)
    assert got[0].take(few).counts.sum() == cells.rows[:3].sum()
    assert got[0].take(np.zeros(0, int)).n_missing == 0
    with pytest.raises(GroupError, match=f"of {N} rows"):
        sensitive_groups(table, rows=cells.rows, missing="error")


def test_any_iterator_of_batches_is_a_stream(tmp_path):
    table = pa.table({"a": ["x", "y", "x", "x"] * 5, "n": list(range(20))})
    pq.write_table(table, tmp_path / "t.parquet")
    want = count_cells(table, ["a"])
    file = pq.ParquetFile(tmp_path / "t.parquet")
    for source in (
        file.iter_batches(batch_size=3),
        iter(table.to_batches(max_chunksize=3)),
        table.to_batches(max_chunksize=3),
        (batch for batch in table.to_batches()),
    ):
        got = count_cells(source, ["a"])
        assert got.table["a"].to_pylist() == want.table["a"].to_pylist()
        assert got.rows.tolist() == want.rows.tolist() == [15, 5]
    used = iter(table.to_batches())
    list(used)
    with pytest.raises(DataError, match="the stream holds no batches"):
        count_cells(used, ["a"])
    with pytest.raises(DataError, match="must give arrow batches of the same columns and types; got str"):
        count_cells(iter(["x"]), ["a"])
    mixed = [*table.to_batches(), *table.select(["a"]).to_batches()]
    with pytest.raises(DataError, match="must give arrow batches of the same columns"):
        count_cells(iter(mixed), ["a"])
    with pytest.raises(DataError, match="the table lacks column b"):
        count_cells(iter(table.to_batches()), ["b"])
