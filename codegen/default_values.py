"""A field's default, as JSON, to the Python expression of its value.

Bytes and fixed are ISO-8859-1 text in JSON; a union's default is a value of the first branch that
it fits (Avro 1.12; earlier versions: of the first branch).
"""

from __future__ import annotations

import datetime as dt
import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar, assert_never

from avro_schema.model import Json, NoDefault
from codegen.errors import CodegenError, IllegalDefault
from codegen.runtime import scalars
from codegen.runtime.errors import AvroError
from codegen.shapes import (
    Attribute,
    DecimalShape,
    DictShape,
    EnumReference,
    FixedReference,
    ListShape,
    PackageShape,
    RecordReference,
    Scalar,
    Shape,
    UnionShape,
)
from codegen.source import literal

_Value = TypeVar("_Value")

MOST_OBJECTS = 10_000
"""A default that would construct more is refused: records within records double at every level."""


@dataclass(frozen=True, slots=True)
class Expression:
    """``fresh``: the value can be changed, so that each use needs its own."""

    text: str
    fresh: bool = False


class DefaultValues:
    def __init__(self, package: PackageShape) -> None:
        self._records = {record.class_name: record for record in package.records}
        self._enums = {
            enum.class_name: {symbol: member for member, symbol in enum.members}
            for enum in package.enums
        }
        self._sizes: dict[tuple[str, str], int] = {}

    def expression(self, record: str, attribute: Attribute) -> Expression:
        """The expression of an attribute's default, which it must have.

        Raises:
            IllegalDefault: the default is no value of the attribute's type.
        """
        where = f"{record}.{attribute.field}"
        assert not isinstance(attribute.default, NoDefault)
        expression = self._value(attribute.default, attribute.shape, where)
        self._size(record, attribute, where)
        return expression

    def _value(self, value: Json, shape: Shape, where: str) -> Expression:
        match shape:
            case Scalar():
                return Expression(_scalar(value, shape, where))
            case DecimalShape(precision, scale):
                data = _bytes(value, where)
                if shape.size is not None and len(data) != shape.size:
                    raise IllegalDefault(where, f"has {len(data)} bytes where {shape.size} are due")
                number = _read(where, lambda: scalars.decimal_from(data, precision, scale))
                return Expression(f"_decimal.Decimal({literal(str(number))})")
            case FixedReference(class_name, size):
                data = _bytes(value, where)
                if len(data) != size:
                    raise IllegalDefault(where, f"has {len(data)} bytes where {size} are due")
                return Expression(f"{class_name}({data!r})")
            case EnumReference(class_name):
                members = self._enums[class_name]
                if not isinstance(value, str) or value not in members:
                    raise IllegalDefault(where, "is none of the enum's symbols")
                return Expression(f"{class_name}.{members[value]}")
            case ListShape(items):
                if not isinstance(value, list):
                    raise IllegalDefault(where, "is no array")
                parts = [self._value(item, items, where).text for item in value]
                return Expression(f"[{', '.join(parts)}]", fresh=True)
            case DictShape(values):
                if not isinstance(value, dict):
                    raise IllegalDefault(where, "is no map")
                pairs = [
                    f"{literal(key)}: {self._value(item, values, where).text}"
                    for key, item in value.items()
                ]
                return Expression(f"{{{', '.join(pairs)}}}", fresh=True)
            case UnionShape(branches):
                return self._value(value, self._branch(value, branches, where), where)
            case RecordReference(class_name):
                return self._record(value, class_name, where)
            case _:
                assert_never(shape)

    def _branch(self, value: Json, branches: tuple[Shape, ...], where: str) -> Shape:
        for branch in branches:
            try:
                self._value(value, branch, where)
            except CodegenError:
                continue
            return branch
        raise IllegalDefault(where, "fits no branch of the union")

    def _record(self, value: Json, class_name: str, where: str) -> Expression:
        if not isinstance(value, dict):
            raise IllegalDefault(where, "is no object")
        arguments: list[str] = []
        for attribute in self._records[class_name].attributes:
            if attribute.field in value:
                part = self._value(value[attribute.field], attribute.shape, where)
                arguments.append(f"{attribute.name}={part.text}")
            elif isinstance(attribute.default, NoDefault):
                raise IllegalDefault(where, f"says nothing of {attribute.field}")
        return Expression(f"{class_name}({', '.join(arguments)})", fresh=True)

    def _size(self, record: str, attribute: Attribute, where: str) -> int:
        """How many objects the default constructs, those of omitted fields included."""
        key = (record, attribute.field)
        if key in self._sizes:
            if self._sizes[key] == 0:
                raise IllegalDefault(where, "leaves out a field whose default leads back here")
            return self._sizes[key]
        self._sizes[key] = 0
        assert not isinstance(attribute.default, NoDefault)
        size = self._value_size(attribute.default, attribute.shape, where)
        if size > MOST_OBJECTS:
            raise IllegalDefault(where, f"would construct more than {MOST_OBJECTS} objects")
        self._sizes[key] = size
        return size

    def _value_size(self, value: Json, shape: Shape, where: str) -> int:
        match shape:
            case ListShape(items) if isinstance(value, list):
                return 1 + sum(self._value_size(item, items, where) for item in value)
            case DictShape(values) if isinstance(value, dict):
                return 1 + sum(self._value_size(item, values, where) for item in value.values())
            case UnionShape(branches):
                return self._value_size(value, self._branch(value, branches, where), where)
            case RecordReference(class_name) if isinstance(value, dict):
                size = 1
                for attribute in self._records[class_name].attributes:
                    if attribute.field in value:
                        size += self._value_size(value[attribute.field], attribute.shape, where)
                    else:
                        size += self._size(class_name, attribute, where)
                return size
            case _:
                return 1


def _scalar(value: Json, shape: Scalar, where: str) -> str:
    match shape:
        case Scalar.NULL:
            if value is not None:
                raise IllegalDefault(where, "is not null")
            return "None"
        case Scalar.BOOLEAN:
            if type(value) is not bool:
                raise IllegalDefault(where, "is no boolean")
            return repr(value)
        case Scalar.INT:
            return repr(_whole(value, scalars.INT_MIN, scalars.INT_MAX, where))
        case Scalar.LONG:
            return repr(_whole(value, scalars.LONG_MIN, scalars.LONG_MAX, where))
        case Scalar.FLOAT | Scalar.DOUBLE:
            return repr(_number(value, shape, where))
        case Scalar.BYTES:
            return repr(_bytes(value, where))
        case Scalar.STRING:
            if type(value) is not str:
                raise IllegalDefault(where, "is no string")
            return literal(value)
        case Scalar.DATE:
            days = _whole(value, scalars.INT_MIN, scalars.INT_MAX, where)
            date = _read(where, lambda: scalars.date_from(days))
            return f"_datetime.date({date.year}, {date.month}, {date.day})"
        case Scalar.TIME_MILLIS | Scalar.TIME_MICROS:
            unit = 1000 if shape is Scalar.TIME_MILLIS else 1
            count = _whole(value, scalars.INT_MIN, scalars.LONG_MAX, where)
            return _time(_read(where, lambda: scalars.time_from_micros(count * unit)))
        case Scalar.TIMESTAMP_MILLIS | Scalar.TIMESTAMP_MICROS:
            unit = 1000 if shape is Scalar.TIMESTAMP_MILLIS else 1
            count = _whole(value, scalars.LONG_MIN, scalars.LONG_MAX, where)
            moment = _read(where, lambda: scalars.timestamp_from_micros(count * unit))
            return _moment(moment, ", tzinfo=_datetime.timezone.utc")
        case Scalar.LOCAL_MILLIS | Scalar.LOCAL_MICROS:
            unit = 1000 if shape is Scalar.LOCAL_MILLIS else 1
            count = _whole(value, scalars.LONG_MIN, scalars.LONG_MAX, where)
            return _moment(_read(where, lambda: scalars.local_from_micros(count * unit)), "")
        case Scalar.UUID_TEXT:
            if type(value) is not str:
                raise IllegalDefault(where, "is no string")
            return f"_uuid.UUID({literal(str(_read(where, lambda: scalars.uuid_from(value))))})"
        case Scalar.UUID_FIXED:
            data = _bytes(value, where)
            return (
                f"_uuid.UUID({literal(str(_read(where, lambda: scalars.uuid_from_bytes(data))))})"
            )
        case Scalar.DURATION:
            data = _bytes(value, where)
            return "_" + repr(_read(where, lambda: scalars.duration_from(data)))
        case _:
            assert_never(shape)


def _read(where: str, read: Callable[[], _Value]) -> _Value:
    try:
        return read()
    except AvroError as error:
        raise IllegalDefault(where, str(error)) from None


def _whole(value: Json, least: int, most: int, where: str) -> int:
    if type(value) is not int or not least <= value <= most:
        raise IllegalDefault(where, "is no whole number that fits")
    return value


def _number(value: Json, shape: Scalar, where: str) -> float:
    if type(value) is not int and type(value) is not float:
        raise IllegalDefault(where, "is no number")
    assert isinstance(value, (int, float))
    try:
        number = float(value)
        if shape is Scalar.FLOAT:
            number = scalars.FLOAT.unpack(scalars.FLOAT.pack(number))[0]
    except OverflowError:
        raise IllegalDefault(where, "is too large") from None
    if not math.isfinite(number):
        raise IllegalDefault(where, "is not finite")
    return number


def _bytes(value: Json, where: str) -> bytes:
    if type(value) is not str or any(ord(character) > 255 for character in value):
        raise IllegalDefault(where, "is no string of bytes")
    return value.encode("iso-8859-1")


def _time(time: dt.time) -> str:
    return f"_datetime.time({time.hour}, {time.minute}, {time.second}, {time.microsecond})"


def _moment(moment: dt.datetime, zone: str) -> str:
    date = f"{moment.year}, {moment.month}, {moment.day}"
    time = f"{moment.hour}, {moment.minute}, {moment.second}, {moment.microsecond}"
    return f"_datetime.datetime({date}, {time}{zone})"
