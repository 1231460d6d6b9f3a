"""Tables: what the columns mean, how they become numbers, how far rows are apart, who is in which group."""

from __future__ import annotations

from fairwitness._lazy import attach

_NAMES = {
    "Column": "columns",
    "read_column": "columns",
    "Contingency": "count",
    "Encoder": "encode",
    "Groups": "groups",
    "SensitiveSpec": "cuts",
    "MixedDistance": "distance",
    "Feature": "schema",
    "Kind": "schema",
    "Schema": "schema",
    "Limits": "limits",
    "DEFAULT_LIMITS": "limits",
    "level_text": "levels",
    "sort_levels": "levels",
    "canonical_order": "canonical",
    "column": "frames",
    "column_labels": "frames",
    "column_names": "frames",
    "container_of": "frames",
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
