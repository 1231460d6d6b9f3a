"""Latent causes: their strength by maximum likelihood, and their posterior mean for each row.

Each indicator x_j is normal, Poisson or Bernoulli given η_j = b_jᵀ(1, measured causes) + λ_jᵀk, and the k are
independent standard normal (a generalised linear latent variable model; with normal indicators it is factor
analysis). The integral over k is a sum over an even grid, which for densities as smooth as these is exact to
rounding once the grid is finer than the posterior is wide; where it is not, the grid is refined. Nothing is
drawn, so that equal tables give equal posteriors.
"""

from __future__ import annotations

import itertools
import warnings
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Self

import numpy as np
from scipy.optimize import minimize
from scipy.special import expit, gammaln

from fairwitness.errors import ConfigError, FairwitnessWarning
from fairwitness.fair.scm import Family
from fairwitness.text import plain
from fairwitness.typing import FloatArray

#: Points a latent, coarse to fine, by the number of latents.
_GRIDS = {1: (57, 225, 897), 2: (37, 85), 3: (19, 29)}
#: Far enough for rows that hardly occur.
_REACH = 7.0
_CELLS = 400_000
#: A normal indicator's own spread is at least this share of what its measured causes leave.
_LEAST_SPREAD = 0.1
_MOST_LOG = 50.0


@dataclass(slots=True)
class Indicator:
    """One measured effect of the latents.

    Attributes
    ----------
    name, family
        Its name and distribution.
    latents
        Positions of its latent causes.
    coef, loading, spread
        (p,) coefficients of the measured causes (of 1 first), (L,) of the latents, and the standard deviation
        that is left (normal only).
    """

    name: str
    family: Family
    latents: tuple[int, ...]
    coef: FloatArray = field(default_factory=lambda: np.zeros(0))
    loading: FloatArray = field(default_factory=lambda: np.zeros(0))
    spread: float = 1.0

    def log_density(self, x: FloatArray, eta: FloatArray) -> FloatArray:
        """(n, Q) log density of (n, 1) values at (n, Q) η."""
        if self.family == "gaussian":
            scaled = (x - eta) / self.spread
            return np.asarray(-0.5 * scaled**2 - np.log(self.spread * np.sqrt(2 * np.pi)))
        if self.family == "poisson":
            return np.asarray(x * eta - np.exp(np.minimum(eta, _MOST_LOG)) - gammaln(x + 1))
        return np.asarray(x * eta - np.logaddexp(0, eta))

    def slope(self, x: FloatArray, eta: FloatArray) -> FloatArray:
        """(n, Q) derivative of the log density in η."""
        if self.family == "gaussian":
            return np.asarray((x - eta) / self.spread**2)
        mean = np.exp(np.minimum(eta, _MOST_LOG)) if self.family == "poisson" else expit(eta)
        return np.asarray(x - mean)


@dataclass(frozen=True, slots=True)
class _Block:
    """Some rows, over the grid."""

    rows: slice
    nodes: FloatArray
    weights: FloatArray
    etas: list[FloatArray]
    log_likelihood: float


class LatentModel:
    """Indicators of L latents.

    Attributes
    ----------
    indicators
        In the order given; ``fit`` fills in their numbers.
    n_latents
        L.
    log_likelihood_
        Mean over rows, in nats, after ``fit``.
    n_points_
        Grid points a latent that were needed.
    """

    def __init__(self, indicators: Sequence[Indicator], n_latents: int) -> None:
        if n_latents not in _GRIDS:
            raise ConfigError(
                f"at most {max(_GRIDS)} latents can be integrated over",
                got=f"{n_latents}",
                fix="merge latents that have the same effects",
            )
        self.indicators = list(indicators)
        self.n_latents = n_latents

    def fit(self, values: Mapping[str, FloatArray], designs: Mapping[str, FloatArray]) -> Self:
        """Maximise the likelihood of (n,) values of each indicator given its (n, p) measured causes."""
        for at, each in enumerate(self.indicators):
            _begin(each, values[each.name], designs[each.name], at, self.n_latents)
        least = {
            each.name: _LEAST_SPREAD * each.spread if each.family == "gaussian" else 0.0
            for each in self.indicators
        }
        for points in _GRIDS[self.n_latents]:
            self.n_points_ = points
            self._climb(values, designs, least)
            if self._fine_enough(values, designs):
                break
        else:
            warnings.warn(
                "the measured effects pin a latent down more sharply than the grid can show; declare fewer "
                "latents, or fewer effects of each",
                FairwitnessWarning,
                stacklevel=5,
            )
        pinned = [each.name for each in self.indicators if each.spread < 1.01 * least[each.name]]
        if pinned:
            warnings.warn(
                f"{plain(pinned[0])} all but equals the latent: nothing else that it causes speaks up "
                "against that; look at the families, or draw more effects",
                FairwitnessWarning,
                stacklevel=5,
            )
        self._orient()
        return self

    def posterior(self, values: Mapping[str, FloatArray], designs: Mapping[str, FloatArray]) -> FloatArray:
        """(n, L) mean of the latents given each row, and what ``values`` holds of the indicators."""
        blocks = self._blocks(values, designs)
        return np.concatenate([block.weights @ block.nodes for block in blocks])

    def _blocks(
        self, values: Mapping[str, FloatArray], designs: Mapping[str, FloatArray]
    ) -> Iterator[_Block]:
        """Go through the rows, with the posterior weight of each grid point."""
        known = [each for each in self.indicators if each.name in values]
        nodes, log_prior = _grid(self.n_latents, self.n_points_)
        n = len(values[known[0].name])
        size = max(1, _CELLS // len(nodes))
        for first in range(0, n, size):
            rows = slice(first, min(first + size, n))
            log = np.tile(log_prior, (rows.stop - first, 1))
            etas = []
            for each in known:
                eta = (designs[each.name][rows] @ each.coef)[:, None] + nodes @ each.loading
                log += each.log_density(values[each.name][rows, None], eta)
                etas.append(eta)
            top = log.max(axis=1, keepdims=True)
            weights = np.exp(log - top)
            total = weights.sum(axis=1, keepdims=True)
            yield _Block(rows, nodes, weights / total, etas, float((np.log(total) + top).sum()))

    def _climb(
        self,
        values: Mapping[str, FloatArray],
        designs: Mapping[str, FloatArray],
        least: Mapping[str, float],
    ) -> None:
        n = len(next(iter(values.values())))

        def loss(parameters: FloatArray) -> tuple[float, FloatArray]:
            self._unpack(parameters)
            total = 0.0
            slopes = [np.zeros(_n_parameters(each)) for each in self.indicators]
            for block in self._blocks(values, designs):
                total += block.log_likelihood
                for each, eta, slope in zip(self.indicators, block.etas, slopes, strict=True):
                    x = values[each.name][block.rows, None]
                    slope += _slopes(each, x, eta, designs[each.name][block.rows], block)
            return -total / n, -np.concatenate(slopes) / n

        start = np.concatenate([_packed(each) for each in self.indicators])
        bounds: list[tuple[float | None, float | None]] = []
        for each in self.indicators:
            bounds += [(None, None)] * (_n_parameters(each) - (each.family == "gaussian"))
            if each.family == "gaussian":
                bounds.append((float(np.log(least[each.name])), None))
        found = minimize(
            loss, start, jac=True, method="L-BFGS-B", bounds=bounds, options={"maxiter": 500, "ftol": 1e-10}
        )
        self._unpack(found.x)
        self.log_likelihood_ = -float(found.fun)

    def _unpack(self, parameters: FloatArray) -> None:
        at = 0
        for each in self.indicators:
            part = parameters[at : at + _n_parameters(each)]
            at += len(part)
            p = len(each.coef)
            each.coef = part[:p]
            each.loading = np.zeros(self.n_latents)
            each.loading[list(each.latents)] = part[p : p + len(each.latents)]
            if each.family == "gaussian":
                each.spread = float(np.exp(part[-1]))

    def _fine_enough(self, values: Mapping[str, FloatArray], designs: Mapping[str, FloatArray]) -> bool:
        """Say whether the narrowest posterior is as wide as the distance between grid points."""
        step = 2 * _REACH / (self.n_points_ - 1)
        for block in self._blocks(values, designs):
            mean = block.weights @ block.nodes
            spread = np.sqrt(np.maximum(block.weights @ block.nodes**2 - mean**2, 0))
            if spread.min() < step:
                return False
        return True

    def _orient(self) -> None:
        """Turn each latent so that it raises its first effect: the likelihood does not tell its sign."""
        for latent in range(self.n_latents):
            first = next((each for each in self.indicators if latent in each.latents), None)
            if first is not None and first.loading[latent] < 0:
                for each in self.indicators:
                    each.loading[latent] *= -1


def _slopes(each: Indicator, x: FloatArray, eta: FloatArray, design: FloatArray, block: _Block) -> FloatArray:
    """Derivative of the summed log-likelihood in an indicator's parameters (Fisher's identity)."""
    pulled = block.weights * each.slope(x, eta)
    out = [design.T @ pulled.sum(axis=1), (pulled.sum(axis=0) @ block.nodes)[list(each.latents)]]
    if each.family == "gaussian":
        out.append(np.array([(block.weights * ((x - eta) / each.spread) ** 2).sum() - len(x)]))
    return np.concatenate(out)


def _n_parameters(each: Indicator) -> int:
    return len(each.coef) + len(each.latents) + (each.family == "gaussian")


def _packed(each: Indicator) -> FloatArray:
    spread = [np.log(each.spread)] if each.family == "gaussian" else []
    return np.concatenate([each.coef, each.loading[list(each.latents)], spread])


def _begin(each: Indicator, x: FloatArray, design: FloatArray, at: int, n_latents: int) -> None:
    """Start from a regression without latents, and loadings that differ between latents."""
    link = np.log(x + 0.5) if each.family == "poisson" else 4 * x - 2 if each.family == "bernoulli" else x
    each.coef = np.linalg.lstsq(design, link, rcond=None)[0].astype(np.float64)
    left = max(float(np.std(link - design @ each.coef)), 1e-12)
    each.spread = left
    size = 0.5 * left if each.family == "gaussian" else 0.5 if each.family == "bernoulli" else 0.1
    each.loading = np.zeros(n_latents)
    for order, latent in enumerate(each.latents):
        each.loading[latent] = size * (1.0 if order == at % len(each.latents) else 0.3)


def _grid(n_latents: int, points: int) -> tuple[FloatArray, FloatArray]:
    """(Q, L) grid points and their (Q,) log prior weights."""
    line = np.linspace(-_REACH, _REACH, points)
    nodes = np.array(list(itertools.product(line, repeat=n_latents)))
    log = -0.5 * (nodes**2).sum(axis=1)
    return nodes, log - np.log(np.exp(log).sum())
