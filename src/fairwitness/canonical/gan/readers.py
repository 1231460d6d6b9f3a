"""Small networks beside the generator: one reads the score of a row, one tells real rows from made ones."""

from __future__ import annotations

from typing import Any

import numpy as np

from fairwitness.canonical.gan import networks
from fairwitness.canonical.gan.networks import Net
from fairwitness.typing import FloatArray

#: Share of the rows by which the number of passes is chosen.
HELD = 0.1
BATCH = 512


def learn(
    torch: Any,
    given: Any,
    target: Any,
    rng: np.random.Generator,
    *,
    passes: int,
    rate: float = 2e-3,
    dropout: float = 0.0,
    decay: float = 1e-5,
    width: int = 128,
    weight: Any = None,
) -> tuple[Net, float]:
    """Train a reader of a probability, and keep its weights of the pass that did best on rows held out.

    Parameters
    ----------
    given
        (n, w) tensor.
    target
        (n,) tensor of probabilities.
    passes
        Passes over the rows; the learning rate falls to zero over them.
    weight
        (n,) tensor of how much each row counts; ``None``: all the same.

    Returns
    -------
    net, loss
        The loss (cross-entropy) on the rows held out.
    """
    device = given.device
    chance = torch.Generator().manual_seed(int(rng.integers(2**62)))
    drawn = networks.reader(torch, given.shape[1], chance, width)
    net: Net = {name: tensor.to(device) for name, tensor in drawn.items()}
    optimiser = networks.Adam(torch, list(net.values()), rate, decay=decay, memory=(0.9, 0.999))
    order = rng.permutation(len(given))
    cut = min(int(HELD * len(given)), 2000)
    held, rest = torch.from_numpy(order[:cut]).to(device), order[cut:]
    batch = min(BATCH, len(rest))
    steps = max(len(rest) // batch, 1)
    best, least = networks.frozen(net), float("inf")
    for turn in range(passes):
        shuffled = rng.permutation(rest)
        for at in range(steps):
            optimiser.rate = rate * (1 - (turn * steps + at) / (passes * steps))
            index = torch.from_numpy(shuffled[at * batch : (at + 1) * batch]).to(device)
            read = networks.read(torch, net, given[index], dropout, rng)
            loss = _loss(torch, read, target[index], None if weight is None else weight[index])
            optimiser.step(loss)
        with torch.no_grad():
            held_out = held if cut else index
            read = networks.read(torch, net, given[held_out])
            now = float(_loss(torch, read, target[held_out], None if weight is None else weight[held_out]))
        if now < least:
            best, least = networks.frozen(net), now
    return best, least


def logits(torch: Any, net: Net, given: Any) -> FloatArray:
    """Give the (n,) logits that a reader reads."""
    with torch.no_grad():
        return np.asarray(networks.read(torch, net, given).cpu().numpy(), dtype=np.float64)


def _loss(torch: Any, read: Any, target: Any, weight: Any) -> Any:
    return torch.nn.functional.binary_cross_entropy_with_logits(read, target, weight)
