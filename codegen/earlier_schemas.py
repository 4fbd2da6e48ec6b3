"""Makes the file of a package that lists the schemas of the package's earlier versions.

Readers look up a message's schema in the file by fingerprint, which ignores logical types. Schemas
with the same fingerprint but different logical types are all listed, so that a reader sees that the
schema is ambiguous.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import Any, Final

from codegen.package import EarlierSchema
from lakeschema.avro.definitions import parts
from lakeschema.avro.fingerprint import crc64_avro
from lakeschema.avro.model import Fixed, LogicalType, Primitive, Schema

FILE: Final = "earlier_schemas.json"

MAX_VERSIONS: Final = 64
"""The maximum number of a package's versions, from the newest on, that the next version lists."""

MAX_BYTES: Final = 256 * 1024
"""The maximum size of all listed texts together. The oldest schemas beyond it are left out."""


def earlier_schemas(
    published: Iterable[tuple[str, str, Schema]], own: Schema
) -> tuple[EarlierSchema, ...]:
    """The earlier versions' schemas for a package with the schema ``own``.

    ``published`` has number, text and schema of each version, newest first.
    """
    own_meaning = _meaning(own)
    by_meaning: dict[tuple[int, _Logical], list[tuple[str, str]]] = {}
    for number, text, schema in published:
        meaning = _meaning(schema)
        if meaning != own_meaning:
            by_meaning.setdefault(meaning, []).append((number, text))
    by_fingerprint: dict[int, list[EarlierSchema]] = {}
    for (fingerprint, _), versions in by_meaning.items():
        numbers = tuple(number for number, _ in versions)
        listed = EarlierSchema(numbers, fingerprint, versions[0][1])
        by_fingerprint.setdefault(fingerprint, []).append(listed)
    return _within_bounds(by_fingerprint.values())


_Logical = tuple[LogicalType | None, ...]


def _meaning(schema: Schema) -> tuple[int, _Logical]:
    """The fingerprint of a schema, and its logical types, which the fingerprint ignores."""
    logical = [part.logical for part in parts(schema) if isinstance(part, Primitive | Fixed)]
    return crc64_avro(schema), tuple(logical)


def _within_bounds(groups: Iterable[Sequence[EarlierSchema]]) -> tuple[EarlierSchema, ...]:
    """The schemas within the limits.

    Schemas with the same fingerprint are kept or dropped together.
    """
    kept: list[EarlierSchema] = []
    size = 0
    for group in groups:
        size += sum(len(each.text.encode()) for each in group)
        if size > MAX_BYTES:
            break
        kept += group
    return tuple(kept)


def to_file(schemas: Sequence[EarlierSchema]) -> bytes:
    lines = [
        json.dumps(
            {
                "versions": each.versions,
                "crc-64-avro": f"{each.crc_64_avro:016x}",
                "schema": each.text,
            }
        )
        for each in schemas
    ]
    return ("[\n" + ",\n".join(lines) + "\n]\n").encode()


def from_file(data: bytes) -> tuple[EarlierSchema, ...]:
    """The earlier schemas in the file of a wheel that lists them.

    Raises:
        ValueError, TypeError, KeyError: the file is not a list of earlier schemas.
    """
    listed = json.loads(data)
    if not isinstance(listed, list):
        raise TypeError("expected a list of schemas")
    return tuple(map(_from_json, listed))


def _from_json(value: dict[str, Any]) -> EarlierSchema:
    numbers, text = value["versions"], value["schema"]
    if not isinstance(text, str) or not all(isinstance(number, str) for number in numbers):
        raise TypeError("expected versions and a schema as text")
    # Raises for half of a surrogate pair, which JSON can express, but no state or file can store.
    text.encode()
    return EarlierSchema(tuple(numbers), int(value["crc-64-avro"], 16), text)
