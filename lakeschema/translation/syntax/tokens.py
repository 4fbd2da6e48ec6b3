"""Token-level work before the parser: a depth guard, exact function names, exact cast types.

sqlglot rewrites functions it knows (``nvl`` becomes coalesce, argument orders change) and loses a
cast's varchar length; its compiled recursion can exhaust the C stack. So nesting is measured first,
every function name gets a prefix that sqlglot does not know, and ``CAST(x AS type)`` is handed on
as a call of one argument whose name leads to the type's own text.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sqlglot.tokenizer_core import Token, TokenType

from lakeschema.translation.errors import Position, TooLarge

MAX_NESTING = 150
"""Parentheses, brackets, CASE and prefix operators around one another; engines give up earlier."""

FUNCTION_PREFIX = "\x01"
CAST_PREFIX = "\x02"

_OPENING = frozenset({TokenType.L_PAREN, TokenType.L_BRACKET, TokenType.CASE})
_CLOSING = frozenset({TokenType.R_PAREN, TokenType.R_BRACKET, TokenType.END})
_PREFIX = frozenset({TokenType.NOT, TokenType.DASH, TokenType.TILDE, TokenType.PLUS})

# Calls whose arguments have keywords of their own, which the parser must see by name.
_SPECIAL = frozenset({"TRIM", "SUBSTRING", "EXTRACT", "POSITION", "OVERLAY", "STRUCT"})

# Keywords that also are function names before a parenthesis; anything else that sqlglot lexes as a
# keyword keeps its own syntax (IN, OVER, EXISTS, VALUES …).
_KEYWORD_FUNCTIONS = frozenset(
    getattr(TokenType, name)
    for name in (
        "VAR", "ARRAY", "MAP", "DATE", "TIMESTAMP", "TIMESTAMPTZ", "LEFT", "RIGHT", "REPLACE",
        "FIRST", "INSERT", "FORMAT", "CURRENT_DATE", "CURRENT_TIMESTAMP", "CURRENT_USER",
        "CURRENT_CATALOG", "CURRENT_SCHEMA", "INT", "BIGINT", "SMALLINT", "TINYINT", "FLOAT",
        "DOUBLE", "BOOLEAN", "TEXT", "BINARY", "DECIMAL", "CHAR", "VARCHAR", "TRUNCATE", "RANGE",
        "ROW", "WINDOW", "SESSION_USER", "IF", "YEAR", "SEQUENCE", "INDEX", "TIME", "MERGE",
        "LOCALTIMESTAMP", "LOCALTIME", "CURRENT_TIME", "FILTER", "ISNULL", "VARIANT", "STRIP", "CUBE_", "SOME_", "GET",
    )
    if hasattr(TokenType, name)
)  # fmt: skip

_BEGINS_QUERY = frozenset(
    {TokenType.SELECT, TokenType.WITH, TokenType.FROM, TokenType.VALUES, TokenType.L_PAREN}
)

# What may stand before a function's name; an alias's column list stands after one of the others.
_ENDS_OPERAND = frozenset(
    {
        TokenType.VAR,
        TokenType.IDENTIFIER,
        TokenType.R_PAREN,
        TokenType.R_BRACKET,
        TokenType.STRING,
        TokenType.NUMBER,
        TokenType.ALIAS,
    }
)


@dataclass(frozen=True, slots=True)
class CastTarget:
    type_text: str
    tolerant: bool
    position: Position
    format: str | None = None


def position_of(token: Token) -> Position:
    """Where a token begins; sqlglot records where it ends."""
    return Position(token.line, max(1, token.col - (token.end - token.start)))


def check_nesting(tokens: Sequence[Token]) -> None:
    """Raises ``TooLarge`` where the parser's recursion would be too deep to be safe."""
    depth = prefixes = 0
    for token in tokens:
        kind = token.token_type
        if kind in _OPENING:
            depth += 1
        elif kind in _CLOSING:
            depth -= 1
        prefixes = prefixes + 1 if kind in _PREFIX else 0
        if depth > MAX_NESTING or prefixes > MAX_NESTING:
            raise TooLarge(
                f"the query nests more than {MAX_NESTING} levels deep",
                position=position_of(token),
                hint="split the view into views of its parts",
            )


def join_doubled_quotes(tokens: Sequence[Token], sql: str) -> list[Token]:
    """Tokens with ``'it''s'`` as one string: to Spark 4 a doubled quote is one quote in the text.

    To Hive they are two strings beside each other, as they are to sqlglot.
    """
    result: list[Token] = []
    for token in tokens:
        last = result[-1] if result else None
        if (
            last is not None
            and last.token_type == token.token_type == TokenType.STRING
            and last.end + 1 == token.start
            and sql[last.end] == sql[token.start]
        ):
            text = last.text + sql[token.start] + token.text
            result[-1] = Token(TokenType.STRING, text, last.line, last.col, last.start, token.end)
        else:
            result.append(token)
    return result


def keep_escapes(tokens: Sequence[Token], sql: str) -> list[Token]:
    """Tokens whose strings are what stands between the quotation marks, letter by letter."""
    return [
        Token(t.token_type, sql[t.start + 1 : t.end], t.line, t.col, t.start, t.end)
        if t.token_type == TokenType.STRING
        else t
        for t in tokens
    ]


def prepare(tokens: Sequence[Token], sql: str) -> tuple[list[Token], list[CastTarget]]:
    """Tokens with function names marked and casts folded, and the casts' targets by number."""
    closing = _matching_parentheses(tokens)
    casts: list[CastTarget] = []
    dropped: dict[int, int] = {}
    result: list[Token] = []
    index = 0
    while index < len(tokens):
        if index in dropped:
            index = dropped[index]
            continue
        token = tokens[index]
        following = tokens[index + 1] if index + 1 < len(tokens) else None
        if following is None or following.token_type != TokenType.L_PAREN:
            result.append(token)
        elif _is_cast(token) and (target := _cast_target(tokens, index, closing, sql)):
            type_start, close, cast = target
            dropped[type_start] = close
            result.append(_rename(token, f"{CAST_PREFIX}{len(casts)}"))
            casts.append(cast)
        elif _is_function_name(tokens, index, closing):
            result.append(_rename(token, FUNCTION_PREFIX + _text(token, sql)))
        else:
            result.append(token)
        index += 1
    return result, casts


def _text(token: Token, sql: str) -> str:
    if token.token_type in {TokenType.VAR, TokenType.IDENTIFIER}:
        return token.text
    return sql[token.start : token.end + 1]


def _matching_parentheses(tokens: Sequence[Token]) -> dict[int, int]:
    """Index of each opening parenthesis to that of its closing one."""
    open_: list[int] = []
    pairs: dict[int, int] = {}
    for index, token in enumerate(tokens):
        if token.token_type == TokenType.L_PAREN:
            open_.append(index)
        elif token.token_type == TokenType.R_PAREN and open_:
            pairs[open_.pop()] = index
    return pairs


def _is_cast(token: Token) -> bool:
    return token.text.upper() in {"CAST", "TRY_CAST"}


def _cast_target(
    tokens: Sequence[Token], index: int, closing: dict[int, int], sql: str
) -> tuple[int, int, CastTarget] | None:
    """(index of the cast's AS, index of its closing parenthesis, target), None if malformed."""
    close = closing.get(index + 1)
    if close is None:
        return None
    at = index + 2
    found = None
    while at < close:
        kind = tokens[at].token_type
        if kind == TokenType.L_PAREN:
            at = closing.get(at, close)
        elif kind == TokenType.ALIAS:
            found = at
        at += 1
    if found is None or found + 1 >= close:
        return None
    last, format_ = close - 1, None
    if tokens[last].token_type == TokenType.STRING and tokens[last - 1].text.upper() == "FORMAT":
        format_ = tokens[last].text
        last -= 2
    text = sql[tokens[found + 1].start : tokens[last].end + 1]
    tolerant = tokens[index].text.upper() == "TRY_CAST"
    return found, close, CastTarget(text, tolerant, position_of(tokens[index]), format_)


def _is_function_name(tokens: Sequence[Token], index: int, closing: dict[int, int]) -> bool:
    token = tokens[index]
    if token.token_type == TokenType.EXISTS:
        # With an array and a lambda it is a function, with a query an operator.
        inside = tokens[index + 2].token_type if index + 2 < len(tokens) else None
        return inside not in _BEGINS_QUERY
    quoted = token.token_type == TokenType.IDENTIFIER
    if not quoted and (
        token.token_type not in _KEYWORD_FUNCTIONS or token.text.upper() in _SPECIAL
    ):
        return False
    before = tokens[index - 1].token_type if index else None
    if before in _ENDS_OPERAND:
        return False
    return not _names_a_common_table(tokens, index, closing)


def _names_a_common_table(tokens: Sequence[Token], index: int, closing: dict[int, int]) -> bool:
    """``name (a, b) AS (SELECT …``: a column list, not arguments."""
    close = closing.get(index + 1)
    if close is None or close + 3 >= len(tokens):
        return False
    kinds = [tokens[close + step].token_type for step in (1, 2, 3)]
    return kinds[:2] == [TokenType.ALIAS, TokenType.L_PAREN] and kinds[2] in _BEGINS_QUERY


def _rename(token: Token, text: str) -> Token:
    return Token(TokenType.VAR, text, token.line, token.col, token.start, token.end)
