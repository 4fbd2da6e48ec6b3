"""Parses query text into a raw tree.

Every failure is a ``TranslationError``, with a position if known. RecursionError never leaves this
module.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache, lru_cache

from lakeschema.catalog.relations import Dialect
from lakeschema.translation.model.errors import TooLarge
from lakeschema.translation.syntax import tree
from lakeschema.translation.syntax.grammars import GRAMMARS, Grammar
from lakeschema.translation.syntax.pipes import Pipes
from lakeschema.translation.syntax.trino import TrinoQueries

MAX_REMEMBERED_QUERIES = 32
MAX_REMEMBERED_CHARACTERS = 8_000
"""Longer texts are not cached: a tree takes up to 600 bytes for each character."""


@dataclass(frozen=True, slots=True)
class Spelling:
    """Settings for reading quotation marks and escapes, which Spark views record.

    Attributes:
        quoted_names: text in double quotes is a name.
        keeps_escapes: a backslash in a string is an ordinary character.
        parts_strings: ``'it''s'`` is two adjacent strings.
        left_to_right: whether INTERSECT is as strong as UNION and EXCEPT.
        nulls_are_small: Hive's orders treat nulls as smaller than all values, as before Hive 3.
    """

    quoted_names: bool = False
    keeps_escapes: bool = False
    parts_strings: bool = False
    left_to_right: bool = False
    nulls_are_small: bool = False


USUAL = Spelling()


def parse_query(
    sql: str, dialect: Dialect, max_bytes: int = 1_000_000, spelling: Spelling = USUAL
) -> tree.Query:
    """The raw tree of one query; recent short texts are cached.

    Callers parse a view's text for its upstreams, and soon after for its plan.

    Raises:
        MalformedSql: the text is not a query, with position and hint.
        TooLarge: longer than ``max_bytes`` in UTF-8, or nested too deep.
        UnsupportedConstruct: the engine understands the syntax, but this grammar does not.
    """
    size = len(sql.encode("utf-8", "surrogatepass"))
    if size > max_bytes:
        raise TooLarge(
            f"the query has {size} bytes, more than the {max_bytes} allowed",
            hint="raise max_sql_bytes",
        )
    parse = _parse if len(sql) > MAX_REMEMBERED_CHARACTERS else _remembered
    return parse(sql, dialect, spelling)


def parse_body(sql: str, spelling: Spelling = USUAL) -> tree.Expression:
    """The raw tree of a Spark SQL function's body after RETURN; a query becomes a sub-query.

    Raises:
        MalformedSql, TooLarge, UnsupportedConstruct: as in ``parse_query``.
    """
    if len(sql) > MAX_REMEMBERED_CHARACTERS:
        return _parse_body(sql, spelling)
    return _remembered_body(sql, spelling)


def _parse_body(sql: str, spelling: Spelling) -> tree.Expression:
    try:
        return Pipes(sql, _grammar(Dialect.SPARK, spelling)).body()
    except RecursionError:
        raise TooLarge("the body of a function is nested too deeply") from None


_remembered_body = lru_cache(MAX_REMEMBERED_QUERIES)(_parse_body)


def _parse(sql: str, dialect: Dialect, spelling: Spelling) -> tree.Query:
    grammar = _grammar(dialect, spelling)
    parser = TrinoQueries if dialect is Dialect.TRINO else Pipes
    try:
        return parser(sql, grammar).whole()
    except RecursionError:
        raise TooLarge(
            "the query is nested too deeply", hint="split the view into views of its parts"
        ) from None


_remembered = lru_cache(MAX_REMEMBERED_QUERIES)(_parse)


@cache
def _grammar(dialect: Dialect, spelling: Spelling) -> Grammar:
    grammar = GRAMMARS[dialect]
    if dialect is Dialect.TRINO:
        return grammar
    return replace(
        grammar,
        doubled_quotes=grammar.doubled_quotes and not spelling.parts_strings,
        intersect_first=grammar.intersect_first and not spelling.left_to_right,
        keeps_escapes=spelling.keeps_escapes,
        double_quotes_name=spelling.quoted_names,
        nulls_are_large=grammar.nulls_are_large and not spelling.nulls_are_small,
    )
