from __future__ import annotations

from typing import Any

import pytest

from fairwitness.causal import CausalGraph
from fairwitness.causal.audit.options import TAU, Options, read_graph, read_options, split_paths
from fairwitness.errors import ConfigError

GRAPH = CausalGraph.from_text('sex -> dept -> decision; sex -> "years worked" -> decision')


def test_nothing_said_is_the_usual() -> None:
    assert read_options(None, None) == Options() == read_options({"generator": "x"}, GRAPH)
    assert Options().tau == TAU


def test_everything_is_read() -> None:
    read = read_options(
        {
            "tau": 0.05,
            "bins": {"years worked": [3, 10]},
            "paths": "sex -> dept -> decision",
            "redlining": ["dept"],
            "sampling_error": "none",
        },
        GRAPH,
    )
    assert read == Options(0.05, {"years worked": [3, 10]}, ("sex -> dept -> decision",), ("dept",), "none")


@pytest.mark.parametrize(
    ("settings", "says"),
    [
        ({"tau": 10}, "tau must be a number above 0 and below 1; got 10"),
        ({"tau": "small"}, "tau must be a number"),
        ({"bins": [37]}, "bins must say for each variable where it is cut"),
        ({"bins": {"dept": "middle"}}, "no comparison with a number"),
        ({"bins": {"dep": [1]}}, "in bins, the graph has no node 'dep'.*'dept'"),
        ({"redlining": {"dept": 1}}, "redlining must be a list of texts"),
        ({"redlining": ["age"]}, "in redlining, the graph has no node 'age'"),
        ({"paths": ["sex -> dep -> decision"]}, "in paths, the graph has no node 'dep'"),
        ({"paths": [3]}, "paths must be a list of texts"),
        ({"sampling_error": True}, "'resampled' or 'region' or 'none'"),
    ],
)
def test_what_makes_no_sense_is_refused(settings: dict[str, Any], says: str) -> None:
    with pytest.raises(ConfigError, match=says) as caught:
        read_options(settings, GRAPH)
    assert caught.value.fix


def test_the_graph_comes_in_any_form() -> None:
    assert read_graph(None, {"tau": 0.2}) is None
    assert read_graph("sex -> decision", None) == CausalGraph([("sex", "decision")])
    with pytest.raises(ConfigError, match="cycle"):
        read_graph("a -> b -> a", None)
    with pytest.raises(ConfigError, match="in bins"):
        read_graph("sex -> decision", {"bins": {"age": [3]}})


def test_paths_are_taken_apart() -> None:
    assert split_paths('a -> "b c" → d; a -> d\n') == [("a", "b c", "d"), ("a", "d")]
    assert split_paths(" ; ") == []
