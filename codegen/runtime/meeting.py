"""Compares values of a type that two packages share, and converts them to this package's class."""

from __future__ import annotations

from typing import Any

from .acceptance import accept
from .errors import InvalidValue, short_repr
from .lazy import home_of
from .same_types import is_same_type


def own_value(class_: Any, value: Any) -> Any:
    """The value as an instance of the class. A value of another package's same type is converted.

    Raises:
        InvalidValue: the value is of another type, or contains an invalid value.
    """
    if isinstance(value, class_):
        return value
    if not is_same_type(type(value), class_):
        raise InvalidValue("", f"expected {_shown(class_)}, got {_described(value)}")
    binding, name = home_of(class_)
    return accept(binding, binding.nodes[name], value, "")


def equals(value: Any, other: Any) -> Any:
    """``==`` for a value of another class; ``NotImplemented`` if the types are not the same."""
    class_ = type(value)
    if not is_same_type(type(other), class_):
        return NotImplemented
    try:
        return bool(own_value(class_, other) == value)
    except InvalidValue:
        return False


def _shown(class_: type) -> str:
    return f"{class_.__module__.removesuffix('._types')}.{class_.__qualname__}"


def _described(value: object) -> str:
    class_: Any = type(value)
    if not hasattr(class_, "SCHEMA") and not hasattr(class_, "__avro_schema__"):
        return short_repr(value)
    return f"{_shown(class_)}, whose type has another name or another schema"
