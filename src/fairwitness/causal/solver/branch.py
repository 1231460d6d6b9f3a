"""Two large unidentified blocks: branch and bound over McCormick envelopes.

With ``f_i`` the probabilities of one block's events and ``g_i`` what the other block multiplies them with,
the effect is ``Σ f_i g_i``. On a box of the ``f_i`` each product lies between its four McCormick planes,
which makes a linear program whose optimum no model in the box can pass. Halving boxes makes the planes meet.
Stopped early, what is left of the programs is still a bound.
"""

from __future__ import annotations

import heapq
import itertools
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse

from fairwitness.causal.solver.linear import Polytope
from fairwitness.causal.solver.multilinear import Extreme, Form
from fairwitness.causal.solver.vertices import Corners
from fairwitness.typing import FloatArray

#: Proved, if what was attained is this close to what cannot be passed.
CLOSED = 1e-8
#: Most combinations of corners of further blocks.
MOST_OUTER = 64


def branch(
    form: Form,
    polytopes: Sequence[Polytope],
    functions: Sequence[FloatArray],
    found: Sequence[Corners | None],
    largest: int,
    attained: tuple[float, float],
    *,
    seconds: float,
) -> tuple[Extreme, Extreme] | None:
    """Find both ends of a multilinear function, two blocks of which have too many corners.

    Parameters
    ----------
    attained
        The smallest and largest value that some model is known to attain.
    seconds
        Stop after that; what is proved by then stays valid.

    Returns
    -------
    tuple or None
        ``None`` if more than two blocks are too large, or time was up before all was looked at once.
    """
    open_blocks = [place for place, each in enumerate(found) if each is not None and not each.complete]
    if len(open_blocks) > 1:
        return None
    counts = [0 if each is None else len(each.points) for each in found]
    inner = open_blocks[0] if open_blocks else int(np.argmax(counts))
    outer = [place for place in range(len(found)) if place not in (inner, largest)]
    choices = list(itertools.product(*(list(_points(found[place])) for place in outer)))
    if len(choices) > MOST_OUTER:
        return None
    stop = time.perf_counter() + seconds
    ends = []
    for sign, known in zip((-1.0, 1.0), attained, strict=True):
        best: Extreme | None = None
        for choice in choices:
            if time.perf_counter() > stop:
                return None
            answers: list[FloatArray | None] = [None] * len(found)
            for place, answer in zip(outer, choice, strict=True):
                answers[place] = answer
            weights = _matrix(form, answers, inner, largest)
            pair = _Pair(
                polytopes[inner],
                functions[inner],
                polytopes[largest],
                weights @ functions[largest],
                np.stack([np.minimum(weights, 0.0).sum(axis=1), np.maximum(weights, 0.0).sum(axis=1)]),
                sign,
                sign * known,
            )
            end = pair.solve(seconds / (2 * len(choices)))
            best = end if best is None else _wider(best, end, sign)
        if best is None:
            return None
        ends.append(best)
    return ends[0], ends[1]


def _points(corners: Corners | None) -> FloatArray:
    if corners is None:
        raise AssertionError("the largest block has no corners to go through")
    return corners.points


def _wider(first: Extreme, second: Extreme, sign: float) -> Extreme:
    value = sign * max(sign * first.value, sign * second.value)
    bound = sign * max(sign * first.bound, sign * second.bound)
    return Extreme(value, bound, first.programs + second.programs)


def _matrix(form: Form, answers: Sequence[FloatArray | None], inner: int, largest: int) -> FloatArray:
    """Give the weights of products of the two blocks' events, the other blocks answered."""
    product = form.weights.copy()
    for place, answer in enumerate(answers):
        if answer is not None:
            product = product * answer[form.index[:, place]]
    shape = (len(form.events[inner]), len(form.events[largest]))
    matrix = np.zeros(shape)
    np.add.at(matrix, (form.index[:, inner], form.index[:, largest]), product)
    return matrix


@dataclass(eq=False)
class _Pair:
    """Maximise ``sign`` × Σ f_i g_i: f = ``events`` @ x over one polytope, g = ``gains`` @ z over another."""

    first: Polytope
    events: FloatArray
    second: Polytope
    gains: FloatArray
    gain_limits: FloatArray
    sign: float
    known: float
    programs: int = 0

    def solve(self, seconds: float) -> Extreme:
        """Branch until proved, or until time is up."""
        stop = time.perf_counter() + seconds
        kept = np.flatnonzero(np.abs(self.gains).max(axis=1, initial=0.0) > 0)
        events, gains = self.events[kept], self.gains[kept]
        half = (time.perf_counter() + stop) / 2
        low, high = self._ranges(self.first, events, np.zeros(len(kept)), np.ones(len(kept)), half)
        limits = self.gain_limits[:, kept]
        self._gain_low, self._gain_high = self._ranges(self.second, gains, limits[0], limits[1], half)
        best = self.known
        node = self._relaxed(events, gains, low, high)
        if node is None:
            raise AssertionError("a block that was solved before has no solution")
        bound, f, products = node
        best = max(best, self._improved(f, events, gains))
        counter = itertools.count()
        queue = [(-bound, next(counter), low, high, f, products)]
        proved = -np.inf  # of boxes that are done
        while queue and -queue[0][0] - best > CLOSED and time.perf_counter() < stop:
            _, _, low, high, f, products = heapq.heappop(queue)
            place, at = self._where(low, high, f, products, gains)
            if place < 0:
                proved = max(proved, best)
                continue
            for ends in ((low[place], at), (at, high[place])):
                left, right = low.copy(), high.copy()
                left[place], right[place] = ends
                node = self._relaxed(events, gains, left, right)
                if node is None:
                    continue
                bound, f_new, products_new = node
                best = max(best, self._improved(f_new, events, gains))
                if bound > best + CLOSED:
                    heapq.heappush(queue, (-bound, next(counter), left, right, f_new, products_new))
                else:
                    proved = max(proved, bound)
        bound = max([best, proved] + [-each[0] for each in queue[:1]])
        return Extreme(self.sign * best, self.sign * bound, self.programs)

    def _ranges(
        self, polytope: Polytope, functions: FloatArray, least: FloatArray, most: FloatArray, stop: float
    ) -> tuple[FloatArray, FloatArray]:
        """Give the range of each function; what limits it anyway, once time is up."""
        low, high = least.copy(), most.copy()
        for place, function in enumerate(functions):
            if time.perf_counter() > stop:
                break
            down, up = polytope.optimize(function, "min"), polytope.optimize(function, "max")
            if down is None or up is None:
                raise AssertionError("a block that was solved before has no solution")
            low[place], high[place] = max(down.bound, low[place]), min(up.bound, high[place])
            self.programs += 2
        return low, high

    def _relaxed(
        self, events: FloatArray, gains: FloatArray, low: FloatArray, high: FloatArray
    ) -> tuple[float, FloatArray, FloatArray] | None:
        """Solve the McCormick relaxation over a box; give bound, f, and the values that products took."""
        m = len(events)
        n_first, n_second = self.first.n_columns, self.second.n_columns
        # products are shifted so that all columns start at 0
        c, d = self._gain_low, self._gain_high
        floor = np.minimum.reduce([low * c, low * d, high * c, high * d])
        ceiling = np.maximum.reduce([low * c, low * d, high * c, high * d])
        f, g = sparse.csr_matrix(events), sparse.csr_matrix(gains)
        eye = sparse.identity(m, format="csr")

        def scaled(by: FloatArray, matrix: Any) -> Any:
            return sparse.diags(by) @ matrix

        blocks = [
            [self.first.matrix, None, None],
            [None, self.second.matrix, None],
            [f, None, None],
            [scaled(-c, f), scaled(-low, g), eye],
            [scaled(-d, f), scaled(-high, g), eye],
            [scaled(-d, f), scaled(-low, g), eye],
            [scaled(-c, f), scaled(-high, g), eye],
        ]
        infinite = np.full(m, np.inf)
        lows = [
            self.first.low,
            self.second.low,
            low,
            -low * c - floor,
            -high * d - floor,
            -infinite,
            -infinite,
        ]
        highs = [
            self.first.high,
            self.second.high,
            high,
            infinite,
            infinite,
            -low * d - floor,
            -high * c - floor,
        ]
        polytope = Polytope(
            sparse.bmat(blocks, format="csc"),
            np.concatenate(lows),
            np.concatenate(highs),
            np.concatenate([self.first.upper, self.second.upper, ceiling - floor]),
        )
        cost = np.concatenate([np.zeros(n_first + n_second), np.full(m, self.sign)])
        optimum = polytope.optimize(cost, "max")
        self.programs += 1
        if optimum is None:
            return None
        x = optimum.x
        return (
            optimum.bound + self.sign * float(floor.sum()),
            events @ x[:n_first],
            x[n_first + n_second :] + floor,
        )

    def _improved(self, f: FloatArray, events: FloatArray, gains: FloatArray) -> float:
        """Climb from a point by turns: one block, then the other."""
        best = -np.inf
        for _ in range(6):
            other = self.second.optimize(self.sign * (f @ gains), "max")
            if other is None:
                break
            g = gains @ other.x
            own = self.first.optimize(self.sign * (g @ events), "max")
            self.programs += 2
            if own is None or own.value <= best + 1e-12:
                break
            best = own.value
            f = events @ own.x
        return best

    def _where(
        self, low: FloatArray, high: FloatArray, f: FloatArray, products: FloatArray, gains: FloatArray
    ) -> tuple[int, float]:
        """Choose the event to split: where the planes may be farthest from the product."""
        width = high - low
        slack = width * (self._gain_high - self._gain_low)
        if slack.max(initial=0.0) < 1e-12:
            return -1, 0.0
        place = int(slack.argmax())
        # where the program put it, but not too near an end
        at = float(np.clip(f[place], low[place] + 0.25 * width[place], high[place] - 0.25 * width[place]))
        return place, at
