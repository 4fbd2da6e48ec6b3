"""Random row expressions of a wanted kind over the columns in scope.

A kind is a family of types: any integer stands for all.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from random import Random

from lakeschema.catalog.column_types import (
    BIGINT,
    BINARY,
    BOOLEAN,
    DATE,
    DOUBLE,
    INT,
    STRING,
    TIMESTAMP,
    ArrayType,
    ColumnType,
    MapType,
    StructField,
    StructType,
)
from lakeschema.translation.functions.signature import Parameter, Row, parameters_of
from tests.lakeschema.translation.growing.languages import DECIMAL, FAMILIES, Language, family
from tests.lakeschema.translation.growing.tables import value_text


@dataclass(frozen=True, slots=True)
class Typed:
    """An expression's text and its type, as far as growing needs to know it."""

    text: str
    type: ColumnType


Subquery = Callable[[ColumnType], Typed]


def is_orderable(type_: ColumnType) -> bool:
    match type_:
        case MapType():
            return False
        case ArrayType(element):
            return is_orderable(element)
        case StructType(fields):
            return all(is_orderable(f.type) for f in fields)
        case _:
            return True


_I, _M, _F, _S, _B, _D, _T = FAMILIES
_CHOICES: Sequence[str] = (
    "coalesce({0}, {1})",
    "if({b}, {0}, {1})",
    "CASE WHEN {b} THEN {0} WHEN {c} THEN {1} END",
    "CASE WHEN {b} THEN {0} ELSE {1} END",
    "nvl({0}, {1})",
    "nullif({0}, {1})",
    "CASE {0} WHEN {1} THEN {0} ELSE {1} END",
)
"""For any kind."""

_LITERALS: Mapping[ColumnType, Sequence[str]] = {
    _I: ("0", "1", "3", "-2", "10L", "5S", "1Y", "2147483648"),
    _M: ("1.5", "-0.25", "10.00", "CAST(3 AS DECIMAL(5,0))", "100.010"),
    _F: ("CAST(1.5 AS DOUBLE)", "CAST(0 AS DOUBLE)", "2.5D", "CAST(0.25 AS FLOAT)"),
    _S: ("'a'", "''", "'Zwölf 😀'", "'12'", "'a_%'"),
    _B: ("true", "false", "(1 = 1)"),
    _D: ("DATE '2020-02-29'", "DATE '1969-12-31'"),
    _T: ("TIMESTAMP '2020-01-02 03:04:05'", "TIMESTAMP '1969-12-31 23:59:59'"),
}
_WRITTEN: Mapping[tuple[str, int], Sequence[str]] = {
    ("date_trunc", 0): ("'MONTH'", "'HOUR'", "'nonsense'"),
    ("trunc", 1): ("'MM'", "'YEAR'"),
    ("next_day", 1): ("'MON'", "'FRIDAY'"),
    **dict.fromkeys((("from_utc_timestamp", 1), ("to_utc_timestamp", 1)), ("'UTC'", "'+01:00'")),
    **dict.fromkeys((("conv", 1), ("conv", 2)), ("10", "16", "2")),
    **dict.fromkeys((("encode", 1), ("decode", 1)), ("'UTF-8'",)),
    ("date_format", 1): ("'yyyy-MM-dd'", "'HH'"),
    **dict.fromkeys(
        (("to_date", 1), ("to_timestamp", 1), ("try_to_timestamp", 1)), ("'yyyy-MM-dd'",)
    ),
    **dict.fromkeys((("from_unixtime", 1), ("unix_timestamp", 1)), ("'yyyy-MM-dd'",)),
    ("to_unix_timestamp", 1): ("'yyyy-MM-dd'",),
    ("get_json_object", 1): ("'$.a'",),
    ("parse_url", 1): ("'HOST'", "'QUERY'"),
    ("sha2", 1): ("256", "0"),
    ("format_number", 1): ("2", "0"),
    ("to_char", 1): ("'999999999999999999999D99'",),
    **dict.fromkeys(
        (("percentile", 1), ("percentile_approx", 1), ("approx_percentile", 1)), ("0.5",)
    ),
    **dict.fromkeys((("percentile", 2),), ("1",)),
    **dict.fromkeys((("percentile_approx", 2), ("approx_percentile", 2)), ("100",)),
    ("approx_count_distinct", 1): ("0.1",),
    **dict.fromkeys(
        ((name, 1) for name in ("rlike", "regexp", "regexp_like", "regexp_replace", "split")),
        ("'a'", "'[0-9]+'"),
    ),
    **dict.fromkeys(
        (
            (name, 1)
            for name in ("regexp_extract", "regexp_extract_all", "regexp_count", "regexp_instr")
        ),
        ("'(a)(.?)'", "'([0-9])'"),
    ),
    **dict.fromkeys((("extract", 0), ("date_part", 0), ("datepart", 0)), ("'DAY'", "'YEAR'")),
    **dict.fromkeys((("printf", 0), ("format_string", 0)), ("'%s-%s'",)),
    **dict.fromkeys(
        ((name, 1) for name in ("first", "last", "any_value", "first_value", "last_value")),
        ("true", "false"),
    ),
    ("sort_array", 1): ("true", "false"),
    **dict.fromkeys((("lag", 1), ("lead", 1), ("nth_value", 1), ("ntile", 0)), ("1", "2")),
    ("nth_value", 2): ("false",),
    ("months_between", 2): ("true",),
    **dict.fromkeys((("str_to_map", 1), ("str_to_map", 2)), ("','", "':'")),
    ("split_part", 2): ("1", "-1"),
    ("get", 1): ("0", "5"),
    **dict.fromkeys((("slice", 1), ("slice", 2)), ("1", "2")),
    ("round", 1): ("1", "-1"),
    ("bround", 1): ("1",),
    ("factorial", 0): ("5", "21"),
    ("substring_index", 2): ("1", "-1"),
    ("make_date", 1): ("2", "12"),
    ("make_date", 2): ("28", "29"),
}
"""Arguments that a function wants written, by its name and their place from 0."""


class Expressions:
    """Grows expressions of a wanted kind over ``columns``.

    Attributes:
        language: what they may be written with.
        subquery: makes a scalar sub-query of a kind; None where none may stand.
    """

    def __init__(
        self,
        random: Random,
        columns: Sequence[Typed],
        *,
        language: Language,
        subquery: Subquery | None = None,
    ) -> None:
        self._random = random
        self._paths = [path for c in columns for path in _paths(c, nested=language.has_nested_keys)]
        self._language = language
        self._subquery = subquery

    def any(self, depth: int) -> Typed:
        """Of whatever kind: more often than not something that the columns have."""
        random = self._random
        if self._paths and random.random() < 0.4:
            return random.choice(self._paths)
        if self._language.calls and random.random() < 0.4:
            return self._of_tables(depth)
        if random.random() < 0.15:
            return self._built(depth)
        return self.of(random.choice(self._language.kinds), depth)

    def of(self, wanted: ColumnType, depth: int) -> Typed:
        """Of that kind, a column or field of it where one is in scope."""
        random = self._random
        if isinstance(wanted, (ArrayType, MapType, StructType)) or wanted == BINARY:
            return self._nested(wanted, depth)
        wanted = family(wanted)
        near = [path for path in self._paths if family(path.type) == wanted]
        if depth <= 0 or random.random() < 0.25:
            if near and random.random() < 0.85:
                return random.choice(near)
            return Typed(random.choice(_LITERALS[wanted]), wanted)
        if self._subquery is not None and random.random() < 0.03:
            return self._subquery(wanted)
        if random.random() < 0.2:
            return self._choice(wanted, depth)
        form, kinds = random.choice(self._language.templates[wanted])
        arguments = [self.of(kind, depth - 1).text for kind in kinds]
        return Typed(form.format(*arguments), wanted)

    def condition(self, depth: int) -> str:
        return self.of(BOOLEAN, depth).text

    def _choice(self, wanted: ColumnType, depth: int) -> Typed:
        form = self._random.choice(_CHOICES)
        values = [self.of(wanted, depth - 1).text for _ in range(2)]
        conditions = {name: self.of(BOOLEAN, depth - 2).text for name in "bc"}
        return Typed(form.format(*values, **conditions), wanted)

    def _nested(self, wanted: ColumnType, depth: int) -> Typed:
        random = self._random
        near = [path for path in self._paths if _shape(path.type) == _shape(wanted)]
        if near and random.random() < 0.8:
            return random.choice(near)
        match wanted:
            case ArrayType(element) if family(element) in FAMILIES:
                parts = [self.of(family(element), depth - 1).text for _ in range(2)]
                return Typed(f"array({', '.join(parts)})", wanted)
            case MapType(_, value) if family(value) in FAMILIES:
                return Typed(f"map('k', {self.of(family(value), depth - 1).text})", wanted)
            case _:
                return Typed(value_text(random, wanted), wanted)

    def _built(self, depth: int) -> Typed:
        """A new struct, array or map."""
        random = self._random
        a, b = (
            self.of(random.choice(self._language.kinds), depth - 1),
            self.of(random.choice(self._language.kinds), depth - 1),
        )
        kind = random.random()
        if kind < 0.5:
            fields = (StructField("m", a.type), StructField("N", b.type))
            return Typed(f"named_struct('m', {a.text}, 'N', {b.text})", StructType(fields))
        if kind < 0.8:
            other = self.of(a.type, depth - 1)
            return Typed(f"array({a.text}, {other.text})", ArrayType(a.type))
        return Typed(f"map('k', {a.text})", MapType(STRING, a.type))

    def _of_tables(self, depth: int) -> Typed:
        """A call of a function of the tables, whatever it is."""
        name, row = self._random.choice(self._language.calls)
        return self.call(name, row, depth)

    def call(self, name: str, row: Row, depth: int) -> Typed:
        parameters = parameters_of(row.parameters)
        variables = {v: self._random.choice(self._language.kinds) for v in "TKV"}
        count = self._random.randint(sum(not p.optional for p in parameters), len(parameters))
        chosen = [*parameters[:count]]
        if chosen and chosen[-1].variadic:
            chosen += [chosen[-1]] * self._random.randint(0, 2)
        arguments = [
            self._argument(name, place, parameter, variables, depth - 1)
            for place, parameter in enumerate(chosen)
        ]
        texts = [argument.text for argument in arguments]
        if not name.isidentifier():
            text = f"({texts[0]} {name} {texts[1]})" if len(texts) == 2 else f"({name} {texts[0]})"
        else:
            text = f"{name}({', '.join(texts)})"
        return Typed(text, _result(row, arguments, variables))

    def _argument(
        self,
        name: str,
        place: int,
        parameter: Parameter,
        variables: Mapping[str, ColumnType],
        depth: int,
    ) -> Typed:
        written = _WRITTEN.get((name, place))
        if written is not None:
            return Typed(self._random.choice(written), STRING)
        pattern = parameter.pattern
        if pattern == "int" and place > 0:
            return Typed(str(self._random.randint(-1, 4)), INT)
        if pattern.startswith(("array<", "map<")) or len(pattern) == 1:
            return self.of(_pattern_type(pattern, variables), depth)
        of_pattern = _KINDS.get(pattern)
        if of_pattern is None:
            return self.of(self._random.choice(self._language.kinds), depth)
        return self.of(of_pattern(self._random), depth)


_KINDS: Mapping[str, Callable[[Random], ColumnType]] = {
    "string": lambda _: STRING,
    "boolean": lambda _: BOOLEAN,
    "date": lambda _: DATE,
    "timestamp": lambda _: TIMESTAMP,
    "binary": lambda _: BINARY,
    "double": lambda _: DOUBLE,
    "integer": lambda _: BIGINT,
    "bigint": lambda _: BIGINT,
    "int": lambda _: BIGINT,
    "number": lambda random: random.choice((BIGINT, DECIMAL, DOUBLE)),
    "numeric": lambda random: random.choice((BIGINT, DECIMAL, DOUBLE)),
    "text_or_binary": lambda _: STRING,
    "collection": lambda random: random.choice((ArrayType(BIGINT), MapType(STRING, STRING))),
    "compared": lambda _: BIGINT,
}
_SIMPLE = {
    "string": STRING,
    "boolean": BOOLEAN,
    "date": DATE,
    "timestamp": TIMESTAMP,
    "double": DOUBLE,
    "int": BIGINT,
    "bigint": BIGINT,
    "tinyint": BIGINT,
    "smallint": BIGINT,
}
OPAQUE = BINARY
"""The kind of a call whose result is not followed: it is selected, and nothing is made of it."""


def _result(
    row: Row, arguments: Sequence[Typed], variables: Mapping[str, ColumnType]
) -> ColumnType:
    if row.result in _SIMPLE:
        return _SIMPLE[row.result]
    if row.result in variables:
        return variables[row.result]
    if row.result == "@same" and arguments and family(arguments[0].type) in FAMILIES:
        return family(arguments[0].type)
    return OPAQUE


def _pattern_type(pattern: str, variables: Mapping[str, ColumnType]) -> ColumnType:
    inner = re.fullmatch(r"(array|map)<(.*)>", pattern)
    if inner is None:
        return variables.get(pattern, STRING)
    if inner[1] == "array":
        return ArrayType(_pattern_type(inner[2], variables))
    return MapType(STRING, _pattern_type(inner[2].split(",")[1], variables))


def _shape(type_: ColumnType) -> object:
    """Types that one may stand for another."""
    match type_:
        case ArrayType(element):
            return ("array", _shape(element))
        case MapType(_, value):
            return ("map", _shape(value))
        case StructType(fields):
            return tuple((f.name, _shape(f.type)) for f in fields)
        case _:
            return family(type_)


def _paths(column: Typed, depth: int = 3, *, nested: bool) -> Sequence[Typed]:
    """The column, and what lies inside; ``nested``: also inside of an array's or a map's elements."""
    found = [column]
    if depth == 0:
        return found
    match column.type:
        case StructType(fields):
            for field in fields:
                inner = Typed(f"{column.text}.{field.name}", field.type)
                found += _paths(inner, depth - 1, nested=nested)
        case ArrayType(StructType(fields)):
            found += [
                Typed(f"{column.text}.{field.name}", ArrayType(field.type)) for field in fields
            ]
        case ArrayType(element) if nested or family(element) in FAMILIES:
            found += _paths(Typed(f"{column.text}[0]", element), depth - 1, nested=nested)
        case MapType(_, value) if nested or family(value) in FAMILIES:
            found += _paths(Typed(f"{column.text}['k']", value), depth - 1, nested=nested)
        case _:
            pass
    return found
