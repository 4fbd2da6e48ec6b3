"""Reads ``v:a.b[0]['c']``, Spark's path into a variant: its text for VARIANT_GET, and its name."""

from __future__ import annotations

import re
from typing import Final

from lakeschema.translation.syntax import tree
from lakeschema.translation.syntax.cursor import Cursor
from lakeschema.translation.syntax.lexing import NUMBER, QUOTED, STRING, WORD

_FIELD: Final = r"\.\s*[^.\[\s][^.\[]*|\['\s*[^'\s][^']*'\]"
_PATH: Final = re.compile(rf"\$(?:{_FIELD}|\[\d+\])+")
_FIELDS: Final = re.compile(_FIELD)
_STEPS: Final = re.compile(rf"{_FIELD}|\[\d+\]")
EACH: Final = "*"
_MAX_INDEX: Final = 2**31 - 1


def variant_path(cursor: Cursor, base: tree.Expression) -> tree.VariantPath:
    """The path after a colon.

    Spark copies a back-quoted name into the path unquoted, so a name with a dot becomes two fields.
    Text in brackets is copied too, backslashes included.
    """
    colon = cursor.advance()
    path = "$"
    if cursor.word != "[":
        name = cursor.name("a field")
        path += name if name.startswith("[") else f".{name}"
    while True:
        if cursor.word == "." and cursor.ahead().kind in (WORD, QUOTED):
            cursor.advance()
            path += f".{cursor.name()}"
        elif cursor.word == "[" and cursor.ahead().kind in (STRING, NUMBER):
            cursor.advance()
            path += _in_brackets(cursor)
        elif _PATH.fullmatch(path):
            text = tree.StringLiteral(path)
            call = tree.Call("variant_get", (base, text), cursor.position(colon))
            return tree.VariantPath(call, _name(path))
        else:
            cursor.fail(f"expected a path into a variant, got {path!r:.60}")


def variant_steps(path: str) -> tuple[str | None, ...]:
    """The fields of a path in order, None for an array's element."""
    return tuple(
        step[1:].strip() if step[0] == "." else step[2:-2] if step[1] == "'" else None
        for step in _STEPS.findall(path)
    )


def _in_brackets(cursor: Cursor) -> str:
    token = cursor.at
    if token.kind == NUMBER and not (token.text.isdigit() and int(token.text) <= _MAX_INDEX):
        cursor.fail(f"expected an index up to {_MAX_INDEX}")
    cursor.advance()
    cursor.expect("]")
    return f"[{cursor.sql[token.start : token.end]}]"


def _name(path: str) -> str:
    """The name of a path: its last field.

    It is empty if there is no field, or if the path means every element.
    """
    fields = _FIELDS.findall(path)
    if not fields:
        return ""
    last = fields[-1].removeprefix(".") if fields[-1][0] == "." else fields[-1][2:-2]
    return "" if last.strip() == EACH else last.lstrip()
