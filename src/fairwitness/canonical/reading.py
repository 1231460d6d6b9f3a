"""What score rows seem to have: a reader of rows, and how much to trust it when it chooses among some.

Trees that draw one column after the other do not know what a whole row scores. A model of the scores does,
roughly. Of a few rows that are drawn for a score s, one is kept by importance resampling: the reading of a
made row should miss s as readings of real rows with that score miss it, no less. With m(s) and v(s) the mean
and variance of what readings of real rows, by a reader that did not see them, miss their scores by, and u(s)
the mean square distance of made rows' misses from m(s), a row that is missed by d has the weight

    exp(-½ (1/v - 1/u) (d - m)²),

the ratio of the two normal densities. Where made rows are read no worse than real ones (u ≤ v) all weights
are equal. Taking the row that is read nearest would narrow the sets instead: real rows are misread as well.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from fairwitness.rng import child, child_seed
from fairwitness.typing import FloatArray, IntArray

#: Boosting rounds, and their learning rate: more cost time at each draw.
ROUNDS, RATE = 60, 0.2
#: One row in so many is kept from it, to learn how it misses the scores of rows that it has not seen.
HELD = 4
#: Scores at which misses are measured, at most, and rows around each, at least.
MOST_KNOTS, ROWS_A_KNOT = 40, 50
#: Smallest variance of misses.
LEAST = 1e-8


@dataclass(frozen=True, slots=True, eq=False)
class Reader:
    """Reads scores from rows, and weighs rows by what it reads.

    Attributes
    ----------
    model
        What was learnt: (n, d) places of the columns to scores.
    knots
        (k,) ascending scores at which the next two hold; between them they are interpolated.
    centre
        (k,) mean miss of real rows, m.
    sharpness
        (k,) ½ (1/v - 1/u), at least 0.
    """

    model: Any
    knots: FloatArray
    centre: FloatArray
    sharpness: FloatArray

    @classmethod
    def of(
        cls, places: FloatArray, scores: FloatArray, made: FloatArray, asked: FloatArray, seed: int
    ) -> Reader:
        """Learn to read.

        Parameters
        ----------
        places, scores
            (n, d) and (n,): the real rows.
        made, asked
            (m, d) and (m,): rows that were drawn one for each asked score, of those that the real ones have.
        seed
            Seed.
        """
        held = child(seed, "reader", "held").permutation(len(scores)) % HELD == 0
        model = _learn(places[~held], scores[~held], seed)
        missed, truth = model.predict(places[held]) - scores[held], scores[held]
        count = int(np.clip(len(truth) // ROWS_A_KNOT, 1, MOST_KNOTS))
        knots = np.unique(np.quantile(truth, np.linspace(0, 1, count + 1)))
        centre = _mean(knots, truth, missed)
        real = np.maximum(_mean(knots, truth, missed**2) - centre**2, LEAST)
        apart = model.predict(made) - asked - np.interp(asked, knots, centre)
        drawn = np.maximum(_mean(knots, asked, apart**2), LEAST)
        return cls(model, knots, centre, np.maximum(1 / real - 1 / drawn, 0.0) / 2)

    def choose(self, places: FloatArray, asked: FloatArray, rng: np.random.Generator) -> IntArray:
        """Draw one of k candidates for each of n scores, by their weights.

        Parameters
        ----------
        places
            (n k, d) the candidates, those for one score side by side.
        asked
            (n,) the scores.
        rng
            The only source of chance.

        Returns
        -------
        (n,) positions among the candidates.
        """
        missed = self.model.predict(places).reshape(len(asked), -1) - asked[:, None]
        apart = missed - np.interp(asked, self.knots, self.centre)[:, None]
        weight = -np.interp(asked, self.knots, self.sharpness)[:, None] * apart**2
        # the largest of log weights with Gumbel noise is a draw by the weights
        chosen = (weight + rng.gumbel(size=weight.shape)).argmax(axis=1)
        position: IntArray = np.arange(len(asked)) * weight.shape[1] + chosen
        return position


def _learn(places: FloatArray, scores: FloatArray, seed: int) -> Any:
    from sklearn.ensemble import HistGradientBoostingRegressor
    from threadpoolctl import threadpool_limits

    learner = HistGradientBoostingRegressor(
        max_iter=ROUNDS,
        learning_rate=RATE,
        early_stopping=False,
        random_state=child_seed(seed, "reader"),
    )
    with threadpool_limits(1, user_api="openmp"):  # sums in another order would give other last digits
        return learner.fit(places, scores)


def _mean(knots: FloatArray, scores: FloatArray, values: FloatArray) -> FloatArray:
    """Give the mean value of the rows that are nearest to each knot; of all rows where none is."""
    cell = np.searchsorted((knots[1:] + knots[:-1]) / 2, scores)
    count = np.bincount(cell, minlength=len(knots))
    total = np.bincount(cell, weights=values, minlength=len(knots))
    return np.where(count > 0, total / np.maximum(count, 1), values.mean())
