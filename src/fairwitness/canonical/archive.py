"""Fitted engines as files that hold numbers and JSON: written, read and checked, with no code in them."""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Hashable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
import pandas as pd

from fairwitness.arguments import shown
from fairwitness.canonical.rows import Rows
from fairwitness.errors import DataError, FairwitnessError
from fairwitness.table import Encoder, Feature, Schema, container_of
from fairwitness.text import plain
from fairwitness.typing import Document, NativeFrame

if TYPE_CHECKING:
    from fairwitness.canonical.base import CanonicalSampler

    S = TypeVar("S", bound=CanonicalSampler)

FORMAT = "fairwitness canonical sampler 1"
#: Engines that a file may name: whatever else it says is refused.
ENGINES = ("TreeCanonicalSampler", "BootstrapSampler", "LucidGAN")

_MISSING: Mapping[str, object] = {"None": None, "NaN": np.nan, "NA": pd.NA}


def write(sampler: CanonicalSampler, path: Path) -> None:
    """Write a fitted engine; see :meth:`fairwitness.canonical.CanonicalSampler.save`."""
    rows = sampler._fitted()
    arrays, state = sampler._state()
    settings = {
        name: value for name, value in sampler.get_params().items() if name not in ("schema", "random_state")
    }
    settings["protected"] = list(rows.protected)
    witness, content = _write_frame(_witness(rows))
    document = {
        "format": FORMAT,
        "engine": type(sampler).__name__,
        "settings": settings,
        "seed": sampler.seed_,
        "notes": list(rows.notes),
        "frame": witness,
        "features": [_write_feature(feature) for feature in rows.schema.features],
        "state": state,
    }
    try:
        text = json.dumps(document, allow_nan=False)
    except (TypeError, ValueError) as error:
        raise DataError(
            "the sampler cannot be written as numbers and JSON",
            got=plain(error),
            fix="use settings and levels that are numbers, text or booleans",
        ) from error
    kept = {
        "document": np.frombuffer(text.encode("ascii"), dtype=np.uint8),
        "frame": np.frombuffer(content, dtype=np.uint8),
        "matrix": np.ascontiguousarray(rows.matrix),
        "scores": rows.scores,
        **{f"state_{name}": array for name, array in arrays.items()},
    }
    try:
        with path.open("wb") as file:  # a file object, so that NumPy adds no suffix of its own
            np.savez_compressed(file, allow_pickle=False, **kept)  # type: ignore[arg-type]
    except OSError as error:
        raise DataError(
            "the sampler cannot be written",
            got=f"{plain(path)}: {plain(error.strerror or error)}",
            fix="name a file in a folder that exists and that you may write to",
        ) from error


def read(cls: type[S], path: Path) -> S:
    """Read what :func:`write` wrote; see :meth:`fairwitness.canonical.CanonicalSampler.load`."""
    import fairwitness.canonical as room

    try:
        with np.load(path, allow_pickle=False) as file:
            arrays = {name: file[name] for name in file.files}
        document = json.loads(arrays["document"].tobytes())
        if document["format"] != FORMAT or document["engine"] not in ENGINES:
            raise ValueError(f"{document['format']}, {document['engine']}")
        kind: type[CanonicalSampler] = getattr(room, document["engine"])
        if not issubclass(kind, cls):
            raise DataError(
                f"the file holds a {document['engine']}",
                fix=f"call {document['engine']}.load, or CanonicalSampler.load for any engine",
            )
        return _restored(kind, document, arrays)
    except FairwitnessError:
        raise
    except OSError as error:
        raise DataError(
            "the file cannot be read",
            got=f"{plain(path)}: {plain(error.strerror or error)}",
            fix="check the path",
        ) from error
    except (
        KeyError,
        ValueError,
        TypeError,
        AttributeError,
        EOFError,
        IndexError,
        zipfile.BadZipFile,
    ) as error:
        raise DataError(
            f"the file {plain(path.name)} holds no canonical sampler that this version can read",
            got=plain(error),
            fix="pass a file that CanonicalSampler.save wrote",
        ) from error


def _restored(kind: type[S], document: Document, arrays: Mapping[str, np.ndarray]) -> S:
    sampler = kind(**document["settings"], random_state=document["seed"])
    features = tuple(_read_feature(each) for each in document["features"])
    frame = _read_frame(document["frame"], arrays["frame"].tobytes())
    encoder = Encoder.fit(frame, Schema(features))
    matrix = np.asfortranarray(arrays["matrix"], dtype=np.float64)
    scores = np.asarray(arrays["scores"], dtype=np.float64)
    if matrix.shape != (len(scores), len(features)) or not ((scores >= 0) & (scores <= 1)).all():
        raise ValueError("its rows and scores do not fit each other")
    for column, feature in enumerate(features):
        values = matrix[~np.isnan(matrix[:, column]), column]
        if feature.is_coded and not np.isin(values, np.arange(len(feature.levels))).all():
            raise ValueError("a code is no level")
    sampler.seed_ = int(document["seed"])
    protected = tuple(map(str, document["settings"]["protected"]))
    sampler.notes_ = tuple(map(str, document["notes"]))
    sampler.rows_ = Rows(encoder, matrix, scores, protected, int(sampler.max_levels), sampler.notes_)
    state = {name.removeprefix("state_"): each for name, each in arrays.items() if name.startswith("state_")}
    sampler._restore(state, document["state"])
    return sampler


def _witness(rows: Rows) -> NativeFrame:
    """Give a few rows that show all that there is to know of the columns' types: one, and every gap."""
    missing = np.isnan(rows.matrix)
    chosen = {0, *(int(at) for at in missing.argmax(axis=0))}
    return rows.frame(rows.matrix[sorted(chosen)])


def _write_feature(feature: Feature) -> Document:
    return {
        "name": feature.name,
        "kind": feature.kind,
        "bounds": None if feature.bounds is None else list(feature.bounds),
        "precision": feature.precision,
        "levels": [_write_value(level, feature.name) for level in feature.levels],
        "nullable": feature.nullable,
        "label": _write_value(feature.column, feature.name),
    }


def _read_feature(document: Document) -> Feature:
    bounds = document["bounds"]
    return Feature(
        document["name"],
        document["kind"],
        bounds=None if bounds is None else (float(bounds[0]), float(bounds[1])),
        precision=document["precision"],
        levels=tuple(document["levels"]),
        nullable=document["nullable"],
        column=document["label"],
    )


def _write_value(value: Any, name: str) -> Any:
    """Give a level or label as JSON holds it, in its own type."""
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, bool | int | float | str):
        return value
    raise DataError(
        f"column {plain(name)!r} holds a value or has a label that JSON cannot hold",
        got=shown(value),
        fix="use text, numbers or booleans",
    )


def _write_frame(frame: NativeFrame) -> tuple[Document, bytes]:
    """Write a small frame: pandas in JSON (its types have no portable form), the others in arrow's format."""
    container = container_of(frame)
    if container == "pandas":
        columns = [_write_series(frame.iloc[:, at], label) for at, label in enumerate(frame.columns.tolist())]
        return {"container": container, "columns": columns}, b""
    sink = io.BytesIO()
    if container == "polars":
        frame.write_ipc(sink)
    else:
        import pyarrow as pa

        with pa.ipc.new_file(sink, frame.schema) as writer:
            writer.write_table(frame)
    return {"container": container}, sink.getvalue()


def _read_frame(document: Document, content: bytes) -> NativeFrame:
    if document["container"] == "pandas":
        series = [_read_series(each) for each in document["columns"]]
        frame = pd.DataFrame(dict(enumerate(series)))
        frame.columns = pd.Index([each["label"] for each in document["columns"]])
        return frame
    if document["container"] == "polars":
        import polars as pl

        return pl.read_ipc(io.BytesIO(content))
    import pyarrow as pa

    return pa.ipc.open_file(io.BytesIO(content)).read_all()


def _write_series(series: Any, label: Hashable) -> Document:
    name = str(label)
    out: Document = {"label": _write_value(label, name), "dtype": str(series.dtype)}
    if isinstance(series.dtype, pd.CategoricalDtype):
        levels = series.cat.categories
        out["categories"] = [_write_value(level, name) for level in levels.tolist()]
        out["categories_dtype"] = str(levels.dtype)
        out["ordered"] = bool(series.cat.ordered)
    out["values"] = [
        {"missing": _mark(value)} if pd.isna(value) else _write_value(value, name)
        for value in series.tolist()
    ]
    return out


def _read_series(document: Document) -> Any:
    values = [
        _MISSING[value["missing"]] if isinstance(value, dict) else value for value in document["values"]
    ]
    if "categories" in document:
        levels = pd.Index(document["categories"], dtype=document["categories_dtype"])
        return pd.Series(values, dtype=pd.CategoricalDtype(levels, ordered=document["ordered"]))
    return pd.Series(values, dtype=document["dtype"])


def _mark(value: object) -> str:
    if value is None:
        return "None"
    return "NA" if value is pd.NA else "NaN"
