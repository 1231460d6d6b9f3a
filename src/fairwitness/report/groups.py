"""Each group's colour and marker: decided once for the whole page."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from markupsafe import Markup

from fairwitness.drawing import GROUP_COLOURS, GROUP_MARKERS
from fairwitness.report import show

#: The figures' markers as characters (text presentation, never pictures).
_SHAPES = ("●", "■", "▲", "◆", "▼", "✚\ufe0e", "✖\ufe0e", "⬟")


class GroupStyles:
    """Style indices of the groups of all sensitive features, in the order of the document.

    Groups of different features look different as long as the palette lasts, so that a colour means one
    group in the whole page.
    """

    def __init__(self, document: Mapping[str, Any]) -> None:
        self._index: dict[tuple[str, str], int] = {}
        self._privileged: dict[str, str] = {}
        for feature in document["audited"]["sensitive_features"]:
            self._privileged[feature["name"]] = feature["privileged"]
            for label in feature["labels"]:
                self.index(feature["name"], label)

    def index(self, feature: str, label: str) -> int:
        """Give the position in the palette; a group not seen before gets the next one."""
        return self._index.setdefault((feature, label), len(self._index))

    def privileged(self, feature: str) -> str | None:
        """Give the group that the others of ``feature`` are compared with, if the document names it."""
        return self._privileged.get(feature)

    def shown(self, feature: str, label: str, *, small: bool = False) -> Markup:
        """Show a group's name with its marker; ``small`` groups get a dagger."""
        at = self.index(feature, label)
        return Markup('<span class="key g{}" aria-hidden="true">{}</span>{}{}').format(
            at % len(GROUP_COLOURS),
            _SHAPES[at % len(GROUP_MARKERS)],
            show.name(label),
            Markup('<span class="dagger">\u00a0†<span class="off"> small group</span></span>')
            if small
            else "",
        )
