"""What is in a model file, without building the model or importing what it names."""

from __future__ import annotations

import bz2
import gzip
import io
import json
import lzma
import zipfile
import zlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any

from fairwitness.arguments import as_path
from fairwitness.errors import ModelError
from fairwitness.model.digest import file_digest
from fairwitness.model.formats import MAX_BYTES, UNSAFE, Format, model_format, promises
from fairwitness.model.pickles import PickleFacts, scan_pickle
from fairwitness.model.protobuf import read_onnx
from fairwitness.model.ubjson import read_ubjson
from fairwitness.text import listing, plain
from fairwitness.typing import Document

#: Largest part of an archive that is unpacked to look at.
_MAX_MEMBER = 256 * 1024**2
#: Packages whose names in a pickle are what one expects of a model.
_USUAL = frozenset(
    {"numpy", "scipy", "sklearn", "joblib", "pandas", "xgboost", "lightgbm", "catboost", "imblearn", "torch"}
)
#: Names of the standard library that ordinary models pickle.
_HARMLESS = frozenset(
    {
        "builtins.set",
        "builtins.frozenset",
        "builtins.slice",
        "builtins.range",
        "builtins.complex",
        "builtins.bytearray",
        "builtins.object",
        "collections.OrderedDict",
        "collections.defaultdict",
        "collections.Counter",
        "collections.deque",
        "copyreg._reconstructor",
        "_codecs.encode",
        "datetime.datetime",
        "datetime.date",
        "datetime.timedelta",
        "decimal.Decimal",
    }
)


@dataclass(frozen=True, slots=True)
class ModelFile:
    """A model file as seen from outside.

    Attributes
    ----------
    name
        Name of the file, without its folder.
    format
        ``"skops"``, ``"onnx"``, ``"xgboost json"``, ``"xgboost ubj"``, ``"lightgbm"``, ``"pickle"``,
        ``"compressed pickle"`` or ``"torch"``.
    size
        Bytes.
    sha256
        Of the file.
    loads_by_default
        Whether :func:`fairwitness.model.load_model` loads it without further permission.
    needs
        What loading takes: packages, and the permission if one is needed.
    warnings
        What a careful reader should know, one sentence each.
    details
        By format: what a pickle imports, the types in a skops file, inputs and outputs of an ONNX model,
        objective, trees and features of a booster.
    """

    name: str
    format: Format
    size: int
    sha256: str
    loads_by_default: bool
    needs: tuple[str, ...]
    warnings: tuple[str, ...] = ()
    details: Mapping[str, object] = field(default_factory=dict)

    def to_dict(self) -> Document:
        """Give plain values for JSON."""
        return {
            "name": self.name,
            "format": self.format,
            "size": self.size,
            "sha256": self.sha256,
            "loads_by_default": self.loads_by_default,
            "needs": list(self.needs),
            "warnings": list(self.warnings),
            "details": dict(self.details),
        }


@dataclass(slots=True)
class _Found:
    needs: tuple[str, ...] = ()
    warnings: list[str] = field(default_factory=list)
    details: dict[str, object] = field(default_factory=dict)
    loads: bool = True


def inspect_model(path: str | Path, *, max_bytes: int = MAX_BYTES) -> ModelFile:
    """Say what is in a model file without loading it.

    Parameters
    ----------
    path
        The file.
    max_bytes
        Largest file that is opened.

    Returns
    -------
    ModelFile
        Format, size, digest, what would be needed to load it, and warnings.

    Raises
    ------
    ModelError
        If the file is missing, empty, too large, damaged, or of no known format.
    """
    path = as_path(path)
    kind = model_format(path, max_bytes=max_bytes)
    readers: dict[Format, Callable[[Path], _Found]] = {
        "pickle": _pickle,
        "compressed pickle": _compressed,
        "torch": _torch,
        "skops": _skops,
        "onnx": _onnx,
        "xgboost json": _xgboost_json,
        "xgboost ubj": _xgboost_ubj,
        "lightgbm": _lightgbm,
    }
    found = readers[kind](path)
    if kind in UNSAFE:
        found.loads = False
        found.warnings.insert(0, "Loading this file can run any code that its maker put in.")
        promised = promises(path)
        if promised and kind not in promised:
            found.warnings.insert(1, f"The file is a {kind} under the name of another format.")
    return ModelFile(
        name=plain(path.name, most=200),
        format=kind,
        size=path.stat().st_size,
        sha256=file_digest(path),
        loads_by_default=found.loads,
        needs=found.needs,
        warnings=tuple(found.warnings),
        details=found.details,
    )


def _pickle(path: Path) -> _Found:
    with path.open("rb") as file:
        return _pickle_found(scan_pickle(file))


def _compressed(path: Path) -> _Found:
    with path.open("rb") as file:
        data = _decompressed(file)
    found = _pickle_found(scan_pickle(io.BytesIO(data)))
    if len(data) >= MAX_BYTES:
        found.warnings.append("Only the first part of the decompressed file was read.")
    return found


def _pickle_found(facts: PickleFacts) -> _Found:
    names = sorted(plain(name, most=200) for name in facts.globals)
    packages = sorted({name.partition(".")[0] for name in names} - {"?", "builtins"})
    unusual = [name for name in names if name.partition(".")[0] not in _USUAL and name not in _HARMLESS]
    found = _Found(
        needs=("allow_pickle", *(each for each in packages if each in _USUAL)),
        details={
            "protocol": facts.protocol,
            "imports": names,
            "unusual_imports": unusual,
            "n_opcodes": facts.n_opcodes,
        },
    )
    if unusual:
        found.warnings.append(f"It imports what models do not usually need: {listing(unusual)}.")
    if facts.problem:
        found.warnings.append(f"Reading stopped early: {facts.problem}.")
    return found


def _decompressed(file: IO[bytes]) -> bytes:
    head = file.read(6)
    file.seek(0)
    try:
        if head.startswith(b"\x1f\x8b"):
            return gzip.GzipFile(fileobj=file).read(MAX_BYTES)
        if head.startswith(b"BZh"):
            return bz2.BZ2File(file).read(MAX_BYTES)
        if head.startswith((b"\xfd7zXZ\x00", b"\x5d\x00\x00")):
            return lzma.LZMAFile(file).read(MAX_BYTES)
        if head.startswith(b"\x78"):
            return zlib.decompressobj().decompress(file.read(), MAX_BYTES)
    except (OSError, EOFError, zlib.error, lzma.LZMAError) as error:
        raise ModelError(
            "the compressed file is damaged", got=type(error).__name__, fix="copy or save it again"
        ) from error
    return b""


def _torch(path: Path) -> _Found:
    facts = PickleFacts()
    try:
        with zipfile.ZipFile(path) as archive:
            for name in archive.namelist():
                if name.endswith(".pkl"):
                    part = scan_pickle(io.BytesIO(_member(archive, name)))
                    facts.protocol = max(facts.protocol, part.protocol)
                    facts.globals |= part.globals
                    facts.n_opcodes += part.n_opcodes
                    facts.problem = facts.problem or part.problem
    except zipfile.BadZipFile as error:
        raise ModelError("the archive is damaged", fix="copy or save it again") from error
    return _pickle_found(facts)


def _skops(path: Path) -> _Found:
    try:
        with zipfile.ZipFile(path) as archive:
            schema = json.loads(_member(archive, "schema.json"))
    except (zipfile.BadZipFile, KeyError, ValueError, RecursionError) as error:
        raise ModelError(
            "the skops file is damaged", got=type(error).__name__, fix="save it again with skops.io.dump"
        ) from error
    types: set[str] = set()
    _collect_types(schema, types, depth=0)
    found = _Found(
        needs=("skops", *sorted({name.partition(".")[0] for name in types} & _USUAL)),
        details={"types": sorted(plain(name, most=200) for name in types)},
    )
    try:
        from skops.io import get_untrusted_types

        unknown = [plain(name, most=200) for name in get_untrusted_types(file=path)]
    except ImportError:
        found.details["untrusted_types"] = None
        found.warnings.append("skops is not installed, so which types it trusts is not known.")
    except Exception as error:  # skops raises many kinds on archives it cannot read
        found.warnings.append(f"skops cannot read the file ({type(error).__name__}).")
        found.loads = False
    else:
        found.details["untrusted_types"] = unknown
        if unknown:
            found.loads = False
            found.needs = ("trusted=[...]", *found.needs)
            found.warnings.append(
                f"It holds types that skops does not know to be harmless: {listing(unknown)}; "
                "load_model(path, trusted=[...]) allows them by name."
            )
    return found


def _collect_types(node: Any, types: set[str], *, depth: int) -> None:
    if depth > 200:
        raise ValueError("nested too deeply")
    if isinstance(node, dict):
        module, name = node.get("__module__"), node.get("__class__")
        if isinstance(module, str) and isinstance(name, str):
            types.add(f"{module}.{name}")
        for value in node.values():
            _collect_types(value, types, depth=depth + 1)
    elif isinstance(node, list):
        for value in node:
            _collect_types(value, types, depth=depth + 1)


def _onnx(path: Path) -> _Found:
    facts = read_onnx(path.read_bytes())
    found = _Found(
        needs=("onnxruntime",),
        details={
            "producer": plain(facts.producer),
            "ir_version": facts.ir_version,
            "opset": {plain(name): version for name, version in facts.opset.items()},
            "inputs": [value.to_dict() for value in facts.inputs],
            "outputs": [value.to_dict() for value in facts.outputs],
            "operators": sorted({plain(name) for name in facts.operators}),
            "classes": None if facts.class_labels is None else [plain(each) for each in facts.class_labels],
        },
    )
    if facts.external_data:
        found.loads = False
        found.warnings.append("It keeps weights in another file, which is not loaded.")
    return found


def _xgboost_json(path: Path) -> _Found:
    try:
        document = json.loads(path.read_bytes())
    except (ValueError, RecursionError) as error:
        raise ModelError(
            "the file is no readable JSON", got=type(error).__name__, fix="save the model again"
        ) from error
    return _xgboost(document)


def _xgboost_ubj(path: Path) -> _Found:
    return _xgboost(read_ubjson(path.read_bytes()))


def _xgboost(document: object) -> _Found:
    learner = _at(document, "learner")
    if not isinstance(learner, dict):
        raise ModelError("the file is no XGBoost model", fix="save the model with Booster.save_model")
    booster = _at(learner, "gradient_booster")
    # dart keeps its trees one level deeper
    model = _at(booster, "model") or _at(booster, "gbtree", "model")
    names = _at(learner, "feature_names")
    trees = _at(model, "gbtree_model_param", "num_trees")
    return _Found(
        needs=("xgboost",),
        details={
            "version": _at(document, "version"),
            "booster": _at(booster, "name"),
            "objective": _at(learner, "objective", "name"),
            "n_classes": _number(_at(learner, "learner_model_param", "num_class")),
            "n_features": _number(_at(learner, "learner_model_param", "num_feature")),
            "n_trees": _number(trees),
            "features": [plain(name) for name in names] if isinstance(names, list) else [],
        },
    )


def _lightgbm(path: Path) -> _Found:
    header: dict[str, str] = {}
    trees = 0
    with path.open(encoding="utf-8", errors="replace") as file:
        for line in file:
            if line.startswith("Tree="):
                trees += 1
            elif not trees and "=" in line:
                key, _, value = line.rstrip("\r\n").partition("=")
                header[key] = value
    if "feature_names" not in header:
        raise ModelError("the LightGBM model is damaged", fix="save it again with Booster.save_model")
    features = header["feature_names"].split(" ")
    return _Found(
        needs=("lightgbm",),
        details={
            "version": header.get("version", ""),
            "objective": plain(header.get("objective", "custom")),
            "n_classes": _number(header.get("num_class")),
            "n_features": len(features),
            "n_trees": trees,
            "features": [plain(name) for name in features],
        },
    )


def _member(archive: zipfile.ZipFile, name: str) -> bytes:
    with archive.open(name) as file:
        return file.read(_MAX_MEMBER)


def _at(node: object, *keys: str) -> Any:
    for key in keys:
        if not isinstance(node, dict):
            return None
        node = node.get(key)
    return node


def _number(value: object) -> int | None:
    return int(value) if isinstance(value, str | int) and str(value).isdigit() else None
