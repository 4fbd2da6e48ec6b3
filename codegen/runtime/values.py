"""Typed values and the schema: which branch a value has, and what is wrong with a value."""

from __future__ import annotations

import datetime as dt
import decimal
import uuid
from collections.abc import Callable
from typing import Any, Final

from . import scalars
from .binding import Binding, V, Writer
from .entries import is_dict, key_and_value
from .errors import InvalidValue, short_repr
from .schema import Node
from .varints import INT_MAX, INT_MIN

# A leaf's value to the value of its Avro type; each refuses values that are not of the type.
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

_FROM_BASE: Final[dict[tuple[str, str], Callable[[Any], Any]]] = {
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


def make_encoder(
    binding: Binding, name: str, writer: Callable[[V, bytearray], None]
) -> Callable[[V], bytes]:
    """A function that encodes one record.

    It raises ``InvalidValue`` with a path if a value in the record does not match its type.
    """

    def write(value: V) -> bytes:
        out = bytearray()
        try:
            writer(value, out)
        except Exception as error:
            raise _refusal(binding, name, value, error) from error
        return bytes(out)

    return write


def write_onto(binding: Binding, name: str, writer: Writer, value: Any, out: bytearray) -> None:
    try:
        writer(value, out)
    except Exception as error:
        raise _refusal(binding, name, value, error) from error


def _refusal(binding: Binding, name: str, value: Any, error: Exception) -> Exception:
    """What is wrong with a value: generated code refuses it fast, without saying why."""
    match error:
        case RecursionError():
            return InvalidValue("", "the value is nested too deeply, or contains itself")
        case AttributeError() | TypeError() | ValueError() | ArithmeticError() | LookupError():
            try:
                check(binding, binding.nodes[name], value, "")
            except InvalidValue as found:
                return found
            return InvalidValue("", str(error))
        case _:
            return error


def is_of(binding: Binding, node: Node, value: object) -> bool:
    """Whether a value has the class of a record, enum or fixed."""
    return isinstance(value, binding.classes[node.name])


def check(binding: Binding, node: Node, value: Any, path: str) -> None:
    """Raises ``InvalidValue`` for the first thing in ``value`` that ``node`` does not allow."""
    match node.kind:
        case "record":
            _check_record(binding, node, value, path)
        case "enum":
            if not is_of(binding, node, value):
                raise InvalidValue(
                    path, f"expected {_class_name(binding, node)}, got {short_repr(value)}"
                )
        case "array" if node.map_form == "dict":
            _check_dict(binding, node, value, path)
        case "array":
            if not isinstance(value, (list, tuple)):
                raise InvalidValue(path, f"expected list, got {short_repr(value)}")
            for index, item in enumerate(value):
                check(binding, node.items, item, f"{path}[{index}]")
        case "map":
            if not isinstance(value, dict):
                raise InvalidValue(path, f"expected dict, got {short_repr(value)}")
            for key, item in value.items():
                convert_leaf(scalars.text_of, key, f"{path}[{short_repr(key)}] as a key")
                check(binding, node.items, item, f"{path}[{short_repr(key)}]")
        case "union":
            # The type that a value is optional of says best what is wrong with it.
            branch = None if value is None else optional_of(node)
            check(binding, branch or branch_of(binding, node, value, path), value, path)
        case _:
            to_base(node, value, path)


def to_base(node: Node, value: Any, path: str) -> Any:
    """A leaf as the int, str, bytes … that is written.

    Raises:
        InvalidValue: it is not a value of the type.
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
    """Converts a leaf as written into its value; None where they are the same."""
    if node.logical == "decimal":
        precision, scale = node.precision, node.scale
        return lambda data: scalars.decimal_from(data, precision, scale)
    if node.kind == "fixed" and not node.logical:
        return binding.classes[node.name]
    if node.kind == "enum":
        return binding.classes[node.name]
    return _FROM_BASE.get((node.kind, node.logical))


def optional_of(union: Node) -> Node | None:
    """The type beside null; None of a union of other types."""
    others = [branch for branch in union.branches if branch.kind != "null"]
    return others[0] if len(others) == 1 and len(union.branches) == 2 else None


def branch_of(binding: Binding, union: Node, value: Any, path: str) -> Node:
    """The branch that a typed value is written as: the first that matches its class and range.

    An int is written as a float only where the union has no int or long branch.
    """
    for branch in union.branches:
        if _belongs_to(binding, union, branch, value):
            return branch
    if type(value) is int:
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


def _belongs_to(binding: Binding, union: Node, branch: Node, value: Any) -> bool:
    kind = type(value)
    if branch.kind == "null":
        return value is None
    if branch.name and not branch.logical:
        return kind is binding.classes[branch.name]
    if is_dict(branch):
        # Plain values, too, in an immutable package.
        return issubclass(kind, dict) if binding.immutable else kind is dict
    if branch.kind == "array":
        return issubclass(kind, (list, tuple)) if binding.immutable else kind is list
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


def _check_dict(binding: Binding, node: Node, value: Any, path: str) -> None:
    if not isinstance(value, dict):
        raise InvalidValue(path, f"expected dict, got {short_repr(value)}")
    keys, values = key_and_value(node)
    for key, item in value.items():
        inner = f"{path}[{short_repr(key)}]"
        check(binding, keys, key, f"{inner} as a key")
        check(binding, values, item, inner)


def _check_record(binding: Binding, node: Node, value: Any, path: str) -> None:
    if not is_of(binding, node, value):
        raise InvalidValue(path, f"expected {_class_name(binding, node)}, got {short_repr(value)}")
    for field, attribute in zip(node.fields, binding.attributes[node.name], strict=True):
        inner = f"{path}.{field.name}" if path else field.name
        try:
            part = getattr(value, attribute)
        except AttributeError:
            raise InvalidValue(inner, "is not set") from None
        check(binding, field.node, part, inner)


def convert_leaf(convert: Callable[[Any], Any], value: Any, path: str) -> Any:
    try:
        return convert(value)
    except InvalidValue as error:
        raise InvalidValue(path, error.reason) from None


def _class_name(binding: Binding, node: Node) -> str:
    return binding.classes[node.name].__name__
