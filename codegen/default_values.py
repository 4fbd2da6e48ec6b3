"""Writes a field's JSON default as a Python expression.

Values of bytes and fixed are ISO-8859-1 text in JSON. A union's default belongs to the first branch
that accepts it. Before Avro 1.12 it belonged to the first branch.
"""

from __future__ import annotations

import datetime as dt
import json
import math
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import TypeAlias, TypeVar, assert_never

from codegen.errors import IllegalDefault, UnfitSchema, UnheldDefault
from codegen.runtime import scalars
from codegen.runtime.errors import AvroError, short_repr
from codegen.runtime.varints import INT_MAX, INT_MIN, LONG_MAX, LONG_MIN
from codegen.shapes import (
    Attribute,
    DecimalShape,
    DictShape,
    EntriesShape,
    EnumReference,
    FixedReference,
    ListShape,
    PackageShape,
    RecordClass,
    RecordReference,
    Scalar,
    Shape,
    UnionShape,
)
from codegen.source import literal
from lakeschema.avro.float_defaults import NOT_FINITE
from lakeschema.avro.model import Json, NoDefault

_Value = TypeVar("_Value")

MAX_OBJECTS = 10_000
"""The maximum number of objects in a default, since nested records may double it at every level."""

MAX_TRIALS = 100_000
"""The maximum number of trials to find a default's branches: a hostile schema may have very many."""


@dataclass(frozen=True, slots=True)
class DefaultExpression:
    """A default's value as Python source.

    Attributes:
        fresh: whether the value is mutable, so that each record needs a separate value.
        objects: the number of objects that the expression constructs, with defaults of omitted fields.
        records: whether it constructs a record, whose class may come later in the module.
    """

    text: str
    fresh: bool = False
    objects: int = 1
    records: bool = False


_NONE = DefaultExpression("None")
"""The expression of the default null, which most columns have."""


Defaults: TypeAlias = Mapping[str, Mapping[str, DefaultExpression]]
"""The expressions by the record's class, and then by the field's name in the schema."""


def evaluate_defaults(package: PackageShape) -> Defaults:
    """The Python expressions of all defaults; leaves out defaults that Python cannot represent.

    Raises:
        IllegalDefault: a default does not fit its field's type.
        UnfitSchema: a default takes too long to find, or constructs too much.
    """
    evaluator = _Evaluator(package)
    return {record.class_name: dict(evaluator.of_record(record)) for record in package.records}


def unheld_defaults(record: RecordClass, defaults: Defaults) -> Iterator[tuple[Attribute, Json]]:
    """The attributes with a default in the schema that Python cannot represent."""
    for attribute in record.attributes:
        default = attribute.default
        if (
            not isinstance(default, NoDefault)
            and attribute.field not in defaults[record.class_name]
        ):
            yield attribute, default


class _Evaluator:
    def __init__(self, package: PackageShape) -> None:
        self._immutable = package.immutable
        self._records = {record.class_name: record for record in package.records}
        self._enums = {
            enum.class_name: {symbol: member for member, symbol in enum.members}
            for enum in package.enums
        }
        self._found: dict[tuple[str, str], DefaultExpression | UnheldDefault | None] = {}
        self._trials = 0

    def of_record(self, record: RecordClass) -> Iterator[tuple[str, DefaultExpression]]:
        for attribute in record.attributes:
            if not isinstance(attribute.default, NoDefault):
                with suppress(UnheldDefault):
                    yield attribute.field, self.expression(record.class_name, attribute)

    def expression(self, record: str, attribute: Attribute) -> DefaultExpression:
        """The expression of an attribute's default, which must exist.

        Raises:
            UnheldDefault: no Python value represents the default, or a part of it.
        """
        where = f"{record}.{attribute.field}"
        key = (record, attribute.field)
        if key not in self._found:
            self._found[key] = None
            assert not isinstance(attribute.default, NoDefault)
            try:
                self._found[key] = self._of_field(attribute.default, attribute.shape, where)
            except UnheldDefault as unheld:
                self._found[key] = unheld
        found = self._found[key]
        if isinstance(found, UnheldDefault):
            raise found
        if found is None:
            raise UnfitSchema(
                where, "the default is recursive: a field that it omits defaults to it again"
            )
        if found.objects > MAX_OBJECTS:
            raise UnfitSchema(where, f"the default constructs more than {MAX_OBJECTS} objects")
        return found

    def _of_field(self, value: Json, shape: Shape, where: str) -> DefaultExpression:
        is_float = shape in {Scalar.FLOAT, Scalar.DOUBLE}
        if is_float and isinstance(value, str) and value in NOT_FINITE:
            return DefaultExpression(_float(float(value)))
        return self._value(value, shape, where)

    def _value(self, value: Json, shape: Shape, where: str) -> DefaultExpression:
        self._trials += 1
        if self._trials > MAX_TRIALS:
            raise UnfitSchema(
                where,
                f"finding the default's branches in unions takes more than {MAX_TRIALS} trials",
            )
        match shape:
            case Scalar():
                return DefaultExpression(_scalar(value, shape, where))
            case DecimalShape(precision, scale):
                data = _bytes(value, where)
                if shape.size is not None and len(data) != shape.size:
                    raise IllegalDefault(where, f"expected {shape.size} bytes, got {len(data)}")
                number = _read(where, lambda: scalars.decimal_from(data, precision, scale))
                return DefaultExpression(f"_decimal.Decimal({literal(str(number))})")
            case FixedReference(class_name, size):
                data = _bytes(value, where)
                if len(data) != size:
                    raise IllegalDefault(where, f"expected {size} bytes, got {len(data)}")
                return DefaultExpression(f"{class_name}({data!r})")
            case EnumReference(class_name):
                members = self._enums[class_name]
                if not isinstance(value, str) or value not in members:
                    raise _unexpected(where, f"a symbol of {class_name}", value)
                return DefaultExpression(f"{class_name}.{members[value]}")
            case ListShape(items):
                if not isinstance(value, list):
                    raise _unexpected(where, "an array", value)
                parts = [self._value(item, items, where) for item in value]
                text = ", ".join(part.text for part in parts)
                comma = "," if parts else ""
                text = f"({text}{comma})" if self._immutable else f"[{text}]"
                objects = 1 + sum(part.objects for part in parts)
                return DefaultExpression(text, True, objects, any(p.records for p in parts))
            case DictShape(values):
                if not isinstance(value, dict):
                    raise _unexpected(where, "an object", value)
                pairs = {key: self._value(item, values, where) for key, item in value.items()}
                text = ", ".join(f"{literal(key)}: {part.text}" for key, part in pairs.items())
                objects = 1 + sum(part.objects for part in pairs.values())
                records = any(part.records for part in pairs.values())
                return DefaultExpression(f"{{{text}}}", True, objects, records)
            case EntriesShape():
                return self._entries(value, shape, where)
            case UnionShape(branches):
                return self._branch(value, branches, where)
            case RecordReference(class_name):
                return self._record(value, class_name, where)
            case _:
                assert_never(shape)

    def _entries(self, value: Json, shape: EntriesShape, where: str) -> DefaultExpression:
        if not isinstance(value, list):
            raise _unexpected(where, "an array", value)
        pairs: dict[str, DefaultExpression] = {}
        for entry in value:
            if not isinstance(entry, dict) or "key" not in entry:
                raise _unexpected(where, "an object with a key", entry)
            if "value" not in entry and shape.value_default is None:
                raise IllegalDefault(where, "an entry has no value, and values have no default")
            key = self._value(entry["key"], shape.keys, where)
            given = entry["value"] if "value" in entry else json.loads(shape.value_default or "")
            pairs[key.text] = self._value(given, shape.values, where)
        text = ", ".join(f"{key}: {part.text}" for key, part in pairs.items())
        objects = 1 + sum(part.objects for part in pairs.values())
        records = any(part.records for part in pairs.values())
        return DefaultExpression(f"{{{text}}}", True, objects, records)

    def _branch(self, value: Json, branches: tuple[Shape, ...], where: str) -> DefaultExpression:
        if value is None and Scalar.NULL in branches:
            return _NONE
        for branch in branches:
            try:
                return self._value(value, branch, where)
            except IllegalDefault:
                continue
        raise IllegalDefault(where, f"no branch of the union accepts {short_repr(value)}")

    def _record(self, value: Json, class_name: str, where: str) -> DefaultExpression:
        if not isinstance(value, dict):
            raise _unexpected(where, "an object", value)
        arguments: list[str] = []
        objects = 1
        for attribute in self._records[class_name].attributes:
            if attribute.field in value:
                part = self._value(value[attribute.field], attribute.shape, where)
                arguments.append(f"{attribute.name}={part.text}")
            elif isinstance(attribute.default, NoDefault):
                raise IllegalDefault(
                    where, f"no value for field {attribute.field}, which has no default"
                )
            else:
                part = self.expression(class_name, attribute)
            objects += part.objects
        return DefaultExpression(f"{class_name}({', '.join(arguments)})", True, objects, True)


def _scalar(value: Json, shape: Scalar, where: str) -> str:
    match shape:
        case Scalar.NULL:
            if value is not None:
                raise _unexpected(where, "null", value)
            return "None"
        case Scalar.BOOLEAN:
            if type(value) is not bool:
                raise _unexpected(where, "a boolean", value)
            return repr(value)
        case Scalar.INT:
            return repr(_whole(value, INT_MIN, INT_MAX, where))
        case Scalar.LONG:
            return repr(_whole(value, LONG_MIN, LONG_MAX, where))
        case Scalar.FLOAT | Scalar.DOUBLE:
            return _float(_number(value, shape, where))
        case Scalar.BYTES:
            return repr(_bytes(value, where))
        case Scalar.STRING:
            if type(value) is not str:
                raise _unexpected(where, "a string", value)
            return literal(value)
        case Scalar.DATE:
            days = _whole(value, INT_MIN, INT_MAX, where)
            date = _read(where, lambda: scalars.date_from(days))
            return f"_datetime.date({date.year}, {date.month}, {date.day})"
        case Scalar.TIME_MILLIS | Scalar.TIME_MICROS:
            unit = 1000 if shape is Scalar.TIME_MILLIS else 1
            count = _whole(value, INT_MIN, LONG_MAX, where)
            return _time(_read(where, lambda: scalars.time_from_micros(count * unit)))
        case Scalar.TIMESTAMP_MILLIS | Scalar.TIMESTAMP_MICROS:
            unit = 1000 if shape is Scalar.TIMESTAMP_MILLIS else 1
            count = _whole(value, LONG_MIN, LONG_MAX, where)
            moment = _read(where, lambda: scalars.timestamp_from_micros(count * unit))
            return _moment(moment, ", tzinfo=_datetime.timezone.utc")
        case Scalar.LOCAL_MILLIS | Scalar.LOCAL_MICROS:
            unit = 1000 if shape is Scalar.LOCAL_MILLIS else 1
            count = _whole(value, LONG_MIN, LONG_MAX, where)
            return _moment(_read(where, lambda: scalars.local_from_micros(count * unit)), "")
        case Scalar.INTERVAL_MICROS:
            since = scalars.interval_from_micros(_whole(value, LONG_MIN, LONG_MAX, where))
            return f"_datetime.timedelta({since.days}, {since.seconds}, {since.microseconds})"
        case Scalar.UUID_TEXT:
            if type(value) is not str:
                raise _unexpected(where, "a string", value)
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


def _unexpected(where: str, expected: str, value: Json) -> IllegalDefault:
    return IllegalDefault(where, f"expected {expected}, got {short_repr(value)}")


def _read(where: str, read: Callable[[], _Value]) -> _Value:
    try:
        return read()
    except AvroError as error:
        raise UnheldDefault(where, str(error)) from None


def _whole(value: Json, least: int, most: int, where: str) -> int:
    if type(value) is not int or not least <= value <= most:
        raise _unexpected(where, f"an integer from {least} to {most}", value)
    return value


def _number(value: Json, shape: Scalar, where: str) -> float:
    if type(value) is not int and type(value) is not float:
        raise _unexpected(where, "a number", value)
    assert isinstance(value, (int, float))
    try:
        number = float(value)
    except OverflowError:
        raise _unexpected(where, f"a number that fits into a {shape.value}", value) from None
    if not math.isfinite(number):
        # A number in JSON may be too large for a float, which is then infinite.
        raise _unexpected(where, "a finite number", value)
    return scalars.rounded_to_single(number) if shape is Scalar.FLOAT else number


def _float(value: float) -> str:
    # Python has no literals for nan and inf.
    return repr(value) if math.isfinite(value) else f'_builtins.float("{value}")'


def _bytes(value: Json, where: str) -> bytes:
    if type(value) is not str or any(ord(character) > 255 for character in value):
        raise _unexpected(where, "a string of characters up to U+00FF", value)
    return value.encode("iso-8859-1")


def _time(time: dt.time) -> str:
    return f"_datetime.time({time.hour}, {time.minute}, {time.second}, {time.microsecond})"


def _moment(moment: dt.datetime, zone: str) -> str:
    date = f"{moment.year}, {moment.month}, {moment.day}"
    time = f"{moment.hour}, {moment.minute}, {moment.second}, {moment.microsecond}"
    return f"_datetime.datetime({date}, {time}{zone})"
