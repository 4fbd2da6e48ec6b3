"""Typed values to and from plain ones, and the search for what is wrong with a value.

Plain values are those of fastavro and Confluent's serialisers: records are dicts by field name,
enums are their symbols. In a union whose branches look alike when plain, a named branch is the
pair of its full name and its value.
"""

from __future__ import annotations

import datetime as dt
import decimal
import uuid
from collections.abc import Callable
from typing import Any, Final

from . import scalars
from .binding import Binding, V, Writer
from .errors import InvalidAvro, InvalidValue, short_repr
from .schema import Node
from .varints import INT_MAX, INT_MIN

# What a leaf's value becomes before it is laid out as bytes; each refuses what is no such value.
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
    ("string", "uuid"): uuid.UUID,
    ("fixed", "uuid"): uuid.UUID,
    ("fixed", "duration"): scalars.Duration,
    ("bytes", "decimal"): decimal.Decimal,
    ("fixed", "decimal"): decimal.Decimal,
    ("array", ""): list,
    ("map", ""): dict,
}

_FROZEN_CLASS: Final[dict[str, tuple[type, ...]]] = {"array": (list, tuple), "map": (dict,)}


def writing(
    binding: Binding, name: str, writer: Callable[[V, bytearray], None]
) -> Callable[[V], bytes]:
    """A function for the bytes of one record.

    It raises ``InvalidValue`` if something in the record does not fit its type; the path leads
    to it.
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
    """What is wrong with a value: generated code says no as fast as it can, and not why."""
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


def check(binding: Binding, node: Node, value: Any, path: str) -> None:
    """Raises ``InvalidValue`` for the first thing in ``value`` that ``node`` does not allow."""
    match node.kind:
        case "record":
            _check_record(binding, node, value, path)
        case "enum":
            if not isinstance(value, binding.classes[node.name]):
                raise InvalidValue(
                    path, f"expected {_class_name(binding, node)}, got {short_repr(value)}"
                )
        case "array":
            if not isinstance(value, (list, tuple)):
                raise InvalidValue(path, f"expected list, got {short_repr(value)}")
            for index, item in enumerate(value):
                check(binding, node.items, item, f"{path}[{index}]")
        case "map":
            if not isinstance(value, dict):
                raise InvalidValue(path, f"expected dict, got {short_repr(value)}")
            for key, item in value.items():
                _leaf(scalars.text_of, key, f"{path}[{short_repr(key)}] as a key")
                check(binding, node.items, item, f"{path}[{short_repr(key)}]")
        case "union":
            check(binding, branch_of(binding, node, value, path), value, path)
        case _:
            to_base(node, value, path)


def to_base(node: Node, value: Any, path: str) -> Any:
    """A leaf as the int, str, bytes … that is written.

    Raises:
        InvalidValue: it is no value of the type.
    """
    if node.logical == "decimal":
        precision, scale, size = node.precision, node.scale, node.size
        if node.kind == "fixed":
            return _leaf(lambda v: scalars.decimal_fixed_of(v, precision, scale, size), value, path)
        return _leaf(lambda v: scalars.decimal_bytes_of(v, precision, scale), value, path)
    if node.kind == "fixed" and not node.logical:
        return _leaf(lambda v: scalars.fixed_of(v, node.size), value, path)
    return _leaf(_TO_BASE[node.kind, node.logical], value, path)


def from_base(binding: Binding, node: Node) -> Callable[[Any], Any] | None:
    """What turns a leaf as it is written into its value; None where it is the value."""
    if node.logical == "decimal":
        precision, scale = node.precision, node.scale
        return lambda data: scalars.decimal_from(data, precision, scale)
    if node.kind == "fixed" and not node.logical:
        return binding.classes[node.name]
    if node.kind == "enum":
        return binding.classes[node.name]
    return _FROM_BASE.get((node.kind, node.logical))


def branch_of(binding: Binding, union: Node, value: Any, path: str) -> Node:
    """The branch that a typed value is written as: the first that its class and range fit.

    An int goes to a float's branch only where the union has no int that holds it.
    """
    for branch in union.branches:
        if _is_of(binding, union, branch, value):
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


def _is_of(binding: Binding, union: Node, branch: Node, value: Any) -> bool:
    kind = type(value)
    if branch.kind == "null":
        return value is None
    if branch.name and not branch.logical:
        return kind is binding.classes[branch.name]
    if binding.immutable and branch.kind in _FROZEN_CLASS:
        # Plain values come here, too.
        return issubclass(kind, _FROZEN_CLASS[branch.kind])
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


def _check_record(binding: Binding, node: Node, value: Any, path: str) -> None:
    if not isinstance(value, binding.classes[node.name]):
        raise InvalidValue(path, f"expected {_class_name(binding, node)}, got {short_repr(value)}")
    for field, attribute in zip(node.fields, binding.attributes[node.name], strict=True):
        inner = f"{path}.{field.name}" if path else field.name
        try:
            part = getattr(value, attribute)
        except AttributeError:
            raise InvalidValue(inner, "is not set") from None
        check(binding, field.node, part, inner)


def _leaf(convert: Callable[[Any], Any], value: Any, path: str) -> Any:
    try:
        return convert(value)
    except InvalidValue as error:
        raise InvalidValue(path, error.reason) from None


def _class_name(binding: Binding, node: Node) -> str:
    return binding.classes[node.name].__name__


# Plain values.


def to_plain(binding: Binding, node: Node, value: Any) -> Any:
    """A typed value as dicts, lists and leaves.

    Raises:
        InvalidValue: a union's value belongs to no branch.
    """
    match node.kind:
        case "record":
            return {
                field.name: to_plain(binding, field.node, getattr(value, attribute))
                for field, attribute in zip(node.fields, binding.attributes[node.name], strict=True)
            }
        case "enum":
            return value.value
        case "array":
            return [to_plain(binding, node.items, item) for item in value]
        case "map":
            return {key: to_plain(binding, node.items, item) for key, item in value.items()}
        case "union":
            branch = branch_of(binding, node, value, "")
            plain = to_plain(binding, branch, value)
            return (branch.name, plain) if _needs_name(node, branch) else plain
        case "fixed" if not node.logical:
            return bytes(value)
        case _:
            return value


_ALIKE: Final = {"record": "map", "enum": "string", "fixed": "bytes"}


def _needs_name(union: Node, branch: Node) -> bool:
    """Whether another branch has plain values of the same look."""
    if branch.logical or branch.kind not in _ALIKE:
        return False
    return any(
        other is not branch
        and not other.logical
        and other.kind in {branch.kind, _ALIKE[branch.kind]}
        for other in union.branches
    )


def from_plain(binding: Binding, node: Node, value: Any, path: str) -> Any:
    """A plain value as a typed one; typed parts are taken as they are.

    Raises:
        InvalidValue: something in it does not fit its type, or a record has an unknown field.
    """
    match node.kind:
        case "record":
            return _record_from_plain(binding, node, value, path)
        case "enum":
            return _enum_from_plain(binding, node, value, path)
        case "array":
            if not isinstance(value, (list, tuple)):
                raise InvalidValue(path, f"expected list, got {short_repr(value)}")
            return [
                from_plain(binding, node.items, item, f"{path}[{index}]")
                for index, item in enumerate(value)
            ]
        case "map":
            if not isinstance(value, dict):
                raise InvalidValue(path, f"expected dict, got {short_repr(value)}")
            return {
                _leaf(scalars.text_of, key, f"{path}[{short_repr(key)}] as a key"): from_plain(
                    binding, node.items, item, f"{path}[{short_repr(key)}]"
                )
                for key, item in value.items()
            }
        case "union":
            return _branch_from_plain(binding, node, value, path)
        case _:
            return _leaf_from_plain(binding, node, value, path)


def _leaf_from_plain(binding: Binding, node: Node, value: Any, path: str) -> Any:
    if node.logical == "uuid" and isinstance(value, str):
        try:
            return scalars.uuid_from(value)
        except InvalidAvro as error:
            raise InvalidValue(path, str(error)) from None
    base = to_base(node, value, path)
    if node.logical:
        return value
    if node.kind == "fixed":
        return binding.classes[node.name](base)
    return base


def _enum_from_plain(binding: Binding, node: Node, value: Any, path: str) -> Any:
    enum = binding.classes[node.name]
    if isinstance(value, enum):
        return value
    if isinstance(value, str) and value in node.symbols:
        return enum(value)
    raise InvalidValue(path, f"expected one of {', '.join(node.symbols)}; got {short_repr(value)}")


def _record_from_plain(binding: Binding, node: Node, value: Any, path: str) -> Any:
    class_ = binding.classes[node.name]
    if isinstance(value, class_):
        check(binding, node, value, path)
        return value
    if not isinstance(value, dict):
        raise InvalidValue(path, f"expected {class_.__name__} or dict, got {short_repr(value)}")
    record: Any = object.__new__(class_)
    known = 0
    for field, attribute in zip(node.fields, binding.attributes[node.name], strict=True):
        inner = f"{path}.{field.name}" if path else field.name
        if field.name in value:
            known += 1
            part = from_plain(binding, field.node, value[field.name], inner)
        elif field.has_default:
            part = from_default(binding, field.node, field.default)
        else:
            raise InvalidValue(inner, "is missing")
        binding.put(record, attribute, part)
    if known < len(value) - ("-type" in value):
        names = {field.name for field in node.fields} | {"-type"}
        unknown = next(key for key in value if key not in names)
        raise InvalidValue(path, f"unknown field {short_repr(unknown)} of {class_.__name__}")
    return record


def _branch_from_plain(binding: Binding, union: Node, value: Any, path: str) -> Any:
    name = _stated_branch(union, value)
    if name is not None:
        branch = next((b for b in union.branches if name in {b.name, b.kind}), None)
        if branch is None:
            raise InvalidValue(path, f"unknown union branch {short_repr(name)}")
        return from_plain(binding, branch, value[1] if isinstance(value, tuple) else value, path)
    try:
        return from_plain(binding, branch_of(binding, union, value, path), value, path)
    except InvalidValue:
        pass
    # Of records, the one of which most fields are there, as fastavro decides.
    best: tuple[int, Any] | None = None
    for branch in union.branches:
        try:
            found = from_plain(binding, branch, value, path)
        except InvalidValue:
            continue
        matched = (
            sum(field.name in value for field in branch.fields)
            if branch.kind == "record" and isinstance(value, dict)
            else 0
        )
        if best is None or matched > best[0]:
            best = (matched, found)
    if best is None:
        names = ", ".join(branch.title for branch in union.branches)
        raise InvalidValue(path, f"expected one of {names}; got {short_repr(value)}")
    return best[1]


def _stated_branch(union: Node, value: Any) -> str | None:
    if isinstance(value, tuple) and len(value) == 2:
        named = any(value[0] in {b.name, b.kind} for b in union.branches if b.kind != "null")
        return str(value[0]) if named and isinstance(value[0], str) else None
    if isinstance(value, dict) and isinstance(value.get("-type"), str):
        return str(value["-type"])
    return None


def from_default(binding: Binding, node: Node, value: Any) -> Any:
    """A default, which is JSON, as a typed value of its own.

    Raises:
        InvalidValue: it is no value of the type.
    """
    match node.kind:
        case "union":
            for branch in node.branches:
                try:
                    return from_default(binding, branch, value)
                except (InvalidValue, InvalidAvro):
                    continue
            raise InvalidValue(
                "", f"no branch of the union accepts the default {short_repr(value)}"
            )
        case "array" if isinstance(value, list):
            return [from_default(binding, node.items, item) for item in value]
        case "map" if isinstance(value, dict):
            return {k: from_default(binding, node.items, item) for k, item in value.items()}
        case "enum":
            return _enum_from_plain(binding, node, value, "")
        case "record" if isinstance(value, dict):
            record: Any = object.__new__(binding.classes[node.name])
            for field, attribute in zip(node.fields, binding.attributes[node.name], strict=True):
                part = value.get(field.name, field.default)
                if field.name not in value and not field.has_default:
                    raise InvalidValue("", f"the default has no value for field {field.name}")
                binding.put(record, attribute, from_default(binding, field.node, part))
            return record
        case "array" | "map" | "record":
            raise InvalidValue(
                "", f"expected a default of type {node.kind}, got {short_repr(value)}"
            )
        case _:
            return _leaf_default(binding, node, value)


_BASE_OF_DEFAULT: Final[dict[str, Callable[[Any], Any]]] = {
    "null": scalars.null_of,
    "boolean": scalars.boolean_of,
    "int": scalars.int_of,
    "long": scalars.long_of,
    "float": scalars.float_of,
    "double": scalars.double_of,
    "string": scalars.text_of,
}


def _leaf_default(binding: Binding, node: Node, value: Any) -> Any:
    if node.kind in {"bytes", "fixed"}:
        try:
            base: Any = scalars.text_of(value).encode("iso-8859-1")
        except UnicodeEncodeError:
            raise InvalidValue(
                "", f"expected a default of ISO-8859-1 text, got {short_repr(value)}"
            ) from None
        if node.kind == "fixed":
            base = scalars.fixed_of(base, node.size)
    else:
        base = _BASE_OF_DEFAULT[node.kind](value)
    convert = from_base(binding, node)
    return base if convert is None else convert(base)
