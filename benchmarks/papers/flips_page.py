"""The page: what was run, how it ranks, the tables, and why they differ."""

from __future__ import annotations

import os
import platform
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import flips_causes as causes
import flips_sections as sections
import sklearn
from flips_cache import Cache
from flips_published import Published
from flips_results import Results
from flips_tasks import Task

import fairwitness

#: Written by hand, below the tables that it explains.
WHY = Path(__file__).with_name("flips_why.md")
WHY_FAIR = Path(__file__).with_name("flips_fair_why.md")


@dataclass(frozen=True)
class Plan:
    """What a run covers."""

    models: tuple[str, ...]
    generators: tuple[str, ...]
    classifiers: tuple[str, ...]
    seed: int
    quick: bool
    people: int | None
    #: Whether it is about the decision makers that try to be fair, beside their plain kin.
    fair: bool = False


def write_page(out: Path, cache: Cache, published: Published, plan: Plan, tasks: Sequence[Task]) -> None:
    """Write the page from the results that are there."""
    results = Results(cache, tasks, plan.models, plan.classifiers)
    parts = [
        _head(results, plan),
        sections.agreement(results, published),
        sections.against_plain(results, published) if plan.fair else "",
        *(
            sections.flips_table(results, published, generators, first)
            for generators, first in (
                (("genetic",), True),
                (("neighbors", "kdtree"), True),
                (("genetic",), False),
                (("neighbors", "kdtree"), False),
            )
        ),
        *(sections.sorted_table(results, published, first) for first in (True, False)),
        sections.coverage(results, published),
        sections.exact_table(results),
        sections.beyond(results),
        sections.performance(results, published),
        causes.variants(results, published),
        causes.nearer(results, published),
        causes.dice_itself(results, published),
    ]
    if not plan.quick:
        parts.append((WHY_FAIR if plan.fair else WHY).read_text(encoding="utf-8"))
    text = "\n\n".join(part.strip() for part in parts if part) + "\n"
    out.parent.mkdir(parents=True, exist_ok=True)
    part = out.with_suffix(".part")
    part.write_text(text, encoding="utf-8")
    os.replace(part, out)


def _beside(plan: Plan) -> str:
    if plan.fair:
        return (
            "Here:** AdvDeb, LFERM and FairC (`fairwitness.fair`) beside the plain models that they are made "
            "from. They hear of the groups in training and decide without them. At most "
            f"{plan.people} rejected rows of each group are searched by the genetic generator. The other "
            "models are in [papers-flips.md](papers-flips.md)."
        )
    return "Left out:** AdvDeb, LFERM and FairC: they are in [papers-flips-fair.md](papers-flips-fair.md)."


def _head(results: Results, plan: Plan) -> str:
    quick = "This is the quick form: German and gender only, fixed parameters.\n\n" if plan.quick else ""
    target = "papers-flips-fair" if plan.fair else "papers-flips"
    about = ": predictors that try to be fair" if plan.fair else ""
    return f"""\
# The published tables of counterfactual fair opportunity, and ours{about}

{quick}Tables 3, 4, 6, 7, 8, 9 and 10 of Cornacchia et al. (2023), run again with fairwitness. Every line
marked *paper* is their figure, every line marked *ours* comes from `make {target}`, which writes this
page. A cell that was not run says so.

**Run:** {results.dates()}, fairwitness {fairwitness.__version__}, scikit-learn {sklearn.__version__},
Python {platform.python_version()}, {results.cores()}, seed {plan.seed}.

**As published:** 10 % test rows (seed 42, stratified on outcome and group); `f` and `f_s` trained on the
other 90 %, neither sees the sensitive feature; counterfactuals come from the whole table, for the test rows
that `f` rejects and whose group `f_s` recovers; every column may change; k = 100;
`convention="published"`. CFlips in percent, values at k = 10 / 50 / 100, Δ without sign. `f_s` is XGB
except where a table says otherwise. *privileged*: men, the married, applicants above 25, White communities.

**Ours:** the generators. *Neighbours* stands beside the paper's KDtree, *genetic* beside its Genetic. Beside
neighbours there is a third, *unscaled*, which is no part of the library: rows that exist, chosen as DiCE's
k-d tree chooses them, by numbers without scale. {results.exact()}

**Parameters:** {results.parameters()}

**{_beside(plan)}

**A ceiling.** The published nDCCF credits ranks 1 … 99 over 1 … 100, so that 0.9928 is its highest value
@100 (1 @10 and @50): where a table prints 0.9928, nothing flipped. Our default, `convention="equations"`,
gives 1 there."""
