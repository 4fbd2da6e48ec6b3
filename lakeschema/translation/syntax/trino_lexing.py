"""Splits Trino's text into tokens: backslashes are ordinary, and double quotes make names.

Source: Trino's ``SqlBase.g4``.
"""

from __future__ import annotations

import re
from typing import Final

from lakeschema.translation.model.errors import MalformedSql
from lakeschema.translation.syntax.lexing import (
    END,
    HEXADECIMAL,
    MAX_TOKENS,
    NUMBER,
    QUOTED,
    STRING,
    SYMBOL,
    WORD,
    Token,
    position_at,
    too_many_tokens,
)

_TOKEN: Final = re.compile(
    r"""
      (?P<space>(?:\s+|--[^\r\n]*|/\*.*?\*/)+)
    | (?P<unclosed>/\*)
    | (?P<unicode>[uU]&'(?:[^']|'')*')
    | (?P<hexadecimal>[xX]'[0-9A-Fa-f\s]*')
    | (?P<number>0[xX](?:_?[0-9A-Fa-f])+|0[oO](?:_?[0-7])+|0[bB](?:_?[01])+
        |(?:[0-9](?:_?[0-9])*(?:\.(?:[0-9](?:_?[0-9])*)?)?|\.[0-9](?:_?[0-9])*)(?:[eE][+-]?[0-9]+)?)
    | (?P<word>[^\W\d]\w*)
    | (?P<string>'(?:[^']|'')*')
    | (?P<double>"(?:[^"]|"")*")
    | (?P<quoted>`(?:[^`]|``)*`)
    | (?P<symbol>\|\||->|=>|<=|>=|<>|!=|[-+*/%&|^<>=!(),.\[\]:;?{}$@])
    """,
    re.VERBOSE | re.DOTALL,
)
_PREFIXED: Final = re.compile("0[xXoObB]")
_ESCAPE: Final = "\\"
_MAX_DIGITS: Final = 1_000
"""The maximum for numbers that are not decimal; no type holds longer ones."""


def trino_tokens(sql: str) -> list[Token]:
    """All tokens, the last of kind ``END``.

    Raises:
        MalformedSql: a quotation mark or comment is not closed, or a character is not part of any
            token.
        TooLarge: more than ``MAX_TOKENS``.
    """
    found: list[Token] = []
    at, length = 0, len(sql)
    while at < length:
        if len(found) > MAX_TOKENS:
            raise too_many_tokens()
        matched = _TOKEN.match(sql, at)
        if matched is None or matched.lastgroup == "unclosed":
            raise MalformedSql(
                f"the character {sql[at]!r} has no meaning here",
                position=position_at(sql, at),
                hint="check whether a quotation mark or a comment is not closed",
            )
        group, text, end = matched.lastgroup or "", matched[0], matched.end()
        if group != "space":
            found.append(_token(group, text, at, end))
        at = end
    found.append(Token(END, "", "", length, length))
    return _with_unicode_escapes(found)


def _token(group: str, text: str, start: int, end: int) -> Token:
    match group:
        case "word":
            return Token(WORD, text, text.upper(), start, end)
        case "symbol":
            return Token(SYMBOL, text, text, start, end)
        case "number":
            plain = text.replace("_", "")
            whole = str(int(plain[:_MAX_DIGITS], 0)) if _PREFIXED.match(plain) else plain
            return Token(NUMBER, whole, "", start, end)
        case "hexadecimal":
            return Token(HEXADECIMAL, "".join(text[2:-1].split()), "", start, end)
        case "double":
            return Token(QUOTED, text[1:-1].replace('""', '"'), "", start, end)
        case "quoted":
            return Token(QUOTED, text[1:-1].replace("``", "`"), "", start, end)
        case "unicode":
            # The UESCAPE clause may follow.
            return Token(STRING, text[3:-1].replace("''", "'"), "U&", start, end)
        case _:
            return Token(STRING, text[1:-1].replace("''", "'"), "", start, end)


def _with_unicode_escapes(tokens: list[Token]) -> list[Token]:
    found: list[Token] = []
    at = 0
    while at < len(tokens):
        token = tokens[at]
        at += 1
        if token.kind == STRING and token.word:
            escape, end = _ESCAPE, token.end
            if tokens[at].word == "UESCAPE" and tokens[at + 1].kind == STRING:
                escape, end = tokens[at + 1].text, tokens[at + 1].end
                at += 2
                if len(escape) != 1:
                    raise MalformedSql(f"UESCAPE takes one character, got {escape!r}")
            token = Token(STRING, _unescaped(token.text, escape), "", token.start, end)
        found.append(token)
    return found


def _unescaped(text: str, escape: str) -> str:
    r"""The text without its escapes: ``\0041``, ``\+01F600``, and the escape character twice."""
    mark = re.escape(escape)
    pattern = rf"{mark}(?:{mark}|([0-9A-Fa-f]{{4}})|\+([0-9A-Fa-f]{{6}}))"

    def character(found: re.Match[str]) -> str:
        digits = found[1] or found[2]
        code = int(digits, 16) if digits else ord(escape)
        return chr(code) if code <= _LAST_CODE_POINT else found[0]

    return re.sub(pattern, character, text)


_LAST_CODE_POINT: Final = 0x10FFFF
