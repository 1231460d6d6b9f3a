"""Counterfactuals that need not exist: new rows, evolved for many queries at once."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from fairwitness.arguments import real_number, whole_number
from fairwitness.counterfactuals.base import CounterfactualGenerator, Found, Status, status_of
from fairwitness.counterfactuals.budget import Budget
from fairwitness.counterfactuals.evolution import Evolution, Evolved, Plan
from fairwitness.counterfactuals.lines import NO_PLACES, tidy
from fairwitness.counterfactuals.moves import Moves
from fairwitness.counterfactuals.nearest import AcceptedPool
from fairwitness.counterfactuals.selection import by_distance, choose
from fairwitness.errors import ConfigError, ModelError
from fairwitness.parallel import map_row_chunks, this_process
from fairwitness.rng import seed_from
from fairwitness.typing import FloatArray, RandomState

#: The smallest population, and the fewest children, unless told otherwise.
_LEAST = 50


class GeneticGenerator(CounterfactualGenerator):
    r"""New rows close to each query that the model accepts, found by a genetic search.

    The search starts from the nearest accepted rows of the table, and from changes of one column alone (its
    levels, and numbers spread over those that accepted rows have; not beyond 512 columns that may change). It
    minimises, for each query,

    .. math:: \lambda_1 \cdot \text{hinge} + \lambda_2 \cdot \frac{\text{distance}}{d}
              + \lambda_3 \cdot \frac{\text{columns changed}}{d}

    with :math:`d` columns, accepted rows always before others; the hinge is 0 for an accepted row and
    otherwise what its score lacks to the threshold (1 without a score).

    Each generation, children take a value from either of two parents of the fitter half with probability
    0.4 each, and a mutation otherwise: half of the mutated numbers are drawn between the query's and the
    parent's value, all else uniformly over what the schema permits. Linked columns count as one: they come
    from one parent, or mutate to another combination. For half of the children the second parent is the
    query itself. All children are rounded to the columns' precision before the model sees them, nothing
    that breaks a constraint is tried, no row is scored twice, and the best rows survive (elitism). At the
    end the changes of the k best rows are taken back one by one, largest first, as long as the model still
    accepts. Then, in a few of the best rows that change different columns, numbers are moved back towards
    the query by bisection, down to a hundredth of their column's scale; also after one more column has been
    changed, where that raises the score much for what it costs.

    Of a query's accepted rows, the k of least loss are returned, nearest first; equally far rows are
    ordered by content. Random numbers depend on the seed and the query's content, so the result does not
    depend on ``n_jobs``, ``chunk_size`` or the order of queries and table.

    Parameters
    ----------
    population
        Rows kept a query; ``None``: 10·k, at least 50.
    offspring
        Children a generation and query; ``None``: 2·k, at least 50.
    generations
        The most generations.
    patience, tolerance
        A query is done when its k best rows are accepted and its best loss has moved by at most
        ``tolerance`` for ``patience`` generations. One that does not get k accepted rows is given up after
        ten times as many generations without a move.
    validity, proximity, sparsity
        The weights :math:`\lambda_1, \lambda_2, \lambda_3`.
    diversity
        Above 0: rows are chosen one after the other, each time by least loss minus this weight times the
        distance per column to the nearest row chosen before.
    random_state
        Seed; ``None`` draws one, and ``settings["seed"]`` says which.
    n_jobs
        As in joblib; the model is copied to the workers.
    chunk_size
        Queries a job.

    Notes
    -----
    ``max_queries`` of :meth:`generate` is shared out evenly among the queries, so that the result does not
    depend on their order; a query that has used up its share has the status ``budget``, unless its k rows
    are there. The search follows Mothilal, Sharma and Tan (2020), "Explaining machine learning classifiers
    through diverse counterfactual explanations", where DiCE's genetic method is described.
    """

    name = "genetic"

    def __init__(
        self,
        *,
        population: int | None = None,
        offspring: int | None = None,
        generations: int = 500,
        patience: int = 5,
        tolerance: float = 0.01,
        validity: float = 5.0,
        proximity: float = 1.0,
        sparsity: float = 1.0,
        diversity: float = 0.0,
        random_state: RandomState = None,
        n_jobs: int | None = None,
        chunk_size: int = 1024,
    ) -> None:
        for label, count in (
            ("generations", generations),
            ("patience", patience),
            ("chunk_size", chunk_size),
        ):
            whole_number(count, label)
        for label, count_or_none in (("population", population), ("offspring", offspring)):
            if count_or_none is not None:
                whole_number(count_or_none, label)
        for label, weight in (
            ("tolerance", tolerance),
            ("validity", validity),
            ("proximity", proximity),
            ("sparsity", sparsity),
            ("diversity", diversity),
        ):
            if real_number(weight, label, fix=f"pass for example {label}=1.0") < 0:
                raise ConfigError(f"{label} must not be negative", got=weight, fix="pass 0 or more")
        self.population = population
        self.offspring = offspring
        self.generations = generations
        self.patience = patience
        self.tolerance = tolerance
        self.validity = validity
        self.proximity = proximity
        self.sparsity = sparsity
        self.diversity = diversity
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.chunk_size = chunk_size

    def _prepare(self) -> None:
        if not self.table_.model.info.can_query:
            raise ModelError(
                "new rows cannot be judged by a column of predictions",
                fix="pass a model that can be asked, or use NeighborGenerator",
            )
        self._pool = AcceptedPool.of(self.table_)
        rows = self.table_.rows
        self._observed = (np.fmin.reduce(rows), np.fmax.reduce(rows))
        self._moves = Moves.of(self.table_.encoder, self._pool, self._observed)

    def _settings(self) -> Mapping[str, object]:
        names = ("generations", "patience", "tolerance", "validity", "proximity", "sparsity", "diversity")
        return {name: getattr(self, name) for name in names}

    def _plan(self, n: int, k: int, budget: Budget) -> Plan:
        """Settle the numbers that depend on k and on the number of queries."""
        most = budget.max_queries
        if most is not None:
            most -= budget.spent
        model = self.table_.model
        if model.max_queries is not None:
            left = model.max_queries - model.n_queries
            most = left if most is None else min(most, left)
        return Plan(
            k=k,
            population=max(self.population or max(10 * k, _LEAST), k),
            offspring=self.offspring or max(2 * k, _LEAST),
            generations=self.generations,
            patience=self.patience,
            tolerance=self.tolerance,
            validity=self.validity,
            proximity=self.proximity,
            sparsity=self.sparsity,
            seed=seed_from(self.random_state),
            allowance=None if most is None else max(most, 0) // max(n, 1),
        )

    def _search(self, queries: FloatArray, k: int, budget: Budget) -> Found:
        plan = self._plan(len(queries), k, budget)
        search = Evolution(
            queries=queries,
            itself=self._pool.find(self.table_, queries),
            pool=self._pool,
            observed=self._observed,
            moves=self._moves,
            encoder=self.table_.encoder,
            distance=self.table_.distance,
            model=self.table_.model,
            plan=plan,
            budget=budget,
        )
        parts = map_row_chunks(
            search,
            len(queries),
            chunk_size=self.chunk_size,
            n_jobs=self.n_jobs,
            description="counterfactuals by genetic search",
        )
        asked = sum(part.asked for part in parts)
        budget.spend(asked)
        here = this_process()
        self.table_.model.note_queries(sum(part.asked for part in parts if part.process != here))
        notes = {
            "population": plan.population,
            "offspring": plan.offspring,
            "seed": plan.seed,
            "n_rows_scored": asked,
        }
        return self._collect(parts, len(queries), k, notes)

    def _collect(self, parts: list[Evolved], n: int, k: int, notes: Mapping[str, object]) -> Found:
        """Choose k rows a query and lay them out in the order of the queries."""
        measure = self.table_.distance
        lines: dict[int, tuple[FloatArray, FloatArray, FloatArray]] = {}
        status: list[Status] = ["budget"] * n  # what was not reached in time stays so
        for crowd, cut in (done for part in parts for done in part.done):
            for at, query in enumerate(crowd.index.tolist()):
                good = np.flatnonzero(crowd.accepted[at])
                rows, loss = crowd.rows[at][good], crowd.loss[at][good]
                chosen = choose(rows, loss, k, measure=measure, diversity=self.diversity)
                distance = tidy(crowd.distance[at][good][chosen])
                order = by_distance(rows[chosen], distance)
                score = crowd.score[at][good][chosen][order]
                lines[query] = (rows[chosen][order], distance[order], score)
                status[query] = status_of(len(chosen), k, out_of_budget=bool(cut[at]))
        found = sorted(lines)
        d = self.table_.encoder.n_features
        rows = np.concatenate([np.zeros((0, d)), *(lines[query][0] for query in found)])
        return Found(
            query=np.concatenate(
                [NO_PLACES, *(np.full(len(lines[query][0]), query) for query in found)]
            ).astype(np.int64),
            rows=rows,
            distance=np.concatenate([np.zeros(0), *(lines[query][1] for query in found)]),
            score=np.concatenate([np.zeros(0), *(lines[query][2] for query in found)]),
            source=self.table_.source_of(rows),
            status=status,
            notes=notes,
        )
