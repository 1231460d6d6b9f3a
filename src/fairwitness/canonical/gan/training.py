"""The game of generator and critic, one epoch at a time."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from fairwitness.canonical.gan import networks
from fairwitness.canonical.gan.codec import Codec
from fairwitness.canonical.gan.conditions import SEVERAL, Batches
from fairwitness.canonical.gan.networks import NOISE, Net
from fairwitness.typing import BoolArray, FloatArray, IntArray

#: Weight of the penalty on the critic's gradient.
PENALTY = 10.0
#: How long Adam remembers slopes and their squares.
MEMORY = (0.5, 0.9)


@dataclass(frozen=True, slots=True)
class Plan:
    """How to train; see :class:`fairwitness.canonical.LucidGAN` for the words.

    Attributes
    ----------
    epochs, batch, pac, rate
        As there.
    final
        Share of the learning rate that is left at the end.
    average
        Weight of the past in the running mean of the generator's weights; 0: no mean.
    dropout
        Of the critic.
    guidance
        Weight of the surrogate's loss.
    whole
        Whether the penalty counts the gradient by the conditions too.
    decay
        Weight decay of the generator.
    even
        Share of the rows of a batch that are drawn as the rows are, whatever their levels.
    thin
        One in so many packs of a batch is used for the penalty on the critic's gradient.
    """

    epochs: int
    batch: int
    pac: int
    rate: float
    final: float
    average: float
    dropout: float
    guidance: float
    whole: bool
    decay: float = 1e-6
    even: float = 0.0
    thin: int = 1


class Game:
    """Generator and critic on one table.

    Parameters
    ----------
    torch, device
        The module, and where the numbers live.
    plan, codec
        How to train, and what the columns are.
    codes, scalars
        (n, d) and (n, m) the rows.
    told
        (n, w) what the networks are told of every row's score.
    surrogate
        Reader of the score's logit, or ``None``.
    target
        (n,) scores.
    rng
        Source of chance.
    """

    def __init__(
        self,
        torch: Any,
        device: Any,
        plan: Plan,
        codec: Codec,
        codes: IntArray,
        scalars: FloatArray,
        told: FloatArray,
        surrogate: Net | None,
        target: FloatArray,
        rng: np.random.Generator,
    ) -> None:
        self.torch, self.device, self.plan, self.codec = torch, device, plan, codec
        self.rng = rng
        chance = torch.Generator().manual_seed(int(rng.integers(2**62)))
        self.chance = quick(rng)
        self.batches = Batches(codes, codec, several=0.0 if plan.whole else SEVERAL, even=plan.even)
        self.rows = one_hot(torch, codec, codes, scalars, device)
        self.told = torch.from_numpy(told.astype(np.float32)).to(device)
        self.target = torch.from_numpy(target.astype(np.float32)).to(device)
        self.surrogate = surrogate
        self._owner = np.repeat(np.arange(len(codec.sizes)), codec.sizes)
        conditions = codec.blocks + told.shape[1]
        made = networks.generator(torch, NOISE + conditions, codec.width, chance)
        self.generator: Net = {name: tensor.to(device) for name, tensor in made.items()}
        drawn = networks.critic(torch, plan.pac * (codec.width + conditions), chance)
        self.critic: Net = {name: tensor.to(device) for name, tensor in drawn.items()}
        self.averaged = networks.frozen(self.generator)
        self._of_generator = networks.Adam(
            torch, networks.learnt(self.generator), plan.rate, decay=plan.decay, memory=MEMORY
        )
        self._of_critic = networks.Adam(
            torch, list(self.critic.values()), plan.rate, decay=0.0, memory=MEMORY
        )
        self.steps_an_epoch = max(len(codes) // plan.batch, 1)
        self.step_count = 0

    @property
    def current(self) -> Net:
        """The generator to use: the running mean of the weights where there is one."""
        return self.averaged if self.plan.average else self.generator

    def epoch(self) -> float:
        """Train one epoch; give the generator's mean distance from the surrogate's score (NaN without)."""
        apart = []
        for _ in range(self.steps_an_epoch):
            self._pace()
            apart.append(self._step())
            self._mean()
            self.step_count += 1
        return float(np.mean(apart))

    def _pace(self) -> None:
        done = self.step_count / max(self.plan.epochs * self.steps_an_epoch, 1)
        rate = self.plan.rate * (1 - (1 - self.plan.final) * min(done, 1.0))
        self._of_generator.rate = self._of_critic.rate = rate

    def _ask(self) -> tuple[Any, Any, Any]:
        """Draw a batch: real rows, the conditions that go with them, and their scores."""
        at, fixed = self.batches.draw(self.plan.batch, self.rng)
        index = self.torch.from_numpy(at).to(self.device)
        real = self.rows[index]
        mask = self.torch.from_numpy(fixed[:, self._owner].astype(np.float32)).to(self.device)
        shown = real[:, len(self.codec.modes) :] * mask
        return real, self.torch.cat([shown, self.told[index]], 1), index

    def _make(self, conditions: Any) -> tuple[Any, Any]:
        noise = normal(self.torch, (len(conditions), NOISE), self.chance).to(self.device)
        raw = networks.generate(
            self.torch, self.generator, self.torch.cat([noise, conditions], 1), training=True
        )
        return networks.heads(self.torch, raw, self.codec.sizes, self.chance)

    def _packed(self, rows: Any) -> Any:
        return rows.reshape(len(rows) // self.plan.pac, -1)

    def _train_critic(self, real: Any, fake: Any, conditions: Any) -> None:
        torch, plan = self.torch, self.plan
        n = len(real)
        few = -(-n // plan.thin)
        both = networks.meet(torch, self.critic, torch.cat([real, fake]), conditions)
        mix = torch.from_numpy(self.chance.random((few, 1), dtype=np.float32)).to(self.device)
        between = both[n : n + few] + mix * (both[:few] - both[n : n + few])
        out, slopes = networks.judge(
            torch, self.critic, torch.cat([both, between]), plan.dropout, self.chance
        )
        of_rows = real.shape[1] + conditions.shape[1] if plan.whole else real.shape[1]
        norm = networks.steepness(torch, self.critic, [each[2 * n :] for each in slopes], of_rows)
        loss = out[n : 2 * n].mean() - out[:n].mean() + PENALTY * ((norm - 1) ** 2).mean()
        self._of_critic.step(loss)

    def _step(self) -> float:
        """Train the critic and then the generator, on the same rows that the generator made."""
        torch, plan = self.torch, self.plan
        real, conditions, index = self._ask()
        fake, logs = self._make(conditions)
        packed = self._packed(conditions)
        self._train_critic(self._packed(real), self._packed(fake.detach()), packed)
        still = {name: tensor.detach() for name, tensor in self.critic.items()}
        met = networks.meet(torch, still, self._packed(fake), packed)
        out, _ = networks.judge(torch, still, met, plan.dropout, self.chance)
        shown = conditions[:, : self.codec.blocks]
        loss = -out.mean() - (shown * logs).sum() / shown.sum().clamp(min=1)
        apart = float("nan")
        if self.surrogate is not None:
            read = networks.read(torch, self.surrogate, fake)
            target = self.target[index]
            loss = loss + plan.guidance * kept_apart(torch, read, target)
            apart = float((torch.sigmoid(read.detach()) - target).abs().mean())
        self._of_generator.step(loss)
        return apart

    def _mean(self) -> None:
        if not self.plan.average:
            return
        # early on the mean follows closely, or it would hold the first random weights for long
        weight = min(self.plan.average, (1 + self.step_count) / (10 + self.step_count))
        with self.torch.no_grad():
            for name, tensor in self.averaged.items():
                tensor.lerp_(self.generator[name], 1 - weight)


def quick(rng: np.random.Generator) -> np.random.Generator:
    """Give a quick generator for the many numbers that training draws.

    NumPy draws them, not torch: on one core three times as fast, and the same numbers for every device.
    """
    return np.random.Generator(np.random.SFC64(rng.integers(0, 2**32, 4)))


def normal(torch: Any, shape: tuple[int, int], chance: np.random.Generator) -> Any:
    """Draw normal numbers as a tensor."""
    return torch.from_numpy(chance.standard_normal(shape, dtype=np.float32))


def kept_apart(torch: Any, read: Any, target: Any) -> Any:
    """Give how far read logits are from target scores: Kullback-Leibler, which is 0 where they agree."""
    target = target.clamp(0.001, 0.999)
    least = -(target * target.log() + (1 - target) * (1 - target).log())
    cross = torch.nn.functional.binary_cross_entropy_with_logits(read, target, reduction="none")
    return (cross - least).mean()


def one_hot(torch: Any, codec: Codec, codes: IntArray, scalars: FloatArray, device: Any) -> Any:
    """Give rows as an (n, width) tensor."""
    out = np.zeros((len(codes), codec.width), dtype=np.float32)
    out[:, : scalars.shape[1]] = scalars
    slots = scalars.shape[1] + np.array(codec.starts, dtype=np.int64) + codes
    out[np.arange(len(codes))[:, None], slots] = 1.0
    return torch.from_numpy(out).to(device)


def make(
    torch: Any,
    net: Net,
    codec: Codec,
    codes: IntArray,
    fixed: BoolArray,
    told: FloatArray,
    chance: np.random.Generator,
    device: Any,
    chunk: int = 8192,
) -> tuple[IntArray, FloatArray]:
    """Make rows, in evaluation mode.

    Parameters
    ----------
    codes, fixed
        (n, d) codes, of which those that ``fixed`` marks are shown to the generator.
    told
        (n, w) what it is told of the score.
    chance
        Source of noise.

    Returns
    -------
    (n, d) codes and (n, m) scalars
    """
    owner = np.repeat(np.arange(len(codec.sizes)), codec.sizes)
    m = len(codec.modes)
    out_codes = np.empty(codes.shape, dtype=np.int64)
    out_scalars = np.empty((len(codes), m))
    with torch.no_grad():
        for first in range(0, len(codes), chunk):
            part = slice(first, first + chunk)
            shown = one_hot(torch, codec, codes[part], np.zeros((len(codes[part]), m)), device)[:, m:]
            mask = torch.from_numpy(fixed[part][:, owner].astype(np.float32)).to(device)
            score = torch.from_numpy(told[part].astype(np.float32)).to(device)
            noise = normal(torch, (len(score), NOISE), chance).to(device)
            raw = networks.generate(torch, net, torch.cat([noise, shown * mask, score], 1), training=False)
            row, _ = networks.heads(torch, raw, codec.sizes, chance)
            blocks = row[:, m:].split(list(codec.sizes), 1)
            out_codes[part] = torch.stack([block.argmax(1) for block in blocks], 1).cpu().numpy()
            out_scalars[part] = row[:, :m].cpu().numpy()
    return out_codes, out_scalars
