"""A table and its networks: trained, measured, kept at the best epoch, and asked for rows."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from fairwitness.canonical.gan import networks, readers
from fairwitness.canonical.gan.checkpoints import Checkpoint, Examiner
from fairwitness.canonical.gan.codec import Codec
from fairwitness.canonical.gan.conditions import Scores
from fairwitness.canonical.gan.detail import Detail
from fairwitness.canonical.gan.networks import Net
from fairwitness.canonical.gan.settings import Settings
from fairwitness.canonical.gan.training import Game, make, one_hot, quick
from fairwitness.canonical.rows import Rows
from fairwitness.errors import ModelError
from fairwitness.progress import meter
from fairwitness.rng import child, child_seed
from fairwitness.typing import BoolArray, FloatArray, IntArray

#: Share of the rows that is held out to choose the epoch by, and how many at most.
HELD = 0.1
MOST_HELD = 3000
#: Tables with fewer rows than this hold none out.
ENOUGH = 200
#: Measurements over the whole of the training.
CHECKS = 12
#: The first of them comes after this share of it: before, the generator is never the best.
FIRST_CHECK = 0.25
#: Rows with nearby scores on each side, of which one gives the level that is told.
NEARBY = 10
#: How much a candidate's score has to be right: weight of its Kullback-Leibler distance from the request.
SHARPNESS = 50.0
#: Passes over the rows of the readers of the score, and of real and made rows.
SCORE_PASSES = 30
RATIO_PASSES = 16
#: Made rows for every real one, and units a layer, of the reader that tells them apart.
MADE_A_ROW, RATIO_WIDTH = 3, 192


@dataclass(frozen=True, slots=True, eq=False)
class Fitted:
    """The networks.

    Attributes
    ----------
    generator
        Its weights at the chosen epoch.
    surrogate
        Reader of a row's score, or ``None``.
    ratio
        Reader of how much rather a row is real than made, or ``None``.
    history, chosen
        The measurements, and the epoch chosen by them.
    notes
        What happened, one sentence each.
    """

    generator: Net
    surrogate: Net | None
    ratio: Net | None
    history: tuple[Checkpoint, ...]
    chosen: int
    notes: tuple[str, ...]


class Work:
    """A table as its networks see it.

    Parameters
    ----------
    torch, device
        The module, and where the numbers live.
    settings, rows, codec, told
        Settings, the table, its columns, and what the networks are told of scores.
    seed
        Seed of the engine.
    """

    def __init__(
        self,
        torch: Any,
        device: Any,
        settings: Settings,
        rows: Rows,
        codec: Codec,
        told: Scores,
        seed: int,
    ) -> None:
        self.torch, self.device, self.settings = torch, device, settings
        self.rows, self.codec, self.told = rows, codec, told
        self.codes, self.scalars = codec.encode(rows, child(seed, "encode"))
        self.detail = Detail(torch, device, rows, codec)

    def tensor(self, codes: IntArray, scalars: FloatArray) -> Any:
        """Give rows as the readers see them."""
        return self.detail(one_hot(self.torch, self.codec, codes, scalars, self.device))

    def asked(
        self, requested: FloatArray, able: IntArray, rng: np.random.Generator
    ) -> tuple[IntArray, BoolArray]:
        """Choose what is told beside the score: (n, d) codes, and which of them are shown."""
        scores = self.rows.scores[able]
        shown = np.zeros((len(requested), len(self.codec.sizes)), dtype=np.bool_)
        if self.settings.condition == "empirical":
            place = rng.integers(0, len(able), len(requested))
        else:
            low, high = (np.searchsorted(scores, requested, side=side) for side in ("left", "right"))
            place = low + (rng.random(len(requested)) * (high - low)).astype(np.int64)
            place += rng.integers(-NEARBY, NEARBY + 1, len(requested))
        codes = self.codes[able[np.clip(place, 0, len(able) - 1)]]
        if self.settings.condition != "zero" and self.codec.fixable:
            column = rng.choice(np.array(self.codec.fixable), len(requested))
            shown[np.arange(len(requested)), column] = True
        return codes, shown

    def made(
        self,
        net: Net,
        requested: FloatArray,
        codes: IntArray,
        shown: BoolArray,
        fixed: Mapping[int, FloatArray],
        rng: np.random.Generator,
    ) -> tuple[FloatArray, IntArray]:
        """Make rows: an (n, d) matrix, fixed columns put in, and the codes of its blocks."""
        given = codes
        codes, scalars = make(
            self.torch, net, self.codec, codes, shown, self.told(requested), quick(rng), self.device
        )
        matrix = self.codec.decode(self.rows, codes, scalars, rng)
        for column, values in fixed.items():
            matrix[:, column] = values
            codes[:, column] = given[:, column]
        return matrix, codes

    def draw(
        self,
        nets: Fitted,
        requested: FloatArray,
        fixed: Mapping[int, FloatArray],
        able: IntArray,
        rng: np.random.Generator,
    ) -> FloatArray:
        """Give an (n, d) matrix of rows for (n,) requested scores.

        Parameters
        ----------
        fixed
            Column → (n,) values that the rows have to have.
        able
            Real rows that have the fixed columns.
        """
        several = self.settings.candidates if nets.ratio is not None or nets.surrogate is not None else 1
        asked = np.repeat(requested, several)
        able = able[np.argsort(self.rows.scores[able], kind="stable")]
        codes, shown = self.asked(asked, able, rng)
        repeated = {column: np.repeat(values, several) for column, values in fixed.items()}
        if fixed:
            shown[:] = False
        for column, values in repeated.items():
            codes[:, column] = self.codec.given(self.rows, column, values, rng)
            shown[:, column] = column in self.codec.fixable
        matrix, codes = self.made(nets.generator, asked, codes, shown, repeated, rng)
        if several == 1:
            return matrix
        weight = self._weights(nets, matrix, codes, asked).reshape(-1, several)
        # the largest of the logs with Gumbel noise is a draw by the weights
        best = (weight + rng.gumbel(size=weight.shape)).argmax(axis=1)
        return np.asfortranarray(matrix[np.arange(len(requested)) * several + best])

    def _weights(self, nets: Fitted, matrix: FloatArray, codes: IntArray, asked: FloatArray) -> FloatArray:
        """Give the (n,) logarithms of how much a candidate is to be taken."""
        torch = self.torch
        rows = self.tensor(codes, self.codec.settled(matrix, codes))
        out = np.zeros(len(matrix))
        if nets.ratio is not None:
            told = torch.from_numpy(self.told(asked).astype(np.float32)).to(self.device)
            out += readers.logits(torch, nets.ratio, torch.cat([rows, told], 1))
        if nets.surrogate is not None:
            read = readers.logits(torch, nets.surrogate, rows)
            target = np.clip(asked, 0.001, 0.999)
            least = target * np.log(target) + (1 - target) * np.log1p(-target)
            out -= SHARPNESS * (np.logaddexp(0, read) - target * read + least)
        return out

    def check(self, nets: Fitted) -> None:
        """Refuse networks from a file that do not fit the table.

        Raises
        ------
        ValueError
            If one does not.
        """
        conditions = self.codec.blocks + self.told.width
        torch = self.torch
        chance = torch.Generator().manual_seed(0)
        wanted = [
            (
                nets.generator,
                networks.generator(torch, networks.NOISE + conditions, self.codec.width, chance),
            ),
            (nets.surrogate, networks.reader(torch, self.detail.width, chance)),
            (nets.ratio, networks.reader(torch, self.detail.width + self.told.width, chance, RATIO_WIDTH)),
        ]
        if nets.generator is None:
            raise ValueError("there is no generator")
        for net, like in wanted:
            if net is not None and {k: v.shape for k, v in net.items()} != {
                k: v.shape for k, v in like.items()
            }:
                raise ValueError("a network does not fit the columns")


def fit(work: Work, seed: int, rng: np.random.Generator, start: float) -> Fitted:
    """Train the networks, and keep the generator of the epoch that measured best.

    Parameters
    ----------
    seed
        Seed of the rows held out and of the measurements.
    rng
        Source of chance of the training.
    start
        When the work began, for the time budget.

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
        return work.made(game.current, requested, codes, shown, {}, drawn)[0]

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
            if late:
                notes.append(f"The time budget ended the training after {epoch:,} of {plan.epochs:,} epochs.")
                break
    if best is None:
        raise ModelError(
            "the training gave no numbers",
            got="weights that are not finite",
            fix="pass a smaller learning_rate",
        )
    ratio = None
    if settings.candidates > 1:
        ratio = _ratio(work, best[1], train, able, real, rng)
    return Fitted(best[1], surrogate, ratio, tuple(history), chosen, tuple(notes))


def _ratio(work: Work, net: Net, train: IntArray, able: IntArray, real: Any, rng: np.random.Generator) -> Net:
    """Learn to tell real rows from made ones of the same scores: several made ones for every real one."""
    torch = work.torch
    scores = work.rows.scores[train]
    asked = np.tile(scores, MADE_A_ROW)
    codes, shown = work.asked(asked, able, rng)
    matrix, codes = work.made(net, asked, codes, shown, {}, rng)
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
