"""A table as its networks see it, and rows that they make of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from fairwitness.canonical.gan import networks, readers
from fairwitness.canonical.gan.checkpoints import Checkpoint
from fairwitness.canonical.gan.codec import Codec
from fairwitness.canonical.gan.conditions import Scores
from fairwitness.canonical.gan.detail import Detail
from fairwitness.canonical.gan.networks import Net
from fairwitness.canonical.gan.settings import Settings
from fairwitness.canonical.gan.training import make, one_hot, quick
from fairwitness.canonical.rows import Rows
from fairwitness.rng import child
from fairwitness.typing import BoolArray, FloatArray, IntArray

#: Rows with nearby scores on each side, of which one gives the level that is told.
NEARBY = 10
#: How much a candidate's score has to be right: weight of its Kullback-Leibler distance from the request.
SHARPNESS = 50.0
#: How much a candidate is preferred for every fixed column that the generator made of itself as it was told:
#: the rest of the row then goes with it.
FOLLOWED = 5.0
#: Units a layer of the reader that tells made rows from real ones.
RATIO_WIDTH = 192
#: Candidates that are in memory at once.
AT_ONCE = 65_536


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
        rng: np.random.Generator,
    ) -> tuple[FloatArray, IntArray]:
        """Make rows: an (n, d) matrix, and the codes of its blocks."""
        codes, scalars = make(
            self.torch, net, self.codec, codes, shown, self.told(requested), quick(rng), self.device
        )
        return self.codec.decode(self.rows, codes, scalars, rng), codes

    def unwritten(
        self,
        net: Net,
        requested: FloatArray,
        fixed: Mapping[int, FloatArray],
        able: IntArray,
        rng: np.random.Generator,
    ) -> FloatArray:
        """Give the rows that a generator makes of itself where columns are fixed, one candidate each."""
        codes, shown = self._asked(requested, fixed, able, rng)
        return self.made(net, requested, codes, shown, rng)[0]

    def _asked(
        self,
        requested: FloatArray,
        fixed: Mapping[int, FloatArray],
        able: IntArray,
        rng: np.random.Generator,
    ) -> tuple[IntArray, BoolArray]:
        """As :meth:`asked`; where columns are fixed, they are what is shown."""
        able = able[np.argsort(self.rows.scores[able], kind="stable")]
        codes, shown = self.asked(requested, able, rng)
        if fixed:
            shown[:] = False
        for column, values in fixed.items():
            codes[:, column] = self.codec.given(self.rows, column, values, rng)
            shown[:, column] = column in self.codec.fixable
        return codes, shown

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
        out = np.empty((len(requested), len(self.codec.sizes)), order="F")
        each = max(AT_ONCE // several, 1)
        for first in range(0, len(requested), each):
            part = slice(first, first + each)
            own = {column: values[part] for column, values in fixed.items()}
            out[part] = self._drawn(nets, requested[part], own, able, rng, several)
        return out

    def _drawn(
        self,
        nets: Fitted,
        requested: FloatArray,
        fixed: Mapping[int, FloatArray],
        able: IntArray,
        rng: np.random.Generator,
        several: int,
    ) -> FloatArray:
        asked = np.repeat(requested, several)
        repeated = {column: np.repeat(values, several) for column, values in fixed.items()}
        codes, shown = self._asked(asked, repeated, able, rng)
        matrix, made = self.made(nets.generator, asked, codes, shown, rng)
        followed = np.zeros(len(asked))
        for column, values in repeated.items():
            followed += made[:, column] == codes[:, column]
            matrix[:, column], made[:, column] = values, codes[:, column]
        if several == 1:
            return matrix
        weight = (self._weights(nets, matrix, made, asked) + FOLLOWED * followed).reshape(-1, several)
        # the largest of the logs with Gumbel noise is a draw by the weights
        best = (weight + rng.gumbel(size=weight.shape)).argmax(axis=1)
        return np.asarray(matrix[np.arange(len(requested)) * several + best])

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
