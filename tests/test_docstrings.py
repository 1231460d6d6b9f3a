"""Public names say what they are, and their examples are true."""

from __future__ import annotations

import doctest
import importlib
import inspect
import pkgutil
import warnings

import pytest

import fairwitness

MODULES = sorted(
    module.name
    for module in pkgutil.walk_packages(fairwitness.__path__, "fairwitness.")
    if not module.name.startswith("fairwitness.cli") and not module.name.endswith("__main__")
)
ROOMS = ["", ".table", ".model", ".counterfactuals", ".flips", ".metrics", ".stats", ".fair", ".datasets"]


def public(room: str) -> dict[str, object]:
    module = importlib.import_module(f"fairwitness{room}")
    return {name: getattr(module, name) for name in module.__all__}


def test_examples_are_true() -> None:
    failed = tried = 0
    for name in MODULES:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            result = doctest.testmod(importlib.import_module(name), optionflags=doctest.NORMALIZE_WHITESPACE)
        failed, tried = failed + result.failed, tried + result.attempted
    assert tried > 40
    assert not failed


@pytest.mark.parametrize("room", ROOMS)
def test_every_public_name_has_a_docstring(room: str) -> None:
    silent = []
    for name, thing in public(room).items():
        if not (inspect.isclass(thing) or inspect.isroutine(thing)):
            continue
        parts = {name: thing}
        if inspect.isclass(thing):
            parts |= {
                f"{name}.{part}": value for part, value in vars(thing).items() if not part.startswith("_")
            }
        for part, value in parts.items():
            described = inspect.isroutine(value) or inspect.isclass(value) or isinstance(value, property)
            if described and not inspect.getdoc(value):
                silent.append(part)
    assert not silent


@pytest.mark.parametrize("room", ROOMS)
def test_rooms_list_what_they_export(room: str) -> None:
    module = importlib.import_module(f"fairwitness{room}")
    assert set(module.__all__) <= {*dir(module), "__version__"}
    assert all(hasattr(module, name) for name in dir(module) if not name.startswith("_"))


@pytest.mark.parametrize("room", ["", ".flips", ".metrics", ".model", ".stats", ".fair"])
def test_functions_describe_their_parameters(room: str) -> None:
    """Each parameter is named in the docstring, or the docstring names the function that describes it."""
    lacking = []
    for name, thing in public(room).items():
        if not inspect.isfunction(thing):
            continue
        text = inspect.getdoc(thing) or ""
        elsewhere = ":func:" in text and ("as in" in text or "are those of" in text)
        lacking += [
            f"{name}: {parameter}"
            for parameter in inspect.signature(thing).parameters
            if parameter not in text and not elsewhere
        ]
    assert not lacking
