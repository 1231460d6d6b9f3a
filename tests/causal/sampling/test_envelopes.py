from __future__ import annotations

import itertools

import numpy as np
import pytest

from fairwitness.causal.sampling.envelopes import ONE, ZERO, Envelopes, number


def shares(to, ends):
    """Chances with these limits, and the columns' values where each chance has a value."""
    chances = [to.chance(low, high, name) for name, (low, high) in enumerate(ends)]

    def placed(values):
        x = np.zeros(len(to.upper))
        for chance, value in zip(chances, values, strict=True):
            for column in chance.terms:
                x[column] = (value - chance.low) / chance.width
        return x

    return chances, placed


def true_remainders(to, x):
    """Fill the remainder columns in, in the order in which they were made."""
    for product in to.products:
        parts = [(each.at(x) - each.low) / each.width for each in (product.first, product.second)]
        x[product.column] = parts[0] * parts[1]
    return x


def holds(polytope, x):
    rows = polytope.matrix @ x
    return bool((rows >= polytope.low - 1e-9).all() and (rows <= polytope.high + 1e-9).all())


@pytest.mark.parametrize("seed", range(3))
def test_what_is_true_is_never_cut_off(seed):
    rng = np.random.default_rng(seed)
    ends = [tuple(sorted(rng.random(2))) for _ in range(4)]
    to = Envelopes()
    (a, b, c, d), placed = shares(to, ends)
    gap = to.total([(1.0, b), (-1.0, c)])
    first = to.product(a, gap)
    second = to.mix([d], [first, b])
    nested = to.product(second, to.product(a, c))
    to.limit(to.product(a, b), 0.0, 1.0)
    polytope = to.polytope()
    for values in [*itertools.product(*ends), *(rng.uniform(*np.transpose(ends)) for _ in range(50))]:
        x = true_remainders(to, placed(values))
        va, vb, vc, vd = values
        assert holds(polytope, x)
        assert first.at(x) == pytest.approx(va * (vb - vc))
        assert second.at(x) == pytest.approx(vd * va * (vb - vc) + (1 - vd) * vb)
        assert nested.at(x) == pytest.approx(second.at(x) * va * vc)
        for each in (gap, first, second, nested):
            assert each.low - 1e-12 <= each.at(x) <= each.high + 1e-12
        assert all(product.miss(x) < 1e-12 for product in to.products)


def test_products_with_numbers_need_no_column():
    to = Envelopes()
    chance = to.chance(0.2, 0.6, "p")
    before = len(to.upper)
    assert to.product(chance, ONE) is chance
    half = to.product(number(0.5), chance)
    assert (half.low, half.high, half.terms[0]) == (0.1, 0.3, pytest.approx(0.2))
    assert to.product(ZERO, chance).terms == {}
    assert to.product(chance, to.chance(0.7, 0.7, "q")).high == pytest.approx(0.42)
    assert len(to.upper) == before
    assert not to.products


def test_halving_what_is_wide_makes_the_planes_meet():
    def most(narrowed):
        to = Envelopes(narrowed)
        a, b = to.chance(0.0, 1.0, "a"), to.chance(0.0, 1.0, "b")
        found = to.product(a, b)
        to.limit(to.total([(1.0, a), (1.0, b)]), 1.0, 1.0)  # b = 1 − a: the product is 1/4 at most
        return to.polytope().optimize(found.cost(len(to.upper)), "max").value + found.constant

    assert most({}) == pytest.approx(0.5)
    halves = [(0, 0.5), (0.5, 1)]
    assert most({"a": halves[0]}) == pytest.approx(1 / 3)
    assert max(most({"a": one, "b": other}) for one, other in (halves, halves[::-1])) == pytest.approx(0.25)


def test_limits_that_contradict_leave_nothing():
    to = Envelopes({"a": (0.7, 0.8)})
    to.chance(0.1, 0.5, "a")
    assert to.empty


def test_mix_is_the_mean_over_levels():
    to = Envelopes()
    (first, second), placed = shares(to, [(0.1, 0.4), (0.3, 0.9)])
    mean = to.mix([first, second], [number(1.0), number(0.5), number(0.0)])
    x = true_remainders(to, placed([0.3, 0.5]))
    assert mean.at(x) == pytest.approx(0.3 * 1 + 0.7 * 0.5 * 0.5)
    assert mean.low >= 0.1
    assert mean.high <= 1.0
    assert to.mix([], [first]) is first
