"""Synthetic worlds in which the right answer of the flips method is known beforehand.

One population, and a family of models that differ in how many of the rows they judge by a column that carries
the sensitive feature. Two groups of equal size. Columns:

``signal``
    Normal with unit variance, mean ``+strength/2`` for the privileged and ``−strength/2`` for the others. It
    carries the group, and nothing else does: the best sensitive-feature classifier is ``signal > 0``.
``merit``
    Standard normal, independent of everything else.
``window``
    One of ten, uniform, independent: the counter that a person came to.
``colour``
    Three colours without meaning.

At a *signal window* the model accepts where ``signal > strength/2`` (so half of the privileged are rejected),
at a *merit window* where ``merit > 0``. ``share`` is the share of signal windows.

Why the answer is known. At a signal window every accepted row has ``signal > strength/2 > 0``, so whatever
the generator does, a counterfactual looks privileged: a rejected unprivileged person who is recognised as
such always flips (CFlips = 1), a privileged one never does (0). At a merit window the model does not depend
on ``signal``: a generator that changes only what it must changes ``merit`` alone, and no one flips; and one
that changes more flips both groups at the same rate, because mirroring ``signal`` swaps the groups and
leaves the model as it is. If counterfactuals keep the window (``schema_hints`` say so), the unprivileged
group's CFlips is the signal windows' part of its rejected and recognised rows: all of them are rejected
there, and half of them at a merit window. With share λ that is λ / (λ + (1 − λ)/2) = 2λ / (1 + λ).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from fairwitness.arguments import real_number, whole_number
from fairwitness.errors import ConfigError
from fairwitness.rng import child, seed_from
from fairwitness.typing import BoolArray, FloatArray, RandomState

if TYPE_CHECKING:
    import pandas as pd

PRIVILEGED = "privileged"
UNPRIVILEGED = "unprivileged"
N_WINDOWS = 10
_COLOURS = ("blue", "green", "red")


@dataclass(frozen=True)
class WindowModel:
    """A decision maker for the worlds: a function of the frame, with scores in [0, 1], accepting from .5 on.

    Attributes
    ----------
    by_signal
        Windows at which ``signal`` decides; at all others ``merit`` does.
    bar
        What ``signal`` has to exceed.
    """

    by_signal: frozenset[str]
    bar: float

    def __call__(self, X: pd.DataFrame) -> FloatArray:
        """Give (n,) scores for the rows of ``X``."""
        signal = np.asarray(X["signal"], dtype=float) - self.bar
        merit = np.asarray(X["merit"], dtype=float)
        margin = np.where(np.isin(np.asarray(X["window"], dtype=str), sorted(self.by_signal)), signal, merit)
        scores: FloatArray = 1 / (1 + np.exp(-margin))
        return scores


@dataclass(frozen=True)
class World:
    """A table, a model, and what the flips method has to find.

    Attributes
    ----------
    name
        ``blind``, ``proxy`` or ``graded``.
    X
        (n, 4) frame of the model's inputs; the sensitive feature is not among them.
    sensitive
        (n,) ``privileged`` or ``unprivileged``.
    y
        (n,) true outcome 0/1: merit with noise, the same for both groups.
    model
        Scores in [0, 1] for a frame such as ``X``; accepted from .5 on.
    share
        Share of the windows at which ``signal`` decides.
    expected
        CFlips of ``unprivileged`` and ``privileged`` and their ``difference``, for the best sensitive-feature
        classifier and a generator that keeps the window and changes no more than it must.
    answer
        The same in words.
    schema_hints
        For ``Schema.infer(world.X, **world.schema_hints)``.
    """

    name: str
    X: pd.DataFrame
    sensitive: pd.Series[Any]
    y: pd.Series[Any]
    model: WindowModel
    share: float
    expected: Mapping[str, float]
    answer: str
    schema_hints: Mapping[str, Mapping[str, object]]

    def __repr__(self) -> str:
        return f"World({self.name!r}, {len(self.X):,} rows, share {self.share:g}: {self.answer})"

    @property
    def accepted(self) -> BoolArray:
        """(n,) the model's decisions on ``X``."""
        return np.asarray(self.model(self.X) >= 0.5)

    @property
    def recognised(self) -> BoolArray:
        """(n,) whether the best sensitive-feature classifier names the row's own group."""
        looks = np.asarray(self.X["signal"], dtype=float) > 0
        return np.asarray(looks == (self.sensitive == PRIVILEGED).to_numpy())


def blind_world(n: int = 2000, *, strength: float = 3.0, random_state: RandomState = None) -> World:
    """Give a world whose model decides by a column that tells nothing about the group: ΔCFlips is 0.

    Parameters
    ----------
    n
        Rows, half of them in each group; at least 40.
    strength
        Distance of the two groups' means of ``signal`` in standard deviations, above 0.
    random_state
        Seed. The same seed gives the same rows in all three worlds.
    """
    return _world(
        "blind",
        n,
        0.0,
        strength,
        random_state,
        "The model decides by merit, which is independent of everything that carries the group. Both groups "
        "flip at the same rate (not at all if counterfactuals change no more than they must): ΔCFlips is 0.",
    )


def proxy_world(n: int = 2000, *, strength: float = 3.0, random_state: RandomState = None) -> World:
    """Give a world whose model accepts those who look privileged enough: ΔCFlips is 1.

    Half of the privileged do not look privileged enough and are rejected too, so that both groups have a
    value. Parameters are those of :func:`blind_world`.
    """
    return _world(
        "proxy",
        n,
        1.0,
        strength,
        random_state,
        "The model accepts those who look privileged enough. Every counterfactual of a rejected unprivileged "
        "person looks privileged (CFlips 1), and so does that of any rejected privileged person (CFlips 0): "
        "ΔCFlips is 1, its ceiling.",
    )


def graded_world(
    n: int = 2000,
    share: float = 0.5,
    *,
    strength: float = 3.0,
    random_state: RandomState = None,
) -> World:
    """Give a world between the two: ΔCFlips rises with ``share`` from 0 to 1, as 2·share / (1 + share).

    Parameters
    ----------
    n, strength, random_state
        As in :func:`blind_world`; ``random_state`` fixed, worlds of different ``share`` have the same rows.
    share
        Share of signal windows, a multiple of 0.1 from 0 to 1.
    """
    return _world(
        "graded",
        n,
        share,
        strength,
        random_state,
        "At {signal} of 10 windows the model accepts those who look privileged enough, at the others by "
        "merit. Unprivileged people flip at {unprivileged:.3f}, privileged people not at all, if "
        "counterfactuals keep the window and change no more than they must.",
    )


def _world(name: str, n: int, share: float, strength: float, random_state: RandomState, answer: str) -> World:
    import pandas as pd

    n = whole_number(n, "n", least=40, fix="pass for example n=2000")
    strength = real_number(strength, "strength", above=0, fix="pass for example strength=3.0")
    share = real_number(share, "share", fix="pass 0, 0.1, 0.2, ... or 1")
    n_signal = round(share * N_WINDOWS) if 0 <= share <= 1 else -1
    if n_signal < 0 or abs(n_signal - share * N_WINDOWS) > 1e-9:
        raise ConfigError("share must be 0, 0.1, 0.2, ... or 1", got=share, fix="round it to one decimal")
    rng = child(seed_from(random_state), "world")
    group = rng.permutation(np.arange(n) % 2 == 0)
    merit = rng.standard_normal(n)
    windows = [f"window {number}" for number in range(N_WINDOWS)]
    X = pd.DataFrame(
        {
            "signal": rng.standard_normal(n) + np.where(group, strength, -strength) / 2,
            "merit": merit,
            "window": rng.choice(windows, n),
            "colour": rng.choice(_COLOURS, n),
        }
    )
    unprivileged = 2 * share / (1 + share)
    return World(
        name=name,
        X=X,
        sensitive=pd.Series(np.where(group, PRIVILEGED, UNPRIVILEGED), name="group"),
        y=pd.Series((merit + rng.standard_normal(n) > 0).astype(np.int64), name="outcome"),
        model=WindowModel(frozenset(windows[:n_signal]), strength / 2),
        share=n_signal / N_WINDOWS,
        expected={"unprivileged": unprivileged, "privileged": 0.0, "difference": unprivileged},
        answer=answer.format(signal=n_signal, unprivileged=unprivileged),
        # Where all windows are alike the window may change: nothing depends on it.
        schema_hints={"window": {"immutable": True}} if 0 < n_signal < N_WINDOWS else {},
    )
