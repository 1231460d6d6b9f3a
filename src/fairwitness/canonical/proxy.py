"""A model that sees the protected columns beside one that does not: what differs in their canonical sets."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from numpy.typing import ArrayLike
from sklearn.base import clone

from fairwitness.arguments import shown, whole_number
from fairwitness.canonical.base import CanonicalSampler
from fairwitness.canonical.contrast_results import Contrast, by_name, plain_value
from fairwitness.canonical.contrasting import contrast
from fairwitness.canonical.gate import CanonicalGate
from fairwitness.canonical.rows import labels_of
from fairwitness.canonical.tree import TreeCanonicalSampler
from fairwitness.errors import ConfigError
from fairwitness.rng import seed_from
from fairwitness.stats import newcombe_difference
from fairwitness.typing import Document, NativeFrame, RandomState

if TYPE_CHECKING:
    from matplotlib.axes import Axes


@dataclass(frozen=True, slots=True)
class LevelDifference:
    """One level: its share with the protected columns less its share without them.

    Attributes
    ----------
    label
        The level.
    positive, positive_low, positive_high
        Difference in the positive sets with its interval, in [-1, 1]; above 0 the level is more frequent
        where the model sees the protected columns.
    negative, negative_low, negative_high
        The same in the negative sets.
    """

    label: str
    positive: float
    positive_low: float
    positive_high: float
    negative: float
    negative_low: float
    negative_high: float


@dataclass(frozen=True, slots=True)
class FeatureDifference:
    """One column: its levels' differences, and how far the two sets are apart under either model."""

    name: str
    protected: bool
    direct: float
    proxy: float
    levels: tuple[LevelDifference, ...]


@dataclass(frozen=True, eq=False)
class DirectVsProxy:
    """Two models' canonical sets, with and without the protected columns.

    Attributes
    ----------
    direct, proxy
        The contrast under the model that sees the protected columns, and under the one that does not.
    features
        One entry a column. What is left of a protected column's distance under ``proxy`` reached the model
        through other columns.
    """

    direct: Contrast
    proxy: Contrast
    features: tuple[FeatureDifference, ...]

    def __repr__(self) -> str:
        return f"<DirectVsProxy: {len(self.features)} columns; gate: {self.verdict}>"

    @property
    def verdict(self) -> str:
        """The worst of the gate's verdicts of the four sets; ``not checked`` if it was not asked."""
        from fairwitness.canonical.criteria import VERDICTS

        gates = (*self.direct.gates, *self.proxy.gates)
        return max((gate.verdict for gate in gates), key=VERDICTS.index, default="not checked")

    def __getitem__(self, name: str) -> FeatureDifference:
        return by_name(self.features, name)

    def to_frame(self) -> Any:
        """Give one row a level of a column, as a pandas frame."""
        import pandas as pd

        return pd.DataFrame(
            [
                {
                    "feature": feature.name,
                    "protected": feature.protected,
                    "direct_tv": feature.direct,
                    "proxy_tv": feature.proxy,
                    **{name: getattr(level, name) for name in LevelDifference.__slots__},
                }
                for feature in self.features
                for level in feature.levels
            ]
        )

    def to_dict(self) -> Document:
        """Give plain values for JSON."""
        rows = self.to_frame().to_dict("records")
        return {
            "verdict": self.verdict,
            "levels": [{str(k): plain_value(v) for k, v in row.items()} for row in rows],
        }

    def plot(self, ax: Axes | None = None, *, features: Sequence[str] | None = None) -> Axes:
        """Draw the differences of every level (Figure 6).

        Parameters
        ----------
        ax
            The only axes of a figure; a new figure of the right size if absent.
        features
            Columns to draw; by default all, the protected ones first.
        """
        from fairwitness.canonical.plots import plot_differences

        return plot_differences(self, ax, features)


def direct_vs_proxy(
    frame: NativeFrame,
    direct_scores: ArrayLike,
    proxy_scores: ArrayLike,
    *,
    protected: Sequence[str],
    sampler: CanonicalSampler | None = None,
    gates: Sequence[CanonicalGate] = (),
    n: int = 1000,
    confidence: float = 0.95,
    random_state: RandomState = 0,
) -> DirectVsProxy:
    """Compare the canonical sets of a model with the protected columns and of one without (Figure 6).

    Parameters
    ----------
    frame
        Rows with all columns, the protected ones among them.
    direct_scores, proxy_scores
        (n,) scores of the model that sees the protected columns, and of the one that does not.
    protected
        The protected columns.
    sampler
        An engine that is not fitted; the tree engine by default. It is cloned.
    gates
        What checks the sets of the model with the protected columns, and of the one without: two gates, each
        with its own model. None: no set is checked.
    n
        Rows of each of the four sets.
    confidence, random_state
        As in :func:`contrast`.

    Raises
    ------
    ConfigError
        If no column is protected, ``sampler`` is no engine, or one gate is passed, not two.
    """
    listed = labels_of(protected, "protected")
    if not listed:
        raise ConfigError("no column is protected", fix='name some, for example protected=["sex"]')
    if len(gates) not in (0, 2):
        raise ConfigError(
            "a gate holds one model, and two models are compared",
            got=f"{len(gates)} gate{'s' * (len(gates) != 1)}",
            fix="pass gates=[gate of the model with the protected columns, gate of the other]",
        )
    n = whole_number(n, "n")
    seed = seed_from(random_state)
    engine = TreeCanonicalSampler(random_state=seed) if sampler is None else sampler
    if not isinstance(engine, CanonicalSampler):
        raise ConfigError(
            "sampler must be an engine of canonical sets, not yet fitted",
            got=shown(engine),
            fix="pass for example TreeCanonicalSampler(leaf=20)",
        )
    found = []
    for at, (scores, hidden) in enumerate(((direct_scores, []), (proxy_scores, listed))):
        fitted = clone(engine).set_params(protected=hidden).fit(frame, scores)
        sets = fitted.positive(n), fitted.negative(n)
        found.append(
            contrast(
                *sets,
                protected=listed,
                gates=[gates[at].check(made) for made in sets] if gates else (),
                confidence=confidence,
                random_state=seed,
            )
        )
    direct, proxy = found
    return DirectVsProxy(direct, proxy, tuple(_features(direct, proxy)))


def _features(direct: Contrast, proxy: Contrast) -> list[FeatureDifference]:
    out = []
    for a, b in zip(direct.features, proxy.features, strict=True):
        levels = []
        for one, other in zip(a.levels, b.levels, strict=True):
            parts = []
            for side, name in enumerate(("positive", "negative")):
                first, second = getattr(one, name), getattr(other, name)
                # no more independent rows than there are real ones
                size = [min(each.n[side], each.n_real[side]) for each in (direct, proxy)]
                low, high = newcombe_difference(
                    first * size[0], size[0], second * size[1], size[1], direct.confidence
                )
                parts += [first - second, float(low), float(high)]
            levels.append(LevelDifference(one.label, *parts))
        tv = [each.estimates["total_variation"].estimate for each in (a, b)]
        out.append(FeatureDifference(a.name, a.protected or b.protected, tv[0], tv[1], tuple(levels)))
    return out
