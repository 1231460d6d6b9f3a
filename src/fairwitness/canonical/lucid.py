"""LUCID: inputs that a torch module is sure of, found by going up (or down) its gradient.

Every sample starts somewhere and is moved until the module gives it a probability of more than .99. What
samples look like at the end, beside what they looked like at the start, is what the module prefers. It is not
what people look like: rows need not be realistic. Unlike in the published program the loss is on logits (a
softmax of a softmax hardly has a gradient), numbers stay in their range, categories are one level each at
every step, and samples stop when the module is sure of them.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Literal

import numpy as np

from fairwitness.arguments import real_number, shown, whole_number
from fairwitness.canonical.lucid_module import Asked, Shape, slope_of
from fairwitness.canonical.lucid_set import LucidSet
from fairwitness.errors import ConfigError, DataError, ModelError, NotFittedError
from fairwitness.extras import import_extra
from fairwitness.model.adapters.containers import numeric_matrix
from fairwitness.rng import child, child_seed, seed_from
from fairwitness.table import column_names, container_of, n_rows
from fairwitness.text import listing, plain
from fairwitness.typing import FloatArray, IntArray, NativeFrame, RandomState

#: Samples whose logit has not grown by this much for so many steps get no further.
LEAST_GAIN, PATIENCE = 1e-3, 25


class Lucid:
    """Canonical inputs of a torch module by its gradient. Needs torch (extra ``gan``).

    Parameters
    ----------
    module
        A ``torch.nn.Module`` from (n, d) numbers to (n,), (n, 1) or (n, C).
    one_hot
        Column → the module's inputs that are its levels, in one-hot form: ``{"sex": ["sex_F", "sex_M"]}``.
    output
        ``"logit"``, ``"probability"``, or ``"auto"``: probabilities if the last layer is a sigmoid or a
        softmax. Such a last layer of an ``nn.Sequential`` is left out, for its logits.
    favorable
        Column of the favourable outcome where the module gives several; by default the last.
    steps
        Steps at most.
    learning_rate
        Of Adam. Numbers move in units of their range.
    stop
        Probability of the wanted outcome beyond which a sample is done.
    random_state
        Seed.

    Notes
    -----
    The module is asked in evaluation mode; its weights, their gradients and its mode stay as they were.

    References
    ----------
    Mazijn et al., LUCID: Exposing Algorithmic Bias through Inverse Design (2023), for the method.
    """

    extra: ClassVar[str] = "gan"

    def __init__(
        self,
        module: Any,
        *,
        one_hot: Mapping[str, Sequence[str]] | None = None,
        output: Literal["auto", "logit", "probability"] = "auto",
        favorable: int = -1,
        steps: int = 200,
        learning_rate: float = 0.1,
        stop: float = 0.99,
        random_state: RandomState = 0,
    ) -> None:
        if output not in ("auto", "logit", "probability"):
            raise ConfigError(
                "output must be 'auto', 'logit' or 'probability'",
                got=shown(output),
                fix='pass output="logit"',
            )
        if not callable(module) or not hasattr(module, "parameters"):
            raise ModelError(
                "this is no torch module", got=plain(type(module).__name__), fix="pass a torch.nn.Module"
            )
        self.module = module
        self.one_hot = {} if one_hot is None else one_hot
        self.output = output
        self.favorable = favorable
        self.steps = whole_number(steps, "steps")
        self.learning_rate = real_number(learning_rate, "learning_rate", above=0)
        self.stop = real_number(stop, "stop", above=0.5, below=1)
        self.random_state = random_state

    def fit(self, inputs: NativeFrame) -> Lucid:
        """Learn the ranges of the module's inputs.

        Parameters
        ----------
        inputs
            Table of rows as the module takes them: numbers, one-hot columns among them.

        Raises
        ------
        DataError
            If there is no row, a value is missing or infinite, or a one-hot column is none.
        ModelError
            If a column holds no numbers.
        """
        import_extra("torch", "gan", purpose="Lucid")
        names = column_names(inputs)
        if not n_rows(inputs) or not names:
            raise DataError("there are no rows to learn ranges from", fix="pass rows that the module takes")
        matrix = numeric_matrix(inputs, purpose="a torch module takes numbers")
        broken = [name for at, name in enumerate(names) if not np.isfinite(matrix[:, at]).all()]
        if broken:
            raise DataError(
                "inputs are missing or infinite",
                got=f"in {listing([plain(name) for name in broken])}",
                fix="fill them as the module's own preprocessing does",
            )
        self.blocks_ = self._read_blocks(names, matrix)
        self.seed_ = seed_from(self.random_state)
        self.names_ = tuple(names)
        self._matrix = matrix
        self._container = container_of(inputs)
        inside = {at for block in self.blocks_.values() for at in block}
        self._numbers = np.array([at for at in range(len(names)) if at not in inside], dtype=np.int64)
        self._low = matrix[:, self._numbers].min(axis=0, initial=np.inf)
        self._high = matrix[:, self._numbers].max(axis=0, initial=-np.inf)
        self._whole = np.asarray((matrix[:, self._numbers] == np.round(matrix[:, self._numbers])).all(axis=0))
        return self

    def sample(
        self,
        n: int = 1000,
        *,
        positive: bool = True,
        start: Literal["uniform", "data"] = "uniform",
        where: Mapping[str, object] | None = None,
        random_state: RandomState = None,
    ) -> LucidSet:
        """Find ``n`` inputs that the module is sure of.

        Parameters
        ----------
        n
            Number of inputs.
        positive
            Whether the favourable outcome is wanted, or the other.
        start
            ``"uniform"``: numbers anywhere in their ranges, any level; ``"data"``: fitted rows.
        where
            Inputs that stay as they are told: a number for a column, the name of an input for a one-hot one.
        random_state
            Seed of the draw; ``None``: the engine's own.

        Raises
        ------
        ConfigError, DataError
            If the request makes no sense.
        ModelError
            If the module fails, or gives no gradient.
        """
        if not hasattr(self, "names_"):
            raise NotFittedError("this Lucid has not seen any inputs yet", fix="call fit(inputs) first")
        n = whole_number(n, "n")
        if start not in ("uniform", "data"):
            raise ConfigError(
                "start must be 'uniform' or 'data'", got=shown(start), fix='pass start="uniform"'
            )
        torch = import_extra("torch", "gan", purpose="Lucid")
        seed = child_seed(self.seed_, "sample") if random_state is None else seed_from(random_state)
        rng = child(seed, "lucid", "positive" if positive else "negative", start)
        fixed = self._read_where(where)
        first = self._start(n, start, rng)
        for at, value in fixed.items():
            first[:, at] = value
        matrix, logits, taken, history = self._climb(torch, first, fixed, 1.0 if positive else -1.0, rng)
        scores = 1 / (1 + np.exp(-np.clip(logits, -700, 700)))
        return LucidSet(
            names=self.names_,
            matrix=matrix,
            start=first,
            scores=scores,
            reached=(scores if positive else 1 - scores) > self.stop,
            steps=taken,
            history=history,
            positive=bool(positive),
            blocks=self.blocks_,
            container=self._container,
        )

    def _climb(
        self, torch: Any, first: FloatArray, fixed: Mapping[int, float], sign: float, rng: np.random.Generator
    ) -> tuple[FloatArray, FloatArray, IntArray, FloatArray]:
        """Move all samples at once; those that are done, or get no further, leave the batch."""
        weights = next(iter(self.module.parameters()), None)
        dtype = torch.float32 if weights is None or not weights.is_floating_point() else weights.dtype
        device = torch.device("cpu") if weights is None else weights.device

        def put(array: np.ndarray) -> Any:
            return torch.tensor(array, dtype=dtype, device=device)

        shape = Shape(
            torch,
            put,
            low=self._low,
            high=self._high,
            whole=self._whole,
            numbers=self._numbers,
            blocks=tuple(self.blocks_.values()),
        )
        of_levels = [at for block in self.blocks_.values() for at in block]
        free = put(np.array([at not in fixed for at in [*self._numbers.tolist(), *of_levels]], dtype=float))
        m = len(self._numbers)
        # a level leads by a little at the start, so that it can be overtaken
        levels = first[:, of_levels] + 0.5 * rng.random((len(first), len(of_levels)))
        part = torch.cat([(put(first[:, self._numbers]) - shape.low) / shape.length, put(levels)], 1)
        moment, square = torch.zeros_like(part), torch.zeros_like(part)
        alive = torch.arange(len(first), device=device)
        out = put(first)
        best = torch.full((len(first),), -math.inf, dtype=out.dtype, device=device)
        stale = torch.zeros(len(first), dtype=torch.int64, device=device)
        taken = np.zeros(len(first), dtype=np.int64)
        bar = math.log(self.stop / (1 - self.stop))
        history: list[float] = []
        with Asked(self.module, self.output, self.favorable) as ask:
            for step in range(self.steps + 1):
                part.requires_grad_(True)
                rows = shape.rows(part)
                found = sign * ask(torch, rows)
                now = found.detach()
                better = now > best[alive] + LEAST_GAIN
                better |= torch.isinf(best[alive])
                gone = alive[better]
                out[gone], best[gone] = rows.detach()[better], now[better]
                stale[alive] += 1
                stale[gone] = 0
                history.append(float(torch.sigmoid(sign * best).mean()))
                kept = torch.nonzero((now <= bar) & (stale[alive] < PATIENCE))[:, 0]
                if not len(kept) or step == self.steps:
                    break
                slope = slope_of(torch, torch.nn.functional.softplus(-found).sum(), part)[kept] * free
                alive = alive[kept]
                taken[alive.cpu().numpy()] += 1
                moment = 0.9 * moment[kept] + 0.1 * slope
                square = 0.999 * square[kept] + 0.001 * slope**2
                scale = math.sqrt(1 - 0.999 ** (step + 1)) / (1 - 0.9 ** (step + 1)) * self.learning_rate
                part = part.detach()[kept] - scale * moment / (square.sqrt() + 1e-12)
                part[:, :m].clamp_(0, 1)
        values, logits = (each.cpu().numpy().astype(np.float64) for each in (out, sign * best))
        return values, logits, taken, np.array(history)

    def _start(self, n: int, start: str, rng: np.random.Generator) -> FloatArray:
        if start == "data":
            return np.asarray(self._matrix[rng.integers(0, len(self._matrix), n)])
        out = np.zeros((n, len(self.names_)))
        values = self._low + rng.random((n, len(self._numbers))) * (self._high - self._low)
        out[:, self._numbers] = np.where(self._whole, np.round(values), values)
        for block in self.blocks_.values():
            out[np.arange(n), np.array(block)[rng.integers(0, len(block), n)]] = 1.0
        return out

    def _read_blocks(self, names: Sequence[str], matrix: FloatArray) -> dict[str, tuple[int, ...]]:
        if not isinstance(self.one_hot, Mapping):
            raise ConfigError(
                "one_hot must map a column to its inputs",
                got=shown(self.one_hot),
                fix='pass for example one_hot={"sex": ["sex_F", "sex_M"]}',
            )
        blocks: dict[str, tuple[int, ...]] = {}
        for column, inputs in self.one_hot.items():
            listed = [inputs] if isinstance(inputs, str) else [str(each) for each in inputs]
            unknown = [name for name in listed if name not in names]
            if unknown or not listed:
                raise DataError(
                    f"one_hot of {plain(str(column))!r} names inputs that are not in the table",
                    got=listing([plain(name) for name in unknown]) or "none",
                    fix=f"use some of {listing([plain(name) for name in names])}",
                )
            block = tuple(names.index(name) for name in listed)
            values = matrix[:, block]
            if not np.isin(values, (0, 1)).all() or not (values.sum(axis=1) == 1).all():
                raise DataError(
                    f"the inputs of {plain(str(column))!r} are not one-hot",
                    got="rows in which they are not a single 1 and zeros",
                    fix="name all levels of the column, and pass them as zeros and ones",
                )
            blocks[str(column)] = block
        met = [at for block in blocks.values() for at in block]
        if len(set(met)) < len(met):
            raise ConfigError("an input is a level of two columns", fix="name every input once in one_hot")
        return blocks

    def _read_where(self, where: Mapping[str, object] | None) -> dict[int, float]:
        fixed: dict[int, float] = {}
        for name, value in ({} if where is None else where).items():
            if name in self.blocks_:
                block = self.blocks_[name]
                levels = {self.names_[at]: at for at in block}
                if not isinstance(value, str) or value not in levels:
                    raise DataError(
                        f"{plain(name)!r} has no such input",
                        got=shown(value),
                        fix=f"use one of {listing([plain(each) for each in levels])}",
                    )
                fixed.update({at: float(at == levels[value]) for at in block})
            elif name in self.names_ and self.names_.index(name) in self._numbers:
                at = int(np.flatnonzero(self._numbers == self.names_.index(name))[0])
                number = real_number(value, f"the value of {plain(name)!r}")
                if not self._low[at] <= number <= self._high[at]:
                    raise DataError(
                        f"the value of {plain(name)!r} lies outside its range",
                        got=shown(value),
                        fix=f"use a number from {self._low[at]:g} to {self._high[at]:g}",
                    )
                fixed[self.names_.index(name)] = number
            else:
                raise DataError(
                    "where names no input of the module",
                    got=shown(name),
                    fix=f"use one of {listing([plain(each) for each in (*self.blocks_, *self.names_)])}",
                )
        return fixed
