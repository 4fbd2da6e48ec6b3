"""Relation names as values, lower-cased once, since Hive compares names regardless of case."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from lakeschema.catalog.errors import MalformedName

_PLAIN = re.compile(r"[a-z0-9_]+", re.ASCII)
_PART = re.compile(r"`((?:[^`]|``)+)`|([^`.\s]+)")

MAX_PART_LENGTH = 1024
"""The maximum for names in requests: metastores close the connection on very long ones."""


def check_parts(parts: Iterable[str]) -> None:
    """Checks that names from an untrusted source can be stored and sent to a catalog.

    Raises:
        MalformedName: one is empty, too long, or cannot be stored.
    """
    for part in parts:
        if not part or len(part) > MAX_PART_LENGTH or not _is_storable(part):
            raise MalformedName(part)


def parts_of_one(parts: tuple[str, ...]) -> tuple[str, ...]:
    """Splits a whole name in one pair of back-ticks, as printed by Athena and by Hive before 4.

    ```db.t``` is ``db.t``: no metastore allows a dot in a relation's name.
    """
    if len(parts) != 1:
        return parts
    namespace, dot, name = parts[0].partition(".")
    return (namespace, name) if namespace and dot and name and "." not in name else parts


def _is_storable(text: str) -> bool:
    """False for lone surrogates, which UTF-8 cannot express, and for NUL.

    JSON can express both. SQLite ends JSON text at a NUL, and PostgreSQL cannot store one.
    """
    if "\0" in text:
        return False
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True


@dataclass(frozen=True, slots=True, order=True)
class RelationName:
    """A table or view, lower-cased because Hive compares names that way.

    ``str`` of it is injective: parts that are not plain words are quoted with back-ticks. So the
    text can serve as a key, and ``parse`` reads it back.
    """

    namespace: tuple[str, ...]
    name: str

    @classmethod
    def of(cls, *parts: str) -> RelationName:
        """``RelationName.of("db", "Table")``: the last part is the name, the rest its namespace.

        Raises:
            MalformedName: there is no part, or one is empty.
        """
        if not parts or not all(parts):
            raise MalformedName(".".join(parts))
        *namespace, name = (part.lower() for part in parts)
        return cls(tuple(namespace), name)

    @classmethod
    def parse(cls, text: str, current_namespace: tuple[str, ...] = ()) -> RelationName:
        """Reads ``db.table``, with back-ticks around parts that are not plain words.

        A name of one part is in ``current_namespace``.

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
                break
            if text[position] != ".":
                raise MalformedName(text)
            position += 1
        if len(parts) == 1:
            parts = [*current_namespace, *parts]
        return cls.of(*parts)

    @property
    def parts(self) -> tuple[str, ...]:
        return (*self.namespace, self.name)

    def __str__(self) -> str:
        return ".".join(_quoted(part) for part in self.parts)


def _quoted(part: str) -> str:
    return part if _PLAIN.fullmatch(part) else "`" + part.replace("`", "``") + "`"
