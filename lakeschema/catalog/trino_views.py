"""Reads views that Trino and Presto store in a metastore: base64 JSON inside a comment.

The columns in the metastore are not the view's: a plain view has a single column, ``dummy``.
"""

from __future__ import annotations

import base64
import binascii
import json
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Final

from lakeschema.catalog.relations import Column, Dialect, ViewText
from lakeschema.catalog.trino_types import parse_trino_type_or_unknown

_PREFIXES: Final = ("/* Presto View: ", "/* Presto Materialized View: ")
_END: Final = " */"
MARKS: Final = frozenset({"presto_view", "trino_created_by", "trino_version", "trino_query_id"})
"""Properties about the view's creation, which do not describe it."""
_ITS_OWN_COMMENTS: Final = frozenset({"Presto View", "Presto Materialized View"})


@dataclass(frozen=True, slots=True)
class StoredView:
    """A view that Trino stored; ``unreadable`` says why its document cannot be read.

    An unreadable view has no columns.
    """

    text: ViewText
    columns: tuple[Column, ...] = ()
    comment: str | None = None
    unreadable: str | None = None


def is_trinos(original_text: str) -> bool:
    """Whether a view's original text is a document of Trino or Presto."""
    return original_text.startswith(_PREFIXES)


def stored_view(original_text: str, namespace: tuple[str, ...]) -> StoredView:
    """The view in the document; an unreadable document is kept as text."""
    encoded = original_text
    for prefix in _PREFIXES:
        encoded = encoded.removeprefix(prefix)
    try:
        stored = json.loads(base64.b64decode(encoded.removesuffix(_END).strip(), validate=True))
        sql = stored["originalSql"]
        schema, catalog = stored.get("schema"), stored.get("catalog")
        columns = tuple(_column(each) for each in stored.get("columns") or ())
        comment = stored.get("comment")
    except (binascii.Error, ValueError, KeyError, TypeError, AttributeError, RecursionError):
        text = ViewText(Dialect.TRINO, original_text, original_text, namespace)
        return StoredView(text, unreadable="the document in which Trino keeps it cannot be read")
    text = ViewText(
        Dialect.TRINO,
        str(sql),
        str(sql),
        (schema.lower(),) if isinstance(schema, str) else namespace,
        catalog.lower() if isinstance(catalog, str) else None,
    )
    return StoredView(text, columns, comment if isinstance(comment, str) and comment else None)


def _column(stored: Mapping[str, Any]) -> Column:
    comment = stored.get("comment")
    return Column(
        str(stored["name"]),
        parse_trino_type_or_unknown(str(stored["type"])),
        comment if isinstance(comment, str) and comment else None,
    )


def without_marks(properties: Mapping[str, str]) -> Mapping[str, str]:
    """The properties without Trino's marks and without the comment that Trino itself writes."""
    return MappingProxyType(
        {
            key: value
            for key, value in properties.items()
            if key not in MARKS and not (key == "comment" and value in _ITS_OWN_COMMENTS)
        }
    )
