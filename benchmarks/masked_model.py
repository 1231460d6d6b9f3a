"""A masked model of rows behind the same fit and sample as our engines, for ``canonical_masked.py``.

One network says, from the score and any known columns of a row, what its hidden columns are; columns are
drawn one after the other. Numbers are ranges of about equally many rows, frequent values ranges by
themselves. It is no part of the library: see ``docs/canonical-masked.md``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch

from fairwitness.canonical import Request, Rows
from fairwitness.canonical.base import CanonicalSampler
from fairwitness.canonical.gan.conditions import Scores
from fairwitness.canonical.gan.networks import Adam, Net, frozen, layer
from fairwitness.canonical.reading import Reader
from fairwitness.canonical.tree import mirrored, nearest_place
from fairwitness.rng import child
from fairwitness.typing import BoolArray, FloatArray, IntArray

#: Ranges of a column of numbers, about and at most; radial bins by which they know their neighbours.
RANGES, RADIAL = 64, 12
#: A value is that of one of so many rows with the code, those with the nearest scores.
NEAREST = 5
#: Two codes that no row has, though independent columns would show them together so often, are kept apart.
EXPECTED = 5.0
#: Ranks between which a score is told, and radial bins of its log odds, which reach so far.
RANKS, BINS, REACH = 48, 16, 8.0
BLOCKS, WIDTH = 2, 256
#: Share of the rows held out to choose the epoch by, and how often each is hidden in another way.
HELD, HIDINGS = 0.1, 4
#: Share of the rows whose columns are hidden in the order of drawing; of the others in a random order.
ORDERED = 0.25
#: Share of inner numbers left out; weight decay; weight of the past in the mean of weights.
DROPPED, DECAY, AVERAGE = 0.25, 1.0, 0.995
#: Rows a step, and at least as many steps in all.
BATCH, LEAST_STEPS = 256, 600
#: Rows that are drawn, at most, to learn how far their scores are from those asked for.
MOST_READ = 4000


@dataclass(frozen=True, slots=True, eq=False)
class Column:
    """One column: ends of ranges or codes of levels, the rows' codes, and the rows by code and score."""

    ends: FloatArray
    place: IntArray
    codes: IntArray
    count: IntArray
    radial: FloatArray
    members: IntArray
    keys: FloatArray

    @classmethod
    def of(cls, rows: Rows, column: int) -> Column:
        values = rows.matrix[:, column]
        missing = np.isnan(values)
        ends, place = np.empty(0), np.empty(0, dtype=np.int64)
        if rows.is_coded(column):
            codes, size = rows.codes(column)
            place = np.full(len(rows.schema.features[column].levels) + 1, -1)
            place[np.where(missing, len(place) - 1, values).astype(np.int64)] = codes
        else:
            ends = range_ends(values[~missing])
            # every range holds its end, so that none is without rows
            size = len(ends) + (not missing.all()) + bool(missing.any())
            codes = np.where(missing, size - 1, np.searchsorted(ends, np.where(missing, 0, values)))
        count = np.bincount(codes, minlength=size)
        members = np.lexsort((rows.scores, codes))
        keys = 2.0 * codes[members] + rows.scores[members]
        numbers = 0 if rows.is_coded(column) else size - bool(missing.any())
        radial = np.zeros((size, RADIAL if numbers > RADIAL // 2 else 0))
        if radial.shape[1]:
            rank = (np.cumsum(count) - count / 2)[:numbers] / count[:numbers].sum()
            radial[:numbers] = bumps(rank, RADIAL)
        return cls(ends, place, codes, count, radial, members, keys)

    def code(self, values: FloatArray) -> IntArray:
        """Give the codes of values that fitted rows have."""
        missing = np.isnan(values)
        if len(self.place):
            return self.place[np.where(missing, len(self.place) - 1, values).astype(np.int64)]
        found = np.searchsorted(self.ends, np.where(missing, 0, values))
        return np.where(missing, len(self.count) - 1, found)

    def rows(self, codes: IntArray, scores: FloatArray, rng: np.random.Generator) -> IntArray:
        """Draw a fitted row for each code, one of those with the nearest scores."""
        first = (np.cumsum(self.count) - self.count)[codes]
        place = nearest_place(self.keys, 2.0 * codes + scores, rng) - first
        place += rng.integers(-(NEAREST // 2), NEAREST - NEAREST // 2, len(codes))
        return self.members[first + mirrored(place, self.count[codes])]


def range_ends(present: FloatArray) -> FloatArray:
    """Give the largest value of every range but the last."""
    distinct, counts = np.unique(present, return_counts=True)
    if len(distinct) <= RANGES:
        return distinct[:-1]
    often = np.flatnonzero(counts >= len(present) / RANGES)
    spread = np.delete(np.arange(len(distinct)), often)
    rest = np.repeat(distinct[spread], counts[spread])
    steps = np.linspace(0, 1, max(RANGES - len(often), 8) + 1)[1:-1]
    cuts = np.quantile(rest, steps, method="nearest") if len(rest) else np.empty(0)
    ends = np.unique(np.concatenate([cuts, distinct[often], distinct[often[often > 0] - 1]]))
    return ends[ends < distinct[-1]]


def bumps(place: FloatArray, count: int) -> FloatArray:
    """Give how near places in [0, 1] are to each of ``count`` centres."""
    return np.exp(-(((place[:, None] - np.linspace(0, 1, count)) * (count - 1)) ** 2) / 2)


def told(known: FloatArray, scores: FloatArray) -> torch.Tensor:
    """Tell scores as the GAN does, by a finer rank, and by log odds: .99 and .999 are not alike."""
    low, high = (np.searchsorted(known, scores, side=side) for side in ("left", "right"))
    rank = (low + high) / (2 * len(known))
    hats = np.maximum(1 - np.abs(rank[:, None] * (RANKS - 1) - np.arange(RANKS)), 0.0)
    least = 1 / (1 + np.exp(REACH))
    inside = np.clip(scores, least, 1 - least)
    odds = bumps((np.log(inside / (1 - inside)) / REACH + 1) / 2, BINS)
    numbers = np.hstack([Scores(known, embedded=True)(scores), odds, hats])
    return torch.from_numpy(numbers.astype(np.float32))


def hidings(n: int, order: Sequence[int], chance: np.random.Generator) -> BoolArray:
    """Say as (n, d) which columns are known: a random number of them, never all."""
    d = len(order)
    cut = chance.integers(0, d, n)
    rank = chance.random((n, d)).argsort(axis=1).argsort(axis=1)
    rank[chance.random(n) < ORDERED] = np.argsort(order)
    return rank < cut[:, None]


class Network:
    """The network on the columns of some rows."""

    def __init__(self, columns: Sequence[Column], width: int, asked: int, chance: torch.Generator) -> None:
        self.sizes = [len(column.count) for column in columns]
        self.starts = np.cumsum([0, *self.sizes[:-1]])
        slots, radial = sum(self.sizes), sum(column.radial.shape[1] for column in columns)
        blocks = [torch.from_numpy(column.radial.astype(np.float32)) for column in columns]
        self.radial = torch.block_diag(*blocks).reshape(slots, radial)
        known, out = (len(columns) + 1) ** -0.5, 0.5 * width**-0.5
        shapes = {"in.codes": (slots, known), "in.radial": (radial, known), "in.known": (len(columns), known)}
        shapes |= {"out.codes": (slots, out), "out.radial": (radial, out)}
        self.net: Net = {
            name: torch.randn((rows, width), generator=chance) * size for name, (rows, size) in shapes.items()
        }
        self.net["out.b"] = torch.zeros(slots)
        self.net.update(layer(torch, "score", asked, width, chance))
        for at in range(BLOCKS):
            self.net.update(layer(torch, f"in{at}", width, width, chance))
            self.net.update(layer(torch, f"out{at}", width, width, chance))

    def tables(self, net: Net) -> tuple[torch.Tensor, torch.Tensor]:
        """Give what each code adds to the first layer, and what it is read by."""
        given = net["in.codes"] + self.radial @ net["in.radial"]
        return given, net["out.codes"] + self.radial @ net["out.radial"]

    @staticmethod
    def inner(net: Net, first: torch.Tensor, chance: np.random.Generator | None = None) -> torch.Tensor:
        """Give the numbers that chances are read from; with ``chance``, some are left out."""
        silu = torch.nn.functional.silu
        for at in range(BLOCKS):
            within = silu(torch.addmm(net[f"in{at}.b"], silu(first), net[f"in{at}.w"]))
            if chance is not None:
                kept = chance.integers(0, 256, tuple(within.shape), dtype=np.uint8) >= 256 * DROPPED
                within = within * torch.from_numpy(kept.astype(np.float32) / np.float32(1 - DROPPED))
            first = first + torch.addmm(net[f"out{at}.b"], within, net[f"out{at}.w"])
        return silu(first)

    def loss(
        self,
        net: Net,
        codes: IntArray,
        known: BoolArray,
        asked: Any,
        chance: np.random.Generator | None = None,
    ) -> torch.Tensor:
        """Give the mean cross-entropy of the hidden columns of rows with (n, d) codes."""
        slots = torch.from_numpy(codes + self.starts)
        shown = torch.from_numpy(known.astype(np.float32))
        given, read = self.tables(net)
        first = torch.addmm(net["score.b"], asked, net["score.w"]) + shown @ net["in.known"]
        first = first + torch.zeros((len(codes), len(given))).scatter_(1, slots, shown) @ given
        raw = torch.addmm(net["out.b"], self.inner(net, first, chance), read.T)
        sums = torch.stack([torch.logsumexp(each, 1) for each in raw.split(self.sizes, 1)], 1)
        weight = (1 - shown) / (1 - shown).sum(1, keepdim=True)
        return ((sums - raw.gather(1, slots)) * weight).sum(1).mean()


class MaskedModel(CanonicalSampler):
    """The engine. Of ``candidates`` rows that are drawn one is kept, as the tree engine keeps it."""

    def __init__(
        self,
        *,
        epochs: int = 32,
        rate: float = 2e-3,
        width: int = WIDTH,
        candidates: int = 4,
        protected: Sequence[str] = (),
        schema: Any = None,
        max_rows: int = 50_000,
        max_levels: int = 100,
        random_state: Any = 0,
    ) -> None:
        super().__init__(
            protected=protected,
            schema=schema,
            max_rows=max_rows,
            max_levels=max_levels,
            random_state=random_state,
        )
        self.epochs, self.rate, self.width, self.candidates = epochs, rate, width, candidates

    def _fit(self, rows: Rows, rng: np.random.Generator) -> None:
        self.columns_ = [Column.of(rows, at) for at in range(len(rows.names))]
        self.codes_ = np.stack([column.codes for column in self.columns_], axis=1)
        strength = [_explained(column, rows.scores) for column in self.columns_]
        hidden = [at for at, name in enumerate(rows.names) if name in rows.protected]
        self.order_ = tuple(
            dict.fromkeys([*hidden, *np.argsort(-np.array(strength), kind="stable").tolist()])
        )
        self.known_ = np.sort(rows.scores)
        asked = told(self.known_, rows.scores)
        drawn = torch.Generator().manual_seed(int(rng.integers(2**62)))
        self.network_ = Network(self.columns_, self.width, asked.shape[1], drawn)
        self.barred_ = _barred(self.columns_, self.network_.starts)
        self._train(asked, rng)
        self.reader_ = None
        if self.candidates > 1:
            scores = rows.scores[np.argsort(rows.scores, kind="stable")[:: -(-len(rows) // MOST_READ)]]
            _, made = self._walk(scores, {}, child(self.seed_, "reader", "drawn"))
            self.reader_ = Reader.of(
                self._places(self.codes_), rows.scores, self._places(made), scores, self.seed_
            )

    def _train(self, asked: torch.Tensor, rng: np.random.Generator) -> None:
        network, net, codes = self.network_, self.network_.net, self.codes_
        order = child(self.seed_, "held").permutation(len(codes))
        held, rest = np.split(order, [int(HELD * len(codes))])
        judged = np.tile(held, HIDINGS)
        known = hidings(len(judged), self.order_, rng)
        batch = min(BATCH, max(len(codes) // 8, 1))
        steps = max(len(rest) // batch, 1)
        epochs = max(self.epochs, -(-LEAST_STEPS // steps))
        optimiser = Adam(torch, list(net.values()), self.rate, decay=0.0, memory=(0.9, 0.99))
        mean, best, least, done = frozen(net), frozen(net), np.inf, 0
        self.losses_: list[float] = []
        for _ in range(epochs):
            shuffled = rng.permutation(rest)
            for at in range(steps):
                rows = shuffled[at * batch : (at + 1) * batch]
                optimiser.rate = self.rate * min(1, (done + 1) / 50) * (1 - 0.95 * done / (epochs * steps))
                loss = network.loss(net, codes[rows], hidings(len(rows), self.order_, rng), asked[rows], rng)
                optimiser.step(loss)
                done += 1
                with torch.no_grad():
                    for name, tensor in net.items():
                        tensor.mul_(1 - optimiser.rate * DECAY if not name.endswith("b") else 1.0)
                        mean[name].lerp_(tensor, 1 - min(AVERAGE, (1 + done) / (10 + done)))
            with torch.no_grad():
                self.losses_.append(float(network.loss(mean, codes[judged], known, asked[judged])))
            if self.losses_[-1] < least:
                best, least = frozen(mean), self.losses_[-1]
        self.net_ = best

    def _draw(
        self,
        requested: FloatArray,
        fixed: Mapping[int, FloatArray],
        request: Request,
        rng: np.random.Generator,
    ) -> FloatArray:
        if self.reader_ is None:
            return self._walk(requested, fixed, rng)[0]
        again = {column: np.repeat(values, self.candidates) for column, values in fixed.items()}
        matrix, codes = self._walk(np.repeat(requested, self.candidates), again, rng)
        return np.asfortranarray(matrix[self.reader_.choose(self._places(codes), requested, rng)])

    def _walk(
        self, requested: FloatArray, fixed: Mapping[int, FloatArray], rng: np.random.Generator
    ) -> tuple[FloatArray, IntArray]:
        """Draw a row for each score, column after column: its matrix values, and its codes."""
        net, network = self.net_, self.network_
        codes = np.empty((len(requested), len(self.columns_)), dtype=np.int64)
        matrix = np.empty(codes.shape, order="F")
        barred = np.zeros((len(codes), len(self.barred_)), dtype=np.bool_)
        with torch.no_grad():
            given, read = network.tables(net)
            asked = told(self.known_, requested)
            first = torch.addmm(net["score.b"], asked, net["score.w"])
            for at in (*fixed, *(each for each in self.order_ if each not in fixed)):
                own = slice(int(network.starts[at]), int(network.starts[at]) + network.sizes[at])
                if at in fixed:
                    matrix[:, at], codes[:, at] = fixed[at], self.columns_[at].code(fixed[at])
                else:
                    raw = torch.addmm(net["out.b"][own], network.inner(net, first), read[own].T).numpy()
                    # the largest of the logs with Gumbel noise is a draw by the chances
                    noise = rng.gumbel(size=raw.shape) - 1e3 * barred[:, own]
                    codes[:, at] = (raw + noise).argmax(axis=1)
                    drawn = self.columns_[at].rows(codes[:, at], requested, rng)
                    matrix[:, at] = self.rows_.matrix[drawn, at]
                first = first + given[codes[:, at] + own.start] + net["in.known"][at]
                barred |= self.barred_[codes[:, at] + own.start]
        return matrix, codes

    def _places(self, codes: IntArray) -> FloatArray:
        """Give codes as the reader sees them: levels by the mean score of their rows."""
        out = codes.astype(np.float64)
        for at, column in enumerate(self.columns_):
            if len(column.place):
                rank = np.argsort(np.argsort(_means(column, self.rows_.scores), kind="stable"))
                out[:, at] = rank[codes[:, at]]
        return out


def _means(column: Column, scores: FloatArray) -> FloatArray:
    return np.bincount(column.codes, weights=scores, minlength=len(column.count)) / column.count


def _explained(column: Column, scores: FloatArray) -> float:
    return round(float(np.var(_means(column, scores)[column.codes])), 12)


def _barred(columns: Sequence[Column], starts: IntArray) -> BoolArray:
    """Say which two codes no row has, though independent columns would show them together often enough."""
    slots = int(starts[-1]) + len(columns[-1].count)
    out = np.zeros((slots, slots), dtype=np.bool_)
    for i, a in enumerate(columns):
        for j, b in enumerate(columns[:i]):
            sizes = len(a.count), len(b.count)
            met = np.bincount(a.codes * sizes[1] + b.codes, minlength=sizes[0] * sizes[1]).reshape(sizes)
            never = (met == 0) & (np.outer(a.count, b.count) / len(a.codes) >= EXPECTED)
            own = [slice(starts[at], starts[at] + size) for at, size in zip((i, j), sizes, strict=True)]
            out[own[0], own[1]], out[own[1], own[0]] = never, never.T
    return out
