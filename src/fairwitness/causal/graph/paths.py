"""Which causal paths are active: in words, and as a rule that never lists them all.

A path set says for every directed path from the treatment to the outcome whether the active value flows
along it (the paper's π) or the reference value (π̄). It is read backwards, from the outcome: the *state* at a
node is the set of ways from the treatment to that node which, with the suffix walked so far, make an
active path. Two suffixes with equal states need one copy of the node only.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice, pairwise
from typing import Literal, TypeAlias

from fairwitness.arguments import items_of, shown
from fairwitness.causal.graph.causal_graph import CausalGraph
from fairwitness.errors import ConfigError
from fairwitness.text import listing, plain

Path: TypeAlias = tuple[str, ...]
#: ``"all"`` and ``"none"``: every, or no, way into the node makes an active path; otherwise those that do.
State: TypeAlias = "Literal['all', 'none', 'open'] | frozenset[Path]"

_ARROW = " → "


@dataclass(frozen=True, slots=True)
class Through:
    """All paths that pass through at least one of some variables (the paper's redlining attributes)."""

    variables: tuple[str, ...]


def through(*variables: str | Sequence[str]) -> Through:
    """Give the paths through at least one of these variables, named one by one or in a list.

    Examples
    --------
    >>> through("dept", "title")
    Through(variables=('dept', 'title'))
    """
    return Through(
        tuple(name for each in variables for name in ([each] if isinstance(each, str) else _names(each)))
    )


@dataclass(frozen=True, slots=True)
class PathSet:
    """A set of directed paths from one variable to another.

    Attributes
    ----------
    kind
        ``"all"``; ``"through"``: those through one of ``variables``; ``"listed"``: those in ``listed``.
    """

    graph: CausalGraph
    treatment: str
    outcome: str
    kind: Literal["all", "through", "listed"]
    variables: tuple[str, ...] = ()
    listed: tuple[Path, ...] = ()

    def start(self) -> State:
        """Give the state at the outcome."""
        if self.kind == "all":
            return "all"
        if self.kind == "through":
            return "open" if self.variables else "none"
        return self._settle(self.outcome, frozenset(path[:-1] for path in self.listed))

    def step(self, state: State, parent: str) -> State:
        """Give the state at a parent of the node whose state is ``state``."""
        if state == "open":
            return "all" if parent in self.variables else "open"
        if isinstance(state, str):
            return state
        return self._settle(parent, frozenset(way[:-1] for way in state if way and way[-1] == parent))

    def is_active(self, state: State) -> bool:
        """Say whether the path that ends in the treatment with this state is active."""
        # an open state at the treatment: the path met none of the variables it has to pass
        return state == "all" or (isinstance(state, frozenset) and () in state)

    def _settle(self, node: str, ways: frozenset[Path]) -> State:
        if not ways:
            return "none"
        # every way from the treatment to here is in the set: nothing is left to decide
        if len(ways) == self.graph.count_paths(self.treatment, node):
            return "all"
        return ways

    @property
    def is_empty(self) -> bool:
        """Whether no path at all is active."""
        if self.kind == "listed":
            return not self.listed
        if self.kind == "through":
            return not any(self._lies_between(name) for name in self.variables)
        return self.graph.count_paths(self.treatment, self.outcome) == 0

    @property
    def is_total(self) -> bool:
        """Whether every path is active, however the set was named."""
        return self.start() == "all" or (
            self.kind == "through" and self._count_avoiding() == 0 and not self.is_empty
        )

    def _lies_between(self, name: str) -> bool:
        return name in self.graph.descendants(self.treatment) and name in self.graph.ancestors(self.outcome)

    def _count_avoiding(self) -> int:
        ways = {self.treatment: 1}
        for node in self.graph.nodes:
            if node != self.treatment and node not in self.variables:
                ways[node] = sum(ways.get(parent, 0) for parent in self.graph.parents(node))
        return ways.get(self.outcome, 0)

    def paths(self, most: int = 1000) -> tuple[Path, ...]:
        """List the active paths, at most ``most`` of them."""
        if self.kind == "listed":
            return self.listed[:most]
        every = self.graph.paths(self.treatment, self.outcome)
        wanted = set(self.variables)
        chosen = (path for path in every if self.kind == "all" or wanted & set(path[1:-1]))
        return tuple(islice(chosen, most))

    def __str__(self) -> str:
        ends = f"{plain(self.treatment)} to {plain(self.outcome)}"
        if self.kind == "all":
            return f"all paths from {ends}"
        if self.kind == "through":
            return f"the paths from {ends} through {', '.join(map(plain, self.variables))}"
        if not self.listed:
            return f"no path from {ends}"
        return "; ".join(_ARROW.join(map(plain, path)) for path in self.listed)

    def to_dict(self) -> dict[str, object]:
        """Give the set as plain values."""
        return {
            "kind": self.kind,
            "variables": list(self.variables),
            "listed": [list(path) for path in self.listed],
        }


def path_set(graph: CausalGraph, treatment: str, outcome: str, paths: object = "all") -> PathSet:
    """Read which paths are active.

    Parameters
    ----------
    graph
        The causal graph.
    treatment, outcome
        Where the paths start and end.
    paths
        ``"all"``; ``"direct"`` (the edge); ``"indirect"`` (all but the edge); ``through("W", …)`` or
        ``"through W, A"``; one path in words, ``"S -> W -> Y"``; or a list of paths, in words or as
        sequences of names. An empty list is the empty set.

    Raises
    ------
    ConfigError
        If a path does not start at the treatment, does not end at the outcome, or uses an edge that is
        not in the graph.
    """
    for name in (treatment, outcome):
        graph.check(name)
    if isinstance(paths, PathSet):
        return path_set(graph, treatment, outcome, _again(paths, graph))
    if isinstance(paths, Through):
        return _through(graph, treatment, outcome, paths.variables)
    if isinstance(paths, Mapping) and set(paths) == {"through"}:
        return _through(graph, treatment, outcome, _names(paths["through"]))
    if isinstance(paths, str):
        return _in_words(graph, treatment, outcome, paths)
    several = items_of(paths)
    if several is not None:
        listed = [_one_path(graph, treatment, outcome, path) for path in several]
        return PathSet(graph, treatment, outcome, "listed", listed=_ordered(graph, listed))
    raise ConfigError(
        "the active paths cannot be read",
        got=shown(paths),
        fix='pass "all", "direct", "indirect", through("W"), or paths such as "S -> W -> Y"',
    )


def _again(paths: PathSet, graph: CausalGraph) -> object:
    if paths.kind != "through":
        return "all" if paths.kind == "all" else paths.listed
    # a variable that the graph no longer has, as it matters to nothing, lies on no path; nor may any other
    left = tuple(name for name in paths.variables if graph.has(name))
    return () if paths.is_empty or not left else Through(left)


def _in_words(graph: CausalGraph, treatment: str, outcome: str, text: str) -> PathSet:
    word = text.strip()
    if not word:
        raise ConfigError(
            "the active paths are an empty text",
            fix='write for example "all", or pass an empty list for no path at all',
        )
    if word == "all":
        return PathSet(graph, treatment, outcome, "all")
    if word == "direct":
        path = _one_path(graph, treatment, outcome, (treatment, outcome))
        return PathSet(graph, treatment, outcome, "listed", listed=(path,))
    if word == "indirect":
        between = graph.descendants(treatment) & graph.ancestors(outcome) - {treatment, outcome}
        return PathSet(graph, treatment, outcome, "through", tuple(v for v in graph.nodes if v in between))
    if word.startswith("through ") and "->" not in word:
        return _through(graph, treatment, outcome, _names(word.removeprefix("through ")))
    listed = [
        _one_path(graph, treatment, outcome, part)
        for part in word.replace("\n", ";").split(";")
        if part.strip()
    ]
    return PathSet(graph, treatment, outcome, "listed", listed=_ordered(graph, listed))


def _names(value: object) -> tuple[str, ...]:
    if isinstance(value, str):
        return tuple(_unquoted(part) for part in value.split(",") if part.strip())
    names = items_of(value)
    if names is not None:
        return tuple(map(str, names))
    raise ConfigError(
        "the variables to pass through cannot be read", got=shown(value), fix="list their names"
    )


def _through(graph: CausalGraph, treatment: str, outcome: str, names: Sequence[str]) -> PathSet:
    for name in names:
        graph.check(name)
        if name in (treatment, outcome):
            raise ConfigError(
                "paths are asked for through one of their own ends",
                got=plain(name),
                fix="name variables between the treatment and the outcome",
            )
    made = PathSet(graph, treatment, outcome, "through", tuple(v for v in graph.nodes if v in set(names)))
    if made.is_empty:
        named = listing([plain(name) for name in names])
        raise ConfigError(
            f"no path from {plain(treatment)} to {plain(outcome)} passes through {named}",
            fix="name variables that lie on a path",
        )
    return made


def _one_path(graph: CausalGraph, treatment: str, outcome: str, path: object) -> Path:
    if isinstance(path, str):
        nodes = tuple(_unquoted(part) for part in path.replace("→", "->").split("->"))
    elif isinstance(path, Iterable):
        nodes = tuple(map(str, path))
    else:
        nodes = ()
    wanted = f"{plain(treatment)} -> … -> {plain(outcome)}"
    if len(nodes) < 2 or nodes[0] != treatment or nodes[-1] != outcome:
        raise ConfigError(
            "a path does not lead from the treatment to the outcome",
            got=shown(path),
            fix=f"write it as {wanted}",
        )
    for start, end in pairwise(nodes):
        graph.check(start)
        graph.check(end)
        if start not in graph.parents(end):
            raise ConfigError(
                f"the path {' -> '.join(map(plain, nodes))} does not exist: the graph has no edge "
                f"{plain(start)} -> {plain(end)}",
                fix="follow the arrows of the graph, or add the edge to it",
            )
    return nodes


def _unquoted(text: str) -> str:
    text = text.strip()
    return text[1:-1] if len(text) > 1 and text[0] == text[-1] and text[0] in "\"'" else text


def _ordered(graph: CausalGraph, listed: Iterable[Path]) -> tuple[Path, ...]:
    place = {name: number for number, name in enumerate(graph.nodes)}
    return tuple(sorted(set(listed), key=lambda path: [place[name] for name in path]))
