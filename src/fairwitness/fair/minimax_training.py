"""Three networks in turns: an encoder, a head blind to the sensitive features, and one that is not.

Without noise the game has no pull. A code may be any invertible function of the rows, all such codes are
worth the same to heads that have caught up, and an encoder that moves within them changes neither loss:
measured, the gap between the heads came back as soon as they caught up, at any λ. Noise on the code makes
what is said softly hard to hear, so that the encoder can forget by degrees, and the gap stays closed.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from fairwitness.errors import FairwitnessWarning
from fairwitness.extras import import_extra
from fairwitness.fair.network import (
    Layers,
    answers,
    arrays,
    batches,
    forward,
    initial,
    softmax,
    tensors,
    torch_generator,
)
from fairwitness.rng import child
from fairwitness.table.groups import Groups
from fairwitness.typing import FloatArray

#: Predictions (probabilities, or standardised numbers) that vary less than this over the rows are a constant.
CONSTANT = 5e-3
#: λ grows from 0 over this share of the rounds: an encoder that has learnt nothing yet is invariant too.
_GROWING = 0.3
#: In this share of the rounds, the last, the code is left as it is and both heads catch up with it.
_SETTLING = 0.15


@dataclass(frozen=True, slots=True)
class Plan:
    """The settings of one training, checked; see :class:`fairwitness.fair.InvariantMinimaxClassifier`."""

    encoder: tuple[int, ...]
    head: tuple[int, ...]
    embedding: int
    invariance: float
    slope: float
    steps: tuple[int, int, int]
    n_rounds: int
    batch_size: int
    learning_rate: float
    dropout: float
    noise: float
    max_restarts: int
    n_outputs: int
    classes: bool
    autoencoder: bool


@dataclass(frozen=True, slots=True)
class Trained:
    """What is left of a training.

    Attributes
    ----------
    encoder, head
        The encoder, and the fair head (the decoder, of an autoencoder).
    gap
        Loss of the fair head less that of the aware one over all rows; NaN for an autoencoder.
    history
        Mean losses of the two heads (of the decoder) a round.
    n_restarts
        Runs that were thrown away because they had collapsed to a constant.
    """

    encoder: Layers
    head: Layers
    gap: float
    history: dict[str, FloatArray]
    n_restarts: int


def train(plan: Plan, rows: FloatArray, target: np.ndarray, groups: Sequence[Groups], seed: int) -> Trained:
    """Train until a run does not collapse to a constant, or no restart is left (then a warning says so)."""
    torch = import_extra("torch", "gan", purpose="training the invariant minimax predictors")
    for attempt in range(plan.max_restarts + 1):
        run = _Run(torch, plan, rows, target, groups, seed, attempt)
        run.autoencode() if plan.autoencoder else run.alternate()
        encoder, head = arrays(run.encoder), arrays(run.fair)
        if plan.autoencoder or not _constant(plan, encoder, head, rows):
            return Trained(encoder, head, run.gap(), run.history, attempt)
    warnings.warn(
        f"the predictions collapsed to a constant in each of {plan.max_restarts + 1} runs; try a smaller "
        "invariance or more rounds",
        FairwitnessWarning,
        stacklevel=4,
    )
    return Trained(encoder, head, run.gap(), run.history, plan.max_restarts)


def _constant(plan: Plan, encoder: Layers, head: Layers, rows: FloatArray) -> bool:
    raw = answers(head, answers(encoder, rows, activation="tanh", last=True))
    return bool((softmax(raw) if plan.classes else raw).std(axis=0).max() < CONSTANT)


class _Run:
    """One training from one seed."""

    def __init__(
        self,
        torch: Any,
        plan: Plan,
        rows: FloatArray,
        target: np.ndarray,
        groups: Sequence[Groups],
        seed: int,
        attempt: int,
    ) -> None:
        self.torch, self.plan = torch, plan
        self.rows = torch.from_numpy(rows.copy())
        self.target = torch.from_numpy(target.copy())
        self.sensitive = torch.from_numpy(_indicators(groups))
        rng = child(seed, "minimax", "weights", attempt)
        code = plan.encoder[-1]
        outputs = rows.shape[1] if plan.autoencoder else plan.n_outputs
        back = tuple(reversed(plan.encoder[:-1])) if plan.autoencoder else plan.head
        self.encoder = tensors(torch, initial(rng, (rows.shape[1], *plan.encoder)))
        self.fair = tensors(torch, initial(rng, (code, *back, outputs)))
        # The embedding is a matrix: indicators of all groups in, so that several features add theirs.
        self.embedding = tensors(torch, initial(rng, (self.sensitive.shape[1], plan.embedding)))
        self.aware = tensors(torch, initial(rng, (code + plan.embedding, *plan.head, plan.n_outputs)))
        self.stream = batches(child(seed, "minimax", "batches", attempt), len(rows), plan.batch_size)
        self.generator = torch_generator(torch, child(seed, "minimax", "dropout", attempt))
        self.history: dict[str, FloatArray] = {}
        entropy: Callable[[Any, Any], Any] = torch.nn.functional.cross_entropy
        self.loss = entropy if plan.classes else _squares

    def alternate(self) -> None:
        """Min over (encoder, fair head), max over the aware head, of L_fair + λ h(L_fair − L_aware)."""
        torch, plan = self.torch, self.plan
        aware = [*self.embedding, *self.aware]
        optimisers = [self._optimiser(part) for part in (self.encoder, self.fair, aware)]
        history = np.zeros((2, plan.n_rounds))
        for at in range(plan.n_rounds):
            settled = at >= (1 - _SETTLING) * plan.n_rounds
            strength = plan.invariance * min(1.0, (at + 1) / (_GROWING * plan.n_rounds))
            for _ in range(0 if settled else plan.steps[0]):
                fair, against = self._losses(next(self.stream))
                excess = torch.nn.functional.leaky_relu(fair - against, negative_slope=plan.slope)
                self._descend(fair + strength * excess, self.encoder, optimisers[0])
            for _ in range(plan.steps[1]):
                fair, _ = self._losses(next(self.stream), frozen=True)
                self._descend(fair, self.fair, optimisers[1])
            for _ in range(plan.steps[2]):
                _, against = self._losses(next(self.stream), frozen=True)
                self._descend(against, aware, optimisers[2])
            history[:, at] = float(fair.detach()), float(against.detach())
        self.history = {"fair": history[0], "aware": history[1]}

    def autoencode(self) -> None:
        """Train the encoder to keep what its input can be rebuilt from; nobody looks at y or the groups."""
        plan = self.plan
        both = [*self.encoder, *self.fair]
        optimiser = self._optimiser(both)
        history = np.zeros(plan.n_rounds)
        for at in range(plan.n_rounds):
            for _ in range(sum(plan.steps)):
                batch = self.torch.from_numpy(next(self.stream))
                rebuilt = forward(self.torch, self.fair, self._code(batch, training=True))
                loss = ((rebuilt - self.rows[batch]) ** 2).mean()
                self._descend(loss, both, optimiser)
            history[at] = float(loss.detach())
        self.history = {"decoder": history}

    def gap(self) -> float:
        """Give how much lower the aware head's loss is over all rows."""
        if self.plan.autoencoder:
            return float("nan")
        with self.torch.no_grad():
            fair, against = self._losses(np.arange(len(self.rows)), training=False)
        return float(fair - against)

    def _losses(self, batch: np.ndarray, *, training: bool = True, frozen: bool = False) -> tuple[Any, Any]:
        torch = self.torch
        chosen = torch.from_numpy(batch)
        with torch.set_grad_enabled(torch.is_grad_enabled() and not frozen):
            code = self._code(chosen, training=training)
        target = self.target[chosen]
        embedded = forward(torch, self.embedding, self.sensitive[chosen])
        fair = self.loss(forward(torch, self.fair, code), target)
        aware = self.loss(forward(torch, self.aware, torch.cat([code, embedded], dim=1)), target)
        return fair, aware

    def _code(self, batch: Any, *, training: bool) -> Any:
        code = forward(
            self.torch,
            self.encoder,
            self.rows[batch],
            activation="tanh",
            last=True,
            dropout=self.plan.dropout if training else 0.0,
            generator=self.generator,
        )
        if training and self.plan.noise and not self.plan.autoencoder:
            draw = self.torch.randn(code.shape, generator=self.generator, dtype=self.torch.float64)
            code = code + self.plan.noise * draw
        return code

    def _optimiser(self, parameters: Sequence[Any]) -> Any:
        return self.torch.optim.Adam(parameters, lr=self.plan.learning_rate)

    def _descend(self, loss: Any, parameters: Sequence[Any], optimiser: Any) -> None:
        for parameter, gradient in zip(parameters, self.torch.autograd.grad(loss, parameters), strict=True):
            parameter.grad = gradient
        optimiser.step()


def _squares(outputs: Any, target: Any) -> Any:
    return ((outputs[:, 0] - target) ** 2).mean()


def _indicators(groups: Sequence[Groups]) -> FloatArray:
    """(n, all groups of all features) ones and zeros."""
    return np.concatenate([np.eye(each.n_groups)[each.codes] for each in groups], axis=1)
