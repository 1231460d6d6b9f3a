"""From what the user has (model, table, sensitive features) to the case that the methods read."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fairwitness._lazy import attach

if TYPE_CHECKING:  # what type checkers and editors see; at run time the names come when first used
    from fairwitness.intake.checks import Repeat as Repeat
    from fairwitness.intake.checks import repeated_groups as repeated_groups
    from fairwitness.intake.prepare import prepare_case as prepare_case

_NAMES = {"prepare_case": "prepare", "repeated_groups": "checks", "Repeat": "checks"}
__getattr__, __dir__ = attach(__name__, _NAMES)
