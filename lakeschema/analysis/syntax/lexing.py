"""Splits a log's statements into tokens; they may contain templates, variables and many kinds of quotes."""

from __future__ import annotations

import re
import sys
from functools import lru_cache, partial
from itertools import islice
from typing import Final

from lakeschema.analysis.syntax.dialects import StatementGrammar
from lakeschema.ends import Ends
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
    unescape,
)

BACKSLASHED: Final = r"[^{q}\\]*(?:(?:\\.|{q}{q})[^{q}\\]*)*"
PLAIN: Final = r"[^{q}]*(?:{q}{q}[^{q}]*)*"
_BIGGEST_TAG: Final = 64
_TAG: Final = rf"\$\w{{0,{_BIGGEST_TAG}}}\$"
_END_BY_TAG: Final = re.compile(rf"(?=({_TAG}))")
_END_BY_LETTER: Final = re.compile(r"(?=(\S'))")
_BRACKETS: Final = {"[": "]", "{": "}", "(": ")", "<": ">"}
_NOTHING: Final = r"(?!)"

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


_BLANK: Final = {False: r"(?:\s+|--[^\n]*)*", True: r"(?:\s+|--[^\n]*|\#[^\n]*)*"}
"""The patterns of blanks and comments, by whether ``#`` begins a comment."""
_IN_VAIN: Final = "in vain"
"""A kind of ``closed``: a tagged or lettered string opens there and does not end."""


@lru_cache(maxsize=512)
def _pattern(
    backslashes: bool, hashes: bool, brackets: bool, letters: bool, closed: frozenset[str]
) -> re.Pattern[str]:
    """The pattern for tokens.

    ``closed`` has the kinds of quotes that still end in the rest of the text. Other quotes are read as
    signs and words.
    """
    inner = BACKSLASHED if backslashes else PLAIN
    name = r"|(?P<bracketed>\[(?:[^\]]|\]\])*\])" if brackets and "brackets" in closed else ""
    letters = letters and _IN_VAIN not in closed
    lettered = r"|(?P<lettered>[nN]?[qQ]'(?P<sign>\S))" if letters else ""
    tagged = _NOTHING if _IN_VAIN in closed else _TAG
    statement = r"\{%.*?%\}" if "statements" in closed else _NOTHING
    variable = r"[$\#@]\{[^}]*\}" if "variables" in closed else _NOTHING
    moment = r"\$\[[^\[\]]*\]"
    template = rf"(?>{variable}|{moment}|{r'{{.*?}}' if 'templates' in closed else _NOTHING})"
    escaped = r"[eE]'[^'\\]*(?:(?:\\.|'')[^'\\]*)*'" if "escaped" in closed else _NOTHING
    parts = rf"""
        (?>{_BLANK[hashes]})
        # Most of what people write, tried first: a word or a sign that nothing behind it can change.
        (?: (?P<plain>[A-Za-z_]\w*(?=[\s,.()=;]|\Z))
      | (?P<mark>[,();^*+\]}}\\]|%(?!\()|=(?![=>])|\.(?!\d)|[<>](?![=>@])|[-/!&|~](?=[\w\s(]))
      | (?P<variable>(?<![\w:\]\)]):(?=[A-Za-z_])\w+|\?(?![|&]))
      | (?P<comment>/\*)
      | (?P<statement>{statement})
      {lettered}
      | (?P<raw>[rR](?:'[^']*'|"[^"]*"))
      | (?P<hexadecimal>[xX]'[0-9A-Fa-f\s]*'|0[xX][0-9A-Fa-f]+(?!\w))
      | (?P<number>(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?(?:BD|bd|Bd|bD|[LlSsYyDdFf])?(?!\w))
      | (?P<template>{template}(?![\w$]))
      | (?P<tagged>{tagged})
      | (?P<escaped>{escaped})
      | (?P<string>(?:[nNbB]|[uU]&|_[a-zA-Z]\w*)?'{inner.format(q="'")}')
      | (?P<double>"{inner.format(q='"')}")
      | (?P<quoted>`(?:[^`]|``)*`)
      | (?P<parameter>@@?\w+|\$\w+|%\(\w+\)s(?!\w))
      | (?P<word>(?:\w|\#(?=\w)|{template})(?:\w++|{template}|[$\#])*)
      {name}
      | (?P<symbol>{_SYMBOLS}|[-+*/%~&|^<>=!(),.\[\]:;?{{}}@$\#\\])
      | (?P<end>\Z)
      | (?P<wrong>.))
    """
    return re.compile(parts, re.VERBOSE | re.DOTALL)


class _Patterns:
    """The patterns for the next token, at increasing places of a text."""

    def __init__(self, sql: str, grammar: StatementGrammar) -> None:
        ends = self._ends = Ends(sql)
        self._lasts = {
            "statements": ends.last("%}"),
            "templates": ends.last("}}"),
            "variables": ends.last("}"),
            "brackets": ends.last("]"),
            "escaped": ends.last_unescaped("'"),
        }
        self._of_grammar = partial(
            _pattern,
            grammar.backslash_escapes,
            grammar.hash_comments,
            grammar.brackets_name,
            grammar.quoted_by_letter,
        )
        self._renew(0)

    def _renew(self, place: int) -> None:
        self._closed = frozenset(kind for kind, last in self._lasts.items() if place < last)
        self._pattern = self._of_grammar(self._closed)
        self._until = min((self._lasts[kind] for kind in self._closed), default=sys.maxsize)

    def at(self, place: int, *, in_vain: bool = False) -> tuple[re.Pattern[str], int]:
        """The pattern at a place, and the next place that needs another pattern."""
        if place >= self._until:
            self._renew(place)
        if in_vain:
            return self._of_grammar(self._closed | {_IN_VAIN}), place + 1
        return self._pattern, self._until

    def end_of(self, opening: re.Match[str]) -> tuple[int, int]:
        """The end of a tagged or lettered string's text, and of the string; -1 without an end."""
        if opening.lastgroup == "tagged":
            end, kind = opening["tagged"], _END_BY_TAG
        else:
            sign = opening["sign"]
            end, kind = f"{_BRACKETS.get(sign, sign)}'", _END_BY_LETTER
        found = self._ends.after(end, opening.end(), kind)
        return found, found + len(end)


def statement_tokens(sql: str, grammar: StatementGrammar) -> list[Token]:
    """All tokens, the last of kind ``END``. A bare template or variable counts as a string.

    Raises:
        MalformedSql: a quotation mark or comment is not closed.
        TooLarge: more than ``MAX_TOKENS``.
    """
    found: list[Token] = []
    append = found.append
    patterns = _Patterns(sql, grammar)
    abbreviations = grammar.abbreviations
    at = 0
    pattern, until = patterns.at(at)
    while True:
        for matched in islice(pattern.finditer(sql, at), MAX_TOKENS + 1):
            group = matched.lastgroup
            assert group is not None
            start, end = matched.span(group)
            at = end
            if group in {"plain", "word"}:
                text = sql[start:end]
                word = text.upper()
                append(Token(WORD, text, abbreviations.get(word, word), start, end))
            elif group in {"mark", "symbol"}:
                text = sql[start:end]
                append(Token(SYMBOL, text, text, start, end))
            elif group == "end":
                append(Token(END, "", "", start, start))
                return found
            elif group == "comment":
                at = _past_comment(sql, start)
            elif group in {"template", "variable", "parameter"}:
                append(_placeholder(sql, sql[start:end], start, end))
            elif group in {"tagged", "lettered"}:
                last, at = patterns.end_of(matched)
                if last < 0:
                    at = start
                    break
                append(Token(STRING, sql[end:last], "", start, at))
            elif group == "wrong":
                raise MalformedSql(
                    f"the character {sql[start]!r} has no meaning here",
                    position=position_at(sql, start),
                    hint="check whether a quotation mark is not closed",
                )
            elif group != "statement":
                append(_constant(group, sql[start:end], start, end, grammar))
            if at != end or at >= until:
                break
        if len(found) > MAX_TOKENS:
            raise too_many_tokens()
        pattern, until = patterns.at(at, in_vain=at == start)


def _placeholder(sql: str, text: str, start: int, end: int) -> Token:
    """The token of a placeholder.

    It is a name if it is part of a name (``${db}.t``), and otherwise a value (``dt = ${day}``).
    """
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
    if group == "raw":
        return Token(STRING, text[2:-1], "", start, end)
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
