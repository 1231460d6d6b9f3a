from __future__ import annotations

from pathlib import Path

import pytest

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
