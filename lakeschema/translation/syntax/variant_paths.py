"""``v:a.b[0]['c']``, Spark's path into a variant → the text that VARIANT_GET reads: ``$.a.b[0].c``."""

from __future__ import annotations

import re

from lakeschema.translation.errors import UnsupportedConstruct
from lakeschema.translation.syntax.cursor import Cursor
from lakeschema.translation.syntax.lexing import NUMBER, QUOTED, STRING, WORD

_PLAIN = re.compile(r"[A-Za-z_]\w*")


def variant_path(cursor: Cursor) -> str:
    """What follows the colon; an index or a key in brackets is a literal."""
    path = "$"
    if cursor.word != "[":
        path += _key(cursor.name("a field"))
    while True:
        if cursor.word == "." and cursor.ahead().kind in (WORD, QUOTED):
            cursor.advance()
            path += _key(cursor.name())
        elif cursor.word == "[" and cursor.ahead().kind == STRING:
            cursor.advance()
            path += _key(cursor.advance().text)
            cursor.expect("]")
        elif cursor.word == "[" and cursor.ahead().kind == NUMBER:
            cursor.advance()
            path += f"[{cursor.advance().text}]"
            cursor.expect("]")
        else:
            return path


def _key(name: str) -> str:
    if _PLAIN.fullmatch(name):
        return f".{name}"
    for quote in "'\"":
        if quote not in name:
            return f"[{quote}{name}{quote}]"
    raise UnsupportedConstruct("a variant's field whose name has quotes of both kinds")
