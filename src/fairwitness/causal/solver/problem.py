"""One question to one model, in codes: what all engines start from."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from fairwitness.arguments import real_number, shown, whole_number
from fairwitness.causal.graph.nested import NestedCounterfactual
from fairwitness.causal.solver.expression import Blocks, Coded, Entries, expand
from fairwitness.causal.solver.factors import Model
from fairwitness.errors import ConfigError, DataError
from fairwitness.text import listing, plain


@dataclass(frozen=True, slots=True)
class Limits:
    """When to give up.

    Attributes
    ----------
    columns
        Most columns of one block's program; beyond, it is refused with its size.
    seconds
        After about so long, the search stops and what is proved by then is reported.
    """

    columns: int = 40_000
    seconds: float = 60.0

    def __post_init__(self) -> None:
        whole_number(self.columns, "columns")
        if real_number(self.seconds, "seconds") < 0:
            raise ConfigError(
                "seconds must be at least 0", got=shown(self.seconds), fix="pass for example 60"
            )


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

    @property
    def conceivable(self) -> tuple[float, float]:
        """What the effect can be at all: from −1 to 1, less where the evidence fixes one of its outcomes."""
        chances = [
            (0.0, 1.0) if target >= 0 else (float(-1 - target == self.outcome),) * 2
            for target in self.targets
        ]
        active, reference = chances
        return active[0] - reference[1], active[1] - reference[0]

    @cached_property
    def evidence_share(self) -> float:
        """Share of the table with the evidence; a known predictor's answer is no part of the table."""
        known = () if self.model.kernel is None else (self.model.kernel.outcome,)
        seen = {name: value for name, value in self.query.given.items() if name not in known}
        table = self.model.distribution
        return table.probability_of(table.evidence(seen))

    @cached_property
    def evidence_probability(self) -> float:
        """P(o).

        Raises
        ------
        DataError
            If nobody is like that, or it takes people like whom the data have none to say.
        """
        if not self.query.given:
            return 1.0
        said = ", ".join(f"{plain(name)} = {plain(seen)}" for name, seen in self.query.given.items())
        nobody = DataError(
            f"the evidence has probability 0: nobody in the data has {said}",
            fix="ask about people who occur, or give less evidence",
        )
        # The graph's factors may give weight to people who do not occur: of them the table says nothing.
        if not self.evidence_share > 0:
            raise nobody
        factual = Coded.read(self.query.factual(), self.model, None)
        found = expand(factual, self.model, self.blocks, self.entries)
        unknown = {name for key in found for at, event in enumerate(key) if event for name in self.blocks[at]}
        if unknown:
            names = [plain(name) for name in self.model.graph.nodes if name in unknown]
            raise DataError(
                f"the data do not say how many people have {said}: causes of {listing(names)} that are "
                "independent by the graph never occur together in the data",
                fix="give the values of these causes as evidence too, merge values (bins=…), or join the "
                "causes in the graph",
            )
        total = sum(found.values())
        if not total > 0:
            raise nobody
        return total

    def check_evidence(self) -> None:
        """Refuse a question about people who do not occur, or of whom it is not known how many there are.

        Raises
        ------
        DataError
            As ``evidence_probability``.
        """
        _ = self.evidence_probability
