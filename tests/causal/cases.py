"""The reference cases that lie beside the project, as the oracles' graphs, distributions and queries."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from tests.oracle.scm import Graph, Query

TABLE_PATHS = (("S", "W", "A", "Y"), ("S", "Y"))
TABLE_EDGES = (("S", "W"), ("W", "A"), ("S", "Y"), ("W", "Y"), ("A", "Y"))
ADULT_PARENTS = {
    "age": (),
    "sex": (),
    "education": ("age",),
    "marital-status": ("age", "sex", "education"),
    "workclass": ("age", "education", "marital-status"),
    "hours": ("age", "sex", "education", "marital-status", "workclass"),
    "income": ("age", "sex", "education", "marital-status", "workclass", "hours"),
}
# The effect of being male on the income of females with (age, education, married) = 000, 001, …
ADULT_BOUNDS = (
    (0.0687, 0.0929),
    (-0.1607, 0.0150),
    (0.1815, 0.2422),
    (-0.4449, -0.0374),
    (0.2075, 0.2546),
    (-0.2415, -0.0148),
    (0.4188, 0.5157),
    (-0.3853, -0.0039),
)


@dataclass(frozen=True)
class Case:
    """`joint`: the bounds when all that is unidentified shares one response variable, where known."""

    name: str
    graph: Graph
    P: np.ndarray
    query: Query
    lower: float
    upper: float
    truth: float | None = None
    joint: tuple[float, float] | None = None
    published: tuple[float, float] | None = None


def read(shared: Path, name: str):
    return json.loads((shared / "reference" / name).read_text(encoding="utf-8"))


def reference_cases(shared):
    """`pc_cases.json`: random models, their true effect and tight bounds found by two engines."""
    found = []
    for c in read(shared, "pc_cases.json"):
        cards = {v: c["card"][v] for v in c["order"]}
        q = c["query"]
        query = Query(
            q["S"], q["Y"], q["y"], q["s1"], q["s0"], frozenset(tuple(path) for path in q["pi"]), dict(q["o"])
        )
        graph = Graph.of(cards, c["edges"], c["confounded_groups"])
        P = np.array(c["P"]).reshape(graph.shape)
        tight = c["tight"]
        found.append(Case(c["id"], graph, P, query, tight["lb"], tight["ub"], truth=c["truth"]))
    return found


def all_paths(graph, treatment, outcome):
    return frozenset(graph.paths(treatment, outcome))


def table2_cases(shared):
    """D1: everything confounded. The published bounds were computed from another distribution."""
    d1 = read(shared, "pc_paper_tables.json")["D1"]
    cards = dict.fromkeys(d1["order"], 2)
    graph = Graph.of(cards, TABLE_EDGES, [d1["order"]])
    P = np.array(d1["P_true_observational"]).reshape(graph.shape)
    P /= P.sum()
    found = []
    for row in d1["rows"]:
        kind = row.get("kind", "PCE")
        paths = all_paths(graph, "S", "Y") if kind == "TCE" else frozenset(TABLE_PATHS)
        query = Query("S", "Y", 1, 0, 1, paths, dict(row["o"]))
        name = f"D1 {kind} {sorted(row['o'].items())}"
        lower, upper = row["correct_observational"]
        published = tuple(row["paper"][:2]) if "paper" in row else None
        found.append(Case(name, graph, P, query, lower, upper, row.get("truth"), None, published))
    return found


def table3_cases(shared):
    """D2: nothing confounded.

    The table as printed sums to 0.9999, and the reference's bounds are numerators over probabilities of
    evidence too small by that; what is here belongs to the table made to sum to 1.
    """
    d2 = read(shared, "pc_paper_tables.json")["D2"]
    graph = Graph.of(dict.fromkeys(d2["order"], 2), TABLE_EDGES)
    P = np.array(d2["P"]).reshape(graph.shape)
    total = P.sum()
    P /= total

    def scaled(ends):
        return tuple(end * total for end in ends)

    pe = d2["PE"]
    query = Query("S", "Y", 1, 0, 1, frozenset(TABLE_PATHS), {})
    found = [Case("D2 PE", graph, P, query, *scaled(pe["tight"]), None, None, tuple(pe["paper_ours"]))]
    for row in d2["CE"]:
        query = Query("S", "Y", 1, 0, 1, all_paths(graph, "S", "Y"), dict(row["o"]))
        lower, upper = scaled(row["tight_markov"])
        joint, published = scaled(row["joint_R_relaxation"]), tuple(row["paper_ours"])
        name = f"D2 CE {sorted(row['o'].items())}"
        found.append(Case(name, graph, P, query, lower, upper, row["paper_truth"], joint, published))
    return found


def adult_counts(shared, which="original_48842"):
    """The graph without confounders, and the binary table's counts, axes as in `ADULT_PARENTS`."""
    adult = read(shared, "pc_adult_counts.json")
    graph = Graph(dict.fromkeys(ADULT_PARENTS, 2), ADULT_PARENTS, tuple((v,) for v in ADULT_PARENTS))
    counts = np.zeros(graph.shape)
    for *levels, count in adult[which]:
        seen = dict(zip(adult["columns"], levels, strict=True))
        counts[tuple(seen[v] for v in ADULT_PARENTS)] += count
    return graph, counts


def adult_cases(shared):
    """Table 4 on the rows as they are, to four decimals.

    The table lacks the independences of the graph, so its P(o) must be the one that the graph's factors give.
    """
    graph, counts = adult_counts(shared)
    found = []
    for i, (lower, upper) in enumerate(ADULT_BOUNDS):
        age, education, married = (int(bit) for bit in f"{i:03b}")
        given = {"age": age, "sex": 0, "education": education, "marital-status": married}
        query = Query("sex", "income", 1, 1, 0, all_paths(graph, "sex", "income"), given)
        found.append(Case(f"Adult {i:03b}", graph, counts / counts.sum(), query, lower, upper))
    return found
