"""One question to one model, in codes: what all engines start from."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from fairwitness.causal.expression import Blocks, Coded, Entries, expand
from fairwitness.causal.factors import Model
from fairwitness.causal.nested import NestedCounterfactual
from fairwitness.errors import DataError
from fairwitness.text import plain


@dataclass(frozen=True, slots=True)
class Limits:
    """When to give up.

    Attributes
    ----------
    columns
        Most columns of one block's program; beyond, it is refused with its size.
    seconds
        After so long, branching stops and what is proved by then is reported.
    """

    columns: int = 200_000
    seconds: float = 60.0


@dataclass(eq=False)
class Problem:
    """One question to one model, in codes.

    Attributes
    ----------
    blocks
        The sets of variables whose response functions have a common distribution: the c-components.
    outcome
        Code of the outcome's value.
    active, reference
        The worlds of the two probabilities.
    targets
        The outcome's copy in each, or ``-1 - code`` where the evidence fixes it.
    """

    model: Model
    query: NestedCounterfactual
    blocks: Blocks

    def __post_init__(self) -> None:
        index = self.model.distribution.level_index
        self.entries = Entries(self.model)
        self.outcome = index(self.query.outcome, self.query.outcome_value)
        worlds = (self.query.active_worlds(), self.query.reference_worlds())
        self.active, self.reference = (Coded.read(each, self.model, self.outcome) for each in worlds)
        self.targets = tuple(
            each.target
            if isinstance(each.target, int)
            else -1 - index(each.target.variable, each.target.value)
            for each in worlds
            if each.target is not None
        )

    @cached_property
    def evidence_probability(self) -> float:
        """P(o).

        Raises
        ------
        DataError
            If nobody is like that.
        """
        if not self.query.given:
            return 1.0
        factual = Coded.read(self.query.factual(), self.model, None)
        total = sum(expand(factual, self.model, self.blocks, self.entries).values())
        if not total > 0:
            said = ", ".join(f"{plain(name)} = {plain(seen)}" for name, seen in self.query.given.items())
            raise DataError(
                f"the evidence has probability 0: nobody in the data has {said}",
                fix="ask about people who occur, or give less evidence",
            )
        return total
