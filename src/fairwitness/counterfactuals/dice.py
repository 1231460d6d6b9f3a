"""DiCE's own searches (extra ``dice``), with every row they return checked on the user's model."""

from __future__ import annotations

import contextlib
import io
import random
import warnings
from collections import Counter
from collections.abc import Iterator, Mapping
from hashlib import sha256
from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np

from fairwitness.counterfactuals.base import CounterfactualGenerator, Found, status_of
from fairwitness.counterfactuals.budget import Budget
from fairwitness.counterfactuals.checked import REASONS, Given, checked
from fairwitness.counterfactuals.dice_table import OUTCOME, DiceTable, Judge, OutOfBudget
from fairwitness.counterfactuals.fitted import row_bytes
from fairwitness.counterfactuals.limits import Limits
from fairwitness.counterfactuals.lines import NO_PLACES
from fairwitness.errors import (
    ConfigError,
    DataError,
    FairwitnessError,
    MissingExtraError,
    ModelError,
    QueryBudgetError,
)
from fairwitness.rng import child_seed, seed_from
from fairwitness.text import plain
from fairwitness.typing import FloatArray, RandomState

if TYPE_CHECKING:
    from fairwitness.counterfactuals.base import Status

Method = Literal["genetic", "kdtree", "random"]
#: DiCE says by an exception that it has found nothing, which is an answer.
_NONE = "No counterfactuals found"


class DiceGenerator(CounterfactualGenerator):
    """Counterfactuals by the installed package dice-ml: for comparison with published work.

    DiCE is asked query by query. What it returns is rounded to the columns' own precision, put to the
    user's model again, and dropped and counted (``settings["dropped"]``) where the model does not accept it
    or a constraint is broken: DiCE is told of immutable columns, bounds, directions, allowed levels and
    forbidden transitions, but not of links. Rows are ranked by distance. A query at which DiCE fails has
    the status ``none``, and ``settings["failed"]`` counts the reasons; DiCE cannot take a missing number,
    so a query with one fails.

    Equal seeds give equal rows, whatever the order of the queries: the global random state, which DiCE
    draws from, is set for each query and put back afterwards. ``max_queries`` and ``time_budget`` are
    spent in the order of the queries.

    Parameters
    ----------
    method
        ``"genetic"``, ``"kdtree"`` or ``"random"``.
    random_state
        Seed; ``None`` draws one, and ``settings["seed"]`` says which.
    max_calls
        How often DiCE may call the model for one query; it then has the status ``budget``. Without an end,
        its genetic method never returns where the model accepts hardly any row. ``None``: no limit.
    options
        Further arguments of DiCE's ``generate_counterfactuals``. Unless it is among them,
        ``posthoc_sparsity_param`` is ``None``: that search along one number at a time takes minutes.

    Raises
    ------
    MissingExtraError
        If dice-ml is not installed.
    ConfigError
        If a parameter makes no sense.

    Notes
    -----
    Mothilal, Sharma and Tan (2020), "Explaining machine learning classifiers through diverse counterfactual
    explanations". DiCE takes seconds to minutes a query; :class:`GeneticGenerator` does the same for many
    queries at once.
    """

    name = "dice"

    def __init__(
        self,
        *,
        method: Method = "genetic",
        random_state: RandomState = None,
        max_calls: int | None = 20_000,
        options: Mapping[str, object] | None = None,
    ) -> None:
        if method not in get_args(Method):
            raise ConfigError(
                "there is no such DiCE method", got=method, fix=f"use {', '.join(get_args(Method))}"
            )
        if max_calls is not None and max_calls < 1:
            raise ConfigError("max_calls must be at least 1", got=max_calls, fix="pass None for no limit")
        _dice()
        self.method = method
        self.random_state = random_state
        self.max_calls = max_calls
        self.options = dict(options or {})

    def _prepare(self) -> None:
        if not self.table_.model.info.can_query:
            raise ModelError(
                "new rows cannot be judged by a column of predictions",
                fix="pass a model that can be asked, or use NeighborGenerator",
            )
        self._view = DiceTable.of(self.table_)

    def _settings(self) -> Mapping[str, object]:
        version = plain(getattr(_dice(), "__version__", None) or _version())
        return {
            "method": self.method,
            "dice_ml": version,
            "max_calls": self.max_calls,
            "options": {name: plain(value) for name, value in self.options.items()},
        }

    def _search(self, queries: FloatArray, k: int, budget: Budget) -> Found:
        seed = seed_from(self.random_state)
        judge = Judge(self.table_, self._view, budget, self.max_calls)
        limits = Limits.of(self.table_.encoder.schema, queries, self.table_.encoder.links)
        d = queries.shape[1]
        dropped, failed = Counter(dict.fromkeys(REASONS, 0)), Counter[str]()
        parts: list[Given] = []
        scores: list[FloatArray] = []
        status: list[Status] = []
        data: Any = None
        for at, content in enumerate(row_bytes(queries)):
            late, rows = False, np.zeros((0, d))
            if budget.out_of_time():
                status.append("budget")
                continue
            judge.calls = 0
            try:
                with _at_rest(child_seed(seed, "dice", sha256(content).hexdigest())):
                    data = self._data() if data is None else data
                    rows = self._ask(data, judge, queries[at], limits.take(slice(at, at + 1)), k)
            except (OutOfBudget, QueryBudgetError):
                late = True
            except Exception as error:  # whatever happens inside DiCE is about this query only
                if not str(error).startswith(_NONE):
                    failed[_said(error)] += 1
            place = np.full(len(rows), at, dtype=np.int64)
            done = checked(self.table_, Given.of(self.table_, queries, place, rows), queries, k, budget)
            dropped.update(done.dropped)
            parts.append(done.given)
            scores.append(done.score)
            late = late or bool(done.unasked[at])
            status.append(status_of(len(done.score), k, out_of_budget=late))
        joint = np.concatenate([np.zeros((0, d)), *(part.rows for part in parts)])
        return Found(
            query=np.concatenate([NO_PLACES, *(part.query for part in parts)]),
            rows=joint,
            distance=np.concatenate([np.zeros(0), *(part.distance for part in parts)]),
            score=np.concatenate([np.zeros(0), *scores]),
            source=self.table_.source_of(joint),
            status=status,
            notes={"seed": seed, "dropped": dict(dropped), "failed": dict(sorted(failed.items()))},
        )

    def _data(self) -> Any:
        """Describe the table to DiCE."""
        return _dice().Data(
            dataframe=self._view.frame.copy(),
            continuous_features=list(self._view.numbers),
            outcome_name=OUTCOME,
        )

    def _ask(self, data: Any, judge: Judge, query: FloatArray, limits: Limits, k: int) -> FloatArray:
        """Let DiCE answer one query; (n, d) encoded rows."""
        view, dice = self._view, _dice()
        if view.lacks(query):
            raise DataError("DiCE cannot take a missing number")
        vary, permitted = view.permitted(limits)
        if not vary:
            return np.zeros((0, len(query)))
        # its genetic method starts the next query from the last one's rows: a new explainer has none
        explainer = dice.Dice(data, dice.Model(model=judge, backend="sklearn"), method=self.method)
        answer = explainer.generate_counterfactuals(
            view.show(query[None, :]),
            total_CFs=k,
            desired_class=1,
            features_to_vary=vary,
            permitted_range=permitted,
            **{"posthoc_sparsity_param": None, **self.options},
        )
        found = answer.cf_examples_list[0]
        made = getattr(found, "final_cfs_df_sparse", None)
        if made is None or not len(made):
            made = found.final_cfs_df
        if made is None:
            return np.zeros((0, len(query)))
        rows = view.read(made)
        return np.where(rows == query, query, self.table_.encoder.snap(rows))


@contextlib.contextmanager
def _at_rest(seed: int) -> Iterator[None]:
    """Set the global random state that DiCE draws from, keep it quiet, and put all back afterwards."""
    numbers, plain_numbers = np.random.get_state(), random.getstate()  # noqa: NPY002 - DiCE reads these
    np.random.seed(seed)  # noqa: NPY002
    random.seed(seed)
    nowhere = io.StringIO()
    try:
        with (
            contextlib.redirect_stdout(nowhere),
            contextlib.redirect_stderr(nowhere),
            warnings.catch_warnings(),
        ):
            warnings.simplefilter("ignore")
            yield
    finally:
        np.random.set_state(numbers)  # noqa: NPY002
        random.setstate(plain_numbers)


def _dice() -> Any:
    try:
        import dice_ml
    except ImportError:
        raise MissingExtraError("dice-ml", "dice", purpose="DiceGenerator") from None
    return dice_ml


def _said(error: Exception) -> str:
    return plain(error if isinstance(error, FairwitnessError) else f"{type(error).__name__}: {error}")


def _version() -> str:
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version("dice-ml")
    except PackageNotFoundError:
        return "unknown"
