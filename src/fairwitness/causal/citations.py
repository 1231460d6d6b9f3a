"""The publications that Table 1 of "PC-Fairness" (NeurIPS 2019) refers to."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Citation:
    """A publication, as the paper's reference list has it."""

    number: int
    authors: str
    year: int
    title: str
    venue: str

    def __str__(self) -> str:
        return f"{self.authors} ({self.year}). {self.title}. {self.venue}."


_CITED = {
    each.number: each
    for each in (
        Citation(
            5,
            "Matt J. Kusner, Joshua R. Loftus, Chris Russell and Ricardo Silva",
            2017,
            "Counterfactual fairness",
            "NeurIPS 30, pages 4066–4076",
        ),
        Citation(
            7,
            "Razieh Nabi and Ilya Shpitser",
            2018,
            "Fair inference on outcomes",
            "AAAI-18, pages 1931–1940",
        ),
        Citation(
            9,
            "Chris Russell, Matt J. Kusner, Joshua R. Loftus and Ricardo Silva",
            2017,
            "When worlds collide: Integrating different counterfactual assumptions in fairness",
            "NeurIPS 30, pages 6414–6423",
        ),
        Citation(
            14,
            "Yongkai Wu, Lu Zhang and Xintao Wu",
            2019,
            "Counterfactual fairness: Unidentification, bound and algorithm",
            "IJCAI 2019, pages 1438–1444",
        ),
        Citation(
            15,
            "Junzhe Zhang and Elias Bareinboim",
            2018,
            "Equality of opportunity in classification: A causal approach",
            "NeurIPS 31, pages 3675–3685",
        ),
        Citation(
            16,
            "Junzhe Zhang and Elias Bareinboim",
            2018,
            "Fairness in decision-making - the causal explanation formula",
            "AAAI-18, pages 2037–2045",
        ),
        Citation(
            17,
            "Lu Zhang, Yongkai Wu and Xintao Wu",
            2016,
            "Situation testing-based discrimination discovery: A causal inference approach",
            "IJCAI 2016, pages 2718–2724",
        ),
        Citation(
            18,
            "Lu Zhang, Yongkai Wu and Xintao Wu",
            2017,
            "Achieving non-discrimination in data release",
            "KDD 2017, pages 1335–1344",
        ),
        Citation(
            19,
            "Lu Zhang, Yongkai Wu and Xintao Wu",
            2017,
            "A causal framework for discovering and removing direct and indirect discrimination",
            "IJCAI 2017, pages 3929–3935",
        ),
    )
}


def cited(*numbers: int) -> tuple[Citation, ...]:
    """Give publications by their numbers in the paper's reference list."""
    return tuple(_CITED[number] for number in numbers)
