"""Text → tokens for the statements of a log, which hold templates, variables and many quotes."""

from __future__ import annotations

import re
from functools import cache
from typing import Final

from lakeschema.analysis.syntax.dialects import StatementGrammar
from lakeschema.translation.errors import MalformedSql
from lakeschema.translation.syntax.lexing import (
    END,
    HEXADECIMAL,
    NUMBER,
    QUOTED,
    STRING,
    SYMBOL,
    WORD,
    Token,
    position_at,
    unescape,
)

TEMPLATE: Final = r"\$\{[^}]*\}|\{\{.*?\}\}"
BACKSLASHED: Final = r"[^{q}\\]*(?:(?:\\.|{q}{q})[^{q}\\]*)*"
PLAIN: Final = r"[^{q}]*(?:{q}{q}[^{q}]*)*"
LETTERED: Final = (
    r"(?P<lettered>[nN]?[qQ]'(?:\[.*?\]|\{.*?\}|\(.*?\)|<.*?>|(?P<sign>[^\s\[{(<]).*?(?P=sign))')"
)
_BIGGEST_TAG: Final = 64

_SYMBOLS: Final = "|".join(
    re.escape(symbol)
    for symbol in sorted(
        (
            *("<=>", "|>", "||", "->>", "->", "#>>", "#>", "=>", "::", ":=", "<=", ">=", "<>"),
            *("!=", "==", "!>", "!<", "!~*", "!~", "~*", "~~", "@>", "<@", "&&", "?|", "?&", "@@"),
        ),
        key=len,
        reverse=True,
    )
)


@cache
def _pattern(backslashes: bool, hashes: bool, brackets: bool, letters: bool) -> re.Pattern[str]:
    inner = BACKSLASHED if backslashes else PLAIN
    comments = r"--[^\n]*|\#[^\n]*" if hashes else r"--[^\n]*"
    name = r"|(?P<bracketed>\[(?:[^\]]|\]\])*\])" if brackets else ""
    lettered = rf"|{LETTERED}" if letters else ""
    parts = rf"""
        (?P<space>(?:\s+|{comments})+)
      | (?P<comment>/\*)
      | (?P<statement>\{{%.*?%\}})
      {lettered}
      | (?P<raw>[rR](?:'[^']*'|"[^"]*"))
      | (?P<hexadecimal>[xX]'[0-9A-Fa-f\s]*'|0[xX][0-9A-Fa-f]+(?!\w))
      | (?P<number>(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?(?:BD|bd|Bd|bD|[LlSsYyDdFf])?(?!\w))
      | (?P<template>(?:{TEMPLATE}|\$\[[^\]]*\])(?![\w$]))
      | (?P<tagged>\$(?P<tag>\w{{0,{_BIGGEST_TAG}}})\$.*?\$(?P=tag)\$)
      | (?P<escaped>[eE]'[^'\\]*(?:(?:\\.|'')[^'\\]*)*')
      | (?P<string>(?:[nNbB]|[uU]&|_[a-zA-Z]\w*)?'{inner.format(q="'")}')
      | (?P<double>"{inner.format(q='"')}")
      | (?P<quoted>`(?:[^`]|``)*`)
      | (?P<variable>@@?\w+|\$\w+|(?<![\w:\]\)]):(?=[A-Za-z_])\w+|\?(?![|&]))
      | (?P<word>(?:\w|\#(?=\w)|{TEMPLATE})(?:{TEMPLATE}|[\w$\#])*)
      {name}
      | (?P<symbol>{_SYMBOLS}|[-+*/%~&|^<>=!(),.\[\]:;?{{}}@$\#\\])
    """
    return re.compile(parts, re.VERBOSE | re.DOTALL)


def statement_tokens(sql: str, grammar: StatementGrammar) -> list[Token]:
    """All tokens, the last of kind ``END``. A template or variable alone is a string: a value.

    Raises:
        MalformedSql: a quotation mark or comment that is not closed.
    """
    found: list[Token] = []
    match = _pattern(
        grammar.backslash_escapes,
        grammar.hash_comments,
        grammar.brackets_name,
        grammar.quoted_by_letter,
    ).match
    abbreviations = grammar.abbreviations
    at, length = 0, len(sql)
    while at < length:
        matched = match(sql, at)
        if matched is None:
            raise MalformedSql(
                f"the character {sql[at]!r} has no meaning here",
                position=position_at(sql, at),
                hint="check whether a quotation mark is not closed",
            )
        group, text, end = matched.lastgroup, matched[0], matched.end()
        if group == "word":
            word = text.upper()
            found.append(Token(WORD, text, abbreviations.get(word, word), at, end))
        elif group == "symbol":
            found.append(Token(SYMBOL, text, text, at, end))
        elif group in {"space", "statement"}:
            pass
        elif group == "comment":
            end = _past_comment(sql, at)
        elif group in {"template", "variable"}:
            found.append(_placeholder(sql, text, at, end))
        else:
            assert group is not None
            found.append(_constant(group, text, at, end, grammar))
        at = end
    found.append(Token(END, "", "", length, length))
    return found


def _placeholder(sql: str, text: str, start: int, end: int) -> Token:
    """A name where it is part of one: ``${db}.t``; a value else: ``dt = ${day}``."""
    part_of_name = sql[end : end + 1] == "." or sql[start - 1 : start] == "."
    return Token(QUOTED if part_of_name else STRING, text, "", start, end)


def _constant(group: str, text: str, start: int, end: int, grammar: StatementGrammar) -> Token:
    if group == "number":
        return Token(NUMBER, text, "", start, end)
    if group == "quoted":
        return Token(QUOTED, text[1:-1].replace("``", "`"), "", start, end)
    if group == "bracketed":
        return Token(QUOTED, text[1:-1].replace("]]", "]"), "", start, end)
    if group == "hexadecimal":
        return Token(HEXADECIMAL, "".join(text[2:].strip("'").split()), "", start, end)
    if group in {"lettered", "sign"}:
        return Token(STRING, text[text.index("'") + 2 : -2], "", start, end)
    if group == "raw":
        return Token(STRING, text[2:-1], "", start, end)
    if group in {"tagged", "tag"}:
        length = text.index("$", 1) + 1
        return Token(STRING, text[length:-length], "", start, end)
    if group == "double" and grammar.double_quotes_name:
        return Token(QUOTED, text[1:-1].replace('""', '"'), "", start, end)
    opening = text.index(text[-1])
    inner = text[opening + 1 : -1].replace(text[-1] * 2, text[-1])
    escapes = group == "escaped" or grammar.backslash_escapes
    return Token(STRING, unescape(inner) if escapes and "\\" in inner else inner, "", start, end)


def _past_comment(sql: str, start: int) -> int:
    end = sql.find("*/", start + 2)
    if end < 0:
        raise MalformedSql(
            "a comment is not closed", position=position_at(sql, start), hint="close it with */"
        )
    return end + 2
