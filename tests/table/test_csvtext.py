from __future__ import annotations

import pytest

from fairwitness.errors import ConfigError, DataError
from fairwitness.table.csvtext import check_structure, decode_text, sniff_separator
from fairwitness.table.limits import DEFAULT_LIMITS, Limits


@pytest.mark.parametrize(
    ("text", "separator"),
    [
        ("a,b\n1,2\n", ","),
        ("a;b\n1,5;2\n2,5;3,5\n", ";"),
        ("a\tb c\n1\t2,5\n", "\t"),
        ("a|b\n1|2\n", "|"),
        ("a\n1\n", ","),
        ('a;b\n"x;y;z";2\n', ";"),
        ("name;note\nx;one, two, three\ny;one, two\n", ";"),
        ('"a"\n"1', ","),
    ],
)
def test_separators(text, separator):
    assert sniff_separator(text) == separator


def test_only_whole_lines_of_the_sample_are_looked_at():
    assert sniff_separator("a;b\n" + "1;2\n" * 50_000) == ";"
    assert sniff_separator("x" * 100_000) == ","
    assert sniff_separator("a b\n", default="\t") == "\t"


@pytest.mark.parametrize(
    ("content", "encoding", "text"),
    [
        (b"\xef\xbb\xbfa,b", "utf-8", "a,b"),
        ("é".encode("latin-1"), "latin-1", "é"),
        ("a,é".encode("utf-16"), "utf-16", "a,é"),
        ("é".encode(), "UTF8", "é"),
    ],
)
def test_encodings(content, encoding, text):
    assert decode_text(content, "f.csv", encoding) == text


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"a\nb\xe9\n", r"line 2 .*offset 3.*set encoding"),
        (b"a\nb\0\n", "NUL byte in line 2"),
        ("a,b".encode("utf-16"), "UTF-16"),
        (b" \r\n\t", "empty"),
    ],
)
def test_bytes_that_are_no_text(content, says):
    with pytest.raises(DataError, match=says):
        decode_text(content, "f.csv", "utf-8")


def test_an_unknown_encoding():
    with pytest.raises(ConfigError, match="no such encoding"):
        decode_text(b"a", "f.csv", "utf-99")


def test_a_good_structure_gives_the_names_as_they_are():
    text = ' a ,"b\nb",\r\n1,"x,""y""\nz",3\r\n\r\n   \n4,5,6'
    assert check_structure(text, "f.csv", ",", DEFAULT_LIMITS) == [" a ", "b\nb", "Unnamed: 2"]
    assert check_structure("\n\na\n1\n", "f.csv", ",", DEFAULT_LIMITS) == ["a"]


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("a,b,a\n1,2,3\n", r"line 1.*'a' comes twice.*columns 1 and 3"),
        ("\n\na,a\n", "line 3"),
        ("a,b\n", "no rows"),
        ("a,b\n\n  \n", "no rows"),
        ("a,b\n1,2\n3\n", r"line 3: a row of 1 fields under 2 column names \(separator: comma\)"),
        ("a,b\n1,2\n\n1,2,3\n", "line 4: a row of 3 fields"),
        ('a,b\n"x\ny",2\n1,2,3\n', "line 4: a row of 3 fields"),
        ('a,b\n1,"2\n3,4\n', "quotation mark"),
        ('a,b\n1,"2"3\n', "line 2"),
        ('a,b\n1,"' + "x" * 200_000 + '"\n', "field larger"),
    ],
)
def test_a_bad_structure_is_named_with_its_line(text, says):
    with pytest.raises(DataError, match=says):
        check_structure(text, "f.csv", ",", DEFAULT_LIMITS)


def test_limits_are_kept():
    limits = Limits(max_rows=2, max_columns=2)
    check_structure("a,b\n1,2\n3,4\n", "f.csv", ",", limits)
    with pytest.raises(DataError, match="more than 2 rows"):
        check_structure("a,b\n1,2\n3,4\n5,6\n", "f.csv", ",", limits)
    with pytest.raises(DataError, match="more than 2 columns"):
        check_structure("a,b,c\n1,2,3\n", "f.csv", ",", limits)


@pytest.mark.parametrize("separator", ["", ",,", '"', "\n"])
def test_a_separator_is_one_character(separator):
    with pytest.raises(ConfigError, match="one character"):
        check_structure("a\n1\n", "f.csv", separator, DEFAULT_LIMITS)
