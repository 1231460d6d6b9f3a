from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from fairwitness.flips import fair_opportunity, proxy_features

HOSTILE = ["<img src=x onerror=alert(1)>", "a\u202eb\x1b[31m"]


def model(X: pd.DataFrame) -> np.ndarray:
    return 1 / (1 + np.exp(-(X["merit"] - 15) / 5))


@pytest.fixture(scope="module")
def result(by_rule):
    rng = np.random.default_rng(3)
    first = rng.random(200) < 0.5
    people = pd.DataFrame(
        {"height": 170 + 10 * first + rng.normal(0, 6, 200), "merit": rng.integers(0, 30, 200)}
    )
    classifier = by_rule(lambda X: 1 / (1 + np.exp((X["height"] - 175) / 3)), HOSTILE, ["height"])
    return fair_opportunity(
        model, people, pd.Series(np.where(first, *HOSTILE), name="<b>sex"), classifier=classifier,
        privileged=HOSTILE[0], k=5, n_resamples=50, n_permutations=50, n_jobs=1,
    )  # fmt: skip


def test_a_notebook_shows_values_and_no_markup_of_others(result, by_rule) -> None:
    page = result._repr_html_()
    assert "<img" not in page
    assert "\u202e" not in page
    assert "\x1b" not in page
    value = result.groups[1].at("cflips")
    assert f"[{value.low:.3f}"[:6] in page
    proxies = proxy_features(result.counterfactuals, by_rule(model, HOSTILE), n_resamples=20)
    assert "<img" not in proxies._repr_html_()


def test_representations_are_one_short_printable_line(result) -> None:
    for thing in (
        result,
        result.groups[0],
        result.difference(),
        result.groups[0].cflips,
        result.groups[0].at(),
    ):
        said = repr(thing)
        assert len(said) < 300
        assert said.isprintable()
        assert "0x" not in said


def test_the_summary_holds_a_line_a_group_and_measure(result) -> None:
    summary = result.summary()
    assert list(summary["measure"]) == ["CFlips@5", "nDCCF@5", "nDCCF, sorted@5"] * 2
    assert "reason" not in summary
    reference = summary[summary["group"].str.startswith("<img")]
    assert (reference["beyond random"] == "").all()
