"""Reads the patterns of ``SHOW … LIKE``."""

from __future__ import annotations

import re
from typing import Final

from lakeschema.catalog.sessions import Rules

_SQL_PIECE: Final = re.compile(r"\\(.)|([%*])|(_)|([^\\%*_]+|\\)", re.DOTALL)


class NamePattern:
    r"""A pattern by the rules of a session.

    The proposal's patterns are SQL's: ``%`` for any text, ``_`` for one character, and ``\`` before
    a character that stands for itself; ``*`` means ``%``. Letter case counts if the catalog
    compares names by it. Spark's patterns have ``*`` for any text and ``|`` between alternatives,
    in any letter case. Other characters stand for themselves, also those with a meaning in Spark's regular expressions.
    """

    def __init__(self, text: str, rules: Rules, *, folds_case: bool) -> None:
        is_sparks = rules is Rules.SPARK
        pattern = _sparks_pattern(text) if is_sparks else _sql_pattern(text)
        flags = re.IGNORECASE if is_sparks or folds_case else 0
        self._pattern = re.compile(pattern, re.DOTALL | flags)
        prefix = "" if is_sparks else _sql_prefix(text)
        self.prefix = prefix.lower() if folds_case else prefix
        """The beginning of every name that fits; Spark gives its catalogs none."""

    def fits(self, name: str) -> bool:
        return self._pattern.fullmatch(name) is not None


def _sql_pattern(text: str) -> str:
    pieces: list[str] = []
    for escaped, anything, one, plain in _SQL_PIECE.findall(text):
        if anything:
            # A second ``.*`` in a row would make the match slow for some texts.
            if pieces[-1:] != [".*"]:
                pieces.append(".*")
        else:
            pieces.append("." if one else re.escape(escaped or plain))
    return "".join(pieces)


def _sql_prefix(text: str) -> str:
    prefix = ""
    for escaped, anything, one, plain in _SQL_PIECE.findall(text):
        if anything or one:
            break
        prefix += escaped or plain
    return prefix


def _sparks_pattern(text: str) -> str:
    alternatives = text.strip().split("|")
    return "|".join(
        ".*".join(re.escape(piece) for piece in re.split(r"\*+", each)) for each in alternatives
    )
