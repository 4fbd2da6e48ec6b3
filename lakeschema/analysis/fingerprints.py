"""Gives texts the same fingerprint if they differ only in literals that do not matter.

A log of a million statements has some ten thousand fingerprints. All statements with one
fingerprint have the same effect.
"""

from __future__ import annotations

import re
from functools import cache
from typing import Final

from lakeschema.analysis.syntax.dialects import StatementGrammar
from lakeschema.analysis.syntax.lexing import BACKSLASHED, PLAIN, statement_tokens
from lakeschema.translation.model.errors import TranslationError
from lakeschema.translation.syntax.lexing import NUMBER, STRING, Token

_NEVER: Final = re.compile(r"\$|\{\{|@|identifier\s*\(|_partitions?_", re.IGNORECASE)
"""Matches texts that are never shortened: a literal in them may be a name, or a name a literal."""
_LISTED: Final = frozenset({"WHERE", "ON", "HAVING", "QUALIFY", "VALUES"})
_NAMED: Final = frozenset(
    {
        *("GROUP", "ORDER", "FROM", "PARTITION", "LIMIT", "USING", "JOIN", "LATERAL"),
        *("PIVOT", "UNPIVOT", "INTO", "SET", "WINDOW", "CLONE", "LOCATION", "DIRECTORY"),
    }
)
_ARGUMENTS: Final = "arguments"
"""The name for the part of a SELECT list inside parentheses."""
MAX_SHAPES: Final = 100_000
_MAX_CHARACTERS: Final = 100_000


class Fingerprints:
    """Makes fingerprints. Remembers for each shape of a text which literals matter."""

    def __init__(self) -> None:
        self._kept: dict[tuple[int, str], tuple[bool, ...] | None] = {}

    def of(self, sql: str, grammar: StatementGrammar) -> tuple[str, ...]:
        """A key for a text. Texts with equal keys have the same effect on the same tables."""
        if len(sql) > _MAX_CHARACTERS or _NEVER.search(sql):
            return (sql,)
        literals: list[str] = []

        def without(found: re.Match[str]) -> str:
            if found.lastgroup in {None, "unclosed"}:
                return found[0]
            literals.append(found[0])
            return "?"

        pattern = _literals(grammar.backslash_escapes, grammar.double_quotes_name)
        shape = pattern.sub(without, sql)
        key = (id(grammar), shape)
        if key not in self._kept:
            if len(self._kept) >= MAX_SHAPES:
                self._kept.clear()
            self._kept[key] = _kept(sql, grammar, len(literals))
        kept = self._kept[key]
        if kept is None:
            return (sql,)
        return (shape, *(text for text, keep in zip(literals, kept, strict=True) if keep))


@cache
def _literals(backslashes: bool, quotes_name: bool) -> re.Pattern[str]:
    """A pattern with one group for literals.

    It also matches tokens that may contain quotation marks.
    """
    inner = BACKSLASHED if backslashes else PLAIN
    double = "" if quotes_name else "(?P<double>)"
    return re.compile(
        rf"""
          (?P<string>'{inner.format(q="'")}')
        | "{inner.format(q='"')}"{double}
        | `(?:[^`]|``)*`
        | --[^\n]*
        | /\*.*?\*/
        | (?P<unclosed>(?:['"`]|/\*).*)
        | (?<![\w.])(?P<number>(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?)(?![\w.])
        """,
        re.VERBOSE | re.DOTALL,
    )


def _kept(sql: str, grammar: StatementGrammar, count: int) -> tuple[bool, ...] | None:
    """Whether each literal matters; None if the tokens do not match the literals."""
    try:
        tokens = statement_tokens(sql, grammar)
    except TranslationError:
        return None
    places = [place for place, token in enumerate(tokens) if token.kind in (STRING, NUMBER)]
    if len(places) != count:
        return None
    needless = _needless(tokens)
    return tuple(place not in needless for place in places)


def _needless(tokens: list[Token]) -> set[int]:
    """The places of tokens that do not matter if they are literals.

    Such literals are in conditions, in VALUES, and in items with an alias. Elsewhere a literal may
    be a name, a position, or part of the name of a column without an alias.
    """
    found: set[int] = set()
    clauses = [""]
    items: list[list[int]] = [[]]
    for place, token in enumerate(tokens):
        word = token.word
        clause = clauses[-1]
        if word == "(":
            clauses.append(_ARGUMENTS if clause == "SELECT" else clause)
            items.append([])
        elif word == ")" and len(clauses) > 1:
            inner = items.pop()
            if clauses.pop() == _ARGUMENTS:
                items[-1] += inner
        elif word == "SELECT" or word in _LISTED or word in _NAMED or word == ";":
            clauses[-1] = word
            items[-1] = []
        elif word == "," and clause == "SELECT":
            items[-1] = []
        elif word == "AS" and clause == "SELECT":
            found.update(items[-1])
            items[-1] = []
        elif token.kind in (STRING, NUMBER):
            if clause in _LISTED:
                found.add(place)
            else:
                items[-1].append(place)
    return found
