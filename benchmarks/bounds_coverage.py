"""How often intervals of causal bounds contain the true effect, and how wide they are.

    python benchmarks/bounds_coverage.py [--samples 300] [--sizes 100,1000] [--worlds bow,NDE] [--quick]
        [--jobs 2] [--resamples 200]

For each graph, worlds are drawn at random: a hidden cause of few values for each confounded set, and a table
of answers for each variable. The true effect is enumerated. Each sample comes from a world of its own, so
that coverage is a mean over worlds.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np
from joblib import Parallel, delayed

from fairwitness.causal import CausalGraph, Distribution, effect_bounds
from fairwitness.causal.sampling.bootstrap import bootstrap_bounds
from fairwitness.causal.solver.question import prepare

SIZES = (100, 300, 1_000, 3_000, 10_000)


@dataclass(frozen=True)
class Case:
    """A graph in words, and what is asked of it."""

    text: str
    given: dict[str, int] = field(default_factory=dict)
    paths: str | list[str] = "all"
    cards: dict[str, int] = field(default_factory=dict)


CASES = {
    "TCE, S -> W -> Y, W <-> Y": Case("S -> W -> Y; W <-> Y"),
    "the same, given S, W": Case("S -> W -> Y; W <-> Y", {"S": 0, "W": 1}),
    "the same, given Y": Case("S -> W -> Y; W <-> Y", {"Y": 0}),
    "NDE, S -> W -> Y <- S, W <-> Y": Case("S -> W -> Y; S -> Y; W <-> Y", paths="direct"),
    "Markovian, 4 nodes, given S, W, A": Case("S -> W -> A -> Y; {S, W} -> Y", {"S": 0, "W": 1, "A": 0}),
    "Markovian, 4 nodes, given W": Case(
        "S -> W -> A -> Y; {S, W} -> Y", {"W": 1}, ["S -> W -> A -> Y", "S -> Y"]
    ),
    "bow": Case("S -> Y; S <-> Y"),
    "NDE with parents Z of W, Y": Case("S -> W -> Y; S -> Y; Z -> {W, Y}; W <-> Y", paths="direct"),
    "TCE with Z, given W, W of 3 values": Case("S -> W -> Y; Z -> {W, Y}; W <-> Y", {"W": 1}, cards={"W": 3}),
}


@dataclass(frozen=True)
class World:
    """A causal model: hidden causes with their probabilities, and a table of answers for each variable."""

    graph: CausalGraph
    cards: dict[str, int]
    hidden: dict[str, str]
    chances: dict[str, np.ndarray]
    tables: dict[str, np.ndarray]

    @classmethod
    def draw(cls, rng: np.random.Generator, case: Case) -> World:
        graph = CausalGraph.from_text(case.text)
        cards = {name: case.cards.get(name, 2) for name in graph.nodes}
        hidden, chances, tables = {}, {}, {}
        for members in graph.components:
            values = int(rng.integers(2, 7)) if len(members) > 1 else int(rng.integers(3, 9))
            chances[members[0]] = rng.dirichlet(np.full(values, rng.choice([0.5, 1.0, 5.0])))
            for name in members:
                hidden[name] = members[0]
                shape = (*(cards[parent] for parent in graph.parents(name)), values)
                tables[name] = rng.integers(0, cards[name], size=shape)
        return cls(graph, cards, hidden, chances, tables)

    def people(self) -> tuple[np.ndarray, dict[str, np.ndarray]]:
        """Every combination of hidden values: its probability, and each hidden cause's value."""
        names = list(self.chances)
        grid = np.meshgrid(*(np.arange(len(self.chances[name])) for name in names), indexing="ij")
        of = {name: each.ravel() for name, each in zip(names, grid, strict=True)}
        return np.prod([self.chances[name][of[name]] for name in names], axis=0), of

    def answers(
        self, of: dict[str, np.ndarray], held: dict[str, np.ndarray] | None = None
    ) -> dict[str, np.ndarray]:
        """Everybody's values, some variables held."""
        values: dict[str, np.ndarray] = {}
        for name in self.graph.nodes:
            if held is not None and name in held:
                values[name] = held[name]
            else:
                index = (*(values[parent] for parent in self.graph.parents(name)), of[self.hidden[name]])
                values[name] = self.tables[name][index]
        return values

    def joint(self) -> np.ndarray:
        """P(v), axes in the graph's order."""
        chance, of = self.people()
        values = self.answers(of)
        shape = tuple(self.cards[name] for name in self.graph.nodes)
        cell = np.ravel_multi_index([values[name] for name in self.graph.nodes], shape)
        return np.bincount(cell, weights=chance, minlength=int(np.prod(shape))).reshape(shape)

    def effect(self, case: Case) -> float:
        """The true effect of S = 1 instead of 0 on Y = 1 along the paths, of people as given."""
        chance, of = self.people()
        seen = self.answers(of)
        like = np.prod([seen[name] == value for name, value in case.given.items()], axis=0) * chance
        paths = [] if isinstance(case.paths, str) else [tuple(path.split(" -> ")) for path in case.paths]

        def value(name: str, suffix: tuple[str, ...]) -> np.ndarray:
            if name == "S":
                active = (
                    case.paths == "all"
                    or (case.paths == "direct" and suffix == ("S", "Y"))
                    or suffix in paths
                )
                return np.full(len(chance), int(active))
            parents = (value(parent, (parent, *suffix)) for parent in self.graph.parents(name))
            return self.tables[name][(*parents, of[self.hidden[name]])]

        reference = self.answers(of, {"S": np.zeros(len(chance), dtype=np.int64)})["Y"]
        moved = (value("Y", ("Y",)) == 1).astype(float) - (reference == 1)
        return float((moved * like).sum() / like.sum())


def worlds(case: Case, seed: int) -> Iterator[tuple[World, np.ndarray]]:
    """Worlds where both values of S, and the evidence, are not too rare."""
    rng = np.random.default_rng(seed)
    while True:
        world = World.draw(rng, case)
        table = world.joint()
        nodes = world.graph.nodes
        groups = table.sum(axis=tuple(axis for axis, name in enumerate(nodes) if name != "S"))
        like = table[tuple(case.given.get(name, slice(None)) for name in nodes)].sum()
        if groups.min() > 0.1 and like > 0.05:
            yield world, table


def one(name: str, n: int, number: int, confidence: float, resamples: int) -> dict[str, float] | None:
    """One world, one sample: whether the true effect is inside, and how wide everything is."""
    case = CASES[name]
    seed = 1_000_003 * list(CASES).index(name) + number
    world, table = next(worlds(case, seed))
    rng = np.random.default_rng([seed, n])
    counts = rng.multinomial(n, table.ravel()).reshape(table.shape)
    if not counts[tuple(case.given.get(node, slice(None)) for node in world.graph.nodes)].sum():
        return None
    levels = [range(world.cards[node]) for node in world.graph.nodes]
    data = Distribution.from_counts(world.graph.nodes, levels, counts)
    asked = {
        "treatment": "S",
        "outcome": "Y",
        "active": 1,
        "reference": 0,
        "outcome_value": 1,
        "paths": case.paths,
        "given": case.given,
    }
    started = time.process_time()
    found = effect_bounds(data, world.graph, confidence=confidence, **asked)
    seconds = time.process_time() - started
    truth = world.effect(case)
    low, high = found.interval
    row = {
        "plug": found.lower - 1e-9 <= truth <= found.upper + 1e-9,
        "inside": low - 1e-9 <= truth <= high + 1e-9,
        "bounds": found.upper - found.lower,
        "interval": high - low,
        "seconds": seconds,
    }
    if resamples:
        again = bootstrap_bounds(
            prepare(data, world.graph, **asked), resamples, confidence, random_state=number
        )
        row["boot"] = again.low - 1e-9 <= truth <= again.high + 1e-9
        row["boot_width"] = again.high - again.low
    return row


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--samples", type=int, default=300)
    parser.add_argument("--sizes", default=",".join(map(str, SIZES)))
    parser.add_argument("--worlds", default="", help="only those whose name holds one of these, by comma")
    parser.add_argument("--confidence", type=float, default=0.95)
    parser.add_argument("--resamples", type=int, default=0, help="bootstrap as well, with so many tables")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--quick", action="store_true", help="20 samples of 100 and 1,000 rows")
    arguments = parser.parse_args()
    samples, sizes = arguments.samples, [int(size) for size in arguments.sizes.split(",")]
    if arguments.quick:
        samples, sizes = 20, [100, 1_000]
    wanted = [part.strip() for part in arguments.worlds.split(",") if part.strip()]
    names = [name for name in CASES if not wanted or any(part in name for part in wanted)]
    boot = " boot covers | boot width |" if arguments.resamples else ""
    print(f"| graph | n | plug-in covers | interval covers | plug-in width | interval width |{boot} CPU s |")
    print("|---|---|---|---|---|---|---|" + "---|---|" * bool(arguments.resamples))
    for name in names:
        for n in sizes:
            rows = Parallel(n_jobs=arguments.jobs)(
                delayed(one)(name, n, number, arguments.confidence, arguments.resamples)
                for number in range(samples)
            )
            kept = [row for row in rows if row is not None]
            mean = {key: float(np.mean([row[key] for row in kept])) for key in kept[0]}
            more = f" {mean['boot']:.3f} | {mean['boot_width']:.3f} |" if arguments.resamples else ""
            print(
                f"| {name} | {n:,} | {mean['plug']:.3f} | {mean['inside']:.3f} | {mean['bounds']:.3f} | "
                f"{mean['interval']:.3f} |{more} {mean['seconds']:.2f} |",
                flush=True,
            )


if __name__ == "__main__":
    main()
