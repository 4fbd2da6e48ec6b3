"""Reads the schema, and further facts for readers of data, from an Iceberg table's metadata.

Iceberg specification, formats 1 to 3, "Table Metadata"; "View Metadata" is in ``iceberg_views``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from lakeschema.catalog.iceberg_fields import (
    DEFAULTS,
    FIELD_IDS,
    FORMER_IDS,
    FORMER_NAMES,
    every_field,
    field_properties,
    former_ids,
    former_names,
    path_text,
    to_text,
)
from lakeschema.catalog.iceberg_types import columns_of, require_storable, text_or_none
from lakeschema.catalog.iceberg_views import is_view, view_schema
from lakeschema.catalog.own_schemas import OwnSchema

IDENTIFIER_FIELDS = "iceberg.identifier-fields"
PARTITION_SPEC = "iceberg.partition-spec"
SORT_ORDER = "iceberg.sort-order"
DETAILS = (
    *(FIELD_IDS, FORMER_NAMES, FORMER_IDS, DEFAULTS),
    *(IDENTIFIER_FIELDS, PARTITION_SPEC, SORT_ORDER),
)
"""The properties of a table's relation that ``read_metadata`` makes; each is JSON."""
_COMMENT = "comment"
_FORMATS = (1, 2, 3)


class MalformedMetadata(Exception):
    """The metadata is unusable. ``reason`` and ``hint`` are for people, and quote nothing from it."""

    def __init__(self, reason: str, hint: str) -> None:
        super().__init__(reason, hint)
        self.reason = reason
        self.hint = hint

    def __str__(self) -> str:
        return f"{self.reason}; {self.hint}"


def read_metadata(metadata: Any) -> OwnSchema:
    """The schema in parsed metadata.

    Raises:
        MalformedMetadata: the value is not metadata of a table or view, or its format is unknown.
    """
    try:
        return view_schema(metadata) if is_view(metadata) else _table_schema(metadata)
    except (ValueError, KeyError, TypeError, AttributeError, OverflowError, RecursionError):
        raise MalformedMetadata(
            "is not the metadata of an Iceberg table",
            "let the engine that wrote the table repair it",
        ) from None


def _table_schema(metadata: Mapping[str, Any]) -> OwnSchema:
    if metadata["format-version"] not in _FORMATS:
        raise MalformedMetadata("has an unknown version of Iceberg's format", "report it")
    # Format version 1 has the current schema separately; the list and the number may be absent.
    schemas = metadata.get("schemas") or [metadata["schema"]]
    known = {schema.get("schema-id", 0): schema for schema in schemas}
    number = metadata.get("current-schema-id") if metadata.get("schemas") else None
    current = metadata["schema"] if number is None else known[number]
    former = former_names(current, [known[number] for number in sorted(known, reverse=True)])
    columns = tuple(
        replace(column, former_names=former.get(field["id"], ()))
        for column, field in zip(columns_of(current), current["fields"], strict=True)
    )
    given = metadata.get("properties") or {}
    past = former_ids(current, [*known.values()], former)
    return OwnSchema(
        columns,
        text_or_none(given.get(_COMMENT)),
        details={
            **field_properties(current, former),
            **({FORMER_IDS: to_text(past)} if past else {}),
            **_layout(metadata, current),
        },
        properties=text_properties(given),
    )


def text_properties(given: Mapping[str, Any]) -> dict[str, str]:
    """The properties that are texts, without the comment."""
    found = {str(key): str(value) for key, value in given.items() if key != _COMMENT}
    require_storable([*found, *found.values()])
    return found


def _layout(metadata: Mapping[str, Any], current: Mapping[str, Any]) -> dict[str, str]:
    """How rows are identified, and how files are partitioned and sorted."""
    names = {field.id: path_text(field.path) for field in every_field(current)}
    found = {
        IDENTIFIER_FIELDS: [
            _name(number, names) for number in _list(current, "identifier-field-ids")
        ],
        PARTITION_SPEC: [_partition(field, names) for field in _partition_fields(metadata)],
        SORT_ORDER: [_sorted_by(field, names) for field in _sort_fields(metadata)],
    }
    return {key: to_text(value) for key, value in found.items() if value}


def _partition_fields(metadata: Mapping[str, Any]) -> Sequence[Mapping[str, Any]]:
    for spec in _list(metadata, "partition-specs"):
        if spec["spec-id"] == metadata.get("default-spec-id"):
            return _list(spec, "fields")
    # Format version 1 may have only the fields of the partition spec.
    return _list(metadata, "partition-spec")


def _sort_fields(metadata: Mapping[str, Any]) -> Sequence[Mapping[str, Any]]:
    for order in _list(metadata, "sort-orders"):
        if order["order-id"] == metadata.get("default-sort-order-id"):
            return _list(order, "fields")
    return ()


def _partition(field: Mapping[str, Any], names: Mapping[int, str]) -> dict[str, Any]:
    return {"name": field["name"], **_source(field, names)}


def _sorted_by(field: Mapping[str, Any], names: Mapping[int, str]) -> dict[str, Any]:
    order = {"direction": field["direction"], "null-order": field["null-order"]}
    return {**_source(field, names), **order}


def _source(field: Mapping[str, Any], names: Mapping[int, str]) -> dict[str, Any]:
    # In format version 3 a field may have several sources instead of one.
    ids = field.get("source-ids") or [field["source-id"]]
    return {"source": [_name(number, names) for number in ids], "transform": field["transform"]}


def _name(number: Any, names: Mapping[int, str]) -> str:
    """The name of a column by the column's number. A column of an old specification may not exist."""
    return names.get(number, f"field {int(number)}")


def _list(document: Mapping[str, Any], key: str) -> Sequence[Any]:
    found = document.get(key) or ()
    if not isinstance(found, list | tuple):
        raise TypeError
    return found
