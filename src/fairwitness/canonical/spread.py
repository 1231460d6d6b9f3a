"""How far an answer hangs on the seed: one engine fitted with several, and every share in both sets."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from fairwitness.arguments import items_of, shown, whole_number
from fairwitness.canonical.base import BOTTOM, TOP, CanonicalSampler, CanonicalSet
from fairwitness.canonical.bins import Bins
from fairwitness.canonical.contrast_results import by_name
from fairwitness.canonical.gate import CanonicalGate
from fairwitness.canonical.given import check_engine
from fairwitness.errors import ConfigError
from fairwitness.progress import track
from fairwitness.rng import seed_from
from fairwitness.stats import total_variation
from fairwitness.table import Schema
from fairwitness.text import number, plain
from fairwitness.typing import Document, FloatArray, NativeFrame

if TYPE_CHECKING:
    from matplotlib.axes import Axes

#: Columns that are drawn, besides the protected ones, and that are put in words.
SHOWN, SAID = 5, 3


@dataclass(frozen=True, slots=True)
class Spread:
    """One number, once a seed.

    Attributes
    ----------
    values
        The numbers, in the order of the seeds.
    """

    values: tuple[float, ...]

    @property
    def mean(self) -> float:
        """Their mean."""
        return float(np.mean(self.values))

    @property
    def least(self) -> float:
        """The least of them."""
        return min(self.values)

    @property
    def largest(self) -> float:
        """The largest of them."""
        return max(self.values)

    @property
    def deviation(self) -> float:
        """Their standard deviation (of a sample: n - 1)."""
        return float(np.std(self.values, ddof=1))

    @property
    def words(self) -> str:
        """From the least to the largest."""
        low, high = number(self.least, 2), number(self.largest, 2)
        return low if low == high else f"{low} to {high}"

    def to_dict(self) -> Document:
        """Give plain values for JSON."""
        return {
            "values": list(self.values),
            "mean": self.mean,
            "least": self.least,
            "largest": self.largest,
            "deviation": self.deviation,
        }


@dataclass(frozen=True, slots=True)
class LevelSpread:
    """One level (or range) of one column.

    Attributes
    ----------
    label
        The level.
    positive, negative
        Share of the rows of each set that have it, 0 to 1, a number a seed.
    n
        Rows of each set.
    """

    label: str
    positive: Spread
    negative: Spread
    n: int

    @property
    def difference(self) -> Spread:
        """Share in the positive set less share in the negative one, -1 to 1; 0 is no difference."""
        pairs = zip(self.positive.values, self.negative.values, strict=True)
        return Spread(tuple(a - b for a, b in pairs))

    @property
    def by_chance(self) -> float:
        """Standard deviation that the positive share would have if only its rows were drawn anew.

        Where ``positive.deviation`` is not much larger, seeds differ by the draw of the rows alone.
        """
        return math.sqrt(self.positive.mean * (1 - self.positive.mean) / self.n)

    def to_dict(self) -> Document:
        """Give plain values for JSON."""
        return {
            "label": self.label,
            "positive": self.positive.to_dict(),
            "negative": self.negative.to_dict(),
            "by_chance": self.by_chance,
        }


@dataclass(frozen=True, slots=True)
class FeatureSpread:
    """One column, over the seeds.

    Attributes
    ----------
    name
        The column.
    protected
        Whether the model does not see it.
    levels
        Every level, or range of numbers.
    total_variation
        Between the two sets, 0 to 1; 0 is alike.
    """

    name: str
    protected: bool
    levels: tuple[LevelSpread, ...]
    total_variation: Spread

    @property
    def largest(self) -> LevelSpread:
        """The level whose shares differ most between the sets, over the mean of the seeds."""
        return max(self.levels, key=lambda level: abs(level.difference.mean))

    @property
    def agreed(self) -> float:
        """Share of the seeds, 0 to 1, in which that level is the largest difference, in that direction."""
        differences = np.array([level.difference.values for level in self.levels])
        first = differences[self.levels.index(self.largest)]
        most = np.abs(differences).max(axis=0)
        sign = np.sign(self.largest.difference.mean)
        # two levels of one column differ by the same amount: either of them is the largest
        return float(np.mean((np.abs(first) >= most - 1e-12) & (np.sign(first) == sign)))

    @property
    def sentence(self) -> str:
        """The column in words, with its numbers."""
        level = self.largest
        seeds = len(self.total_variation.values)
        said = (
            f"share of {plain(level.label)} ({plain(self.name)}) in the positive set {level.positive.words}, "
            f"in the negative set {level.negative.words} over {seeds} seeds"
        )
        if self.agreed < 1:
            said += f"; it is the largest difference of the column in {round(self.agreed * seeds)} of them"
        return said

    def to_dict(self) -> Document:
        """Give plain values for JSON."""
        return {
            "name": self.name,
            "protected": self.protected,
            "total_variation": self.total_variation.to_dict(),
            "largest": self.largest.label,
            "agreed": self.agreed,
            "levels": [level.to_dict() for level in self.levels],
        }


@dataclass(frozen=True, eq=False)
class SeedSpread:
    """What :func:`over_seeds` found.

    Attributes
    ----------
    features
        One entry a column, in the order of the table.
    seeds
        The seeds, ascending.
    requests
        What the positive and the negative set were made for, with the first seed.
    n
        Rows of each set.
    engine
        Name of the engine's class.
    verdicts
        For each seed the gate's verdicts of the two sets; empty if it was not asked.
    """

    features: tuple[FeatureSpread, ...]
    seeds: tuple[int, ...]
    requests: tuple[str, str]
    n: int
    engine: str
    verdicts: tuple[tuple[str, str], ...] = ()

    def __getitem__(self, name: str) -> FeatureSpread:
        return by_name(self.features, name)

    def __repr__(self) -> str:
        return f"<SeedSpread: {self.engine}, {len(self.seeds)} seeds: {self.words}>"

    @property
    def ranked(self) -> tuple[FeatureSpread, ...]:
        """Protected columns first, then by mean total variation, largest first."""
        return tuple(sorted(self.features, key=lambda f: (not f.protected, -f.total_variation.mean)))

    @property
    def words(self) -> str:
        """How far the answer hangs on the seed, for the columns that matter most."""
        chosen = [each for each in self.ranked if each.protected] or self.ranked[:SAID]
        return "; ".join(feature.sentence for feature in chosen)

    def to_frame(self) -> Any:
        """Give one row a level, as a pandas frame."""
        import pandas as pd

        out: list[Document] = []
        for feature in self.features:
            apart = feature.total_variation
            for level in feature.levels:
                row: Document = {"feature": feature.name, "protected": feature.protected}
                row["level"] = level.label
                for name, each in (("positive", level.positive), ("negative", level.negative)):
                    row |= {
                        f"{name}_mean": each.mean,
                        f"{name}_least": each.least,
                        f"{name}_largest": each.largest,
                        f"{name}_deviation": each.deviation,
                    }
                row |= {"by_chance": level.by_chance, "total_variation_mean": apart.mean}
                row |= {"total_variation_deviation": apart.deviation, "agreed": feature.agreed}
                out.append(row)
        return pd.DataFrame(out)

    def to_dict(self) -> Document:
        """Give plain values for JSON."""
        return {
            "engine": self.engine,
            "seeds": list(self.seeds),
            "requests": list(self.requests),
            "n": self.n,
            "verdicts": [list(each) for each in self.verdicts],
            "features": [feature.to_dict() for feature in self.features],
        }

    def plot(self, ax: Axes | None = None, *, features: Sequence[str] | None = None) -> Axes:
        """Draw the level that differs most of each column: mean of the seeds, from the least to the largest.

        Parameters
        ----------
        ax
            The only axes of a figure; a new figure of the right size if absent.
        features
            Columns to draw; by default the protected ones, and the five others that differ most.
        """
        from fairwitness.drawing import IntervalRow, figure, intervals

        hidden = sum(feature.protected for feature in self.features)
        chosen = self.ranked[: hidden + SHOWN] if features is None else [self[name] for name in features]
        rows = []
        for feature in chosen:
            level = feature.largest
            sets = (("positive", level.positive), ("negative", level.negative))
            points = [(name, each.mean, each.least, each.largest, at) for at, (name, each) in enumerate(sets)]
            rows.append(IntervalRow(f"{feature.name} = {level.label}", points))
        if ax is None:
            _, ax = figure(640, 90 + 76 * max(len(rows), 1))
        return intervals(
            ax,
            rows,
            title=f"{len(self.seeds)} seeds of {self.engine}",
            xlabel="share of the rows: mean, least and largest of the seeds",
            xlim=(0, 1),
        )


def over_seeds(
    sampler: CanonicalSampler,
    frame: NativeFrame,
    scores: ArrayLike,
    *,
    random_states: int | Sequence[int] = 5,
    n: int = 1000,
    positive: tuple[float, float] | Mapping[str, Any] = TOP,
    negative: tuple[float, float] | Mapping[str, Any] = BOTTOM,
    where: Mapping[str, object] | None = None,
    gate: CanonicalGate | None = None,
) -> SeedSpread:
    """Fit one engine with several seeds, and say how much what it answers differs.

    Parameters
    ----------
    sampler
        Any engine; it is copied for every seed, and is itself left as it is.
    frame, scores
        As for :meth:`CanonicalSampler.fit`.
    random_states
        The seeds, two or more; or how many, counted from 0.
    n
        Rows of each set.
    positive, negative
        Quantiles of the scores, or any request: ``{"score": 1.0}``, ``{"band": (0.8, 1)}``.
    where
        Columns that are fixed in both sets.
    gate
        Asked about every set, if it is given.

    Returns
    -------
    SeedSpread
        For every column and level its share in both sets, a number a seed.

    Raises
    ------
    ConfigError
        If there are fewer than two seeds, one occurs twice, or the sampler is no engine.
    DataError
        As :meth:`CanonicalSampler.fit` and :meth:`CanonicalSampler.sample`.

    Examples
    --------
    >>> import fairwitness as fw
    >>> from fairwitness.canonical import TreeCanonicalSampler, over_seeds
    >>> world = fw.datasets.proxy_world(600, random_state=0)
    >>> table = world.X.assign(group=world.sensitive)
    >>> engine = TreeCanonicalSampler(protected=["group"])
    >>> found = over_seeds(engine, table, world.model(world.X), random_states=3, n=300)
    >>> found["group"].agreed, found["group"].largest.positive.deviation < 0.1
    (1.0, True)
    """
    from sklearn.base import clone

    check_engine(sampler)
    seeds = _seeds(random_states)
    n = whole_number(n, "n")
    asked = [_request(each, name) for name, each in (("positive", positive), ("negative", negative))]
    # every seed may learn from other rows of a large table: levels are those of all of it
    schema = Schema.infer(frame) if sampler.schema is None else sampler.schema
    bins: Bins | None = None
    shares: list[tuple[list[FloatArray], list[FloatArray]]] = []
    verdicts: list[tuple[str, str]] = []
    for seed in track(seeds, description="seeds"):
        fitted = clone(sampler).set_params(random_state=seed, schema=schema).fit(frame, scores)
        if bins is None:
            bins = Bins.of(fitted.rows_, ranges=10)
        sets = [fitted.sample_set(n, where=where, **each) for each in asked]
        shares.append((_shares(bins, sets[0]), _shares(bins, sets[1])))
        if gate is not None:
            first, second = (gate.check(made).verdict for made in sets)
            verdicts.append((first, second))
        if seed == seeds[0]:
            requests = (sets[0].request.words, sets[1].request.words)
            rows = fitted.rows_
    assert bins is not None
    features = tuple(
        _feature(name, name in rows.protected, bins.labels[at], shares, at, n)
        for at, name in enumerate(rows.names)
    )
    return SeedSpread(features, seeds, requests, n, type(sampler).__name__, tuple(verdicts))


def _seeds(given: object) -> tuple[int, ...]:
    listed = items_of(given)
    if listed is None:
        count = whole_number(given, "random_states", least=2, fix="pass how many seeds, or a list of them")
        return tuple(range(count))
    found = [seed_from(each) for each in listed]  # type: ignore[arg-type]
    if None in listed or len(set(found)) < max(len(found), 2):
        raise ConfigError(
            "random_states must be two or more different seeds",
            got=shown(given),
            fix="one seed has no spread: pass for example random_states=5",
        )
    return tuple(sorted(found))


def _request(given: object, name: str) -> dict[str, Any]:
    if isinstance(given, tuple | list):
        return {"quantile": tuple(given)}
    if isinstance(given, Mapping) and len(given) == 1 and set(given) <= {"score", "band", "quantile"}:
        return dict(given)
    raise ConfigError(
        f"{name} must be two quantiles, or one of score, band and quantile",
        got=shown(given),
        fix=f'pass for example {name}=(0.9, 1) or {name}={{"score": 1.0}}',
    )


def _shares(bins: Bins, made: CanonicalSet) -> list[FloatArray]:
    codes = bins.codes(made.matrix)
    return [bins.counts(codes, column) / len(made) for column in range(codes.shape[1])]


def _feature(
    name: str,
    protected: bool,
    labels: Sequence[str],
    shares: Sequence[tuple[list[FloatArray], list[FloatArray]]],
    column: int,
    n: int,
) -> FeatureSpread:
    high, low = (np.stack([each[side][column] for each in shares]) for side in (0, 1))
    levels = tuple(
        LevelSpread(label, Spread(tuple(high[:, at].tolist())), Spread(tuple(low[:, at].tolist())), n)
        for at, label in enumerate(labels)
    )
    apart = tuple(float(total_variation(a, b)) for a, b in zip(high, low, strict=True))
    return FeatureSpread(name, protected, levels, Spread(apart))
