"""Metadata of Iceberg tables and views, as JSON values; written by hand after the specification."""

from __future__ import annotations

from typing import Any


def field_of(id_: int, name: str, type_: Any = "int", **more: Any) -> dict[str, Any]:
    return {"id": id_, "name": name, "required": False, "type": type_, **more}


def struct_of(*fields: dict[str, Any]) -> dict[str, Any]:
    return {"type": "struct", "fields": list(fields)}


def table_of(*fields: dict[str, Any], **more: Any) -> dict[str, Any]:
    """A table with one schema, of the newest format."""
    schema = {"type": "struct", "schema-id": 0, "fields": list(fields)}
    return table_with([schema], **more)


def table_with(schemas: list[dict[str, Any]], **more: Any) -> dict[str, Any]:
    """A table with these schemas, the last one current."""
    return {
        "format-version": 3,
        "table-uuid": "00000000-0000-0000-0000-000000000001",
        "schemas": schemas,
        "current-schema-id": schemas[-1]["schema-id"],
        "properties": {},
        **more,
    }


def view_of(
    texts: dict[str, str],
    *fields: dict[str, Any],
    engine: str | None = None,
    properties: dict[str, str] | None = None,
    of_version: dict[str, Any] | None = None,
) -> dict[str, Any]:
    """A view with one version, and these texts by dialect."""
    version = {
        "version-id": 1,
        "timestamp-ms": 1,
        "schema-id": 0,
        "summary": {} if engine is None else {"engine-name": engine},
        "representations": [
            {"type": "sql", "sql": text, "dialect": dialect} for dialect, text in texts.items()
        ],
        "default-namespace": ["a", "b"],
        **(of_version or {}),
    }
    return {
        "view-uuid": "00000000-0000-0000-0000-000000000002",
        "format-version": 1,
        "location": "file:/nowhere",
        "schemas": [{"type": "struct", "schema-id": 0, "fields": list(fields)}],
        "current-version-id": 1,
        "versions": [version],
        "version-log": [{"version-id": 1, "timestamp-ms": 1}],
        "properties": properties or {},
    }
