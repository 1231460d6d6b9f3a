"""Causal bounds: what a graph and a table say about the effect of a sensitive feature along chosen paths."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fairwitness._lazy import attach

if TYPE_CHECKING:  # what type checkers and editors see; at run time the names come when first used
    from fairwitness.causal.bounds import effect_bounds as effect_bounds
    from fairwitness.causal.citations import Citation as Citation
    from fairwitness.causal.data.distribution import Distribution as Distribution
    from fairwitness.causal.data.kernel import Kernel as Kernel
    from fairwitness.causal.data.kernel import read_predictor as read_predictor
    from fairwitness.causal.graph.causal_graph import CausalGraph as CausalGraph
    from fairwitness.causal.graph.nested import NestedCounterfactual as NestedCounterfactual
    from fairwitness.causal.graph.paths import PathSet as PathSet
    from fairwitness.causal.graph.paths import path_set as path_set
    from fairwitness.causal.graph.paths import through as through
    from fairwitness.causal.implied.independences import ImpliedTests as ImpliedTests
    from fairwitness.causal.implied.independences import Independence as Independence
    from fairwitness.causal.implied.independences import implied_independences as implied_independences
    from fairwitness.causal.implied.independences import test_independences as test_independences
    from fairwitness.causal.ladder import Ladder as Ladder
    from fairwitness.causal.ladder import Rung as Rung
    from fairwitness.causal.ladder import assumption_ladder as assumption_ladder
    from fairwitness.causal.notions import NOTIONS as NOTIONS
    from fairwitness.causal.notions import Notion as Notion
    from fairwitness.causal.notions import notion_table as notion_table
    from fairwitness.causal.notions import pc_fairness as pc_fairness
    from fairwitness.causal.plots import plot_bounds as plot_bounds
    from fairwitness.causal.row_bounds import RowBounds as RowBounds
    from fairwitness.causal.rows import population_bounds as population_bounds
    from fairwitness.causal.sampling.bootstrap import BootstrapBounds as BootstrapBounds
    from fairwitness.causal.sampling.bootstrap import bootstrap_bounds as bootstrap_bounds
    from fairwitness.causal.sampling.confidence import ConfidenceInterval as ConfidenceInterval
    from fairwitness.causal.sampling.confidence import effect_interval as effect_interval
    from fairwitness.causal.solver.problem import Limits as Limits
    from fairwitness.causal.solver.results import Certificate as Certificate
    from fairwitness.causal.solver.results import EffectBounds as EffectBounds
    from fairwitness.causal.verdict import Verdict as Verdict

_NAMES = {
    "Independence": "implied.independences",
    "ImpliedTests": "implied.independences",
    "implied_independences": "implied.independences",
    "test_independences": "implied.independences",
    "Kernel": "data.kernel",
    "read_predictor": "data.kernel",
    "BootstrapBounds": "sampling.bootstrap",
    "CausalGraph": "graph.causal_graph",
    "Certificate": "solver.results",
    "Citation": "citations",
    "ConfidenceInterval": "sampling.confidence",
    "Distribution": "data.distribution",
    "EffectBounds": "solver.results",
    "Ladder": "ladder",
    "Limits": "solver.problem",
    "NOTIONS": "notions",
    "NestedCounterfactual": "graph.nested",
    "Notion": "notions",
    "PathSet": "graph.paths",
    "RowBounds": "row_bounds",
    "Rung": "ladder",
    "Verdict": "verdict",
    "assumption_ladder": "ladder",
    "bootstrap_bounds": "sampling.bootstrap",
    "effect_bounds": "bounds",
    "effect_interval": "sampling.confidence",
    "notion_table": "notions",
    "path_set": "graph.paths",
    "pc_fairness": "notions",
    "plot_bounds": "plots",
    "population_bounds": "rows",
    "through": "graph.paths",
}
__getattr__, __dir__ = attach(__name__, _NAMES)
__all__ = sorted(_NAMES)
