from __future__ import annotations

from pathlib import Path

import pytest

from fairwitness.config import AuditConfig, parse_config, read_config, with_changes
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
        ("k = 10", "kk = 10", 22, "did you mean k"),
        ("k = 10", "k = 0", 22, "between 1 and"),
        ("k = 10", 'k = "ten"', 22, "int"),
        ('path = "model.skops"', "path = 3", 16, "a path in quotes"),
        ('path = "model.skops"', 'path = "m.skops"\nurl = "https://x"', 15, "exactly one"),
        ('path = "model.skops"', 'train = "GPT"', 16, "LR, SVM"),
        ("[methods]", "[method]", 21, "did you mean methods"),
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
