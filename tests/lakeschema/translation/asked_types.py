"""Expressions for whose types engines are asked: each operator and function over a choice of types.

The answers are recorded in ``recorded/*.tsv``, so that the derivation is compared with them without an
engine; the integration tests ask the engines again.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from enum import Enum
from pathlib import Path

from lakeschema.catalog.relations import Dialect
from lakeschema.translation.functions.aliases import ALIASES
from lakeschema.translation.functions.binding import SPELLED_APART, rows_of
from lakeschema.translation.functions.signature import Kind, Parameter, Row, parameters_of
from tests.lakeschema.translation import (
    asked_hive,
    asked_hive_choices,
    asked_hive_coalesced,
    asked_hive_conditions,
    asked_hive_constants,
    asked_hive_nulls,
    asked_hive_parts,
    asked_spark,
    asked_spark_avro,
    asked_spark_scalars,
)

RECORDED = Path(__file__).parent / "recorded"


class Engine(Enum):
    """Who is asked; the value names the recording."""

    HIVE = "hive"
    SPARK = "spark"
    SPARK_WITHOUT_ANSI = "spark_without_ansi"

    @property
    def dialect(self) -> Dialect:
        return Dialect.HIVE if self is Engine.HIVE else Dialect.SPARK

    @property
    def settings(self) -> Mapping[str, str]:
        """Of the session, and remembered by a view."""
        if self is Engine.HIVE:
            return {}
        ansi = "true" if self is Engine.SPARK else "false"
        return {
            "spark.sql.ansi.enabled": ansi,
            "spark.sql.timeType.enabled": "true",
            "spark.sql.geospatial.enabled": "true",
        }


REFUSED = "!"

PRIMITIVES: Mapping[str, str] = {
    "bo": "boolean",
    "ti": "tinyint",
    "si": "smallint",
    "i": "int",
    "b": "bigint",
    "f": "float",
    "d": "double",
    "de": "decimal(10,2)",
    "dw": "decimal(38,18)",
    "s": "string",
    "c": "char(5)",
    "v": "varchar(7)",
    "bi": "binary",
    "da": "date",
    "ts": "timestamp",
}
NESTED: Mapping[str, str] = {
    "ai": "array<int>",
    "a_s": "array<string>",
    "m": "map<string,int>",
    "st": "struct<x:int,y:string>",
    "ast": "array<struct<x:int,y:string>>",
}
COLUMNS: Mapping[str, str] = {**PRIMITIVES, **NESTED}


def columns(dialect: Dialect) -> Mapping[str, str]:
    return {**COLUMNS, **asked_spark.COLUMNS} if dialect is Dialect.SPARK else COLUMNS


def table_ddl(dialect: Dialect) -> str:
    return f"CREATE TABLE t ({', '.join(f'{n} {type_}' for n, type_ in columns(dialect).items())})"


_PAIRS = (
    *("{} + {}", "{} - {}", "{} * {}", "{} / {}", "{} % {}", "{} = {}", "{} < {}"),
    *("coalesce({}, {})", "if(bo, {}, {})", "array({}, {})", "concat({}, {})", "{} IN ({})"),
    "CASE WHEN bo THEN {} ELSE {} END",
)
_SINGLES = (
    *("-{}", "NOT {}", "{} IS NULL", "CASE WHEN bo THEN {} END", "coalesce({}, NULL)", "{} + 1"),
    *("{} + 1.50", "{} * 2", "{} / 3", "{} = 'a'", "{} BETWEEN 1 AND 2", "coalesce({}, 'x')"),
    *("coalesce({}, 0)", "{} + INTERVAL '1' DAY", "sum({}) OVER (PARTITION BY i)"),
    *("lag({}) OVER (ORDER BY i)", "max({}) OVER (PARTITION BY i)"),
    *("percentile_approx({}, 0.5)", "percentile({}, 0.5)", "{} + -2"),
)
_LITERALS = (
    *("1", "1L", "1S", "1Y", "1.0", "1.50", "100.00", "0.010", "1e3", "1.5D", "1.5BD", "'a'"),
    *("true", "NULL", "DATE '2020-01-01'", "TIMESTAMP '2020-01-01 00:00:00'", "12345678901"),
    *("-1.0", "9223372036854775807", "99999999999999999999", "array()", "1.0 + 1.50", "3 / 2"),
    *("2 * 1.50", "1.0 / 3.00", "1 div 2", "5 % 3", "'1' + 1", "'1' + '2'", "current_date"),
    *("ai[0]", "m['k']", "st.x", "ast[0].y", "ast.x", "size(ai)", "named_struct('a', 1, 'b', 's')"),
    *("struct(1, 's')", "struct(i, s)", "map('a', 1)", "map('a', 1, 'b', 2.5)", "array(1, 2.5)"),
)
_ASKED_ABOUT: Mapping[str, Sequence[str]] = {
    "string": ("s", "v", "i", "da", "bi"),
    "double": ("d", "f", "i", "de", "s"),
    "measured": ("d", "f", "i", "de", "s"),
    "number": ("i", "ti", "b", "f", "d", "de", "s", "da"),
    "summed": ("i", "ti", "b", "f", "d", "de", "s", "da"),
    "numeric": ("i", "ti", "b", "f", "d", "de", "s", "da"),
    "integer": ("i", "ti", "si", "b", "d", "s"),
    "bits": ("i", "ti", "si", "b", "d", "s"),
    "int": ("i", "ti", "b", "d", "s"),
    "bigint": ("b", "i", "d", "s"),
    "boolean": ("bo", "i", "s"),
    "date": ("da", "ts", "s", "i"),
    "timestamp": ("ts", "da", "s", "b"),
    "binary": ("bi", "s"),
    "text_or_binary": ("s", "bi", "v", "i"),
    "collection": ("ai", "m", "s"),
    "time": ("tm", "t3", "ts", "s"),
    "moment": ("ts", "tm", "da", "s", "tn"),
    "variant": ("va", "s"),
    "array<float>": ("af", "ai"),
    "shape": ("st_geomfromwkb(bi)", "st_geogfromwkb(bi)"),
    "compared": ("i", "s", "da", "ai"),
    **dict.fromkeys(
        ("any", "kept_compared"), ("i", "s", "d", "de", "da", "ts", "bo", "bi", "ai", "m", "st")
    ),
}
_NAMED_OTHERWISE = {
    "is_not_distinct_from",
    "timestampadd",
    "timestampdiff",
    "and",
    "or",
    "not",
    "between",
    "in",
    "like",
    "ilike",
    "rlike",
    "regexp",
}


def questions(dialect: Dialect) -> Sequence[str]:
    """Expressions over the table's columns, each once, in a fixed order."""
    return list(dict.fromkeys(_questions(dialect)))


def _questions(dialect: Dialect) -> Iterator[str]:
    yield from _LITERALS
    for form in _SINGLES:
        yield from (form.format(name) for name in COLUMNS)
    for form in _PAIRS:
        yield from (form.format(a, b) for a in PRIMITIVES for b in PRIMITIVES)
    for a in PRIMITIVES:
        for type_ in PRIMITIVES.values():
            yield f"CAST({a} AS {type_})"
    for row in rows_of(dialect):
        if row.kind in {Kind.SCALAR, Kind.AGGREGATE, Kind.WINDOW}:
            names = row.names.split()
            aliases = (
                alias
                for alias, name in ALIASES[dialect].items()
                if name in names or name.replace(" ", "_") in names
            )
            for name in (*names, *aliases):
                yield from _calls(name, row)
    if dialect is Dialect.HIVE:
        yield from asked_hive.CALLS
        yield from asked_hive_choices.CHOICES
        yield from asked_hive_constants.CONSTANTS
        yield from asked_hive_parts.PARTS
        yield from asked_hive_coalesced.COALESCED
        yield from asked_hive_nulls.NULLS
        yield from asked_hive_conditions.CONDITIONS
    else:
        yield from asked_spark.questions(PRIMITIVES, columns(dialect))
        yield from asked_spark_scalars.CALLS
        yield from asked_spark_avro.CALLS


def _calls(name: str, row: Row) -> Iterator[str]:
    if not name.isidentifier() or name in _NAMED_OTHERWISE or name in SPELLED_APART:
        return
    over = " OVER (ORDER BY i)" if row.kind is Kind.WINDOW else ""
    for arguments in argument_lists(parameters_of(row.parameters)):
        yield f"{name}({', '.join(arguments)}){over}"


def argument_lists(parameters: Sequence[Parameter]) -> Iterator[Sequence[str]]:
    """The defaults, shorter and longer, then each place with other types."""
    needed = [p for p in parameters if not p.optional]
    for count in range(len(needed), len(parameters) + 1):
        yield [_palette(p)[0] for p in parameters[:count]]
    if parameters and parameters[-1].variadic:
        yield [_palette(p)[0] for p in (*parameters, parameters[-1])]
    for place, parameter in enumerate(parameters):
        for other in _palette(parameter)[1:]:
            yield [
                other if i == place else _palette(p)[0]
                for i, p in enumerate(parameters[: max(len(needed), place + 1)])
            ]


def _palette(parameter: Parameter) -> Sequence[str]:
    pattern = parameter.pattern
    if pattern in _ASKED_ABOUT:
        return _ASKED_ABOUT[pattern]
    if pattern.startswith("array<struct"):
        return ("ast",)
    if pattern.startswith("array"):
        return ("ai", "a_s", "s")
    if pattern.startswith("map"):
        return ("m", "s")
    if len(pattern) == 1:
        return _ASKED_ABOUT["any"]
    return _ASKED_ABOUT.get(pattern, ("s", "i", "d"))


def recorded(engine: Engine, suffix: str = "") -> Mapping[str, str]:
    """What the engine answered: a type, with "not null" behind it, or ``REFUSED``."""
    path = _path(engine, suffix)
    lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else ()
    return dict(line.split("\t") for line in lines)


def record(engine: Engine, answers: Mapping[str, str], suffix: str = "") -> None:
    RECORDED.mkdir(exist_ok=True)
    text = "".join(f"{question}\t{answer}\n" for question, answer in answers.items())
    _path(engine, suffix).write_text(text, encoding="utf-8")


def _path(engine: Engine, suffix: str) -> Path:
    return RECORDED / f"{engine.value}{suffix}.tsv"
