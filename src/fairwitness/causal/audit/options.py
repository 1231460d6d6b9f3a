"""What an audit may be told about bounds: checked before anybody waits for a result."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from fairwitness.arguments import real_number, shown
from fairwitness.causal.data.bins import read_bins
from fairwitness.causal.graph.causal_graph import CausalGraph
from fairwitness.errors import ConfigError
from fairwitness.text import plain

if TYPE_CHECKING:
    from fairwitness.causal.data.bins import Bins

SamplingError: TypeAlias = Literal["resampled", "region", "none"]
SAMPLING_ERRORS: tuple[SamplingError, ...] = ("resampled", "region", "none")
#: Effects up to this size are within the tolerance, unless the settings say otherwise (the paper's τ).
TAU = 0.1


@dataclass(frozen=True, slots=True)
class Options:
    """Settings of the bounds in an audit.

    Attributes
    ----------
    tau
        Size of effect up to which a verdict is "within".
    bins
        Column → where it is cut.
    paths
        Sets of paths of interest, in words: ``"race -> credit -> decision"``; several with ``;``.
    redlining
        Variables whose use cannot be justified: the paths through them are looked at on their own.
    sampling_error
        How intervals also cover sampling error: ``"resampled"`` (indicative), ``"region"`` (valid for any
        number of rows, and wide) or ``"none"``.
    """

    tau: float = TAU
    bins: Bins = field(default_factory=dict)
    paths: tuple[str, ...] = ()
    redlining: tuple[str, ...] = ()
    sampling_error: SamplingError = "resampled"


def read_options(settings: Mapping[str, object] | None, graph: CausalGraph | None) -> Options:
    """Read and check the settings that are about bounds; the others are left alone.

    Raises
    ------
    ConfigError
        If one makes no sense, or names what is not in the graph.
    """
    given = settings or {}
    tau = given.get("tau")
    options = Options(
        tau=TAU
        if tau is None
        else real_number(tau, "tau", above=0.0, below=1.0, fix="pass for example tau=0.1"),
        bins=_bins(given.get("bins")),
        paths=_texts(given.get("paths"), "paths", "sex -> dept -> decision"),
        redlining=_texts(given.get("redlining"), "redlining", "dept"),
        sampling_error=_sampling_error(given.get("sampling_error")),
    )
    if graph is not None:
        named = {
            "bins": list(options.bins),
            "redlining": options.redlining,
            "paths": [node for path in options.paths for part in split_paths(path) for node in part],
        }
        for name, nodes in named.items():
            try:
                graph.check(*nodes)
            except ConfigError as error:
                raise ConfigError(f"in {name}, {error.what}", got=error.got, fix=error.fix) from error
    return options


def read_graph(graph: Any, settings: Mapping[str, object] | None) -> CausalGraph | None:
    """Read the graph of an audit, if there is one, and check the settings that go with it."""
    read = None if graph is None else CausalGraph.from_any(graph)
    read_options(settings if isinstance(settings, Mapping) else None, read)
    return read


def split_paths(text: str) -> list[tuple[str, ...]]:
    """Take ``"A -> B -> Y; A -> Y"`` apart into the names along each path."""
    paths = []
    for part in text.replace("\n", ";").split(";"):
        if part.strip():
            names = (name.strip() for name in part.replace("→", "->").split("->"))
            paths.append(
                tuple(n[1:-1] if len(n) > 1 and n[0] == n[-1] and n[0] in "\"'" else n for n in names)
            )
    return paths


def _bins(given: object) -> Bins:
    if given is None:
        return {}
    read_bins(given, [str(name) for name in given] if isinstance(given, Mapping) else [])  # type: ignore[arg-type]
    assert isinstance(given, Mapping)
    return {str(name): where for name, where in given.items()}


def _texts(given: object, name: str, example: str) -> tuple[str, ...]:
    if given is None:
        return ()
    listed = [given] if isinstance(given, str) else given
    texts = isinstance(listed, Iterable) and not isinstance(listed, Mapping)
    found: Sequence[object] = list(listed) if texts else [None]  # type: ignore[call-overload]
    if not all(isinstance(each, str) and each.strip() for each in found):
        raise ConfigError(
            f"{plain(name)} must be a list of texts",
            got=shown(given),
            fix=f'pass for example {name}=["{example}"]',
        )
    return tuple(map(str, found))


def _sampling_error(given: object) -> SamplingError:
    if given is None:
        return "resampled"
    for word in SAMPLING_ERRORS:
        if given == word:
            return word
    raise ConfigError(
        "sampling_error is not one of the possible values",
        got=shown(given),
        fix=f"use {' or '.join(map(repr, SAMPLING_ERRORS))}",
    )
