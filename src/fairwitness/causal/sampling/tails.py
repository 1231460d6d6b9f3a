"""Tails of binomial counts, and of sums of scores: the limits and p-values of single chances.

For counts they are exact (Clopper and Pearson, "The use of confidence or fiducial limits illustrated in the
case of the binomial", Biometrika 26, 1934). For sums of independent scores in [0, 1] Chernoff's bound takes
their place (Hoeffding, "Probability inequalities for sums of bounded random variables", JASA 58, 1963).
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from scipy import special

from fairwitness.typing import BoolArray, FloatArray, IntArray

_TINY = 1e-300


@dataclass(frozen=True, eq=False)
class Tosses:
    """What was seen of some coins.

    Attributes
    ----------
    heads, tosses
        (m,) how often it was heads, of how many times.
    exact
        (m,) coins whose chance is known, as ``heads / tosses``.
    average
        (m,) coins whose heads are sums of scores in [0, 1], not counts.
    """

    heads: FloatArray
    tosses: FloatArray
    exact: BoolArray
    average: BoolArray

    @classmethod
    def of(cls, heads: FloatArray, tosses: FloatArray, *, average: bool = False) -> Tosses:
        """Take coins that are all of one kind."""
        m = len(heads)
        return cls(heads, tosses, np.zeros(m, dtype=bool), np.full(m, average))

    def take(self, coins: IntArray) -> Tosses:
        """Give those of some coins."""
        return Tosses(self.heads[coins], self.tosses[coins], self.exact[coins], self.average[coins])

    @property
    def means(self) -> FloatArray:
        """(m,) shares of heads; 0.5 without tosses."""
        tossed = self.tosses > 0
        return np.where(tossed, self.heads / np.where(tossed, self.tosses, 1.0), 0.5)


def limits(seen: Tosses, log_tail: float | FloatArray) -> tuple[FloatArray, FloatArray]:
    """Give limits of the chances, each passed with a probability of ``exp(log_tail)`` at most.

    Without tosses they are 0 and 1.
    """
    logs = np.broadcast_to(np.asarray(log_tail, dtype=np.float64), seen.heads.shape)
    heads, n = seen.heads, seen.tosses
    tails = np.exp(logs)
    low = special.betaincinv(np.maximum(heads, _TINY), n - heads + 1, tails)
    high = special.betainccinv(heads + 1, np.maximum(n - heads, _TINY), tails)
    lower: FloatArray = np.where(heads > 0, low, 0.0).astype(np.float64)
    upper: FloatArray = np.where(heads < n, high, 1.0).astype(np.float64)
    if seen.average.any():
        lower = np.where(seen.average, _at_divergence(seen, logs, 0.0), lower)
        upper = np.where(seen.average, _at_divergence(seen, logs, 1.0), upper)
    return lower, upper


def _at_divergence(seen: Tosses, logs: FloatArray, limit: float) -> FloatArray:
    """Find, between the means and ``limit``, where Chernoff's bound is as small as the tail."""
    mean = seen.means
    inner, outer = mean.copy(), np.full_like(mean, limit)
    for _ in range(60):
        middle = (inner + outer) / 2
        inside = -seen.tosses * _divergence(mean, middle) > logs
        inner, outer = np.where(inside, middle, inner), np.where(inside, outer, middle)
    return outer


def log_tails(seen: Tosses, chances: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Give log P(so few heads or fewer) and log P(so many or more), or bounds on them."""
    heads, n = seen.heads, seen.tosses
    with np.errstate(divide="ignore"):
        few = np.log(special.betaincc(heads + 1, np.maximum(n - heads, _TINY), chances))
        many = np.log(special.betainc(np.maximum(heads, _TINY), n - heads + 1, chances))
    few, many = np.where(heads < n, few, 0.0), np.where(heads > 0, many, 0.0)
    if seen.average.any():
        mean = seen.means
        bound = -n * _divergence(mean, chances)
        few = np.where(seen.average, np.where(chances > mean, bound, 0.0), few)
        many = np.where(seen.average, np.where(chances < mean, bound, 0.0), many)
    return few, many


def distances(seen: Tosses, chances: FloatArray) -> FloatArray:
    """Give how far chances are from what was seen: the normal deviates of the two-sided p-values."""
    few, many = log_tails(seen, chances)
    return np.asarray(_deviate(np.minimum(few, many)))


def _deviate(log_tail: FloatArray) -> FloatArray:
    return np.maximum(-special.ndtri_exp(log_tail), 0.0)


def slopes(seen: Tosses, chances: FloatArray, *, above: bool) -> tuple[FloatArray, FloatArray]:
    """Give slope and height of half the squared distances, at chances in (0, 1) above (below) what was seen.

    It is convex: ``−log`` of a tail of a beta distribution is, and half a squared normal deviate is a convex
    and increasing function of ``−log`` of its tail.
    """
    heads, n = seen.heads, seen.tosses
    first = heads + 1 if above else np.maximum(heads, _TINY)
    second = np.maximum(n - heads, _TINY) if above else n - heads + 1
    few, many = log_tails(seen, chances)
    log_tail = few if above else many
    log_density = (
        (first - 1) * np.log(chances) + (second - 1) * np.log1p(-chances) - special.betaln(first, second)
    )
    steep = np.exp(log_density - log_tail) * (1.0 if above else -1.0)
    if seen.average.any():
        steep = np.where(seen.average, n * (chances - seen.means) / (chances * (1 - chances)), steep)
    deviate = _deviate(log_tail)
    hazard = np.exp(-0.5 * deviate**2 - 0.5 * math.log(2 * math.pi) - special.log_ndtr(-deviate))
    return steep * deviate / hazard, 0.5 * deviate**2


def _divergence(mean: FloatArray, chances: FloatArray) -> FloatArray:
    """Kullback and Leibler's divergence of two coins."""
    return np.asarray(special.rel_entr(mean, chances) + special.rel_entr(1 - mean, 1 - chances))
