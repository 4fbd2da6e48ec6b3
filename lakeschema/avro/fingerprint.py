"""Parsing Canonical Form and fingerprints (Avro specification, "Transforming into Parsing Canonical Form").

Two schemas have the same canonical form if and only if they read and write the same bytes in the
same way. Docs, defaults, aliases, properties and logical types are not part of it.
"""

from __future__ import annotations

import hashlib
import struct
from collections.abc import Sequence
from dataclasses import dataclass
from typing import assert_never

from lakeschema.avro.json_text import compact
from lakeschema.avro.model import (
    Array,
    EnumSchema,
    Fixed,
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
    """Both fingerprints of the canonical form; SHA-256 in hex."""

    crc_64_avro: int
    sha_256: str


def canonical_form(schema: Schema) -> str:
    return _canonical(schema, set())


def crc64_avro(schema: Schema) -> int:
    """The 64-bit Rabin fingerprint of the canonical form, as an unsigned number."""
    return _rabin(canonical_form(schema).encode())


def sha256(schema: Schema) -> str:
    """SHA-256 of the canonical form, in hex."""
    return hashlib.sha256(canonical_form(schema).encode()).hexdigest()


def fingerprints(schema: Schema) -> Fingerprints:
    """Both fingerprints from a single canonical form."""
    text = canonical_form(schema).encode()
    return Fingerprints(_rabin(text), hashlib.sha256(text).hexdigest())


def _rabin(data: bytes) -> int:
    """The Rabin fingerprint, eight bytes at a time ("slicing by 8", Intel 2006)."""
    fingerprint, whole = _EMPTY, len(data) & ~7
    t0, t1, t2, t3, t4, t5, t6, t7 = _TABLES
    for (eight,) in _WORD.iter_unpack(data[:whole]):
        b0, b1, b2, b3, b4, b5, b6, b7 = (eight ^ fingerprint).to_bytes(8, "little")
        fingerprint = t7[b0] ^ t6[b1] ^ t5[b2] ^ t4[b3] ^ t3[b4] ^ t2[b5] ^ t1[b6] ^ t0[b7]
    for byte in data[whole:]:
        fingerprint = (fingerprint >> 8) ^ t0[(fingerprint ^ byte) & 0xFF]
    return fingerprint


def _canonical(schema: Schema, seen: set[str]) -> str:
    match schema:
        case Primitive(name):
            return f'"{name}"'
        case Union(branches):
            return f"[{','.join([_canonical(branch, seen) for branch in branches])}]"
        case Array(items):
            return f'{{"type":"array","items":{_canonical(items, seen)}}}'
        case MapSchema(values):
            return f'{{"type":"map","values":{_canonical(values, seen)}}}'
        case Reference(full_name):
            return compact(full_name)
        case Record() | EnumSchema() | Fixed():
            if schema.full_name in seen:
                return compact(schema.full_name)
            seen.add(schema.full_name)
            return _canonical_definition(schema, seen)
        case _:
            assert_never(schema)


def _canonical_definition(schema: Record | EnumSchema | Fixed, seen: set[str]) -> str:
    name = compact(schema.full_name)
    match schema:
        case Record(fields=fields):
            parts = [
                f'{{"name":{compact(f.name)},"type":{_canonical(f.type, seen)}}}' for f in fields
            ]
            return f'{{"name":{name},"type":"record","fields":[{",".join(parts)}]}}'
        case EnumSchema(symbols=symbols):
            return f'{{"name":{name},"type":"enum","symbols":{compact(list(symbols))}}}'
        case Fixed(size=size):
            return f'{{"name":{name},"type":"fixed","size":{size}}}'
        case _:
            assert_never(schema)


def _table() -> tuple[int, ...]:
    table: list[int] = []
    for byte in range(256):
        fingerprint = byte
        for _ in range(8):
            fingerprint = (fingerprint >> 1) ^ (_EMPTY if fingerprint & 1 else 0)
        table.append(fingerprint)
    return tuple(table)


def _tables() -> Sequence[tuple[int, ...]]:
    """The tables of fingerprints: for a byte followed by 0 to 7 other bytes."""
    tables: list[tuple[int, ...]] = [_table()]
    for _ in range(7):
        tables.append(tuple((entry >> 8) ^ tables[0][entry & 0xFF] for entry in tables[-1]))
    return tables


_TABLES = _tables()
_WORD = struct.Struct("<Q")
