"""Lays out SQL for readers: a line for each clause, column and condition.

Only the white space between tokens changes. Where two tokens touch, no white space is added, except next
to a bracket and after a comma. So the text means the same in Hive, Spark and Trino.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

MAX_LAID_OUT: Final = 20_000
"""The maximum number of characters; longer texts stay as they are."""

_INDENT: Final = "  "
_JOIN_WORDS: Final = frozenset(
    {"JOIN", "LEFT", "RIGHT", "FULL", "INNER", "CROSS", "OUTER", "SEMI", "ANTI", "NATURAL"}
)
_CLAUSES: Final = frozenset(
    {"SELECT", "FROM", "WHERE", "GROUP", "HAVING", "ORDER", "LIMIT", "UNION", "EXCEPT"}
    | {"INTERSECT", "WITH", "WINDOW", "QUALIFY", "LATERAL"}
)
_CONDITIONS: Final = frozenset({"AND", "OR"})
_BLANK: Final = " "

_PIECE: Final = (
    r"(?P<space>[ \t\r\n]+)|(?P<line>--[^\r\n]*)|(?P<comment>/\*.*?\*/)"
    r"|'(?:{0})*'|\"(?:{1})*\"|`[^`]*`|(?P<open>['\"`]|/\*)|(?P<word>\w+)|."
)
"""A string with a doubled quote becomes two tokens with no space between them."""
_TRINO: Final = re.compile(_PIECE.format("[^']", '[^"]'), re.DOTALL)
_HIVE_AND_SPARK: Final = re.compile(_PIECE.format(r"[^'\\]|\\.", r'[^"\\]|\\.'), re.DOTALL)


class _Token(NamedTuple):
    """A piece of a text. ``word`` is the piece in upper case if it may be a keyword, else ""."""

    text: str
    word: str
    ends_line: bool = False


class _Unclear(Exception):
    """Raised if the engines read the text in different ways, or if it is not SQL."""


def lay_out_sql(text: str) -> str:
    """The text in several lines, unchanged if its lines begin with its clauses already."""
    if len(text) > MAX_LAID_OUT:
        return text
    try:
        tokens = _tokens(text.strip(), _TRINO)
        if tokens != _tokens(text.strip(), _HIVE_AND_SPARK):
            return text
    except _Unclear:
        return text
    layout = _Layout(tokens)
    laid_out = "".join(layout.pieces())
    return laid_out if layout.broke_clause else text


def _tokens(text: str, language: re.Pattern[str]) -> list[_Token]:
    """The tokens and the white space between them.

    Raises:
        _Unclear: a quote or comment does not end, or engines read a comment differently.
    """
    found = []
    for each in language.finditer(text):
        piece = each[0]
        if each["open"] or (each["comment"] and "/*" in piece[2:]):
            # A quote without an end; Spark nests comments, other engines do not.
            raise _Unclear
        if each["line"] and piece.endswith("\\"):
            # Spark continues such a comment on the next line.
            raise _Unclear
        found.append(_Token(piece, (each["word"] or "").upper(), bool(each["line"])))
    return found


class _Layout:
    """Splits tokens into lines.

    ``broke_clause`` becomes true if a clause began in the middle of a line of the text. ``_levels``
    says for each open bracket whether a query is inside it.
    """

    def __init__(self, tokens: Sequence[_Token]) -> None:
        self.broke_clause = False
        self._tokens = tokens
        self._levels = [True]
        self._clause = ""
        self._clauses: list[str] = []
        self._between = False

    def pieces(self) -> Iterator[str]:
        previous = _Token("", "")
        line = space = ""
        for place, token in enumerate(self._tokens):
            if token.text.isspace():
                space = token.text
                continue
            is_first = bool({"\n", "\r"} & {*space})
            is_apart = bool(space) or previous.text in {"", "(", ")"}
            if token.text == ")":
                line = self._close() or line
            elif is_apart and self._begins_line(place, token.word):
                line = self._line(token.word)
                self.broke_clause |= bool(previous.text) and not is_first
            elif token.text.startswith(("--", "/*")):
                # A comment stays next to the token that it follows.
                line = self._line(",") if is_first else ""
            yield (line if previous.text else "") or (_BLANK if space else "")
            yield token.text
            line = self._line(",") if token.ends_line else ""
            space = ""
            if token.text == "(":
                self._open(place)
            elif token.text == "," and self._levels[-1] and self._clause in {"SELECT", "WITH"}:
                line = self._line(",")
            previous = token

    def _begins_line(self, place: int, word: str) -> bool:
        if not self._levels[-1]:
            return False
        if word in _JOIN_WORDS:
            return self._word_before(place) not in _JOIN_WORDS and self._joins(place)
        if word in _CLAUSES:
            if word == "FROM" and self._word_before(place) == "DISTINCT":
                return False
            self._clause = word
            return self._word_before(place) not in {"UNION", "WITHIN"} or word == "SELECT"
        if word == "BETWEEN":
            self._between = True
        if word == "AND" and self._between:
            self._between = False
            return False
        return word in _CONDITIONS and self._clause in {"WHERE", "HAVING", "QUALIFY"}

    def _joins(self, place: int) -> bool:
        """Whether the words from here on end in JOIN; ``left`` may also be a function."""
        for token in self._tokens[place : place + 8]:
            if token.word == "JOIN":
                return True
            if not token.text.isspace() and token.word not in _JOIN_WORDS:
                return False
        return False

    def _word_before(self, place: int) -> str:
        for token in reversed(self._tokens[max(0, place - 2) : place]):
            if not token.text.isspace():
                return token.word
        return ""

    def _open(self, place: int) -> None:
        following = (t.word for t in self._tokens[place + 1 : place + 3] if not t.text.isspace())
        self._clauses.append(self._clause)
        self._levels.append(next(following, "") in {"SELECT", "WITH"})

    def _close(self) -> str:
        """The line that ends a query in brackets, or ""."""
        if len(self._levels) == 1:
            return ""
        was_query = self._levels.pop()
        self._clause = self._clauses.pop()
        return self._line(",") if was_query else ""

    def _line(self, word: str) -> str:
        inside = word == "," or word in _CONDITIONS or word in _JOIN_WORDS
        return "\n" + _INDENT * (2 * (sum(self._levels) - 1) + inside)
