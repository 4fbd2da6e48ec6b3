"""The changes that a log's DDL makes to the catalog, as a value and as JSON lines.

Another log can continue from this catalog: a stream is read as a sequence of logs.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

from lakeschema.analysis.catalog import KnownTable, ViewColumn
from lakeschema.catalog.identifiers import RelationName


@dataclass(frozen=True, slots=True)
class SessionLeft:
    """The namespace and the temporary tables of a session at the end of a log.

    ``namespace`` is ``None`` unless the session chose a namespace with USE.
    """

    namespace: tuple[str, ...] | None = None
    temporary: Mapping[RelationName, KnownTable] = field(
        default_factory=lambda: MappingProxyType({})
    )


@dataclass(frozen=True, slots=True)
class CatalogLeft:
    """The changes that a log makes to the catalog, and the sessions at the end of the log.

    Attributes:
        tables: the changed tables by name; None for a removed table.
        sessions: the sessions by name; the most recently changed session is last.
    """

    tables: Mapping[RelationName, KnownTable | None] = field(
        default_factory=lambda: MappingProxyType({})
    )
    sessions: Mapping[str, SessionLeft] = field(default_factory=lambda: MappingProxyType({}))


def to_lines(left: CatalogLeft) -> Iterator[str]:
    """A line for each table and each session."""
    for name, table in left.tables.items():
        yield json.dumps(_table_json(name, table))
    for session, of_session in left.sessions.items():
        temporary = [_table_json(name, table) for name, table in of_session.temporary.items()]
        namespace = of_session.namespace
        yield json.dumps({"session": session, "namespace": namespace, "temporary": temporary})


def from_lines(lines: Iterable[str]) -> CatalogLeft:
    tables: dict[RelationName, KnownTable | None] = {}
    sessions: dict[str, SessionLeft] = {}
    for line in lines:
        found = json.loads(line)
        if "table" in found:
            name, table = _table(found)
            tables[name] = table
            continue
        namespace = found["namespace"]
        temporary = dict(map(_table, found["temporary"]))
        sessions[found["session"]] = SessionLeft(
            None if namespace is None else tuple(namespace),
            {name: table for name, table in temporary.items() if table is not None},
        )
    return CatalogLeft(tables, sessions)


def _table_json(name: RelationName, table: KnownTable | None) -> dict[str, Any]:
    found: dict[str, Any] = {"table": name.to_json()}
    if table is None:
        return found
    return found | {
        "known": {
            "columns": table.columns,
            "partitions": table.partitions,
            "is_view": table.is_view,
            "location": table.location,
            "is_materialized": table.is_materialized,
            "made_of": [
                (column, source.to_json(), source_column, is_value)
                for column, source, source_column, is_value in table.made_of
            ],
            "reads": [(relation.to_json(), columns) for relation, columns in table.reads],
        }
    }


def _table(found: Mapping[str, Any]) -> tuple[RelationName, KnownTable | None]:
    name, known = RelationName.from_json(found["table"]), found.get("known")
    if known is None:
        return name, None
    columns = known["columns"]
    return name, KnownTable(
        None if columns is None else tuple(columns),
        tuple(known["partitions"]),
        known["is_view"],
        known["location"],
        tuple((RelationName.from_json(relation), tuple(read)) for relation, read in known["reads"]),
        known.get("is_materialized", False),
        tuple(
            ViewColumn(column, RelationName.from_json(source), source_column, is_value)
            for column, source, source_column, is_value in known.get("made_of", ())
        ),
    )
