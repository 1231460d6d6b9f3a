from __future__ import annotations

import itertools
import json

import numpy as np
import pandas as pd
import pytest
from tests.oracle import mixed_tables as mixed
from tests.oracle import neighbors_by_hand as by_hand

from fairwitness.counterfactuals import (
    QUALITIES,
    GeneticGenerator,
    NeighborGenerator,
    PrecomputedGenerator,
    evaluate_counterfactuals,
)
from fairwitness.errors import ConfigError, DataError
from fairwitness.model import as_blackbox
from fairwitness.table import Schema


def people(n=80, seed=0):
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(
        {
            "age": rng.integers(18, 60, n),
            "job": pd.Series(rng.choice(["a", "b", None], n), dtype=object),
            "income": rng.normal(4, 2, n).round(1),
        }
    )
    frame.loc[::9, "income"] = np.nan
    return frame


def rich(frame):
    return 1 / (1 + np.exp(5 - np.nan_to_num(np.asarray(frame["income"], dtype=float))))


def box(rule=rich, **settings):
    return as_blackbox(rule, output="probability", **settings)


def sets(frame, k=4):
    queries = frame[rich(frame) < 0.5][:12]
    genetic = GeneticGenerator(random_state=0, patience=2, offspring=30)
    return {
        "exist": NeighborGenerator().fit(frame, box()).generate(queries, k),
        "new": genetic.fit(frame, box()).generate(queries, k),
    }


def naive(found, frame, neighbors):
    """Qualities by plain loops over plain values, a dictionary a query."""
    schema = found.encoder.schema
    from fairwitness.table import MixedDistance

    scales = MixedDistance.fit(found.encoder.encode(frame), schema).scales

    def far(a, b):
        return by_hand.distance(a, b, schema.features, scales)

    table = list(dict.fromkeys(mixed.records(frame)))

    def apart(row):
        return sorted(far(row, other) for other in table if other != row)[neighbors - 1]

    limit = np.quantile([apart(row) for row in table], 0.95)
    rows = mixed.records(found.encoder.decode(found.rows))
    homes = mixed.records(found.encoder.decode(found.queries))
    out = []
    for query, home in enumerate(homes):
        mine = [row for row, at in zip(rows, found.query, strict=True) if at == query]
        pairs = list(itertools.combinations(mine, 2))
        out.append(
            {
                "distance": np.mean([far(row, home) for row in mine]),
                "first_distance": far(mine[0], home),
                "changed": np.mean([sum(x != y for x, y in zip(row, home, strict=True)) for row in mine]),
                "diversity": np.mean([far(*pair) for pair in pairs]),
                "data_distance": np.mean([min(far(row, other) for other in table) for row in mine]),
                "plausible": np.mean([apart(row) <= limit for row in mine]),
                "validity": 1.0,
            }
        )
    return out


@pytest.mark.parametrize("neighbors", [1, 5])
def test_plain_loops_give_the_same(neighbors):
    frame = people()
    both = sets(frame)
    got = evaluate_counterfactuals(both, box(), frame, neighbors=neighbors, n_resamples=50)
    for name, found in both.items():
        lines = naive(found, frame, neighbors)
        for quality in lines[0]:
            wanted = np.mean([line[quality] for line in lines])
            assert got[name][quality].estimate == pytest.approx(wanted, rel=1e-9), quality
            assert got[name][quality].n == len(lines)
    assert got["exist"]["data_distance"].estimate == 0
    assert got["new"]["data_distance"].estimate > 0
    assert got["new"]["distance"].estimate < got["exist"]["distance"].estimate


def test_intervals_hold_the_estimate_and_depend_on_the_seed_only():
    frame = people()
    both = sets(frame)
    got = evaluate_counterfactuals(both, box(), frame, n_resamples=300)
    again = evaluate_counterfactuals(both, box(), frame, n_resamples=300)
    assert got.to_dict() == again.to_dict()
    for each in got.sets:
        for name in ("distance", "diversity"):
            assert each[name].low < each[name].estimate < each[name].high
    other = evaluate_counterfactuals(both, box(), frame, n_resamples=300, random_state=1)
    assert other["new"]["distance"].low != got["new"]["distance"].low


def test_coverage_and_answered_count_queries():
    frame = people()
    found = NeighborGenerator().fit(frame, box(), schema=Schema.infer(frame).feature("age", immutable=True))
    found = found.generate(frame[rich(frame) < 0.5], 2)
    got = evaluate_counterfactuals(found, box(), frame)["neighbors"]
    n = found.n_queries
    assert got["coverage"].estimate == found.status.count("found") / n
    assert got["answered"].estimate == (found.n_found > 0).sum() / n < 1
    assert got["coverage"].low < got["coverage"].estimate < got["coverage"].high
    assert got["distance"].n == (found.n_found > 0).sum()
    assert got["diversity"].n == (found.n_found > 1).sum()


def test_the_model_is_asked_again():
    frame = people()
    strict = box(lambda f: rich(f) * (np.asarray(f["age"]) < 30))
    got = evaluate_counterfactuals(sets(frame), strict, frame)
    found = sets(frame)["exist"]
    ages = found.encoder.decode(found.rows)["age"].to_numpy()
    valid = found.spread((ages < 30).astype(float))
    assert got["exist"]["validity"].estimate == pytest.approx(np.nanmean(np.nanmean(valid, axis=1)))
    assert 0 < got["exist"]["validity"].estimate < 1


def test_a_column_of_predictions_cannot_be_asked_again():
    frame = people()
    answers = as_blackbox(rich(frame) >= 0.5, kind="predictions", favorable=True)
    found = NeighborGenerator().fit(frame, answers).generate(frame[:5], 2)
    got = evaluate_counterfactuals(found, answers, frame)["neighbors"]
    assert np.isnan(got["validity"].estimate)
    assert "cannot be asked" in got["validity"].reason
    assert got["distance"].estimate > 0


def test_nothing_found_is_a_reason_not_a_zero():
    frame = people()
    never = box(lambda f: np.zeros(len(f)))
    found = NeighborGenerator().fit(frame, never).generate(frame[:4], 2)
    got = evaluate_counterfactuals(found, never, frame)["neighbors"]
    assert (got["coverage"].estimate, got["coverage"].n) == (0, 4)
    assert got["distance"].reason == "no counterfactual was found"
    assert np.isnan(got["distance"].estimate)
    nobody = evaluate_counterfactuals(found.take([]), never, frame)["neighbors"]
    assert nobody["coverage"].reason == "there are no queries"


def test_one_counterfactual_has_no_diversity_and_a_small_table_no_neighbors():
    frame = people(4)
    frame["income"] = [1.0, 9.0, 1.0, 9.5]
    found = NeighborGenerator().fit(frame, box()).generate(frame[:1], 1)
    got = evaluate_counterfactuals(found, box(), frame, neighbors=9)["neighbors"]
    assert got["diversity"].reason == "no query has two counterfactuals"
    assert got["plausible"].reason == "the table has too few rows"


def test_fewer_rows_to_look_at_are_further_away():
    frame = people()
    found = sets(frame)["exist"]
    got = evaluate_counterfactuals(found, box(), frame, max_rows=10, n_resamples=10)
    assert got.settings["n_rows_looked_at"] == 10
    assert got["neighbors"]["data_distance"].estimate > 0


def test_rows_of_the_table_are_about_as_plausible_as_promised():
    frame = people(300)
    queries = frame[:1]
    every = frame.assign(query=0, rank=range(len(frame)))
    found = PrecomputedGenerator(every).fit(frame, box(lambda f: np.ones(len(f)))).generate(queries, 300)
    got = evaluate_counterfactuals(found, box(lambda f: np.ones(len(f))), frame)["precomputed"]
    assert got["plausible"].estimate == pytest.approx(0.95, abs=0.01)


def test_frame_document_and_page():
    frame = people()
    both = sets(frame)
    both = {"<b>exist</b>": both["exist"], "new": both["new"]}
    got = evaluate_counterfactuals(both, box(), frame, cpu_seconds={"new": 24.0}, n_resamples=20)
    table = got.to_frame()
    assert table["set"].tolist() == list(both)
    assert set(QUALITIES) <= set(table.columns)
    assert table["cpu_seconds"].tolist()[1] == 2.0
    assert np.isnan(table["cpu_seconds"][0])
    wide = got.to_frame(intervals=True)
    assert (wide["distance_low"] <= wide["distance"]).all()
    document = json.loads(json.dumps(got.to_dict()))
    assert document["qualities"]["diversity"]["better"] == "higher"
    assert document["sets"][0]["cpu_seconds"] == {
        "estimate": None,
        "low": None,
        "high": None,
        "n": 0,
        "reason": "not given",
    }
    assert "<b>exist" not in got._repr_html_()
    assert "new" in repr(got)


@pytest.mark.parametrize("quality", QUALITIES)
def test_every_quality_can_be_drawn(quality):
    frame = people()
    got = evaluate_counterfactuals(sets(frame), box(), frame, n_resamples=20, cpu_seconds={"new": 1.0})
    ax = got.plot(quality=quality)
    assert [tick.get_text() for tick in ax.get_yticklabels()] == ["exist", "new"]
    assert QUALITIES[quality].better in ax.get_xlabel()


def test_what_makes_no_sense_is_said():
    frame = people()
    both = sets(frame)
    with pytest.raises(ConfigError, match="no counterfactual set"):
        evaluate_counterfactuals({}, box(), frame)
    with pytest.raises(ConfigError, match="several sets"):
        evaluate_counterfactuals(both, box(), frame, cpu_seconds=3.0)
    with pytest.raises(ConfigError, match="not there"):
        evaluate_counterfactuals(both, box(), frame, cpu_seconds={"old": 3.0})
    with pytest.raises(ConfigError, match="neighbors"):
        evaluate_counterfactuals(both, box(), frame, neighbors=0)
    with pytest.raises(ConfigError, match="confidence"):
        evaluate_counterfactuals(both, box(), frame, confidence=95)
    other = NeighborGenerator().fit(frame[["income", "age"]], box()).generate(frame[:2], 1)
    with pytest.raises(DataError, match="different columns"):
        evaluate_counterfactuals(both | {"other": other}, box(), frame)
    with pytest.raises(ConfigError, match="use one of exist and new"):
        evaluate_counterfactuals(both, box(), frame)["old"]
    with pytest.raises(ConfigError, match="coverage"):
        evaluate_counterfactuals(both, box(), frame).plot(quality="beauty")
