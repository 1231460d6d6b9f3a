"""What every engine of canonical sets is: fitted on rows and scores, asked for rows of a given score."""

from __future__ import annotations

import os
import warnings
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator

from fairwitness.arguments import as_path, whole_number
from fairwitness.canonical.request import FEW, Request, keeps, resolve
from fairwitness.canonical.rows import Rows, read_rows
from fairwitness.errors import FairwitnessWarning, NotFittedError
from fairwitness.rng import child, child_seed, seed_from
from fairwitness.table import Schema, n_rows
from fairwitness.typing import Document, FloatArray, NativeFrame, RandomState

#: Arrays by name, as they are kept in a saved file.
Arrays = dict[str, np.ndarray]

#: The two sets that are compared unless others are asked for: the tenth with the highest scores, and with
#: the lowest.
TOP = (0.9, 1.0)
BOTTOM = (0.0, 0.1)


@dataclass(frozen=True, eq=False)
class CanonicalSet:
    """Rows that were made for a request, and what is known about how.

    Attributes
    ----------
    frame
        The rows: the columns that were fitted, in the same kind of table.
    matrix
        (n, d) the same as numbers (see :class:`~fairwitness.table.Encoder`).
    requested
        (n,) the score that each row was made for.
    request
        What was asked for, with the real rows that support it.
    rows
        The real rows that the engine learnt from.
    engine
        Name of the engine's class.
    seed
        Seed of the draw.
    """

    frame: NativeFrame
    matrix: FloatArray
    requested: FloatArray
    request: Request
    rows: Rows
    engine: str
    seed: int

    def __len__(self) -> int:
        return len(self.requested)

    def __repr__(self) -> str:
        return (
            f"<CanonicalSet: {len(self):,} rows by {self.engine} for {self.request.words}; "
            f"{self.request.support:,} real rows support the request>"
        )

    @property
    def kept(self) -> float:
        """Share of the rows in which every fixed column is as it was asked for."""
        return float(keeps(self.rows, self.matrix, self.request.where).mean())

    def real(self) -> NativeFrame:
        """Give the real rows that support the request, as a frame."""
        return self.rows.frame(self.rows.matrix[self.request.rows])


class CanonicalSampler(BaseEstimator, ABC):  # type: ignore[misc]
    """An engine: learns how rows look at every score, and makes rows for a request.

    Parameters
    ----------
    protected
        Columns of the frame that the model does not see, kept beside its inputs: what a set shows of them
        came through other columns (proxies).
    schema
        Kinds of the columns; inferred if absent. It may describe more columns than the frame has.
    max_rows
        Rows that are learnt from at most; of more, this many are drawn at random, and it is said.
    max_levels
        Levels of a column that are learnt one by one; the rarest beyond it are learnt as one, and it is said.
    random_state
        Seed. Equal seeds give equal rows, whatever the order of the rows that were fitted.

    Attributes
    ----------
    rows_
        The rows that were learnt from, as numbers, with their scores.
    notes_
        What was done to the table, one sentence each.
    seed_
        The seed that was used.
    """

    #: Whether the engine needs torch, and the extra that brings it.
    extra: ClassVar[str | None] = None

    rows_: Rows
    notes_: tuple[str, ...]
    seed_: int

    def __init__(
        self,
        *,
        protected: Sequence[str] = (),
        schema: Schema | None = None,
        max_rows: int = 50_000,
        max_levels: int = 100,
        random_state: RandomState = 0,
    ) -> None:
        self.protected = protected
        self.schema = schema
        self.max_rows = max_rows
        self.max_levels = max_levels
        self.random_state = random_state

    def fit(self, frame: NativeFrame, scores: ArrayLike) -> Self:
        """Learn from rows and the model's scores of them.

        Parameters
        ----------
        frame
            pandas, polars or pyarrow table of n rows: the model's inputs, and protected columns beside them.
            Better rows that the model was not trained on.
        scores
            (n,) the model's score of the favourable outcome, in [0, 1].

        Raises
        ------
        DataError
            If a score is missing or outside [0, 1] (the message names the rows), or the table cannot be read.
        """
        self.seed_ = seed_from(self.random_state)
        self.rows_ = read_rows(
            frame,
            scores,
            protected=self.protected,
            schema=self.schema,
            max_rows=whole_number(self.max_rows, "max_rows", least=10),
            max_levels=whole_number(self.max_levels, "max_levels", least=2),
            seed=self.seed_,
        )
        self.notes_ = self.rows_.notes
        for note in self.notes_:
            warnings.warn(note, FairwitnessWarning, stacklevel=2)
        self._fit(self.rows_, child(self.seed_, "fit"))
        return self

    def sample(
        self,
        n: int = 1000,
        *,
        score: float | None = None,
        band: tuple[float, float] | None = None,
        quantile: tuple[float, float] | None = None,
        where: Mapping[str, object] | None = None,
        random_state: RandomState = None,
    ) -> NativeFrame:
        """Make ``n`` rows such as the model scores so; the frame of :meth:`sample_set`.

        Parameters
        ----------
        n
            Number of rows.
        score
            One score for all rows, in [0, 1]. A score at the edge of the data (1, say) asks for rows of which
            few exist: a band or a quantile is the firmer request.
        band
            Scores from low to high; each row is made for a score that real rows in the band have.
        quantile
            The same, with the ends as quantiles of the scores of all rows.
        where
            Columns that are fixed, all at once: a value, ``(low, high)`` for a number, a list of values, or
            ``None`` for missing.
        random_state
            Seed of the draw; ``None``: the engine's own, so that equal calls give equal rows.

        Returns
        -------
        frame of n rows
            The columns that were fitted, in the same kind of table.

        Raises
        ------
        ConfigError
            If not exactly one of ``score``, ``band`` and ``quantile`` is given.
        DataError
            If no real row supports the request: the message names the nearest ones that some do.

        Warns
        -----
        FairwitnessWarning
            If fewer than 30 real rows support the request.
        """
        return self.sample_set(
            n, score=score, band=band, quantile=quantile, where=where, random_state=random_state
        ).frame

    def sample_set(
        self,
        n: int = 1000,
        *,
        score: float | None = None,
        band: tuple[float, float] | None = None,
        quantile: tuple[float, float] | None = None,
        where: Mapping[str, object] | None = None,
        random_state: RandomState = None,
    ) -> CanonicalSet:
        """Make ``n`` rows as :meth:`sample` does, with the scores they were made for.

        Returns
        -------
        CanonicalSet
            What :class:`~fairwitness.canonical.CanonicalGate` and
            :func:`~fairwitness.canonical.contrast` take.
        """
        rows = self._fitted()
        n = whole_number(n, "n")
        request = resolve(rows, score=score, band=band, quantile=quantile, where=where)
        if request.support < FEW:
            warnings.warn(
                f"Only {request.support:,} real row{'s' * (request.support != 1)} support the request "
                f"({request.words}): what the set shows rests on them.",
                FairwitnessWarning,
                stacklevel=2,
            )
        seed = child_seed(self.seed_, "sample") if random_state is None else seed_from(random_state)
        rng = child(seed, "sample", request.words)
        requested, fixed = told(rows, request, n, rng)
        matrix = self._draw(requested, fixed, request, rng)
        return CanonicalSet(
            frame=rows.frame(matrix),
            matrix=matrix,
            requested=requested,
            request=request,
            rows=rows,
            engine=type(self).__name__,
            seed=seed,
        )

    def positive(self, n: int = 1000, **request: Any) -> CanonicalSet:
        """Make the positive set: by default for the tenth of the rows with the highest scores.

        Takes what :meth:`sample` takes.
        """
        return self._default(n, TOP, request)

    def negative(self, n: int = 1000, **request: Any) -> CanonicalSet:
        """Make the negative set: by default for the tenth of the rows with the lowest scores.

        Takes what :meth:`sample` takes.
        """
        return self._default(n, BOTTOM, request)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the fitted engine to a file (NumPy's ``.npz``) that holds numbers and JSON, and no code.

        The rows that it learnt from are in it: treat the file as you treat the table.

        Raises
        ------
        DataError
            If a column's type or a level cannot be written so.
        """
        from fairwitness.canonical.archive import write

        write(self, as_path(path))

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Self:
        """Read an engine that :meth:`save` wrote. Nothing in the file is run.

        Called on :class:`CanonicalSampler` it gives whichever engine of ours the file holds.

        Raises
        ------
        DataError
            If the file is none of ours, or holds another engine.
        """
        from fairwitness.canonical.archive import read

        return read(cls, as_path(path))

    @abstractmethod
    def _fit(self, rows: Rows, rng: np.random.Generator) -> None:
        """Learn from the rows; keep what was learnt in attributes that end with an underscore."""

    @abstractmethod
    def _draw(
        self,
        requested: FloatArray,
        fixed: Mapping[int, FloatArray],
        request: Request,
        rng: np.random.Generator,
    ) -> FloatArray:
        """Give an (n, d) matrix of rows.

        Parameters
        ----------
        requested
            (n,) the score that each row is made for.
        fixed
            Column → (n,) matrix values that the rows have to have, of a real row with such a score.
        request
            The request as a whole.
        rng
            The only source of chance.
        """

    def _state(self) -> tuple[Arrays, Document]:
        """Give what was learnt as arrays and plain values; what :meth:`_restore` needs besides the rows."""
        return {}, {}

    def _restore(self, arrays: Mapping[str, np.ndarray], document: Document) -> None:
        """Take back what :meth:`_state` gave; ``rows_`` and ``seed_`` are there already."""

    def _default(self, n: int, quantile: tuple[float, float], request: dict[str, Any]) -> CanonicalSet:
        if not any(request.get(name) is not None for name in ("score", "band", "quantile")):
            request = {**request, "quantile": quantile}
        return self.sample_set(n, **request)

    def _fitted(self) -> Rows:
        if not hasattr(self, "rows_"):
            raise NotFittedError(
                f"this {type(self).__name__} has not learnt anything yet",
                fix="call fit(frame, scores) first",
            )
        return self.rows_


def told(
    rows: Rows, request: Request, n: int, rng: np.random.Generator
) -> tuple[FloatArray, dict[int, FloatArray]]:
    """Draw what each of ``n`` rows is made for: its score, and the values of the fixed columns.

    A real row in the band, with the fixed columns, says which score and which values go together.
    """
    donor = request.rows[rng.integers(0, request.support, n)]
    requested = np.full(n, request.exact) if request.exact is not None else rows.scores[donor]
    columns = [rows.names.index(name) for name in request.where]
    return requested, {column: rows.matrix[donor, column] for column in columns}


def same_columns(rows: Rows, frame: NativeFrame) -> FloatArray:
    """Give a frame as a matrix of the columns that an engine was fitted on.

    Raises
    ------
    DataError
        If a column is missing, or holds a level that was not there.
    """
    return rows.encoder.encode(frame) if n_rows(frame) else np.empty((0, len(rows.names)))
