"""Converts leaves to and from their written form, and chooses the union branch of a typed value."""

from __future__ import annotations

import datetime as dt
import decimal
import importlib
import uuid
from collections.abc import Callable, Mapping
from typing import Any, Final

from . import scalars
from .binding import Binding
from .entries import is_dict
from .errors import AvroError, InvalidValue, short_repr
from .frozen import FrozenMap, items_in
from .plain_values import plain_of
from .schema import Node
from .varints import INT_MAX, INT_MIN

# Functions from a leaf's value to the value of its Avro type; each refuses values of other types.
_TO_BASE: Final[dict[tuple[str, str], Callable[[Any], Any]]] = {
    ("null", ""): scalars.null_of,
    ("boolean", ""): scalars.boolean_of,
    ("int", ""): scalars.int_of,
    ("long", ""): scalars.long_of,
    ("float", ""): scalars.float_of,
    ("double", ""): scalars.double_of,
    ("bytes", ""): scalars.bytes_of,
    ("string", ""): scalars.text_of,
    ("int", "date"): scalars.days_of,
    ("int", "time-millis"): scalars.time_millis_of,
    ("long", "time-micros"): scalars.time_micros_of,
    ("long", "timestamp-millis"): scalars.timestamp_millis_of,
    ("long", "timestamp-micros"): scalars.timestamp_micros_of,
    ("long", "local-timestamp-millis"): scalars.local_millis_of,
    ("long", "local-timestamp-micros"): scalars.local_micros_of,
    ("long", "day-time-interval-micros"): scalars.interval_micros_of,
    ("string", "uuid"): scalars.uuid_text_of,
    ("fixed", "uuid"): scalars.uuid_bytes_of,
    ("fixed", "duration"): scalars.duration_of,
}

FROM_BASE: Final[dict[tuple[str, str], Callable[[Any], Any]]] = {
    ("int", "date"): scalars.date_from,
    ("int", "time-millis"): scalars.time_from_millis,
    ("long", "time-micros"): scalars.time_from_micros,
    ("long", "timestamp-millis"): scalars.timestamp_from_millis,
    ("long", "timestamp-micros"): scalars.timestamp_from_micros,
    ("long", "local-timestamp-millis"): scalars.local_from_millis,
    ("long", "local-timestamp-micros"): scalars.local_from_micros,
    ("long", "day-time-interval-micros"): scalars.interval_from_micros,
    ("string", "uuid"): scalars.uuid_from,
    ("fixed", "uuid"): scalars.uuid_from_bytes,
    ("fixed", "duration"): scalars.duration_from,
}

DICTS: Final[frozenset[Any]] = frozenset((dict, FrozenMap))
LISTS: Final[frozenset[Any]] = frozenset((list, tuple))
_EXACT_CLASS: Final[dict[tuple[str, str], type]] = {
    ("boolean", ""): bool,
    ("int", ""): int,
    ("long", ""): int,
    ("float", ""): float,
    ("double", ""): float,
    ("bytes", ""): bytes,
    ("string", ""): str,
    ("int", "date"): dt.date,
    ("int", "time-millis"): dt.time,
    ("long", "time-micros"): dt.time,
    ("long", "timestamp-millis"): dt.datetime,
    ("long", "timestamp-micros"): dt.datetime,
    ("long", "local-timestamp-millis"): dt.datetime,
    ("long", "local-timestamp-micros"): dt.datetime,
    ("long", "day-time-interval-micros"): dt.timedelta,
    ("string", "uuid"): uuid.UUID,
    ("fixed", "uuid"): uuid.UUID,
    ("fixed", "duration"): scalars.Duration,
    ("bytes", "decimal"): decimal.Decimal,
    ("fixed", "decimal"): decimal.Decimal,
}


def is_of(binding: Binding, node: Node, value: object) -> bool:
    """Whether a value has the class of the named type, or of the same type in another package."""
    class_, kind = binding.classes[node.name], type(value)
    if isinstance(value, class_):
        return True
    if not (hasattr(kind, "__avro_schema__") or hasattr(kind, "SCHEMA")):
        return False
    types = importlib.import_module(".same_types", __package__)
    return bool(types.is_same_type(kind, class_))


def to_base(node: Node, value: Any, path: str) -> Any:
    """A leaf as the int, str, bytes … that is written.

    Raises:
        InvalidValue: the value does not match the type.
    """
    if node.logical == "decimal":
        precision, scale, size = node.precision, node.scale, node.size
        if node.kind == "fixed":
            return convert_leaf(
                lambda v: scalars.decimal_fixed_of(v, precision, scale, size), value, path
            )
        return convert_leaf(lambda v: scalars.decimal_bytes_of(v, precision, scale), value, path)
    if node.kind == "fixed" and not node.logical:
        return convert_leaf(lambda v: scalars.fixed_of(v, node.size), value, path)
    return convert_leaf(_TO_BASE[node.kind, node.logical], value, path)


def from_base(binding: Binding, node: Node) -> Callable[[Any], Any] | None:
    """Converts a leaf from its written form; None if the two forms are the same."""
    if node.logical == "decimal":
        precision, scale = node.precision, node.scale
        return lambda data: scalars.decimal_from(data, precision, scale)
    if node.kind == "fixed" and not node.logical:
        return binding.classes[node.name]
    if node.kind == "enum":
        return binding.classes[node.name]
    return FROM_BASE.get((node.kind, node.logical))


def optional_of(union: Node) -> Node | None:
    """The type besides null; None for a union of other types."""
    if len(union.branches) != 2:
        return None
    one, other = union.branches
    if one.kind == "null":
        return other
    return one if other.kind == "null" else None


def branch_of(binding: Binding, union: Node, value: Any, path: str) -> Node:
    """The branch that a typed value is written as.

    In a union of null and one type, any value except null has that type. In other unions, the first
    branch for the value's class and range wins; otherwise the first branch for a plain class of the
    value's ancestors wins. An int is written as a float only if no branch is an int or long.

    Raises:
        InvalidValue: no branch fits.
    """
    optional = None if value is None else optional_of(union)
    if optional is not None:
        return optional
    found = _matching(binding, union, value) or _matching_class(binding, union, value)
    if found is not None:
        return found
    like = convert_leaf(_like, value, path)
    found = _matching(binding, union, like) or _fixed_of_size(union, like)
    if found is not None:
        return found
    if type(like) is int:
        numbers = [b for b in union.branches if b.kind in {"int", "long"} and not b.logical]
        for branch in union.branches:
            if branch.kind in {"float", "double"} and not numbers:
                return branch
        if numbers:
            raise InvalidValue(
                path, f"{short_repr(value)} does not fit into the union's {numbers[0].kind}"
            )
    names = ", ".join(branch.title for branch in union.branches)
    raise InvalidValue(path, f"expected one of {names}; got {short_repr(value)}")


def _matching(binding: Binding, union: Node, value: Any) -> Node | None:
    return next((b for b in union.branches if _belongs_to(binding, union, b, value)), None)


def _matching_class(binding: Binding, union: Node, value: Any) -> Node | None:
    return next(
        (b for b in union.branches if b.name and not b.logical and is_of(binding, b, value)), None
    )


def _like(value: Any) -> Any:
    """The value as an instance of the plain class that it inherits from; also for containers."""
    if isinstance(value, Mapping):
        return scalars.dict_of(value)
    if scalars.is_duration(value):
        return scalars.own_duration(value)
    items = items_in(value)
    return plain_of(value) if items is None else list(items)


def _fixed_of_size(union: Node, value: Any) -> Node | None:
    """The type for plain bytes in a union that has no bytes."""
    if type(value) is not bytes:
        return None
    fixed = (b for b in union.branches if b.kind == "fixed" and not b.logical)
    return next((branch for branch in fixed if branch.size == len(value)), None)


def _belongs_to(binding: Binding, union: Node, branch: Node, value: Any) -> bool:
    kind = type(value)
    if branch.kind == "null":
        return value is None
    if branch.name and not branch.logical:
        return kind is binding.classes[branch.name]
    if is_dict(branch):
        return kind in DICTS
    if branch.kind == "array":
        return kind in LISTS
    if kind is not _EXACT_CLASS[branch.kind, branch.logical]:
        return False
    match branch.kind, branch.logical:
        case "int", "":
            return bool(INT_MIN <= value <= INT_MAX)
        case "float", "":
            return scalars.is_single(value) or all(b.kind != "double" for b in union.branches)
        case "int", "time-millis":
            return bool(value.microsecond % 1000 == 0) or all(
                b.logical != "time-micros" for b in union.branches
            )
        case _, "decimal":
            return scalars.is_decimal(value, branch.precision, branch.scale)
        case _:
            return True


def convert_leaf(convert: Callable[[Any], Any], value: Any, path: str) -> Any:
    """The result of ``convert``; turns its errors into ``InvalidValue`` at the path."""
    try:
        return convert(value)
    except InvalidValue as error:
        raise InvalidValue(path, error.reason) from None
    except AvroError as error:
        raise InvalidValue(path, str(error)) from None
    except RecursionError:
        raise
    except REFUSALS as error:
        # The value's own class raised this, for example for an impossible year or a faulty time zone.
        raise InvalidValue(path, f"{short_repr(value)} cannot be read: {error}") from None


REFUSALS: Final = (
    AttributeError, TypeError, ValueError, ArithmeticError, LookupError, RuntimeError,
)  # fmt: skip
"""What code that expects a value of its type raises for another one, or a value's own class."""
