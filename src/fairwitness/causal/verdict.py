"""What bounds say about a threshold: a word that knows where it comes from."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from fairwitness.causal.words import VERDICTS, effect, people
from fairwitness.text import interval, plain
from fairwitness.typing import Document

if TYPE_CHECKING:
    from fairwitness.causal.notions import Notion
    from fairwitness.causal.solver.results import EffectBounds, Word


class Verdict(str):
    """``"fair"``, ``"unfair"`` or ``"undetermined"``, with the bounds that say so.

    It is that text, equal to it and written to JSON as it, in the sense of τ-PC fairness (Definition 6):
    about one effect and one threshold, not about a model.

    Attributes
    ----------
    bounds
        The :class:`~fairwitness.causal.bounds.EffectBounds`.
    tau
        The threshold τ.
    notion
        The :class:`~fairwitness.causal.notions.Notion` asked about; ``None`` if it was none of Table 1.
    """

    __slots__ = ("bounds", "notion", "tau")

    bounds: EffectBounds
    tau: float
    notion: Notion | None

    def __new__(cls, bounds: EffectBounds, tau: float = 0.1, notion: Notion | None = None) -> Verdict:
        """Compare bounds with a threshold."""
        word: Word = bounds.verdict(tau)
        made = super().__new__(cls, word)
        made.bounds, made.tau, made.notion = bounds, float(tau), notion
        return made

    def __getnewargs__(self) -> tuple[Any, ...]:
        return self.bounds, self.tau, self.notion

    @property
    def sentence(self) -> str:
        """The verdict with its numbers, in one sentence."""
        bounds = self.bounds
        low, high = bounds.interval
        sure = "" if bounds.confidence is None else f" with {100 * bounds.confidence:g} % confidence"
        told = effect(bounds.query)
        return (
            f"Among {people(bounds.query.given)}, {told} lies in {interval(low, high)}{sure}: "
            f"{VERDICTS[str(self)].format(tau=f'{self.tau:g}')}."
        )

    def to_dict(self) -> Document:
        """Give everything as plain values."""
        return {
            "verdict": str(self),
            "tau": self.tau,
            "notion": None if self.notion is None else self.notion.to_dict(),
            "sentence": self.sentence,
            "bounds": self.bounds.to_dict(),
        }

    def __repr__(self) -> str:
        low, high = self.bounds.interval
        name = "PC fairness" if self.notion is None else self.notion.name
        return f"<Verdict {plain(str(self))}: {name} {interval(low, high)}, tau = {self.tau:g}>"
