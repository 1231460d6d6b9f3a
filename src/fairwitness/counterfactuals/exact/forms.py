"""What a model is, written out: trees, a weighted sum, or a network, over the numbers it reads.

All three give a *margin*: positive where the favourable outcome is decided, negative where it is not. Within
``tolerance`` of 0 the order in which the model's library adds up decides, so there the model is asked.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from fairwitness.typing import BoolArray, FloatArray, IntArray


@dataclass(frozen=True, slots=True)
class CategorySplit:
    """A node that sends ``levels`` to one side and all others to the other.

    Missing, and what is not among ``known`` (if that is given), goes where the node sends missing.
    """

    levels: frozenset[int]
    to_left: bool = True
    known: frozenset[int] | None = None

    def goes_left(self, numbers: FloatArray, missing_left: bool) -> BoolArray:
        """Say which of the numbers go left."""
        codes = np.trunc(np.where(np.isfinite(numbers), numbers, -1.0))
        out: BoolArray = np.isin(codes, list(self.levels)) == self.to_left
        lost = np.isnan(numbers) if self.known is None else ~np.isin(codes, list(self.known))
        return np.where(lost, missing_left, out)


@dataclass(frozen=True, eq=False)
class TreeForm:
    """A sum of decision trees, all nodes in one table.

    Attributes
    ----------
    roots
        (t,) first node of each tree.
    feature
        (n,) which number a node tests, −1 for a leaf.
    threshold
        (n,) the number goes left if it is at most the threshold (below it, if ``strict``).
    left, right
        (n,) the next node.
    missing_left
        (n,) whether a missing number goes left.
    value
        (n,) what a leaf adds to the margin.
    offset
        What is added to the sum of all leaves.
    single
        Whether numbers are rounded to float32 before they are compared.
    missing_as_zero
        (n,) whether the node takes missing for 0 (LightGBM trained without missing values).
    categories
        Node → the numbers it tells apart, for nodes that split categories.
    """

    roots: IntArray
    feature: IntArray
    threshold: FloatArray
    left: IntArray
    right: IntArray
    missing_left: BoolArray
    value: FloatArray
    offset: float
    tolerance: float
    single: bool = False
    strict: bool = False
    missing_as_zero: BoolArray | None = None
    categories: dict[int, CategorySplit] = field(default_factory=dict)

    def goes_left(self, nodes: NDArray[np.integer], numbers: FloatArray) -> BoolArray:
        """Say for (…, m) numbers, one column a node, whether they go left at (m,) ``nodes``."""
        numbers = np.asarray(numbers, dtype=np.float64)
        if self.single:
            with np.errstate(over="ignore"):
                numbers = numbers.astype(np.float32).astype(np.float64)
        gone = np.isnan(numbers)
        if self.missing_as_zero is not None:
            numbers = np.where(gone & self.missing_as_zero[nodes], 0.0, numbers)
            gone = np.isnan(numbers)
        limit = self.threshold[nodes]
        out: BoolArray = numbers < limit if self.strict else numbers <= limit
        out = np.where(gone, self.missing_left[nodes], out)
        if self.categories:
            for at, node in enumerate(nodes.tolist()):
                if node in self.categories:
                    gone_left = bool(self.missing_left[node])
                    out[..., at] = self.categories[node].goes_left(numbers[..., at], gone_left)
        return out

    def margin(self, numbers: FloatArray) -> FloatArray:
        """(r,) margin of (r, inputs) rows of numbers."""
        total = np.full(len(numbers), self.offset)
        inner = np.flatnonzero(self.feature >= 0)
        place = np.full(len(self.feature), -1)
        place[inner] = np.arange(len(inner))
        for start in range(0, len(numbers), 256):
            part = numbers[start : start + 256]
            left = self.goes_left(inner, part[:, self.feature[inner]])
            node = np.broadcast_to(self.roots, (len(part), len(self.roots))).copy()
            rows = np.arange(len(part))[:, None]
            while (live := self.feature[node] >= 0).any():
                step = np.where(left[rows, place[node]], self.left[node], self.right[node])
                node = np.where(live, step, node)
            total[start : start + 256] += self.value[node].sum(axis=1)
        return total


@dataclass(frozen=True, eq=False)
class NetworkForm:
    """Layers of weights with ``max(0, ·)`` between them; one layer alone is a weighted sum.

    ``weights[l]`` is (inputs, outputs) of layer l, the last with one output: the margin.
    """

    weights: tuple[FloatArray, ...]
    biases: tuple[FloatArray, ...]
    tolerance: float

    def margin(self, numbers: FloatArray) -> FloatArray:
        """(r,) margin of (r, inputs) rows of numbers."""
        flow = np.asarray(numbers, dtype=np.float64)
        for layer, (weight, bias) in enumerate(zip(self.weights, self.biases, strict=True)):
            flow = flow @ weight + bias
            if layer < len(self.weights) - 1:
                flow = np.maximum(flow, 0.0)
        out: FloatArray = flow[:, 0]
        return out


Form = TreeForm | NetworkForm
