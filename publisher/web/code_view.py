"""Code for a page: lines of pieces, each with a style; templates escape the texts.

A control or direction character is shown as its escape, so that the shown code is the code that runs.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from typing import Final, Literal, TypeAlias

from pygments.lexer import Lexer
from pygments.lexers.data import JsonLexer
from pygments.lexers.python import PythonLexer
from pygments.lexers.sql import SqlLexer
from pygments.token import Comment, Keyword, Name, Number, String, _TokenType

from publisher.printable import printable

MAX_LINES: Final = 240
MAX_CHARACTERS: Final = 16_000
_MAX_CACHED: Final = 64

Language: TypeAlias = Literal["python", "json", "sql"]

# By default a lexer removes empty lines at both ends.
_AS_IT_IS: Final = {"stripnl": False, "ensurenl": False}
_LEXERS: Final[Mapping[Language, Lexer]] = {
    "python": PythonLexer(**_AS_IT_IS),
    "json": JsonLexer(**_AS_IT_IS),
    "sql": SqlLexer(**_AS_IT_IS),
}
_STYLES: Final = (
    (Comment, "c"),
    (String, "s"),
    (Number, "n"),
    (Name.Class, "t"),
    (Name.Tag, "t"),
    (Keyword, "k"),
)
"""The CSS class of each kind of token. Other kinds have no class."""


@dataclass(frozen=True, slots=True)
class CodeSpan:
    """A piece of a line of code.

    Attributes:
        style: its CSS class, or "".
        address, title: the target of its link and the text shown on hover; "" without a link.
    """

    style: str
    text: str
    address: str = ""
    title: str = ""


@dataclass(frozen=True, slots=True)
class CodeView:
    """The first lines of a file of code.

    Attributes:
        more: how many lines are not shown.
        raw: the address of the whole file, or "".
    """

    lines: tuple[tuple[CodeSpan, ...], ...]
    more: int
    raw: str = ""


@dataclass(frozen=True, slots=True)
class CodeLink:
    """Where a name in a line of code leads, and what is shown on hover."""

    name: str
    address: str
    title: str


def code_view(
    text: str,
    language: Language,
    *,
    raw: str = "",
    links: Mapping[int, CodeLink] | None = None,
    max_lines: int = MAX_LINES,
) -> CodeView:
    """The first lines of the text. ``links`` has a line's link under the line's number, counted from 0."""
    lines = text.split("\n")
    shown = _first(lines, max_lines)
    # Lines are made printable first: a lexer may change other line ends, and remove a byte order mark.
    styled = _styled("\n".join(map(printable, shown)), language)
    linked = tuple(
        _linked(line, links[number]) if links and number in links else line
        for number, line in enumerate(styled)
    )
    return CodeView(linked, len(lines) - len(shown), raw)


def _first(lines: Sequence[str], max_lines: int) -> Sequence[str]:
    """As many lines as fit, but at least a part of the first line."""
    kept: list[str] = []
    left = MAX_CHARACTERS
    for line in lines[:max_lines]:
        if len(line) > left:
            return kept or [f"{line[:left]}…"]
        kept.append(line)
        left -= len(line)
    return kept


# The texts of a version never change, and a lexer takes most of the time of its page.
@lru_cache(_MAX_CACHED)
def _styled(text: str, language: Language) -> Sequence[tuple[CodeSpan, ...]]:
    found: list[list[CodeSpan]] = [[]]
    for start, kind, piece in _LEXERS[language].get_tokens_unprocessed(text):
        is_name = language == "sql" and _is_name(text, start, piece)
        style = _style(Name if is_name and kind in Keyword else kind)
        first, *others = piece.split("\n")
        _append(found[-1], style, first)
        for part in others:
            found.append([])
            _append(found[-1], style, part)
    return [tuple(line) for line in found]


def _is_name(text: str, start: int, keyword: str) -> bool:
    """Whether a keyword of SQL is the name of a column or table: it has one letter, or is next to a dot."""
    end = start + len(keyword)
    return len(keyword) == 1 or "." in (text[start - 1 : start], text[end : end + 1])


def _append(line: list[CodeSpan], style: str, text: str) -> None:
    if not text:
        return
    if line and line[-1].style == style:
        line[-1] = CodeSpan(style, line[-1].text + text)
    else:
        line.append(CodeSpan(style, text))


@cache
def _style(kind: _TokenType) -> str:
    return next((style for parent, style in _STYLES if kind in parent), "")


def _linked(line: Sequence[CodeSpan], link: CodeLink) -> tuple[CodeSpan, ...]:
    """The line with its first mention of the name as a link."""
    return tuple(_linked_spans(line, link))


def _linked_spans(line: Sequence[CodeSpan], link: CodeLink) -> Iterator[CodeSpan]:
    is_open = True
    for span in line:
        before, found, after = span.text.partition(link.name) if is_open else (span.text, "", "")
        if not found:
            yield span
            continue
        is_open = False
        if before:
            yield replace(span, text=before)
        yield CodeSpan(span.style, found, link.address, link.title)
        if after:
            yield replace(span, text=after)
