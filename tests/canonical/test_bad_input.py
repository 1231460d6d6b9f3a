"""What makes no sense is refused in words by every function of the room."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from tests.canonical.worlds import world

from fairwitness.canonical import (
    BootstrapSampler,
    CanonicalGate,
    CanonicalSampler,
    TreeCanonicalSampler,
    contrast,
    direct_vs_proxy,
    intersections,
    output_rates,
    together,
)
from fairwitness.errors import FairwitnessError

FRAME, SCORES = world("direct", 400)
FLAGS = SCORES > 0.5


def engine(frame: pd.DataFrame = FRAME) -> TreeCanonicalSampler:
    return TreeCanonicalSampler(candidates=1).fit(frame, SCORES)


@pytest.fixture(scope="module")
def it() -> SimpleNamespace:
    one, other = engine(), engine(FRAME[["age", "sex"]])
    return SimpleNamespace(
        engine=one,
        positive=one.positive(40),
        negative=one.negative(40),
        elsewhere=other.negative(40),
        twin=engine().negative(40),
        report=CanonicalGate(measures=["copies"]).check(one.sample_set(20, quantile=(0.4, 0.6))),
    )


CASES: dict[str, tuple[Callable[[SimpleNamespace], object], str]] = {
    "fit: no frame": (lambda it: TreeCanonicalSampler().fit(None, SCORES), "cannot be read"),
    "fit: an array": (
        lambda it: TreeCanonicalSampler().fit(FRAME.to_numpy(), SCORES),
        "give the columns names",
    ),
    "fit: no rows": (lambda it: TreeCanonicalSampler().fit(FRAME[:0], []), "too few rows"),
    "fit: no columns": (lambda it: TreeCanonicalSampler().fit(FRAME[[]], SCORES), "empty"),
    "fit: one score": (lambda it: TreeCanonicalSampler().fit(FRAME, 0.5), "'scores'"),
    "fit: scores of two columns": (
        lambda it: TreeCanonicalSampler().fit(FRAME, np.c_[SCORES, SCORES]),
        "one-dimensional",
    ),
    "fit: an infinite score": (lambda it: TreeCanonicalSampler().fit(FRAME, [np.inf, *SCORES[1:]]), "row 0"),
    "fit: infinite": (lambda it: TreeCanonicalSampler().fit(FRAME.assign(age=np.inf), SCORES), "'age'"),
    "fit: lists": (lambda it: TreeCanonicalSampler().fit(FRAME.assign(o=[[1]] * 400), SCORES), "'o'"),
    "protected: None": (
        lambda it: TreeCanonicalSampler(protected=None).fit(FRAME, SCORES),  # type: ignore[arg-type]
        "names of columns",
    ),
    "protected: a number": (
        lambda it: TreeCanonicalSampler(protected=5).fit(FRAME, SCORES),  # type: ignore[arg-type]
        "not in the table",
    ),
    "schema: text": (
        lambda it: TreeCanonicalSampler(schema="age").fit(FRAME, SCORES),  # type: ignore[arg-type]
        "schema must describe",
    ),
    "nearest": (lambda it: TreeCanonicalSampler(nearest=0).fit(FRAME, SCORES), "nearest must be"),
    "candidates": (lambda it: TreeCanonicalSampler(candidates=1.5).fit(FRAME, SCORES), "candidates must be"),  # type: ignore[arg-type]
    "n_jobs": (lambda it: TreeCanonicalSampler(n_jobs=0).fit(FRAME, SCORES), "n_jobs must be"),
    "neighbours": (lambda it: BootstrapSampler(neighbours=-1).fit(FRAME, SCORES), "neighbours must be"),
    "sample: n in text": (lambda it: it.engine.sample("3", score=0.5), "n must be"),
    "sample: where of an array": (
        lambda it: it.engine.sample(3, quantile=(0, 1), where={"age": np.array([1, 2])}),
        "must be a number",
    ),
    "sample: where of no level": (
        lambda it: it.engine.sample(3, quantile=(0, 1), where={"sex": {}}),
        "no such level",
    ),
    "sample: where of nothing": (
        lambda it: it.engine.sample(3, quantile=(0, 1), where={"sex": []}),
        "no row supports",
    ),
    "load: None": (lambda it: CanonicalSampler.load(None), "path must be"),  # type: ignore[arg-type]
    "save: unfitted": (lambda it: TreeCanonicalSampler().save("nowhere.npz"), "call fit"),
    "gate: a number": (lambda it: CanonicalGate(5), "cannot be used as a model"),
    "gate: threshold": (lambda it: CanonicalGate(threshold="high"), "threshold must be"),  # type: ignore[arg-type]
    "gate: no measures": (lambda it: CanonicalGate(measures=[]), "no such measure"),
    "gate: one number": (lambda it: CanonicalGate(measures=3), "no such measure"),  # type: ignore[arg-type]
    "gate: a frame": (lambda it: CanonicalGate().check(FRAME), "a set that an engine made"),
    "gate: probe a set": (lambda it: CanonicalGate().probe(it.positive), "an engine of canonical sets"),
    "gate: probe the unfitted": (lambda it: CanonicalGate().probe(TreeCanonicalSampler()), "call fit"),
    "gate: reference lacks columns": (
        lambda it: CanonicalGate(reference=FRAME[["age"]], reference_scores=SCORES).check(it.positive),
        "lacks columns",
    ),
    "gate: unknown levels": (
        lambda it: CanonicalGate(reference=FRAME.assign(sex="x"), reference_scores=SCORES).check(it.positive),
        "'sex'",
    ),
    "gate: model fails": (lambda it: CanonicalGate(lambda f: 1 / 0).check(it.positive), "ZeroDivisionError"),
    "gate: model says nothing": (
        lambda it: CanonicalGate(lambda f: np.full(len(f), np.nan)).check(it.positive),
        "not a finite number",
    ),
    "gate: no such measure": (lambda it: it.report["auc"], "did not take"),
    "contrast: None": (lambda it: contrast(None, it.negative), "positive must be a set"),  # type: ignore[arg-type]
    "contrast: two tables": (lambda it: contrast(it.positive, it.elsewhere), "different engines"),
    "contrast: protected": (
        lambda it: contrast(it.positive, it.negative, protected=None),  # type: ignore[arg-type]
        "protected must be",
    ),
    "contrast: gates in text": (
        lambda it: contrast(it.positive, it.negative, gates="trust"),  # type: ignore[arg-type]
        "reports of the gate",
    ),
    "contrast: one gate": (
        lambda it: contrast(it.positive, it.negative, gates=it.report),
        "reports of the gate",
    ),
    "contrast: another set's gate": (
        lambda it: contrast(it.positive, it.negative, gates=[it.report]),
        "about another set",
    ),
    "together: a frame": (lambda it: together(FRAME, it.negative), "positive must be"),  # type: ignore[arg-type]
    "together: two tables": (lambda it: together(it.positive, it.elsewhere), "different engines"),
    "together: two engines": (lambda it: together(it.positive, it.twin), "different engines"),
    "together: at_least": (lambda it: together(it.positive, it.negative, at_least=5), "at_least must be"),
    "together: at_least in text": (
        lambda it: together(it.positive, it.negative, at_least="a"),  # type: ignore[arg-type]
        "at_least must be",
    ),
    "together: columns": (
        lambda it: together(it.positive, it.negative, columns=["sexx"]),
        "no such column",
    ),
    "together: columns of nothing": (
        lambda it: together(it.positive, it.negative, columns={}),  # type: ignore[arg-type]
        "names of columns",
    ),
    "intersections: a set": (lambda it: intersections(it.positive, "sex", "race"), "an engine of canonical"),
    "intersections: unfitted": (lambda it: intersections(TreeCanonicalSampler(), "a", "b"), "call fit"),
    "intersections: a list": (lambda it: intersections(it.engine, ["sex"], "race"), "no such column"),  # type: ignore[arg-type]
    "intersections: given": (
        lambda it: intersections(it.engine, "sex", "race", given=None),  # type: ignore[arg-type]
        "given must be",
    ),
    "intersections: confidence": (
        lambda it: intersections(it.engine, "sex", "race", confidence=95),
        "confidence level",
    ),
    "intersections: quantile": (
        lambda it: intersections(it.engine, "sex", "race", positive=0.9),  # type: ignore[arg-type]
        "pair of numbers",
    ),
    "proxy: protected": (
        lambda it: direct_vs_proxy(FRAME, SCORES, SCORES, protected=None),  # type: ignore[arg-type]
        "protected must be",
    ),
    "proxy: a class": (
        lambda it: direct_vs_proxy(FRAME, SCORES, SCORES, protected="sex", sampler=TreeCanonicalSampler),  # type: ignore[arg-type]
        "not yet fitted",
    ),
    "proxy: too few scores": (
        lambda it: direct_vs_proxy(FRAME, SCORES, SCORES[:5], protected="sex"),
        "one score a row",
    ),
    "rates: two columns": (
        lambda it: output_rates(np.c_[FLAGS, FLAGS], np.c_[FLAGS, FLAGS], FRAME["sex"]),
        "one-dimensional",
    ),
    "rates: labels": (lambda it: output_rates(["a"] * 400, FLAGS, FRAME["sex"]), "booleans"),
    "rates: missing": (lambda it: output_rates(np.where(FLAGS, np.nan, 1), FLAGS, FRAME["sex"]), "booleans"),
    "rates: no groups": (lambda it: output_rates(FLAGS, FLAGS, None), "'groups'"),  # type: ignore[arg-type]
    "rates: confidence": (lambda it: output_rates(FLAGS, FLAGS, FRAME["sex"], confidence=95), "confidence"),
}


@pytest.mark.parametrize("case", CASES)
def test_it_is_refused_in_words(it: SimpleNamespace, case: str) -> None:
    call, says = CASES[case]
    with pytest.raises(FairwitnessError, match=says):
        call(it)


def test_columns_may_be_called_by_numbers() -> None:
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({0: rng.choice(["a", "b"], 800), 1: rng.normal(size=800), 2: rng.random(800) < 0.5})
    scores = np.clip(0.5 + 0.4 * (frame[0] == "a") * rng.random(800), 0, 1)
    fitted = TreeCanonicalSampler(protected=[0]).fit(frame, scores)
    assert fitted.rows_.protected == ("0",)
    assert (fitted.sample(20, quantile=(0, 1), where={0: "a"})[0] == "a").all()
    sets = fitted.positive(100), fitted.negative(100)
    found = contrast(*sets, protected=[0])
    assert found["0"].protected
    assert found["0"].established
    (grid,) = intersections(fitted, 0, 2, n=100)  # type: ignore[arg-type]
    assert (grid.row, grid.column) == ("0", "2")
    assert len(intersections(fitted, 0, 1, given=2, n=100)) == 2  # type: ignore[arg-type]
    assert together(*sets, columns=[0, 2]) == together(*sets, columns=["0", "2"])  # type: ignore[list-item]
    difference = direct_vs_proxy(frame, scores, scores, protected=[0], n=50)  # type: ignore[list-item]
    assert [feature.name for feature in difference.features if feature.protected] == ["0"]


def test_a_table_of_numbers_only() -> None:
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.normal(size=(300, 3)), columns=list("xyz"))
    fitted = TreeCanonicalSampler().fit(frame, 1 / (1 + np.exp(-3 * frame["x"])))
    sets = fitted.positive(100), fitted.negative(100)
    assert together(*sets) == ()  # no column of levels
    assert together(*sets, columns=["x", "y"], at_least=0.01)
    assert "x" in {feature.name for feature in contrast(*sets).features if feature.established}
    (grid,) = intersections(fitted, "x", "y", n=100)
    assert sum(cell.positive for line in grid.cells for cell in line) == pytest.approx(1)
    assert CanonicalGate(n_resamples=4).check(sets[0])["impossible"].value == 0
