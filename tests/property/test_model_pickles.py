from __future__ import annotations

import datetime
import fractions
import io
import pickle
import sys
from contextlib import suppress
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from fairwitness.errors import ModelError
from fairwitness.model import inspect_model
from fairwitness.model.pickles import scan_pickle

leaves = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(),
    st.text(max_size=8),
    st.binary(max_size=8),
    st.dates(),
    st.decimals(allow_nan=False),
    st.fractions(),
    st.uuids(),
    st.sampled_from([datetime.timedelta(1), Path("a"), fractions.Fraction(1, 3), len, dict]),
)
values = st.recursive(
    leaves,
    lambda inner: st.one_of(
        st.lists(inner, max_size=4),
        st.tuples(inner, inner),
        st.dictionaries(st.text(max_size=4), inner, max_size=4),
        st.sets(st.integers(), max_size=3),
    ),
    max_leaves=12,
)


class Recorder(pickle.Unpickler):
    def __init__(self, content: bytes) -> None:
        super().__init__(io.BytesIO(content))
        self.names: set[str] = set()

    def find_class(self, module: str, name: str) -> object:
        found = super().find_class(module, name)
        self.names.add(f"{module}.{name}")
        return found


@settings(max_examples=150, deadline=None)
@given(values, st.integers(4, 5))
def test_the_names_found_are_the_names_imported(value: object, protocol: int) -> None:
    content = pickle.dumps(value, protocol=protocol)
    recorder = Recorder(content)
    recorder.load()
    facts = scan_pickle(io.BytesIO(content))
    assert facts.problem == ""
    assert facts.globals == recorder.names


names = st.text("abcdefgh_", min_size=1, max_size=12)


@settings(max_examples=60, deadline=None)
@given(names, names, st.sampled_from(["old", "stack", "instance"]))
def test_inspection_imports_nothing(module: str, name: str, how: str) -> None:
    wanted = f"fw_missing_{module}"
    if how == "old":
        content = f"c{wanted}\n{name}\n)R.".encode()
    elif how == "instance":
        content = f"(i{wanted}\n{name}\n.".encode()
    else:
        content = b"\x80\x04" + b"".join(
            b"\x8c" + bytes([len(part)]) + part for part in (wanted.encode(), name.encode())
        )
        content += b"\x93)R."
    before = set(sys.modules)
    facts = scan_pickle(io.BytesIO(content))
    assert facts.globals == {f"{wanted}.{name}"}
    assert set(sys.modules) == before


@settings(max_examples=200, deadline=None)
@given(
    st.binary(max_size=60), st.sampled_from(["pkl", "onnx", "json", "ubj", "txt", "skops", "joblib", "bin"])
)
def test_any_bytes_give_a_description_or_an_error_of_ours(
    tmp_path_factory: object, content: bytes, suffix: str
) -> None:
    path = tmp_path_factory.getbasetemp() / f"any.{suffix}"  # type: ignore[attr-defined]
    for prefix in (
        b"",
        b"\x80\x04",
        b"\x08\x07",
        b"{L",
        b'{"learner":',
        b"PK\x03\x04",
        b"tree\n",
        b"\x78\x9c",
    ):
        path.write_bytes(prefix + content)
        with suppress(ModelError):
            inspect_model(path)
