"""Random tables with constraints and a model that accepts some share of them."""

from __future__ import annotations

from hypothesis import strategies as st
from tests.oracle import mixed_tables as mixed

from fairwitness.model import as_blackbox
from fairwitness.table import Schema


@st.composite
def cases(draw, **table):
    frame, kinds = draw(mixed.tables(**table))
    names = list(frame.columns)
    ordinal = {
        name: {"kind": "ordinal", "levels": ("low", "mid", "high")}
        for name, kind in zip(names, kinds, strict=True)
        if kind == "ordinal"
    }
    schema = draw(mixed.constraints(Schema.infer(frame, **ordinal)))
    share = draw(st.sampled_from([0.0, 0.3, 0.7, 1.0]))
    return frame, schema, as_blackbox(mixed.coin(share), output="probability")
