"""Tables: what the columns mean, how they become numbers, how far rows are apart, who is in which group."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fairwitness._lazy import attach

if TYPE_CHECKING:  # what type checkers and editors see; at run time the names come when first used
    from fairwitness.table.bins import EqualBins as EqualBins
    from fairwitness.table.canonical import canonical_order as canonical_order
    from fairwitness.table.canonical import row_keys as row_keys
    from fairwitness.table.canonical import table_hash as table_hash
    from fairwitness.table.cells import Cells as Cells
    from fairwitness.table.cells import count_cells as count_cells
    from fairwitness.table.columns import Column as Column
    from fairwitness.table.columns import read_column as read_column
    from fairwitness.table.combinations import Combinations as Combinations
    from fairwitness.table.count import Contingency as Contingency
    from fairwitness.table.count import count_table as count_table
    from fairwitness.table.cuts import SensitiveSpec as SensitiveSpec
    from fairwitness.table.cuts import cut as cut
    from fairwitness.table.cuts import parse_sensitive_spec as parse_sensitive_spec
    from fairwitness.table.distance import MixedDistance as MixedDistance
    from fairwitness.table.encode import Encoder as Encoder
    from fairwitness.table.feature import Feature as Feature
    from fairwitness.table.feature import Kind as Kind
    from fairwitness.table.frames import column as column
    from fairwitness.table.frames import column_labels as column_labels
    from fairwitness.table.frames import column_names as column_names
    from fairwitness.table.frames import container_of as container_of
    from fairwitness.table.frames import n_rows as n_rows
    from fairwitness.table.frames import native_column as native_column
    from fairwitness.table.frames import select_columns as select_columns
    from fairwitness.table.frames import take_rows as take_rows
    from fairwitness.table.frames import to_pandas as to_pandas
    from fairwitness.table.groups import Groups as Groups
    from fairwitness.table.groups import sensitive_columns as sensitive_columns
    from fairwitness.table.groups import sensitive_groups as sensitive_groups
    from fairwitness.table.levels import level_text as level_text
    from fairwitness.table.levels import sort_levels as sort_levels
    from fairwitness.table.limits import DEFAULT_LIMITS as DEFAULT_LIMITS
    from fairwitness.table.limits import Limits as Limits
    from fairwitness.table.links import Link as Link
    from fairwitness.table.read import read_table as read_table
    from fairwitness.table.schema import Schema as Schema

_NAMES = {
    "Cells": "cells",
    "Column": "columns",
    "EqualBins": "bins",
    "read_column": "columns",
    "Combinations": "combinations",
    "Contingency": "count",
    "Encoder": "encode",
    "Groups": "groups",
    "SensitiveSpec": "cuts",
    "MixedDistance": "distance",
    "Feature": "feature",
    "Kind": "feature",
    "Schema": "schema",
    "Limits": "limits",
    "Link": "links",
    "DEFAULT_LIMITS": "limits",
    "level_text": "levels",
    "sort_levels": "levels",
    "canonical_order": "canonical",
    "column": "frames",
    "column_labels": "frames",
    "column_names": "frames",
    "container_of": "frames",
    "count_cells": "cells",
    "count_table": "count",
    "cut": "cuts",
    "n_rows": "frames",
    "native_column": "frames",
    "parse_sensitive_spec": "cuts",
    "read_table": "read",
    "row_keys": "canonical",
    "select_columns": "frames",
    "sensitive_columns": "groups",
    "sensitive_groups": "groups",
    "table_hash": "canonical",
    "take_rows": "frames",
    "to_pandas": "frames",
}
__getattr__, __dir__ = attach(__name__, _NAMES)
__all__ = sorted(_NAMES)
