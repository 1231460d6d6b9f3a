"""fairwitness: a counterfactual fairness auditor for tabular decision models.

``import fairwitness as fw``; start with :class:`fw.Audit`, or with ``fairwitness demo`` in a terminal.

======================= ======================================================================================
``fw.Audit``            one model and one table in, one report out
``fw.as_blackbox``      any model behind one question: who is accepted
``fw.flips``            counterfactual fair opportunity: CFlips, nDCCF, proxies, comparisons
``fw.causal``           bounds on path-specific counterfactual effects, given a causal graph
``fw.canonical``        what rows look like that the model is sure to accept, and to reject
``fw.metrics``          group rates, their differences and ratios
``fw.model``            cross-fitting, the sensitive-feature classifier, safe loading, decision makers
``fw.counterfactuals``  generators of counterfactuals
``fw.table``            kinds and constraints of columns, groups, reading
``fw.stats``            intervals, resampling, multiplicity
``fw.fair``             predictors that try to be fair, to audit and to compare with
``fw.datasets``         loaders of public data, synthetic worlds with known answers
``fw.findings``         findings, severities, thresholds
``fw.errors``           everything that is raised on purpose
======================= ======================================================================================
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from fairwitness._lazy import attach

if TYPE_CHECKING:  # what type checkers and editors see; at run time the names come when first used
    from fairwitness import (
        canonical as canonical,
    )
    from fairwitness import (
        causal as causal,
    )
    from fairwitness import (
        counterfactuals as counterfactuals,
    )
    from fairwitness import (
        datasets as datasets,
    )
    from fairwitness import (
        errors as errors,
    )
    from fairwitness import (
        fair as fair,
    )
    from fairwitness import (
        findings as findings,
    )
    from fairwitness import (
        flips as flips,
    )
    from fairwitness import (
        metrics as metrics,
    )
    from fairwitness import (
        model as model,
    )
    from fairwitness import (
        stats as stats,
    )
    from fairwitness import (
        table as table,
    )
    from fairwitness.audit import Audit as Audit
    from fairwitness.audit import AuditReport as AuditReport
    from fairwitness.model.blackbox import as_blackbox as as_blackbox

__version__ = "0.1.0"

_NAMES = {
    "Audit": "audit",
    "AuditReport": "audit",
    "as_blackbox": "model.blackbox",
    "canonical": "canonical",
    "causal": "causal",
    "counterfactuals": "counterfactuals",
    "datasets": "datasets",
    "errors": "errors",
    "fair": "fair",
    "findings": "findings",
    "flips": "flips",
    "metrics": "metrics",
    "model": "model",
    "stats": "stats",
    "table": "table",
}
__getattr__, __dir__ = attach(__name__, _NAMES)
__all__ = sorted([*_NAMES, "__version__"])
