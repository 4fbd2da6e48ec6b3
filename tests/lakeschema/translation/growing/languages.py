"""The languages of random views: templates that both dialects read alike, and templates of only one.

Further functions come straight from the function tables.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from lakeschema.catalog.column_types import (
    BIGINT,
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
)
from lakeschema.catalog.relations import Dialect
from lakeschema.translation.emission.pig.aggregates import FORMS as PIG_AGGREGATES
from lakeschema.translation.emission.pig.forms import BY_NAME as PIG_FORMS
from lakeschema.translation.functions import hive, shared, spark
from lakeschema.translation.functions.aliases import canonical
from lakeschema.translation.functions.binding import rows_by_name
from lakeschema.translation.functions.signature import Kind, Row

DECIMAL = DecimalType(10, 2)
FAMILIES: Sequence[ColumnType] = (BIGINT, DECIMAL, DOUBLE, STRING, BOOLEAN, DATE, TIMESTAMP)
_FAMILY_OF: Mapping[ColumnType, ColumnType] = {
    **dict.fromkeys((TINYINT, SMALLINT, INT, BIGINT), BIGINT),
    **dict.fromkeys((FLOAT, DOUBLE), DOUBLE),
}
Template = tuple[str, tuple[ColumnType, ...]]
Templates = Mapping[ColumnType, Sequence[Template]]
Calls = Sequence[tuple[str, Row]]


def family(type_: ColumnType) -> ColumnType:
    return DECIMAL if isinstance(type_, DecimalType) else _FAMILY_OF.get(type_, type_)


@dataclass(frozen=True, slots=True)
class Language:
    """What a view may be written with.

    Attributes:
        templates: by the kind of the result.
        calls, aggregates: functions of the tables, called with whatever fits.
        is_sparks: whether there are constructs that only Spark reads.
        has_subqueries: whether a scalar sub-query may stand for a value.
        has_nested_keys: whether what has parts may be a key, and lie in an array or map that is read.
        kinds: of the values that are grown.
    """

    templates: Templates
    calls: Calls = ()
    aggregates: Calls = ()
    is_sparks: bool = False
    has_subqueries: bool = False
    has_nested_keys: bool = True
    kinds: Sequence[ColumnType] = FAMILIES

    def without_times(self) -> Language:
        """The language where no value is a timestamp."""
        kept = {
            kind: tuple(t for t in templates if TIMESTAMP not in t[1])
            for kind, templates in self.templates.items()
        }
        return replace(
            self,
            templates=kept,
            calls=[(n, row) for n, row in self.calls if "timestamp" not in row.parameters],
            kinds=tuple(kind for kind in self.kinds if kind != TIMESTAMP),
        )


_I, _M, _F, _S, _B, _D, _T = FAMILIES
_BOTH: Templates = {
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
_ONLY_SPARK: Templates = {
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
_ONLY_HIVE: Templates = {
    _I: (
        *(("({} ^ 3)", (_I,)), ("CAST({} AS TINYINT)", (_I,)), ("CAST({} AS SMALLINT)", (_S,))),
        *(("CAST({} AS BIGINT)", (_S,)), ("CAST({} AS INT)", (_F,)), ("(~ {})", (_I,))),
        *(("({} DIV {})", (_I, _I)), ("({} % {})", (_I, _I)), ("pmod({}, {})", (_I, _I))),
        *(("weekofyear({})", (_D,)), ("day({})", (_T,)), ("second({})", (_T,))),
        *(("size(split({}, ','))", (_S,)), ("unix_timestamp({})", (_T,)), ("crc32({})", (_S,))),
        *(("CAST({} AS INT)", (_I,)), ("locate({}, {})", (_S, _S)), ("({} * {})", (_I, _I))),
    ),
    _M: (*(("CAST({} AS DECIMAL(38,10))", (_M,)), ("CAST({} AS DECIMAL(6,1))", (_M,))),),
    _F: (
        *(("({} / {})", (_I, _I)), ("({} / {})", (_F, _F)), ("CAST({} AS DOUBLE)", (_S,))),
        *(("CAST({} AS FLOAT)", (_F,)), ("CAST({} AS FLOAT)", (_I,)), ("ln({})", (_F,))),
        *(("round({}, 1)", (_F,)), ("floor({} / 3)", (_I,)), ("sign({})", (_F,))),
    ),
    _S: (
        *(("CAST({} AS STRING)", (_F,)),),
        *(
            ("({} || {})", (_S, _S)),
            ("CAST({} AS VARCHAR(3))", (_S,)),
        ),
        *(
            ("replace({}, 'a', {})", (_S, _S)),
            ("substr({}, -2)", (_S,)),
            ("substr({}, 0, {})", (_S, _I)),
        ),
        *(
            ("split({}, ',')[1]", (_S,)),
            ("concat({}, {})", (_S, _I)),
            ("rpad({}, 3, {})", (_S, _S)),
        ),
        *(("last_day({})", (_D,)), ("add_months({}, 1)", (_D,)), ("trunc({}, 'MM')", (_D,))),
        *(("date_format({}, 'yyyy-MM-dd')", (_T,)), ("str_to_map({}, ',', 'b')['a']", (_S,))),
    ),
    _B: (
        *(("({} LIKE '%a_%')", (_S,)), ("({} NOT LIKE {})", (_S, _S)), ("({} RLIKE {})", (_S, _S))),
        *(
            ("({} IN ({}, {}))", (_S, _S, _S)),
            ("({} NOT IN ({}, 3))", (_I, _I)),
            ("({} <=> {})", (_S, _S)),
        ),
        *(("({} BETWEEN {} AND {})", (_D, _D, _D)), ("({} NOT BETWEEN {} AND {})", (_S, _S, _S))),
        *(
            ("({} IN (DATE '2020-02-29', {}))", (_D, _D)),
            ("({} = {})", (_F, _F)),
            ("({} < {})", (_M, _M)),
        ),
        *(("({} = '12')", (_I,)), ("({} > '1')", (_F,)), ("({} >= '2020-01-01')", (_D,))),
        *(("({} > {})", (_S, _S)), ("({} <=> {})", (_F, _F)), ("({} = {})", (_B, _B))),
        *(("isnull({})", (_D,)), ("array_contains(split({}, ','), 'a')", (_S,))),
        *(("array_contains(array({}, 'a'), {})", (_S, _S)), ("CAST({} AS BOOLEAN)", (_I,))),
    ),
    _D: (("date_add({}, {} % 1000)", (_D, _I)), ("date_sub({}, -3)", (_T,))),
}

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


def _merged(one: Templates, other: Templates) -> Templates:
    return {kind: (*templates, *other.get(kind, ())) for kind, templates in one.items()}


def _rows_of(kind: Kind, dialect: Dialect) -> Calls:
    table = hive if dialect is Dialect.HIVE else spark
    rows = {*shared.ROWS, *table.ROWS}
    return [
        (name, row)
        for name, row in rows_by_name(dialect).items()
        if row in rows
        and row.kind is kind
        and row.deterministic
        and name not in _ELSEWHERE
        and " " not in name
    ]


def _some(rows: Calls, is_wanted: Callable[[str], bool]) -> Calls:
    return [(name, row) for name, row in rows if is_wanted(name)]


_AGGREGATED_IN_PIG = {name for form in PIG_AGGREGATES for name in form.names.split()}
BOTH = Language(_BOTH)
SPARK = Language(
    _merged(_BOTH, _ONLY_SPARK),
    _rows_of(Kind.SCALAR, Dialect.SPARK),
    _some(_rows_of(Kind.AGGREGATE, Dialect.SPARK), lambda name: name not in _UNSTEADY),
    is_sparks=True,
    has_subqueries=True,
)
HIVE_IN_PIG = Language(
    _merged(_BOTH, _ONLY_HIVE),
    _some(
        _rows_of(Kind.SCALAR, Dialect.HIVE), lambda name: canonical(name, Dialect.HIVE) in PIG_FORMS
    ),
    _some(
        _rows_of(Kind.AGGREGATE, Dialect.HIVE),
        lambda name: canonical(name, Dialect.HIVE) in _AGGREGATED_IN_PIG and name not in _UNSTEADY,
    ),
    has_subqueries=True,
    has_nested_keys=False,
)
"""Hive's texts, of functions that Pig has, too."""
