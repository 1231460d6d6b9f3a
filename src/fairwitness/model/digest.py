"""A fingerprint of a model: SHA-256 of its file, or of bytes that equal models share."""

from __future__ import annotations

import hashlib
from pathlib import Path


def bytes_digest(data: bytes | bytearray) -> str:
    """SHA-256 of ``data``, as 64 hexadecimal digits."""
    return hashlib.sha256(data).hexdigest()


def file_digest(path: Path) -> str:
    """SHA-256 of a file, read in pieces."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def object_digest(model: object) -> str | None:
    """SHA-256 of the pickled object, ``None`` if it cannot be pickled.

    joblib's pickler is used because it writes equal objects as equal bytes: a plain pickle also records
    which of two equal strings happen to be one object.
    """
    from joblib.hashing import NumpyHasher

    try:
        digest = NumpyHasher("sha256").hash(model)
    except Exception:  # whatever an object's own __reduce__ may raise
        return None
    return str(digest)
