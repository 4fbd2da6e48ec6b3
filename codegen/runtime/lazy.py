"""A module that is imported when something of it is first used."""

from __future__ import annotations

import importlib

# Type checkers know the name. Importing ``typing`` takes longer than the rest of a package.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


class Lazy:
    def __init__(self, module: str, package: str) -> None:
        self.__dict__["__module_name__"] = module
        self.__dict__["__package_name__"] = package

    def __getattr__(self, name: str) -> Any:
        names = self.__dict__
        module = importlib.import_module(names["__module_name__"], names["__package_name__"])
        # Kept, so that from now on an attribute is one look-up and this method is not called.
        names.update(
            (key, value) for key, value in vars(module).items() if not key.startswith("__")
        )
        return getattr(module, name)


class Sign:
    """Stands for the lack of a value; there is one of each, and so it stays when it is copied."""

    def __init__(self, name: str, shown: str) -> None:
        self._name = name
        self._shown = shown

    def __repr__(self) -> str:
        return self._shown

    def __reduce__(self) -> str:
        return self._name


# The schema's default, where that is made anew for each record; or what the record had before.
UNSET: Any = Sign("UNSET", "<default>")
# An item that one of two records lacks.
ABSENT: Any = Sign("ABSENT", "<absent>")
