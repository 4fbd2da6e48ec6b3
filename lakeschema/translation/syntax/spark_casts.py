"""Spark's ``x :: type``: the type's own text is kept beside, as that of ``CAST (x AS type)``.

The parser reads such types itself, but loses lengths and does not know all of Spark's names, so it
is shown ``x :: DECIMAL(number, 77)`` instead, a type that nobody can write.
"""

from __future__ import annotations

from collections.abc import Sequence

from sqlglot import expressions as exp
from sqlglot.tokenizer_core import Token, TokenType

from lakeschema.translation.syntax.tokens import FUNCTION_PREFIX, CastTarget, position_of

_MARK = 77
_WITH_LENGTH = frozenset(
    {
        *("DECIMAL", "DEC", "NUMERIC", "CHAR", "CHARACTER", "VARCHAR", "TIME"),
        *("TIMESTAMP", "TIMESTAMP_LTZ", "TIMESTAMP_NTZ"),
    }
)
_UNITS = frozenset({"YEAR", "MONTH", "DAY", "HOUR", "MINUTE", "SECOND"})


def fold_casts(
    tokens: Sequence[Token], sql: str, casts: Sequence[CastTarget]
) -> tuple[list[Token], list[CastTarget]]:
    """Tokens with each such type as a number, and ``casts`` with their targets behind them."""
    result: list[Token] = []
    targets = list(casts)
    index = 0
    while index < len(tokens):
        token = tokens[index]
        result.append(token)
        index += 1
        # The suffix of 1.5D is a cast to the parser, too.
        if token.token_type != TokenType.DCOLON or sql[token.start : token.end + 1] != "::":
            continue
        end = _end_of_type(tokens, index)
        if end > index:
            text = sql[tokens[index].start : tokens[end - 1].end + 1]
            result += _numbered(tokens[index], tokens[end - 1], len(targets))
            targets.append(CastTarget(text, tolerant=False, position=position_of(token)))
            index = end
    return result, targets


def target_number(node: exp.Expr) -> int | None:
    """The number of a cast's target, if the parser was shown a number."""
    parameters = [parameter.name for parameter in node.args["to"].expressions]
    if len(parameters) == 2 and parameters[1] == str(_MARK):
        return int(parameters[0])
    return None


def _numbered(first: Token, last: Token, number: int) -> list[Token]:
    parts = (
        (TokenType.DECIMAL, "DECIMAL"),
        (TokenType.L_PAREN, "("),
        (TokenType.NUMBER, str(number)),
        (TokenType.COMMA, ","),
        (TokenType.NUMBER, str(_MARK)),
        (TokenType.R_PAREN, ")"),
    )
    return [Token(kind, text, first.line, first.col, first.start, last.end) for kind, text in parts]


def _end_of_type(tokens: Sequence[Token], start: int) -> int:
    """The index behind the type that begins there."""
    if start >= len(tokens):
        return start
    word = _text(tokens, start)
    after = start + 1
    if _text(tokens, after).startswith("<"):
        return _behind(tokens, after, "<", ">")
    if word == "INTERVAL":
        return _end_of_interval(tokens, after)
    if word in _WITH_LENGTH and _text(tokens, after) == "(":
        after = _behind(tokens, after, "(", ")")
    if word == "TIMESTAMP":
        words = tuple(_text(tokens, after + step) for step in range(4))
        if words[:3] == ("WITHOUT", "TIME", "ZONE"):
            return after + 3
        return after + (4 if words == ("WITH", "LOCAL", "TIME", "ZONE") else 0)
    return after


def _end_of_interval(tokens: Sequence[Token], at: int) -> int:
    if _text(tokens, at) not in _UNITS:
        return at
    to = _text(tokens, at + 1) == "TO" and _text(tokens, at + 2) in _UNITS
    return at + (3 if to else 1)


def _behind(tokens: Sequence[Token], at: int, opening: str, closing: str) -> int:
    """The index behind the bracket that closes the one there; ``>>`` closes two."""
    depth = 0
    while at < len(tokens):
        if tokens[at].token_type not in {TokenType.STRING, TokenType.IDENTIFIER}:
            depth += tokens[at].text.count(opening) - tokens[at].text.count(closing)
        at += 1
        if depth <= 0:
            break
    return at


def _text(tokens: Sequence[Token], at: int) -> str:
    """In capitals, without the mark of what seems to be a function: ``decimal (``."""
    return tokens[at].text.upper().removeprefix(FUNCTION_PREFIX) if at < len(tokens) else ""
