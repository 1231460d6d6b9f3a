from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import settings

# A developer's runs look at new examples each time; CI looks at the same ones, so that a submission is
# judged by what it changed.
settings.register_profile("ci", derandomize=True)
if os.environ.get("CI"):
    settings.load_profile("ci")

ROOT = Path(__file__).resolve().parents[1]


@pytest.fixture(scope="session")
def project_root() -> Path:
    return ROOT


@pytest.fixture(scope="session")
def shared_path() -> Path:
    """The folder of public data and published numbers that lies beside the project."""
    path = ROOT.parent / "shared"
    if not path.is_dir():
        pytest.skip("the folder with the public data sets is not beside the project")
    return path
