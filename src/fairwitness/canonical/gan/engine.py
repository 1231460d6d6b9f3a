"""LUCID-GAN behind the same fit and sample as every other engine."""

from __future__ import annotations

import time
import warnings
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Literal

import numpy as np

from fairwitness.arguments import shown, whole_number
from fairwitness.canonical.base import Arrays, CanonicalSampler, told
from fairwitness.canonical.gan.checkpoints import Checkpoint
from fairwitness.canonical.gan.codec import Codec
from fairwitness.canonical.gan.conditions import Scores
from fairwitness.canonical.gan.fitting import Watch, fit
from fairwitness.canonical.gan.modes import Modes
from fairwitness.canonical.gan.obedience import Obedience
from fairwitness.canonical.gan.settings import Settings, pick_device, settle
from fairwitness.canonical.gan.work import Fitted, Work
from fairwitness.canonical.request import Request, keeps, resolve
from fairwitness.canonical.rows import Rows
from fairwitness.errors import ConfigError, FairwitnessWarning
from fairwitness.extras import import_extra
from fairwitness.rng import child, child_seed, seed_from
from fairwitness.table import Schema
from fairwitness.typing import Document, FloatArray, RandomState

_READERS = ("generator", "surrogate", "ratio")


class LucidGAN(CanonicalSampler):
    """A generator that is told a score and trained against a critic (LUCID-GAN). Needs torch, extra ``gan``.

    The tree engine is quicker, and nearer to the data, on all that was measured (``docs/canonical-gan.md``).
    This one is for comparison with the published method.

    Parameters
    ----------
    preset
        ``"default"``: what was found to work. ``"published"``: as in the paper, with packs of ten rows for
        the critic, the score as one number, nothing else told at generation, and the last epoch's weights.
        Settings below that are ``None`` are the preset's.
    epochs
        Passes over the rows: as many as give 900 steps, 10 at least; published 300.
    batch_size
        Rows a step: 500. Smaller tables have smaller batches, and it is said.
    pac
        Rows that the critic sees at once: 1; published 10.
    score
        ``"embedded"``: the networks see the score in 16 radial bins of its rank and 16 of its value.
        ``"raw"``: as one number, as published.
    condition
        The level that is told at generation where no column is fixed: ``"local"``, of a row with a nearby
        score; ``"empirical"``, of any row; ``"zero"``, none, as published, which the networks never met in
        training.
    learning_rate
        0.0005; published 0.0002.
    guidance
        Weight of the loss of a small network that reads the score of a row; 0: none, as published.
    candidates
        Rows that are made for every row that is given: one of them is drawn, by how much rather it would be a
        real row and how near its score is, as two small networks read it. 1: no choice, as published.
    time_budget
        Seconds after which training stops with the best epoch so far; ``None``: no limit. With a limit the
        rows depend on the machine's speed.
    device
        ``"auto"``: a GPU if there is one; or a name that torch knows. Equal seeds give equal rows on one
        kind of device.
    protected, schema, max_rows, max_levels, random_state
        As for every :class:`CanonicalSampler`.

    Attributes
    ----------
    history_
        What the generator was like after some epochs, on rows that were held out.
    chosen_
        The epoch that is used.

    References
    ----------
    Algaba et al., LUCID-GAN: Conditional Generative Models to Locate Unfairness (2023), section 3. The
    gradient penalty is that of Gulrajani et al. (2017). Training by sampling and mode-specific normalisation
    are those of Xu et al. (2019).
    """

    extra: ClassVar[str | None] = "gan"

    history_: tuple[Checkpoint, ...]
    chosen_: int
    _watch: Watch | None = None

    def __init__(
        self,
        *,
        preset: Literal["default", "published"] = "default",
        epochs: int | None = None,
        batch_size: int = 500,
        pac: int | None = None,
        score: Literal["embedded", "raw"] | None = None,
        condition: Literal["local", "empirical", "zero"] | None = None,
        learning_rate: float | None = None,
        guidance: float | None = None,
        candidates: int | None = None,
        time_budget: float | None = None,
        device: str = "auto",
        protected: Sequence[str] = (),
        schema: Schema | None = None,
        max_rows: int = 50_000,
        max_levels: int = 100,
        random_state: RandomState = 0,
    ) -> None:
        super().__init__(
            protected=protected,
            schema=schema,
            max_rows=max_rows,
            max_levels=max_levels,
            random_state=random_state,
        )
        self.preset = preset
        self.epochs = epochs
        self.batch_size = batch_size
        self.pac = pac
        self.score = score
        self.condition = condition
        self.learning_rate = learning_rate
        self.guidance = guidance
        self.candidates = candidates
        self.time_budget = time_budget
        self.device = device

    def _fit(self, rows: Rows, rng: np.random.Generator) -> None:
        start = time.monotonic()
        settings = self._settings()
        torch = import_extra("torch", "gan", purpose="LucidGAN")
        settings, notes = settings.for_rows(len(rows))
        codec = Codec.of(rows, plain=settings.published, seed=self.seed_)
        self._work = self._ready(torch, pick_device(torch, self.device), settings, codec)
        self._fitted_nets = fit(self._work, self.seed_, rng, start, self._watch)
        self.history_, self.chosen_ = self._fitted_nets.history, self._fitted_nets.chosen
        notes = (*notes, *self._fitted_nets.notes)
        for note in notes:
            warnings.warn(note, FairwitnessWarning, stacklevel=3)
        self.notes_ = (*self.notes_, *notes)

    def _draw(
        self,
        requested: FloatArray,
        fixed: Mapping[int, FloatArray],
        request: Request,
        rng: np.random.Generator,
    ) -> FloatArray:
        able = np.flatnonzero(keeps(self.rows_, self.rows_.matrix, request.where))
        return self._work.draw(self._fitted_nets, requested, fixed, able, rng)

    def obedience(
        self,
        where: Mapping[str, object],
        n: int = 1000,
        *,
        band: tuple[float, float] | None = None,
        quantile: tuple[float, float] | None = None,
        random_state: RandomState = None,
    ) -> Obedience:
        """Measure how often the generator itself makes fixed columns as it is told.

        Rows that are given always have them, for they are written in. Where the generator did not follow,
        the rest of such a row may not go with them: the gate says whether it does.

        Parameters
        ----------
        where
            Columns that are fixed, as for :meth:`sample`.
        n
            Rows to make.
        band, quantile
            Scores that they are made for, as for :meth:`sample`; all scores by default.
        random_state
            Seed; ``None``: the engine's own.

        Raises
        ------
        ConfigError
            If ``where`` fixes no column.
        DataError
            If no real row supports the request.
        """
        rows, n = self._fitted(), whole_number(n, "n")
        if not where:
            raise ConfigError(
                "where fixes no column", got=shown(where), fix='pass for example where={"sex": "Male"}'
            )
        if band is None and quantile is None:
            quantile = (0.0, 1.0)
        request = resolve(rows, score=None, band=band, quantile=quantile, where=where)
        seed = child_seed(self.seed_, "obedience") if random_state is None else seed_from(random_state)
        rng = child(seed, "obedience", request.words)
        requested, fixed = told(rows, request, n, rng)
        able = np.flatnonzero(keeps(rows, rows.matrix, request.where))
        matrix = self._work.unwritten(self._fitted_nets.generator, requested, fixed, able, rng)
        kept = {name: keeps(rows, matrix, {name: value}) for name, value in request.where.items()}
        together = np.logical_and.reduce(list(kept.values()))
        return Obedience({name: float(each.mean()) for name, each in kept.items()}, float(together.mean()), n)

    def _state(self) -> tuple[Arrays, Document]:
        nets = self._fitted_nets
        arrays: Arrays = {}
        for kind in _READERS:
            net = getattr(nets, kind) or {}
            arrays.update({f"{kind}:{name}": tensor.cpu().numpy() for name, tensor in net.items()})
        for column, modes in self._work.codec.modes.items():
            arrays.update({f"modes{column}:{name}": array for name, array in modes.arrays().items()})
        document = {
            "history": [each.to_dict() for each in nets.history],
            "chosen": nets.chosen,
            "notes": list(self.notes_),
            "numbers": list(self._work.codec.modes),
        }
        return arrays, document

    def _restore(self, arrays: Mapping[str, np.ndarray], document: Document) -> None:
        torch = import_extra("torch", "gan", purpose="LucidGAN")
        rows = self.rows_
        settings, _ = self._settings().for_rows(len(rows))
        modes = {int(at): Modes.read(_part(arrays, f"modes{int(at)}:")) for at in document["numbers"]}
        if set(modes) != {at for at in range(len(rows.names)) if not rows.is_coded(at)}:
            raise ValueError("its numeric columns are others")
        codec = Codec.from_modes(rows, modes, plain=settings.published)
        device = pick_device(torch, "auto" if self.device != "cpu" else "cpu")
        nets: dict[str, Any] = {}
        for kind in _READERS:
            part = _part(arrays, f"{kind}:")
            nets[kind] = {name: torch.from_numpy(array).to(device) for name, array in part.items()} or None
        self._work = self._ready(torch, device, settings, codec)
        self.history_ = tuple(map(Checkpoint.read, document["history"]))
        self.chosen_ = int(document["chosen"])
        self.notes_ = tuple(map(str, document["notes"]))
        self._fitted_nets = Fitted(**nets, history=self.history_, chosen=self.chosen_, notes=())
        self._work.check(self._fitted_nets)

    def _settings(self) -> Settings:
        return settle(**{name: getattr(self, name) for name in Settings.asked})

    def _ready(self, torch: Any, device: Any, settings: Settings, codec: Codec) -> Work:
        scores = Scores(np.sort(self.rows_.scores), settings.embedded)
        return Work(torch, device, settings, self.rows_, codec, scores, self.seed_)


def _part(arrays: Mapping[str, np.ndarray], start: str) -> dict[str, np.ndarray]:
    return {name.removeprefix(start): array for name, array in arrays.items() if name.startswith(start)}
