"""Names and levels that try to break the page of canonical sets, from the table to the page."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest
from tests.canonical.worlds import world
from tests.report.test_hostile import seen

import fairwitness as fw
from fairwitness.report.csv import to_csv
from fairwitness.report.document import validate

EVIL = [
    "\"'><script>alert(1)</script>\n<img src=x onerror=alert(1)>\r\n\t",
    "\u202eevil\u2066\u200f\x1b[31m{{ 7 * 7 }}</title></svg>",
    "<b>" + "A" * 300,
]


def audited(evil: str) -> fw.AuditReport:
    """Audit a table with this text in every name and level."""
    frame, _ = world("proxy", 400)
    numbers = frame[["age", "income"]].to_numpy()
    club = (frame["club"] == "in").to_numpy()

    def model(rows: pd.DataFrame) -> np.ndarray:
        inside = rows.iloc[:, 2].to_numpy() == rows.iloc[:, 2].max()
        return np.asarray(1 / (1 + np.exp(-(2.0 * inside - 1 + rows.iloc[:, 1] / 100))))

    inputs = pd.DataFrame(
        {
            f"age{evil}": numbers[:, 0],
            f"income{evil}": numbers[:, 1],
            f"club{evil}": np.where(club, f"out{evil}", f"in{evil}"),
            f"town{evil}": frame["town"] + evil,
        }
    )
    sensitive = pd.DataFrame({f"{name}{evil}": frame[name] + evil for name in ("sex", "race")})
    return fw.Audit(model, inputs, sensitive_features=sensitive, methods=["canonical"], random_state=0).run()


@pytest.fixture(scope="module")
def plain() -> str:
    return audited("").to_html()


@pytest.mark.parametrize("evil", EVIL, ids=["markup", "directions", "long"])
def test_hostile_names_and_levels_add_nothing_to_the_page(plain: str, evil: str) -> None:
    report = audited(evil)
    validate(report.document)
    section = report.document["sections"]["canonical"]
    assert [each["seen"] for each in section["sensitive"]] == [False, False]
    assert section["intersections"]
    assert section["together"]
    page = report.to_html()
    assert '<section id="canonical"' in page
    found, usual = seen(page), seen(plain)
    assert found.tags == usual.tags
    assert found.attributes == usual.attributes
    assert all(link.startswith("#") for link in found.links)
    assert ("{{ 7 * 7 }}" in page) == ("{{ 7 * 7 }}" in evil)
    assert not set("\x1b\x00\x07\u202e\u2066\u200f\ud800") & set(page)
    assert "A" * 301 not in page
    page.encode("utf-8")
    json.dumps(report.document, allow_nan=False)
    for rows in report.sections[-1].tables.values():
        sheet = to_csv(rows)
        assert not set("\x1b\x00\x07\u202e\u2066\u200f\ud800") & set(sheet)
