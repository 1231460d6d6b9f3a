"""Data sets with known answers: synthetic worlds, and loaders for the public sets of the papers.

No public data set is shipped. Every loader looks at ``path=``, then at the folder named by the environment
variable ``FAIRWITNESS_DATA``, then, where a faithful copy is served online, at the network if ``fetch=True``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from fairwitness._lazy import attach

if TYPE_CHECKING:  # what type checkers and editors see; at run time the names come when first used
    from fairwitness.datasets import loanapp as loanapp
    from fairwitness.datasets.adult import load_adult as load_adult
    from fairwitness.datasets.adult import load_adult_debiased as load_adult_debiased
    from fairwitness.datasets.base import Dataset as Dataset
    from fairwitness.datasets.compas import load_compas as load_compas
    from fairwitness.datasets.crime import load_crime as load_crime
    from fairwitness.datasets.german import load_german as load_german
    from fairwitness.datasets.law_school import load_law_school as load_law_school
    from fairwitness.datasets.loanapp import load_loanapp as load_loanapp
    from fairwitness.datasets.worlds import World as World
    from fairwitness.datasets.worlds import blind_world as blind_world
    from fairwitness.datasets.worlds import graded_world as graded_world
    from fairwitness.datasets.worlds import proxy_world as proxy_world

_NAMES = {
    "Dataset": "base",
    "World": "worlds",
    "blind_world": "worlds",
    "graded_world": "worlds",
    "load_adult": "adult",
    "load_adult_debiased": "adult",
    "load_compas": "compas",
    "load_crime": "crime",
    "load_german": "german",
    "load_law_school": "law_school",
    "load_loanapp": "loanapp",
    "loanapp": "loanapp",
    "proxy_world": "worlds",
}
__getattr__, __dir__ = attach(__name__, _NAMES)
__all__ = sorted(_NAMES)
