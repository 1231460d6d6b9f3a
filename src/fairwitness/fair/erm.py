"""LFERM: a linear support vector machine with equal mean scores of the deserving in all groups."""

from __future__ import annotations

from typing import Any, Literal, Self

import numpy as np

from fairwitness.arguments import real_number, shown, whole_number
from fairwitness.errors import ConfigError
from fairwitness.fair.inputs import InputError
from fairwitness.fair.linear import LinearDecision, Training, not_negative, not_zero
from fairwitness.fair.newton import minimise, squared_hinge
from fairwitness.model.labels import favorable_index, own
from fairwitness.text import plain
from fairwitness.typing import BoolArray, FloatArray


class LFERM(LinearDecision):
    r"""Linear fair empirical risk minimisation: equal opportunity built into a linear SVM.

    Minimises ½‖w‖² + C Σ_i max(0, 1 − y_i (wᵀx_i + b))² subject to |⟨w, u_g⟩| ≤ ε for every group g, where
    u_g = mean(x | y = +, g) − mean(x | y = +, first group). With ε = 0 people who deserve the favourable
    outcome have the same mean score in all groups, exactly, on the training rows. That is equal
    opportunity for a linear loss; true positive rates need not be equal: they depend on more than the mean.

    It can't be had where a group has nobody with the favourable outcome, and it leaves a constant where the
    directions u_g span all features. Scale the columns first: the penalty is on their coefficients.

    Parameters
    ----------
    C
        Weight of the loss against the penalty, above 0; larger fits closer. The paper takes .01.
    epsilon
        ε, in units of the score; 0 is exact orthogonality.
    favorable
        The label of the good outcome; default is ``classes_[1]``.
    basis
        ``"orthonormal"``: the coefficients of the features themselves are penalised, for any number of
        groups. ``"published"``: the feature with the largest \|u_i\| is eliminated, as printed, and the
        coefficients of what remains are penalised; two groups and ε = 0 only.
    fit_intercept
        Whether there is a b; it is not penalised.
    max_iter
        Most Newton steps.

    Attributes
    ----------
    coef_, intercept_
        (1, d) and (1,).
    classes_
        (2,) labels, sorted.
    directions_
        (m, d) the u_g, one a group beside each feature's first.
    violation_
        max_g |⟨w, u_g⟩| on the training rows, at least 0; 0 is fair.
    n_iter_
        Newton steps.
    feature_names_in_, n_features_in_
        The columns it was fitted on.

    Notes
    -----
    Donini, Oneto, Ben-David, Shawe-Taylor and Pontil, "Empirical risk minimization under fairness
    constraints" (2018): the orthogonality that the constraint becomes for linear models, and its form as a
    preprocessing step (``"published"``), both as written above. They take the hinge; its square, which is
    scikit-learn's default for linear SVMs, has one minimum that a Newton method finds exactly.

    Examples
    --------
    >>> import numpy as np
    >>> from fairwitness.fair import LFERM
    >>> rng = np.random.default_rng(0)
    >>> group = rng.integers(2, size=400)
    >>> X = rng.normal(size=(400, 3)) + np.outer(group, [1, 0, 0])
    >>> y = X.sum(axis=1) + rng.normal(size=400) > 0.5
    >>> model = LFERM().fit(X, y, sensitive_features=group)
    >>> model.violation_ < 1e-12
    True
    """

    def __init__(
        self,
        *,
        C: float = 1.0,
        epsilon: float = 0.0,
        favorable: object = None,
        basis: Literal["orthonormal", "published"] = "orthonormal",
        fit_intercept: bool = True,
        max_iter: int = 100,
    ) -> None:
        self.C = C
        self.epsilon = epsilon
        self.favorable = favorable
        self.basis = basis
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
            (n,) weights, at least 0; the means are weighted too.

        Raises
        ------
        InputError
            If rows, labels or weights make no sense, or a group has nobody with the favourable outcome.
        GroupError
            If a sensitive value is missing, or a column has one group only.
        ConfigError
            If a parameter makes no sense.
        """
        C = real_number(self.C, "C", above=0, fix="pass for example C=0.01")
        epsilon = not_negative(self.epsilon, "epsilon", fix="pass 0, or a slack such as 0.1")
        max_iter = whole_number(self.max_iter, "max_iter")
        if self.basis not in ("orthonormal", "published"):
            raise ConfigError(
                "basis is not known", got=shown(self.basis), fix='pass "orthonormal" or "published"'
            )
        training = self._training(X, y, sensitive_features, sample_weight)
        self.directions_: FloatArray = self._directions(training)
        rows = training.padded(self.directions_)
        ridge = training.ridge(C)
        loss = squared_hinge(training.sign)
        if self.basis == "published":
            left, basis = _elimination(rows, epsilon)
            found = minimise(
                training.design @ basis,
                loss,
                training.weights,
                ridge=ridge[left],
                rows=rows[:0, left],
                bound=0.0,
                max_iter=max_iter,
            )
            coef = basis @ found.coef
        else:
            found = minimise(
                training.design,
                loss,
                training.weights,
                ridge=ridge,
                rows=rows,
                bound=epsilon,
                max_iter=max_iter,
            )
            coef = found.coef
        self._keep(coef)
        self.n_iter_ = found.n_iter
        self.violation_ = float(np.abs(self.directions_ @ self.coef_[0]).max(initial=0.0))
        return self

    def _directions(self, training: Training) -> FloatArray:
        """(m, d) differences of the deserving's mean features between each group and the first."""
        wanted = 1 if self.favorable is None else favorable_index(self.classes_.tolist(), self.favorable)
        deserving = training.codes == wanted
        out: list[FloatArray] = []
        for groups in training.groups:
            means = []
            for code, label in enumerate(groups.labels):
                weights = training.weights * (deserving & (groups.codes == code))
                if not weights.any():
                    raise InputError(
                        f"nobody of the group {plain(label)} ({plain(groups.name)}) has the favourable "
                        f"outcome {plain(own(self.classes_[wanted]))} among the training rows",
                        fix="merge small groups, pass more rows, or name the other outcome with favorable=",
                    )
                means.append(weights @ training.X / weights.sum())
            out += [mean - means[0] for mean in means[1:]]
        return not_zero(out, width=training.X.shape[1])


def _elimination(rows: FloatArray, epsilon: float) -> tuple[BoolArray, FloatArray]:
    """Give which coordinates are left, and (d, d − 1) coefficients of all in terms of those left."""
    if epsilon > 0 or len(rows) > 1:
        raise ConfigError(
            'basis="published" is for two groups and epsilon=0',
            got=f"{len(rows)} differences between groups, epsilon={epsilon:g}",
            fix='use basis="orthonormal"',
        )
    left = np.ones(rows.shape[1], dtype=np.bool_)
    full = np.eye(rows.shape[1])
    for u in rows:
        gone = int(np.abs(u).argmax())
        full[gone] = -u / u[gone]
        left[gone] = False
    return left, full[:, left]
