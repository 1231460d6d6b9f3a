"""Bounds known in closed form, over arrays of distributions at once, and random distributions for them."""

from __future__ import annotations

import numpy as np

# Cholesterol and cholestyramine, P(x, y | z): z = whether the drug was prescribed, x = whether it was taken,
# y = whether cholesterol fell (Balke and Pearl 1997).
LIPID = np.array([[[0.919, 0.081], [0.0, 0.0]], [[0.315, 0.073], [0.139, 0.473]]])


def balke_pearl(p):
    """P(y₁ | do(x₁)) − P(y₁ | do(x₀)) with an instrument; p[..., z, x, y] = P(x, y | z), all binary.

    Balke and Pearl (1997), eight terms each.
    """
    q = {(y, x, z): p[..., z, x, y] for y in (0, 1) for x in (0, 1) for z in (0, 1)}
    p000, p010, p100, p110 = (q[y, x, 0] for y in (0, 1) for x in (0, 1))
    p001, p011, p101, p111 = (q[y, x, 1] for y in (0, 1) for x in (0, 1))
    lower = [
        p111 + p000 - 1,
        p110 + p001 - 1,
        p110 - p111 - p101 - p010 - p100,
        p111 - p110 - p100 - p011 - p101,
        -p011 - p101,
        -p010 - p100,
        p001 - p011 - p101 - p010 - p000,
        p000 - p010 - p100 - p011 - p001,
    ]
    upper = [
        1 - p011 - p100,
        1 - p010 - p101,
        -p010 + p011 + p001 + p110 + p000,
        -p011 + p111 + p001 + p010 + p000,
        p111 + p001,
        p110 + p000,
        -p101 + p111 + p001 + p110 + p100,
        -p100 + p110 + p000 + p111 + p101,
    ]
    return np.max(lower, axis=0), np.min(upper, axis=0)


def instrumented(rng, n, concentration=1.0):
    """n distributions P(x, y | z), shape (n, z, x, y), that a model with an instrument z can have."""
    responses = rng.dirichlet(np.full(16, concentration), size=n).reshape(
        n, 2, 2, 2, 2
    )  # x(0), x(1), y(0), y(1)
    p = np.zeros((n, 2, 2, 2))
    for r in np.ndindex(2, 2, 2, 2):  # x(z₀), x(z₁), y(x₀), y(x₁)
        for z in (0, 1):
            x = r[z]
            p[:, z, x, r[2 + x]] += responses[(slice(None), *r)]
    return p


def tian_pearl_pns(joint, moved, kept):
    """P(y₁ under do(x₁), y₀ under do(x₀)), all binary.

    `joint[..., x, y]` = P(x, y), `moved` = P(y₁ | do(x₁)), `kept` = P(y₁ | do(x₀)); Tian and Pearl (2000).
    """
    y = joint[..., 0, 1] + joint[..., 1, 1]
    agreed = joint[..., 1, 1] + joint[..., 0, 0]
    lower = np.max([0 * y, moved - kept, y - kept, moved - y], axis=0)
    upper = np.min([moved, 1 - kept, agreed, moved - kept + 1 - agreed], axis=0)
    return lower, upper


def tian_pearl_pn(joint, kept):
    """P(y₀ under do(x₀) | x₁, y₁), arguments as for `tian_pearl_pns`."""
    y = joint[..., 0, 1] + joint[..., 1, 1]
    lower = np.maximum(0, (y - kept) / joint[..., 1, 1])
    return lower, np.minimum(1, (1 - kept - joint[..., 0, 0]) / joint[..., 1, 1])


def tian_pearl_ps(joint, moved):
    """P(y₁ under do(x₁) | x₀, y₀), arguments as for `tian_pearl_pns`."""
    y = joint[..., 0, 1] + joint[..., 1, 1]
    lower = np.maximum(0, (moved - y) / joint[..., 0, 0])
    return lower, np.minimum(1, (moved - joint[..., 1, 1]) / joint[..., 0, 0])


def with_experiments(joint, moved, kept, arms=(0.5, 0.25, 0.25)):
    """P(z, x, y), an instrument: people are observed at z = 0, have x₀ at z = 1 and x₁ at z = 2."""
    p = np.zeros((*joint.shape[:-2], 3, 2, 2))
    p[..., 0, :, :] = arms[0] * joint
    p[..., 1, 0, 0], p[..., 1, 0, 1] = arms[1] * (1 - kept), arms[1] * kept
    p[..., 2, 1, 0], p[..., 2, 1, 1] = arms[2] * (1 - moved), arms[2] * moved
    return p


def observed_and_tried(rng, n, concentration=1.0):
    """n joints P(x, y), shape (n, x, y), with P(y₁ | do(x₁)) and P(y₁ | do(x₀)) that one model can have."""
    responses = rng.dirichlet(np.full(8, concentration), size=n).reshape(n, 2, 2, 2)  # x, y(0), y(1)
    joint = np.zeros((n, 2, 2))
    for x, y0, y1 in np.ndindex(2, 2, 2):
        joint[:, x, (y0, y1)[x]] += responses[:, x, y0, y1]
    return joint, responses[..., 1].sum((1, 2)), responses[:, :, 1, :].sum((1, 2))


def bow(joint, value, active, reference):
    """The total effect of x on y when they are confounded: joint[..., x, y], any number of values."""
    same, other = joint[..., value], joint.sum(-1) - joint[..., value]
    rest = 1 - joint[..., active, :].sum(-1) - joint[..., reference, :].sum(-1)
    lower = -other[..., active] - same[..., reference] - rest
    return lower, same[..., active] + other[..., reference] + rest


def frechet(kernel, value, active, reference, seen):
    """The effect on people with x = reference, y = seen without confounding; kernel[..., x, y] = P(y | x)."""
    there, here = kernel[..., active, value], kernel[..., reference, seen]
    stayed = float(value == seen)
    return np.maximum(0, there + here - 1) / here - stayed, np.minimum(1, there / here) - stayed


def natural_effects(P):
    """Direct and indirect effect of s₁ against s₀ on y₁ when nothing is confounded; P[s, w, y]."""
    w = P.sum(2) / P.sum((1, 2))[:, None]
    y = P[..., 1] / P.sum(2)
    direct = ((y[1] - y[0]) * w[0]).sum()
    indirect = (y[0] * (w[1] - w[0])).sum()
    return float(direct), float(indirect)


def with_kite(P, a, y):
    """P(z, x, w, a, y) of P(z, x, w) and what follows w: a[w] = P(a₁ | w), y[a, w] = P(y₁ | a, w)."""
    P = P[..., None, None] * np.stack([1 - a, a], -1)[:, :, None]
    return P * np.stack([1 - y.T, y.T], -1)


def kite(pns, effect, a, y):
    """The effect along x → w → a → y when w → y is not in the paths, all binary.

    `pns`: ends of P(w₁ under do(x₁), w₀ under do(x₀)); `effect` of x on w₁; `a[w]` = P(a₁ | w),
    `y[a, w]` = P(y₁ | a, w).
    """

    def outcome(through, direct):
        return (1 - a[through]) * y[0, direct] + a[through] * y[1, direct]

    gained, lost = outcome(1, 0) - outcome(0, 0), outcome(0, 1) - outcome(1, 1)
    ends = [q * (gained + lost) - lost * effect for q in pns]
    return min(ends), max(ends)
