"""PyTorch modules: numbers in, one logit, one probability or one column an outcome out."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

from fairwitness.errors import ModelError
from fairwitness.model.adapters.base import Adapter, Reading, class_scores, decide, no_answer
from fairwitness.model.adapters.containers import numeric_matrix
from fairwitness.model.judgement import Judgement, ModelInfo
from fairwitness.model.labels import favorable_index
from fairwitness.text import plain
from fairwitness.typing import NativeFrame

#: Enough rows for outputs that all look like probabilities to be no accident.
_ENOUGH = 20


class TorchAdapter(Adapter):
    """A ``torch.nn.Module`` that maps (n, d) numbers to (n,), (n, 1) or (n, C)."""

    def __init__(
        self, module: Any, reading: Reading, *, feature_names: tuple[str, ...] | None, digest: str | None
    ) -> None:
        if not hasattr(module, "modules"):
            raise ModelError(
                "this is no torch module", got=plain(type(module).__name__), fix="pass a torch.nn.Module"
            )
        self._module = module
        self._threshold = reading.threshold
        self._told = reading.output in ("probability", "logit")
        last = type(list(module.modules())[-1]).__name__
        self._output: Literal["probability", "logit"] = "logit"
        if reading.output == "probability" or (not self._told and last in {"Sigmoid", "Softmax"}):
            self._output = "probability"
        classes = reading.classes or (0, 1)
        self._favorable = favorable_index(classes, reading.favorable)
        word = "probabilities" if self._output == "probability" else "logits"
        note = f"The module's outputs were read as {word}" + (
            " as asked." if self._told else f" because its last layer is {last}; output= says otherwise."
        )
        self.info = ModelInfo(
            kind="torch",
            name=type(module).__name__,
            classes=classes,
            feature_names=feature_names,
            digest=digest or _digest(module),
            notes=(note,),
        )

    def ask(self, frame: NativeFrame) -> tuple[np.ndarray, ...]:
        """Give the module's outputs for one batch, in evaluation mode and without gradients."""
        import torch

        matrix = numeric_matrix(frame, purpose="a torch module takes numbers")
        weights = next(self._module.parameters(), None)
        dtype = torch.float32 if weights is None or not weights.is_floating_point() else weights.dtype
        device = torch.device("cpu") if weights is None else weights.device
        # train(False) reaches every part, so every part's own flag has to be put back.
        flags = [(part, part.training) for part in self._module.modules()]
        self._module.eval()
        try:
            with torch.no_grad():
                raw = self._module(torch.from_numpy(matrix).to(device=device, dtype=dtype))
            return (raw.detach().to("cpu", torch.float64).numpy(),)
        except Exception as error:  # the user's forward may raise anything
            raise no_answer(
                self.info.name,
                error,
                fix="call the module on a (rows, columns) tensor of the same columns, and mend what it says",
            ) from error
        finally:
            for part, flag in flags:
                part.training = flag

    def read(self, answers: tuple[np.ndarray, ...]) -> Judgement:
        """Turn outputs into decisions and scores."""
        (raw,) = answers
        classes = self.info.classes or (0, 1)
        if not self._told:
            self._doubt(raw)
        score, lead = class_scores(raw, output=self._output, classes=classes, favorable=self._favorable)
        accepted = decide(score, lead, n_classes=len(classes), threshold=self._threshold)
        return Judgement(accepted=accepted, score=score)

    def _doubt(self, raw: np.ndarray) -> None:
        """Refuse to take for logits what looks like probabilities on every row."""
        inside = bool(((raw >= 0) & (raw <= 1)).all())
        sums = raw.ndim < 2 or raw.shape[1] == 1 or bool(np.allclose(raw.sum(axis=1), 1, atol=1e-4))
        if self._output == "logit" and len(raw) >= _ENOUGH and inside and sums:
            raise ModelError(
                "the module's outputs were taken for logits, and all of them look like probabilities",
                got=f"{len(raw)} rows between 0 and 1",
                fix='say which they are: as_blackbox(module, output="probability") or output="logit"',
            )


def _digest(module: Any) -> str | None:
    """SHA-256 over names, shapes and bytes of all parameters and buffers, and the module's layout."""
    import hashlib

    digest = hashlib.sha256(str(module).encode())
    for name, tensor in module.state_dict().items():
        try:
            values = tensor.detach().cpu().contiguous().numpy()
        except (AttributeError, TypeError):  # extra state that is no tensor, or a type numpy lacks
            return None
        digest.update(f"{name}:{values.dtype}:{values.shape}".encode())
        digest.update(values.tobytes())
    return digest.hexdigest()
