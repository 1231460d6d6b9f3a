from __future__ import annotations

from dataclasses import fields
from pathlib import Path

import pytest

from fairwitness.config import TABLES, AuditConfig, parse_config, place, read_config, with_changes
from fairwitness.config_graph import causal_graph, graph_settings
from fairwitness.config_tables import CHOICES, READABLE
from fairwitness.errors import ConfigError

WHOLE = """\
[table]
path = "people.csv"
drop = ["note"]

[outcome]
column = "hired"
favorable = "yes"

[sensitive]
columns = ["sex", "age > 25"]

[sensitive.privileged]
sex = "male"

[model]
path = "model.skops"

[schema."hours per week"]
bounds = [0, 99]

[methods]
k = 10
"""


def test_a_whole_file_is_read(tmp_path: Path) -> None:
    file = tmp_path / "audit.toml"
    file.write_text(WHOLE, encoding="utf-8")
    config = read_config(file)
    assert config.table.path == tmp_path / "people.csv"
    assert config.outcome.favorable == "yes"
    assert config.sensitive.columns == ("sex", "age > 25")
    assert config.sensitive.privileged == {"sex": "male"}
    assert config.schema == {"hours per week": {"bounds": [0, 99]}}
    assert (config.methods.k, config.run.seed, config.methods.generator) == (10, 0, "neighbors")


@pytest.mark.parametrize(
    ("old", "new", "line", "says"),
    [
        ("k = 10", "kk = 10", 22, "write k"),
        ("k = 10", "k = 0", 22, "between 1 and"),
        ("k = 10", 'k = "ten"', 22, 'whole number; got "ten"'),
        (
            "k = 10",
            'run = ["rates", "rtes"]',
            22,
            "auto, rates, opportunity, bounds, canonical or evaluation",
        ),
        ("k = 10", 'run = ["auto", "rates"]', 22, "auto and something else"),
        ("k = 10", "run = []", 22, "auto, rates, opportunity, bounds, canonical or evaluation"),
        ("k = 10", "confidence = 95", 22, "0.95"),
        ("k = 10", "k = 10\n[run]\nn_jobs = 0", 24, "n_jobs is 0"),
        ("k = 10", "k = 10\n[run]\nn_jobs = 1000", 24, "between -256 and 256"),
        ('path = "model.skops"', 'url = "model.skops"', 16, "address"),
        ('path = "model.skops"', 'path = "m.skops"\nthreshold = nan', 17, "finite"),
        ('path = "model.skops"', 'train = "LR"\nthreshold = 2', 17, "between 0 and 1"),
        ('path = "model.skops"', 'path = "m.skops"\nbatch_size = 0', 17, "batch_size = 100"),
        ('path = "model.skops"', 'path = "m.skops"\nsecret_env = "KEY"', 17, "given by path"),
        ('path = "model.skops"', 'train = "LR"\nmax_queries = 5', 17, "given by train"),
        ('path = "model.skops"', 'predictions = "said"\nkind = "onnx"', 17, "given by predictions"),
        ('path = "model.skops"', 'predictions = "hired"', 16, "one column"),
        ('path = "model.skops"', 'predictions = "sex"', 10, "predictions are among"),
        ('columns = ["sex", "age > 25"]', 'columns = ["hired"]', 10, "outcome is among"),
        ('sex = "male"', '"age > 25" = true\n[sensitive.x]', 14, "no key x"),
        ('favorable = "yes"', "favorable = 2020-01-01", 7, "text in quotes, a number"),
        ('favorable = "yes"', 'favorable = ["yes"]', 7, r'got \["yes"\]'),
        ('drop = ["note"]', 'separator = ";;"', 3, "one character"),
        ('drop = ["note"]', "[[report]]", 3, "report must be a table"),
        ('[schema."hours per week"]\nbounds = [0, 99]', "[schema]\nhours = 3", 19, "one table a column"),
        ('path = "model.skops"', "path = 3", 16, "a path in quotes"),
        ('path = "model.skops"', 'path = "m.skops"\nurl = "https://x"', 15, "exactly one"),
        ('path = "model.skops"', 'train = "GPT"', 16, "LR, SVM"),
        ("[methods]", "[method]", 21, "write methods"),
        ('columns = ["sex", "age > 25"]', "columns = []", 10, "empty"),
        ('path = "people.csv"', "", 1, "must say path"),
    ],
)
def test_an_error_names_the_line(old: str, new: str, line: int, says: str) -> None:
    assert old in WHOLE
    with pytest.raises(ConfigError, match=says) as caught:
        parse_config(WHOLE.replace(old, new, 1))
    assert f"line {line}:" in str(caught.value)


def test_invalid_toml_names_the_line() -> None:
    with pytest.raises(ConfigError, match="line 2"):
        parse_config("[table]\npath = people.csv\n")


def test_a_missing_file_says_how_to_get_one(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="fairwitness init"):
        read_config(tmp_path / "audit.toml")


def test_training_needs_an_outcome() -> None:
    text = WHOLE.replace('path = "model.skops"', 'train = "LR"').replace('column = "hired"\n', "")
    with pytest.raises(ConfigError, match="outcome column"):
        parse_config(text)


def test_changes_from_the_command_line() -> None:
    config: AuditConfig = parse_config(WHOLE)
    changed = with_changes(config, {"methods.k": 3, "run.seed": None})
    assert (changed.methods.k, changed.run.seed, config.methods.k) == (3, 0, 10)
    with pytest.raises(ConfigError, match="neighbors"):
        with_changes(config, {"methods.generator": "magic"})


def test_a_mark_of_byte_order_is_no_mistake(tmp_path: Path) -> None:
    file = tmp_path / "audit.toml"
    file.write_text(WHOLE, encoding="utf-8-sig")
    assert read_config(file).outcome.column == "hired"


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (WHOLE.replace("yes", "j\xe4").encode("latin-1"), "line 7: the file is not UTF-8"),
        (b"age,sex\n3,f\n", "not valid TOML"),
    ],
)
def test_a_file_that_is_no_configuration(tmp_path: Path, content: bytes, says: str) -> None:
    file = tmp_path / "audit.toml"
    file.write_bytes(content)
    with pytest.raises(ConfigError, match=says):
        read_config(file)


def test_a_table_or_a_folder_is_no_configuration(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="is a folder"):
        read_config(tmp_path)
    (tmp_path / "people.csv").write_text("age,sex\n", encoding="utf-8")
    with pytest.raises(ConfigError, match="fairwitness init"):
        read_config(tmp_path / "people.csv")


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"methods.k": 0}, "between 1 and"),
        ({"methods.k": 10**9}, "between 1 and"),
        ({"run.n_jobs": 0}, "n_jobs is 0"),
        ({"run.n_jobs": 1000}, "between -256"),
        ({"report.fail_on": "bad"}, "high, medium, low or note"),
    ],
)
def test_the_command_line_is_held_to_the_same_limits(change: dict[str, object], says: str) -> None:
    with pytest.raises(ConfigError, match=says):
        with_changes(parse_config(WHOLE), change)


def test_the_place_of_a_value_can_be_asked_for_later() -> None:
    config = parse_config(WHOLE, source=Path("a.toml"))
    assert place(config, "table", "drop") == "a.toml, line 3"
    assert place(config, "schema", "hours per week") == "a.toml, line 18"
    assert place(config, "run", "seed") == "a.toml"


def test_methods_are_those_of_the_audit() -> None:
    from fairwitness.audit import METHODS

    assert CHOICES["methods", "run"] == ("auto", *METHODS)


def test_every_type_has_words_for_those_who_read_no_python() -> None:
    declared = {str(entry.type).replace(" | None", "") for kind in TABLES.values() for entry in fields(kind)}
    assert declared <= set(READABLE)


GRAPH = '''
[graph]
text = """
sex -> income          # and nothing else
{sex, income} -> decision
"""
bins = { income = [20000, 40000], age = "> 37" }
tau = 0.05
redlining = "income"
paths = ["sex -> income -> decision"]
confounded = ["sex", "income"]
'''


def test_a_causal_graph_is_read() -> None:
    config = parse_config(WHOLE + GRAPH.replace(', age = "> 37"', ""))
    assert config.graph.redlining == ("income",)
    graph = causal_graph(config.graph)
    assert graph.to_text() == "sex -> income; {sex, income} -> decision; sex <-> income"
    assert graph_settings(config.graph) == {
        "bins": {"income": [20000, 40000]},
        "redlining": ("income",),
        "paths": ("sex -> income -> decision",),
        "tau": 0.05,
        "sampling_error": "resampled",
    }
    without = parse_config(WHOLE)
    assert (without.graph.text, without.graph.file) == (None, None)


def test_a_causal_graph_may_stand_in_a_file(tmp_path: Path) -> None:
    (tmp_path / "graph.dot").write_text("digraph { sex -> decision }", encoding="utf-8")
    text = WHOLE + '[graph]\nfile = "graph.dot"\n'
    config = parse_config(text, source=tmp_path / "audit.toml")
    assert causal_graph(config.graph).nodes == ("sex", "decision")
    (tmp_path / "graph.dot").unlink()
    with pytest.raises(ConfigError, match=r"line 24: there is no file .*graph\.dot"):
        parse_config(text, source=tmp_path / "audit.toml")


@pytest.mark.parametrize(
    ("graph", "line", "says"),
    [
        ("tau = 0.2", 23, "either text or file"),
        ('text = "a -> b"\nfile = "g.dot"', 23, "either text or file"),
        ('text = "a -> b -> a"', 24, "cycle"),
        ('text = "a -> "', 24, "a ->"),
        ('tau = 10\ntext = "a -> b"', 24, "tau must lie between 0 and 1"),
        ('text = "a -> b"\nbins = { c = [3] }', 25, "in bins, the graph has no node 'c'"),
        ('text = "a -> b"\nbins = { a = [3, 1] }', 25, "low to high"),
        ('text = "a -> b"\n\n[graph.bins]\na = [3, 1]', 26, "low to high"),
        ('text = "a -> b"\nbins = 3', 25, "bins must be a table"),
        ('text = "a -> b"\nredlining = ["c"]', 25, "in redlining, the graph has no node 'c'"),
        ('text = "a -> b"\npaths = ["a -> c"]', 25, "in paths, the graph has no node 'c'"),
        ('text = "a -> b"\nconfounded = ["a", "c"]', 25, "no node 'c'"),
        ('text = "a -> b"\ndecision = "c"', 25, "no node 'c'"),
        ('text = "a -> b"\nsampling_error = "some"', 25, "resampled, region or none"),
        ('text = "a -> b"\nbin = 3', 25, "write bins"),
    ],
)
def test_an_error_in_the_graph_names_its_line(graph: str, line: int, says: str) -> None:
    with pytest.raises(ConfigError, match=says) as caught:
        parse_config(f"{WHOLE}[graph]\n{graph}\n")
    assert f"line {line}:" in caught.value.what
    assert caught.value.fix or "such as" in caught.value.what
