"""Fitted estimators of one library after another, read into forms."""

from __future__ import annotations

import json
from typing import Any

import numpy as np

from fairwitness.counterfactuals.exact.forms import CategorySplit, Form, NetworkForm, TreeForm
from fairwitness.errors import ModelError
from fairwitness.text import plain
from fairwitness.typing import FloatArray

#: Classes whose decision is the sign of a weighted sum.
LINEAR = frozenset(
    {
        "LogisticRegression",
        "LogisticRegressionCV",
        "LinearSVC",
        "RidgeClassifier",
        "RidgeClassifierCV",
        "SGDClassifier",
        "Perceptron",
        "LinearDiscriminantAnalysis",
    }
)
#: … and those of ours (``fairwitness.fair``), which are fitted under a constraint and decide in the same way.
FAIR_LINEAR = frozenset({"LFERM", "FairC"})
#: … and whose score is a sigmoid of it, or is made one by us: a threshold moves the boundary.
_SIGMOID = LINEAR | FAIR_LINEAR | {"MLPClassifier"}
FORESTS = frozenset({"RandomForestClassifier", "ExtraTreesClassifier"})
TREES = frozenset({"DecisionTreeClassifier", "ExtraTreeClassifier"})


def read_form(model: Any, *, favorable: int, threshold: float) -> Form:
    """Write an estimator (the last step of a pipeline) or a booster out.

    Parameters
    ----------
    model
        Fitted, of a library the readers know.
    favorable
        Position of the favourable outcome among the model's two classes.
    threshold
        Score from which a row is accepted.

    Raises
    ------
    ModelError
        If the model is none of these; the message says which are.
    """
    name, library = type(model).__name__, type(model).__module__.partition(".")[0]
    classes = getattr(model, "classes_", None)
    if classes is not None and len(classes) != 2:
        raise refuse(name, f"it decides between {len(classes)} outcomes, and the search needs two")
    sign = 1.0 if favorable == 1 else -1.0
    needed = float(np.log(threshold) - np.log1p(-threshold)) if 0 < threshold < 1 else np.nan
    if not np.isfinite(needed):
        raise refuse(name, f"the threshold {threshold:g} is not between 0 and 1")
    if library == "xgboost":
        return _xgboost(model, sign, needed)
    if library == "lightgbm":
        return _lightgbm(model, sign, needed)
    if library == "fairwitness" and name in FAIR_LINEAR:
        return _linear(model, sign, needed)
    if library == "sklearn":
        if name in LINEAR or (name in {"SVC", "NuSVC"} and model.kernel == "linear"):
            if threshold != 0.5 and name not in _SIGMOID:
                raise refuse(name, "its score is calibrated apart from its decision; leave threshold at 0.5")
            return _linear(model, sign, needed)
        if name == "MLPClassifier":
            return _mlp(model, sign, needed)
        if name in FORESTS:
            return _forest(list(model.estimators_), favorable, threshold)
        if name in TREES:
            return _forest([model], favorable, threshold)
        if name == "GradientBoostingClassifier":
            return _gradient_boosting(model, sign, needed)
        if name == "HistGradientBoostingClassifier":
            return _hist(model, sign, needed)
    raise refuse(name, "its decision is not known as a sum of trees, a weighted sum or a ReLU network")


def refuse(name: str, reason: str) -> ModelError:
    """Give the error for a model or step that cannot be searched exactly."""
    return ModelError(
        f"the exact search cannot look into {plain(name, most=80)}: {reason}",
        fix="use GeneticGenerator, which only asks the model; or a linear model, decision tree, random "
        "forest, gradient boosting (scikit-learn, XGBoost, LightGBM) or ReLU MLPClassifier, with nothing but "
        "scaling and one-hot or ordinal encoding before it",
    )


def _linear(model: Any, sign: float, needed: float) -> NetworkForm:
    coefficients = model.coef_.toarray() if hasattr(model.coef_, "toarray") else model.coef_
    weight = sign * np.asarray(coefficients, dtype=np.float64).reshape(1, -1).T
    bias = sign * np.asarray(model.intercept_, dtype=np.float64).reshape(1) - needed
    return _network((weight,), (bias,))


def _network(weights: tuple[FloatArray, ...], biases: tuple[FloatArray, ...]) -> NetworkForm:
    size = 1.0
    for weight, bias in zip(weights, biases, strict=True):
        size = size * max(1.0, float(np.abs(weight).sum(axis=0).max())) + float(np.abs(bias).max())
    return NetworkForm(weights, biases, tolerance=1e-12 * size)


def _mlp(model: Any, sign: float, needed: float) -> NetworkForm:
    weights = [np.asarray(each, dtype=np.float64) for each in model.coefs_]
    biases = [np.asarray(each, dtype=np.float64) for each in model.intercepts_]
    if model.activation == "identity":
        weight, bias = weights[0], biases[0]
        for w, b in zip(weights[1:], biases[1:], strict=True):
            weight, bias = weight @ w, bias @ w + b
        weights, biases = [weight], [bias]
    elif model.activation != "relu":
        raise refuse("MLPClassifier", f"its activation is {model.activation}, and relu is needed")
    if model.out_activation_ != "logistic":
        raise refuse("MLPClassifier", "it has more than one output")
    weights[-1], biases[-1] = sign * weights[-1], sign * biases[-1] - needed
    return _network(tuple(weights), tuple(biases))


def _joined(parts: list[dict[str, Any]], **rest: Any) -> TreeForm:
    """Put the nodes of all trees into one table."""
    sizes = np.array([len(part["feature"]) for part in parts])
    starts = np.concatenate([[0], np.cumsum(sizes)[:-1]])
    columns = {
        name: np.concatenate([np.asarray(part[name]) for part in parts])
        for name in ("feature", "threshold", "missing_left", "value")
    }
    leaf = columns["feature"] < 0
    left, right = (
        np.concatenate(
            [np.asarray(p[side], dtype=np.int64) + at for p, at in zip(parts, starts, strict=True)]
        )
        for side in ("left", "right")
    )
    rest["categories"] = {
        node + int(at): split
        for part, at in zip(parts, starts, strict=True)
        for node, split in part.get("categories", {}).items()
    }
    zero = [part["missing_as_zero"] for part in parts if "missing_as_zero" in part]
    return TreeForm(
        roots=starts.astype(np.int64),
        feature=np.where(leaf, -1, columns["feature"]).astype(np.int64),
        threshold=columns["threshold"].astype(np.float64),
        left=np.where(leaf, 0, left),
        right=np.where(leaf, 0, right),
        missing_left=columns["missing_left"].astype(np.bool_),
        value=np.where(leaf, columns["value"], 0.0),
        missing_as_zero=np.concatenate(zero).astype(np.bool_) if zero else None,
        **rest,
    )


def _sklearn_nodes(tree: Any) -> dict[str, Any]:
    return {
        "feature": np.where(tree.children_left < 0, -1, tree.feature),
        "threshold": tree.threshold,
        "left": tree.children_left,
        "right": tree.children_right,
        "missing_left": tree.missing_go_to_left,
    }


def _forest(trees: list[Any], favorable: int, threshold: float) -> TreeForm:
    parts = []
    for each in trees:
        values = each.tree_.value[:, 0, :]
        share = values[:, favorable] / values.sum(axis=1)
        parts.append(_sklearn_nodes(each.tree_) | {"value": share / len(trees)})
    return _joined(parts, offset=-threshold, tolerance=1e-10, single=True)


def _gradient_boosting(model: Any, sign: float, needed: float) -> TreeForm:
    if model.init_ != "zero" and type(model.init_).__name__ != "DummyClassifier":
        raise refuse("GradientBoostingClassifier", "its first guess is a model of its own (init)")
    width = model.n_features_in_
    start = float(model._raw_predict_init(np.zeros((1, width), dtype=np.float32))[0, 0])
    stretch = sign * (2.0 if model.loss == "exponential" else 1.0)
    parts = [
        _sklearn_nodes(each.tree_) | {"value": stretch * model.learning_rate * each.tree_.value[:, 0, 0]}
        for each in model.estimators_[:, 0]
    ]
    size = sum(float(np.abs(part["value"]).max()) for part in parts)
    return _joined(
        parts, offset=stretch * start - needed, tolerance=1e-12 * (1 + size + abs(start)), single=True
    )


def _hist(model: Any, sign: float, needed: float) -> TreeForm:
    bitsets, place = model._bin_mapper.make_known_categories_bitsets()
    parts = []
    for (predictor,) in model._predictors:
        nodes = predictor.nodes
        leaf = nodes["is_leaf"].astype(bool)
        categories: dict[int, CategorySplit] = {}
        for node in np.flatnonzero(nodes["is_categorical"].astype(bool) & ~leaf).tolist():
            levels = _bits(predictor.raw_left_cat_bitsets[nodes["bitset_idx"][node]])
            known = _bits(bitsets[place[nodes["feature_idx"][node]]])
            categories[node] = CategorySplit(levels, known=known)
        parts.append(
            {
                "feature": np.where(leaf, -1, nodes["feature_idx"]),
                "threshold": nodes["num_threshold"],
                "left": nodes["left"],
                "right": nodes["right"],
                "missing_left": nodes["missing_go_to_left"],
                "value": sign * nodes["value"],
                "categories": categories,
            }
        )
    start = float(model._baseline_prediction.ravel()[0])
    size = sum(float(np.abs(part["value"]).max()) for part in parts)
    return _joined(parts, offset=sign * start - needed, tolerance=1e-12 * (1 + size + abs(start)))


def _bits(words: Any) -> frozenset[int]:
    bits = np.unpackbits(np.asarray(words, dtype="<u4").view(np.uint8), bitorder="little")
    return frozenset(np.flatnonzero(bits).tolist())


def _xgboost(model: Any, sign: float, needed: float) -> TreeForm:
    booster = model
    if hasattr(model, "get_booster"):
        booster = model.get_booster()
        best = getattr(booster, "best_iteration", None) if booster.attr("best_iteration") else None
        if best is not None:
            booster = booster[: int(best) + 1]
    learner = json.loads(bytes(booster.save_raw("json")))["learner"]
    objective, kind = learner["objective"]["name"], learner["gradient_booster"]["name"]
    if objective not in {"binary:logistic", "binary:logitraw", "reg:logistic"} or kind != "gbtree":
        raise refuse("XGBoost", f"booster {kind} with objective {objective}; binary gbtree is needed")
    start = float(np.asarray(json.loads(learner["learner_model_param"]["base_score"])).ravel()[0])
    start = start if objective == "binary:logitraw" else float(np.log(start) - np.log1p(-start))
    parts = []
    for tree in learner["gradient_booster"]["model"]["trees"]:
        leaf = np.array(tree["left_children"]) < 0
        conditions = np.array(tree["split_conditions"], dtype=np.float32).astype(np.float64)
        categories: dict[int, CategorySplit] = {}
        for node, at, size in zip(
            tree.get("categories_nodes", ()),
            tree.get("categories_segments", ()),
            tree.get("categories_sizes", ()),
            strict=True,
        ):
            categories[node] = CategorySplit(frozenset(tree["categories"][at : at + size]), to_left=False)
        parts.append(
            {
                "feature": np.where(leaf, -1, tree["split_indices"]),
                "threshold": conditions,
                "left": tree["left_children"],
                "right": tree["right_children"],
                "missing_left": tree["default_left"],
                "value": sign * conditions,
                "categories": categories,
            }
        )
    size = sum(float(np.abs(part["value"][np.asarray(part["feature"]) < 0]).max()) for part in parts)
    return _joined(
        parts,
        offset=sign * start - needed,
        tolerance=1e-6 * (1 + size + abs(start)),  # XGBoost adds in float32
        single=True,
        strict=True,
    )


def _lightgbm(model: Any, sign: float, needed: float) -> TreeForm:
    booster = getattr(model, "booster_", model)
    dump = booster.dump_model()
    words = str(dump.get("objective", "custom")).split(" ")
    if words[0] not in {"binary", "cross_entropy"} or dump.get("num_tree_per_iteration", 1) != 1:
        raise refuse("LightGBM", f"its objective is {words[0]}; binary is needed")
    stretch = next((float(w.partition(":")[2]) for w in words if w.startswith("sigmoid:")), 1.0)
    trees = dump["tree_info"]
    factor = sign * stretch / (len(trees) if dump.get("average_output") else 1)
    parts = [_lightgbm_nodes(tree["tree_structure"], factor) for tree in trees]
    size = sum(float(np.abs(part["value"]).max()) for part in parts)
    return _joined(parts, offset=-needed, tolerance=1e-12 * (1 + size))


def _lightgbm_nodes(root: dict[str, Any], factor: float) -> dict[str, Any]:
    names = ("feature", "threshold", "left", "right", "missing_left", "value", "missing_as_zero")
    out: dict[str, Any] = {name: [] for name in names} | {"categories": {}}
    waiting: list[tuple[dict[str, Any], str, int]] = [(root, "", -1)]
    while waiting:
        node, side, parent = waiting.pop()
        here = len(out["feature"])
        if side:
            out[side][parent] = here
        inner = "split_feature" in node
        category = inner and node["decision_type"] == "=="
        if inner and not category and node["missing_type"] == "Zero":
            raise refuse("LightGBM", "it was trained with zero_as_missing")
        if category:
            levels = frozenset(int(level) for level in str(node["threshold"]).split("||"))
            out["categories"][here] = CategorySplit(levels)
        out["feature"].append(node["split_feature"] if inner else -1)
        out["threshold"].append(float(node["threshold"]) if inner and not category else 0.0)
        out["left"].append(0)
        out["right"].append(0)
        out["missing_left"].append(bool(node["default_left"]) if inner and not category else False)
        out["value"].append(0.0 if inner else factor * node["leaf_value"])
        out["missing_as_zero"].append(inner and not category and node["missing_type"] == "None")
        if inner:
            waiting.append((node["right_child"], "right", here))
            waiting.append((node["left_child"], "left", here))
    return out
