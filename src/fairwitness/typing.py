"""Type aliases shared by all rooms."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, TypeAlias

if TYPE_CHECKING:  # the command line imports these names and must start without numpy
    import numpy as np
    from numpy.typing import NDArray

FloatArray: TypeAlias = "NDArray[np.float64]"
IntArray: TypeAlias = "NDArray[np.int64]"
BoolArray: TypeAlias = "NDArray[np.bool_]"
ObjectArray: TypeAlias = "NDArray[np.object_]"

#: A pandas, polars or pyarrow table, as the user has it. narwhals looks inside.
NativeFrame: TypeAlias = Any
#: A dictionary that :mod:`json` can write.
Document: TypeAlias = dict[str, Any]

RandomState: TypeAlias = "int | np.random.Generator | np.random.SeedSequence | None"
MissingPolicy: TypeAlias = Literal["error", "group", "drop"]
