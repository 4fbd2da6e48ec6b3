"""Checks whether a schema allows a value, and converts the value's parts to their plain classes.

Every way to write a value goes through ``accept``, or accepts the same values.
"""

from __future__ import annotations

import datetime as dt
import uuid
from collections.abc import Callable
from operator import is_not
from typing import Any, Final

from . import scalars
from .binding import Binding
from .entries import key_and_value
from .errors import InvalidValue, invalid, short_repr
from .plain_values import plain_of
from .schema import Node
from .values import DICTS, LISTS, branch_of, convert_leaf, is_of, to_base
from .varints import INT_MAX, INT_MIN, LONG_MAX, LONG_MIN

TEXT: Final = Node("string")
"""The type of a map's keys."""


def accept(binding: Binding, node: Node, value: Any, path: str) -> Any:
    """The value with its parts in their plain classes; the same object if they already have them.

    Raises:
        InvalidValue: ``node`` does not allow the value; ``InvalidValues`` if several parts are invalid.
    """
    try:
        return _accept(binding, node, value, path)
    except RecursionError:
        raise InvalidValue(path, "the value is nested too deeply, or contains itself") from None


def _accept(binding: Binding, node: Node, value: Any, path: str) -> Any:
    match node.kind:
        case "record":
            return _accept_record(binding, node, value, path)
        case "enum":
            if not is_of(binding, node, value):
                raise _other_class(binding, node, value, path)
            class_: Any = binding.classes[node.name]
            return value if type(value) is class_ else class_(value.value)
        case "array" if node.map_form == "dict":
            keys, values = key_and_value(node)
            return _accept_dict(binding, keys, values, value, path)
        case "array":
            return _accept_list(binding, node.items, value, path)
        case "map":
            return _accept_dict(binding, TEXT, node.items, value, path)
        case "union":
            return _accept(binding, branch_of(binding, node, value, path), value, path)
        case _:
            return accept_leaf(binding, node, value, path)


def _accept_record(binding: Binding, node: Node, value: Any, path: str) -> Any:
    if not is_of(binding, node, value):
        raise _other_class(binding, node, value, path)
    class_, attributes = binding.classes[node.name], binding.attributes[node.name]
    accepted: list[Any] = []
    faults: list[InvalidValue] = []
    is_same = type(value) is class_
    for field, attribute in zip(node.fields, attributes, strict=True):
        inner = f"{path}.{field.name}" if path else field.name
        try:
            part = getattr(value, attribute)
        except AttributeError:
            faults.append(InvalidValue(inner, "is not set"))
            continue
        try:
            accepted.append(_accept(binding, field.node, part, inner))
        except InvalidValue as error:
            faults += error.faults
        else:
            is_same = is_same and accepted[-1] is part
    if faults:
        raise invalid(faults)
    if is_same:
        return value
    record: Any = object.__new__(class_)
    for attribute, part in zip(attributes, accepted, strict=True):
        binding.put(record, attribute, part)
    return record


def _accept_list(binding: Binding, items: Node, value: Any, path: str) -> Any:
    given = value if type(value) in LISTS else convert_leaf(scalars.list_of, value, path)
    accepted: list[Any] = []
    faults: list[InvalidValue] = []
    for index, item in enumerate(given):
        try:
            accepted.append(_accept(binding, items, item, f"{path}[{index}]"))
        except InvalidValue as error:
            faults += error.faults
    if faults:
        raise invalid(faults)
    return accepted if given is not value or any(map(is_not, accepted, given)) else value


def _accept_dict(binding: Binding, keys: Node, values: Node, value: Any, path: str) -> Any:
    is_plain = type(value) in DICTS
    given = value if is_plain else convert_leaf(scalars.dict_of, value, path)
    accepted: dict[Any, Any] = {}
    faults: list[InvalidValue] = []
    is_same = given is value
    for key, item in given.items():
        inner = f"{path}[{short_repr(key)}]"
        try:
            accepted_key = _accept(binding, keys, key, f"{inner} as a key")
            accepted[accepted_key] = _accept(binding, values, item, inner)
        except InvalidValue as error:
            faults += error.faults
        else:
            is_same = is_same and accepted_key is key and accepted[accepted_key] is item
    if faults:
        raise invalid(faults)
    return value if is_same else accepted


def accept_leaf(binding: Binding, node: Node, value: Any, path: str) -> Any:
    """Does the work of ``accept`` for a primitive or fixed type, with a logical type or without."""
    is_plain = _PLAIN.get((node.kind, node.logical, type(value)))
    if is_plain is not None and is_plain(value):
        return value
    base = to_base(node, value, path)
    if node.logical == "duration":
        return scalars.own_duration(value)
    if node.logical:
        return plain_of(value)
    if node.kind != "fixed":
        return base
    class_ = binding.classes[node.name]
    return value if type(value) is class_ else class_(base)


def _always(_: object) -> bool:
    return True


# Tests that most values pass: they have the plain class and are in range, so nothing is converted.
_PLAIN: Final[dict[tuple[str, str, type], Callable[[Any], bool]]] = {
    ("null", "", type(None)): _always,
    ("boolean", "", bool): _always,
    ("int", "", int): lambda value: INT_MIN <= value <= INT_MAX,
    ("long", "", int): lambda value: LONG_MIN <= value <= LONG_MAX,
    ("double", "", float): _always,
    ("float", "", float): scalars.is_single,
    ("string", "", str): str.isascii,
    ("bytes", "", bytes): _always,
    ("string", "uuid", uuid.UUID): _always,
    ("fixed", "uuid", uuid.UUID): _always,
    ("int", "date", dt.date): _always,
    ("long", "time-micros", dt.time): lambda value: value.tzinfo is None,
    ("long", "timestamp-micros", dt.datetime): lambda value: value.tzinfo is dt.UTC,
    ("long", "local-timestamp-micros", dt.datetime): lambda value: value.tzinfo is None,
}


def _other_class(binding: Binding, node: Node, value: Any, path: str) -> InvalidValue:
    expected = binding.classes[node.name].__name__
    return InvalidValue(path, f"expected {expected}, got {short_repr(value)}")
