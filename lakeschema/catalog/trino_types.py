"""Trino's type text as column types, and back.

A type that Hive and Spark lack is a ``PrimitiveType`` with Trino's own text, including parameters:
``timestamp(3) with time zone``, ``uuid``. A row's unnamed fields are ``field0``, ``field1`` … by
place.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from types import MappingProxyType
from typing import Final, assert_never

from lakeschema.catalog.column_types import (
    BIGINT,
    BINARY,
    BOOLEAN,
    DATE,
    DOUBLE,
    FLOAT,
    GEOGRAPHY,
    GEOMETRY,
    INT,
    MAX_DEPTH,
    SMALLINT,
    STRING,
    TINYINT,
    VOID,
    ArrayType,
    CharType,
    ColumnType,
    DecimalType,
    IntervalType,
    MapType,
    PrimitiveType,
    StructField,
    StructType,
    Uniontype,
    UnknownType,
    VarcharType,
    time_digits,
)
from lakeschema.catalog.errors import MalformedType

MAX_DIGITS: Final = 12
"""The maximum of fractional digits of a second."""
USUAL_DIGITS: Final = 3
"""The default of fractional digits: ``timestamp`` is ``timestamp(3)``."""

UUID: Final = PrimitiveType("uuid")
JSON: Final = PrimitiveType("json")
IPADDRESS: Final = PrimitiveType("ipaddress")
OPAQUE: Final[Mapping[str, PrimitiveType]] = MappingProxyType(
    {
        type_.name: type_
        for type_ in (
            UUID,
            JSON,
            IPADDRESS,
            *map(PrimitiveType, ("hyperloglog", "p4hyperloglog", "tdigest", "setdigest")),
            *map(PrimitiveType, ("color", "number", "bingtile", "kdbtree", "classifier")),
        )
    }
)
"""Types without parameters that only Trino has, often known by name only."""
_NAMED: Final[Mapping[str, ColumnType]] = MappingProxyType(
    {
        "boolean": BOOLEAN,
        "tinyint": TINYINT,
        "smallint": SMALLINT,
        "integer": INT,
        "int": INT,
        "bigint": BIGINT,
        "real": FLOAT,
        "double": DOUBLE,
        "varbinary": BINARY,
        "date": DATE,
        "unknown": VOID,
        "geometry": GEOMETRY,
        "sphericalgeography": GEOGRAPHY,
        **OPAQUE,
    }
)
_MOMENT: Final = re.compile(r"(timestamp|time)\((\d{1,2})\)( with time zone| without time zone)?")


def timestamp_of(digits: int, *, zone: bool = False) -> PrimitiveType:
    """Trino's timestamp with this many fractional digits, with or without a zone."""
    return PrimitiveType(f"timestamp({digits}){' with time zone' if zone else ''}")


def time_of(digits: int, *, zone: bool = False) -> PrimitiveType:
    """Trino's time of day with this many fractional digits, with or without a zone."""
    # ``time(3)`` alone is Spark's type, which always has microseconds in Avro.
    return PrimitiveType(f"time({digits}) {'with' if zone else 'without'} time zone")


@lru_cache(maxsize=256)
def moment_of(type_: ColumnType) -> tuple[str, int, bool] | None:
    """The kind, the digits, and whether there is a zone, of a time or timestamp; None for other types."""
    digits = time_digits(type_)
    if digits is not None:
        return "time", digits, False
    if not isinstance(type_, PrimitiveType):
        return None
    found = _MOMENT.fullmatch(type_.name)
    if found is None or int(found[2]) > MAX_DIGITS:
        return None
    return found[1], int(found[2]), found[3] == " with time zone"


def own_leaf(text: str) -> PrimitiveType | None:
    """The Trino-only type with this printed text; None for other texts."""
    if text in OPAQUE:
        return OPAQUE[text]
    type_ = PrimitiveType(text)
    is_moment = moment_of(type_) is not None and time_digits(type_) is None
    return type_ if is_moment or text.startswith("qdigest(") else None


def parse_trino_type(text: str) -> ColumnType:
    """Reads Trino's type text, in any case.

    Raises:
        MalformedType: with the position of the first character that does not fit.
    """
    parser = _Parser(text)
    parsed = parser.type(0)
    parser.end()
    return parsed


def parse_trino_type_or_unknown(text: str) -> ColumnType:
    """Like ``parse_trino_type``; invalid text is kept whole."""
    try:
        return parse_trino_type(text)
    except MalformedType:
        return UnknownType(text)


def print_trino_type(type_: ColumnType) -> str:
    """Trino's text of a type."""
    match type_:
        case PrimitiveType(name):
            return _PRINTED.get(name, name.removesuffix(" without time zone"))
        case DecimalType(precision, scale):
            return f"decimal({precision},{scale})"
        case CharType(length):
            return f"char({length})"
        case VarcharType(length):
            return f"varchar({length})"
        case IntervalType(unit):
            return f"interval {unit}"
        case ArrayType(element):
            return f"array({print_trino_type(element)})"
        case MapType(key, value):
            return f"map({print_trino_type(key)}, {print_trino_type(value)})"
        case StructType(fields):
            return f"row({', '.join(_printed_field(f, i) for i, f in enumerate(fields))})"
        case Uniontype() | UnknownType():
            return str(getattr(type_, "text", "uniontype"))
        case _:
            assert_never(type_)


_PRINTED: Final[Mapping[str, str]] = MappingProxyType(
    {
        "int": "integer",
        "float": "real",
        "string": "varchar",
        "binary": "varbinary",
        "void": "unknown",
        "time": "time(6)",
        "timestamp": "timestamp(6)",
        "timestamp_ntz": "timestamp(6)",
        "timestamp with local time zone": "timestamp(6) with time zone",
        "geography": "SphericalGeography",
    }
)


def anonymous(place: int) -> str:
    """The name of a row's unnamed field."""
    return f"field{place}"


def is_anonymous(field: StructField, place: int) -> bool:
    return field.name == anonymous(place)


def _printed_field(field: StructField, place: int) -> str:
    type_ = print_trino_type(field.type)
    if is_anonymous(field, place):
        return type_
    plain = re.fullmatch(r"[a-z_]\w*", field.name)
    name = field.name if plain else '"' + field.name.replace('"', '""') + '"'
    return f"{name} {type_}"


_TOKEN = re.compile(r'\s*(?:(?P<word>\w+)|"(?P<quoted>(?:[^"]|"")+)"|(?P<mark>[(),<>]))')


class _Parser:
    """A recursive descent parser; ``array<x>`` and ``map<x,y>`` are older spellings."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._tokens = list(self._read())
        self._at = 0

    def _read(self) -> list[tuple[str, str, int]]:
        found: list[tuple[str, str, int]] = []
        position, end = 0, len(self._text.rstrip())
        while position < end:
            match = _TOKEN.match(self._text, position)
            if match is None:
                raise MalformedType(self._text, position, "a type")
            kind = match.lastgroup or ""
            value = match[kind]
            found.append((kind, value, match.start(kind)))
            position = match.end()
        return found

    def type(self, depth: int) -> ColumnType:
        if depth > MAX_DEPTH:
            raise self._error(f"at most {MAX_DEPTH} levels")
        word = self._word()
        if word is None:
            raise self._error("a type")
        found = self._named(word, depth)
        while self._words("array"):
            found = ArrayType(found)
        return found

    def _named(self, word: str, depth: int) -> ColumnType:
        match word:
            case "decimal" | "numeric" | "dec":
                return self._decimal()
            case "varchar":
                return self._varchar()
            case "char" | "character":
                if word == "character" and self._words("varying"):
                    return self._varchar()
                length = self._number_in_brackets()
                return CharType(1 if length is None else length)
            case "array":
                (element,) = self._inside(1, depth)
                return ArrayType(element)
            case "map":
                key, value = self._inside(2, depth)
                return MapType(key, value)
            case "row":
                return StructType(self._fields(depth + 1))
            case "timestamp" | "time":
                return self._moment(word)
            case "interval":
                return self._interval()
            case "double":
                self._words("precision")
                return DOUBLE
            case "qdigest":
                (of,) = self._inside(1, depth)
                return PrimitiveType(f"qdigest({print_trino_type(of)})")
            case _ if word in _NAMED:
                return _NAMED[word]
            case _:
                self._at -= 1
                raise self._error("a type")

    def end(self) -> None:
        if self._at < len(self._tokens):
            raise self._error("the end of the type")

    def _decimal(self) -> DecimalType:
        if not self._mark("("):
            return DecimalType(38, 0)
        precision = self._number()
        scale = self._number() if self._mark(",") else 0
        self._expect(")")
        if not (1 <= precision <= 38 and scale <= precision):
            raise self._error("1 to 38 digits, the scale not above them")
        return DecimalType(precision, scale)

    def _varchar(self) -> ColumnType:
        length = self._number_in_brackets()
        return STRING if length is None else VarcharType(length)

    def _moment(self, word: str) -> PrimitiveType:
        digits = self._number_in_brackets()
        digits = USUAL_DIGITS if digits is None else digits
        if digits > MAX_DIGITS:
            raise self._error(f"at most {MAX_DIGITS} digits of a second")
        zone = self._words("with", "time", "zone")
        if not zone:
            self._words("without", "time", "zone")
        return (
            timestamp_of(digits, zone=zone) if word == "timestamp" else time_of(digits, zone=zone)
        )

    def _interval(self) -> IntervalType:
        for words in (("year", "to", "month"), ("day", "to", "second")):
            if self._words(*words):
                return IntervalType(" ".join(words))
        raise self._error("YEAR TO MONTH or DAY TO SECOND")

    def _inside(self, count: int, depth: int) -> list[ColumnType]:
        closing = ")" if self._mark("(") else ">"
        if closing == ">":
            self._expect("<")
        found = [self.type(depth + 1)]
        for _ in range(count - 1):
            self._expect(",")
            found.append(self.type(depth + 1))
        self._expect(closing)
        return found

    def _fields(self, depth: int) -> tuple[StructField, ...]:
        self._expect("(")
        fields = [self._field(0, depth)]
        while self._mark(","):
            fields.append(self._field(len(fields), depth))
        self._expect(")")
        return tuple(fields)

    def _field(self, place: int, depth: int) -> StructField:
        """Reads a name and a type, or only a type; a type may have several words."""
        kind, value, _ = self._peek()
        if kind == "quoted":
            self._at += 1
            return StructField(value.replace('""', '"').lower(), self.type(depth))
        start = self._at
        try:
            type_ = self.type(depth)
            if self._peek()[1] in {",", ")"}:
                return StructField(anonymous(place), type_)
        except MalformedType:
            pass
        self._at = start
        name = self._word()
        if name is None:
            raise self._error("a field")
        return StructField(name, self.type(depth))

    def _peek(self) -> tuple[str, str, int]:
        if self._at < len(self._tokens):
            return self._tokens[self._at]
        return "", "", len(self._text)

    def _word(self) -> str | None:
        kind, value, _ = self._peek()
        if kind not in {"word", "quoted"}:
            return None
        self._at += 1
        return value.lower()

    def _words(self, *words: str) -> bool:
        ahead = [(k, v.lower()) for k, v, _ in self._tokens[self._at : self._at + len(words)]]
        if ahead != [("word", word) for word in words]:
            return False
        self._at += len(words)
        return True

    def _mark(self, mark: str) -> bool:
        if self._peek()[:2] != ("mark", mark):
            return False
        self._at += 1
        return True

    def _expect(self, mark: str) -> None:
        if not self._mark(mark):
            raise self._error(repr(mark))

    def _number(self) -> int:
        kind, value, _ = self._peek()
        if kind != "word" or not re.fullmatch(r"[0-9]{1,10}", value):
            raise self._error("a number")
        self._at += 1
        return int(value)

    def _number_in_brackets(self) -> int | None:
        if self._peek()[:2] != ("mark", "("):
            return None
        self._at += 1
        number = self._number()
        self._expect(")")
        return number

    def _error(self, expected: str) -> MalformedType:
        return MalformedType(self._text, self._peek()[2], expected)
