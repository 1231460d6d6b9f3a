"""AdvDeb: a network trained so that an adversary cannot tell the group from its score."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any, ClassVar, Literal, Self

import numpy as np
from scipy.special import expit
from sklearn.base import BaseEstimator, ClassifierMixin

from fairwitness.arguments import real_number, shown, whole_number
from fairwitness.errors import ConfigError, FairwitnessWarning
from fairwitness.extras import import_extra
from fairwitness.fair.inputs import (
    check_alignment,
    check_no_others,
    read_groups,
    rows_to_judge,
    training_rows,
    two_classes,
)
from fairwitness.fair.linear import not_negative
from fairwitness.fair.network import (
    answers,
    arrays,
    batches,
    batches_a_pass,
    forward,
    initial,
    layer_sizes,
    share,
    tensors,
    torch_generator,
)
from fairwitness.rng import child, seed_from
from fairwitness.table.groups import Groups
from fairwitness.typing import FloatArray, IntArray, RandomState

#: As in AIF360: steps are multiplied by .96 after every 1,000 batches.
_DECAY, _DECAY_EVERY = 0.96, 1000
_CONSTANT = 1e-6


class AdvDeb(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """Adversarial training: a predictor of two classes and, against it, a reader of the sensitive features.

    Every batch, the adversary takes a step down its loss L_A. The predictor, with gradients g_P of its own
    loss and g_A of the adversary's, steps against

        g_P − (⟨g_P, g_A⟩ / ‖g_A‖²) g_A − α g_A,

    all its weights taken as one vector: nothing that helps the adversary is left of g_P, and α g_A is there
    to hurt it. So ⟨update, g_A⟩ = −α ‖g_A‖², whatever g_P is.

    What it aims at holds as far as this adversary can tell, on the training rows, and not more: there is no
    guarantee. Measure the result. Large α, or many epochs, may leave a predictor that answers the same
    for everybody (a warning says so). Scale the columns first. Needs torch to train (extra ``gan``).

    Parameters
    ----------
    hidden
        Sizes of the predictor's hidden layers (ReLU).
    constraint
        ``"demographic_parity"``: the adversary sees the score. ``"equalized_odds"``: the score and y.
    alpha
        α, at least 0. At 0 the projection is still made.
    n_epochs, batch_size, learning_rate
        Passes over the rows, rows a batch, and the size of steps, which shrinks by 4 % every 1,000 batches.
    dropout
        Share of hidden units left out of each batch.
    adversary_hidden
        Sizes of the adversary's hidden layers; none is logistic regression, as published.
    optimizer
        ``"adam"``, or ``"sgd"``, whose steps are the update above and nothing else.
    random_state
        Seed of weights, batches and dropout.

    Attributes
    ----------
    classes_
        (2,) labels, sorted.
    layers_
        The predictor: a matrix and a shift a layer.
    adversary_gain_
        Mapping: sensitive feature → nats by which the adversary knows the group better than its shares alone
        tell, over the training rows at the end. About 0 is fair; it can fall below.
    history_
        Mapping: ``"predictor"`` and ``"adversary"`` → (n_epochs,) mean losses in nats.
    n_iter_
        Batches.
    seed_
        The seed used.
    feature_names_in_, n_features_in_
        The columns it was fitted on.

    Notes
    -----
    Zhang, Lemoine and Mitchell, "Mitigating unwanted biases with adversarial learning" (2018), equation 1 and
    the adversary of their Adult experiment: s = σ((1 + |c|) logit), read as s, or as (s y, s (1 − y), y).
    Defaults are those of AIF360. Arithmetic is float64: equal seeds give equal weights on one machine.
    """

    __metadata_request__fit: ClassVar[dict[str, bool]] = {"sensitive_features": True}

    def __init__(
        self,
        *,
        hidden: int | Sequence[int] = (200,),
        constraint: Literal["demographic_parity", "equalized_odds"] = "demographic_parity",
        alpha: float = 0.1,
        n_epochs: int = 50,
        batch_size: int = 128,
        learning_rate: float = 0.001,
        dropout: float = 0.2,
        adversary_hidden: int | Sequence[int] = (),
        optimizer: Literal["adam", "sgd"] = "adam",
        random_state: RandomState = None,
    ) -> None:
        self.hidden = hidden
        self.constraint = constraint
        self.alpha = alpha
        self.n_epochs = n_epochs
        self.batch_size = batch_size
        self.learning_rate = learning_rate
        self.dropout = dropout
        self.adversary_hidden = adversary_hidden
        self.optimizer = optimizer
        self.random_state = random_state

    def fit(self, X: Any, y: Any, *, sensitive_features: Any = None, **others: Any) -> Self:
        """Train on n rows.

        Parameters
        ----------
        X
            (n, d) finite numbers, scaled, without the sensitive features if the model is to be blind.
        y
            (n,) labels of two classes.
        sensitive_features
            (n,) or (n, s) values, Series, table or mapping; each column with two or more values.
        **others
            Refused: there are no weights here.

        Raises
        ------
        MissingExtraError
            If torch is not installed.
        InputError
            If rows or labels make no sense.
        GroupError
            If a sensitive value is missing, or a column has one group only.
        ConfigError
            If a parameter makes no sense.
        """
        self._check_parameters()
        check_no_others(self, others)
        check_alignment(X=X, y=y, sensitive_features=sensitive_features)
        rows = training_rows(self, X)
        codes = two_classes(self, y, rows=len(rows))
        groups = read_groups(sensitive_features, rows=len(rows))
        self.seed_ = seed_from(self.random_state)
        _Training(self, rows, codes, groups, self.seed_).run()
        scores = self._scores(rows)
        if np.ptp(scores) < _CONSTANT:
            warnings.warn(
                "the predictor answers the same for everybody; try a smaller alpha or fewer epochs",
                FairwitnessWarning,
                stacklevel=2,
            )
        return self

    def decision_function(self, X: Any) -> FloatArray:
        """Give (n,) logits; above 0 the decision is ``classes_[1]``. No sensitive feature is needed."""
        return self._scores(rows_to_judge(self, X))

    def predict_proba(self, X: Any) -> FloatArray:
        """Give (n, 2) probabilities, columns as in ``classes_``."""
        positive = expit(self.decision_function(X))
        return np.column_stack([1 - positive, positive])

    def predict(self, X: Any) -> np.ndarray:
        """Give (n,) labels, ``classes_[1]`` where the logit is above 0."""
        positive = self.decision_function(X) > 0
        return np.asarray(self.classes_[positive.astype(np.int64)])

    def _scores(self, rows: FloatArray) -> FloatArray:
        return answers(self.layers_, rows)[:, 0]

    def _check_parameters(self) -> None:
        if self.constraint not in ("demographic_parity", "equalized_odds"):
            raise ConfigError(
                "constraint is not known",
                got=shown(self.constraint),
                fix='pass "demographic_parity" or "equalized_odds"',
            )
        if self.optimizer not in ("adam", "sgd"):
            raise ConfigError("optimizer is not known", got=shown(self.optimizer), fix='pass "adam" or "sgd"')
        not_negative(self.alpha, "alpha", fix="pass for example alpha=0.1")
        whole_number(self.n_epochs, "n_epochs")
        whole_number(self.batch_size, "batch_size", fix="pass for example batch_size=128")
        real_number(self.learning_rate, "learning_rate", above=0, fix="pass for example learning_rate=0.001")
        share(self.dropout, "dropout")
        layer_sizes(self.hidden, "hidden", none_allowed=True)
        layer_sizes(self.adversary_hidden, "adversary_hidden", none_allowed=True)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        return tags


def update(own: Any, adversary: Any, alpha: float) -> Any:
    """Give what the predictor steps against, from two flat gradients (equation 1 of Zhang et al.)."""
    size = adversary @ adversary
    if size > 0:
        own = own - (own @ adversary) / size * adversary
    return own - alpha * adversary


class _Training:
    """The two networks while they are trained against each other."""

    def __init__(
        self, owner: AdvDeb, rows: FloatArray, codes: IntArray, groups: tuple[Groups, ...], seed: int
    ) -> None:
        self.torch = torch = import_extra("torch", "gan", purpose="training AdvDeb")
        self.owner = owner
        self.groups = groups
        self.sees_y = owner.constraint == "equalized_odds"
        self.rows = torch.from_numpy(rows.copy())
        self.y = torch.from_numpy(codes.astype(np.float64))
        self.z = [torch.from_numpy(each.codes.copy()) for each in groups]
        rng = child(seed, "AdvDeb", "weights")
        hidden = layer_sizes(owner.hidden, "hidden", none_allowed=True)
        against = layer_sizes(owner.adversary_hidden, "adversary_hidden", none_allowed=True)
        self.predictor = tensors(torch, initial(rng, (rows.shape[1], *hidden, 1)))
        self.widths = [each.n_groups for each in groups]
        reader = initial(rng, (3 if self.sees_y else 1, *against, sum(self.widths)))
        # The sharpness c comes first; it is a number, not a layer.
        self.sharpness = torch.tensor(1.0, dtype=torch.float64, requires_grad=True)
        self.adversary = [self.sharpness, *tensors(torch, reader)]
        self.draws = child(seed, "AdvDeb", "batches")
        self.generator = torch_generator(torch, child(seed, "AdvDeb", "dropout"))

    def run(self) -> None:
        """Train, and leave what was learnt on the owner."""
        owner, n = self.owner, len(self.rows)
        kind = self.torch.optim.Adam if owner.optimizer == "adam" else self.torch.optim.SGD
        optimisers = [kind(part, lr=owner.learning_rate) for part in (self.predictor, self.adversary)]
        a_pass = batches_a_pass(n, owner.batch_size)
        stream = batches(self.draws, n, owner.batch_size)
        history = np.zeros((2, owner.n_epochs))
        step = 0
        for epoch in range(owner.n_epochs):
            for _ in range(a_pass):
                for optimiser in optimisers:
                    optimiser.param_groups[0]["lr"] = owner.learning_rate * _DECAY ** (step // _DECAY_EVERY)
                history[:, epoch] += self._step(self.torch.from_numpy(next(stream)), optimisers)
                step += 1
        owner.n_iter_ = step
        owner.history_ = dict(zip(("predictor", "adversary"), history / a_pass, strict=True))
        owner.layers_ = arrays(self.predictor)
        owner.adversary_gain_ = self._gains()

    def _step(self, batch: Any, optimisers: Sequence[Any]) -> tuple[float, float]:
        torch = self.torch
        logit = forward(
            torch,
            self.predictor,
            self.rows[batch],
            dropout=self.owner.dropout,
            generator=self.generator,
        )[:, 0]
        y = self.y[batch]
        own = torch.nn.functional.binary_cross_entropy_with_logits(logit, y)
        losses = self._adversary_losses(logit, y, batch)
        against = torch.stack(losses).sum()
        pull = torch.autograd.grad(own, self.predictor, retain_graph=True)
        both = torch.autograd.grad(against, [*self.predictor, *self.adversary])
        direction = update(_flat(torch, pull), _flat(torch, both[: len(pull)]), self.owner.alpha)
        at = 0
        for parameter in self.predictor:
            parameter.grad = direction[at : at + parameter.numel()].view_as(parameter)
            at += parameter.numel()
        for parameter, gradient in zip(self.adversary, both[len(pull) :], strict=True):
            parameter.grad = gradient
        for optimiser in optimisers:
            optimiser.step()
        return float(own.detach()), float(against.detach())

    def _adversary_losses(self, logit: Any, y: Any, batch: Any) -> list[Any]:
        """Cross-entropy of each sensitive feature given the score (and y)."""
        torch = self.torch
        s = torch.sigmoid((1 + self.sharpness.abs()) * logit)
        seen = torch.stack([s * y, s * (1 - y), y] if self.sees_y else [s], dim=1)
        heads = forward(torch, self.adversary[1:], seen).split(self.widths, dim=1)
        return [
            torch.nn.functional.cross_entropy(head, z[batch]) for head, z in zip(heads, self.z, strict=True)
        ]

    def _gains(self) -> dict[str, float]:
        torch = self.torch
        with torch.no_grad():
            logit = forward(torch, self.predictor, self.rows)[:, 0]
            losses = self._adversary_losses(logit, self.y, slice(None))
        return {
            groups.name: _entropy(groups.counts) - float(loss)
            for groups, loss in zip(self.groups, losses, strict=True)
        }


def _flat(torch: Any, parts: Sequence[Any]) -> Any:
    return torch.cat([part.reshape(-1) for part in parts])


def _entropy(counts: IntArray) -> float:
    shares = counts[counts > 0] / counts.sum()
    return float(-(shares * np.log(shares)).sum())
