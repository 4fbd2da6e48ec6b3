"""Templates of random expressions: texts with a typed slot in place of each column.

A call that the engine accepted is a template: another expression of a column's type replaces each
column. Operators, casts and choices have special forms, and a function's row in our tables says which
types its arguments may have. Only the engine says what type the whole has.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from random import Random
from types import MappingProxyType
from typing import Final

from lakeschema.catalog.column_types import parse_type_or_unknown, print_type
from lakeschema.catalog.relations import Dialect
from lakeschema.translation.functions.binding import find, rows_by_name
from lakeschema.translation.functions.not_callable import not_callable
from lakeschema.translation.functions.signature import Kind, Parameter
from tests.judges.functions.probe_values import columns_of


class World(Enum):
    """Where an expression may occur: over rows, over groups, next to windows, or alone."""

    ROW = "row"
    GROUPED = "grouped"
    WINDOW = "window"
    ALONE = "alone"


@dataclass(frozen=True, slots=True)
class Template:
    """``parts`` of text, with slots of the types ``slots`` between them.

    ``world`` is the world of the expression if its slots hold values of rows.
    """

    parts: tuple[str, ...]
    slots: tuple[str, ...]
    world: World

    def filled(self, texts: Sequence[str]) -> str:
        between = (*texts, "")
        return "".join(part + text for part, text in zip(self.parts, between, strict=True))


_TOKEN = re.compile(
    r"'(?:[^'\\]|\\.|'')*'|\"[^\"]*\"|`[^`]*`|[A-Za-z_]\w*|[0-9][\w.]*|.", re.DOTALL
)
_CALLED = re.compile(r"([A-Za-z_]\w*)\s*\(")
_OVER = re.compile(r"\bOVER\s*\(", re.IGNORECASE)
_ONE_PER_QUERY: Final = frozenset(
    {"window", "session_window", "window_time", "grouping", "grouping_id"}
)


def world_of(text: str, dialect: Dialect) -> World:
    called = {name.lower() for name in _CALLED.findall(text)}
    kinds = {function.kind for name in called if (function := find(name, dialect)) is not None}
    if Kind.GENERATOR in kinds or called & _ONE_PER_QUERY:
        return World.ALONE
    if _OVER.search(text):
        return World.WINDOW
    return World.GROUPED if Kind.AGGREGATE in kinds else World.ROW


def columns_in(text: str, columns: Mapping[str, str]) -> Iterator[tuple[int, int, str]]:
    """Start, end and name of each column in a text; text in quotes does not count."""
    before = ""
    for token in _TOKEN.finditer(text):
        word = token[0].lower()
        if word in columns and before != "." and not text[token.end() :].lstrip().startswith("("):
            yield token.start(), token.end(), word
        before = token[0] if token[0].strip() else before


def template_of(text: str, columns: Mapping[str, str], dialect: Dialect) -> Template:
    parts, slots, end = [], [], 0
    for start, stop, column in columns_in(text, columns):
        parts.append(text[end:start])
        slots.append(columns[column])
        end = stop
    return Template((*parts, text[end:]), tuple(slots), world_of(text, dialect))


def substituted(text: str, column: str, word: str, columns: Mapping[str, str]) -> str:
    """The text with ``word`` in place of the column."""
    for start, stop, found in reversed(list(columns_in(text, columns))):
        if found == column:
            text = text[:start] + word + text[stop:]
    return text


def all_columns(dialect: Dialect) -> Mapping[str, str]:
    """All columns of the table that expressions are grown over, with their types."""
    texts = {n: print_type(parse_type_or_unknown(t)) for n, t in columns_of(dialect).items()}
    wide = {f"{n}{s}": t for s in ("", "2", "3") for n, t in texts.items()}
    return MappingProxyType({"r": "int", **wide})


# Forms that are not calls

_SPARK_CASTS: Final = (
    *("TIMESTAMP_NTZ", "TIME(3)", "VARIANT", "INTERVAL DAY TO SECOND", "INTERVAL YEAR TO MONTH"),
    *("ARRAY<STRING>", "MAP<STRING,STRING>", "STRUCT<x:STRING,y:STRING>"),
)
_CASTS: Final = (
    *("BOOLEAN", "TINYINT", "SMALLINT", "INT", "BIGINT", "FLOAT", "DOUBLE", "DECIMAL(10,2)"),
    *("DECIMAL(38,18)", "DECIMAL(5,0)", "STRING", "CHAR(3)", "VARCHAR(4)", "BINARY", "DATE"),
    "TIMESTAMP",
)
_BOTH: Final[Mapping[str, Sequence[str]]] = MappingProxyType(
    {
        **{sign: (f"{{a}} {sign} {{b}}",) for sign in ("=", "<>", "<", ">=", "<=>")},
        **{sign: (f"{{n}} {sign} {{m}}",) for sign in ("+", "-", "*", "/", "%", "DIV")},
        **{sign: (f"{{k}} {sign} {{l}}",) for sign in ("&", "|", "^")},
        "date +": ("{da} + INTERVAL '3' DAY", "{ts} - INTERVAL '2' HOUR", "{da} - {da}"),
        "unary": ("- {n}", "~ {k}", "NOT {bo}", "+ {n}"),
        "logic": ("{bo} AND {bo}", "{bo} OR {bo}", "{bo} AND NOT {bo} OR {bo}"),
        "is": ("{any} IS NULL", "{any} IS NOT NULL", "{bo} IS TRUE", "{bo} IS NOT FALSE"),
        "distinct": ("{a} IS DISTINCT FROM {b}", "{a} IS NOT DISTINCT FROM {b}"),
        "case": (
            "CASE WHEN {bo} THEN {T} ELSE {T} END",
            "CASE WHEN {bo} THEN {T} WHEN {bo} THEN {T} END",
            "CASE {a} WHEN {b} THEN {T} ELSE {T} END",
            "CASE WHEN {bo} THEN {n} ELSE {m} END",
            "CASE WHEN {any} IS NULL THEN {T} ELSE NULL END",
        ),
        "if": ("if({bo}, {T}, {T})", "if({bo}, {n}, {m})", "if({bo}, {T}, NULL)"),
        "coalesce": ("coalesce({T}, {T}, {T})", "coalesce({n}, {m})", "nullif({a}, {b})"),
        "in": ("{a} IN ({b}, {b})", "{n} NOT IN (1, {m}, 2.5)", "{s} IN ('a', {s}, NULL)"),
        "between": ("{a} BETWEEN {b} AND {b}", "{n} NOT BETWEEN {m} AND 100"),
        "like": ("{s} LIKE {s}", "{s} NOT LIKE 'a%'", "{s} RLIKE '^[a-z]'", "{s} LIKE ANY ('a%', {s})"),
        "cast": tuple(f"CAST({{p}} AS {type_})" for type_ in _CASTS),
        "array": ("array({T}, {T})", "array({n}, {m})", "array({T}, NULL)", "array({T})[0]"),
        "map": ("map({s}, {T}, 'k', {T})", "map('a', {T}, 'b', {T})['a']", "map('a', {n}, 'b', {m})"),
        "struct": (
            "named_struct('x', {any}, 'y', {any})",
            "named_struct('x', {any}, 'y', {any}).x",
            "struct({any}, {any}).col1",
            "struct({any}, {any})",
        ),
        "field": ("{st}.x", "{st}.y", "named_struct('p', {st}).p.x"),
        "element": ("{ai}[0]", "{a_s}[{i}]", "{m}['a']", "{m}[{s}]", "array({st}).x"),
        "||": ("{s} || {s}", "{s} || {n}"),
    }
)  # fmt: skip
_OF_SPARK: Final[Mapping[str, Sequence[str]]] = MappingProxyType(
    {
        "cast": tuple(f"CAST({{p}} AS {type_})" for type_ in (*_CASTS, *_SPARK_CASTS)),
        "try_cast": tuple(f"try_cast({{p}} AS {type_})" for type_ in (*_CASTS, *_SPARK_CASTS)),
        "::": tuple(f"{{p}} :: {type_}" for type_ in _CASTS),
        "date +": (
            *("{da} + INTERVAL '3' DAY", "{ts} - INTERVAL '2' HOUR", "{da} - {da}", "{ts} - {ts}"),
            *("{da} + {dt}", "{ts} + {ym}", "{tn} - {dt}", "{dt} * {n}", "{ym} / {n}", "{dt} + {dt}"),
            *("{tm} - {tm}", "{tm} + {dt}", "{da} + {i}", "{ym} - {ym}", "- {dt}"),
        ),
        "element": (
            *("{ai}[{r}]", "{a_s}[0]", "{m}['a']", "{m}[{s}]", "{ast}.x", "{ast}[0].y", "{aai}[0][0]"),
            *("{mi}[{i}]", "{ast}.y[0]"),
        ),
        "field": ("{st}.x", "{st}.y", "named_struct('p', {st}).p.x", "{st}['x']", "{va}:a", "{va}:b[0] :: INT"),
        "like": (
            *("{s} LIKE {s}", "{s} NOT ILIKE 'a%'", "{s} RLIKE '^[a-z]'", "{s} LIKE ANY ('a%', {s})"),
            *("{s} NOT LIKE ALL ('a%', {s})", "{s} ILIKE ANY ('A%')", "{s} LIKE '%!_' ESCAPE '!'"),
        ),
        "struct": (
            *("named_struct('x', {any}, 'y', {any})", "struct({any}, {any}).col2"),
            *("struct({any} AS p, {any} AS q)", "struct({any} AS p, {any} AS q).p", "({any}, {any})"),
        ),
        "tuple in": ("({a}, {s}) IN (({b}, 'a'), ({b}, {s}))",),
        "extract": ("EXTRACT(DAY FROM {ts})", "EXTRACT(SECOND FROM {ts})", "EXTRACT(HOUR FROM {dt})"),
        "position": ("POSITION('a' IN {s})", "TRIM(BOTH 'a' FROM {s})", "OVERLAY({s} PLACING 'x' FROM 1)"),
        "sequence": ("sequence({r}, {r} + 3)", "sequence({r} - 2, 5, 1)"),
        "array_repeat": ("array_repeat({any}, r)", "array_repeat({any}, 2)"),
        "repeat": ("repeat({s}, r)", "lpad({s}, 5, {s})", "rpad({s}, r)", "space(r)"),
    }
)  # fmt: skip
_WINDOWS: Final = (
    *("row_number() OVER (PARTITION BY {bo} ORDER BY {p}, r)", "rank() OVER (ORDER BY {p})"),
    *("lag({T}) OVER (ORDER BY r)", "lag({T}, 1, {T}) OVER (ORDER BY r)"),
    *("lead({T}, 2) OVER (PARTITION BY {bo} ORDER BY r)", "count({any}) OVER (ORDER BY r)"),
    *("sum({n}) OVER (PARTITION BY {bo})", "avg({n}) OVER (ORDER BY r ROWS 1 PRECEDING)"),
    *("max({p}) OVER (PARTITION BY {bo} ORDER BY r)", "first_value({T}) OVER (ORDER BY r)"),
    *("last_value({T}) OVER (ORDER BY r ROWS BETWEEN 1 FOLLOWING AND 2 FOLLOWING)",),
    *("min({p}) OVER (ORDER BY r ROWS BETWEEN 3 PRECEDING AND 1 PRECEDING)",),
    *("ntile(3) OVER (ORDER BY r)", "collect_list({any}) OVER (PARTITION BY {bo})"),
    *("stddev({n}) OVER (ORDER BY r)", "cume_dist() OVER (PARTITION BY {bo} ORDER BY r)"),
)
_AGGREGATES: Final = (
    *("sum({n})", "avg({n})", "min({p})", "max({p})", "count({any})", "count(DISTINCT {a})"),
    *(
        "collect_list({any})",
        "collect_set({p})",
        "sum(DISTINCT {n})",
        "count(*)",
        "max(struct({p}))",
    ),
    *("stddev({n})", "var_pop({n})", "corr({n}, {m})"),
)
_AGGREGATES_OF_SPARK: Final = (
    *("sum({n}) FILTER (WHERE {bo})", "max({p}) FILTER (WHERE {bo})", "any_value({T})"),
    *(
        "first({T}) IGNORE NULLS",
        "max_by({T}, {p})",
        "listagg({s}, ',') WITHIN GROUP (ORDER BY {s})",
    ),
    *(
        "percentile_cont(0.5) WITHIN GROUP (ORDER BY {n})",
        "mode({p})",
        "bool_or({bo})",
        "median({n})",
    ),
    *("count(*) FILTER (WHERE {bo})", "try_sum({n})", "try_avg({n})", "array_agg({T})"),
)

_NUMBERS: Final = (
    "tinyint",
    "smallint",
    "int",
    "bigint",
    "float",
    "double",
    "decimal(10,2)",
    "decimal(38,18)",
)
_WHOLE: Final = ("tinyint", "smallint", "int", "bigint")
_SIMPLE: Final = (*_NUMBERS, "boolean", "string", "binary", "date", "timestamp")
_MORE: Final = (
    *("timestamp_ntz", "interval day to second", "interval year to month", "time", "time(3)"),
)


def forms(dialect: Dialect) -> Mapping[str, Sequence[str]]:
    """Forms that are not calls: a name for each → texts with the names of types in braces."""
    if dialect is Dialect.SPARK:
        aggregates = (*_AGGREGATES, *_AGGREGATES_OF_SPARK)
        return {**_BOTH, **_OF_SPARK, "aggregate": aggregates, "window": _WINDOWS}
    return {**_BOTH, "aggregate": _AGGREGATES, "window": _WINDOWS, "repeat": _OF_SPARK["repeat"]}


_HOLE = re.compile(r"\{(\w+)\}")


def form_template(form: str, dialect: Dialect, types: Sequence[str], random: Random) -> Template:
    """A form with types for its slots; expressions of ``types`` are at hand.

    ``T`` is one type for all its slots, ``any`` any type; ``a`` and ``b`` are comparable, ``n`` and ``m``
    numbers, ``k`` and ``l`` whole numbers, ``p`` has no parts; any other name is a column's.
    """
    simple = _SIMPLE + (_MORE if dialect is Dialect.SPARK else ())
    a = random.choice(simple)
    group = (
        _NUMBERS if a in _NUMBERS else ("string", "date", "timestamp") if a != "boolean" else (a,)
    )
    wanted = {"T": random.choice(types), "a": a}
    columns = all_columns(dialect)
    pieces = _HOLE.split(form)
    slots = []
    for hole in pieces[1::2]:
        match hole:
            case "any":
                slots.append(random.choice(types))
            case "b":
                slots.append(a if random.random() < 0.6 or a in _MORE else random.choice(group))
            case "n" | "m":
                decimals = [t for t in types if t.startswith("decimal")]
                slots.append(random.choice((*_NUMBERS, *decimals[:8])))
            case "k" | "l":
                slots.append(random.choice(_WHOLE))
            case "p":
                slots.append(random.choice(simple))
            case _ if hole in wanted:
                slots.append(wanted[hole])
            case _:
                slots.append(columns[hole])
    text = "".join(pieces[::2])
    return Template(tuple(pieces[::2]), tuple(slots), world_of(text, dialect))


# Calls made from a row of the tables

_CLASSES: Final[Mapping[str, Sequence[str]]] = MappingProxyType(
    {
        "string": ("string", "string", "string", "int", "date"),
        "double": ("double", "float", "int", "decimal(10,2)"),
        "measured": ("double", "int"),
        **dict.fromkeys(("number", "numeric"), _NUMBERS),
        **dict.fromkeys(("integer", "bigint"), ("bigint", "int", "smallint", "tinyint")),
        "int": ("int", "int", "smallint", "tinyint"),
        "boolean": ("boolean",),
        "date": ("date", "date", "timestamp", "string"),
        "timestamp": ("timestamp", "date", "timestamp", "string"),
        "binary": ("binary", "string"),
        "text_or_binary": ("string", "binary"),
        "compared": _SIMPLE,
        "time": ("time", "time(3)"),
        "moment": ("timestamp", "time"),
        "variant": ("variant",),
        "array<float>": ("array<float>",),
        "decimal(18,6)": ("decimal(10,2)", "int"),
        "shape": ("geometry(0)",),
    }
)
_BOUNDED: Final = frozenset(
    {"sequence", "repeat", "space", "lpad", "rpad", "array_repeat", "randstr", "replicate_rows"}
)
"""Functions whose result is as large as a number says; they get small numbers, from the forms above."""


def callable_names(dialect: Dialect) -> Sequence[str]:
    """All functions of the table that a view can call, except operators, which have forms."""
    names = rows_by_name(dialect)
    left_out = not_callable(dialect) | {"and", "or", "not", "between", "in", "div"}
    return sorted({name for name in names if name.isidentifier() and name not in left_out})


def is_bounded(name: str) -> bool:
    return name in _BOUNDED


def row_template(
    name: str, dialect: Dialect, types: Sequence[str], random: Random
) -> Template | None:
    """A call whose arguments have types that the row allows; None without such a row."""
    function = find(name, dialect)
    if function is None or name in _BOUNDED or not function.parameters:
        return None
    needed = sum(not p.optional for p in function.parameters)
    chosen = list(function.parameters[: random.randint(needed, len(function.parameters))])
    if chosen and chosen[-1].variadic:
        chosen += [chosen[-1]] * random.randint(0, 2)
    if not chosen:
        return None
    variables = {letter: random.choice(types) for letter in "TKV"}
    slots: list[str] = []
    for parameter in chosen:
        slots.append(_slot(parameter, slots, variables, types, random))
    parts = (f"{name}(", *([", "] * (len(slots) - 1)), ")")
    over = " OVER (ORDER BY r)" if function.kind is Kind.WINDOW else ""
    return Template(
        (*parts[:-1], f"){over}"), tuple(slots), world_of("".join(parts) + over, dialect)
    )


def _slot(
    parameter: Parameter,
    before: Sequence[str],
    variables: Mapping[str, str],
    types: Sequence[str],
    random: Random,
) -> str:
    pattern = parameter.pattern
    if pattern in _CLASSES:
        return random.choice(_CLASSES[pattern])
    if pattern in variables:
        return variables[pattern]
    if pattern == "any" and before and random.random() < 0.6:
        # A type that a table leaves open is mostly an array's element, a map's key, or the same again.
        inner = re.fullmatch(r"(?:array|map)<(.*?)(?:,.*)?>", before[0])
        kin = [before[0], *([inner[1]] if inner and inner[1] in types else [])]
        return random.choice(kin)
    prefix = {"array": ("array<",), "map<K": ("map<",), "colle": ("map<", "array<")}.get(
        pattern[:5], ("",)
    )
    found = [type_ for type_ in types if type_.startswith(prefix)]
    return random.choice(found or list(types))
