from __future__ import annotations

import collections
import datetime
import io
import pickle
from _compat_pickle import IMPORT_MAPPING, NAME_MAPPING
from pathlib import Path
from typing import Any

import joblib
import numpy as np
import pytest

from fairwitness.model.pickles import PickleFacts, scan_pickle


def scan(content: bytes) -> PickleFacts:
    return scan_pickle(io.BytesIO(content))


class Recorder(pickle._Unpickler):
    """Python's own unpickler, with the names it imports written down."""

    def __init__(self, content: bytes) -> None:
        super().__init__(io.BytesIO(content))
        self.names: set[str] = set()

    def find_class(self, module: str, name: str) -> Any:
        found = super().find_class(module, name)
        if self.proto < 3:  # names of Python 2 are translated
            module, name = NAME_MAPPING.get((module, name), (IMPORT_MAPPING.get(module, module), name))
        self.names.add(f"{module}.{name}")
        return found


VALUES = [
    {"a": [1, 2.5, None, True], "b": ("x", b"y", {1, 2}), 3: frozenset({4})},
    collections.OrderedDict(a=datetime.date(2020, 1, 1), b=datetime.timedelta(3)),
    np.arange(12).reshape(3, 4),
    np.array(["a", None, 3], dtype=object),
    collections.Counter("abca"),
    [np.float64(1.5), np.random.default_rng(0)],
    2**200,
]


@pytest.mark.parametrize("protocol", range(6))
@pytest.mark.parametrize("value", VALUES, ids=lambda value: type(value).__name__)
def test_the_names_are_those_that_python_imports(value: object, protocol: int) -> None:
    content = pickle.dumps(value, protocol=protocol)
    recorder = Recorder(content)
    recorder.load()
    facts = scan(content)
    assert facts.problem == ""
    assert facts.globals == recorder.names


@pytest.mark.parametrize("compress", [0, 3])
def test_arrays_inside_joblib_files_are_stepped_over(tmp_path: Path, compress: int) -> None:
    rng = np.random.default_rng(0)
    value = {
        "first": rng.normal(size=(40, 30)),
        "objects": np.array(["a", datetime.date(2020, 1, 1)], dtype=object),
        "ints": rng.integers(0, 255, 1000).astype(np.uint8),
        "text": np.array(["abc", "de"]),
        "empty": np.zeros((0, 3)),
        "last": collections.Counter("ab"),
    }
    joblib.dump(value, tmp_path / "x.joblib", compress=compress)
    content = (tmp_path / "x.joblib").read_bytes()
    if compress:
        import zlib

        content = zlib.decompress(content)
    facts = scan(content)
    assert facts.problem == ""
    assert {"collections.Counter", "datetime.date"} <= facts.globals


def test_names_from_the_memo_and_from_constants() -> None:
    # "os" is put into the memo, thrown away, and fetched for STACK_GLOBAL.
    content = b"\x80\x04\x8c\x02os\x94" + b"0" + b"h\x00" + b"\x8c\x06system\x93."
    assert scan(content).globals == {"os.system"}
    doubled = b"\x80\x04\x8c\x02os2\x93."
    assert scan(doubled).globals == {"os.os"}


def test_a_computed_name_is_not_overlooked() -> None:
    # module name = the result of a call, unknown without running it
    content = b"\x80\x04cbuiltins\nstr\n)R\x8c\x06system\x93."
    assert scan(content).globals == {"builtins.str", "?"}


def test_old_instances_and_extension_codes() -> None:
    assert scan(b"(ios\nsystem\n.").globals == {"os.system"}
    assert scan(b"\x80\x02\x82\x05.").globals == {"copyreg extension 5"}


@pytest.mark.parametrize(
    "content", [b"\x80\x04", b"\x80\x04\x93.", b"\x80\x04R.", b"\x80\x04\x95\xff", b"(((", b"\xff"]
)
def test_damage_is_a_problem_not_an_exception(content: bytes) -> None:
    assert scan(content).problem != ""


@pytest.mark.parametrize("opcode", [b"\x8d", b"\x8e", b"\x96"])
def test_a_length_beyond_the_file_is_not_believed(opcode: bytes, tmp_path: Path) -> None:
    path = tmp_path / "claims.pkl"
    path.write_bytes(b"\x80\x05" + opcode + (2**60).to_bytes(8, "little") + b"abc")
    with path.open("rb") as file:
        assert scan_pickle(file).problem != ""


def test_an_array_cannot_send_the_reader_backwards() -> None:
    wrapper = b"cjoblib.numpy_pickle\nNumpyArrayWrapper\n)\x81"
    state = b"}(\x8c\x05shape(J\xf6\xff\xff\xfft\x8c\x05dtypecnumpy\ndtype\n(\x8c\x02f8tRub."
    facts = scan(b"\x80\x04" + wrapper + state)
    assert facts.problem != ""
    assert facts.n_opcodes < 30


def test_reading_stops_at_a_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("fairwitness.model.pickles.MAX_OPCODES", 10)
    assert "only the first 10" in scan(pickle.dumps(list(range(100)))).problem
