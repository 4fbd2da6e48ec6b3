"""An Iceberg view's metadata: the text of one engine, and the columns that the metadata states.

Iceberg's view specification, format 1. A view has one text for each dialect. The text of the engine that
wrote the current version is chosen. If it has no known dialect, the first known dialect in the order of
``DIALECTS`` is chosen. A view without a known dialect has ``OwnSchema.unread``. The columns do not follow
the view's tables.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from lakeschema.catalog.iceberg_fields import to_text
from lakeschema.catalog.iceberg_types import columns_of, require_storable, text_or_none
from lakeschema.catalog.own_schemas import OwnSchema
from lakeschema.catalog.relations import Dialect, SchemaMode, UnreadText, ViewText

REPRESENTATIONS = "iceberg.representations"
"""The property with each dialect's text as JSON, if there are several."""

DIALECTS: Mapping[str, Dialect] = {
    "spark": Dialect.SPARK,
    "trino": Dialect.TRINO,
    "presto": Dialect.TRINO,
    "hive": Dialect.HIVE,
}
_COMMENT = "comment"
_QUERY_COLUMNS = "spark.query-column-names"
"""The property with the names of the query's columns. Commas join them, and names may contain commas."""
_FORMATS = (1,)


def is_view(metadata: Mapping[str, Any]) -> bool:
    """Whether the metadata is a view's, not a table's."""
    return "view-uuid" in metadata or "current-version-id" in metadata


def view_schema(metadata: Mapping[str, Any]) -> OwnSchema:
    """A view's stored columns and its text; malformed metadata raises as in ``iceberg_types``."""
    if metadata["format-version"] not in _FORMATS:
        raise ValueError
    versions = {version["version-id"]: version for version in metadata["versions"]}
    version = versions[metadata["current-version-id"]]
    schemas = {schema.get("schema-id", 0): schema for schema in metadata["schemas"]}
    columns = columns_of(schemas[version["schema-id"]])
    given = metadata.get("properties") or {}
    texts = _texts(version)
    chosen = _chosen(texts, version)
    properties = {
        str(key): str(value)
        for key, value in given.items()
        if key not in {_COMMENT, _QUERY_COLUMNS}
    }
    require_storable([*properties, *properties.values()])
    return OwnSchema(
        columns,
        text_or_none(given.get(_COMMENT)),
        details={REPRESENTATIONS: to_text(texts)} if len(texts) > 1 else {},
        properties=properties,
        view=_view_text(chosen, texts[chosen], version) if chosen in DIALECTS else None,
        unread=None if chosen in DIALECTS else UnreadText(chosen, texts.get(chosen, "")),
    )


def _texts(version: Mapping[str, Any]) -> dict[str, str]:
    """The text of each dialect, in the order of the metadata."""
    found: dict[str, str] = {}
    for representation in version["representations"]:
        if representation["type"] == "sql":
            dialect, text = representation["dialect"].lower(), representation["sql"]
            require_storable([dialect, text])
            found.setdefault(dialect, text)
    return found


def _chosen(texts: Mapping[str, str], version: Mapping[str, Any]) -> str:
    """The dialect whose text counts.

    If no dialect is known, the result is any dialect, or "" without a text.
    """
    summary = version.get("summary") or {}
    engine = str(summary.get("engine-name", "")).lower()
    if engine in texts and engine in DIALECTS:
        return engine
    return next((name for name in DIALECTS if name in texts), next(iter(texts), ""))


def _view_text(chosen: str, text: str, version: Mapping[str, Any]) -> ViewText:
    dialect = DIALECTS[chosen]
    namespace, catalog = (
        tuple(version.get("default-namespace") or ()),
        version.get("default-catalog"),
    )
    require_storable([*namespace, *([] if catalog is None else [catalog])])
    return ViewText(
        dialect,
        text,
        text,
        namespace,
        catalog,
        SchemaMode.BY_POSITION if dialect is Dialect.SPARK else None,
    )
