"""Names that are imported when first used (PEP 562), so that ``import fairwitness`` stays quick."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module


def attach(package: str, names: Mapping[str, str]) -> tuple[Callable[[str], object], Callable[[], list[str]]]:
    """Give the ``__getattr__`` and ``__dir__`` of a package whose public names live in its modules.

    Parameters
    ----------
    package
        ``__name__`` of the package.
    names
        Public name → module that holds it, relative to ``package`` (``"measures"``). A name that is its
        own module (``"table": "table"``) gives the module.
    """

    def get(name: str) -> object:
        if name not in names:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        module = import_module(f"{package}.{names[name]}")
        return getattr(module, name, module)

    def listing() -> list[str]:
        return sorted(names)

    return get, listing
