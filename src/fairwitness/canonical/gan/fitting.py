"""The training as a whole: what is held out, what is measured, and the networks of the epoch that is kept."""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial
from typing import Any, TypeAlias

import numpy as np

from fairwitness.canonical.gan import networks, readers
from fairwitness.canonical.gan.checkpoints import Checkpoint, Examiner
from fairwitness.canonical.gan.networks import Net
from fairwitness.canonical.gan.training import Game
from fairwitness.canonical.gan.work import RATIO_WIDTH, Fitted, Work
from fairwitness.errors import ModelError
from fairwitness.progress import meter
from fairwitness.rng import child, child_seed
from fairwitness.typing import FloatArray, IntArray

#: Share of the rows that is held out to choose the epoch by, and how many at most.
HELD = 0.1
MOST_HELD = 3000
#: Tables with fewer rows than this hold none out.
ENOUGH = 200
#: Measurements over the whole of the training.
CHECKS = 12
#: The first of them comes after this share of it: before, the generator is never the best.
FIRST_CHECK = 0.25
#: Passes over the rows of the readers of the score, and of real and made rows.
SCORE_PASSES = 30
RATIO_PASSES = 16
#: Made rows for every real one that the latter learns from, and real ones at most.
MADE_A_ROW = 3
MOST_RATIO = 15_000
#: Told every epoch and a way to have the networks as they are after it; for those who study the training.
Watch: TypeAlias = Callable[[int, Callable[[], Fitted]], None]


def fit(work: Work, seed: int, rng: np.random.Generator, start: float, watch: Watch | None = None) -> Fitted:
    """Train the networks, and keep the generator of the epoch that measured best.

    Parameters
    ----------
    seed
        Seed of the rows held out and of the measurements.
    rng
        Source of chance of the training.
    start
        When the work began, for the time budget.
    watch
        Called after every epoch. Whatever it does, the training is the same.

    Raises
    ------
    ModelError
        If no epoch gave numbers.
    """
    torch, rows, settings = work.torch, work.rows, work.settings
    plan = settings.plan
    order = child(seed, "held").permutation(len(rows))
    cut = min(int(HELD * len(rows)), MOST_HELD) if len(rows) >= ENOUGH else 0
    train, held = np.sort(order[cut:]), np.sort(order[:cut])
    examiner = Examiner(rows, train, held if cut else train, child_seed(seed, "examiner"))
    scores = rows.scores[train]
    real = work.tensor(work.codes[train], work.scalars[train])
    target = torch.from_numpy(scores.astype(np.float32)).to(work.device)
    guide = surrogate = None
    if plan.guidance:
        # without ramps: their slopes are so steep that the generator would follow nothing else
        plain = real[:, : work.codec.width]
        guide, _ = readers.learn(torch, plain, target, rng, passes=SCORE_PASSES)
    if settings.candidates > 1:
        surrogate, _ = readers.learn(torch, real, target, rng, passes=SCORE_PASSES)
    game = Game(
        torch,
        work.device,
        plan,
        work.codec,
        work.codes[train],
        work.scalars[train],
        work.told(scores),
        guide,
        scores,
        rng,
    )
    history: list[Checkpoint] = []
    best: tuple[float, Net] | None = None
    notes: list[str] = []
    able = train[np.argsort(rows.scores[train], kind="stable")]

    def ask(requested: FloatArray) -> FloatArray:
        drawn = child(seed, "measured")
        codes, shown = work.asked(requested, able, drawn)
        return work.made(game.current, requested, codes, shown, drawn)[0]

    def finished(net: Net, epoch: int) -> Fitted:
        ratio = None
        if settings.candidates > 1:
            ratio = _ratio(work, net, train, able, real, child(seed, "ratio"))
        return Fitted(net, surrogate, ratio, tuple(history), epoch, tuple(notes))

    due = _due(plan.epochs)
    with meter("LUCID-GAN", plan.epochs) as tell:
        for epoch in range(1, plan.epochs + 1):
            game.epoch()
            late = settings.budget is not None and time.monotonic() - start > settings.budget
            if epoch in due or late:
                found = examiner.measure(epoch, ask)
                history.append(found)
                tell(found.words)
                # the published method has no choice of epochs: it takes the last
                if np.isfinite(found.loss) and (best is None or settings.published or found.loss < best[0]):
                    best, chosen = (found.loss, networks.frozen(game.current)), epoch
            else:
                tell("")
            if watch is not None:
                watch(epoch, partial(finished, networks.frozen(game.current), epoch))
            if late:
                notes.append(f"The time budget ended the training after {epoch:,} of {plan.epochs:,} epochs.")
                break
    if best is None:
        raise ModelError(
            "the training gave no numbers",
            got="weights that are not finite",
            fix="pass a smaller learning_rate",
        )
    return finished(best[1], chosen)


def _ratio(work: Work, net: Net, train: IntArray, able: IntArray, real: Any, rng: np.random.Generator) -> Net:
    """Learn to tell real rows from made ones of the same scores: several made ones for every real one."""
    torch = work.torch
    if len(train) > MOST_RATIO:
        some = np.sort(rng.permutation(len(train))[:MOST_RATIO])
        train, real = train[some], real[torch.from_numpy(some).to(work.device)]
    scores = work.rows.scores[train]
    asked = np.tile(scores, MADE_A_ROW)
    codes, shown = work.asked(asked, able, rng)
    matrix, codes = work.made(net, asked, codes, shown, rng)
    made = work.tensor(codes, work.codec.settled(matrix, codes))
    told = torch.from_numpy(work.told(scores).astype(np.float32)).to(work.device)
    given = torch.cat([torch.cat([real, told], 1), torch.cat([made, told.repeat(MADE_A_ROW, 1)], 1)])
    label = torch.cat([torch.ones(len(real)), torch.zeros(len(made))]).to(work.device)
    weight = torch.cat([torch.full((len(real),), float(MADE_A_ROW)), torch.ones(len(made))]).to(work.device)
    return readers.learn(
        torch, given, label, rng, weight=weight, passes=RATIO_PASSES, dropout=0.2, width=RATIO_WIDTH
    )[0]


def _due(epochs: int) -> frozenset[int]:
    """Give the epochs after which the generator is measured, the last one among them."""
    first = max(round(FIRST_CHECK * epochs), 1)
    return frozenset(np.linspace(first, epochs, min(CHECKS, epochs - first + 1)).round().astype(int).tolist())
