"""Parsing Canonical Form and fingerprints (Avro specification, "Transforming into Parsing Canonical Form").

Two schemas have one canonical form if and only if they read and write the same bytes in the same
way; docs, defaults, aliases, properties and logical types are no part of it.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import assert_never

from avro_schema.model import (
    Array,
    EnumSchema,
    Fixed,
    Json,
    MapSchema,
    Primitive,
    Record,
    Reference,
    Schema,
    Union,
)

_EMPTY = 0xC15D213AA4D7A795


@dataclass(frozen=True, slots=True)
class Fingerprints:
    """Of the canonical form; SHA-256 in hex."""

    crc_64_avro: int
    sha_256: str


def canonical_form(schema: Schema) -> str:
    return json.dumps(_canonical(schema, set()), separators=(",", ":"), ensure_ascii=False)


def crc64_avro(schema: Schema) -> int:
    """The 64-bit Rabin fingerprint of the canonical form, as an unsigned number."""
    return _rabin(canonical_form(schema).encode())


def sha256(schema: Schema) -> str:
    """SHA-256 of the canonical form, in hex."""
    return hashlib.sha256(canonical_form(schema).encode()).hexdigest()


def fingerprints(schema: Schema) -> Fingerprints:
    """Both from one canonical form."""
    text = canonical_form(schema).encode()
    return Fingerprints(_rabin(text), hashlib.sha256(text).hexdigest())


def _rabin(data: bytes) -> int:
    fingerprint, table = _EMPTY, _TABLE
    for byte in data:
        fingerprint = (fingerprint >> 8) ^ table[(fingerprint ^ byte) & 0xFF]
    return fingerprint


def _canonical(schema: Schema, seen: set[str]) -> Json:
    match schema:
        case Primitive(name):
            return name
        case Reference(full_name):
            return full_name
        case Union(branches):
            return [_canonical(branch, seen) for branch in branches]
        case Array(items):
            return {"type": "array", "items": _canonical(items, seen)}
        case MapSchema(values):
            return {"type": "map", "values": _canonical(values, seen)}
        case Record() | EnumSchema() | Fixed():
            if schema.full_name in seen:
                return schema.full_name
            seen.add(schema.full_name)
            return _canonical_definition(schema, seen)
        case _:
            assert_never(schema)


def _canonical_definition(schema: Record | EnumSchema | Fixed, seen: set[str]) -> Json:
    match schema:
        case Record(fields=fields):
            return {
                "name": schema.full_name,
                "type": "record",
                "fields": [{"name": f.name, "type": _canonical(f.type, seen)} for f in fields],
            }
        case EnumSchema(symbols=symbols):
            return {"name": schema.full_name, "type": "enum", "symbols": list(symbols)}
        case Fixed(size=size):
            return {"name": schema.full_name, "type": "fixed", "size": size}
        case _:
            assert_never(schema)


def _table() -> Sequence[int]:
    table: list[int] = []
    for byte in range(256):
        fingerprint = byte
        for _ in range(8):
            fingerprint = (fingerprint >> 1) ^ (_EMPTY if fingerprint & 1 else 0)
        table.append(fingerprint)
    return tuple(table)


_TABLE = _table()
