"""Iceberg's fields by their ids: paths, former names and default values, as properties of a relation.

A path has the names of Iceberg's own readers: ``s.x`` in a struct, ``l.element``, ``m.key`` and
``m.value``. Back-ticks quote a name that is not a plain word, so that a path is unambiguous.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from lakeschema.catalog.iceberg_types import MAX_DEPTH, name_of

FIELD_IDS = "iceberg.field-ids"
FORMER_NAMES = "iceberg.former-names"
FORMER_IDS = "iceberg.former-ids"
DEFAULTS = "iceberg.defaults"
ELEMENT, KEY, VALUE = "element", "key", "value"
INITIAL, WRITE = "initial", "write"

_PLAIN = re.compile(r"\w+", re.ASCII)
_TOP = None


def path_text(parts: Sequence[str]) -> str:
    """A path as text. Different paths have different texts."""
    return ".".join(
        part if _PLAIN.fullmatch(part) else "`" + part.replace("`", "``") + "`" for part in parts
    )


@dataclass(frozen=True, slots=True)
class FieldInPlace:
    """A field of a schema, at any depth.

    Attributes:
        parent: the id of the field whose type contains this field; None at the top.
        document: the field's JSON; None for elements, keys and values, which have no name.
    """

    id: int
    path: tuple[str, ...]
    parent: int | None
    document: Mapping[str, Any] | None


def every_field(schema: Mapping[str, Any]) -> Iterator[FieldInPlace]:
    """Every field of the schema, each before the fields in it."""
    yield from _of_struct(schema, (), _TOP, 0)


def _of_struct(
    struct: Mapping[str, Any], path: tuple[str, ...], parent: int | None, depth: int
) -> Iterator[FieldInPlace]:
    for field in struct["fields"]:
        here = (*path, name_of(field))
        yield FieldInPlace(field["id"], here, parent, field)
        yield from _inside(field["type"], here, field["id"], depth + 1)


def _inside(type_: Any, path: tuple[str, ...], id_: int, depth: int) -> Iterator[FieldInPlace]:
    # Deeper types are unknown, so their fields are, too.
    if isinstance(type_, str) or depth > MAX_DEPTH:
        return
    match type_["type"]:
        case "struct":
            yield from _of_struct(type_, path, id_, depth)
        case "list":
            yield from _part(type_, ELEMENT, path, id_, depth)
        case "map":
            yield from _part(type_, KEY, path, id_, depth)
            yield from _part(type_, VALUE, path, id_, depth)
        case _:
            pass


def _part(
    type_: Mapping[str, Any], part: str, path: tuple[str, ...], parent: int, depth: int
) -> Iterator[FieldInPlace]:
    here, id_ = (*path, part), type_[f"{part}-id"]
    yield FieldInPlace(id_, here, parent, None)
    yield from _inside(type_[part], here, id_, depth + 1)


def former_names(
    current: Mapping[str, Any], newest_first: Sequence[Mapping[str, Any]]
) -> Mapping[int, tuple[str, ...]]:
    """The former names of each named field, by its id, the newest first.

    A name that two fields of one struct had, at any time, is left out.
    """
    names: dict[int, dict[str, None]] = {}
    ids: dict[tuple[int | None, str], set[int]] = {}
    for schema in (current, *newest_first):
        for field in every_field(schema):
            if field.document is not None:
                name = field.path[-1]
                names.setdefault(field.id, {})[name] = None
                ids.setdefault((field.parent, name.lower()), set()).add(field.id)
    return {
        field.id: tuple(
            name
            for name in names[field.id]
            if name != field.path[-1] and len(ids[field.parent, name.lower()]) == 1
        )
        for field in every_field(current)
        if field.document is not None
    }


def former_ids(
    current: Mapping[str, Any],
    schemas: Sequence[Mapping[str, Any]],
    former: Mapping[int, tuple[str, ...]],
) -> dict[str, list[int]]:
    """For each name, the ids of top-level fields that once had it, apart from those in ``former``.

    These ids show that a data file belongs to this table, even if all names in it mean other
    columns now.
    """
    told = {(name, id_) for id_, names in former.items() for name in names}
    told |= {(name_of(field), field["id"]) for field in current["fields"]}
    found = {(name_of(field), field["id"]) for schema in schemas for field in schema["fields"]}
    ids: dict[str, list[int]] = {}
    for name, id_ in sorted(found - told):
        ids.setdefault(name, []).append(_id(id_))
    return ids


def field_properties(
    current: Mapping[str, Any], former: Mapping[int, tuple[str, ...]]
) -> dict[str, str]:
    """The ids, former names and default values of a schema's fields, as JSON by path.

    Former names of top-level fields are left out: ``Column.former_names`` has them.
    """
    fields = list(every_field(current))
    if len({field.id for field in fields}) < len(fields):
        # Two fields have the same id. Iceberg's own readers refuse such a schema, too.
        raise ValueError
    found: dict[str, dict[str, Any]] = {
        FIELD_IDS: {path_text(field.path): _id(field.id) for field in fields},
        FORMER_NAMES: {
            path_text(field.path): list(former[field.id])
            for field in fields
            if len(field.path) > 1 and former.get(field.id)
        },
        DEFAULTS: {
            path_text(field.path): defaults
            for field in fields
            if (defaults := _defaults(field.document or {}))
        },
    }
    return {key: to_text(value) for key, value in found.items() if value}


def to_text(value: Any) -> str:
    """A value as compact JSON text."""
    return json.dumps(value, separators=(",", ":"))


def _id(value: Any) -> int:
    if not isinstance(value, int):
        raise TypeError
    return value


def _defaults(field: Mapping[str, Any]) -> dict[str, Any]:
    both = {INITIAL: field.get("initial-default"), WRITE: field.get("write-default")}
    return {key: value for key, value in both.items() if value is not None}
