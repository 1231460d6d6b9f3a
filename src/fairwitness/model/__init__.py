"""Models of any library behind one question, safe loading, and the models that the methods train."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fairwitness._lazy import attach

if TYPE_CHECKING:  # what type checkers and editors see; at run time the names come when first used
    from fairwitness.model.blackbox import BlackBox as BlackBox
    from fairwitness.model.blackbox import as_blackbox as as_blackbox
    from fairwitness.model.blackbox import judge_by_fold as judge_by_fold
    from fairwitness.model.crossfit import CrossFitted as CrossFitted
    from fairwitness.model.endpoint import EndpointSettings as EndpointSettings
    from fairwitness.model.inspect import ModelFile as ModelFile
    from fairwitness.model.inspect import inspect_model as inspect_model
    from fairwitness.model.judgement import Judgement as Judgement
    from fairwitness.model.judgement import ModelInfo as ModelInfo
    from fairwitness.model.load import load_model as load_model
    from fairwitness.model.quality import ClassifierQuality as ClassifierQuality
    from fairwitness.model.sensitive import SensitiveFeatureClassifier as SensitiveFeatureClassifier
    from fairwitness.model.zoo import ModelSpec as ModelSpec
    from fairwitness.model.zoo import TunedModel as TunedModel
    from fairwitness.model.zoo import decision_makers as decision_makers
    from fairwitness.model.zoo import sensitive_classifiers as sensitive_classifiers
    from fairwitness.model.zoo import tune as tune

_NAMES = {
    "BlackBox": "blackbox",
    "ClassifierQuality": "quality",
    "CrossFitted": "crossfit",
    "EndpointSettings": "endpoint",
    "Judgement": "judgement",
    "ModelFile": "inspect",
    "ModelInfo": "judgement",
    "ModelSpec": "zoo",
    "SensitiveFeatureClassifier": "sensitive",
    "TunedModel": "zoo",
    "as_blackbox": "blackbox",
    "decision_makers": "zoo",
    "inspect_model": "inspect",
    "judge_by_fold": "blackbox",
    "load_model": "load",
    "sensitive_classifiers": "zoo",
    "tune": "zoo",
}
__getattr__, __dir__ = attach(__name__, _NAMES)
__all__ = sorted(_NAMES)
