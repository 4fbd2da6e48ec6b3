"""Decides which arrays of keys and values become dicts.

A dict needs keys that Python can hash and compares as Avro does. So an array whose keys are records,
arrays, maps or unions stays a list of records. An array also stays a list if the record of its entries
is used elsewhere, too, or if a union contains both the array and a map.
"""

from __future__ import annotations

from collections.abc import Mapping

from lakeschema.avro.definitions import definitions, parts
from lakeschema.avro.key_value_maps import is_key_value_array, key_and_value
from lakeschema.avro.model import (
    Array,
    EnumSchema,
    Fixed,
    MapSchema,
    NamedSchema,
    NoDefault,
    Primitive,
    Record,
    Reference,
    Schema,
    Union,
)


def dict_entries(root: Record) -> frozenset[str]:
    """The full names of records that are only entries of dicts. These records need no class."""
    found = parts(root)
    arrays = [part for part in found if isinstance(part, Array) and is_key_value_array(part)]
    if not arrays:
        return frozenset()
    named = definitions(root)
    within_maps = {_name(array.items) for array in arrays}
    elsewhere = {root.full_name} | {
        name for part in found for inner in _other_uses(part) if (name := _name(inner))
    }
    return frozenset(
        name
        for name in within_maps - elsewhere
        if name and _is_entry(named[name], named) and not _is_recursive(name, named)
    )


def _name(schema: Schema) -> str:
    return schema.full_name if isinstance(schema, Record | Reference) else ""


def _other_uses(part: Schema) -> list[Schema]:
    """The types directly inside ``part``, without the entries of an array that may become a dict."""
    match part:
        case Array(items):
            return [] if is_key_value_array(part) else [items]
        case MapSchema(values):
            return [values]
        case Record(fields=fields):
            return [field.type for field in fields]
        case Union(branches):
            # A dict would be written as the union's first branch whose class is dict, perhaps the map.
            has_map = any(isinstance(branch, MapSchema) for branch in branches)
            beside = [b.items for b in branches if has_map and isinstance(b, Array)]
            return [*branches, *beside]
        case _:
            return []


def _is_entry(schema: NamedSchema, named: Mapping[str, NamedSchema]) -> bool:
    fields = key_and_value(schema) if isinstance(schema, Record) else None
    if fields is None:
        return False
    key, _ = fields
    type_ = named[key.type.full_name] if isinstance(key.type, Reference) else key.type
    return isinstance(key.default, NoDefault) and _is_hashable(type_)


def _is_hashable(schema: Schema) -> bool:
    match schema:
        case Primitive(name):
            return name != "null"
        case Fixed(size=size):
            # A key without bytes might make an entry without bytes. Then the input's length would not
            # limit the number of entries.
            return size > 0
        case EnumSchema():
            return True
        case _:
            return False


def _is_recursive(name: str, named: Mapping[str, NamedSchema]) -> bool:
    """Whether an entry contains entries of the same kind."""
    waiting, met = [name], set[str]()
    while waiting:
        for part in parts(named[waiting.pop()])[1:]:
            inner = _name(part)
            if inner == name:
                return True
            if isinstance(part, Reference) and inner not in met:
                met.add(inner)
                waiting.append(inner)
    return False
