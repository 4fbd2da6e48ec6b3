"""SQL names as Avro names, and back: injective, readable where the name is an ordinary word."""

from __future__ import annotations

import re
from collections.abc import Mapping
from types import MappingProxyType

from lakeschema.avro.model import NO_PROPERTIES, Json, Record
from lakeschema.avro.parsing import PRIMITIVE_TYPES, is_name
from lakeschema.catalog.identifiers import RelationName

ORIGINAL_NAME = "original-name"
"""The property that keeps a name which had to be made legal."""

_ESCAPE = re.compile(r"_x([0-9A-F]{2})")


def legal_name(name: str) -> str:
    """The name with every byte of its UTF-8 that Avro does not allow written ``_xHH``.

    A name that itself contains such an escape has it escaped, so that ``original_name`` reads
    every legal name back and two names never become one.

    Raises:
        ValueError: the name is empty.
    """
    if not name:
        raise ValueError("a name is empty")
    if is_name(name) and "_x" not in name:
        return name
    escaped = _ESCAPE.sub(lambda match: "_x5Fx" + match.group(1), name)
    bytes_ = "".join(
        character if character.isascii() and (character.isalnum() or character == "_")
        else "".join(f"_x{byte:02X}" for byte in character.encode("utf-8", "surrogatepass"))
        for character in escaped
    )  # fmt: skip
    return f"_x{ord(bytes_[0]):02X}{bytes_[1:]}" if bytes_[0].isdigit() else bytes_


def original_name(legal: str) -> str:
    """The name that ``legal_name`` made legal."""
    data = b"".join(
        bytes.fromhex(piece) if index % 2 else piece.encode()
        for index, piece in enumerate(_ESCAPE.split(legal))
    )
    return data.decode("utf-8", "surrogatepass")


def type_name(name: str) -> str:
    """A legal name for a type: no primitive type's, which nothing else may be called."""
    legal = legal_name(name)
    return f"_x{ord(legal[0]):02X}{legal[1:]}" if legal in PRIMITIVE_TYPES else legal


def name_properties(name: str, legal: str) -> Mapping[str, Json]:
    return NO_PROPERTIES if name == legal else MappingProxyType({ORIGINAL_NAME: name})


def record_name(relation: RelationName) -> str:
    """``SingleUniontypes`` for ``single_uniontypes``; the namespace keeps the exact name."""
    words = [word for word in re.split(r"[^A-Za-z0-9]+", relation.name) if word]
    camel = "".join(word[0].upper() + word[1:] for word in words)
    return legal_name(camel or relation.name)


def relation_namespace(relation: RelationName) -> str:
    """``db.table``: two relations never share it."""
    return ".".join(legal_name(part) for part in relation.parts)


def lowered(names: tuple[str, ...]) -> tuple[str, ...]:
    """The names in lower case, as Hive keeps them, or as they are where that would join two."""
    lower = tuple(name.lower() for name in names)
    return lower if len(set(lower)) == len(lower) else names


def has_case_twins(record: Record) -> bool:
    """Whether two of the record's fields differ by case only."""
    return len({field.name.lower() for field in record.fields}) < len(record.fields)
