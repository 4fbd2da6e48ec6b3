"""Writes Trino's regular expressions for Spark, if they mean the same in Java."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Final

from lakeschema.translation.emission.spark.from_trino.arguments import (
    Write,
    refused,
    whole,
    written,
)
from lakeschema.translation.emission.spark.templates import fill
from lakeschema.translation.emission.spark.text import string
from lakeschema.translation.plan.expressions import Call, RowExpression

_PORTABLE: Final = re.compile(
    r"(?:[^\\\[\](){}+*?&]|\\[.*+?()\[\]{}|^$\\/-]|[+*?](?![+])|\((?!\?)|\(\?(?:[:!=]|<[!=])|\)"
    r"|\[(?:[^\\\[\]&]|\\[-.\]\\])+\]|\{[0-9,]+\}(?!\+))*"
)
"""Patterns that Trino and Java read alike: letters, explicit classes, repetition."""


def _pattern(expression: RowExpression) -> str:
    """The pattern as a literal for Spark.

    Raises:
        UnsupportedConstruct: the pattern is computed, or Java reads it differently.
    """
    text = written(expression)
    if text is None:
        raise refused("a computed pattern")
    shorthand = re.sub(r"\\[dws]", "", text)
    if not _PORTABLE.fullmatch(shorthand):
        raise refused("this pattern")
    # Trino's classes include all scripts.
    return string(text if shorthand == text else f"(?U){text}")


def may_be_skipped(pattern: str, group: int) -> bool:
    """Whether a match may skip the group because of a quantifier or choice; group 0 is the whole."""
    if not group:
        return False
    plain = re.sub(r"\\.|\[(?:\\.|[^\]])*+(?:\]|\Z)", lambda found: "x" * len(found[0]), pattern)
    opened: list[tuple[int, int]] = []
    spans: dict[int, tuple[int, int]] = {}
    number = 0
    for at, character in enumerate(plain):
        if character == "(":
            number += plain[at + 1 : at + 2] != "?"
            opened.append((at, number if plain[at + 1 : at + 2] != "?" else -at - 1))
        elif character == ")" and opened:
            start, key = opened.pop()
            spans[key] = (start, at)
    if group not in spans:
        return True
    start, end = spans[group]
    around = [span for span in spans.values() if span[0] <= start and end <= span[1]]
    quantified = any(plain[e + 1 : e + 2] in {"?", "*", "{"} for _, e in around)
    outer = [span for span in around if span != (start, end)]
    # A choice inside the group does not skip the group.
    inside = [plain[s:e] for s, e in (*outer, (0, len(plain)))]
    own = plain[start : end + 1]
    return quantified or any("|" in part.replace(own, "") for part in inside)


def _regexp(form: str) -> Write:
    def write(call: Call, texts: Sequence[str]) -> str:
        return fill(form, (texts[0], _pattern(call.arguments[1]), *texts[2:]))

    return write


def _regexp_extract(call: Call, texts: Sequence[str]) -> str:
    """Writes REGEXP_EXTRACT: null without a match or if the match skips the group.

    Spark's is empty.
    """
    pattern = _pattern(call.arguments[1])
    group = whole(call.arguments[2]) if len(texts) > 2 else 0
    if group is None or may_be_skipped(written(call.arguments[1]) or "", group):
        raise refused("a group that may not take part in the match")
    found = f"regexp_extract({texts[0]}, {pattern}, {group})"
    return f"if({texts[0]} RLIKE {pattern}, {found}, NULL)"


def _regexp_extract_all(call: Call, texts: Sequence[str]) -> str:
    group = whole(call.arguments[2]) if len(texts) > 2 else 0
    if group is None or may_be_skipped(written(call.arguments[1]) or "", group):
        raise refused("a group that may not take part in the match")
    return f"regexp_extract_all({texts[0]}, {_pattern(call.arguments[1])}, {group})"


def _regexp_replace(call: Call, texts: Sequence[str]) -> str:
    if len(call.arguments) > 2 and written(call.arguments[2]) is None:
        raise refused("a computed replacement")
    instead = texts[2] if len(texts) > 2 else "''"
    return f"regexp_replace({texts[0]}, {_pattern(call.arguments[1])}, {instead})"


PATTERNS: Final[Mapping[str, Write]] = MappingProxyType(
    {
        "regexp_like": _regexp("({0} RLIKE {1})"),
        "regexp_count": _regexp("regexp_count({0}, {1})"),
        "regexp_split": _regexp("split({0}, {1}, -1)"),
        "regexp_extract": _regexp_extract,
        "regexp_extract_all": _regexp_extract_all,
        "regexp_replace": _regexp_replace,
    }
)
