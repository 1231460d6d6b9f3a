from __future__ import annotations

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.stats import bernoulli, norm, poisson

from fairwitness.errors import ConfigError, FairwitnessWarning
from fairwitness.fair.latents import Indicator, LatentModel


def gaussian_world(n: int, *, loadings: np.ndarray, spreads: np.ndarray, seed: int = 0):
    """Normal indicators of L latents, each raised by one measured cause."""
    rng = np.random.default_rng(seed)
    k = rng.normal(size=(n, loadings.shape[1]))
    s = rng.integers(2, size=n).astype(float)
    x = (
        k @ loadings.T
        + np.outer(s, np.arange(len(loadings)) - 1.0)
        + rng.normal(size=(n, len(loadings))) * spreads
    )
    names = [f"x{at}" for at in range(len(loadings))]
    design = np.column_stack([np.ones(n), s])
    return k, dict(zip(names, x.T, strict=True)), dict.fromkeys(names, design)


def one_latent(values, designs, families=None) -> LatentModel:
    families = families or dict.fromkeys(values, "gaussian")
    return LatentModel([Indicator(name, families[name], (0,)) for name in values], 1).fit(values, designs)


def is_closed_form(model: LatentModel, values, designs) -> None:
    np.testing.assert_allclose(
        model.posterior(values, designs), closed_form(model, values, designs), rtol=0, atol=1e-6
    )


def closed_form(model: LatentModel, values, designs) -> np.ndarray:
    """Posterior mean of factor analysis: (I + ΛᵀΨ⁻¹Λ)⁻¹ ΛᵀΨ⁻¹ (x − Bb)."""
    each = [one for one in model.indicators if one.name in values]
    loadings = np.array([one.loading for one in each])
    precision = np.array([one.spread**-2 for one in each])
    left = np.column_stack([values[one.name] - designs[one.name] @ one.coef for one in each])
    inner = np.eye(loadings.shape[1]) + loadings.T @ (precision[:, None] * loadings)
    return (left * precision) @ loadings @ np.linalg.inv(inner)


def test_one_normal_latent_is_factor_analysis() -> None:
    loadings, spreads = np.array([[0.8], [1.2], [0.6], [1.0]]), np.array([0.6, 0.5, 0.8, 0.7])
    k, values, designs = gaussian_world(3000, loadings=loadings, spreads=spreads)
    model = one_latent(values, designs)
    np.testing.assert_allclose([one.loading[0] for one in model.indicators], loadings[:, 0], atol=0.08)
    np.testing.assert_allclose([one.spread for one in model.indicators], spreads, atol=0.05)
    np.testing.assert_allclose([one.coef[1] for one in model.indicators], [-1, 0, 1, 2], atol=0.15)
    mean = model.posterior(values, designs)
    is_closed_form(model, values, designs)
    assert np.corrcoef(mean[:, 0], k[:, 0])[0, 1] > 0.9
    # The likelihood is that of the normal distribution that the model implies.
    found = np.array([one.loading for one in model.indicators])
    cov = found @ found.T + np.diag([one.spread**2 for one in model.indicators])
    left = np.column_stack([values[one.name] - designs[one.name] @ one.coef for one in model.indicators])
    _, logdet = np.linalg.slogdet(cov)
    direct = -0.5 * (
        np.einsum("ni,ij,nj->n", left, np.linalg.inv(cov), left) + logdet + 4 * np.log(2 * np.pi)
    )
    assert model.log_likelihood_ == pytest.approx(direct.mean(), abs=1e-8)
    # It is a maximum: nothing nearby is more likely.
    for one in model.indicators:
        for step in (-0.02, 0.02):
            one.loading[0] += step
            moved = sum(block.log_likelihood for block in model._blocks(values, designs)) / len(k)
            one.loading[0] -= step
            assert moved < model.log_likelihood_


def test_two_latents() -> None:
    loadings = np.array([[1.0, 0], [0.8, 0], [0.9, 0], [0, 1.0], [0, 0.7], [0, 0.9]])
    _, values, designs = gaussian_world(400, loadings=loadings, spreads=np.full(6, 0.9))
    indicators = [Indicator(f"x{at}", "gaussian", (at // 3,)) for at in range(6)]
    model = LatentModel(indicators, 2).fit(values, designs)
    found = np.array([one.loading for one in model.indicators])
    assert (found[loadings == 0] == 0).all()
    np.testing.assert_allclose(found, loadings, atol=0.3)
    is_closed_form(model, values, designs)


def test_what_is_not_known_is_left_out() -> None:
    loadings, spreads = np.array([[0.8], [1.2], [0.6]]), np.array([0.6, 0.5, 0.8])
    _, values, designs = gaussian_world(500, loadings=loadings, spreads=spreads)
    model = one_latent(values, designs)
    part = {name: values[name] for name in ("x0", "x2")}
    is_closed_form(model, part, designs)


def test_counts_and_yes_no_agree_with_integration() -> None:
    rng = np.random.default_rng(1)
    n = 2500
    k = rng.normal(size=n)
    s = rng.integers(2, size=n).astype(float)
    values = {
        "count": rng.poisson(np.exp(0.5 + 0.4 * s + 0.6 * k)).astype(float),
        "yes": (rng.random(n) < 1 / (1 + np.exp(0.3 - s - 1.2 * k))).astype(float),
        "size": 1 + s + 0.9 * k + 0.5 * rng.normal(size=n),
    }
    designs = dict.fromkeys(values, np.column_stack([np.ones(n), s]))
    families = {"count": "poisson", "yes": "bernoulli", "size": "gaussian"}
    model = one_latent(values, designs, families)
    count, yes, size = model.indicators
    assert count.loading[0] == pytest.approx(0.6, abs=0.1)
    assert yes.loading[0] == pytest.approx(1.2, abs=0.3)
    assert size.loading[0] == pytest.approx(0.9, abs=0.1)
    means = model.posterior(values, designs)[:, 0]
    for row in range(3):
        z = designs["yes"][row]

        def density(u: float, row: int = row, z: np.ndarray = z) -> float:
            return float(
                norm.pdf(u)
                * poisson.pmf(values["count"][row], np.exp(z @ count.coef + count.loading[0] * u))
                * bernoulli.pmf(values["yes"][row], 1 / (1 + np.exp(-(z @ yes.coef) - yes.loading[0] * u)))
                * norm.pdf(values["size"][row], z @ size.coef + size.loading[0] * u, size.spread)
            )

        whole = quad(density, -8, 8, epsabs=1e-13)[0]
        mean = quad(lambda u, f=density: u * f(u), -8, 8, epsabs=1e-13)[0] / whole
        assert means[row] == pytest.approx(mean, abs=1e-5)


def test_the_grid_is_refined_where_the_posterior_is_narrow() -> None:
    loadings, spreads = np.full((4, 1), 1.0), np.full(4, 0.25)
    _, values, designs = gaussian_world(300, loadings=loadings, spreads=spreads)
    model = one_latent(values, designs)
    assert model.n_points_ == 225
    is_closed_form(model, values, designs)


def test_says_when_one_effect_is_all_there_is_to_a_latent() -> None:
    rng = np.random.default_rng(0)
    values = {name: rng.normal(size=400) for name in "abc"}
    values["a"] = values["a"] + 0.0
    values["b"] = values["a"].copy()
    designs = dict.fromkeys(values, np.ones((400, 1)))
    with pytest.warns(FairwitnessWarning, match="all but equals the latent"):
        one_latent(values, designs)


def test_the_sign_is_settled_and_nothing_is_drawn() -> None:
    loadings, spreads = np.array([[-0.8], [1.2], [0.6]]), np.array([0.6, 0.5, 0.8])
    _, values, designs = gaussian_world(300, loadings=loadings, spreads=spreads)
    models = [one_latent(values, designs) for _ in range(2)]
    assert models[0].indicators[0].loading[0] > 0
    assert models[0].indicators[1].loading[0] < 0
    np.testing.assert_array_equal(models[0].posterior(values, designs), models[1].posterior(values, designs))


def test_too_many_latents_are_refused() -> None:
    with pytest.raises(ConfigError, match="at most 3"):
        LatentModel([], 4)
