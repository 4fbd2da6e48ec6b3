"""Methods of records that are rarely called; the first call imports them."""

from __future__ import annotations

import base64
import contextlib
import copy
import dataclasses
import functools
import hashlib
import inspect
import typing
from collections.abc import Collection, Iterator, Mapping
from typing import Any

from .errors import InvalidValue, short_repr
from .frozen import freeze, refuse_change
from .lazy import UNCHANGED, Sign, home_of
from .pickling import MissingType, versions
from .plain import from_default
from .schema import Field


def replace(given: dict[str, Any]) -> Any:
    """A copy of ``given["self"]`` with the attributes in ``given`` that are not ``UNCHANGED``."""
    return _with(copy.copy(given.pop("self")), given)


def replace_immutable(given: dict[str, Any]) -> Any:
    """The function ``replace`` for an immutable record."""
    record = copy.copy(given.pop("self"))
    return _with(record, {attribute: freeze(value) for attribute, value in given.items()})


def rich_repr(record: Any) -> Iterator[tuple[str, Any]]:
    """The names and values that ``rich`` prints for a record."""
    for name in record.__slots__:
        yield name, getattr(record, name)


@functools.cache
def dataclass_twin(record_class: Any) -> type:
    """A dataclass with the attributes, types and defaults of a record's class.

    Its own methods are never called. Its parameters describe the methods of the record.
    """
    signature = inspect.signature(record_class)
    parameters = [p for p in signature.parameters.values() if p.name != "strict"]
    # Libraries that inspect the types of fields do not evaluate text.
    types = typing.get_type_hints(record_class)
    required = {p.name: None for p in parameters if p.default is p.empty}

    def field(parameter: inspect.Parameter) -> Any:
        if parameter.default is parameter.empty:
            return dataclasses.field()
        if not isinstance(parameter.default, Sign):
            return dataclasses.field(default=parameter.default)
        # Constructors check nothing, so a record without valid values shows the default, too.
        return dataclasses.field(
            default_factory=lambda: getattr(record_class(**required), parameter.name)
        )

    return dataclasses.make_dataclass(
        record_class.__name__,
        [(p.name, types.get(p.name, p.annotation), field(p)) for p in parameters],
        frozen=is_immutable(record_class), slots=True, kw_only=True, match_args=False,
    )  # fmt: skip


def complete(record: Any, values: Mapping[str, Any], pickled: str) -> None:
    """Sets the attributes of an unpickled record, which another version may have pickled.

    Raises:
        InvalidValue: an attribute is missing and has no default, or its type is missing.
    """
    binding, name = home_of(type(record))
    attributes = binding.attributes[name]
    fields = binding.nodes[name].fields
    values = dict(values)
    for field, attribute in zip(fields, attributes, strict=True):
        if attribute not in values and (former := _former(field, values)):
            values[attribute] = values.pop(former)
            if former in getattr(record, "__dict__", ()):
                del record.__dict__[former]
    for attribute, value in values.items():
        # An unknown attribute may belong to a subclass.
        with contextlib.suppress(AttributeError):
            object.__setattr__(record, attribute, value)
    for field, attribute in zip(fields, attributes, strict=True):
        if attribute in values:
            _refuse_missing_types(field.name, values[attribute])
            continue
        former = _former_value(field, values, attributes)
        if former is not UNCHANGED:
            _refuse_missing_types(field.name, former)
            object.__setattr__(record, attribute, former)
            continue
        if not field.has_default:
            reason = f"is missing in the pickle, and has no default ({versions(pickled)})"
            raise InvalidValue(field.name, reason)
        binding.put(record, attribute, from_default(binding, field.node, field.default))


def _former(field: Field, values: Mapping[str, Any]) -> str | None:
    """The attribute in earlier releases: the field's name, even if the column has another name.

    If the name was too long, earlier releases shortened it and appended a hash.
    """
    if field.column == field.name:
        return None
    digest = hashlib.sha256(field.name.encode()).digest()[:10]
    end = f"_x{base64.b32encode(digest).decode().lower()}"
    return next((name for name in values if name == field.name or name.endswith(end)), None)


def default_member(enum: Any, symbol: str, pickled: str) -> Any:
    """The member that replaces a symbol which this version's enum lacks: the default.

    Raises:
        InvalidValue: the enum has no default.
    """
    binding, name = home_of(enum)
    default = binding.nodes[name].default
    if default is None:
        reason = f"{enum.__name__} has no symbol {short_repr(symbol)}"
        raise InvalidValue("", f"{reason} and no default ({versions(pickled)})")
    return enum(default)


def _refuse_missing_types(field: str, value: Any) -> None:
    if not MissingType.met:
        return
    if isinstance(value, MissingType):
        raise InvalidValue(
            field,
            f"is a {type(value).__name__}, which this version lacks ({versions(value.pickled)})",
        )
    items = value.values() if isinstance(value, dict) else value
    if isinstance(value, (dict, list, tuple)):
        for item in items:
            _refuse_missing_types(field, item)


def _former_value(field: Field, values: Mapping[str, Any], attributes: Collection[str]) -> Any:
    """The pickled value under a former name of the field, or ``UNCHANGED``."""
    for alias in field.aliases:
        # The possible attributes of an alias: with ``_`` or ``f_`` to avoid keywords, methods and mangling.
        for attribute in (alias, f"{alias}_", f"f_{alias}"):
            if attribute in values and attribute not in attributes:
                return values[attribute]
    return UNCHANGED


def is_immutable(record_class: Any) -> bool:
    return bool(record_class.__setattr__ is refuse_change)


def _with(record: Any, given: dict[str, Any]) -> Any:
    for attribute, value in given.items():
        if value is not UNCHANGED:
            object.__setattr__(record, attribute, value)
    return record
