"""Trino's signatures: text such as ``array(T), bigint -> T``, matched with the types of a call.

A capital letter, perhaps with a digit, is a type variable. ``x`` in ``varchar(x)``, and ``p`` and
``s`` in ``decimal(p,s)``, are numbers. ``CALCULATED`` computes further numbers from them. A parameter
with ``...`` takes any number of arguments. ``pattern`` is a text with a regular expression, a path or
a set of characters. ``any`` is a value of any type. ``!`` after an element's type means that the
element is never null.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache
from types import MappingProxyType
from typing import Final, TypeAlias

from lakeschema.catalog.column_types import (
    STRING,
    VOID,
    ArrayType,
    CharType,
    ColumnType,
    DecimalType,
    MapType,
    StructField,
    StructType,
)
from lakeschema.catalog.trino_types import (
    anonymous,
    moment_of,
    parse_trino_type,
    time_of,
    timestamp_of,
)
from lakeschema.translation.functions.trino_coercion import (
    MAX_CHAR,
    can_coerce,
    common_type,
    decimal_of,
    is_text,
    text_length,
    varchar_of,
)

_MOST: Final = 2_147_483_647

Numbers: TypeAlias = Mapping[str, int]

CALCULATED: Final[Mapping[str, Callable[[Numbers], int]]] = MappingProxyType(
    {
        "whole": lambda n: min(38, n["p"] - n["s"] + min(n["s"], 1)),
        "rounded": lambda n: min(38, n["p"] + 1),
        "truncated": lambda n: max(1, n["p"] - n["s"]),
        "larger": lambda n: max(n["s"], n["t"]),
        "sum": lambda n: min(38, max(n["p"] - n["s"], n["q"] - n["t"]) + max(n["s"], n["t"]) + 1),
        "product": lambda n: min(38, n["p"] + n["q"]),
        "fractions": lambda n: min(38, n["s"] + n["t"]),
        "quotient": lambda n: min(38, n["p"] + n["t"] + max(n["t"] - n["s"], 0)),
        "rest": lambda n: min(n["p"] - n["s"], n["q"] - n["t"]) + max(n["s"], n["t"]),
        "replaced": lambda n: min(_MOST, n["x"] + n["z"] * (n["x"] + 1)),
        "matched": lambda n: min(_MOST, n["x"] + max(n["x"] * n["y"] // 2, n["y"]) * (n["x"] + 1)),
        "encoded": lambda n: min(_MOST, n["x"] * 12),
        "joined": lambda n: min(MAX_CHAR, n["x"] + n["y"]),
        "iso": lambda n: 22 + min(n["p"], 1) + n["p"],
        "isozone": lambda n: 28 + min(n["p"], 1) + n["p"],
        "millis": lambda n: max(n["p"], 3),
    }
)
"""Computes a number in a result's type from numbers in the arguments' types, by name.

Unbounded text stays unbounded.
"""


@dataclass(frozen=True, slots=True)
class Concrete:
    type: ColumnType


@dataclass(frozen=True, slots=True)
class Variable:
    name: str


@dataclass(frozen=True, slots=True)
class Sized:
    """A type with numbers or their names: ``varchar(x)``, ``decimal(p,s)``, ``timestamp(p)``."""

    kind: str
    numbers: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Of:
    """A type with types as parts: ``array(…)``, ``map(…)``, ``row(…)``.

    ``certain``: whether no element is null.
    """

    kind: str
    parts: tuple[Pattern, ...]
    certain: bool = False


@dataclass(frozen=True, slots=True)
class Applied:
    """The type of a lambda: its parameters and its result."""

    parameters: tuple[Pattern, ...]
    result: Pattern


@dataclass(frozen=True, slots=True)
class TextPattern:
    pass


@dataclass(frozen=True, slots=True)
class AnyValue:
    pass


Pattern: TypeAlias = Concrete | Variable | Sized | Of | Applied | TextPattern | AnyValue
AS_GIVEN: Final = (TextPattern, AnyValue)
"""Parameters whose arguments are not converted."""


@dataclass(frozen=True, slots=True)
class Signature:
    parameters: tuple[Pattern, ...]
    result: Pattern
    variadic: bool = False
    text: str = field(default="", compare=False)

    def of_count(self, count: int) -> tuple[Pattern, ...] | None:
        """The parameters of a call with ``count`` arguments; None if the signature takes another number."""
        if not self.variadic:
            return self.parameters if len(self.parameters) == count else None
        fixed = len(self.parameters) - 1
        if count < fixed:
            return None
        return (*self.parameters[:-1], *(self.parameters[-1:] * (count - fixed)))


_TOKEN: Final = re.compile(r"\s*(\w+|->|\.\.\.|[(),!])")
_VARIABLE: Final = re.compile(r"[A-Z]\d?")


@cache
def signature_of(text: str) -> Signature:
    """Reads ``T, bigint -> array(T)``."""
    return _Reader(text).signature()


class _Reader:
    def __init__(self, text: str) -> None:
        self._text = text
        self._tokens = _TOKEN.findall(text)
        self._at = 0

    def signature(self) -> Signature:
        parameters: list[Pattern] = []
        variadic = False
        while not self._take("->"):
            parameters.append(self._pattern())
            variadic = self._take("...")
            self._take(",")
        result = self._pattern()
        assert self._at == len(self._tokens), self._text
        return Signature(tuple(parameters), result, variadic, self._text)

    def _take(self, token: str) -> bool:
        if self._at < len(self._tokens) and self._tokens[self._at] == token:
            self._at += 1
            return True
        return False

    def _pattern(self) -> Pattern:
        word = self._tokens[self._at]
        self._at += 1
        if _VARIABLE.fullmatch(word):
            return Variable(word)
        match word:
            case "pattern":
                return TextPattern()
            case "any":
                return AnyValue()
            case "array" | "map" | "row":
                parts, certain = self._parts()
                return Of(word, parts, certain)
            case "function":
                *parameters, result = self._parts()[0]
                return Applied(tuple(parameters), result)
            case "interval":
                words = [word, *self._tokens[self._at : self._at + 3]]
                self._at += 3
                return Concrete(parse_trino_type(" ".join(words)))
            case "varchar" | "char" | "decimal" | "timestamp" | "time" if self._take("("):
                return self._sized(word)
            case _:
                return Concrete(parse_trino_type(word))

    def _sized(self, word: str) -> Pattern:
        numbers = [self._tokens[self._at]]
        self._at += 1
        while self._take(","):
            numbers.append(self._tokens[self._at])
            self._at += 1
        assert self._take(")"), self._text
        if self._take("with"):
            self._at += 2
            word += " zone"
        return Sized(word, tuple(numbers))

    def _parts(self) -> tuple[tuple[Pattern, ...], bool]:
        assert self._take("("), self._text
        parts = [self._pattern()]
        certain = self._take("!")
        while self._take(","):
            parts.append(self._pattern())
            certain = self._take("!")
        assert self._take(")"), self._text
        return tuple(parts), certain


@dataclass(slots=True)
class Binding:
    """The types and numbers that a call gives to the names in a signature.

    ``nullable``: for a type variable, whether a value of its type may be null.
    """

    types: dict[str, ColumnType] = field(default_factory=dict)
    nullable: dict[str, bool] = field(default_factory=dict)
    numbers: dict[str, int] = field(default_factory=dict)
    exact: bool = True

    def accept(self, pattern: Pattern, type_: ColumnType, nullable: bool) -> bool:
        """Whether the parameter ``pattern`` takes a value of the type; binds the names in the pattern."""
        match pattern:
            case Variable(name):
                return self._accept_variable(name, type_, nullable)
            case Concrete(wanted):
                self.exact = self.exact and type_ == wanted
                return can_coerce(type_, wanted)
            case TextPattern():
                return is_text(type_) or type_ == VOID
            case Sized(kind, numbers):
                return self._accept_sized(kind, numbers, type_)
            case Of(kind, parts):
                return self._accept_parts(kind, parts, type_)
            case Applied() | AnyValue():
                return True

    def _accept_variable(self, name: str, type_: ColumnType, nullable: bool) -> bool:
        known = self.types.get(name)
        met = type_ if known is None else common_type(known, type_)
        if met is None:
            return False
        self.exact = self.exact and known in (None, type_)
        self.types[name] = met
        self.nullable[name] = nullable or self.nullable.get(name, False)
        return True

    def _accept_sized(self, kind: str, names: tuple[str, ...], type_: ColumnType) -> bool:
        found = _sizes(kind, type_)
        if found is None:
            return False
        numbers, exact = found
        self.exact = self.exact and exact
        for name, number in zip(names, numbers, strict=True):
            if name.isdigit():
                if number > int(name):
                    return False
                self.exact = self.exact and number == int(name)
            else:
                self.exact = self.exact and self.numbers.get(name, number) == number
                self.numbers[name] = max(number, self.numbers.get(name, number))
        return True

    def _accept_parts(self, kind: str, parts: tuple[Pattern, ...], type_: ColumnType) -> bool:
        if type_ == VOID:
            self.exact = False
            return all(self.accept(part, VOID, True) for part in parts)
        match kind, type_:
            case "array", ArrayType(element, nullable):
                return self.accept(parts[0], element, nullable)
            case "map", MapType(key, value, nullable):
                return self.accept(parts[0], key, False) and self.accept(parts[1], value, nullable)
            case "row", StructType(fields) if len(fields) == len(parts):
                return all(
                    self.accept(part, f.type, f.nullable)
                    for part, f in zip(parts, fields, strict=True)
                )
            case _:
                return False

    def type_of(self, pattern: Pattern) -> ColumnType:
        """The type of the pattern in this call."""
        match pattern:
            case Variable(name):
                return self.types.get(name, VOID)
            case Concrete(type_):
                return type_
            case TextPattern() | AnyValue():
                return STRING
            case Sized(kind, numbers):
                return _sized_type(kind, [self._number(n) for n in numbers])
            case Of("array", parts, certain):
                nullable = not certain and self.may_be_null(parts[0])
                return ArrayType(self.type_of(parts[0]), nullable)
            case Of("map", (key, value)):
                return MapType(self.type_of(key), self.type_of(value), self.may_be_null(value))
            case Of(_, parts):
                return StructType(
                    tuple(
                        StructField(anonymous(i), self.type_of(p), self.may_be_null(p))
                        for i, p in enumerate(parts)
                    )
                )
            case Applied(_, result):
                return self.type_of(result)

    def may_be_null(self, pattern: Pattern) -> bool:
        return self.nullable.get(pattern.name, True) if isinstance(pattern, Variable) else True

    def _number(self, name: str) -> int:
        if name.isdigit():
            return int(name)
        calculate = CALCULATED.get(name)
        if calculate is None:
            return self.numbers.get(name, 0)
        if name in _OF_TEXT and _MOST in self.numbers.values():
            return _MOST
        return calculate(self.numbers)


_OF_TEXT: Final = frozenset({"replaced", "matched", "encoded"})


def _sizes(kind: str, type_: ColumnType) -> tuple[tuple[int, ...], bool] | None:
    """The numbers of a value's type as a type of this kind, and whether it already is of this kind.

    None if the type does not convert to the kind.
    """
    if type_ == VOID:
        return ((1, 0) if kind == "decimal" else (0,)), False
    match kind:
        case "varchar":
            length = text_length(type_)
            return None if length is None else ((length,), True)
        case "char":
            return _sizes_of_char(type_)
        case "decimal":
            found = decimal_of(type_)
            exact = isinstance(type_, DecimalType)
            return None if found is None else ((found.precision, found.scale), exact)
        case _:
            return _sizes_of_moment(kind, type_)


def _sizes_of_char(type_: ColumnType) -> tuple[tuple[int, ...], bool] | None:
    """The length of a type as a char: text converts to char implicitly, but char never to text."""
    if isinstance(type_, CharType):
        return (type_.length,), True
    length = text_length(type_)
    return ((length,), False) if length is not None and length <= MAX_CHAR else None


def _sizes_of_moment(kind: str, type_: ColumnType) -> tuple[tuple[int, ...], bool] | None:
    word, _, zone = kind.partition(" ")
    met = common_type(type_, timestamp_of(0) if word == "timestamp" else time_of(0))
    moment = moment_of(met) if met is not None else None
    if moment is None or (moment[2] and not zone):
        return None
    own = moment_of(type_)
    return (moment[1],), own is not None and own[2] == bool(zone)


def _sized_type(kind: str, numbers: list[int]) -> ColumnType:
    match kind:
        case "varchar":
            return varchar_of(numbers[0])
        case "char":
            return CharType(numbers[0])
        case "decimal":
            return DecimalType(numbers[0], numbers[1])
        case _:
            word, _, zone = kind.partition(" ")
            make = timestamp_of if word == "timestamp" else time_of
            return make(numbers[0], zone=bool(zone))
