"""Splits text into tokens by each dialect's rules for quotes, escapes, numbers and comments.

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

from lakeschema.translation.model.errors import MalformedSql, Position, TooLarge
from lakeschema.translation.syntax.grammars import Grammar

WORD, QUOTED, STRING, NUMBER, HEXADECIMAL, SYMBOL, END = range(7)
"""The kinds of tokens."""


@dataclass(slots=True)
class Token:
    """A token. ``word``: an unquoted word in upper case, or a symbol; otherwise empty.

    Attributes:
        text: a word as written; a quoted name, a string or hexadecimal digits without their quotes.
        start: offset of its first character; ``end`` is the offset after its last.
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
        # LIKE interprets these two itself.
        "%": "\\%", "_": "\\_",
    }
)  # fmt: skip


MAX_TOKENS: Final = 300_000
"""The maximum number of tokens; hand-written queries, even of a megabyte, have fewer."""


def too_many_tokens() -> TooLarge:
    return TooLarge(
        f"the text has more than {MAX_TOKENS:,} words, values and signs",
        hint="split it into several statements, or load the values from a file",
    )


def tokens_of(sql: str, grammar: Grammar) -> list[Token]:
    """All tokens, the last of kind ``END``.

    Raises:
        MalformedSql: a quotation mark or comment is not closed, or a character is not part of any
            token.
        TooLarge: more than ``MAX_TOKENS``.
    """
    found: list[Token] = []
    at, length, match = 0, len(sql), _TOKEN.match
    while (matched := match(sql, at)) is not None:
        if len(found) > MAX_TOKENS:
            raise too_many_tokens()
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
            token = _quoted(group, matched[group], start, end, grammar)
            if (
                token.kind == STRING
                and grammar.doubled_quotes
                and sql[end - 1] == sql[end : end + 1]
            ):
                token = _with_doubled(token, sql, grammar)
                end = token.end
            found.append(token)
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
    """The value of a string's inner text, with backslashes resolved as in both engines."""
    return _ESCAPE.sub(_unescaped, text)


def _unescaped(found: re.Match[str]) -> str:
    short, long, octal, other = found.groups()
    if other is not None:
        return _ESCAPES.get(other, other)
    code = int(octal, 8) if octal else int(short or long, 16)
    return chr(code) if code <= _LAST_CODE_POINT else found[0]


_LAST_CODE_POINT: Final = 0x10FFFF


def _with_doubled(first: Token, sql: str, grammar: Grammar) -> Token:
    """The token of ``'it''s'``: one string in Spark 4, two adjacent strings in Hive."""
    quote = sql[first.end - 1]
    # If escapes are kept, so are doubled quotation marks.
    joint = quote * 2 if grammar.keeps_escapes else quote
    parts, end = [first.text], first.end
    while sql.startswith(quote, end) and (matched := _TOKEN.match(sql, end)) is not None:
        group = matched.lastgroup or ""
        parts.append(_quoted(group, matched[group], end, matched.end(), grammar).text)
        end = matched.end()
    return Token(STRING, joint.join(parts), "", first.start, end)


_COMMENT_EDGE: Final = re.compile(r"/\*|\*/")


def _past_comment(sql: str, start: int) -> int:
    """The offset after a bracketed comment; Spark's comments nest, and Hive's may nest, too."""
    depth = 0
    for edge in _COMMENT_EDGE.finditer(sql, start):
        depth += 1 if edge[0] == "/*" else -1
        if not depth:
            return edge.end()
    raise MalformedSql(
        "a comment is not closed", position=position_at(sql, start), hint="close it with */"
    )


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
    """Converts offsets to positions; it is efficient for many offsets in one text."""

    def __init__(self, sql: str) -> None:
        self._starts = [0, *(m.end() for m in re.finditer("\n", sql))]

    def position(self, offset: int) -> Position:
        line = bisect_right(self._starts, offset)
        return Position(line, offset - self._starts[line - 1] + 1)

    def offset(self, position: Position) -> int:
        """The inverse of ``position``."""
        return self._starts[position.line - 1] + position.column - 1
