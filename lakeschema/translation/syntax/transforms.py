"""Reads ``TRANSFORM(a, b) USING 'script' AS (x INT)``; MAP and REDUCE mean the same.

The formats of the script's rows are skipped; nothing runs the script.
"""

from __future__ import annotations

from lakeschema.catalog.column_types import STRING, ColumnType
from lakeschema.translation.syntax import tree
from lakeschema.translation.syntax.cursor import Cursor
from lakeschema.translation.syntax.expressions import Expressions
from lakeschema.translation.syntax.lexing import END
from lakeschema.translation.syntax.lexing import STRING as TEXT

_NAMELESS = (("key", STRING), ("value", STRING))
_AFTER_COLUMN = frozenset(
    {",", ")", "FROM", "ROW", "RECORDREADER", "CLUSTER", "DISTRIBUTE", "SORT", "ORDER", "LIMIT", ""}
)


def begins_script(parser: Cursor) -> bool:
    """Whether USING and a script follow the arguments; otherwise the word is a function or a name."""
    at, depth = 1, 0
    while parser.ahead(at).kind != END:
        word = parser.ahead(at).word
        depth += (word == "(") - (word == ")")
        if depth < 0 or (depth == 0 and word in {"FROM", ";"}):
            return False
        if depth == 0 and word == "USING":
            return parser.ahead(at + 1).kind == TEXT
        at += 1
    return False


def transform_of(parser: Expressions) -> tree.Transform:
    """Reads the script's input and output; the first keyword comes next."""
    token = parser.advance()
    if token.word == "TRANSFORM":
        parser.expect("(")
        arguments = parser.expressions(")")
    else:
        listed = [parser.expression()]
        while parser.take(","):
            listed.append(parser.expression())
        arguments = tuple(listed)
    while parser.word != "USING" and parser.at.kind != END:
        parser.advance()
    parser.expect("USING")
    parser.string("a script in quotes")
    columns = _columns(parser) if parser.take("AS") else _NAMELESS
    _skip_format(parser)
    return tree.Transform(arguments, columns, parser.position(token))


def _columns(parser: Expressions) -> tuple[tuple[str, ColumnType], ...]:
    """Reads the columns; a column without a type is a STRING."""
    in_parentheses = parser.take("(")
    found = [_column(parser)]
    while parser.take(","):
        found.append(_column(parser))
    if in_parentheses:
        parser.expect(")")
    return tuple(found)


def _column(parser: Expressions) -> tuple[str, ColumnType]:
    name = parser.name("a column's name")
    return name, STRING if parser.word in _AFTER_COLUMN else parser.type("a column")


def _skip_format(parser: Expressions) -> None:
    """Skips ``ROW FORMAT …`` and ``RECORDREADER '…'``: words, texts and lists in parentheses."""
    if parser.word not in {"ROW", "RECORDREADER"}:
        return
    depth = 0
    while parser.at.kind != END and (
        depth or parser.at.kind == TEXT or parser.word not in {"FROM", ")"}
    ):
        depth += (parser.word == "(") - (parser.word == ")")
        parser.advance()
