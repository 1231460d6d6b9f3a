"""Provably nearest counterfactuals, for models that can be looked into.

The way of a question through this room:

``unfold``
    The user's model → a *form* (``forms``, ``readers``): a sum of trees, a weighted sum, or a ReLU network,
    over numbers that each depend on one column (``steps``). The steps before the estimator are called,
    never imitated.
``columns``, ``grids``, ``lines``, ``metric``
    What every column may become for one query, and what each value costs.
``leaves``, ``ensemble`` | ``terms``, ``relu``, ``smooth``
    How high and how low the margin can be while every column is somewhere in a range: for trees from the
    leaves that can be reached, for sums and networks from straight lines above and below.
``search``, ``answer``, ``generator``
    Best-first branch and bound, within growing limits, until k rows are proved.

Why a search of our own, and no solver: on German credit, with a random forest of 100 trees of depth 10
(13,547 leaves), a CP-SAT model over the split intervals proves a query in 20 s; the search here, in 0.2 s.
Nearest rows change few columns: within a distance of 1 or 2 a few hundred leaves are left, and about a
hundred boxes settle the question. (Behind as good a cut, CP-SAT is as quick.) The search gives the k nearest
rows in one pass, where a solver starts again for every one; it proves in exact positions, where a solver has
tolerances; and it needs nothing but numpy. The same search with straight-line bounds does networks, which
would otherwise need a big-M programme. ``docs/exact.md`` has the figures.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from fairwitness._lazy import attach

if TYPE_CHECKING:
    from fairwitness.counterfactuals.exact.generator import ExactGenerator as ExactGenerator

_NAMES = {"ExactGenerator": "generator"}
__getattr__, __dir__ = attach(__name__, _NAMES)
__all__ = sorted(_NAMES)
