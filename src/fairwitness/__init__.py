"""fairwitness: a counterfactual fairness auditor for tabular decision models.

``import fairwitness as fw``; start with :class:`fw.Audit`, or with ``fairwitness demo`` in a terminal.
"""

from __future__ import annotations

from fairwitness._lazy import attach

__version__ = "0.1.0"

_NAMES = {
    "Audit": "audit",
    "AuditReport": "audit",
    "as_blackbox": "model.blackbox",
    "counterfactuals": "counterfactuals",
    "datasets": "datasets",
    "errors": "errors",
    "findings": "findings",
    "flips": "flips",
    "metrics": "metrics",
    "model": "model",
    "stats": "stats",
    "table": "table",
}
__getattr__, __dir__ = attach(__name__, _NAMES)
__all__ = sorted([*_NAMES, "__version__"])
