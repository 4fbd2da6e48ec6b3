"""Finds records whose values take no bytes: the length of an input does not limit their number."""

from __future__ import annotations

from collections.abc import Mapping

from codegen.errors import UnfitSchema
from codegen.runtime.empty_items import MAX_EMPTY_ITEMS
from lakeschema.avro.definitions import definitions
from lakeschema.avro.model import Fixed, NamedSchema, Primitive, Record, Reference, Schema


def check_zero_byte_records(schema: Record) -> None:
    """Refuses schemas that no package can decode in bounded time.

    Raises:
        UnfitSchema: decoding zero bytes would construct too many values.
    """
    named = definitions(schema)
    counts: dict[str, int] = {}
    for full_name, definition in named.items():
        if _values_in(definition, named, counts) > MAX_EMPTY_ITEMS:
            raise UnfitSchema(full_name, f"contains more than {MAX_EMPTY_ITEMS} zero-byte values")


def _values_in(schema: Schema, named: Mapping[str, NamedSchema], counts: dict[str, int]) -> int:
    """The number of values in a value of this type, including the value itself; 0 if it takes bytes."""
    match schema:
        case Primitive("null"):
            return 1
        case Fixed(size=0):
            return 1
        case Reference(full_name) if full_name in named:
            return _values_in(named[full_name], named, counts)
        case Record(fields=fields, full_name=full_name):
            if full_name not in counts:
                # A record that directly contains itself, without an array or a union between, has no values.
                counts[full_name] = 0
                parts = [_values_in(field.type, named, counts) for field in fields]
                counts[full_name] = 1 + sum(parts) if all(parts) else 0
            return counts[full_name]
        case _:
            return 0
