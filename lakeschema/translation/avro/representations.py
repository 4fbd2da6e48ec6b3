"""Compares the texts of an Iceberg view for several engines, and records differences in a property.

Only facts that the texts show on their own are compared: the tables that they read, and how many
columns they return.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType

from lakeschema.avro.model import Json, Record
from lakeschema.catalog.errors import CatalogError
from lakeschema.catalog.iceberg_views import DIALECTS, REPRESENTATIONS
from lakeschema.catalog.relations import Relation, ViewText
from lakeschema.translation.model.errors import TranslationError
from lakeschema.translation.model.interface import Options
from lakeschema.translation.resolution.names import names_in
from lakeschema.translation.resolution.routines import spelling_of
from lakeschema.translation.resolution.trino_catalogs import without_catalogs
from lakeschema.translation.resolution.upstreams import relations_read
from lakeschema.translation.syntax import tree
from lakeschema.translation.syntax.parsing import parse_query

DIFFERENCES = "iceberg.representations-differ"
"""The name of the property, which has a sentence for each text that differs."""


def with_differences(record: Record, relation: Relation, options: Options) -> Record:
    """The view's record, with a property that lists differences if the view's texts disagree."""
    found: list[Json] = list(representation_differences(relation, options))
    if not found:
        return record
    return replace(record, properties=MappingProxyType({**record.properties, DIFFERENCES: found}))


def representation_differences(relation: Relation, options: Options) -> Iterator[str]:
    """One sentence for each text that reads other tables, or returns another number of columns.

    A text that is not understood is reported, too, since it was not compared.
    """
    view, stated = relation.view, relation.properties.get(REPRESENTATIONS)
    if view is None or stated is None:
        return
    texts = _texts(stated)
    used = next((name for name, text in texts.items() if _is_used(name, text, view)), None)
    own = None if used is None else _seen(view, relation.name.catalog, options)
    if own is None:
        return
    for name, text in texts.items():
        if name == used or name not in DIALECTS:
            continue
        other = replace(view, dialect=DIALECTS[name], text=text, original_text=text)
        seen = _seen(other, relation.name.catalog, options)
        if seen is None:
            yield f"the text for {name} was not understood, and not compared with {used}'s"
        else:
            yield from _between(f"the text for {name}", seen, f"that for {used}", own)


@dataclass(frozen=True, slots=True)
class _Seen:
    """The tables that a text reads. ``columns`` is its number of columns; None if it has a star."""

    tables: frozenset[str]
    columns: int | None


def _between(one: str, seen: _Seen, other: str, own: _Seen) -> Iterator[str]:
    more, fewer = sorted(seen.tables - own.tables), sorted(own.tables - seen.tables)
    if more:
        yield f"{one} reads {', '.join(more)}, and {other} does not"
    if fewer:
        yield f"{other} reads {', '.join(fewer)}, and {one} does not"
    if None not in {seen.columns, own.columns} and seen.columns != own.columns:
        yield f"{one} returns {seen.columns} columns, and {other} {own.columns}"


def _texts(stated: str) -> Mapping[str, str]:
    """The text of each dialect; empty for a property that a user of the catalog wrote."""
    try:
        found = json.loads(stated)
    except (ValueError, RecursionError):
        return {}
    items = found.items() if isinstance(found, dict) else ()
    return {name: text for name, text in items if isinstance(text, str)}


def _is_used(name: str, text: str, view: ViewText) -> bool:
    return DIALECTS.get(name) is view.dialect and text == view.text


def _seen(view: ViewText, home: str, options: Options) -> _Seen | None:
    try:
        query = parse_query(view.text, view.dialect, options.max_sql_bytes, spelling_of(view))
        query = without_catalogs(query, options.trino_catalogs)
        tables = relations_read(query, view, names_in(view, home, options))
    except (TranslationError, CatalogError):
        return None
    return _Seen(frozenset(map(str, tables)), _number_of_columns(query))


def _number_of_columns(query: tree.Query) -> int | None:
    match query:
        case tree.Select(items):
            is_plain = all(
                not isinstance(item.expression, tree.Star) and len(item.aliases) < 2
                for item in items
            )
            return len(items) if is_plain else None
        case tree.With(body=body) | tree.Ordered(body):
            return _number_of_columns(body)
        case tree.SetQuery(branches=branches):
            return _number_of_columns(branches[0])
        case tree.ValuesQuery(rows):
            return len(rows[0]) if rows else None
