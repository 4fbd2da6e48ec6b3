"""Random row expressions of a wanted kind over the columns in scope.

A kind is a type of which only the family counts: any integer stands for all. Templates are what
both dialects write alike; Spark's further functions come straight from the function tables.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from random import Random

from lakeschema.catalog.column_types import (
    BIGINT,
    BINARY,
    BOOLEAN,
    DATE,
    DOUBLE,
    FLOAT,
    INT,
    SMALLINT,
    STRING,
    TIMESTAMP,
    TINYINT,
    ArrayType,
    ColumnType,
    DecimalType,
    MapType,
    StructField,
    StructType,
)
from lakeschema.translation.functions import shared, spark
from lakeschema.translation.functions.signature import Kind, Parameter, Row, parameters_of
from tests.lakeschema.translation.growing.tables import value_text

DECIMAL = DecimalType(10, 2)
FAMILIES: Sequence[ColumnType] = (BIGINT, DECIMAL, DOUBLE, STRING, BOOLEAN, DATE, TIMESTAMP)
_FAMILY_OF: Mapping[ColumnType, ColumnType] = {
    **dict.fromkeys((TINYINT, SMALLINT, INT, BIGINT), BIGINT),
    **dict.fromkeys((FLOAT, DOUBLE), DOUBLE),
}


@dataclass(frozen=True, slots=True)
class Typed:
    """An expression's text and its type, as far as growing needs to know it."""

    text: str
    type: ColumnType


Subquery = Callable[[ColumnType], Typed]


def family(type_: ColumnType) -> ColumnType:
    return DECIMAL if isinstance(type_, DecimalType) else _FAMILY_OF.get(type_, type_)


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
_BOTH: Mapping[ColumnType, Sequence[tuple[str, tuple[ColumnType, ...]]]] = {
    _I: (
        *(("({} + {})", (_I, _I)), ("({} - {})", (_I, _I)), ("({} * 2)", (_I,)), ("(- {})", (_I,))),
        *(("({} % 7)", (_I,)), ("pmod({}, 5)", (_I,)), ("({} DIV 3)", (_I,)), ("abs({})", (_I,))),
        *(("length({})", (_S,)), ("instr({}, 'a')", (_S,)), ("ascii({})", (_S,))),
        *(("year({})", (_D,)), ("month({})", (_D,)), ("day({})", (_D,)), ("quarter({})", (_D,))),
        *(("hour({})", (_T,)), ("datediff({}, {})", (_D, _D)), ("dayofweek({})", (_D,))),
        *(("size({})", (ArrayType(_I),)), ("size({})", (MapType(_S, _S),))),
        *(("locate('b', {})", (_S,)), ("floor({})", (_F,)), ("CAST({} AS BIGINT)", (_M,))),
        *(("CAST({} AS INT)", (_B,)), ("({} & 6)", (_I,)), ("({} | 1)", (_I,))),
        *(
            ("shiftleft({}, 2)", (_I,)),
            ("levenshtein({}, 'ab')", (_S,)),
            ("CAST({} AS INT)", (_S,)),
        ),
        ("minute({})", (_T,)),
    ),
    _M: (
        *(("({} + {})", (_M, _M)), ("({} * {})", (_M, _M)), ("({} - 1.50)", (_M,))),
        *(("({} / 4)", (_M,)), ("({} + {})", (_M, _I)), ("abs({})", (_M,)), ("(- {})", (_M,))),
        *(("CAST({} AS DECIMAL(20,4))", (_I,)), ("({} % 3)", (_M,)), ("round({}, 1)", (_M,))),
        ("CAST({} AS DECIMAL(12,3))", (_F,)),
    ),
    _F: (
        *(
            ("({} + {})", (_F, _F)),
            ("({} * {})", (_F, _I)),
            ("({} / 2)", (_F,)),
            ("abs({})", (_F,)),
        ),
        *(("sqrt(abs({}))", (_F,)), ("CAST({} AS DOUBLE)", (_M,)), ("({} - {})", (_F, _I))),
        *(("CAST({} AS DOUBLE)", (_I,)), ("power({}, 2)", (_F,)), ("exp({} * 0)", (_F,))),
    ),
    _S: (
        *(
            ("upper({})", (_S,)),
            ("lower({})", (_S,)),
            ("trim({})", (_S,)),
            ("concat({}, {})", (_S, _S)),
        ),
        *(
            ("substr({}, 2, 3)", (_S,)),
            ("CAST({} AS STRING)", (_I,)),
            ("CAST({} AS STRING)", (_D,)),
        ),
        *(
            ("lpad({}, 4, '*')", (_S,)),
            ("regexp_replace({}, 'a+', 'b')", (_S,)),
            ("reverse({})", (_S,)),
        ),
        *(("split({}, ',')[0]", (_S,)), ("concat_ws('-', {}, {})", (_S, _S)), ("ltrim({})", (_S,))),
        *(("translate({}, 'ab', 'xy')", (_S,)), ("initcap({})", (_S,)), ("repeat({}, 2)", (_S,))),
        *(
            ("CAST({} AS STRING)", (_B,)),
            ("substring_index({}, ',', 1)", (_S,)),
            ("md5({})", (_S,)),
        ),
        *(("get_json_object({}, '$.a')", (_S,)), ("date_format({}, 'yyyy')", (_D,))),
        ("regexp_extract({}, '([a-z])', 1)", (_S,)),
    ),
    _B: (
        *(("({} = {})", (_I, _I)), ("({} < {})", (_I, _M)), ("({} >= {})", (_F, _I))),
        *(("({} <> {})", (_S, _S)), ("({} <= {})", (_D, _D)), ("({} > {})", (_T, _T))),
        *(("({} AND {})", (_B, _B)), ("({} OR {})", (_B, _B)), ("(NOT {})", (_B,))),
        *(("({} IS NULL)", (_S,)), ("({} IS NOT NULL)", (_I,)), ("({} <=> {})", (_I, _I))),
        *(
            ("({} IN (1, 2, 5))", (_I,)),
            ("({} BETWEEN 0 AND 100)", (_I,)),
            ("({} LIKE 'a%')", (_S,)),
        ),
        *(("({} RLIKE '^[a-z]')", (_S,)), ("({} NOT IN ('a', 'no'))", (_S,))),
        *(("({} IS TRUE)", (_B,)), ("({} IS NOT FALSE)", (_B,)), ("({} = {})", (_S, _S))),
        ("array_contains({}, 1)", (ArrayType(_I),)),
    ),
    _D: (
        *(("date_add({}, 3)", (_D,)), ("date_sub({}, 1)", (_D,)), ("CAST({} AS DATE)", (_T,))),
        *(("to_date({})", (_T,)), ("CAST({} AS DATE)", (_S,))),
    ),
    _T: (("CAST({} AS TIMESTAMP)", (_D,)),),
}
_ONLY_SPARK: Mapping[ColumnType, Sequence[tuple[str, tuple[ColumnType, ...]]]] = {
    _I: (
        *(("extract(DAY FROM {})", (_D,)), ("position('a' IN {})", (_S,)), ("({} ^ 3)", (_I,))),
        *(("size(filter({}, x -> x > 1))", (ArrayType(_I),)), ("try_add({}, {})", (_I, _I))),
        ("cardinality({})", (ArrayType(_S),)),
    ),
    _F: (("({} / nullif({}, 0))", (_I, _I)), ("try_divide({}, {})", (_F, _F))),
    _S: (
        *(("({} || {})", (_S, _S)), ("CAST({} AS STRING)", (_T,)), ("CAST({} AS STRING)", (_M,))),
        ("TRIM(BOTH 'a' FROM {})", (_S,)),
    ),
    _B: (
        *(("({} IS DISTINCT FROM {})", (_S, _S)), ("({} ILIKE 'A%')", (_S,))),
        *(
            ("exists({}, x -> x IS NULL)", (ArrayType(_S),)),
            ("(({}, {}) IN ((1, 2), (2, 3)))", (_I, _I)),
        ),
    ),
    _D: (("last_day({})", (_D,)), ("add_months({}, 1)", (_D,)), ("({} + INTERVAL 1 DAY)", (_D,))),
    _T: (("date_trunc('HOUR', {})", (_T,)), ("({} + INTERVAL 2 HOURS)", (_T,))),
}
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

_UNSTEADY = {
    *("collect_set", "collect_list", "array_agg", "first", "last", "any_value", "first_value"),
    *("last_value", "min_by", "max_by"),
}
"""Aggregates that depend on the order of rows."""
_ELSEWHERE = {
    *("and", "or", "between", "in", "like", "ilike", "rlike", "regexp", "not", "div", "mod"),
    *("grouping", "grouping_id", "row_number", "array", "map", "named_struct", "struct", "if"),
    *("extract", "position", "current_date", "current_timestamp", "now", "typeof", "hash"),
    *(
        "localtimestamp",
        "current_user",
        "user",
        "session_user",
        "current_schema",
        "current_database",
        "xxhash64",
    ),
    # Their arguments have to be alike in ways that the tables do not say.
    *("map_concat", "map_from_arrays", "concat", "concat_ws", "unix_timestamp"),
    *("overlay", "timestamp_seconds", "some", "any", "isnull", "isnotnull"),
}
"""Written in a form of their own, not as a call; or not the same from one run to the next."""


class Expressions:
    """Grows expressions of a wanted kind over ``columns``.

    Attributes:
        only_both: nothing that Hive would not read.
        subquery: makes a scalar sub-query of a kind; None where none may stand.
    """

    def __init__(
        self,
        random: Random,
        columns: Sequence[Typed],
        *,
        only_both: bool,
        subquery: Subquery | None = None,
    ) -> None:
        self._random = random
        self._paths = [path for column in columns for path in _paths(column)]
        self._only_both = only_both
        self._subquery = subquery

    def any(self, depth: int) -> Typed:
        """Of whatever kind: more often than not something that the columns have."""
        random = self._random
        if self._paths and random.random() < 0.4:
            return random.choice(self._paths)
        if not self._only_both and random.random() < 0.4:
            return self._of_tables(depth)
        if random.random() < 0.15:
            return self._built(depth)
        return self.of(random.choice(FAMILIES), depth)

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
        templates = list(_BOTH[wanted])
        if not self._only_both:
            templates += _ONLY_SPARK.get(wanted, ())
        form, kinds = random.choice(templates)
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
            self.of(random.choice(FAMILIES), depth - 1),
            self.of(random.choice(FAMILIES), depth - 1),
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
        """A call of a function of Spark's table, whatever it is."""
        name, row = self._random.choice(_scalar_rows())
        return self.call(name, row, depth)

    def call(self, name: str, row: Row, depth: int) -> Typed:
        parameters = parameters_of(row.parameters)
        variables = {v: self._random.choice(FAMILIES) for v in "TKV"}
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
        return self.of(_KINDS.get(pattern, _any_family)(self._random), depth)


def _any_family(random: Random) -> ColumnType:
    return random.choice(FAMILIES)


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
    "any": _any_family,
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


@cache
def _rows_of(kind: Kind) -> Sequence[tuple[str, Row]]:
    own = {name for row in spark.ROWS for name in row.names.split()}
    return [
        (name, row)
        for rows in (shared.ROWS, spark.ROWS)
        for row in rows
        for name in row.names.split()
        if row.kind is kind
        and row.deterministic
        and name not in _ELSEWHERE
        and not name.startswith("is_")
        and not (rows is shared.ROWS and name in own)
    ]


def _scalar_rows() -> Sequence[tuple[str, Row]]:
    return _rows_of(Kind.SCALAR)


def aggregate_rows() -> Sequence[tuple[str, Row]]:
    return [(name, row) for name, row in _rows_of(Kind.AGGREGATE) if name not in _UNSTEADY]


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


def _paths(column: Typed, depth: int = 3) -> Sequence[Typed]:
    """The column, and what lies inside."""
    found = [column]
    if depth == 0:
        return found
    match column.type:
        case StructType(fields):
            for field in fields:
                found += _paths(Typed(f"{column.text}.{field.name}", field.type), depth - 1)
        case ArrayType(StructType(fields)):
            found += [
                Typed(f"{column.text}.{field.name}", ArrayType(field.type)) for field in fields
            ]
        case ArrayType(element):
            found += _paths(Typed(f"{column.text}[0]", element), depth - 1)
        case MapType(_, value):
            found += _paths(Typed(f"{column.text}['k']", value), depth - 1)
        case _:
            pass
    return found
