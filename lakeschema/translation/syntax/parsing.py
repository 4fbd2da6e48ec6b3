"""Query text → raw tree. With its neighbours in this package, the only importer of sqlglot.

Every failure is a ``TranslationError`` with a position where one is known; RecursionError never
leaves this module.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from types import MappingProxyType
from typing import ClassVar

from sqlglot.dialects.dialect import Dialect as SqlglotDialect
from sqlglot.dialects.hive import Hive
from sqlglot.dialects.spark import Spark
from sqlglot.errors import ParseError, TokenError
from sqlglot.expressions import Expr
from sqlglot.tokenizer_core import Token

from lakeschema.catalog.relations import Dialect
from lakeschema.translation.errors import MalformedSql, Position, TooLarge, UnsupportedConstruct
from lakeschema.translation.syntax import tree
from lakeschema.translation.syntax.queries import query_of
from lakeschema.translation.syntax.spark_casts import fold_casts
from lakeschema.translation.syntax.spark_intervals import fold_intervals
from lakeschema.translation.syntax.tokens import (
    check_nesting,
    join_doubled_quotes,
    keep_escapes,
    position_of,
    prepare,
)

MAX_REMEMBERED_QUERIES = 32
MAX_REMEMBERED_CHARACTERS = 8_000
"""A tree takes up to 600 bytes for a character of its text; a longer text is parsed each time."""


class _Hive4(Hive):
    """Nulls come last in an ascending order since Hive 3; sqlglot's Hive is the older one."""

    NULL_ORDERING = "nulls_are_large"


class _SparkOfStandard(Spark):
    """``"a"`` is a name, as the SQL standard has it."""

    class Tokenizer(Spark.Tokenizer):
        QUOTES: ClassVar[list[str | tuple[str, str]]] = ["'"]
        IDENTIFIERS: ClassVar[list[str | tuple[str, str]]] = ["`", '"']


_DIALECTS: Mapping[Dialect, SqlglotDialect] = MappingProxyType(
    {Dialect.HIVE: _Hive4(), Dialect.SPARK: Spark()}
)
_SPARK_OF_STANDARD = _SparkOfStandard()


@dataclass(frozen=True, slots=True)
class Spelling:
    """How quotation marks and escapes are read, where a Spark view recorded a setting of that.

    Attributes:
        quoted_names: text in double quotation marks is a name.
        keeps_escapes: a backslash in a string is one, whatever follows it.
        parts_strings: ``'it''s'`` is two strings beside each other.
    """

    quoted_names: bool = False
    keeps_escapes: bool = False
    parts_strings: bool = False


USUAL = Spelling()


def parse_query(
    sql: str, dialect: Dialect, max_bytes: int = 1_000_000, spelling: Spelling = USUAL
) -> tree.Query:
    """The raw tree of one query; recent short texts are parsed once.

    A view's text is asked for its upstreams first and for its plan soon after.

    Raises:
        MalformedSql: the text is not a query, with position and hint.
        TooLarge: longer than ``max_bytes`` in UTF-8, or nested too deep.
        UnsupportedConstruct: syntax that is understood by the engine but not by us.
    """
    size = len(sql.encode("utf-8", "surrogatepass"))
    if size > max_bytes:
        raise TooLarge(
            f"the query has {size} bytes, more than the {max_bytes} allowed",
            hint="raise max_sql_bytes",
        )
    parse = _parse if len(sql) > MAX_REMEMBERED_CHARACTERS else _remembered
    return parse(sql, dialect, spelling)


def _parse(sql: str, dialect: Dialect, spelling: Spelling) -> tree.Query:
    sqlglot_dialect = _SPARK_OF_STANDARD if spelling.quoted_names else _DIALECTS.get(dialect)
    if sqlglot_dialect is None:
        raise UnsupportedConstruct(f"a view in the {dialect.value} dialect")
    tokens = _tokenize(sql, sqlglot_dialect)
    if spelling.keeps_escapes:
        tokens = keep_escapes(tokens, sql)
    if dialect is Dialect.SPARK and not spelling.parts_strings:
        tokens = join_doubled_quotes(tokens, sql)
    check_nesting(tokens)
    marked, casts = prepare(tokens, sql)
    if dialect is Dialect.SPARK:
        marked, casts = fold_casts(fold_intervals(marked), sql, casts)
    try:
        statement = _parse_tokens(marked, sql, sqlglot_dialect)
        return query_of(statement, tuple(casts))
    except RecursionError:
        raise TooLarge(
            "the query is nested too deeply", hint="split the view into views of its parts"
        ) from None


_remembered = lru_cache(MAX_REMEMBERED_QUERIES)(_parse)


def _tokenize(sql: str, dialect: SqlglotDialect) -> list[Token]:
    try:
        return dialect.tokenize(sql)
    except TokenError as error:
        raise MalformedSql(
            "the text cannot be divided into tokens",
            position=_last_position(sql),
            hint="a quotation mark or a comment may not be closed",
        ) from error


def _parse_tokens(tokens: list[Token], sql: str, dialect: SqlglotDialect) -> Expr:
    try:
        statements = [s for s in dialect.parser().parse(tokens, sql) if s is not None]
    except ParseError as error:
        raise _malformed(error, tokens) from error
    except (ValueError, TypeError, AttributeError, IndexError, KeyError) as error:
        # The parser trips over some malformed text instead of refusing it.
        raise MalformedSql(
            "the text cannot be read as a query", hint="check the query in its own engine"
        ) from error
    if len(statements) != 1:
        what = "no statement" if not statements else "more than one statement"
        raise MalformedSql(f"the text has {what}", hint="a view's text is one query")
    return statements[0]


def _malformed(error: ParseError, tokens: list[Token]) -> MalformedSql:
    first = error.errors[0] if error.errors else {}
    near = str(first.get("highlight") or "").strip("\x01\x02\x03")
    line, column = first.get("line"), first.get("col")
    at_end = not tokens or (tokens[-1].line, tokens[-1].col) == (line, column)
    where = "at its end" if at_end or not near else f"near {near[:60]!r}"
    position = Position(line, max(1, column - len(near) + 1)) if line and column else None
    return MalformedSql(
        f"the query cannot be parsed {where}: {_shorten(str(first.get('description') or ''))}",
        position=position or (position_of(tokens[-1]) if tokens else None),
        hint="check the query in its own engine; keywords used as names need back-ticks",
    )


def _shorten(description: str) -> str:
    text = description.partition(" but got <Token")[0].replace("\x01", "").replace("\x02", "")
    return (text[:1].lower() + text[1:])[:200] or "unexpected text"


def _last_position(sql: str) -> Position:
    lines = sql.split("\n")
    return Position(len(lines), len(lines[-1]) + 1)
