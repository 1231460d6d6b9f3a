"""From an audit's case to the distribution that bounds are read from: one table, counted once."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import narwhals as nw
import numpy as np

from fairwitness.causal.audit.options import Options
from fairwitness.causal.data.distribution import Distribution
from fairwitness.causal.data.prepared import MOST_VALUES
from fairwitness.causal.graph.causal_graph import CausalGraph
from fairwitness.errors import FairwitnessError
from fairwitness.findings import NotApplicable
from fairwitness.table.columns import read_column
from fairwitness.table.cuts import spec_of_name
from fairwitness.table.frames import native_column
from fairwitness.table.levels import level_text
from fairwitness.text import listing, number, plain

if TYPE_CHECKING:
    from fairwitness.case import Case, CausalSetting

KEY = "bounds"
#: Values of the decision's node.
ACCEPTED, REJECTED = "accepted", "rejected"
#: Values of the true outcome's node.
FAVOURABLE, OTHER = "favourable", "not favourable"


@dataclass(frozen=True, eq=False)
class Audited:
    """All that bounds need of one audit.

    Attributes
    ----------
    graph
        The user's graph without arcs at the decision: the decision is the model's.
    distribution
        Of all its nodes; the decision is what the model decided on each row.
    notes
        What was done to the data, and what the graph says of the model, one sentence each.
    unread
        Parents of the decision that the model does not read, the sensitive features among them.
    beyond
        Columns that the model reads and the graph leaves out.
    unlinked
        Columns that the model reads, but that the graph gives no edge to the decision.
    """

    case: Case
    setting: CausalSetting
    options: Options
    graph: CausalGraph
    distribution: Distribution
    notes: tuple[str, ...]
    unread: tuple[str, ...]
    beyond: tuple[str, ...]
    unlinked: tuple[str, ...]

    @property
    def decision(self) -> str:
        """Node of the decision."""
        return self.setting.decision

    @property
    def touched(self) -> tuple[str, ...]:
        """What a hidden common cause may move together with the decision, in the graph that is solved."""
        return self.graph.siblings(self.decision)

    @property
    def level(self) -> float | None:
        """Level of intervals that also cover sampling error; None where bounds are taken as they are."""
        return None if self.options.sampling_error == "none" else self.case.confidence

    @property
    def n(self) -> int:
        """Rows counted."""
        return int(self.distribution.n or 0)

    def shown(self, given: Mapping[str, object]) -> dict[str, str]:
        """Write values as people read them."""
        return {name: shown_value(value) for name, value in given.items()}


def shown_value(value: object) -> str:
    """Write a value for people: yes and no for truth values, no ``.0``."""
    if isinstance(value, bool | np.bool_):
        return "yes" if value else "no"
    return level_text(value)


def read_case(case: Case, setting: CausalSetting, options: Options) -> Audited | NotApplicable:
    """Count the graph's nodes in the case's table; or say why that cannot be done."""
    if not setting.graph.parents(setting.decision):
        return NotApplicable(
            KEY,
            f"in the graph, nothing leads to the decision {plain(setting.decision)}",
            "draw an edge to it from every column that the model reads",
        )
    accepted = case.judgement.accepted
    if accepted.all() or not accepted.any():
        return NotApplicable(
            KEY,
            f"the model {'rejects' if accepted.all() else 'accepts'} nobody",
            f"audit a table in which it {'rejects' if accepted.all() else 'accepts'} some",
        )
    amounts = _amounts(setting, options)
    if amounts:
        names = listing([plain(name) for name in amounts])
        hold = (
            f"the columns {names} of the graph hold"
            if len(amounts) > 1
            else f"the column {names} of the graph holds"
        )
        bins = ", ".join(f'"{plain(name)}" = [{number(middle)}]' for name, middle in amounts.items())
        return NotApplicable(
            KEY,
            f"{hold} amounts, and only variables of few values can be counted",
            f"say where to cut them, for example at their medians: bins = {{ {bins} }}",
        )
    try:
        distribution = Distribution.from_data(
            _table(case, setting),
            setting.graph.nodes,
            bins={name: where for name, where in options.bins.items() if name in setting.graph.nodes},
            levels={setting.decision: (REJECTED, ACCEPTED)},
            missing="drop",
        )
    except FairwitnessError as error:
        said = f" ({error.got})" if error.got else ""
        return NotApplicable(
            KEY, f"the graph's columns cannot be counted: {error.what}{said}", error.fix or ""
        )
    read = set(case.schema.names)
    parents = setting.graph.parents(setting.decision)
    named = {_column(node, setting, case) for node in setting.graph.nodes}
    beyond = tuple(name for name in case.schema.names if name not in named)
    # What the model reads outside the graph may share hidden causes with the graph's columns: then arcs at
    # the decision stay, and the decision is a column like others.
    known = case.models[0].info.can_query and not beyond
    graph = setting.graph.without_confounding(setting.decision) if known else setting.graph
    unlinked = tuple(
        node
        for node in setting.graph.nodes
        if _column(node, setting, case) in read and node not in parents and node != setting.decision
    )
    return Audited(
        case=case,
        setting=setting,
        options=options,
        graph=graph,
        distribution=distribution,
        notes=tuple(distribution.notes),
        unread=tuple(node for node in parents if _column(node, setting, case) not in read)
        if case.models[0].info.can_query
        else (),
        beyond=beyond,
        unlinked=unlinked,
    )


def _column(node: str, setting: CausalSetting, case: Case) -> str:
    """Give the column that a node stands for: ``age`` for a sensitive feature ``age > 25``."""
    if node not in setting.features:
        return node
    return spec_of_name(case.groups[setting.features[node]].name).column


def _amounts(setting: CausalSetting, options: Options) -> dict[str, float]:
    """Find columns of numbers that are no few whole ones and are not cut; give their medians."""
    found = {}
    for name in setting.graph.nodes:
        if name in options.bins or name in setting.features or name in (setting.decision, setting.outcome):
            continue
        column = read_column(native_column(setting.columns, name), name=name)
        if column.family not in {"integer", "float"}:
            continue
        values = column.numbers()
        values = np.unique(values[~np.isnan(values)])
        if len(values) > MOST_VALUES or bool(np.any(values != np.floor(values))):
            found[name] = float(np.nanmedian(column.numbers()))
    return found


def _table(case: Case, setting: CausalSetting) -> Any:
    """Put the graph's nodes side by side, in the kind of table that the user has."""
    if setting.columns.shape[1]:
        frame = nw.from_native(setting.columns, eager_only=True)
    else:  # a table without columns has no rows either
        import pandas as pd

        frame = nw.from_native(pd.DataFrame(index=range(case.n_rows)), eager_only=True)

    def series(name: str, values: Any) -> Any:
        return nw.new_series(name, values, backend=frame.implementation)

    more = [
        series(setting.decision, np.where(case.judgement.accepted, ACCEPTED, REJECTED).tolist()),
        *(
            series(node, case.groups[at].label_of(case.groups[at].codes).tolist())
            for node, at in setting.features.items()
        ),
    ]
    if setting.outcome is not None:
        assert case.y is not None
        more.append(series(setting.outcome, np.where(case.y, FAVOURABLE, OTHER).tolist()))
    return frame.with_columns(*more).to_native()
