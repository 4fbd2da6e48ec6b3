"""Text → tokens, by each dialect's own rules for quotes, escapes, numbers and comments.

Sources: Spark's ``SqlBaseLexer.g4`` and ``unescapeSQLString``; Hive's ``HiveLexerParent.g`` and its
``BaseSemanticAnalyzer.unescapeSQLString``.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

from lakeschema.translation.errors import MalformedSql, Position
from lakeschema.translation.syntax.grammars import Grammar

WORD, QUOTED, STRING, NUMBER, HEXADECIMAL, SYMBOL, END = range(7)
"""Kinds of tokens."""


@dataclass(slots=True)
class Token:
    """``word``: an unquoted word in upper case, or a symbol; empty for all others.

    Attributes:
        text: a word as written; a quoted name, a string or hexadecimal digits without their quotes.
        start: offset of its first character; ``end`` is behind its last.
    """

    kind: int
    text: str
    word: str
    start: int
    end: int


_TOKEN: Final = re.compile(
    r"""
    (?>(?:\s+|--(?:\\\n|[^\n])*)*)
    (?:
      (?P<end>\Z)
    | (?P<comment>/\*)
    | (?P<raw>[rR](?:'[^']*'|"[^"]*"))
    | (?P<hexadecimal>[xX](?:'[0-9A-Fa-f\s]*'|"[0-9A-Fa-f\s]*"))
    | (?P<number>(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?(?:BD|bd|Bd|bD|[LlSsYyDdFf])?(?![\w]))
    | (?P<word>\w+)
    | (?P<string>'[^'\\]*(?:\\.[^'\\]*)*')
    | (?P<double>"[^"\\]*(?:\\.[^"\\]*)*")
    | (?P<quoted>`(?:[^`]|``)*`)
    | (?P<symbol><=>|\|>|\|\||->|=>|::|<=|>=|<>|!=|==|!>|!<|[-+*/%~&|^<>=!(),.\[\]:;?{}@$\#\\])
    )
    """,
    re.VERBOSE | re.DOTALL,
)
_BLANK: Final = re.compile(r"(?:\s+|--(?:\\\n|[^\n])*)*")
_ESCAPE: Final = re.compile(
    r"\\(?:u([0-9A-Fa-f]{4})|U([0-9A-Fa-f]{8})|([01][0-7]{2})|(.))", re.DOTALL
)
_ESCAPES: Final[Mapping[str, str]] = MappingProxyType(
    {
        "0": "\0", "b": "\b", "n": "\n", "r": "\r", "t": "\t", "Z": "\x1a",
        # LIKE reads these two itself.
        "%": "\\%", "_": "\\_",
    }
)  # fmt: skip


def tokens_of(sql: str, grammar: Grammar) -> list[Token]:
    """All tokens, the last of kind ``END``.

    Raises:
        MalformedSql: a quotation mark or comment that is not closed, or a character of no token.
    """
    found: list[Token] = []
    at, length, match = 0, len(sql), _TOKEN.match
    while (matched := match(sql, at)) is not None:
        group = matched.lastgroup
        assert group is not None
        start, end = matched.span(group)
        if group == "word":
            text = matched[group]
            found.append(Token(WORD, text, text.upper(), start, end))
        elif group == "symbol":
            text = matched[group]
            found.append(Token(SYMBOL, text, text, start, end))
        elif group == "number":
            found.append(Token(NUMBER, matched[group], "", start, end))
        elif group == "quoted":
            found.append(Token(QUOTED, matched[group][1:-1].replace("``", "`"), "", start, end))
        elif group == "comment":
            end = _past_comment(sql, start)
        elif group == "end":
            found.append(Token(END, "", "", length, length))
            return found
        else:
            found.append(_quoted(group, matched[group], start, end, grammar))
            if grammar.doubled_quotes:
                _join_doubled(found, sql, "" if not grammar.keeps_escapes else sql[start])
        at = end
    blank = _BLANK.match(sql, at)
    raise _unreadable(sql, at if blank is None else blank.end())


def _quoted(group: str, text: str, start: int, end: int, grammar: Grammar) -> Token:
    if group == "raw":
        return Token(STRING, text[2:-1], "", start, end)
    if group == "hexadecimal":
        return Token(HEXADECIMAL, "".join(text[2:-1].split()), "", start, end)
    if group == "double" and grammar.double_quotes_name:
        return Token(QUOTED, text[1:-1], "", start, end)
    inner = text[1:-1]
    escaped = "\\" in inner and not grammar.keeps_escapes
    return Token(STRING, unescape(inner) if escaped else inner, "", start, end)


def unescape(text: str) -> str:
    """What a string's inner text means, its backslashes resolved as both engines do."""
    return _ESCAPE.sub(_unescaped, text)


def _unescaped(found: re.Match[str]) -> str:
    short, long, octal, other = found.groups()
    if other is not None:
        return _ESCAPES.get(other, other)
    code = int(octal, 8) if octal else int(short or long, 16)
    return chr(code) if code <= _LAST_CODE_POINT else found[0]


_LAST_CODE_POINT: Final = 0x10FFFF


def _join_doubled(found: list[Token], sql: str, kept: str) -> None:
    """``'it''s'`` is one string to Spark 4; to Hive they are two beside each other.

    ``kept`` is the second quotation mark where escapes are kept, as the doubled one is.
    """
    if len(found) < 2:
        return
    last, token = found[-2], found[-1]
    quote = sql[token.start]
    if (
        last.kind == token.kind == STRING
        and last.end == token.start
        and quote in "'\""
        and sql[last.end - 1] == quote
    ):
        found[-2:] = [
            Token(STRING, last.text + quote + kept + token.text, "", last.start, token.end)
        ]


def _past_comment(sql: str, start: int) -> int:
    """Behind a comment in brackets; Spark's nest, and so may Hive's."""
    depth, at = 1, start + 2
    while depth:
        opening, closing = sql.find("/*", at), sql.find("*/", at)
        if closing < 0:
            raise MalformedSql(
                "a comment is not closed", position=position_at(sql, start), hint="close it with */"
            )
        if 0 <= opening < closing:
            depth, at = depth + 1, opening + 2
        else:
            depth, at = depth - 1, closing + 2
    return at


def _unreadable(sql: str, at: int) -> MalformedSql:
    if sql[at] in "'\"`":
        return MalformedSql(
            "a quotation mark is not closed", position=position_at(sql, at), hint="close it"
        )
    return MalformedSql(
        f"the character {sql[at]!r} has no meaning here",
        position=position_at(sql, at),
        hint="check the query in its own engine",
    )


def position_at(sql: str, offset: int) -> Position:
    start = sql.rfind("\n", 0, offset)
    return Position(sql.count("\n", 0, offset) + 1, offset - start)


class Lines:
    """Offsets → positions, many times over one text."""

    def __init__(self, sql: str) -> None:
        self._starts = [0, *(m.end() for m in re.finditer("\n", sql))]

    def position(self, offset: int) -> Position:
        line = bisect_right(self._starts, offset)
        return Position(line, offset - self._starts[line - 1] + 1)
