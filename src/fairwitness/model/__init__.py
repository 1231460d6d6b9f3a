"""Models of any library behind one question, safe loading, and the models that the methods train."""

from __future__ import annotations

from fairwitness._lazy import attach

_NAMES = {
    "BlackBox": "blackbox",
    "ClassifierQuality": "quality",
    "CrossFitted": "crossfit",
    "EndpointSettings": "endpoint",
    "Judgement": "judgement",
    "ModelFile": "inspect",
    "ModelInfo": "judgement",
    "SensitiveFeatureClassifier": "sensitive",
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
