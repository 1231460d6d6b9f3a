from __future__ import annotations

import gzip
import io

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from fairwitness.errors import DataError, FairwitnessWarning
from fairwitness.table import Encoder, Limits, Schema, read_table

TEXT = 'age, name ,score,ok\n30,"Smith, J",0.1,True\n41,?,1e-3,False\n'


@pytest.fixture
def write(tmp_path):
    def _write(content, name="data.csv"):
        path = tmp_path / name
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return path

    return _write


def test_text_in_all_its_wrappings(write):
    wanted = pd.read_csv(io.StringIO(TEXT))
    assert wanted.columns.tolist() == ["age", " name ", "score", "ok"]
    for path in (
        write(TEXT),
        write(gzip.compress(TEXT.encode()), "data.csv.gz"),
        write(gzip.compress(TEXT.encode()), "data"),
        write(TEXT.replace("\n", "\r\n")),
        write("\ufeff" + TEXT),
        write("\n" + TEXT + "\n\n"),
    ):
        pd.testing.assert_frame_equal(read_table(path), wanted)
        pd.testing.assert_frame_equal(read_table(str(path)), wanted)


def test_types_are_those_that_pandas_gives(write):
    frame = read_table(write(TEXT))
    assert [str(dtype) for dtype in frame.dtypes] == ["int64", frame[" name "].dtype.name, "float64", "bool"]
    assert frame["score"].tolist() == [0.1, 0.001]
    assert frame[" name "].tolist() == ["Smith, J", "?"]


def test_numbers_are_read_to_the_last_bit(write):
    values = np.random.default_rng(0).normal(size=500) * 1e-7
    frame = read_table(write("x\n" + "\n".join(map(repr, values.tolist()))))
    np.testing.assert_array_equal(frame["x"].to_numpy(), values)


def test_types_come_from_the_whole_column(write):
    rows = "".join(f"{i},1\n" for i in range(200_000)) + "x,1\n"
    frame = read_table(write("mixed,one\n" + rows), na_values=["x"])
    assert frame["mixed"].dtype == np.float64
    with pytest.warns(FairwitnessWarning, match="text only because of 'x'"):
        frame = read_table(write("mixed,one\n" + rows))
    assert set(map(type, frame["mixed"])) == {str}


def test_separators_and_decimal_commas(write):
    assert read_table(write("a\tb\n1\t2\n", "data.tsv")).columns.tolist() == ["a", "b"]
    assert read_table(write("a b\n1\n", "data.tsv")).columns.tolist() == ["a b"]
    assert read_table(write("a#b\n1#2\n"), separator="#").columns.tolist() == ["a", "b"]
    path = write("a;b\n1,5;x\n-2,25;y\n")
    with pytest.warns(FairwitnessWarning, match='set decimal to ","'):
        read_table(path)
    assert read_table(path, decimal=",")["a"].tolist() == [1.5, -2.25]


def test_only_empty_cells_are_missing_unless_more_is_said(write):
    path = write("t,n\nNA,1\n,\nNone,3\nnan,4\n")
    frame = read_table(path)
    assert frame["t"].isna().tolist() == [False, True, False, False]
    assert frame["n"].isna().tolist() == [False, True, False, False]
    assert read_table(path, na_values=["NA", "None"])["t"].isna().tolist() == [True, True, True, False]


def test_marks_that_keep_numbers_from_being_numbers_are_said(write):
    path = write("a,b\n1,x\n?,y\n3,z\n4,?\n")
    with pytest.warns(FairwitnessWarning, match=r"a is text only because of '\?'.*set na_values = \['\?'\]"):
        read_table(path)
    assert read_table(path, na_values=["?"])["a"].tolist()[2:] == [3.0, 4.0]


def test_columns_can_be_chosen(write):
    path = write(TEXT)
    assert read_table(path, columns=["ok", "age"]).columns.tolist() == ["ok", "age"]
    assert read_table(write(",b\n1,2\n")).columns.tolist() == ["Unnamed: 0", "b"]
    assert read_table(write(",b\n1,2\n"), columns=["Unnamed: 0"]).columns.tolist() == ["Unnamed: 0"]
    with pytest.raises(DataError, match=r"lacks column name.*age"):
        read_table(write(TEXT), columns=["name"])


def test_a_column_without_values_is_kept_and_said(write):
    with pytest.warns(FairwitnessWarning, match="column b without any value"):
        frame = read_table(write("a,b\n1,\n2,\n"))
    assert frame.columns.tolist() == ["a", "b"]


def test_files_that_are_no_tables(write, tmp_path):
    cases = [
        (tmp_path / "none.csv", "no file"),
        (tmp_path, "directory"),
        (tmp_path / "bad\0name", "cannot be opened"),
        (tmp_path / ("long" * 500), "cannot be opened"),
        (write(b""), "is empty"),
        (write(b"PK\x03\x04rest", "book.xlsx"), "spreadsheet"),
        (write(b"\x1f\x8bnonsense", "broken.csv.gz"), "cannot be unpacked"),
        (write(gzip.compress(TEXT.encode())[:-12], "cut.csv.gz"), "cannot be unpacked"),
        (write(b"a,b\n1,2\n", "named.parquet"), "called parquet but is not"),
        (write(b"PAR1 and then nothing", "cut.parquet"), "damaged"),
        (write(b"a,b\n\xff,2\n", "latin.csv"), "line 2"),
        (write(b"a,b\n1,2,3\n", "ragged.csv"), "line 2"),
    ]
    for path, says in cases:
        with pytest.raises(DataError, match=says) as caught:
            read_table(path)
        assert caught.value.fix


def test_a_hostile_file_name_is_made_visible(tmp_path):
    with pytest.raises(DataError) as caught:
        read_table(tmp_path / "a\x1b[31m\u202e.csv")
    assert "\x1b" not in str(caught.value)
    assert "\u202e" not in str(caught.value)


def test_limits_hold_after_unpacking(write):
    path = write(gzip.compress(b"a\n" + b"1\n" * 10_000), "bomb.csv.gz")
    with pytest.raises(DataError, match="1,000 bytes once unpacked"):
        read_table(path, limits=Limits(max_bytes=1000))
    with pytest.raises(DataError, match="max_rows"):
        read_table(path, limits=Limits(max_rows=10))


def test_parquet_comes_back_as_it_was_written(tmp_path):
    frame = pd.DataFrame(
        {
            "a": pd.array([1, None], dtype="Int64"),
            "c": pd.Categorical(["x", "y"]),
            "t": ["é", None],
            "b": [True, False],
        }
    )
    path = tmp_path / "data.parquet"
    frame.to_parquet(path)
    pd.testing.assert_frame_equal(read_table(path), frame)
    pd.testing.assert_frame_equal(read_table(path, columns=["c", "a"]), frame[["c", "a"]])
    path.rename(tmp_path / "data")
    pd.testing.assert_frame_equal(read_table(tmp_path / "data"), frame)
    with pytest.raises(DataError, match="lacks column z"):
        read_table(tmp_path / "data", columns=["z"])


def test_an_index_in_parquet(tmp_path):
    path = tmp_path / "data.parquet"
    frame = pd.DataFrame({"a": [1, 2]}, index=[7, 9])
    frame.to_parquet(path)
    assert read_table(path).columns.tolist() == ["a"]
    assert read_table(path).index.tolist() == [0, 1]
    frame.rename_axis("id").to_parquet(path)
    assert read_table(path).to_dict("list") == {"id": [7, 9], "a": [1, 2]}


def test_parquet_limits_and_names(tmp_path):
    path = tmp_path / "data.parquet"
    pq.write_table(pa.table({"a": [1, 2, 3], "b": [1, 2, 3]}), path)
    with pytest.raises(DataError, match="more than 2 rows"):
        read_table(path, limits=Limits(max_rows=2))
    with pytest.raises(DataError, match="more than 1 columns"):
        read_table(path, limits=Limits(max_columns=1))
    pq.write_table(pa.table([pa.array([1]), pa.array([2])], names=["a", "a"]), path)
    with pytest.raises(DataError, match="repeats a column name"):
        read_table(path)
    pq.write_table(pa.table({"a": pa.array([], pa.int64())}), path)
    with pytest.raises(DataError, match="no rows"):
        read_table(path)


@pytest.mark.parametrize(
    ("name", "rows", "columns"),
    [
        ("adult", 48_842, 16),
        ("german_decoded", 1_000, 22),
        ("compas-two-years", 7_214, 26),
        ("law_school", 21_791, 9),
    ],
)
def test_public_tables_are_read_described_and_come_back(shared_path, name, rows, columns):
    frame = read_table(shared_path / "data" / f"{name}.csv.gz")
    assert frame.shape == (rows, columns)
    encoder = Encoder.fit(frame, Schema.infer(frame))
    pd.testing.assert_frame_equal(encoder.decode(encoder.encode(frame)), frame, check_exact=True)
