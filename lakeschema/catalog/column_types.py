"""Column types of Hive and Spark as immutable values, read and printed as Hive's type text.

Unreadable type text becomes ``UnknownType`` in facts, so that one unreadable column does not hide the
other columns. If a derivation reads the column, its error names the column.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TypeAlias, assert_never

from lakeschema.catalog.errors import MalformedType

MAX_DEPTH = 200
"""The limit of nesting: untrusted type text must not exhaust the stack."""


@dataclass(frozen=True, slots=True)
class PrimitiveType:
    """A type by its Hive name (see ``PRIMITIVES``). Parameters belong to the name: ``time(3)``."""

    name: str


@dataclass(frozen=True, slots=True)
class DecimalType:
    precision: int
    scale: int


@dataclass(frozen=True, slots=True)
class CharType:
    length: int


@dataclass(frozen=True, slots=True)
class VarcharType:
    length: int


@dataclass(frozen=True, slots=True)
class IntervalType:
    """A typed interval: ``unit`` is in Spark's words, such as ``day to second``."""

    unit: str

    @property
    def is_of_months(self) -> bool:
        """Whether the interval counts months; others count microseconds."""
        return self.unit.rpartition(" to ")[2] in {"year", "month"}


@dataclass(frozen=True, slots=True)
class ArrayType:
    element: ColumnType
    element_nullable: bool = True


@dataclass(frozen=True, slots=True)
class MapType:
    key: ColumnType
    value: ColumnType
    value_nullable: bool = True


@dataclass(frozen=True, slots=True)
class StructField:
    name: str
    type: ColumnType
    nullable: bool = True
    comment: str | None = None


@dataclass(frozen=True, slots=True)
class StructType:
    fields: tuple[StructField, ...]


@dataclass(frozen=True, slots=True)
class Uniontype:
    branches: tuple[ColumnType, ...]


@dataclass(frozen=True, slots=True)
class UnknownType:
    """Unreadable type text, kept whole."""

    text: str


ColumnType: TypeAlias = (
    PrimitiveType
    | DecimalType
    | CharType
    | VarcharType
    | IntervalType
    | ArrayType
    | MapType
    | StructType
    | Uniontype
    | UnknownType
)

BOOLEAN = PrimitiveType("boolean")
TINYINT = PrimitiveType("tinyint")
SMALLINT = PrimitiveType("smallint")
INT = PrimitiveType("int")
BIGINT = PrimitiveType("bigint")
FLOAT = PrimitiveType("float")
DOUBLE = PrimitiveType("double")
STRING = PrimitiveType("string")
BINARY = PrimitiveType("binary")
DATE = PrimitiveType("date")
TIMESTAMP = PrimitiveType("timestamp")
TIMESTAMP_NTZ = PrimitiveType("timestamp_ntz")
TIMESTAMP_LOCAL = PrimitiveType("timestamp with local time zone")
TIME = PrimitiveType("time")
VARIANT = PrimitiveType("variant")
GEOMETRY = PrimitiveType("geometry")
GEOGRAPHY = PrimitiveType("geography")
INTERVAL = PrimitiveType("interval")
VOID = PrimitiveType("void")

PRIMITIVES = {
    type_.name: type_
    for type_ in (
        BOOLEAN, TINYINT, SMALLINT, INT, BIGINT, FLOAT, DOUBLE, STRING, BINARY, DATE, TIMESTAMP,
        TIMESTAMP_NTZ, TIMESTAMP_LOCAL, TIME, VARIANT, GEOMETRY, GEOGRAPHY, INTERVAL, VOID,
    )
}  # fmt: skip

_TIMES = tuple(TIME if digits == 6 else PrimitiveType(f"time({digits})") for digits in range(10))
"""Times of day by their fractional digits of a second; six by default."""

_SYNONYMS = {
    "byte": TINYINT,
    "short": SMALLINT,
    "integer": INT,
    "long": BIGINT,
    "real": FLOAT,
    "null": VOID,
    "bytes": BINARY,
    "timestamplocaltz": TIMESTAMP_LOCAL,
}


def time_of_day(digits: int) -> PrimitiveType:
    """The type of times with up to nine fractional digits of a second."""
    return _TIMES[digits]


def time_digits(type_: ColumnType) -> int | None:
    """A time of day's fractional digits of a second; None for other types."""
    return _TIMES.index(type_) if type_ in _TIMES else None


def parse_type(text: str, *, timestamp_ltz: PrimitiveType = TIMESTAMP) -> ColumnType:
    """Reads Hive's type text, and Spark's spelling of it (``NOT NULL``, ``COMMENT '…'`` in structs).

    ``timestamp_ltz`` is the meaning of the type name ``timestamp_ltz``. In a column it means Spark's
    ``timestamp``; in a view's text the two may differ.

    Raises:
        MalformedType: with the position of the first character that does not fit.
    """
    parser = _Parser(text, timestamp_ltz)
    parsed = parser.type(0)
    parser.end()
    return parsed


_MAX_REMEMBERED_CHARACTERS = 256


def parse_type_or_unknown(text: str) -> ColumnType:
    """Like ``parse_type``. Short texts are cached, since a lake has few types and many columns."""
    return (
        _parse_remembered(text)
        if len(text) <= _MAX_REMEMBERED_CHARACTERS
        else _parse_or_unknown(text)
    )


@lru_cache(maxsize=8192)
def _parse_remembered(text: str) -> ColumnType:
    return _parse_or_unknown(text)


def _parse_or_unknown(text: str) -> ColumnType:
    try:
        return parse_type(text)
    except MalformedType:
        return UnknownType(text)


def print_type(type_: ColumnType) -> str:
    """Hive's text of a type, without nullability and comments of nested fields."""
    match type_:
        case PrimitiveType(name):
            return name
        case DecimalType(precision, scale):
            return f"decimal({precision},{scale})"
        case CharType(length):
            return f"char({length})"
        case VarcharType(length):
            return f"varchar({length})"
        case IntervalType(unit):
            return f"interval {unit}"
        case ArrayType(element):
            return f"array<{print_type(element)}>"
        case MapType(key, value):
            return f"map<{print_type(key)},{print_type(value)}>"
        case StructType(fields):
            inner = ",".join(f"{_field_name(f.name)}:{print_type(f.type)}" for f in fields)
            return f"struct<{inner}>"
        case Uniontype(branches):
            return f"uniontype<{','.join(print_type(b) for b in branches)}>"
        case UnknownType(text):
            return text
        case _:
            assert_never(type_)


def map_type(type_: ColumnType, change: Callable[[ColumnType], ColumnType]) -> ColumnType:
    """The type with ``change`` applied to each part, innermost first, and then to itself."""
    match type_:
        case ArrayType(element, nullable):
            return change(ArrayType(map_type(element, change), nullable))
        case MapType(key, value, nullable):
            return change(MapType(map_type(key, change), map_type(value, change), nullable))
        case StructType(fields):
            mapped = tuple(
                StructField(f.name, map_type(f.type, change), f.nullable, f.comment) for f in fields
            )
            return change(StructType(mapped))
        case Uniontype(branches):
            return change(Uniontype(tuple(map_type(b, change) for b in branches)))
        case _:
            return change(type_)


def with_nullable_parts(type_: ColumnType) -> ColumnType:
    """The type with nullable elements, values and fields."""
    return map_type(type_, _with_nullable_parts)


def _with_nullable_parts(type_: ColumnType) -> ColumnType:
    match type_:
        case ArrayType():
            return replace(type_, element_nullable=True)
        case MapType():
            return replace(type_, value_nullable=True)
        case StructType(fields):
            return StructType(tuple(replace(field, nullable=True) for field in fields))
        case _:
            return type_


def _field_name(name: str) -> str:
    return name if re.fullmatch(r"\w+", name) else "`" + name.replace("`", "``") + "`"


_MICROSECOND_DIGITS = 6
_COLLATION = re.compile(r"\s*(?:\w+|`[^`]+`)(?:\.(?:\w+|`[^`]+`))*")
_TOKEN = re.compile(
    r"\s*(?:(?P<word>\w+)|`(?P<quoted>(?:[^`]|``)+)`|'(?P<string>(?:[^'\\]|\\.)*)'|(?P<mark>[<>(),:]))",
    re.DOTALL,
)

_BARE_NAME = re.compile(r"\s*+([^:,<>()`'\"]*[^:,<>()`'\"\s](?=\s*+:)|[^:,<>`\s]+)")
"""A field name without quotes. Hive prints it up to the colon, even with blanks; Spark may omit the colon."""


class _Parser:
    """A recursive descent parser. Hive allows field names that are not words: ``_name`` reads them."""

    def __init__(self, text: str, timestamp_ltz: PrimitiveType) -> None:
        self._text = text
        self._position = 0
        self._timestamp_ltz = timestamp_ltz

    def type(self, depth: int) -> ColumnType:
        if depth > MAX_DEPTH:
            raise MalformedType(self._text, self._position, f"at most {MAX_DEPTH} levels")
        start = self._position
        word = self._take("word")
        if word is None:
            raise MalformedType(self._text, start, "a type")
        return self._named(word.lower(), start, depth)

    def end(self) -> None:
        if self._text[self._position :].strip():
            raise MalformedType(self._text, self._position, "the end of the type")

    def _named(self, word: str, start: int, depth: int) -> ColumnType:
        match word:
            case "decimal" | "numeric" | "dec":
                return self._decimal()
            case "char" | "varchar" | "character":
                sized = self._sized(word)
                self._collation()
                return sized
            case "array":
                self._expect("<")
                element = self.type(depth + 1)
                self._expect(">")
                return ArrayType(element)
            case "map":
                self._expect("<")
                key = self.type(depth + 1)
                self._expect(",")
                value = self.type(depth + 1)
                self._expect(">")
                return MapType(key, value)
            case "struct":
                return StructType(self._fields(depth + 1))
            case "uniontype":
                self._expect("<")
                branches = [self.type(depth + 1)]
                while self._mark(","):
                    branches.append(self.type(depth + 1))
                self._expect(">")
                return Uniontype(tuple(branches))
            case "interval":
                return self._interval()
            case "interval_year_month" | "interval_day_time":
                return IntervalType(_HIVES_INTERVALS[word])
            case "timestamp":
                return self._timestamp()
            case "timestamp_ltz":
                self._microseconds()
                return self._timestamp_ltz
            case "timestamp_ntz":
                self._microseconds()
                return TIMESTAMP_NTZ
            case "string":
                self._collation()
                return STRING
            case "double":
                self._words("precision")
                return DOUBLE
            case "time":
                return self._time()
            case "geometry" | "geography":
                return self._shape(word)
            case _:
                found = PRIMITIVES.get(word) or _SYNONYMS.get(word)
                if found is None:
                    raise MalformedType(self._text, start, "a type")
                return found

    def _decimal(self) -> DecimalType:
        if not self._mark("("):
            return DecimalType(10, 0)
        position = self._position
        precision = self._number()
        scale = self._number() if self._mark(",") else 0
        self._expect(")")
        if not (1 <= precision <= 38 and scale <= precision):
            raise MalformedType(self._text, position, "1 to 38 digits, the scale not above them")
        return DecimalType(precision, scale)

    def _sized(self, word: str) -> CharType | VarcharType:
        varying = word == "varchar" or (word == "character" and self._words("varying"))
        self._expect("(")
        length = self._number()
        self._expect(")")
        return VarcharType(length) if varying else CharType(length)

    def _interval(self) -> ColumnType:
        start = self._position
        unit = self._take("word")
        if unit is None or unit.lower() not in _INTERVAL_UNITS:
            self._position = start
            return INTERVAL
        text = unit.lower()
        if self._words("to"):
            last = self._take("word")
            if last is None or last.lower() not in _INTERVAL_UNITS:
                raise MalformedType(self._text, self._position, "a unit of time")
            text = f"{text} to {last.lower()}"
        return IntervalType(text)

    def _collation(self) -> None:
        """Skips Spark's ``COLLATE name``: how text is compared does not change its type."""
        if not self._words("collate"):
            return
        match = _COLLATION.match(self._text, self._position)
        if match is None:
            raise MalformedType(self._text, self._position, "a collation")
        self._position = match.end()

    def _microseconds(self) -> None:
        """Reads the digits of ``timestamp_ntz(6)``.

        Spark's type with nanoseconds is not supported.
        """
        if not self._mark("("):
            return
        position = self._position
        if self._number() > _MICROSECOND_DIGITS:
            raise MalformedType(self._text, position, "at most 6 digits of a second")
        self._expect(")")

    def _timestamp(self) -> PrimitiveType:
        if self._words("with", "local", "time", "zone"):
            return TIMESTAMP_LOCAL
        if self._words("without", "time", "zone"):
            return TIMESTAMP_NTZ
        return TIMESTAMP

    def _time(self) -> PrimitiveType:
        if not self._mark("("):
            return TIME
        position = self._position
        digits = self._number()
        self._expect(")")
        if digits >= len(_TIMES):
            raise MalformedType(self._text, position, "at most 9 digits of a second")
        return time_of_day(digits)

    def _shape(self, word: str) -> PrimitiveType:
        """Reads ``geometry(4326)`` or ``geography(any)``: the number is the coordinate system's."""
        if not self._mark("("):
            return PRIMITIVES[word]
        system = "any" if self._words("any") else str(self._number())
        self._expect(")")
        return PrimitiveType(f"{word}({system})")

    def _fields(self, depth: int) -> tuple[StructField, ...]:
        self._expect("<")
        fields: list[StructField] = []
        while not self._mark(">"):
            if fields:
                self._expect(",")
            fields.append(self._field(depth))
        return tuple(fields)

    def _field(self, depth: int) -> StructField:
        name = self._name()
        self._mark(":")
        type_ = self.type(depth)
        nullable = not self._words("not", "null")
        comment = None
        if self._words("comment"):
            literal = self._take("string")
            if literal is None:
                raise MalformedType(self._text, self._position, "a comment in quotes")
            comment = re.sub(r"\\(.)", r"\1", literal, flags=re.DOTALL)
        return StructField(name, type_, nullable, comment)

    def _name(self) -> str:
        quoted = self._take("quoted")
        if quoted is not None:
            return quoted.replace("``", "`")
        match = _BARE_NAME.match(self._text, self._position)
        if match is None:
            raise MalformedType(self._text, self._position, "a field name")
        self._position = match.end()
        return match[1]

    def _number(self) -> int:
        start = self._position
        word = self._take("word")
        if word is None or not re.fullmatch(r"[0-9]{1,9}", word):
            raise MalformedType(self._text, start, "a number")
        return int(word)

    def _take(self, kind: str) -> str | None:
        match = _TOKEN.match(self._text, self._position)
        if match is None or match.group(kind) is None:
            return None
        self._position = match.end()
        return match.group(kind)

    def _words(self, *words: str) -> bool:
        start = self._position
        for word in words:
            found = self._take("word")
            if found is None or found.lower() != word:
                self._position = start
                return False
        return True

    def _mark(self, mark: str) -> bool:
        match = _TOKEN.match(self._text, self._position)
        if match is None or match.group("mark") != mark:
            return False
        self._position = match.end()
        return True

    def _expect(self, mark: str) -> None:
        if not self._mark(mark):
            raise MalformedType(self._text, self._position, f"{mark!r}")


_HIVES_INTERVALS = {"interval_year_month": "year to month", "interval_day_time": "day to second"}
_INTERVAL_UNITS = {"year", "month", "day", "hour", "minute", "second"}
