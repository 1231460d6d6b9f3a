"""FairC: logistic regression whose score has little or no covariance with the sensitive features."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from scipy.optimize import brentq
from scipy.special import expit

from fairwitness.arguments import shown, whole_number
from fairwitness.errors import ConfigError
from fairwitness.fair.linear import LinearDecision, Training, not_negative, not_zero, penalty
from fairwitness.fair.newton import Minimum, logistic, minimise
from fairwitness.typing import FloatArray


class FairC(LinearDecision):
    """Logistic regression under a bound on the covariance between score and group (disparate impact).

    Minimises C Σ_i log(1 + exp(−y_i θᵀx_i)) + ½‖θ‖² subject to |(1/n) Σ_i (z_i − z̄) θᵀx_i| ≤ c for the
    indicator z of every group of every sensitive feature. Or the twin problem: the least such c at which the
    objective exceeds its unconstrained minimum by no more than the share γ.

    Covariance 0 means that the groups have the same mean score. Shares accepted may still differ: they depend
    on how the scores spread. Where the groups' means differ in every direction of the features (as many
    independent groups as features) c = 0 leaves the intercept alone.

    Parameters
    ----------
    max_covariance
        c, in units of the score (log-odds); 0 is none at all, ``None`` no bound (plain logistic regression).
    loss_increase
        γ: solve the twin problem, with ``max_covariance`` left at its default; .1 allows 10 % more loss.
    C
        Weight of the loss against the penalty, as in scikit-learn; ``None`` for no penalty, as printed.
    fit_intercept
        Whether there is an intercept; it is not penalised, and constant in the covariance.
    max_iter
        Most Newton steps.

    Attributes
    ----------
    coef_, intercept_
        (1, d) and (1,).
    classes_
        (2,) labels, sorted.
    covariance_
        Mapping: sensitive feature → (G,) covariance of the score with each group's indicator on the training
        rows, in log-odds; 0 is fair, above 0 the group has higher scores.
    max_covariance_
        The largest of them in size; at most c.
    objective_, loss_
        The objective at the minimum as a mean over rows, and its part that is loss (log-loss in nats).
    unconstrained_objective_
        The same without a bound (twin problem only).
    n_iter_
        Newton steps.
    feature_names_in_, n_features_in_
        The columns it was fitted on.

    Notes
    -----
    Zafar, Valera, Gomez Rodriguez and Gummadi, "Fairness constraints: mechanisms for fair classification"
    (2017): "maximizing accuracy under fairness constraints" (a bound c) and "maximizing fairness under
    accuracy constraints" (γ), the two formulas above. The twin problem is solved as a search over c, which
    is the same, because the least loss falls as c grows. Several groups each have their own covariance, and
    c bounds them all.

    Examples
    --------
    >>> import numpy as np
    >>> from fairwitness.fair import FairC
    >>> rng = np.random.default_rng(0)
    >>> group = rng.integers(2, size=400)
    >>> X = rng.normal(size=(400, 3)) + np.outer(group, [1, 0, 0])
    >>> y = X.sum(axis=1) + rng.normal(size=400) > 0.5
    >>> model = FairC(max_covariance=0.001).fit(X, y, sensitive_features=group)
    >>> bool(model.max_covariance_ <= 0.001)
    True
    """

    def __init__(
        self,
        *,
        max_covariance: float | None = 0.0,
        loss_increase: float | None = None,
        C: float | None = 1.0,
        fit_intercept: bool = True,
        max_iter: int = 100,
    ) -> None:
        self.max_covariance = max_covariance
        self.loss_increase = loss_increase
        self.C = C
        self.fit_intercept = fit_intercept
        self.max_iter = max_iter

    def fit(self, X: Any, y: Any, *, sensitive_features: Any = None, sample_weight: Any = None) -> Self:
        """Train on n rows.

        Parameters
        ----------
        X
            (n, d) finite numbers, without the sensitive features if the model is to be blind to them.
        y
            (n,) labels of two classes.
        sensitive_features
            (n,) or (n, s) values, Series, table or mapping; each column with two or more values.
        sample_weight
            (n,) weights, at least 0; the covariance is weighted too.

        Raises
        ------
        InputError
            If rows, labels or weights make no sense.
        GroupError
            If a sensitive value is missing, or a column has one group only.
        ConfigError
            If a parameter makes no sense.
        """
        C = penalty(self.C)
        bound, gamma = self._bounds()
        whole_number(self.max_iter, "max_iter")
        training = self._training(X, y, sensitive_features, sample_weight)
        names, rows = _covariances(training)
        problem = _Problem(training, not_zero(list(rows), width=rows.shape[1]), C, self.max_iter)
        if gamma is None:
            found = problem.solve(bound)
        else:
            found, self.unconstrained_objective_ = problem.least_covariance(gamma)
        self._keep(found.coef)
        self.n_iter_ = found.n_iter
        self.objective_ = found.value / problem.total
        each, _, _ = problem.loss(training.design @ found.coef)
        self.loss_ = float(training.weights @ each) / training.weights.sum()
        values = rows @ self.coef_[0]
        self.covariance_: dict[str, FloatArray] = {
            groups.name: values[[at for at, name in enumerate(names) if name == groups.name]]
            for groups in training.groups
        }
        self.max_covariance_ = float(np.abs(values).max())
        return self

    def predict_proba(self, X: Any) -> FloatArray:
        """Give (n, 2) probabilities, columns as in ``classes_``."""
        positive = expit(self.decision_function(X))
        return np.column_stack([1 - positive, positive])

    def predict_log_proba(self, X: Any) -> FloatArray:
        """Give the logarithms of :meth:`predict_proba`, (n, 2)."""
        score = self.decision_function(X)
        return np.column_stack([-np.logaddexp(0, score), -np.logaddexp(0, -score)])

    def _bounds(self) -> tuple[float, float | None]:
        if self.loss_increase is not None:
            if self.max_covariance not in (0, None):
                raise ConfigError(
                    "only one of max_covariance and loss_increase can be given",
                    got=f"{shown(self.max_covariance)} and {shown(self.loss_increase)}",
                    fix="leave max_covariance at its default to solve the twin problem",
                )
            return np.inf, not_negative(self.loss_increase, "loss_increase", fix="pass a share such as 0.1")
        if self.max_covariance is None:
            return np.inf, None
        return not_negative(
            self.max_covariance, "max_covariance", fix="pass 0, or a bound such as 0.001"
        ), None


class _Problem:
    """The convex problem for one set of rows, at any bound."""

    def __init__(self, training: Training, rows: FloatArray, C: float | None, max_iter: int) -> None:
        # The objective as a mean over rows, so that tolerances mean the same for any number of rows.
        self.total = float(training.weights.sum())
        self.training = training
        self.rows = training.padded(rows)
        self.loss = logistic(training.sign)
        self.ridge = training.ridge(C)
        self.max_iter = max_iter

    def solve(self, bound: float, start: FloatArray | None = None) -> Minimum:
        return minimise(
            self.training.design,
            self.loss,
            self.training.weights,
            ridge=self.ridge,
            rows=self.rows,
            bound=bound,
            start=start,
            max_iter=self.max_iter,
        )

    def least_covariance(self, gamma: float) -> tuple[Minimum, float]:
        """Find the least bound whose minimum is within (1 + γ) of the unconstrained one."""
        free = self.solve(np.inf)
        allowed = (1 + gamma) * free.value
        most = float(np.abs(self.rows @ free.coef).max(initial=0.0))
        best = self.solve(0.0)
        if best.value > allowed and most > 0:
            found = brentq(
                lambda share: self.solve(share * most).value - allowed, 1e-9, 1.0, xtol=1e-9, rtol=1e-9
            )
            # On the side of the root that is within the allowed loss.
            best = self.solve(min(found * (1 + 1e-8) + 1e-9, 1.0) * most)
        return best, free.value / self.total


def _covariances(training: Training) -> tuple[list[str], FloatArray]:
    """Name and direction v of every group: vᵀθ is the covariance of its indicator with the score."""
    share = training.weights / training.weights.sum()
    names: list[str] = []
    rows: list[FloatArray] = []
    for groups in training.groups:
        for code in range(groups.n_groups):
            inside = (groups.codes == code).astype(np.float64)
            rows.append((share * (inside - share @ inside)) @ training.X)
            names.append(groups.name)
    return names, np.array(rows)
