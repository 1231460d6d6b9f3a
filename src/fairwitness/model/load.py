"""Load a model file: formats that cannot run code by default, pickles only where the user allows it.

One loader for one format, told by the content. There is no fallback from one loader to another.
"""

from __future__ import annotations

import zipfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from fairwitness.arguments import as_path
from fairwitness.errors import MissingExtraError, ModelError, UnsafeFileError
from fairwitness.model.formats import MAX_BYTES, UNSAFE, Format, model_format, promises
from fairwitness.model.messages import said
from fairwitness.text import listing, plain


def load_model(
    path: str | Path,
    *,
    allow_pickle: bool = False,
    trusted: Sequence[str] = (),
    max_bytes: int = MAX_BYTES,
) -> object:
    """Load a model from a file.

    Parameters
    ----------
    path
        skops, ONNX, XGBoost JSON or UBJ, or LightGBM text; with ``allow_pickle`` also pickle, joblib and
        torch files.
    allow_pickle
        Loading a pickle runs whatever its maker put in. Allow it for files of your own only.
    trusted
        For skops: full names of types that may be built although skops does not know them.
    max_bytes
        Largest file that is opened.

    Returns
    -------
    object
        What :func:`fairwitness.model.as_blackbox` takes.

    Raises
    ------
    UnsafeFileError
        If loading could run code and that was not allowed.
    ModelError
        If the file is missing, empty, too large, damaged, or its name and content disagree.
    MissingExtraError
        If the package that reads the format is not installed.
    """
    path = as_path(path)
    found = model_format(path, max_bytes=max_bytes)
    if found in UNSAFE:
        _refuse_unsafe(path, found, allowed=allow_pickle)
        return _torch(path) if found == "torch" else _pickle(path)
    if found == "skops":
        return _skops(path, trusted, max_bytes)
    if found == "onnx":
        from fairwitness.model.adapters.onnx_model import onnx_session
        from fairwitness.model.protobuf import read_onnx

        data = path.read_bytes()
        if read_onnx(data).external_data:
            raise ModelError(
                f"the ONNX model {_shown(path)} keeps weights in another file",
                fix="export it as one file, without external data",
            )
        return onnx_session(data)
    return _lightgbm(path) if found == "lightgbm" else _xgboost(path)


def _refuse_unsafe(path: Path, found: Format, *, allowed: bool) -> None:
    promised = promises(path)
    if promised and found not in promised:
        raise UnsafeFileError(
            f"the model file {_shown(path)} is a {found} under another name, and loading it could run code",
            got=f"a {found} called {plain(path.suffix, most=20)}",
            fix="do not use this file unless you know why it is named so; then rename it",
        )
    if not allowed:
        raise UnsafeFileError(
            f"the model file {_shown(path)} is a {found}, and loading it could run any code",
            fix="save the model with skops or ONNX; or, if you trust whoever made the file, pass "
            "--allow-pickle (in Python: load_model(path, allow_pickle=True)); "
            "fairwitness inspect-model shows what it imports",
        )


def _pickle(path: Path) -> object:
    import joblib

    try:
        return joblib.load(path)
    except Exception as error:  # unpickling may raise anything
        raise _damaged(path, "pickle", error) from error


def _torch(path: Path) -> object:
    try:
        import torch
    except ImportError as error:
        raise MissingExtraError("torch", "gan", purpose="reading a torch file") from error
    try:
        module = torch.load(path, map_location="cpu", weights_only=False)
    except Exception as error:  # unpickling may raise anything
        raise _damaged(path, "torch file", error) from error
    if not isinstance(module, torch.nn.Module):
        raise ModelError(
            f"the torch file {_shown(path)} holds weights but no module",
            got=type(module).__name__,
            fix="save the whole module, or build it and pass the module itself",
        )
    return module


def _skops(path: Path, trusted: Sequence[str], max_bytes: int) -> object:
    try:
        import skops.io
    except ImportError as error:
        raise MissingExtraError("skops", "models", purpose="reading a .skops file") from error
    try:
        with zipfile.ZipFile(path) as archive:
            unpacked = sum(each.file_size for each in archive.infolist())
        if unpacked > max_bytes:
            raise ValueError(f"unpacked it has {unpacked:,} bytes, more than {max_bytes:,}")
        unknown = sorted(set(skops.io.get_untrusted_types(file=path)) - set(trusted))
    except Exception as error:  # a damaged archive raises many kinds
        raise _damaged(path, "skops file", error) from error
    if unknown:
        names = [plain(name, most=80) for name in unknown]
        raise UnsafeFileError(
            f"the skops file {_shown(path)} holds types that skops does not know to be harmless",
            got=listing(names, most=20),
            fix=f"if you trust them, pass load_model(path, trusted={unknown[:20]!r})",
        )
    try:
        return skops.io.load(path, trusted=list(trusted))
    except ImportError as error:
        raise ModelError(
            f"the skops file {_shown(path)} needs a package that is not installed",
            got=plain(error, most=120),
            fix="install the packages that the model was trained with",
        ) from error
    except Exception as error:  # a damaged archive raises many kinds
        raise _damaged(path, "skops file", error) from error


def _xgboost(path: Path) -> object:
    try:
        import xgboost
    except ImportError as error:
        raise MissingExtraError("xgboost", "models", purpose="reading an XGBoost model") from error
    data = path.read_bytes()
    if b"learner" not in data[:4096] and b"learner" not in data:
        raise ModelError(
            f"the file {_shown(path)} is no XGBoost model", fix="save the model with Booster.save_model"
        )
    booster = xgboost.Booster()
    try:
        booster.load_model(bytearray(data))
    except Exception as error:  # xgboost checks the document while it builds
        raise _damaged(path, "XGBoost model", error) from error
    return booster


def _lightgbm(path: Path) -> object:
    try:
        import lightgbm
    except ImportError as error:
        raise MissingExtraError("lightgbm", "models", purpose="reading a LightGBM model") from error
    try:
        text = path.read_text(encoding="utf-8")
        # The library trusts these to be there.
        if "\nfeature_names=" not in text or "\nTree=0" not in text or "\nend of trees" not in text:
            raise ValueError("a part of the text is missing")
        return lightgbm.Booster(model_str=text)
    except Exception as error:  # lightgbm checks the text while it builds
        raise _damaged(path, "LightGBM model", error) from error


def _damaged(path: Path, what: str, error: Exception) -> ModelError:
    return ModelError(
        f"the {what} {_shown(path)} cannot be loaded",
        got=said(error),
        fix="save the model again with versions that both sides have, and compare the file's size",
    )


def _shown(path: Path) -> Any:
    return plain(path.name, most=80)
