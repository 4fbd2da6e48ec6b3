"""Writes LIKE patterns and Java's regular expressions for Trino.

Trino uses Joni. Joni's classes and flags are for Unicode, and Java's are for ASCII. So patterns are
rewritten, or refused if that is impossible.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from types import MappingProxyType

from lakeschema.translation.emission.trino.casts import Mode
from lakeschema.translation.emission.trino.given import Given
from lakeschema.translation.emission.trino.letters import small_letters
from lakeschema.translation.emission.trino.text import fails, string

_CLASSES: Mapping[str, str] = MappingProxyType(
    {
        "d": "0-9",
        "w": "a-zA-Z0-9_",
        "s": r" \t\n\x0B\f\r",
        "Alpha": "a-zA-Z",
        "Lower": "a-z",
        "Upper": "A-Z",
        "Digit": "0-9",
        "Alnum": "a-zA-Z0-9",
        "Space": r" \t\n\x0B\f\r",
        "XDigit": "0-9a-fA-F",
        "Punct": r"!-/:-@\[-`{-~",
        "Blank": r" \t",
        "ASCII": r"\x00-\x7F",
    }
)
_SAME = frozenset(
    {
        *("L", "Lu", "Ll", "Lt", "Lm", "Lo", "M", "Mn", "Mc", "Me", "N", "Nd", "Nl", "No"),
        *("P", "S", "Z", "Zs", "Zl", "Zp", "IsL", "IsLu", "IsLl"),
    }
)
_ANY = r"[^\n\r\u0085\u2028\u2029]"
_WORD = "[a-zA-Z0-9_]"
_BOUNDARY = f"(?:(?<={_WORD})(?!{_WORD})|(?<!{_WORD})(?={_WORD}))"
_KEPT = frozenset("tnrfaeAzZG")
_FLAGS = re.compile(r"\(\?([a-zA-Z]+)\)")


class Unshared(Exception):
    """The error for a pattern that Joni would match differently; the message names the part."""


def like(given: Given) -> str:
    """Writes LIKE with the engine's rules for backslashes."""
    fold = given.name == "ilike"
    value = small_letters(given) if fold else given.texts[0]
    return f"({value} LIKE {_like_pattern(given, 1, fold=fold)})"


def like_several(given: Given) -> str:
    """Writes LIKE ANY and LIKE ALL, also with NOT and as ILIKE."""
    words = given.name.replace("_", " ").split()
    fold, every = "ilike" in words or words[0].startswith("ilike"), words[-1].endswith("all")
    value = small_letters(given) if fold else given.texts[0]
    patterns = [_like_pattern(given, i, fold=fold) for i in range(1, len(given.arguments))]
    negated = words[0] == "not"
    if negated and given.mode is not Mode.HIVE:
        joined = (" AND " if every else " OR ").join(f"NOT ({value} LIKE {p})" for p in patterns)
        return f"({joined})"
    joined = (" AND " if every else " OR ").join(f"{value} LIKE {p}" for p in patterns)
    if given.mode is Mode.HIVE:
        # The result is null if any pattern is null; NOT negates the whole result.
        missing = " OR ".join(f"{text} IS NULL" for text in given.texts)
        return f"IF({missing}, NULL, {'NOT ' if negated else ''}({joined}))"
    return f"({joined})"


def _like_pattern(given: Given, index: int, *, fold: bool) -> str:
    escape = "\\"
    if given.name in {"like", "ilike"} and len(given.arguments) > 2:
        escape = given.text_constant(2, "the escape character")
    pattern = given.constant(index)
    if pattern is None:
        return _computed(given, index, escape, fold=fold)
    if escape not in pattern:
        return string(pattern.lower() if fold else pattern)
    whole = "".join(_like_parts(given, pattern, escape))
    return f"{string(whole.lower() if fold else whole)} ESCAPE {string(escape)}"


def _like_parts(given: Given, pattern: str, escape: str) -> list[str]:
    parts = []
    for part in re.findall(f"{re.escape(escape)}?[\\s\\S]|{re.escape(escape)}$", pattern):
        if part[0] != escape or (len(part) == 2 and part[1] in {"%", "_", escape}):
            parts.append(part)
        elif given.mode is Mode.HIVE:
            # Before another character it is literal.
            parts.append(escape * 2 + part[1:])
        else:
            raise given.unsupported("Spark refuses the pattern's escape")
    return parts


def _computed(given: Given, index: int, escape: str, *, fold: bool) -> str:
    text = given.texts[index]
    if escape != "\\":
        raise given.unsupported("a computed pattern with another escape character")
    if given.mode is Mode.HIVE:
        text = rf"regexp_replace({text}, '(\\[%_\\])|\\', m -> coalesce(m[1], '\\'))"
    return f"{small_letters(given, index) if fold else text} ESCAPE '\\'"


def regular(given: Given, index: int) -> str:
    """A constant regular expression, as a literal.

    Raises:
        UnsupportedConstruct: the pattern is computed, or Joni would match differently.
    """
    pattern = given.text_constant(index, "a pattern")
    try:
        return string(translate(pattern))
    except Unshared as found:
        raise given.unsupported(f"pattern {pattern!r:.60} has {found}") from None


def translate(pattern: str) -> str:
    """A Java pattern for Joni.

    Raises:
        Unshared: Joni would match differently.
    """
    return _Translation(pattern).whole()


class _Translation:
    def __init__(self, pattern: str) -> None:
        self._pattern = pattern
        self._place = 0
        self._folds = False
        self._dot = _ANY
        self._depth = 0

    def whole(self) -> str:
        parts = []
        while self._place < len(self._pattern):
            parts.append(self._next())
        return "".join(parts)

    def _next(self) -> str:
        pattern, place = self._pattern, self._place
        flags = _FLAGS.match(pattern, place)
        if flags is not None:
            return self._flag(flags)
        if pattern.startswith("(?", place) and not re.match(
            r"\(\?(?:[:=!>]|<[=!a-zA-Z])", pattern[place:]
        ):
            raise Unshared("flags inside a group")
        character = pattern[place]
        self._place += 1
        match character:
            case "\\":
                return self._escaped(inside=False)
            case "[":
                return self._class()
            case "(":
                self._depth += 1
                return character
            case ")":
                self._depth -= 1
                return character
            case ".":
                return self._dot
            case _:
                return self._letter(character, inside=False)

    def _flag(self, found: re.Match[str]) -> str:
        if self._depth or not set(found[1]) <= set("is"):
            raise Unshared(f"flags {found[0]}")
        self._place = found.end()
        self._folds = self._folds or "i" in found[1]
        if "s" in found[1]:
            self._dot = r"[\s\S]"
        return ""

    def _letter(self, character: str, *, inside: bool) -> str:
        """The text of a character. Java's (?i) is only for ASCII, so letters are written in both cases."""
        if not (self._folds and character.isascii() and character.isalpha()):
            return character
        both = character.lower() + character.upper()
        return both if inside else f"[{both}]"

    def _escaped(self, *, inside: bool) -> str:
        if self._place >= len(self._pattern):
            raise Unshared("a backslash at its end")
        character = self._pattern[self._place]
        self._place += 1
        if character.lower() in {"d", "w", "s"}:
            return self._of_class(_CLASSES[character.lower()], character.isupper(), inside=inside)
        if character in "pP":
            return self._property(negated=character == "P", inside=inside)
        if character == "Q":
            return self._quoted()
        if character in "xu":
            return self._coded(character)
        if character == "b" and not inside:
            return _BOUNDARY
        if character == "k" and not inside:
            return r"\k"
        known = character in _KEPT or character.isdigit() or not character.isalnum()
        if not known or not character.isascii() or character == "0":
            raise Unshared(f"\\{character}")
        return f"\\{character}"

    def _of_class(self, members: str, negated: bool, *, inside: bool) -> str:
        if negated:
            return f"[^{members}]"
        return members if inside else f"[{members}]"

    def _property(self, *, negated: bool, inside: bool) -> str:
        found = re.compile(r"\{(\^?)(\w+)\}|(\w)").match(self._pattern, self._place)
        if found is None:
            raise Unshared("a property without a name")
        self._place = found.end()
        name = found[2] or found[3]
        negated = negated != bool(found[1])
        if name in _CLASSES and len(name) > 1:
            return self._of_class(_CLASSES[name], negated, inside=inside)
        if name not in _SAME or self._folds:
            raise Unshared(f"\\p{{{name}}}")
        return f"\\{'P' if negated else 'p'}{{{name.removeprefix('Is')}}}"

    def _quoted(self) -> str:
        end = self._pattern.find("\\E", self._place)
        text = self._pattern[self._place : end if end >= 0 else None]
        self._place = len(self._pattern) if end < 0 else end + 2
        return "".join(
            self._letter(c, inside=False)
            if c.isalnum() or not c.isascii() or c in " ,_"
            else f"\\{c}"
            for c in text
        )

    def _coded(self, kind: str) -> str:
        digits = 2 if kind == "x" else 4
        found = re.compile(f"[0-9a-fA-F]{{{digits}}}").match(self._pattern, self._place)
        if found is None:
            raise Unshared(f"\\{kind}")
        self._place = found.end()
        character = chr(int(found[0], 16))
        return character if character.isalnum() else f"\\{kind}{found[0]}"

    def _class(self) -> str:
        """A class in brackets; the opening bracket is already taken."""
        parts = ["["]
        if self._pattern.startswith("^", self._place):
            parts.append("^")
            self._place += 1
        first = True
        while self._place < len(self._pattern):
            character = self._pattern[self._place]
            if self._pattern.startswith("[:", self._place):
                raise Unshared("[: in a class")
            self._place += 1
            if character == "]" and not first:
                return "".join((*parts, "]"))
            first = False
            if character == "[":
                parts.append(self._class())
            elif character == "\\":
                parts.append(self._escaped(inside=True))
            else:
                parts.append(self._range(character))
        raise Unshared("a class without its end")

    def _range(self, character: str) -> str:
        found = re.compile(r"-([^\]\[\\])").match(self._pattern, self._place)
        if found is None or not self._folds:
            return self._letter(character, inside=True)
        self._place = found.end()
        low, high = character, found[1]
        text = f"{low}-{high}"
        if (
            low.isalpha()
            and high.isalpha()
            and low.islower() == high.islower()
            and (low + high).isascii()
        ):
            return f"{low.lower()}-{high.lower()}{low.upper()}-{high.upper()}"
        if low.isdigit() and high.isdigit():
            return text
        raise Unshared(f"the range {text} without case")


def matches_empty(pattern: str) -> bool:
    """Whether a pattern matches an empty text, as far as Python can tell; otherwise True."""
    try:
        return re.match(pattern.replace("++", "+").replace("*+", "*"), "") is not None
    except re.error:
        return True


def rlike(given: Given) -> str:
    """Writes RLIKE; in Hive no text matches the empty pattern."""
    if given.mode is Mode.HIVE and given.constant(1) == "":
        return given.fill("CASE WHEN {0} IS NOT NULL THEN false END")
    return f"regexp_like({given.texts[0]}, {regular(given, 1)})"


def regexp_replace(given: Given) -> str:
    if len(given.arguments) > 3:
        raise given.unsupported("a position to start from")
    return f"regexp_replace({given.texts[0]}, {regular(given, 1)}, {given.texts[2]})"


def regexp_extract(given: Given) -> str:
    """Writes REGEXP_EXTRACT; without a match it is empty, not null."""
    group = given.texts[2] if len(given.arguments) > 2 else "1"
    pattern = regular(given, 1)
    at = group if _INTEGER.fullmatch(group) else "{2}"
    found = f"coalesce(regexp_extract({{0}}, {pattern}, {at}), '')"
    if _lacks(pattern, group):
        refused = fails(_NO_GROUP, "varchar")
        found = f"CASE WHEN regexp_like({{0}}, {pattern}) THEN {refused} ELSE '' END"
    elif _INTEGER.fullmatch(group) is None:
        # A missing group only matters if the pattern matches.
        if given.mode is Mode.HIVE:
            found = f"IF({{2}} IS NULL, {fails(_NO_GROUP, 'varchar')}, {found})"
        found = f"IF(regexp_like({{0}}, {pattern}), {found}, '')"
        if given.mode.is_spark:
            found = f"CASE WHEN {{2}} IS NOT NULL THEN {found} END"
    return given.fill(f"CASE WHEN {{0}} IS NOT NULL THEN {found} END")


_NO_GROUP = "a group that the pattern does not have"
_INTEGER = re.compile(r"-?\d+")
_GROUP = re.compile(r"\\.|\[(?:\\.|[^\]\\])*+(?:\]|\Z)|(\((?!\?)|\(\?<(?![=!]))")


def _lacks(pattern: str, group: str) -> bool:
    """Whether the pattern lacks the group.

    Trino fails at once, the view's engine only at a match.
    """
    groups = sum(found[1] is not None for found in _GROUP.finditer(pattern))
    return _INTEGER.fullmatch(group) is not None and not 0 <= int(group) <= groups


def regexp_extract_all(given: Given) -> str:
    group = given.texts[2] if len(given.arguments) > 2 else "1"
    pattern = regular(given, 1)
    if _lacks(pattern, group):
        refused, none = fails(_NO_GROUP, "array(varchar)"), "CAST(ARRAY[] AS array(varchar))"
        return given.fill(
            f"CASE WHEN regexp_like({{0}}, {pattern}) THEN {refused} WHEN {{0}} IS NOT NULL THEN {none} END"
        )
    found = f"regexp_extract_all({given.texts[0]}, {pattern}, {group})"
    return f"transform({found}, e -> coalesce(e, ''))"


def regexp_count(given: Given) -> str:
    return f"CAST(regexp_count({given.texts[0]}, {regular(given, 1)}) AS integer)"


def regexp_substr(given: Given) -> str:
    return f"regexp_extract({given.texts[0]}, {regular(given, 1)})"


def regexp_instr(given: Given) -> str:
    if len(given.arguments) > 2:
        raise given.unsupported("a group")
    position = f"regexp_position({given.texts[0]}, {regular(given, 1)})"
    return f"CAST(greatest({position}, 0) AS integer)"


def split(given: Given) -> str:
    """Writes SPLIT by a regular expression; empty parts at the end stay."""
    pattern = given.text_constant(1, "a pattern")
    if pattern == "":
        parts = "regexp_split({0}, '(?!^)(?!$)')"
        if given.mode is Mode.HIVE:
            # Hive also splits at the end.
            parts = f"IF({{0}} = '', ARRAY[''], concat({parts}, ARRAY['']))"
        return given.fill(parts)
    if matches_empty(pattern):
        raise given.unsupported(f"pattern {pattern!r:.60} matches an empty text")
    if len(given.arguments) > 2:
        limit = int(given.text_constant(2, "a limit"))
        if limit > 0:
            return _limited(given, pattern, limit)
    return f"regexp_split({given.texts[0]}, {regular(given, 1)})"


def _limited(given: Given, pattern: str, limit: int) -> str:
    plain = re.sub(r"\\([^\w])", r"\1", pattern)
    if re.search(r"[\\.\[\](){}*+?^$|]", re.sub(r"\\[^\w]", "", pattern)):
        raise given.unsupported("a limit requires a pattern without special characters")
    return f"split({given.texts[0]}, {string(plain)}, {limit})"
