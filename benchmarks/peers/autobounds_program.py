"""autobounds (Duarte et al. 2024) on one question: reads it as JSON from stdin, writes what came out as JSON.

Its own program (one parameter a joint response function of a component, one polynomial constraint a cell of
the data) and its own run of SCIP. Nested counterfactuals are written out in its notation, a sum over the
values of the imagined copies.
"""

from __future__ import annotations

import contextlib
import io
import itertools
import json
import multiprocessing
import os
import resource
import sys
import tempfile
import time
from typing import Any

Source = int | tuple[str, int]  # a copy's number, or a variable held at a value


def copies(asked: dict[str, Any], paths: set[tuple[str, ...]]) -> list[tuple[str, dict[str, Source]]]:
    """The copies that the outcome rests on, the outcome's last: variable, and what its parents are."""
    found: list[tuple[str, dict[str, Source]]] = []
    above = {v: [p for p in asked["cards"] if [p, v] in asked["edges"]] for v in asked["cards"]}

    def source(name: str, rest: tuple[str, ...]) -> Source:
        if name == asked["treatment"]:
            return name, asked["active"] if rest in paths else asked["reference"]
        copy = (name, {p: source(p, (p, *rest)) for p in above[name]})
        if copy not in found:
            found.append(copy)
        return found.index(copy)

    source(asked["outcome"], (asked["outcome"],))
    return found


def probability(problem: Any, asked: dict[str, Any], paths: set[tuple[str, ...]]) -> Any:
    """P(evidence, outcome in the imagined world), in the problem's parameters."""
    made = copies(asked, paths)
    evidence = [f"{name}={value}" for name, value in asked["given"].items()]
    total = None
    for values in itertools.product(*(range(asked["cards"][v]) for v, _ in made[:-1])):
        known = (*values, 1)
        events = []
        for (name, parents), own in zip(made, known, strict=True):
            held = [f"{p}={known[each] if isinstance(each, int) else each[1]}" for p, each in parents.items()]
            events.append(f"{name}({','.join(held)})={own}" if held else f"{name}={own}")
        term = problem.p("&".join([*evidence, *events]))
        total = term if total is None else total + term
    return total


def main() -> None:
    asked = json.load(sys.stdin)
    import pandas as pd
    from autobounds.causalProblem import causalProblem
    from autobounds.DAG import DAG
    from autobounds.Q import Query

    started = time.process_time()
    edges = [f"{p} -> {v}" for p, v in asked["edges"]]
    for hidden, members in zip("UTQR", asked["confounded"], strict=False):
        edges += [f"{hidden} -> {v}" for v in members]
    dag = DAG()
    dag.from_structure(", ".join(edges), unob=",".join("UTQR"[: len(asked["confounded"])]))
    quiet = io.StringIO()
    with contextlib.redirect_stdout(quiet), contextlib.redirect_stderr(quiet):
        problem = causalProblem(dag, dict(asked["cards"]))
        cells = pd.DataFrame(
            [
                (*values, chance)
                for values, chance in zip(
                    itertools.product(*(range(c) for c in asked["cards"].values())),
                    asked["table"],
                    strict=True,
                )
            ],
            columns=[*asked["cards"], "prob"],
        )
        problem.load_data(cells)
        seen = cells
        for name, value in asked["given"].items():
            seen = seen[seen[name] == value]
        paths = {tuple(path) for path in asked["paths"]}
        effect = probability(problem, asked, paths) - probability(problem, asked, set())
        problem.set_estimand(Query(float(1 / seen["prob"].sum())) * effect)
        program = problem.write_program()
    built = time.process_time() - started
    print(json.dumps({"parameters": len(program.parameters), "built": built}), file=sys.stderr, flush=True)
    folder = tempfile.mkdtemp()
    os.chdir(folder)
    with contextlib.redirect_stdout(quiet):
        low, high, *_ = program.run_scip(maxtime=asked["seconds"], limits=[-1, 1], verbose=False)
    for child in multiprocessing.active_children():
        child.kill()
        child.join()
    spent = resource.getrusage(resource.RUSAGE_CHILDREN)
    peak = max(resource.getrusage(who).ru_maxrss for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    json.dump(
        {
            "parameters": len(program.parameters),
            "built": built,
            "solving": spent.ru_utime + spent.ru_stime,
            "peak_mb": peak / 1024,
            "proved": low.get("end") == 1 and high.get("end") == 1,
            "lower": low.get("dual"),
            "upper": high.get("dual"),
            "attained": [low.get("primal"), high.get("primal")],
        },
        sys.stdout,
    )


if __name__ == "__main__":
    main()
