"""Replaces the LOADs of views in a user's script by the views' own statements.

The rest of the script stays as it is, comments and strings included. Only statements outside macros
and nested blocks are considered, and only loads by HCatLoader: any other path is a file.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Final, NamedTuple

from lakeschema.catalog.identifiers import RelationName
from lakeschema.translation.emission.pig.script import PigScript
from lakeschema.translation.model.errors import UnsupportedConstruct
from lakeschema.translation.syntax.lexing import MAX_TOKENS, too_many_tokens

_TOKEN: Final = re.compile(
    # An unclosed comment takes the rest of the script, so that its end is searched for only once.
    r"(?P<space>\s+|--[^\r\n]*|/\*(?:.*?\*/|.*))"
    r"|(?P<text>'(?:[^'\\]|\\.)*+(?:'|\Z))"
    r"|(?P<command>`[^`]*(?:`|\Z))"
    r"|(?P<word>[A-Za-z_][A-Za-z0-9_]*)"
    # Several other characters in a row are one mark.
    r"|(?P<mark>[-/{};=()]|[^\s\w'`{};=()/-]+|.)",
    re.DOTALL,
)
_HCAT_LOADERS: Final = frozenset(
    {"org.apache.hive.hcatalog.pig.hcatloader", "org.apache.hcatalog.pig.hcatloader", "hcatloader"}
)
_RELATION: Final = re.compile(r"\w+(?:\.\w+)*")

WriteView = Callable[[RelationName, str, frozenset[str]], PigScript]
"""Writes the script of a view; gets the alias for its rows, and the names that it must not use."""


class _Token(NamedTuple):
    kind: str
    text: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class _Load:
    """A statement that loads by HCatLoader: its alias, its path, and its place in the script."""

    alias: str
    path: str
    start: int
    end: int
    has_schema: bool


def with_views_replaced(
    script: str, is_view: Callable[[RelationName], bool], write: WriteView
) -> str:
    """The script with each LOAD of a view replaced by statements, so that it only reads tables.

    Raises:
        UnsupportedConstruct: the script gives a loaded view a schema.
        TranslationError: a view cannot be written for Pig.
    """
    tokens = list(_tokens(script))
    taken = frozenset(token.text for token in tokens if token.kind == "word")
    parts: list[str] = []
    place = 0
    for load in _loads(tokens):
        name = _relation(load.path)
        if name is None or not is_view(name):
            continue
        if load.has_schema:
            raise UnsupportedConstruct(
                f"LOAD of view {name} with AS", hint="name the columns in a separate FOREACH"
            )
        made = write(name, load.alias, taken)
        taken |= {token.text for token in _tokens(made.text) if token.kind == "word"}
        parts += (script[place : load.start], "\n".join((*made.defines, *made.statements)))
        place = load.end
    return "".join((*parts, script[place:]))


def relations_loaded(script: str) -> tuple[RelationName, ...]:
    """The relations that the script loads by HCatLoader, in order."""
    names = (_relation(load.path) for load in _loads(list(_tokens(script))))
    return tuple(dict.fromkeys(name for name in names if name is not None))


def _relation(path: str) -> RelationName | None:
    if _RELATION.fullmatch(path) is None:
        return None
    return RelationName.parse(path, current_namespace=("default",))


def _tokens(script: str) -> Iterator[_Token]:
    """The tokens of a script. Raises ``TooLarge`` if there are too many."""
    for count, match in enumerate(_TOKEN.finditer(script)):
        if count > MAX_TOKENS:
            raise too_many_tokens()
        kind = str(match.lastgroup)
        if kind != "space":
            yield _Token(kind, match[0], match.start(), match.end())


def _loads(tokens: list[_Token]) -> Iterator[_Load]:
    depth, statement = 0, list[_Token]()
    for token in tokens:
        if token.kind == "mark" and token.text in "{}":
            depth += 1 if token.text == "{" else -1
        statement.append(token)
        if token.kind == "mark" and token.text == ";" and depth == 0:
            found = _load(statement)
            if found is not None:
                yield found
            statement = []
        elif token.kind == "mark" and token.text == "}" and depth == 0:
            # A FOREACH with a block, or a macro, may end without a semicolon.
            statement = []


def _load(statement: list[_Token]) -> _Load | None:
    match statement:
        case [
            _Token("word", alias, start),
            _Token("mark", "="),
            _Token("word", load),
            _Token("text", path),
            _Token("word", using),
            *rest,
            _Token("mark", ";", _, end),
        ] if (load.upper(), using.upper()) == ("LOAD", "USING"):
            loader, schema = _loader(rest)
            if loader not in _HCAT_LOADERS:
                return None
            return _Load(alias, path[1:-1], start, end, schema)
        case _:
            return None


def _loader(rest: list[_Token]) -> tuple[str, bool]:
    """The loader's class in a LOAD, in lower case, and whether the LOAD states a schema."""
    texts = [token.text for token in rest]
    end = texts.index("(") if "(" in texts else len(texts)
    words = [t for t in texts if t.upper() == "AS"]
    name = "".join(texts[: end if not words else min(end, texts.index(words[0]))])
    return name.lower(), bool(words)
