"""What kind of model file this is: told by its content; the name only has to agree."""

from __future__ import annotations

import zipfile
from pathlib import Path
from typing import Literal, TypeAlias

from fairwitness.errors import ModelError
from fairwitness.model.pickles import scan_pickle
from fairwitness.text import plain

Format: TypeAlias = Literal[
    "skops", "onnx", "xgboost json", "xgboost ubj", "lightgbm", "pickle", "compressed pickle", "torch"
]
#: Loading one of these can run any code its maker put in.
UNSAFE: frozenset[Format] = frozenset({"pickle", "compressed pickle", "torch"})
#: Largest model file that is opened unless the caller says otherwise.
MAX_BYTES = 2 * 1024**3

_SUFFIXES: dict[str, tuple[Format, ...]] = {
    ".skops": ("skops",),
    ".onnx": ("onnx",),
    ".json": ("xgboost json",),
    ".ubj": ("xgboost ubj",),
    ".txt": ("lightgbm",),
    ".pkl": ("pickle", "compressed pickle", "torch"),
    ".pickle": ("pickle", "compressed pickle", "torch"),
    ".joblib": ("pickle", "compressed pickle"),
    ".pt": ("torch", "pickle"),
    ".pth": ("torch", "pickle"),
}
_COMPRESSED = (
    b"\x78\x01",
    b"\x78\x5e",
    b"\x78\x9c",
    b"\x78\xda",
    b"\x1f\x8b",
    b"BZh",
    b"\xfd7zXZ\x00",
    b"\x5d\x00\x00",
    b"\x04\x22\x4d\x18",
)
_SUPPORTED = ".skops, .onnx, .json or .ubj (XGBoost) or .txt (LightGBM)"


def model_format(path: Path, *, max_bytes: int = MAX_BYTES) -> Format:
    """Tell the format of a model file.

    Raises
    ------
    ModelError
        If there is no such file, it is empty or too large, of no known format, or its name promises
        another format than its content has.
    """
    shown = plain(path.name, most=80)
    if not path.is_file():
        kind = "a folder" if path.is_dir() else "no file"
        raise ModelError(f"the model file {shown} cannot be read", got=kind, fix="check the path")
    size = path.stat().st_size
    if size == 0:
        raise ModelError(f"the model file {shown} is empty", fix="save the model again")
    if size > max_bytes:
        raise ModelError(
            f"the model file {shown} is larger than {max_bytes:,} bytes",
            got=f"{size:,} bytes",
            fix="pass a larger max_bytes, or a smaller model",
        )
    try:
        found = _by_content(path)
    except OSError as error:
        raise ModelError(
            f"the model file {shown} cannot be read", got=type(error).__name__, fix="check its permissions"
        ) from error
    if found is None:
        raise ModelError(
            f"the model file {shown} is of no known format", fix=f"save the model as {_SUPPORTED}"
        )
    promised = _SUFFIXES.get(path.suffix.lower())
    if found not in UNSAFE and promised is not None and found not in promised:
        raise ModelError(
            f"the name of the model file {shown} does not fit its content",
            got=f"content of the format {found}",
            fix="rename the file, or pass the one you meant",
        )
    return found


def promises(path: Path) -> tuple[Format, ...]:
    """The formats that the file's name stands for; none if the name says nothing."""
    return _SUFFIXES.get(path.suffix.lower(), ())


def _by_content(path: Path) -> Format | None:
    with path.open("rb") as file:
        head = file.read(512)
    if head[:1] == b"\x80" and head[1:2] in (b"\x02", b"\x03", b"\x04", b"\x05"):
        return "pickle"
    if head.startswith(b"PK\x03\x04"):
        return _zip(path)
    if head.startswith(_COMPRESSED):
        return "compressed pickle"
    if head.startswith((b"tree\n", b"tree\r\n")):
        return "lightgbm"
    text = head.lstrip(b" \t\r\n\xef\xbb\xbf")
    if text.startswith(b"{"):
        rest = text[1:].lstrip(b" \t\r\n")
        if rest.startswith(b'"'):
            return "xgboost json"
        if rest[:1] in (b"L", b"l", b"I", b"i", b"U"):
            return "xgboost ubj"
    if head[:1] == b"\x08":  # the field every ONNX file starts with: its version
        return "onnx"
    # Pickles of the oldest protocols have no mark of their own: they are told by being one.
    with path.open("rb") as file:
        facts = scan_pickle(file)
    if (facts.globals and not facts.problem) or (not facts.problem and "pickle" in promises(path)):
        return "pickle"
    return None


def _zip(path: Path) -> Format | None:
    try:
        with zipfile.ZipFile(path) as archive:
            names = archive.namelist()
    except zipfile.BadZipFile:
        return None
    if "schema.json" in names:
        return "skops"
    if any(name.endswith("data.pkl") for name in names):
        return "torch"
    return None
