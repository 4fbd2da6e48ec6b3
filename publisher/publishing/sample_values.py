"""Makes sample values of a schema in fastavro's form, the same values at each call.

Values of logical types are plain numbers, bytes and text, and each value of a union names its
branch. So the encoded bytes depend on the schema alone.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from itertools import count
from typing import Any, TypeAlias, assert_never
from uuid import UUID

from codegen.runtime.scalars import rounded_to_single
from lakeschema.avro.defaults import Defaults
from lakeschema.avro.definitions import definitions
from lakeschema.avro.model import (
    Array,
    EnumSchema,
    Fixed,
    Json,
    LogicalType,
    MapSchema,
    NamedSchema,
    NoDefault,
    Primitive,
    Record,
    Reference,
    Schema,
    Union,
)

MAX_PARTS = 20_000
MAX_DEPTH = 64

Value: TypeAlias = dict[str, Any]


class _TooLarge(Exception):
    """Each value of the schema has too many parts, or infinitely many."""


def sample_values(schema: Record) -> Iterator[Value]:
    """A value with as much content as possible, and a value with as little as possible.

    Leaves out values that are too large.
    """
    for filled in (True, False):
        try:
            yield _Sampler(schema).record(schema, filled=filled)
        except _TooLarge:
            continue


def with_defaults(schema: Record, value: Value, fields: Collection[str]) -> Value:
    defaults = _DefaultValues(schema)
    return value | {
        field.name: defaults.value(field.default, field.type)
        for field in schema.fields
        if field.name in fields
    }


def _branch_name(branch: Schema) -> str:
    match branch:
        case Reference(full_name):
            return full_name
        case Record() | EnumSchema() | Fixed():
            return branch.full_name
        case Primitive(name):
            return name
        case Array():
            return "array"
        case MapSchema():
            return "map"
        case _:
            raise AssertionError(branch)


class _Sampler:
    """Makes values. It numbers the parts of a value, so that neighbouring parts differ."""

    def __init__(self, schema: Record) -> None:
        self._definitions: Mapping[str, NamedSchema] = definitions(schema)
        self._numbers = count(1)
        self._open: list[str] = []

    def record(self, record: Record, *, filled: bool) -> Value:
        # A record inside itself has as little content as possible, so that the value ends.
        filled = filled and record.full_name not in self._open
        if len(self._open) >= MAX_DEPTH:
            raise _TooLarge
        self._open.append(record.full_name)
        value = {f.name: self._value(f.type, filled=filled) for f in record.fields}
        self._open.pop()
        return value

    def _value(self, schema: Schema, *, filled: bool) -> Any:
        number = next(self._numbers)
        if number > MAX_PARTS:
            raise _TooLarge
        match schema:
            case Reference(full_name):
                return self._value(self._definitions[full_name], filled=filled)
            case Record():
                return self.record(schema, filled=filled)
            case Union():
                branch = self._branch(schema, filled=filled)
                return _branch_name(branch), self._value(branch, filled=filled)
            case Array(items):
                return [self._value(items, filled=filled)] if filled else []
            case MapSchema(values):
                return {f"key {number}": self._value(values, filled=filled)} if filled else {}
            case EnumSchema(symbols=symbols):
                return symbols[number % len(symbols)]
            case Fixed(size=size, logical=logical):
                return _number_as_bytes(number, size, logical)
            case Primitive(name, logical):
                return _leaf(name, logical, number)
            case _:
                assert_never(schema)

    def _branch(self, union: Union, *, filled: bool) -> Schema:
        """The branch for a value: if ``filled``, the first branch except null.

        Otherwise null, or else preferably a branch that is no record.
        """

        def is_null(branch: Schema) -> bool:
            return isinstance(branch, Primitive) and branch.name == "null"

        def is_record(branch: Schema) -> bool:
            known = self._definitions[branch.full_name] if isinstance(branch, Reference) else branch
            return isinstance(known, Record)

        if filled:
            return min(union.branches, key=is_null)
        return min(union.branches, key=lambda branch: (not is_null(branch), is_record(branch)))


def _number_as_bytes(number: int, size: int, logical: LogicalType | None) -> bytes:
    # A decimal may be limited to one digit.
    is_decimal = logical is not None and logical.name == "decimal"
    return (number % 9 + 1 if is_decimal else number % 251).to_bytes(max(size, 1), "big")[:size]


def _leaf(name: str, logical: LogicalType | None, number: int) -> Any:
    match name:
        case "null":
            return None
        case "boolean":
            return number % 2 == 1
        case "int" | "long":
            return number
        case "float" | "double":
            return number + 0.5
        case "bytes":
            return _number_as_bytes(number, 1, logical)
        case "string":
            is_uuid = logical is not None and logical.name == "uuid"
            return str(UUID(int=number)) if is_uuid else f"text {number}"
        case _:
            raise AssertionError(name)


class _DefaultValues:
    def __init__(self, schema: Record) -> None:
        self._definitions = definitions(schema)
        self._defaults = Defaults(self._definitions)

    def value(self, default: Json | NoDefault, schema: Schema) -> Any:
        match schema, default:
            case Reference(full_name), _:
                return self.value(default, self._definitions[full_name])
            case Union(), _:
                assert not isinstance(default, NoDefault)
                branch = self._defaults.branch(default, schema)
                return _branch_name(branch), self.value(default, branch)
            case Record(fields=fields), dict():
                return {f.name: self.value(default.get(f.name, f.default), f.type) for f in fields}
            case Array(items), list():
                return [self.value(item, items) for item in default]
            case MapSchema(values), dict():
                return {key: self.value(item, values) for key, item in default.items()}
            case Fixed() | Primitive("bytes"), str(text):
                return text.encode("iso-8859-1")
            case Primitive("float"), int() | float() | str():
                return rounded_to_single(float(default))
            case Primitive("double"), int() | float() | str():
                return float(default)
            case _:
                return default
