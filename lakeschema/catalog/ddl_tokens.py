"""Splits DDL text into tokens with offsets, and reads quoted strings as Hive and Spark do."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterator
from enum import Enum
from functools import lru_cache, partial
from typing import NamedTuple

from lakeschema.ends import Ends

_COMMENT = r"/\*.*?\*/"
_SINGLE, _DOUBLE = r"'(?:[^'\\]|\\.)*+'", r'"(?:[^"\\]|\\.)*+"'
_NOTHING = r"(?!)"
_QUOTED = r"`(?:[^`]|``)*+`"
# In Trino backslashes are ordinary, and double quotes make names.
_PLAIN_SINGLE, _PLAIN_DOUBLE = r"'(?:[^']|'')*+'", r'"(?:[^"]|"")*+"'


class _Patterns(NamedTuple):
    """Two patterns: ``gap`` matches text between statements, ``statement`` a whole statement."""

    token: re.Pattern[str]
    gap: re.Pattern[str]
    statement: re.Pattern[str]


@lru_cache
def _patterns(*, comments: bool, single: bool, double: bool, plain: bool) -> _Patterns:
    """The patterns for a place.

    The patterns depend on which kinds of comments and quotes still have an end after the place.
    """
    comment = _COMMENT if comments else _NOTHING
    quoted = _QUOTED
    if plain:
        string = _PLAIN_SINGLE if single else _NOTHING
        quoted = f"{_QUOTED}|{_PLAIN_DOUBLE if double else _NOTHING}"
    else:
        closed = f"{_SINGLE if single else _NOTHING}|{_DOUBLE if double else _NOTHING}"
        string = f"[rR]?(?:{closed})++"
    token = (
        rf"(?:\s+|--[^\n]*|{comment})*+"
        rf"(?:(?P<STRING>{string})|(?P<WORD>\w+)|(?P<QUOTED>{quoted})"
        r"|(?P<UNCLOSED>['\"`]|/\*)|(?P<MARK>.)|(?P<END>\Z))"
    )
    statement = rf"(?:[^;'\"`/-]++|{string}|{quoted}|--[^\n]*|{comment}|/(?!\*)|-(?!-))*+"
    gap = rf"(?:[\s;]+|--[^\n]*|{comment})*+"
    return _Patterns(*(re.compile(text, re.DOTALL) for text in (token, gap, statement)))


class _Places(NamedTuple):
    """The last place where each kind of comment and quote ends, and the patterns between these places."""

    ends: tuple[int, ...]
    patterns: tuple[_Patterns, ...]


@lru_cache(maxsize=4)
def _places(source: str, plain: bool) -> _Places:
    found = Ends(source)
    last_quote = found.last if plain else found.last_unescaped
    comment, single, double = found.last("*/"), last_quote("'"), last_quote('"')
    ends = tuple(sorted({comment, single, double}))
    return _Places(
        ends,
        tuple(
            _patterns(
                comments=begin < comment,
                single=begin < single,
                double=begin < double,
                plain=plain,
            )
            for begin in (-1, *ends)
        ),
    )


def _patterns_at(source: str, position: int, plain: bool) -> _Patterns:
    ends, patterns = _places(source, plain)
    return patterns[bisect_right(ends, position)]


MAX_RESUMED = 100
"""The maximum of statements with unclosed quotes in a file, since each may scan the whole rest.

The next one extends to the end of the file.
"""

_LINE_END_SEMICOLON = re.compile(r";[ \t]*(?:\n|\Z)")


class TokenKind(Enum):
    WORD = "WORD"
    QUOTED = "QUOTED"
    STRING = "STRING"
    MARK = "MARK"
    UNCLOSED = "UNCLOSED"
    END = "END"


_KINDS = {kind.value: kind for kind in TokenKind}
_BARE = frozenset({TokenKind.WORD.value, TokenKind.MARK.value})


class Token(NamedTuple):
    """A token. ``text`` is as written, with quotes; ``start`` and ``end`` are offsets.

    ``bare`` is a word in upper case, or a punctuation mark; "" for other tokens. The class is a
    NamedTuple, because a source may have a million tokens, and a frozen dataclass takes three times as
    long.
    """

    kind: TokenKind
    text: str
    start: int
    end: int
    bare: str = ""


def token_at(source: str, position: int, *, plain: bool = False) -> Token:
    """The first token from ``position`` on, skipping blanks and comments.

    ``plain``: Trino's quotes, where backslashes are ordinary and double quotes make names.
    """
    return _token(_patterns_at(source, position, plain).token, source, position)


def token_reader(
    source: str, start: int, end: int, *, plain: bool = False
) -> Callable[[int], Token]:
    """A function that does the work of ``token_at`` within a statement.

    It looks up patterns once.
    """
    ends, patterns = _places(source, plain)
    place = bisect_right(ends, start)
    if place != bisect_right(ends, end):
        return partial(token_at, source, plain=plain)
    return partial(_token, patterns[place].token, source)


def _token(pattern: re.Pattern[str], source: str, position: int) -> Token:
    match = pattern.match(source, position)
    if (
        match is None or match.lastgroup is None
    ):  # cannot happen: the last two branches match everything else
        return Token(TokenKind.END, "", len(source), len(source))
    kind = match.lastgroup
    start, end = match.span(kind)
    text = source[start:end]
    return Token(_KINDS[kind], text, start, end, text.upper() if kind in _BARE else "")


def statements(source: str, *, plain: bool = False) -> Iterator[tuple[int, int]]:
    """The offsets of the statements between semicolons; blank statements are left out.

    For ``plain`` see ``token_at``. An unclosed quote ends at the first line that ends in a
    semicolon, so that one typo does not swallow the rest of a file. This applies to at most
    ``MAX_RESUMED`` quotes.
    """
    position, resumed_times = 0, 0
    while position < len(source):
        start = _end_of(_patterns_at(source, position, plain).gap, source, position)
        if start == len(source):
            return
        end = _end_of(_patterns_at(source, start, plain).statement, source, start)
        if end < len(source) and source[end] != ";":
            resumed_times += 1
            resumed = _LINE_END_SEMICOLON.search(source, start)
            may_resume = resumed_times <= MAX_RESUMED
            end = resumed.start() if resumed is not None and may_resume else len(source)
        yield start, end
        position = end + 1


def _end_of(pattern: re.Pattern[str], source: str, position: int) -> int:
    """The end of a match; the pattern may also match nothing."""
    match = pattern.match(source, position)
    return position if match is None else match.end()


_ESCAPE = re.compile(
    r"\\(?:u([0-9A-Fa-f]{4})|U([0-9A-Fa-f]{8})|([01][0-7]{2})|(.))|(['\"])", re.DOTALL
)
_CONTROLS = {"0": "\0", "b": "\b", "n": "\n", "r": "\r", "t": "\t", "Z": "\x1a"}
_KEPT = {"%": "\\%", "_": "\\_"}


def unquoted_string(text: str, *, doubled_quote_is_quote: bool) -> str:
    r"""The value of a string literal, or of several adjacent string literals.

    Follows Hive's ``unescapeSQLString``: ``\n`` and the like, ``\u0041``, octal ``\101``. ``\%``
    and ``\_`` stay, because LIKE reads them; any other escaped character is literal. In Hive
    ``'a''b'`` is ``ab``; in Spark, since 4.0, it is ``a'b``.
    """
    if text[0] in "rR":
        return text[2:-1]
    quote = text[0]
    body = text[1:-1]
    if "\\" not in body and quote not in body:
        return body
    doubled = quote if doubled_quote_is_quote else ""
    pieces: list[str] = []
    position = 1
    end = len(text) - 1
    open_quote = quote
    for match in _ESCAPE.finditer(text, 1, end):
        if match.start() < position:
            continue
        pieces.append(text[position : match.start()])
        position = match.end()
        mark = match.group(5)
        if mark is None:
            pieces.append(_unescape(match))
        elif mark != open_quote:
            pieces.append(mark)
        else:
            # The literal closes here, and the adjacent one opens with the next character.
            open_quote = text[position]
            pieces.append(doubled if open_quote == mark else "")
            position += 1
    pieces.append(text[position:end])
    return "".join(pieces)


def _unescape(match: re.Match[str]) -> str:
    short, long, octal, plain = match.group(1, 2, 3, 4)
    if short is not None:
        return chr(int(short, 16))
    if long is not None:
        code = int(long, 16)
        return chr(code) if code <= 0x10FFFF else "�"
    if octal is not None:
        return chr(int(octal, 8))
    return str(_CONTROLS.get(plain) or _KEPT.get(plain) or plain)


def unquoted_identifier(text: str) -> str:
    return text[1:-1].replace(text[0] * 2, text[0])


def unquoted_plain_string(text: str) -> str:
    """The value of Trino's string literal, with doubled quotes and ordinary backslashes."""
    return text[1:-1].replace("''", "'")


def line_of(source: str, offset: int) -> int:
    """The line of the offset, from 1."""
    return source.count("\n", 0, offset) + 1
