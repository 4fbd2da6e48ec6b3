"""``v:a.b[0]['c']``, Spark's path into a variant → the text that VARIANT_GET reads: ``$.a.b[0].c``."""

from __future__ import annotations

import re

from lakeschema.translation.errors import UnsupportedConstruct
from lakeschema.translation.syntax.cursor import Cursor
from lakeschema.translation.syntax.lexing import NUMBER, QUOTED, STRING, WORD

_PATH = re.compile(r"""\$(?:\.[^.\[]+|\[\d+\]|\['[^']+'\]|\["[^"]+"\])+""")


def variant_path(cursor: Cursor) -> str:
    """What follows the colon; an index or a key in brackets is a literal.

    A name in back-quotes stands in Spark's path as it is: one with a dot is two fields.
    """
    path = "$"
    if cursor.word != "[":
        path += f".{cursor.name('a field')}"
    while True:
        if cursor.word == "." and cursor.ahead().kind in (WORD, QUOTED):
            cursor.advance()
            path += f".{cursor.name()}"
        elif cursor.word == "[" and cursor.ahead().kind == STRING:
            cursor.advance()
            path += f"[{_quoted(cursor.advance().text)}]"
            cursor.expect("]")
        elif cursor.word == "[" and cursor.ahead().kind == NUMBER:
            cursor.advance()
            path += f"[{cursor.advance().text}]"
            cursor.expect("]")
        elif _PATH.fullmatch(path):
            return path
        else:
            cursor.fail(f"expected a path into a variant, got {path!r:.60}")


def _quoted(name: str) -> str:
    for quote in "'\"":
        if quote not in name:
            return f"{quote}{name}{quote}"
    raise UnsupportedConstruct("a variant's field whose name has quotes of both kinds")
