"""Differences between the dialects' grammars: quotes, and precedence of operators."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

from lakeschema.catalog.relations import Dialect

OR, AND, NOT, IS = 1, 2, 3, 4
"""Precedences that the dialects share: a higher one binds more tightly."""


@dataclass(frozen=True, slots=True)
class Grammar:
    """One dialect's grammar.

    Attributes:
        infix: for each binary operator, by symbol or word, its strength and its name in the tree; all
            associate to the left.
        test: the strength of LIKE, IN and BETWEEN.
        unary: the strength of ``-``, ``+`` and ``~`` before an operand.
        doubled_quotes: a doubled quote in a string is one quote.
        intersect_first: INTERSECT is stronger than UNION and EXCEPT.
        nulls_are_large: by default an order treats nulls as greater than all values.
        sums_intervals: ``INTERVAL 3 DAY 1 SECOND`` is one literal.
        keeps_escapes: a backslash in a string is an ordinary character.
        double_quotes_name: ``"x"`` is a name, not a string.
        text_before_characters: TRIM's function takes the text first, then the characters to trim.
        bare_intervals: ``1 DAY`` is an interval.
        points_are_decimals: ``1.50BD`` means what ``1.50`` does.
        bars_pipe: ``|`` before the word of a pipe operator is ``|>``.
        quantified_queries: ``x > ALL (SELECT …)``.
        nulls_last: by default an order puts nulls last, whether ascending or descending.
        keywords_name: no keyword is reserved; ``SELECT end FROM t`` reads a column.
        no_alias: words that need back-ticks to be an alias without AS, because they can continue a
            query.
        no_column_alias: like ``no_alias``, for aliases of columns.
        own_functions: qualifiers that always mean the engine's own functions.
    """

    infix: Mapping[str, tuple[int, str]]
    test: int
    unary: int
    doubled_quotes: bool
    intersect_first: bool
    nulls_are_large: bool
    sums_intervals: bool = False
    keeps_escapes: bool = False
    double_quotes_name: bool = False
    text_before_characters: bool = False
    bare_intervals: bool = False
    points_are_decimals: bool = False
    bars_pipe: bool = False
    quantified_queries: bool = False
    nulls_last: bool = False
    keywords_name: bool = False
    no_alias: frozenset[str] = frozenset()
    no_column_alias: frozenset[str] = frozenset()
    own_functions: frozenset[tuple[str, ...]] = frozenset()


_JOINING: Final = frozenset(
    {
        *("ANTI", "CROSS", "EXCEPT", "FULL", "INNER", "INTERSECT", "JOIN", "LATERAL", "LEFT"),
        *("MINUS", "NATURAL", "ON", "RIGHT", "SEMI", "UNION", "USING"),
    }
)
"""Spark's strictNonReserved words: they need back-ticks as names of tables."""

_RESERVED: Final = frozenset(
    {
        *("AND", "AS", "BETWEEN", "CROSS", "DIV", "ELSE", "END", "EXCEPT", "FOR", "FROM", "FULL"),
        *("GROUP", "HAVING", "IN", "INNER", "INSERT", "INTERSECT", "IS", "JOIN", "LATERAL", "LEFT"),
        *("LIKE", "MINUS", "NOT", "ON", "OR", "ORDER", "QUALIFY", "RANGE", "REGEXP", "RIGHT"),
        *("RLIKE", "ROWS", "SELECT", "SET", "TABLESAMPLE", "THEN", "UNION", "USING", "WHEN"),
        *("WHERE", "WINDOW", "WITH"),
    }
)
"""The words that continue a query and that Hive 4.0.1 reserves."""

_NAMES: Final = {"==": "=", "!=": "<>", "!>": "<=", "!<": ">="}


def _levels(lowest: int, *levels: str) -> Mapping[str, tuple[int, str]]:
    """Precedence levels from weak to strong; one text has the operators of equal strength."""
    return MappingProxyType(
        {
            symbol: (strength, _NAMES.get(symbol, symbol.lower()))
            for strength, level in enumerate(levels, lowest)
            for symbol in level.split()
        }
    )


GRAMMARS: Final[Mapping[Dialect, Grammar]] = MappingProxyType(
    {
        # SqlBaseParser.g4, valueExpression: an operand of a test may itself be a comparison.
        Dialect.SPARK: Grammar(
            _levels(
                *(5, "= == <> != < <= > >= <=> !> !<", "|", "^", "&", "<< >> >>>", "+ - ||"),
                "* / % DIV",
            ),
            test=4,
            unary=12,
            doubled_quotes=True,
            intersect_first=True,
            nulls_are_large=False,
            sums_intervals=True,
            bars_pipe=True,
            keywords_name=True,
            no_alias=_JOINING,
            own_functions=frozenset({("builtin",), ("system", "builtin")}),
        ),
        # IdentifiersParser.g, the chain of precedence…Expression; checked with Hive 4.0.1.
        Dialect.HIVE: Grammar(
            _levels(
                *(5, "= == <> != <=>", "< <= > >=", "|", "&", "||", "+ -", "* / % DIV", "^"),
            ),
            test=6,
            unary=13,
            doubled_quotes=False,
            intersect_first=False,
            # Since Hive 3.
            nulls_are_large=True,
            text_before_characters=True,
            bare_intervals=True,
            points_are_decimals=True,
            quantified_queries=True,
            no_alias=_RESERVED,
            no_column_alias=_RESERVED,
        ),
        # SqlBase.g4, valueExpression and predicate.
        Dialect.TRINO: Grammar(
            _levels(5, "= <> != < <= > >=", "||", "+ -", "* / %"),
            test=5,
            unary=9,
            doubled_quotes=True,
            intersect_first=True,
            nulls_are_large=False,
            keeps_escapes=True,
            double_quotes_name=True,
            text_before_characters=True,
            quantified_queries=True,
            nulls_last=True,
        ),
    }
)
