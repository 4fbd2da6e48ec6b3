"""Names of relations and namespaces as values. Each name contains its catalog."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache

from lakeschema.catalog.errors import MalformedName

_PLAIN = re.compile(r"[a-z0-9_]+", re.ASCII)
_PART = re.compile(r"`((?:[^`]|``)+)`|([^`.\s]+)")

MAX_PART_LENGTH = 1024
"""The maximum for names in requests: metastores close the connection on very long ones."""


def check_parts(parts: Iterable[str]) -> None:
    """Checks that names from an untrusted source can be stored and sent to a catalog.

    Raises:
        MalformedName: a part is empty, too long, or cannot be stored.
    """
    for part in parts:
        if not part or len(part) > MAX_PART_LENGTH or not _is_storable(part):
            raise MalformedName(part)


def parts_of_one(parts: tuple[str, ...]) -> tuple[str, ...]:
    """Splits a name in one pair of back-ticks, as printed by Athena and by Hive before 4.

    So ```db.t``` is ``db.t``: no metastore allows a dot in a relation's name.
    """
    if len(parts) != 1:
        return parts
    namespace, dot, name = parts[0].partition(".")
    return (namespace, name) if namespace and dot and name and "." not in name else parts


def _is_storable(text: str) -> bool:
    """Whether a text can be stored: it has neither a NUL nor a lone surrogate.

    JSON can express both. SQLite ends JSON text at a NUL, PostgreSQL cannot store a NUL, and UTF-8 has
    no form for a lone surrogate.
    """
    if "\0" in text:
        return False
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True


_CATALOG_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_-]{0,63}", re.ASCII)
_KEY_CATALOG = re.compile(r"([A-Za-z][A-Za-z0-9_-]{0,63}):", re.ASCII)


def is_catalog_name(text: str) -> bool:
    """Whether a deployment may give this name to a catalog: a letter, then letters, digits, ``_``, ``-``."""
    return _CATALOG_NAME.fullmatch(text) is not None


@dataclass(frozen=True, slots=True, order=True)
class Namespace:
    """A namespace of a deployment's catalog.

    Different namespaces have different ``str``, and ``from_key`` reads it back: ``sales`` in the default catalog,
    ``prod:sales.eu`` in the catalog ``prod``, and ``prod:`` for that catalog's empty namespace.

    Attributes:
        levels: from the outermost to the innermost.
        catalog: the catalog's name; "" is the default catalog.
    """

    levels: tuple[str, ...]
    catalog: str = ""

    @classmethod
    def from_key(cls, text: str) -> Namespace:
        """The namespace that ``str`` wrote.

        Raises:
            MalformedName: the text is not such a name.
        """
        catalog, parts = _read_key(text)
        return cls(tuple(parts), catalog)

    def __str__(self) -> str:
        return _key(self.catalog, self.levels)


@dataclass(frozen=True, slots=True, order=True)
class RelationName:
    """The name of a table or view in a deployment's catalog.

    Different names have different ``str``: parts that are not plain words are quoted with back-ticks,
    and ``prod:`` comes before a name in the catalog ``prod``. So the text can serve as a key;
    ``from_key`` reads it back.

    Attributes:
        namespace: the levels of its namespace, in the letter case by which the catalog compares.
        name: its last part, in the same letter case.
        catalog: the catalog's name; "" is the default catalog.
    """

    namespace: tuple[str, ...]
    name: str
    catalog: str = ""

    @classmethod
    def of(cls, *parts: str) -> RelationName:
        """The name for ``RelationName.of("db", "Table")``: ``table`` in the namespace ``db``.

        It is in the default catalog and lower-cased, because Hive compares names that way.

        Raises:
            MalformedName: there are no parts, or a part is empty.
        """
        if not parts or not all(parts):
            raise MalformedName(".".join(parts))
        *namespace, name = (part.lower() for part in parts)
        return cls(tuple(namespace), name)

    @classmethod
    def parse(cls, text: str, current_namespace: tuple[str, ...] = ()) -> RelationName:
        """Reads ``db.table`` as a person writes it, with back-ticks around parts that are not plain words.

        A name of one part is in ``current_namespace``. The result is lower-cased like that of
        ``of``. A name with a catalog, such as ``prod:sales.orders``, is read as by ``from_key``.

        Raises:
            MalformedName: the text is not a dotted name.
        """
        if _KEY_CATALOG.match(text):
            return cls.from_key(text)
        parts = parts_of_text(text)
        if len(parts) == 1:
            parts = (*current_namespace, *parts)
        return cls.of(*parts)

    @classmethod
    def from_key(cls, text: str) -> RelationName:
        """The name that ``str`` wrote; the letter case stays.

        Raises:
            MalformedName: the text is not such a name.
        """
        catalog, parts = _read_key(text)
        if not parts:
            raise MalformedName(text)
        return cls(parts[:-1], parts[-1], catalog)

    @classmethod
    def from_json(cls, value: Sequence[str] | str) -> RelationName:
        """The name that ``to_json`` wrote. Letter case is kept."""
        if isinstance(value, str):
            return cls.from_key(value)
        *namespace, name = value
        return cls(tuple(namespace), name)

    def to_json(self) -> list[str] | str:
        """The parts of a name in the default catalog; the key of a name in another catalog."""
        return str(self) if self.catalog else list(self.parts)

    @property
    def parts(self) -> tuple[str, ...]:
        """The namespace's levels and the name, without the catalog."""
        return (*self.namespace, self.name)

    @property
    def place(self) -> Namespace:
        """The namespace with its catalog."""
        return Namespace(self.namespace, self.catalog)

    def __str__(self) -> str:
        return _key(self.catalog, self.parts)


def parts_of_text(text: str) -> tuple[str, ...]:
    """The parts of a dotted name, without their back-ticks.

    Raises:
        MalformedName: the text is not a dotted name.
    """
    parts: list[str] = []
    position = 0
    while True:
        match = _PART.match(text, position)
        if match is None:
            raise MalformedName(text)
        quoted, plain = match.groups()
        parts.append(quoted.replace("``", "`") if quoted is not None else plain)
        position = match.end()
        if position == len(text):
            return tuple(parts)
        if text[position] != ".":
            raise MalformedName(text)
        position += 1


@lru_cache(maxsize=16_384)
def _key(catalog: str, parts: tuple[str, ...]) -> str:
    text = ".".join(quoted_part(part) for part in parts)
    return f"{catalog}:{text}" if catalog else text


def _read_key(text: str) -> tuple[str, tuple[str, ...]]:
    # Parts with a colon are quoted, so that only a catalog ends in one.
    match = _KEY_CATALOG.match(text)
    catalog, rest = (match[1], text[match.end() :]) if match else ("", text)
    return catalog, parts_of_text(rest) if rest else ()


def quoted_part(part: str) -> str:
    """A part of a name in text: in back-ticks, unless it is a plain word in lower case."""
    return part if _PLAIN.fullmatch(part) else "`" + part.replace("`", "``") + "`"
