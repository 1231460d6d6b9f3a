"""Invariant minimax: a code from which the sensitive features add nothing to the prediction."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar, Literal, Self

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin

from fairwitness.arguments import real_number, shown, whole_number
from fairwitness.errors import ConfigError
from fairwitness.fair.inputs import (
    any_classes,
    check_alignment,
    check_no_others,
    numbers,
    read_groups,
    rows_to_judge,
    training_rows,
)
from fairwitness.fair.linear import not_negative
from fairwitness.fair.minimax_training import Plan, train
from fairwitness.fair.network import answers, layer_sizes, share, softmax
from fairwitness.rng import child, seed_from
from fairwitness.typing import FloatArray, RandomState

#: Noisy copies of each row that a linear readout is fitted on.
_HEARINGS = 4
Readout = Literal["head", "linear", "autoencoder"]


class _InvariantMinimax(BaseEstimator):  # type: ignore[misc]
    """What classifier and regressor share."""

    __metadata_request__fit: ClassVar[dict[str, bool]] = {"sensitive_features": True}

    def __init__(
        self,
        *,
        encoder: int | Sequence[int] = (64, 16),
        head: int | Sequence[int] = (32,),
        embedding: int = 8,
        invariance: float = 10.0,
        slope: float = 0.01,
        readout: Readout = "head",
        steps: tuple[int, int, int] = (1, 3, 3),
        n_rounds: int = 500,
        batch_size: int = 256,
        learning_rate: float = 0.005,
        dropout: float = 0.0,
        noise: float = 0.3,
        max_restarts: int = 3,
        random_state: RandomState = None,
    ) -> None:
        self.encoder = encoder
        self.head = head
        self.embedding = embedding
        self.invariance = invariance
        self.slope = slope
        self.readout = readout
        self.steps = steps
        self.n_rounds = n_rounds
        self.batch_size = batch_size
        self.learning_rate = learning_rate
        self.dropout = dropout
        self.noise = noise
        self.max_restarts = max_restarts
        self.random_state = random_state

    def encode(self, X: Any) -> FloatArray:
        """Give (n, k) codes, the last layer of the encoder, each between −1 and 1, without noise.

        A model fitted on them may read what the encoder says too softly for the heads (see ``noise``): add
        noise of that size before.
        """
        return self._code(rows_to_judge(self, X))

    def _code(self, rows: FloatArray) -> FloatArray:
        return answers(self.encoder_, rows, activation="tanh", last=True)

    def _heard(self, rows: FloatArray, target: np.ndarray) -> tuple[FloatArray, np.ndarray]:
        """Codes as the heads heard them, several times over, with the targets: what a readout may learn from.

        Without the noise it would turn up again what the encoder has turned down.
        """
        code = self._code(rows)
        if self.readout == "autoencoder" or not self.noise:
            return code, target
        draw = child(self.seed_, "minimax", "readout").standard_normal((_HEARINGS, *code.shape))
        return (code + self.noise * draw).reshape(-1, code.shape[1]), np.tile(target, _HEARINGS)

    def _raw(self, X: Any) -> FloatArray:
        """(n, outputs) of whatever reads the code."""
        code = self.encode(X)
        return answers(self.head_, code)

    def _plan(self, n_outputs: int, *, classes: bool) -> Plan:
        if self.readout not in ("head", "linear", "autoencoder"):
            raise ConfigError(
                "readout is not known", got=shown(self.readout), fix='pass "head", "linear" or "autoencoder"'
            )
        steps = self.steps
        if not isinstance(steps, list | tuple) or len(steps) != 3:
            raise ConfigError(
                "steps must be three numbers: of the encoder, the fair and the aware head",
                got=shown(steps),
                fix="pass for example steps=(1, 3, 3)",
            )
        first, second, third = (
            whole_number(each, "steps", fix="pass for example steps=(1, 3, 3)") for each in steps
        )
        return Plan(
            encoder=layer_sizes(self.encoder, "encoder"),
            head=layer_sizes(self.head, "head", none_allowed=True),
            embedding=whole_number(self.embedding, "embedding"),
            invariance=not_negative(self.invariance, "invariance", fix="pass for example invariance=10.0"),
            slope=share(self.slope, "slope"),
            steps=(first, second, third),
            n_rounds=whole_number(self.n_rounds, "n_rounds", fix="pass for example n_rounds=600"),
            batch_size=whole_number(self.batch_size, "batch_size", fix="pass for example batch_size=256"),
            learning_rate=real_number(
                self.learning_rate, "learning_rate", above=0, fix="pass for example learning_rate=0.001"
            ),
            dropout=share(self.dropout, "dropout"),
            noise=not_negative(self.noise, "noise", fix="pass for example noise=0.3"),
            max_restarts=whole_number(self.max_restarts, "max_restarts", least=0),
            n_outputs=n_outputs,
            classes=classes,
            autoencoder=self.readout == "autoencoder",
        )

    def _train(self, rows: FloatArray, target: Any, groups: Any, plan: Plan) -> None:
        self.seed_ = seed_from(self.random_state)
        trained = train(plan, rows, target, groups, self.seed_)
        self.encoder_ = trained.encoder
        self.head_ = trained.head
        self.gap_ = trained.gap
        self.history_ = trained.history
        self.n_restarts_ = trained.n_restarts
        self.n_iter_ = plan.n_rounds


class InvariantMinimaxClassifier(ClassifierMixin, _InvariantMinimax):  # type: ignore[misc]
    """Invariant minimax for two or more classes.

    An encoder q gives a code Z = q(X). A fair head f₁ predicts y from Z, an aware head f₂ from Z and an
    embedding of the sensitive features S. In turns: f₁ and f₂ each step down their own loss, and the
    encoder down L(f₁) + λ h(L(f₁) − L(f₂)), where h is the leaky ReLU. It settles where S adds nothing to Z:
    H(y | Z) = H(y | Z, S), so that y is independent of S given Z. S is needed to train only.

    When it can't: if y depends on S given everything in X, such a code has to drop what X says of y, or has
    to give S away (then S adds nothing either, and the prediction depends on it). Equal treatment of
    the groups follows only where the aimed-at independence means it; measure the result. The
    alternation may also settle on a constant, which is detected, started again and counted. Scale the
    columns first. Needs torch to train (extra ``gan``).

    Beyond what is published: λ grows over the first rounds, the code is left alone in the last while both
    heads catch up, and there is noise on it.

    Parameters
    ----------
    encoder
        Sizes of the encoder's layers (tanh), the code's last. Published: (256, 256, 128) with dropout .5 (law
        school), (512, 512, 256) with .15 (COMPAS, Adult).
    head
        Sizes of the hidden layers of both heads (ReLU).
    embedding
        Size of the embedding of S; of several features, theirs are added.
    invariance
        λ, at least 0; 0 is a plain network.
    slope
        Slope of h below 0, in [0, 1).
    readout
        Who predicts from the code: the fair ``"head"`` (the paper's GD); a ``"linear"`` model fitted on the
        finished code (GL); or, for comparison, a linear model on the code of an ``"autoencoder"`` that knows
        neither y nor S (AL).
    steps
        Steps of encoder, fair and aware head in each round. Published: (1, 3, 3); law school (2, 4, 4).
    n_rounds, batch_size, learning_rate
        Rounds, rows a batch, and the size of Adam's steps.
    dropout
        Share of the encoder's units left out of each batch.
    noise
        Standard deviation of the noise on each number of the code while training. Published: none, with
        dropout in its place. Without either a wide code stays invertible, and λ without effect.
    max_restarts
        Most new starts after a collapse.
    random_state
        Seed of weights, batches and dropout.

    Attributes
    ----------
    classes_
        (C,) labels, sorted.
    encoder_, head_
        A matrix and a shift a layer.
    gap_
        L(f₁) − L(f₂) over the training rows, in nats: 0 is fair, above 0 the aware head gains. It is as
        strong as this f₂ only. NaN for an autoencoder.
    n_restarts_
        Runs that collapsed.
    history_
        Mapping: name of a loss → (n_rounds,) its value on the round's last batch.
    n_iter_, seed_
        Rounds, and the seed used.
    feature_names_in_, n_features_in_
        The columns it was fitted on.

    Notes
    -----
    Duong et al., "Achieving counterfactual fairness with imperfect structural causal model" (2023).
    """

    def fit(self, X: Any, y: Any, *, sensitive_features: Any = None, **others: Any) -> Self:
        """Train on n rows.

        Parameters
        ----------
        X
            (n, d) finite numbers, scaled.
        y
            (n,) class labels.
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
        check_no_others(self, others)
        check_alignment(X=X, y=y, sensitive_features=sensitive_features)
        rows = training_rows(self, X)
        codes = any_classes(self, y, rows=len(rows))
        groups = read_groups(sensitive_features, rows=len(rows))
        self._train(rows, codes, groups, self._plan(len(self.classes_), classes=True))
        if self.readout != "head":
            from sklearn.linear_model import LogisticRegression

            linear = LogisticRegression(max_iter=2000).fit(*self._heard(rows, codes))
            self.head_ = [(linear.coef_.T.copy(), linear.intercept_.copy())]
        return self

    def predict_proba(self, X: Any) -> FloatArray:
        """Give (n, C) probabilities, columns as in ``classes_``; no sensitive feature is needed."""
        return softmax(self._raw(X))

    def predict(self, X: Any) -> np.ndarray:
        """Give (n,) the most probable label."""
        proba = self.predict_proba(X)
        return np.asarray(self.classes_[proba.argmax(axis=1)])


class InvariantMinimaxRegressor(RegressorMixin, _InvariantMinimax):  # type: ignore[misc]
    """Invariant minimax for numbers.

    All is as in :class:`InvariantMinimaxClassifier`, but that losses are squared errors of the standardised
    y (so that ``gap_`` is a share of its variance), and that linear readouts are least squares.
    """

    def fit(self, X: Any, y: Any, *, sensitive_features: Any = None, **others: Any) -> Self:
        """Train on n rows; ``y`` is (n,) finite numbers, the rest as for the classifier."""
        check_no_others(self, others)
        check_alignment(X=X, y=y, sensitive_features=sensitive_features)
        rows = training_rows(self, X)
        values = numbers(y, "y", rows=len(rows))
        groups = read_groups(sensitive_features, rows=len(rows))
        self.shift_ = float(values.mean())
        self.scale_ = float(values.std()) or 1.0
        scaled = (values - self.shift_) / self.scale_
        self._train(rows, scaled, groups, self._plan(1, classes=False))
        if self.readout != "head":
            from sklearn.linear_model import LinearRegression

            linear = LinearRegression().fit(*self._heard(rows, scaled))
            self.head_ = [(linear.coef_[:, None].copy(), np.array([linear.intercept_]))]
        return self

    def predict(self, X: Any) -> FloatArray:
        """Give (n,) numbers in the units of y; no sensitive feature is needed."""
        return np.asarray(self._raw(X)[:, 0] * self.scale_ + self.shift_)
