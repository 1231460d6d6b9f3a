"""A torch module as LUCID asks it: inputs it can be given, and the logits it answers with."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from fairwitness.errors import ModelError
from fairwitness.text import plain
from fairwitness.typing import BoolArray, FloatArray, IntArray

#: Last layers whose outputs are probabilities.
_LAST = {"Sigmoid", "Softmax"}


class Shape:
    """The module's inputs from what is moved: numbers in units of their range, and one number a level."""

    def __init__(
        self,
        torch: Any,
        put: Callable[[np.ndarray], Any],
        *,
        low: FloatArray,
        high: FloatArray,
        whole: BoolArray,
        numbers: IntArray,
        blocks: Sequence[Sequence[int]],
    ) -> None:
        self._torch = torch
        self.low = put(low)
        self.length = put(np.where(high > low, high - low, 1.0))
        self._whole = put(whole.astype(float)) > 0
        self._m = len(numbers)
        self._sizes = [len(block) for block in blocks]
        order = [*numbers.tolist(), *(at for block in blocks for at in block)]
        self._order = torch.tensor(np.argsort(order), device=self.low.device)

    def rows(self, part: Any) -> Any:
        """Give the inputs: whole numbers rounded, one level each, with gradients as if they were not."""
        torch = self._torch
        values = self.low + self.length * part[:, : self._m]
        rounded = torch.where(self._whole, values.detach().round(), values.detach())
        parts = [values + (rounded - values.detach())]
        for level in part[:, self._m :].split(self._sizes, 1) if self._sizes else ():
            soft = torch.softmax(level, 1)
            best = torch.zeros_like(soft).scatter_(1, level.detach().argmax(1, keepdim=True), 1.0)
            parts.append(best - soft.detach() + soft)
        return torch.cat(parts, 1)[:, self._order]


class Asked:
    """The module in evaluation mode, asked for logits of the favourable outcome."""

    def __init__(self, module: Any, output: str, favorable: int) -> None:
        self._module, self._favorable = module, favorable
        parts = list(module.modules())
        last = type(parts[-1]).__name__
        self._probability = output == "probability" or (output == "auto" and last in _LAST)
        self._body = module
        if self._probability and type(module).__name__ == "Sequential" and last in _LAST and len(module) > 1:
            self._body, self._probability = module[:-1], False

    def __enter__(self) -> Asked:
        # eval() reaches every part, so every part's own flag has to be put back
        self._flags: list[tuple[Any, bool]] = [(part, part.training) for part in self._module.modules()]
        self._module.eval()
        return self

    def __exit__(self, *failure: object) -> None:
        for part, flag in self._flags:
            part.training = flag

    def __call__(self, torch: Any, rows: Any) -> Any:
        """Give (n,) logits."""
        try:
            raw = self._body(rows)
        except Exception as error:  # the user's forward may raise anything
            raise ModelError(
                f"the module {plain(type(self._module).__name__)} failed",
                got=plain(error),
                fix="call it on a (rows, columns) tensor of the same columns, and mend what it says",
            ) from error
        shape = tuple(getattr(raw, "shape", ()))
        if len(shape) not in (1, 2) or shape[0] != len(rows) or not all(shape):
            raise ModelError(
                "the module must give one row of outputs an input", got=f"shape {shape}", fix="mend forward"
            )
        raw = raw if len(shape) == 2 else raw[:, None]
        if raw.shape[1] == 1:
            raw = raw[:, 0]
            return torch.logit(raw.clamp(1e-7, 1 - 1e-7)) if self._probability else raw
        logs = raw.clamp_min(1e-12).log() if self._probability else raw
        at = range(raw.shape[1])[self._favorable]
        others = [each for each in range(raw.shape[1]) if each != at]
        return logs[:, at] - torch.logsumexp(logs[:, others], 1)


def slope_of(torch: Any, loss: Any, part: Any) -> Any:
    """Give the gradient of a loss by what is moved.

    Raises
    ------
    ModelError
        If the module cannot be differentiated.
    """
    try:
        return torch.autograd.grad(loss, part)[0]
    except RuntimeError as error:
        raise ModelError(
            "the module gives no gradient", got=plain(error), fix="pass a module that can be differentiated"
        ) from error
