"""Counterfactually fair predictors: the three levels of assumption of Kusner et al."""

from __future__ import annotations

import warnings
from typing import Any, ClassVar, Literal, Self

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin, clone
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.metaestimators import available_if

from fairwitness.arguments import shown
from fairwitness.errors import ConfigError, FairwitnessWarning
from fairwitness.fair.columns import Columns, joined, named_table
from fairwitness.fair.inputs import InputError, any_classes, check_alignment, check_fitted, numbers
from fairwitness.fair.latents import Indicator, LatentModel
from fairwitness.fair.scm import SCM, Family
from fairwitness.table import column_names, n_rows
from fairwitness.text import listing, plain
from fairwitness.typing import FloatArray

Level = Literal[1, 2, 3]
_DECLARE = "declare it as a latent: a node that no column measures, with edges to what it causes"


class _CounterfactuallyFair:
    """What classifier and regressor share: the features that survive a change of the sensitive ones."""

    estimator_: Any

    __metadata_request__fit: ClassVar[dict[str, bool]] = {"sensitive_features": True}
    __metadata_request__predict: ClassVar[dict[str, bool]] = {"sensitive_features": True}
    __metadata_request__score: ClassVar[dict[str, bool]] = {"sensitive_features": True}

    def __init__(
        self,
        scm: SCM,
        *,
        level: Level = 2,
        estimator: Any = None,
        mechanism: Any = None,
        discrete: Literal["error", "drop"] = "error",
    ) -> None:
        self.scm = scm
        self.level = level
        self.estimator = estimator
        self.mechanism = mechanism
        self.discrete = discrete

    def features(self, X: Any, *, sensitive_features: Any = None) -> FloatArray:
        """Give the (n, k) features that the predictor reads; their names are ``feature_names_out_``.

        Parameters
        ----------
        X
            Table with the graph's columns; the sensitive ones may be beside it.
        sensitive_features
            The sensitive columns, if they are not in X: levels 2 and 3 need them, because what a row says of
            its latents and residuals depends on its group.
        """
        check_fitted(self)
        return self._features(self._table(X, sensitive_features))

    def predict(self, X: Any, *, sensitive_features: Any = None) -> np.ndarray:
        """Give (n,) predictions; see :meth:`features` for what is needed."""
        features = self.features(X, sensitive_features=sensitive_features)
        return np.asarray(self.estimator_.predict(features))

    def score(self, X: Any, y: Any, *, sensitive_features: Any = None, sample_weight: Any = None) -> float:
        """Give the share of rows that are right (classifier), or R² (regressor); higher is better."""
        features = self.features(X, sensitive_features=sensitive_features)
        return float(self.estimator_.score(features, y, sample_weight=sample_weight))

    def _prepare(self, X: Any, sensitive_features: Any, y: Any) -> Any:
        self._check_parameters()
        check_alignment(X=X, y=y, sensitive_features=sensitive_features)
        table = self._table(X, sensitive_features)
        if n_rows(table) < 2:
            raise InputError("X has 1 sample, and it takes two to learn", fix="pass more rows")
        scm = self.scm
        names = [*scm.sensitive, *scm.columns] if self.level > 1 else list(scm.non_descendants)
        if not names:
            raise ConfigError(
                "level 1 has nothing to predict from: the sensitive features cause every column",
                got=listing([plain(name) for name in scm.columns]),
                fix="use level 2 or 3",
            )
        self.columns_ = Columns(table, names, as_levels=[n for n in scm.sensitive if n in names])
        mine = [name for name in column_names(named_table(X)) if name in names]
        self.feature_names_in_ = np.array(mine, dtype=object)
        self.n_features_in_ = len(mine)
        return table

    def _check_parameters(self) -> None:
        if not isinstance(self.scm, SCM):
            raise ConfigError(
                "scm must be a structural causal model",
                got=type(self.scm).__name__,
                fix='pass for example fair.SCM("{sex, K} -> {grade, test}", sensitive="sex", latents="K")',
            )
        if self.level not in (1, 2, 3):
            raise ConfigError("level must be 1, 2 or 3", got=shown(self.level), fix="pass level=2")
        if self.discrete not in ("error", "drop"):
            raise ConfigError("discrete is not known", got=shown(self.discrete), fix='pass "error" or "drop"')
        if self.level == 2 and not self.scm.latents:
            raise ConfigError(
                "level 2 needs latents, and the model declares none",
                fix='pass SCM(..., latents="K"), or use level 1 or 3',
            )

    def _table(self, X: Any, sensitive_features: Any) -> Any:
        return joined(X, sensitive_features, self.scm.sensitive if self.level > 1 else ())

    # --- what is learnt of the model, and the features it gives ---

    def _learn(self, table: Any, outcome: FloatArray | None, family: Family | None) -> FloatArray:
        """Fit what the level needs and give the training rows' features."""
        values = self.columns_.encode(table)
        self.latent_model_: LatentModel | None = None
        self.mechanisms_: dict[str, Any] = {}
        if self.level == 2:
            self._learn_latents(values, outcome, family)
        elif self.level == 3:
            self._learn_mechanisms(values)
        self.feature_names_out_ = np.array(self._feature_names(), dtype=object)
        features = self._features(table)
        if not features.shape[1]:
            raise ConfigError(
                f"level {self.level} has nothing to predict from: every column was left out",
                fix="declare a latent, or use another level",
            )
        return features

    def _features(self, table: Any) -> FloatArray:
        values = self.columns_.encode(table)
        parts = [self.columns_.block(values, name, full=True) for name in self.scm.non_descendants]
        if self.latent_model_ is not None:
            known = [each.name for each in self.latent_model_.indicators if each.name in values]
            designs = {name: self._causes(values, name) for name in known}
            parts.append(self.latent_model_.posterior({name: values[name] for name in known}, designs))
        for name, mechanism in self.mechanisms_.items():
            fitted = mechanism.predict(self._causes(values, name)[:, 1:])
            parts.append((values[name] - np.asarray(fitted, dtype=np.float64))[:, None])
        return np.column_stack(parts) if parts else np.empty((n_rows(table), 0))

    def _feature_names(self) -> list[str]:
        names = []
        for name in self.scm.non_descendants:
            levels = self.columns_.n_levels(name) if name in self.columns_.coded else 0
            names += [f"{name} {at}" for at in range(levels)] if levels > 2 else [name]
        if self.latent_model_ is not None:
            names += [f"mean of {latent}" for latent in self.scm.latents]
        return names + [f"residual of {name}" for name in self.mechanisms_]

    def _causes(self, values: dict[str, FloatArray], name: str) -> FloatArray:
        """(n, 1 + w) ones and the measured causes of a node."""
        n = len(next(iter(values.values())))
        return self.columns_.blocks(values, self.scm.measured_causes(name)) if n else np.empty((0, 1))

    def _learn_latents(
        self, values: dict[str, FloatArray], outcome: FloatArray | None, family: Family | None
    ) -> None:
        scm = self.scm
        wanted = [name for name in scm.columns if scm.latents_of(name)]
        wanted = self._without(
            [name for name in wanted if self._family(values, name) is None],
            wanted,
            "no family for its levels",
        )
        values = dict(values)
        if scm.outcome is not None and scm.latents_of(scm.outcome) and outcome is not None:
            wanted = [*wanted, scm.outcome]
            values[scm.outcome] = outcome
        for name in wanted:
            partners = scm.graph.siblings(name)
            if partners:
                raise ConfigError(
                    f"{plain(name)} shares a hidden cause with {plain(partners[0])}, so the latents are not "
                    "all that is left",
                    fix=_DECLARE,
                )
        place = {latent: at for at, latent in enumerate(scm.latents)}
        indicators = []
        for name in wanted:
            kind = family if name == scm.outcome else self._family(values, name)
            kind = scm.families.get(name, kind or "gaussian")
            _check_family(name, kind, values[name])
            indicators.append(Indicator(name, kind, tuple(place[each] for each in scm.latents_of(name))))
        few = [
            latent for latent in scm.latents if sum(place[latent] in each.latents for each in indicators) < 3
        ]
        if few:
            warnings.warn(
                f"the latent {plain(few[0])} has fewer than three measured effects, which do not settle how "
                "strong each is; name the outcome, or draw more effects",
                FairwitnessWarning,
                stacklevel=5,
            )
        designs = {name: self._causes(values, name) for name in wanted}
        self.latent_model_ = LatentModel(indicators, len(scm.latents)).fit(
            {name: values[name] for name in wanted}, designs
        )

    def _learn_mechanisms(self, values: dict[str, FloatArray]) -> None:
        graph = self.scm.measured_graph
        coded = [name for name in self.scm.descendants if name in self.columns_.coded]
        for name in self._without(coded, list(self.scm.descendants), "levels have no residual"):
            above = graph.ancestors(name) - {name}
            hidden = [each for each in graph.siblings(name) if each in above]
            if hidden:
                raise ConfigError(
                    f"{plain(name)} shares a hidden cause with {plain(hidden[0])}, which causes it: its "
                    "residual is not what is left of its own",
                    fix="use level 1, or level 2 with that cause as a latent",
                )
            mechanism = LinearRegression() if self.mechanism is None else clone(self.mechanism)
            self.mechanisms_[name] = mechanism.fit(self._causes(values, name)[:, 1:], values[name])

    def _without(self, gone: list[str], names: list[str], why: str) -> list[str]:
        """Leave out columns that a level cannot use, or say so."""
        if gone and self.discrete == "error":
            raise InputError(
                f"level {self.level} cannot use {listing([plain(name) for name in gone])}: {why}",
                fix='pass discrete="drop" to leave such columns out',
            )
        return [name for name in names if name not in gone]

    def _family(self, values: dict[str, FloatArray], name: str) -> Family | None:
        declared = self.scm.families.get(name)
        if name not in self.columns_.coded:
            return declared or "gaussian"
        return "bernoulli" if self.columns_.n_levels(name) <= 2 else None


def _check_family(name: str, family: Family, values: FloatArray) -> None:
    if family == "poisson" and ((values < 0).any() or (values != np.round(values)).any()):
        raise InputError(
            f"{plain(name)} is declared Poisson and does not hold counts",
            got=f"{values.min():g} to {values.max():g}",
            fix='round it, or declare "gaussian"',
        )
    if family == "bernoulli" and not np.isin(values, (0, 1)).all():
        raise InputError(
            f"{plain(name)} is declared Bernoulli and does not hold 0 and 1",
            got=f"{values.min():g} to {values.max():g}",
            fix='declare "gaussian" or "poisson"',
        )


def _gives_probabilities(model: Any) -> bool:
    return model.estimator is None or hasattr(model.estimator, "predict_proba")


class CounterfactuallyFairClassifier(_CounterfactuallyFair, ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """Predict classes from what would be the same had the person belonged to another group.

    A predictor is counterfactually fair if, for all y and s',
    P(ŷ_{S←s}(U) = y | X = x, S = s) = P(ŷ_{S←s'}(U) = y | X = x, S = s). A function of what S does not
    cause is, and each level assumes more to have more of it:

    1. columns that no sensitive feature causes, as they are;
    2. these, and the posterior mean of declared latents given the row and its sensitive features;
    3. these, and residuals x − E[x | causes] of columns that are caused by S: additive noise.

    It is as good as the declared model: the definition cannot be checked by data, and a missing edge S → x
    leaves x's dependence on S in the prediction. Level 1 is empty where S causes every column. Level 2 is
    counterfactually fair up to the spread of the posterior: exactly, with normal effects. Level 3 wants
    numbers, and no hidden cause shared by a column and one of its causes; both are refused with the reason.
    Columns that the graph does not name are not used.

    Parameters
    ----------
    scm
        :class:`fairwitness.fair.SCM`: graph, sensitive features, latents, outcome.
    level
        1, 2 or 3.
    estimator
        Any scikit-learn classifier of the (n, k) features; default is logistic regression on scaled ones.
    mechanism
        Level 3: any scikit-learn regressor of a column on its causes; default is least squares. Its residuals
        on rows that it was fitted on are too small if it overfits.
    discrete
        What to do with caused columns that the level cannot use (levels at level 3, more than two of them at
        level 2): ``"error"``, or ``"drop"`` them.

    Attributes
    ----------
    classes_
        (C,) labels, sorted.
    estimator_
        The fitted predictor.
    feature_names_out_
        What its features are.
    latent_model_, mechanisms_
        The fitted :class:`~fairwitness.fair.latents.LatentModel` (level 2); column → regressor (level 3).
    feature_names_in_, n_features_in_
        The columns of X that are read.

    Notes
    -----
    Kusner, Loftus, Russell and Silva, "Counterfactual fairness" (2017): the definition above, and its three
    levels. They sample latents; here strengths are maximum likelihood and means are integrated on a grid. The
    outcome helps to fit the latents' strengths if the graph names it, and is never used for their means, so
    that training rows and new ones are treated alike.

    Examples
    --------
    >>> import numpy as np, pandas as pd
    >>> from fairwitness.fair import SCM, CounterfactuallyFairClassifier
    >>> rng = np.random.default_rng(0)
    >>> sex, effort = rng.integers(2, size=2000), rng.normal(size=2000)
    >>> table = pd.DataFrame({"sex": sex, "grade": effort + sex})
    >>> passed = effort + 0.3 * rng.normal(size=2000) > 0
    >>> scm = SCM("sex -> grade", sensitive="sex")
    >>> model = CounterfactuallyFairClassifier(scm, level=3).fit(table, passed)
    >>> twin = table.assign(sex=1 - sex, grade=effort + 1 - sex)  # the same people, of the other sex
    >>> float((model.predict(table) == model.predict(twin)).mean()) > 0.95
    True
    """

    def fit(self, X: Any, y: Any, *, sensitive_features: Any = None) -> Self:
        """Fit the model's mechanisms and the predictor on n rows.

        Parameters
        ----------
        X
            Table with the graph's columns by name (of an array: ``x0``, ``x1``, ...).
        y
            (n,) class labels.
        sensitive_features
            The sensitive columns, if they are not in X.

        Raises
        ------
        ConfigError
            If the model and the level do not go together.
        InputError, DataError
            If a column is absent or has missing values, or the level cannot use it.
        """
        table = self._prepare(X, sensitive_features, y)
        codes = any_classes(self, y, rows=n_rows(table))
        two = len(self.classes_) == 2
        features = self._learn(table, codes.astype(np.float64) if two else None, "bernoulli" if two else None)
        estimator = self.estimator
        if estimator is None:
            estimator = make_pipeline(StandardScaler(), LogisticRegression())
        self.estimator_: Any = clone(estimator).fit(features, self.classes_[codes])
        return self

    @available_if(_gives_probabilities)  # type: ignore[untyped-decorator]
    def predict_proba(self, X: Any, *, sensitive_features: Any = None) -> FloatArray:
        """Give (n, C) probabilities, columns as in ``classes_``."""
        features = self.features(X, sensitive_features=sensitive_features)
        return np.asarray(self.estimator_.predict_proba(features), dtype=np.float64)


class CounterfactuallyFairRegressor(_CounterfactuallyFair, RegressorMixin, BaseEstimator):  # type: ignore[misc]
    """Predict numbers from what would be the same had the person belonged to another group.

    All is as in :class:`CounterfactuallyFairClassifier`; the default predictor is least squares.
    """

    def fit(self, X: Any, y: Any, *, sensitive_features: Any = None) -> Self:
        """Fit on n rows; ``y`` is (n,) finite numbers, the rest as for the classifier."""
        table = self._prepare(X, sensitive_features, y)
        values = numbers(y, "y", rows=n_rows(table))
        features = self._learn(table, values, "gaussian")
        estimator = LinearRegression() if self.estimator is None else self.estimator
        self.estimator_: Any = clone(estimator).fit(features, values)
        return self
