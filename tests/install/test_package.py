"""What a user installs: the wheel holds every file that the code opens, and the extras exist."""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

import pytest

NEEDED = (
    "fairwitness/py.typed",
    "fairwitness/findings.toml",
    "fairwitness/report/schema.json",
    "fairwitness/report/templates/page.html.j2",
    "fairwitness/report/templates/style.css",
)


@pytest.fixture(scope="module")
def wheel(project_root: Path, tmp_path_factory: pytest.TempPathFactory) -> zipfile.ZipFile:
    folder = tmp_path_factory.mktemp("wheel")
    source = folder / "source"
    # A copy: building in place would leave a build folder in the user's checkout.
    for name in ("src", "pyproject.toml", "README.md", "LICENSE"):
        place = project_root / name
        target = source / name
        target.parent.mkdir(parents=True, exist_ok=True)
        subprocess.run(["cp", "-r", str(place), str(target)], check=True)
    command = [
        sys.executable,
        "-m",
        "build",
        "--wheel",
        "--no-isolation",
        "--outdir",
        str(folder),
        str(source),
    ]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return zipfile.ZipFile(next(folder.glob("*.whl")))


def test_the_wheel_holds_the_files_that_the_code_opens(wheel: zipfile.ZipFile, project_root: Path) -> None:
    names = set(wheel.namelist())
    assert names >= set(NEEDED)
    templates = (project_root / "src" / "fairwitness" / "report" / "templates").iterdir()
    assert names >= {f"fairwitness/report/templates/{file.name}" for file in templates if file.is_file()}


def test_the_wheel_holds_no_data_and_no_tests(wheel: zipfile.ZipFile) -> None:
    assert not [name for name in wheel.namelist() if name.endswith((".csv", ".gz", ".parquet"))]
    assert not [name for name in wheel.namelist() if name.split("/")[0] in {"tests", "benchmarks"}]


def test_every_extra_that_an_error_names_exists(project_root: Path) -> None:
    extras = tomllib.loads((project_root / "pyproject.toml").read_text(encoding="utf-8"))
    known = set(extras["project"]["optional-dependencies"])
    named = set()
    for file in (project_root / "src").rglob("*.py"):
        text = file.read_text(encoding="utf-8")
        named |= set(re.findall(r"MissingExtraError\(\s*\"[^\"]+\",\s*\"([^\"]+)\"", text))
    assert named
    assert named <= known


def test_the_module_runs_like_the_command() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "fairwitness", "--version"], capture_output=True, text=True, check=True
    )
    assert done.stdout.startswith("fairwitness ")


def test_importing_the_package_is_quick() -> None:
    code = (
        "import sys, fairwitness; sys.exit(bool({'numpy', 'pandas', 'sklearn', 'torch'} & set(sys.modules)))"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
