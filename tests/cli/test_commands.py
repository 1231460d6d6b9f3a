from __future__ import annotations

import json
import subprocess
import sys
import tomllib
from collections.abc import Callable
from pathlib import Path

import pandas as pd
import pytest

Call = Callable[..., "object"]


def test_init_writes_a_file_that_runs(fairwitness: Call, project: Path) -> None:
    (project / "audit.toml").unlink()
    ran = fairwitness("init", "applications.csv", "--target", "approved", "--sensitive", "sex")
    assert (ran.code, ran.err) == (0, "")
    written = tomllib.loads((project / "audit.toml").read_text(encoding="utf-8"))
    assert written["outcome"] == {"column": "approved", "favorable": "yes", "people": "people"}
    assert written["sensitive"]["columns"] == ["sex"]
    assert fairwitness("audit", "audit.toml", "--k", "5", "-q").code == 0


def test_init_sees_copies_leaks_identifiers_and_gaps(
    fairwitness: Call, project: Path, applications: pd.DataFrame
) -> None:
    applications.assign(
        title=applications["sex"].map({"female": "Ms", "male": "Mr"}),
        letter=applications["approved"].map({"yes": "A1", "no": "A2"}),
        person=[f"p{row}" for row in range(len(applications))],
        children=applications["children"].where(applications["children"] > 0),
        job=["?"] * 20 + ["clerk", "baker"] * 240,
    ).to_csv(project / "applications.csv", index=False)
    ran = fairwitness("init", "applications.csv", "-t", "approved", "-s", "sex", "--force")
    written = tomllib.loads((project / "audit.toml").read_text(encoding="utf-8"))
    assert set(written["table"]["drop"]) == {"title", "letter"}
    assert written["table"]["id"] == "person"
    for said in (
        "title says the same as sex",
        "letter tells the outcome",
        "children is missing in",
        "? stands in job (20 rows)",
    ):
        assert said in ran.out, said


def test_init_keeps_a_file_that_is_there(fairwitness: Call, project: Path) -> None:
    before = (project / "audit.toml").read_text(encoding="utf-8")
    ran = fairwitness("init", "applications.csv", "--sensitive", "sex")
    assert ran.code == 2
    assert "--force" in ran.err
    assert (project / "audit.toml").read_text(encoding="utf-8") == before


def test_init_names_the_columns_of_a_mistyped_one(fairwitness: Call, project: Path) -> None:
    ran = fairwitness("init", "applications.csv", "--sensitive", "gender", "--out", "new.toml")
    assert ran.code == 3
    assert "sex" in ran.err
    assert not (project / "new.toml").exists()


def test_flips_prints_one_line_a_group(fairwitness: Call, project: Path) -> None:
    ran = fairwitness("flips", "audit.toml", "--k", "7", "--csv", "tables")
    assert ran.code == 0
    head, *lines = ran.out.splitlines()
    assert "CFlips@7" in head
    assert sum(line.startswith("sex ") for line in lines) == 2
    assert list((project / "tables").glob("*.csv"))


def test_flips_as_json(fairwitness: Call, project: Path) -> None:
    document = json.loads(fairwitness("flips", "audit.toml", "--format", "json").out)
    assert list(document["sections"]) == ["opportunity"]


def test_inspect_model_builds_nothing(fairwitness: Call, tmp_path: Path) -> None:
    import pickle

    class Trap:
        def __reduce__(self) -> tuple[object, tuple[str]]:
            return (print, ("the pickle was run",))

    (tmp_path / "model.pkl").write_bytes(pickle.dumps(Trap()))
    ran = fairwitness("inspect-model", "model.pkl")
    assert ran.code == 0
    assert "builtins" in ran.out
    assert "was run" not in ran.out
    assert json.loads(fairwitness("inspect-model", "model.pkl", "--format", "json").out)


def test_help_and_version(fairwitness: Call) -> None:
    import fairwitness as package

    assert fairwitness("--version").out.strip() == f"fairwitness {package.__version__}"
    shown = fairwitness("--help").out
    assert "..." not in shown.partition("Commands:")[2]  # no line of the list is cut
    for command in ("demo", "audit", "init", "flips", "inspect-model"):
        assert command in shown
        assert fairwitness(command, "--help").code == 0


@pytest.mark.parametrize("heavy", ["numpy", "pandas", "sklearn", "matplotlib", "scipy"])
def test_help_imports_nothing_heavy(heavy: str) -> None:
    code = f"import sys, fairwitness.cli.app as a; a.run(['--help']); sys.exit({heavy!r} in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, check=False).returncode == 0
