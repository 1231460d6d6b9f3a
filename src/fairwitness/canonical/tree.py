"""The default engine: one decision tree a column, each given the score and the columns before it.

The joint distribution of a row x given the score s is a product of conditionals, p(x₁ | s) p(x₂ | s, x₁) …,
and a decision tree is the plainest estimate of one: its leaves hold the rows that look alike so far, and a
value is drawn from them. Fixed columns come first, then protected ones, then the rest, so that what is asked
for is given and what is looked at is drawn before what is not. The rest is drawn in the order of how much the
score varies with it, so that what the score hangs on is not left to the end.

A leaf holds rows of several scores. A value is drawn from those of its rows whose scores are nearest to the
requested one: on Adult that brings requested and obtained scores as close to each other as leaves of half the
size, at fewer copies.

Values are drawn, never made up: a column holds what it holds in the table, a level of thousands included.
Whole rows are combinations that mostly do not occur there (see ``leaf``).
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from fairwitness.arguments import check_jobs, whole_number
from fairwitness.canonical.base import Arrays, CanonicalSampler
from fairwitness.canonical.reading import Reader
from fairwitness.canonical.request import Request
from fairwitness.canonical.rows import Rows
from fairwitness.canonical.scales import Scale, explained
from fairwitness.errors import FairwitnessWarning
from fairwitness.rng import child, child_seed
from fairwitness.table import Schema
from fairwitness.typing import Document, FloatArray, IntArray, RandomState

#: Rows that are drawn, at most, to learn how far their scores are from those asked for.
MOST_READ = 4000
#: Rows whose readings are kept in a file.
WITNESSES = 50


@dataclass(frozen=True, slots=True, eq=False)
class LeafTree:
    """One column's tree, and the rows in each of its leaves.

    Attributes
    ----------
    feature
        (nodes,) which of the given columns a node asks about; -1 in a leaf.
    threshold, left, right
        (nodes,) what it compares with, and where it leads to.
    start, count
        (nodes,) where a leaf's rows begin in ``members``, and how many they are.
    members
        (n,) row numbers, leaf by leaf, and by their scores in each leaf.
    keys
        (n,) what finds a score in a leaf: twice the leaf's number plus the member's score, ascending.
    """

    feature: IntArray
    threshold: FloatArray
    left: IntArray
    right: IntArray
    start: IntArray
    count: IntArray
    members: IntArray
    keys: FloatArray

    def rows(
        self, given: FloatArray, columns: Sequence[int], nearest: int, rng: np.random.Generator
    ) -> IntArray:
        """Draw a row of the leaf that (n, p) given values lead to; the first of them is the score.

        It is one of the ``nearest`` rows of the leaf by score. ``columns`` are those of the given values that
        the tree was learnt from, in its order.
        """
        node = np.zeros(len(given), dtype=np.int64)
        flat, column = given.ravel(), np.array(columns)[self.feature]
        walking = np.arange(len(given)) if self.feature[0] >= 0 else np.arange(0)
        at = node[walking]
        while len(walking):
            value = flat.take(walking * given.shape[1] + column.take(at))
            at = np.where(value <= self.threshold.take(at), self.left.take(at), self.right.take(at))
            node[walking] = at
            inner = self.feature.take(at) >= 0
            walking, at = walking[inner], at[inner]
        place = nearest_place(self.keys, 2.0 * node + given[:, 0], rng) - self.start[node]
        place += rng.integers(-(nearest // 2), nearest - nearest // 2, len(node))
        drawn = self.start[node] + mirrored(place, self.count[node])
        chosen: IntArray = self.members[drawn]
        return chosen

    def check(self, n: int, given: int) -> None:
        """Refuse a tree from a file that would lead nowhere, or in circles.

        Raises
        ------
        ValueError
            If it does not fit ``n`` rows and ``given`` known columns.
        """
        node = np.arange(len(self.feature))
        inner = self.feature >= 0
        ahead = (self.left > node) & (self.right > node) & (np.maximum(self.left, self.right) < len(node))
        filled = (self.count > 0) & (self.start >= 0) & (self.start + self.count <= len(self.members))
        inside = (self.members >= 0) & (self.members < n)
        if not len(node) or not (np.where(inner, ahead, filled).all() and inside.all()):
            raise ValueError("a tree leads nowhere")
        if (self.feature >= given).any() or (np.diff(self.keys) < 0).any():
            raise ValueError("a tree asks about a column that is not known")


class TreeCanonicalSampler(CanonicalSampler):
    """Sequential decision trees: quick, without torch, and the default.

    Parameters
    ----------
    leaf
        Fewest rows in a leaf. Larger leaves give fewer exact copies of real rows and blur what columns have
        to do with each other.
    nearest
        Rows of a leaf among which one is drawn: those with the nearest scores.
    candidates
        Rows that are drawn for each row that is given; of two or more one is kept, by what a model of the
        scores reads from each (see :mod:`fairwitness.canonical.reading`). The sets' own scores then come
        nearer to those asked for, but shares of levels move: where the score follows from the columns, by up
        to .06 in the worst case measured. Sets are compared in shares, so the default is 1, no choice.
    n_jobs
        Trees learnt at once, as in joblib (threads); the rows do not depend on it.
    protected, schema, max_rows, max_levels, random_state
        As for every :class:`CanonicalSampler`.

    Notes
    -----
    A first request that fixes columns may learn a few trees more, which are kept.

    Examples
    --------
    >>> import fairwitness as fw
    >>> from fairwitness.canonical import TreeCanonicalSampler
    >>> world = fw.datasets.proxy_world(400, random_state=0)
    >>> table = world.X.assign(group=world.sensitive)
    >>> engine = TreeCanonicalSampler(protected=["group"]).fit(table, world.model(world.X))
    >>> accepted = engine.sample(200, quantile=(0.8, 1))
    >>> len(accepted), list(accepted.columns) == list(table.columns)
    (200, True)
    """

    def __init__(
        self,
        *,
        leaf: int = 5,
        nearest: int = 5,
        candidates: int = 1,
        n_jobs: int | None = None,
        protected: Sequence[str] = (),
        schema: Schema | None = None,
        max_rows: int = 50_000,
        max_levels: int = 100,
        random_state: RandomState = 0,
    ) -> None:
        super().__init__(
            protected=protected,
            schema=schema,
            max_rows=max_rows,
            max_levels=max_levels,
            random_state=random_state,
        )
        self.leaf = leaf
        self.nearest = nearest
        self.candidates = candidates
        self.n_jobs = n_jobs

    def _fit(self, rows: Rows, rng: np.random.Generator) -> None:
        whole_number(self.leaf, "leaf")
        whole_number(self.nearest, "nearest")
        whole_number(self.candidates, "candidates")
        check_jobs(self.n_jobs)
        self._prepare(rows)
        self._learn(self._plan(()))
        self._learn_reader()

    def _prepare(self, rows: Rows) -> None:
        self._scales = tuple(Scale.of(rows, column) for column in range(len(rows.names)))
        self._given = np.column_stack(
            [
                rows.scores,
                *(scale.places(rows.matrix[:, j]) for j, scale in enumerate(self._scales)),
            ]
        )
        strength = [explained(self._given[:, j + 1], rows.scores) for j in range(len(rows.names))]
        hidden = [j for j, name in enumerate(rows.names) if name in rows.protected]
        ranked = np.argsort(-np.array(strength), kind="stable").tolist()
        self._order = tuple(dict.fromkeys([*hidden, *ranked]))
        self.trees_: dict[tuple[int, tuple[int, ...]], LeafTree] = {}

    def _draw(
        self,
        requested: FloatArray,
        fixed: Mapping[int, FloatArray],
        request: Request,
        rng: np.random.Generator,
    ) -> FloatArray:
        self._learn(self._plan(tuple(sorted(fixed))))
        if self.reader_ is None:
            return self._walk(requested, fixed, rng)[0]
        asked = np.repeat(requested, self.candidates)
        again = {column: np.repeat(values, self.candidates) for column, values in fixed.items()}
        matrix, given = self._walk(asked, again, rng)
        return np.asfortranarray(matrix[self.reader_.choose(given[:, 1:], requested, rng)])

    def _walk(
        self, requested: FloatArray, fixed: Mapping[int, FloatArray], rng: np.random.Generator
    ) -> tuple[FloatArray, FloatArray]:
        """Draw one row for each score, column after column: as a matrix, and as score and places."""
        matrix = np.empty((len(requested), len(self._scales)), order="F")
        given = np.empty((len(requested), len(self._scales) + 1))
        given[:, 0] = requested
        for column, values in fixed.items():
            matrix[:, column] = values
            given[:, column + 1] = self._scales[column].places(values)
        for column, before in self._plan(tuple(sorted(fixed))):
            drawn = self.trees_[column, before].rows(given, _positions(before), self.nearest, rng)
            matrix[:, column] = self.rows_.matrix[drawn, column]
            given[:, column + 1] = self._given[drawn, column + 1]
        return matrix, given

    def _plan(self, fixed: tuple[int, ...]) -> list[tuple[int, tuple[int, ...]]]:
        """Give the columns to draw in their order, each with the (sorted) columns that are known by then."""
        known = set(fixed)
        plan: list[tuple[int, tuple[int, ...]]] = []
        for column in (column for column in self._order if column not in fixed):
            plan.append((column, tuple(sorted(known))))
            known.add(column)
        return plan

    def _learn(self, plan: Sequence[tuple[int, tuple[int, ...]]]) -> None:
        """Learn the trees of a plan that are not there yet."""
        wanted = [key for key in plan if key not in self.trees_]
        if not wanted:
            return
        from joblib import Parallel, delayed

        learn = partial(_learn_tree, self._given, self._scales, self.leaf, self.seed_)
        found = Parallel(n_jobs=self.n_jobs or 1, prefer="threads")(delayed(learn)(*key) for key in wanted)
        self.trees_.update(zip(wanted, found, strict=True))

    def _learn_reader(self) -> None:
        """Learn what scores rows seem to have, those of the table and those that the trees draw."""
        self.reader_: Reader | None = None
        if self.candidates == 1:
            return
        scores = self.rows_.scores
        asked = scores[np.argsort(scores, kind="stable")[:: -(-len(scores) // MOST_READ)]]
        _, drawn = self._walk(asked, {}, child(self.seed_, "reader", "drawn"))
        self.reader_ = Reader.of(self._given[:, 1:], scores, drawn[:, 1:], asked, self.seed_)

    def _state(self) -> tuple[Arrays, Document]:
        arrays: Arrays = {}
        keys = []
        for at, ((column, before), tree) in enumerate(self.trees_.items()):
            keys.append([column, list(before)])
            arrays.update({f"tree{at}_{name}": getattr(tree, name) for name in LeafTree.__slots__})
        if self.reader_ is not None:
            arrays["readings"] = self._readings()
        return arrays, {"trees": keys}

    def _restore(self, arrays: Mapping[str, np.ndarray], document: Document) -> None:
        self._prepare(self.rows_)
        for at, (column, before) in enumerate(document["trees"]):
            parts = {name: arrays[f"tree{at}_{name}"] for name in LeafTree.__slots__}
            tree = LeafTree(**parts)
            tree.check(len(self.rows_), len(before) + 1)
            self.trees_[int(column), tuple(map(int, before))] = tree
        self._learn_reader()  # it is scikit-learn's, so it is learnt again rather than written
        if self.reader_ is not None and not np.array_equal(arrays["readings"], self._readings()):
            warnings.warn(
                "This engine was saved with another version of scikit-learn, or on another kind of machine: "
                "it may give other rows than the engine that was saved.",
                FairwitnessWarning,
                stacklevel=2,
            )

    def _readings(self) -> FloatArray:
        """Give what the reader reads from a few rows: by it readers are told apart."""
        assert self.reader_ is not None
        return np.asarray(self.reader_.model.predict(self._given[:WITNESSES, 1:]))


def nearest_place(keys: FloatArray, wanted: FloatArray, rng: np.random.Generator) -> IntArray:
    """Give where ascending keys are nearest to each wanted one; among equal keys, any of them."""
    low = np.searchsorted(keys, wanted, "left")
    high = low.copy()
    met = np.flatnonzero(keys.take(low, mode="clip") == wanted)
    high[met] = np.searchsorted(keys, wanted[met], "right")
    among = low + (rng.random(len(wanted)) * (high - low)).astype(np.int64)
    return np.where(high > low, among, low - rng.integers(0, 2, len(wanted)))


def mirrored(place: IntArray, count: IntArray) -> IntArray:
    """Fold places back into 0 to ``count`` - 1, as in a mirror at both ends.

    So every row is drawn as often as any other. Rows at the ends of a leaf are not like those inside it: a
    tree cuts where levels change.
    """
    folded = np.mod(place, 2 * count)
    return np.where(folded < count, folded, 2 * count - 1 - folded)


def _positions(before: tuple[int, ...]) -> list[int]:
    return [0, *(column + 1 for column in before)]


def _learn_tree(
    given: FloatArray,
    scales: tuple[Scale, ...],
    leaf: int,
    seed: int,
    column: int,
    before: tuple[int, ...],
) -> LeafTree:
    """Learn one column from the score and the columns before it."""
    from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

    scale = scales[column]
    known = np.asarray(given[:, _positions(before)], dtype=np.float32)
    kind = DecisionTreeClassifier if scale.classes else DecisionTreeRegressor
    learner = kind(min_samples_leaf=leaf, random_state=child_seed(seed, "tree", column, *before))
    tree = learner.fit(known, scale.target).tree_
    leaves = tree.apply(known)
    members = np.lexsort((given[:, 0], leaves))
    count = np.bincount(leaves, minlength=tree.node_count)
    return LeafTree(
        feature=np.where(tree.children_left < 0, -1, tree.feature).astype(np.int64),
        threshold=tree.threshold.astype(np.float64),
        left=tree.children_left.astype(np.int64),
        right=tree.children_right.astype(np.int64),
        start=np.cumsum(count) - count,
        count=count,
        members=members,
        keys=2.0 * leaves[members] + given[members, 0],
    )
