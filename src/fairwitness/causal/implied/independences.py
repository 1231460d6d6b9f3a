"""What a graph says about the data even before any effect is asked for, and whether the data agree."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np

from fairwitness.arguments import real_number, whole_number
from fairwitness.causal.data.distribution import Distribution
from fairwitness.causal.data.tables import marginal
from fairwitness.causal.graph.causal_graph import CausalGraph
from fairwitness.causal.graph.separation import district
from fairwitness.causal.implied.gtest import dependence, g_test
from fairwitness.causal.implied.instruments import Instrument, instrument_test, instruments, not_counted
from fairwitness.rng import seed_from
from fairwitness.stats.significance import holm
from fairwitness.text import plain
from fairwitness.typing import Document, RandomState

#: Sets of variables that are looked at for each statement that may be listed.
_LOOKS = 4


@dataclass(frozen=True, slots=True)
class Independence:
    """``x`` is independent of all of ``y`` together, given ``given``."""

    x: str
    y: tuple[str, ...]
    given: tuple[str, ...] = ()

    def __str__(self) -> str:
        condition = f" | {', '.join(map(plain, self.given))}" if self.given else ""
        return f"{plain(self.x)} ⊥ {', '.join(map(plain, self.y))}{condition}"


@dataclass(frozen=True, slots=True)
class ImpliedTest:
    """One thing the graph says, and what the data say about it.

    Attributes
    ----------
    statement
        The :class:`Independence` or :class:`Instrument`.
    statistic
        For an independence G = 2 n · information, summed over the values of what is given; NaN where the
        number of rows is not known. For an instrument max Σ_y max_z P(x, y | z), which is at most 1 if
        the graph holds.
    df
        Degrees of freedom over what occurs; NaN for an instrument.
    information
        For an independence, conditional mutual information in nats: 0 if the graph holds. NaN for an
        instrument.
    deviation
        How far the data are from the statement, 0 if the graph holds: for an independence, the total
        variation distance in [0, 1] between the distribution and the independent one with the same margins;
        for an instrument, by how much the statistic is above 1.
    p_value, p_adjusted
        Of the statement, and adjusted for all statements tested (Holm); NaN with a ``reason``.
    rejected
        Whether ``p_adjusted`` is at most alpha; ``None`` where there is no p-value.
    """

    statement: Independence | Instrument
    statistic: float
    df: float
    information: float
    deviation: float
    p_value: float
    p_adjusted: float = np.nan
    rejected: bool | None = None
    reason: str | None = None

    @property
    def kind(self) -> Literal["independence", "instrument"]:
        """What the statement is."""
        return "independence" if isinstance(self.statement, Independence) else "instrument"

    def to_dict(self) -> Document:
        """Give plain values for JSON; ``None`` for NaN."""
        numbers = {
            name: None if np.isnan(value) else float(value)
            for name, value in (
                ("statistic", self.statistic),
                ("df", self.df),
                ("information", self.information),
                ("deviation", self.deviation),
                ("p_value", self.p_value),
                ("p_adjusted", self.p_adjusted),
            )
        }
        return {
            "statement": str(self.statement),
            "kind": self.kind,
            **numbers,
            "rejected": self.rejected,
            "reason": self.reason,
        }


@dataclass(frozen=True, slots=True)
class ImpliedTests:
    """All that a graph says about the data, tested.

    Attributes
    ----------
    tests
        Independences first, then instruments, in the graph's order.
    alpha
        Chance of rejecting anything although the graph holds.
    n
        Rows, ``None`` where not known: then sizes of deviations are given and nothing is rejected.
    complete
        Whether the list holds all independences; it is cut where there are very many.
    """

    tests: tuple[ImpliedTest, ...]
    alpha: float
    n: float | None
    complete: bool = True

    @property
    def rejected(self) -> tuple[ImpliedTest, ...]:
        """The statements that the data contradict."""
        return tuple(test for test in self.tests if test.rejected)

    @property
    def worst(self) -> ImpliedTest | None:
        """The contradicted statement with the smallest adjusted p-value; ``None`` if there is none."""
        return min(self.rejected, key=lambda test: test.p_adjusted, default=None)

    def to_frame(self) -> Any:
        """Give a pandas DataFrame with one row a statement."""
        import pandas as pd

        columns = [
            "statement", "kind", "statistic", "df", "information", "deviation", "p_value", "p_adjusted",
            "rejected", "reason",
        ]  # fmt: skip
        rows = [[str(test.statement), *(getattr(test, name) for name in columns[1:])] for test in self.tests]
        return pd.DataFrame(rows, columns=columns)

    def to_dict(self) -> Document:
        """Give plain values for JSON."""
        return {
            "tests": [test.to_dict() for test in self.tests],
            "alpha": self.alpha,
            "n": self.n,
            "complete": self.complete,
        }


def implied_independences(graph: CausalGraph, *, most: int = 1000) -> tuple[Independence, ...]:
    """List independences from which all others that the graph implies follow.

    Each variable is independent of earlier ones given its Markov pillow (those that arcs join with it, and
    the causes of all these), taken within every ancestral set that makes a difference: the ordered local
    Markov property by c-components. Without arcs this is one statement a variable: independent of what came
    before, given its direct causes.

    A graph with arcs may imply more than independences (Verma constraints, inequalities).

    Parameters
    ----------
    graph
        The graph.
    most
        Where to cut a list that is very long.

    Returns
    -------
    tuple of Independence
        In the order of the graph's variables; empty if the graph implies none.

    References
    ----------
    T. Richardson (2003), Markov properties for acyclic directed mixed graphs.
    H. Jeong, A. Ejaz, J. Tian & E. Bareinboim (2025), Testing causal models with hidden variables in
    polynomial delay via conditional independencies.
    """
    return _listed(graph, whole_number(most, "most"))[0]


def test_independences(
    graph: CausalGraph,
    distribution: Distribution,
    *,
    alpha: float = 0.05,  # noqa: PT028 (this is a test of data, not of code)
    most: int = 1000,  # noqa: PT028
    random_state: RandomState = 0,  # noqa: PT028
) -> ImpliedTests:
    """Test what the graph says about the data: implied independences and instrumental inequalities.

    An independence is tested by the G-test (likelihood ratio), with the degrees of freedom of what occurs;
    where cells are sparse, G is compared with tables of the same margins instead of χ². All p-values are
    adjusted together (Holm), so that the chance of rejecting anything in a graph that holds is about
    ``alpha`` at most.

    A graph that is not contradicted need not hold: other graphs may say the same about the data.

    Parameters
    ----------
    graph
        The graph.
    distribution
        Of all its variables, or more.
    alpha
        Level, between 0 and 1.
    most
        Most independences to test.
    random_state
        Seed of random tables, needed where variables of three or more values have sparse cells.

    Raises
    ------
    ConfigError
        If ``alpha`` or ``most`` makes no sense.
    DataError
        If a variable of the graph is not in the distribution.
    """
    alpha = real_number(alpha, "alpha", above=0, below=1, fix="pass for example alpha=0.05")
    whole_number(most, "most")
    seed = seed_from(random_state)
    for name in graph.nodes:
        distribution.axis(name)
    listed, complete = _listed(graph, most)
    tests = [_independence_test(distribution, each, seed) for each in listed]
    for instrument in instruments(graph):
        value, p_value, reason = instrument_test(distribution, instrument)
        tests.append(
            ImpliedTest(instrument, value, np.nan, np.nan, max(value - 1, 0.0), p_value, reason=reason)
        )
    adjusted = holm([test.p_value for test in tests]).tolist() if tests else []
    judged = tuple(
        replace(test, p_adjusted=p, rejected=None if np.isnan(p) else p <= alpha)
        for test, p in zip(tests, adjusted, strict=True)
    )
    return ImpliedTests(judged, alpha, distribution.n, complete)


test_independences.__test__ = False  # type: ignore[attr-defined]  # no test of whoever imports it


def _listed(graph: CausalGraph, most: int) -> tuple[tuple[Independence, ...], bool]:
    rank = {name: at for at, name in enumerate(graph.nodes)}
    found: list[Independence] = []
    looks = 0
    for at, x in enumerate(graph.nodes):
        mine: list[tuple[set[str], set[str]]] = []
        for each in _pillows(graph, x, set(graph.nodes[: at + 1])):
            if not any(_follows(*each, *other) for other in mine):
                mine = [other for other in mine if not _follows(*other, *each)] + [each]
            looks += 1
            if looks > _LOOKS * most or len(found) + len(mine) > most:
                return tuple([*found, *_sorted(x, mine, rank)][:most]), False
        found += _sorted(x, mine, rank)
    return tuple(found), True


def _sorted(x: str, pairs: list[tuple[set[str], set[str]]], rank: dict[str, int]) -> list[Independence]:
    made = [
        Independence(x, tuple(sorted(y, key=rank.__getitem__)), tuple(sorted(given, key=rank.__getitem__)))
        for y, given in pairs
    ]
    return sorted(
        made, key=lambda each: ([rank[name] for name in each.given], [rank[name] for name in each.y])
    )


def _follows(y: set[str], given: set[str], stronger_y: set[str], stronger_given: set[str]) -> bool:
    """Whether x ⊥ y | given follows from x ⊥ stronger_y | stronger_given (decomposition, weak union)."""
    return stronger_given <= given and y <= stronger_y and given - stronger_given <= stronger_y


def _pillows(graph: CausalGraph, x: str, earlier: set[str]) -> Iterator[tuple[set[str], set[str]]]:
    """Give, for each district that ``x`` has in some ancestral set, what is independent of it and given what.

    For each district the largest such set is taken; smaller ones say less. Only districts with something
    independent are looked for: a node is put in or left out, and what cannot lead to any is not followed.
    """
    waiting: list[tuple[frozenset[str], set[str]]] = [(graph.ancestors(x), earlier)]
    while waiting:
        inside, allowed = waiting.pop()
        if not any(name not in _pillow(graph, x, inside | graph.ancestors(name)) for name in allowed - {x}):
            continue
        members = district(graph, x, inside)
        beside = {mate for name in members for mate in graph.siblings(name)} & allowed - members
        if not beside:
            pillow = _pillow(graph, x, inside)
            yield allowed - pillow - {x}, pillow - {x}
            continue
        name = min(beside, key=graph.nodes.index)
        waiting.append((inside | graph.ancestors(name), allowed))
        waiting.append((inside, allowed - graph.descendants(name)))


def _pillow(graph: CausalGraph, x: str, within: Collection[str]) -> set[str]:
    """Give the district of ``x`` in an ancestral set, ``x`` included, with the causes of its members."""
    members = district(graph, x, within)
    return members.union(*(graph.parents(name) for name in members))


def _independence_test(distribution: Distribution, statement: Independence, seed: int) -> ImpliedTest:
    names = (statement.x, *statement.y, *statement.given)
    axes = [distribution.axis(name) for name in names]
    cards = [distribution.cards[axis] for axis in axes]
    middle = 1 + len(statement.y)
    shape = (cards[0], int(np.prod(cards[1:middle])), int(np.prod(cards[middle:])))
    found = dependence(marginal(distribution.probability, axes).reshape(shape))
    statistic = p_value = np.nan
    reason = not_counted(distribution)
    if reason is None and distribution.counts is not None:
        statistic, p_value = g_test(marginal(distribution.counts, axes).reshape(shape), seed)
        if found.df == 0:
            reason, p_value = "nothing varies where all else is equal", np.nan
    return ImpliedTest(
        statement, statistic, found.df, found.information, found.deviation, p_value, reason=reason
    )
