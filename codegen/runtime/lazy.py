"""Modules that are imported on first use, and placeholders for absent values."""

from __future__ import annotations

import importlib

# Type checkers know the name; to import ``typing`` takes longer than the rest of a package.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from types import ModuleType
    from typing import Any
else:
    ModuleType = type(importlib)


class Lazy(ModuleType):
    """A module that is imported when one of its names is first used."""

    def __init__(self, module: str, package: str) -> None:
        super().__init__(module)
        # One attribute: another thread may replace what the module calls itself between two.
        self.__where__ = module, package

    def __getattr__(self, name: str) -> Any:
        module = importlib.import_module(*self.__where__)
        self.__dict__.update(vars(module))
        # From now on an ordinary module, whose names the interpreter finds fastest.
        object.__setattr__(self, "__class__", ModuleType)
        return getattr(module, name)


def submodules(package: str, names: tuple[str, ...]) -> Callable[[str], ModuleType]:
    """``__getattr__`` of a package whose submodules of these names are imported on first use."""

    def find(name: str) -> ModuleType:
        if name in names:
            return importlib.import_module(f".{name}", package)
        raise AttributeError(f"module {package!r} has no attribute {name!r}", name=name)

    return find


class TwinAttribute:
    """An attribute of a record's class: the one that its dataclass would have, made when first read."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __get__(self, _: object, record_class: type) -> Any:
        return getattr(_records().dataclass_twin(record_class), self._name)


def _pydantic_schema(record_class: type, *_: object) -> Any:
    return _records().pydantic_schema(record_class)


def _records() -> Any:
    return importlib.import_module(".records", __package__)


class SchemaText:
    """The attribute ``SCHEMA`` of a record's class; ``codec`` is the module of its package."""

    def __init__(self, codec: Any, name: str) -> None:
        self._codec = codec
        self._name = name

    def __get__(self, *_: object) -> Any:
        schemas = importlib.import_module(".class_schemas", __package__)
        return schemas.schema_text(self._codec.BINDING, self._name)


FIELDS = TwinAttribute("__dataclass_fields__")
PARAMS = TwinAttribute("__dataclass_params__")
PYDANTIC_SCHEMA: Any = classmethod(_pydantic_schema)


class Sign:
    """Stands for an absent value; a singleton, also after copying or unpickling."""

    def __init__(self, name: str, shown: str) -> None:
        self._name = name
        self._shown = shown

    def __repr__(self) -> str:
        return self._shown

    def __reduce__(self) -> str:
        return self._name


# The schema's default, where each record needs its own.
UNSET: Any = Sign("UNSET", "<default>")
UNSET_LIST: Any = Sign("UNSET_LIST", "[]")
UNSET_DICT: Any = Sign("UNSET_DICT", "{}")
# In ``replace``: the record's own value.
UNCHANGED: Any = Sign("UNCHANGED", "<unchanged>")
# An item that one of two records lacks.
ABSENT: Any = Sign("ABSENT", "<absent>")
