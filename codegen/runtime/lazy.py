"""Modules that are imported on first use, and placeholders for absent values."""

from __future__ import annotations

import importlib

from .errors import AvroError

# Type checkers know the name; to import ``typing`` takes longer than the rest of a package.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from types import ModuleType
    from typing import Any
else:
    ModuleType = type(importlib)


class Lazy(ModuleType):
    """A module that Python imports when a program first uses one of its names."""

    def __init__(self, module: str, package: str) -> None:
        super().__init__(module)
        # One attribute, since another thread may replace the module's attributes between two reads.
        self.__where__ = module, package

    def __getattr__(self, name: str) -> Any:
        module = importlib.import_module(*self.__where__)
        self.__dict__.update(vars(module))
        # Becomes an ordinary module, because the interpreter looks up its names fastest.
        object.__setattr__(self, "__class__", ModuleType)
        return getattr(module, name)


def submodules(package: str, names: tuple[str, ...]) -> Callable[[str], ModuleType]:
    """``__getattr__`` of a package whose submodules of these names are imported on first use."""

    def find(name: str) -> ModuleType:
        if name in names:
            return importlib.import_module(f".{name}", package)
        raise AttributeError(f"module {package!r} has no attribute {name!r}", name=name)

    return find


class NotInstalled:
    """Stands in annotations for the types of a library that is not installed."""

    def __class_getitem__(cls, _: object) -> type[NotInstalled]:
        return cls


class Library:
    """The types of a library that may not be installed, for programs that evaluate annotations."""

    def __init__(self, module: str) -> None:
        self._module = module

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        try:
            return getattr(importlib.import_module(self._module), name)
        except ImportError:
            return NotInstalled


class _Unwrapped:
    """``Final`` for type checkers; the type within it for programs that evaluate annotations."""

    def __getitem__(self, kind: Any) -> Any:
        return kind


FINAL = _Unwrapped()


class TwinAttribute:
    """An attribute of a record's class, computed at the first read from an equivalent dataclass.

    The result becomes an ordinary attribute, because some libraries look into ``__dict__``.
    """

    def __init__(self, name: str) -> None:
        self._name = name

    def __get__(self, _: object, record_class: type) -> Any:
        found = getattr(_records().dataclass_twin(record_class), self._name)
        setattr(record_class, self._name, found)
        return found


def _core_schema(record_class: type, *_: object) -> object:
    return _pydantic().core_schema_of(record_class)


def _json_schema(record_class: type, _: object, handler: object) -> object:
    return _pydantic().json_schema_of(record_class, handler)


def _pydantic() -> Any:
    return importlib.import_module(".pydantic_records", __package__)


def _records() -> Any:
    return importlib.import_module(".records", __package__)


class SchemaText:
    """The attribute ``SCHEMA`` of a record's class; ``codec`` is its package's codec module."""

    def __init__(self, codec: Any, name: str) -> None:
        self.codec = codec
        self.name = name

    def __get__(self, *_: object) -> Any:
        schemas = importlib.import_module(".class_schemas", __package__)
        return schemas.schema_text(self.codec.BINDING, self.name)


def home_of(record_class: type) -> tuple[Any, str]:
    """The binding of a class's package, and the full name of the class's type."""
    for each in record_class.__mro__:
        text = vars(each).get("SCHEMA") or vars(each).get("__avro_schema__")
        if isinstance(text, SchemaText):
            return text.codec.BINDING, text.name
    raise TypeError(f"expected a class of records, got {record_class!r}")


def _own_value(class_: type, value: object) -> object:
    try:
        return _meeting().own_value(class_, value)
    except AvroError as error:
        raise error.with_traceback(None) from None


def equals(self: object, other: object) -> bool:
    """``__eq__`` of records. The other value may be of the same type in another package."""
    found: bool = _meeting().equals(self, other)
    return found


def equals_member(self: object, other: object) -> object:
    """``__eq__`` of enums' members. The other value may be of the same enum in another package."""
    if self is other:
        return True
    kind, own = type(other), type(self)
    if kind is own or type(kind) is not type(own):
        return NotImplemented
    one: Any = self
    another: Any = other
    return _meeting().is_same_type(kind, own) and one._value_ == another._value_


def _meeting() -> Any:
    return importlib.import_module(".meeting", __package__)


OF: Any = classmethod(_own_value)
FIELDS = TwinAttribute("__dataclass_fields__")
PARAMS = TwinAttribute("__dataclass_params__")
PYDANTIC_SCHEMA: Any = classmethod(_core_schema)
PYDANTIC_JSON_SCHEMA: Any = classmethod(_json_schema)


class Sign:
    """Stands for an absent value; a singleton, also after copying or unpickling."""

    def __init__(self, name: str, shown: str) -> None:
        self._name = name
        self._shown = shown

    def __repr__(self) -> str:
        return self._shown

    def __reduce__(self) -> str:
        return self._name


# Stands for the schema's default, if each record needs a separate value.
UNSET: Any = Sign("UNSET", "<default>")
UNSET_LIST: Any = Sign("UNSET_LIST", "[]")
UNSET_DICT: Any = Sign("UNSET_DICT", "{}")
# In ``replace``: the record keeps its value.
UNCHANGED: Any = Sign("UNCHANGED", "<unchanged>")
# Stands for an item that only one of two records has.
ABSENT: Any = Sign("ABSENT", "<absent>")
