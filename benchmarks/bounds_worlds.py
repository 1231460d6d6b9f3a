"""The questions of the benchmark of causal bounds: graphs, random worlds, and what is asked."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

import numpy as np

Path = tuple[str, ...]
#: Values that the hidden cause of a set of confounded variables takes.
HIDDEN = 6


@dataclass(frozen=True)
class World:
    """A graph and a seed: nodes with their numbers of values, parents first; arcs join confounded pairs."""

    cards: Mapping[str, int]
    edges: tuple[Path, ...]
    arcs: tuple[Path, ...]
    seed: int

    def parents(self, name: str) -> Path:
        return tuple(p for p in self.cards if (p, name) in self.edges)

    def components(self) -> list[Path]:
        """Sets of variables that share a hidden cause, single ones too."""
        parts = [{name} for name in self.cards]
        for arc in self.arcs:
            joined = [part for part in parts if part & set(arc)]
            parts = [part for part in parts if not part & set(arc)] + [set().union(*joined)]
        return [tuple(name for name in self.cards if name in part) for part in parts]

    def columns(self, members: Path) -> float:
        """Log10 of the number of joint response functions of some variables."""
        return sum(
            math.prod(self.cards[p] for p in self.parents(v)) * math.log10(self.cards[v]) for v in members
        )

    def text(self) -> str:
        """The graph as the library reads it."""
        lines = [f"{p} -> {v}" for p, v in self.edges] + [f"{a} <-> {b}" for a, b in self.arcs]
        return "\n".join([*self.cards, *lines])

    def table(self) -> np.ndarray:
        """P(v), one axis a variable; each answers its parents and the hidden cause of its set at random."""
        rng = np.random.default_rng(self.seed)
        axis = {name: number for number, name in enumerate(self.cards)}
        joint = np.ones((1,) * len(axis))
        for members in sorted(self.components(), key=lambda part: axis[part[0]]):
            hidden = rng.dirichlet(np.ones(HIDDEN if len(members) > 1 else 1))
            factor: np.ndarray | float = 0.0
            for weight in hidden:
                product: np.ndarray | float = weight
                for name in members:
                    product = product * self._answers(rng, name, axis)
                factor = factor + product
            joint = joint * factor
        return joint / joint.sum()

    def _answers(self, rng: np.random.Generator, name: str, axis: Mapping[str, int]) -> np.ndarray:
        rows = tuple(self.cards[p] for p in self.parents(name))
        chances = rng.gamma(1.0, size=(*rows, self.cards[name]))
        chances /= chances.sum(axis=-1, keepdims=True)
        named = (*self.parents(name), name)
        shape = [1] * len(axis)
        for each in named:
            shape[axis[each]] = self.cards[each]
        return np.transpose(chances, np.argsort([axis[each] for each in named])).reshape(shape)


@dataclass(frozen=True)
class Case:
    """One question to one world.

    `paths`: the active ones, as the library takes them. `open`: the variables whose response functions cannot
    be left out. `goal`: CPU seconds.
    """

    key: str
    title: str
    world: World
    paths: str | tuple[Path, ...]
    given: Mapping[str, int] = field(default_factory=dict)
    open: Path = ()
    goal: float | None = None
    treatment: str = "S"
    outcome: str = "Y"
    active: int = 1
    reference: int = 0

    @property
    def asked(self) -> dict[str, object]:
        paths = self.paths if isinstance(self.paths, str) else [" -> ".join(path) for path in self.paths]
        return {
            "treatment": self.treatment,
            "outcome": self.outcome,
            "active": self.active,
            "reference": self.reference,
            "outcome_value": 1,
            "paths": paths,
            "given": dict(self.given),
        }

    def listed(self) -> list[Path]:
        """The active paths, one by one."""
        found = list(self._to(self.outcome))
        if self.paths == "all":
            return found
        if self.paths == "direct":
            return [(self.treatment, self.outcome)]
        return [path for path in found if path in self.paths]

    def _to(self, name: str) -> Iterator[Path]:
        if name == self.treatment:
            yield (name,)
            return
        for parent in self.world.parents(name):
            yield from ((*path, name) for path in self._to(parent))


PAPER = (("S", "W"), ("W", "A"), ("S", "Y"), ("W", "Y"), ("A", "Y"))
PAPER_PATHS = (("S", "W", "A", "Y"), ("S", "Y"))


def _pairs(names: Path) -> tuple[Path, ...]:
    return tuple(itertools.combinations(names, 2))


def _paper(key: str, title: str, given: str, unidentified: str) -> Case:
    """On the paper's graph with nothing confounded: its path effect, of S from 1 to 0."""
    return Case(
        key,
        f"nothing confounded, the paper's graph; {title}",
        World(dict.fromkeys("SWAY", 2), PAPER, (), seed=4),
        PAPER_PATHS,
        {name: int(name in "SY") for name in given},
        tuple(unidentified),
        goal=1.0,
        active=0,
        reference=1,
    )


def cases() -> list[Case]:
    ternary = {"S": 2, "W": 3, "A": 2, "Y": 2}
    world = World(ternary, PAPER, _pairs(tuple(ternary)), seed=1)
    found = [
        Case(
            key,
            f"all confounded, the paper's graph, W ternary; {title}",
            world,
            PAPER_PATHS,
            given,
            tuple(ternary),
            goal=0.005,
            active=0,
            reference=1,
        )
        for key, title, given in (
            ("ternary", "path effect", {}),
            ("ternary-person", "given S, W, A", {"S": 1, "W": 2, "A": 0}),
        )
    ]
    eight = ("S", *(f"M{i}" for i in range(1, 7)), "Y")
    world = World(dict.fromkeys(eight, 2), _pairs(eight), _pairs(eight), seed=2)
    for key, title, paths, given in (
        ("eight-total", "total effect", "all", {}),
        ("eight-direct", "direct effect", "direct", {}),
        ("eight-person", "given all but Y", "all", dict.fromkeys(eight[:-1], 0)),
    ):
        found.append(
            Case(key, f"all confounded, complete, 8 binary; {title}", world, paths, given, eight, goal=0.1)
        )
    for extra, goal in ((1, None), (2, None), (3, 0.05), (4, 0.3), (5, 2.0), (6, 20.0)):
        others = tuple(f"X{i}" for i in range(1, extra + 1))
        edges = (("S", "W"), ("S", "Y"), *((x, "Y") for x in others), ("W", "Y"))
        world = World(dict.fromkeys((*others, "S", "W", "Y"), 2), edges, (("W", "Y"),), seed=3)
        for key, title, paths, given in (
            ("direct", "direct effect", "direct", {}),
            ("person", "given S, W, Y", "all", {"S": 0, "W": 0, "Y": 0}),
        ):
            found.append(
                Case(
                    f"pair-{extra}-{key}",
                    f"W, Y confounded, Y with {extra} more parent{'s' * (extra > 1)}; {title}",
                    world,
                    paths,
                    given,
                    ("W", "Y"),
                    goal,
                )
            )
    for many, goal in ((16, 0.15), (20, 1.6)):
        mediators = tuple(f"M{i}" for i in range(1, many + 1))
        names = ("S", *mediators, "Y")
        found.append(
            Case(
                f"person-{many}",
                f"nothing confounded, complete, {many} mediators; given all but Y",
                World(dict.fromkeys(names, 2), _pairs(names), (), seed=5),
                "all",
                dict.fromkeys(names[:-1], 0),
                mediators,
                goal,
            )
        )
    found += [
        _paper("block-4", "path effect: 4", "", "W"),
        _paper("blocks-4-4", "path effect given A: 4 x 4", "A", "WA"),
        _paper("blocks-4-4-256", "path effect given Y: 4 x 4 x 256", "Y", "WAY"),
        _paper("blocks-person", "path effect given S, W, Y: 4 x 4 x 256", "SWY", "WAY"),
        _paper("paper-person", "path effect given S, W, A: 4 x 4", "SWA", "WA"),
    ]
    return found
