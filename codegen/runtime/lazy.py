"""A module that is imported when something of it is first used."""

from __future__ import annotations

import importlib

# Type checkers know the name. Importing ``typing`` takes longer than the rest of a package.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import ModuleType
    from typing import Any
else:
    ModuleType = type(importlib)


class Lazy(ModuleType):
    def __init__(self, module: str, package: str) -> None:
        super().__init__(module)
        self.__package__ = package

    def __getattr__(self, name: str) -> Any:
        module = importlib.import_module(self.__name__, self.__package__)
        self.__dict__.update(vars(module))
        # From now on this is a module like the other, whose names the interpreter finds fastest.
        object.__setattr__(self, "__class__", ModuleType)
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
