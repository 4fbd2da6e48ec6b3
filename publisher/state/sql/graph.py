"""Relations, edges and derivations in SQL. Cones are walked by the database."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from sqlalchemy import Connection, Row, text

from lakeschema.catalog.identifiers import RelationName
from lakeschema.translation.outcome import Status
from publisher.state.records import Edge, RelationRecord
from publisher.state.sql.statements import chunks, keys, name_of, namespace_key, with_names

_COLUMNS = """
    r.name, r.facts_hash, r.read_event_id, r.missing_since, s.status, s.stale, s.reason,
    s.interface_hash, s.content_hash, s.inputs_hash, s.derived_facts_hash, s.published_hash,
    r.yanked, r.incarnation
"""

_EVERY_RECORD = text(f"SELECT {_COLUMNS} FROM relation r JOIN schema s ON s.name = r.name")  # noqa: S608

_RECORDS = with_names(
    f"SELECT {_COLUMNS} FROM relation r JOIN schema s ON s.name = r.name WHERE r.name IN :names"  # noqa: S608
)

_IN_NAMESPACE = text("SELECT name FROM relation WHERE namespace = :namespace ORDER BY name")

_DERIVATIONS = with_names(
    "SELECT name, derivation FROM schema WHERE name IN :names AND derivation IS NOT NULL"
)

_WRITE_RELATION = text("""
    INSERT INTO relation (name, namespace, incarnation, facts_hash, read_event_id, missing_since,
                          yanked)
    VALUES (:name, :namespace, :incarnation, :facts_hash, :read_event_id, :missing_since, :yanked)
    ON CONFLICT (name) DO UPDATE SET
        incarnation = excluded.incarnation, facts_hash = excluded.facts_hash,
        read_event_id = excluded.read_event_id, missing_since = excluded.missing_since,
        yanked = excluded.yanked
""")

_WRITE_SCHEMA = text("""
    INSERT INTO schema (name, interface_hash, content_hash, inputs_hash, derived_facts_hash,
                        published_hash, status, stale, reason)
    VALUES (:name, :interface_hash, :content_hash, :inputs_hash, :derived_facts_hash,
            :published_hash, :status, :stale, :reason)
    ON CONFLICT (name) DO UPDATE SET
        interface_hash = excluded.interface_hash, content_hash = excluded.content_hash,
        inputs_hash = excluded.inputs_hash, derived_facts_hash = excluded.derived_facts_hash,
        published_hash = excluded.published_hash, status = excluded.status,
        stale = excluded.stale, reason = excluded.reason
""")

_WRITE_PUBLISHED = text("UPDATE schema SET published_hash = :content_hash WHERE name = :name")

_WRITE_DERIVATION = text("UPDATE schema SET derivation = :derivation WHERE name = :name")

_EDGES_OF = with_names("""
    SELECT dependent, upstream, used FROM edge WHERE dependent IN :names
    ORDER BY dependent, position
""")

_EVERY_EDGE = text("SELECT dependent, upstream, used FROM edge ORDER BY dependent, position")

_DELETE_EDGES = text("DELETE FROM edge WHERE dependent = :name")

_INSERT_EDGE = text("""
    INSERT INTO edge (dependent, upstream, position, used)
    VALUES (:dependent, :upstream, :position, :used)
""")

_DEPENDENTS = with_names(
    "SELECT DISTINCT dependent FROM edge WHERE upstream IN :names ORDER BY dependent"
)

_UPSTREAM_EDGES = with_names("""
    WITH RECURSIVE above (name) AS (
        SELECT upstream FROM edge WHERE dependent IN :names
        UNION
        SELECT edge.upstream FROM edge JOIN above ON edge.dependent = above.name
    )
    SELECT dependent, upstream, used FROM edge
    WHERE dependent IN :names OR dependent IN (SELECT name FROM above)
    ORDER BY dependent, position
""")

# A member of a cycle stays what it is until its own facts change, and so do those below it.
_MARK_DEPENDENTS_STALE = with_names("""
    WITH RECURSIVE below (name) AS (
        SELECT edge.dependent FROM edge JOIN schema ON schema.name = edge.dependent
        WHERE edge.upstream IN :names AND schema.status <> 'CYCLE'
        UNION
        SELECT edge.dependent FROM edge JOIN below ON edge.upstream = below.name
        JOIN schema ON schema.name = edge.dependent
        WHERE schema.status <> 'CYCLE'
    )
    UPDATE schema SET stale = 1 WHERE stale = 0 AND name IN (SELECT name FROM below)
""")

_CLEAR_STALE = with_names("UPDATE schema SET stale = 0 WHERE name IN :names")

_UNBLOCKED = with_names(f"""
    SELECT {_COLUMNS},
        NOT EXISTS (
            SELECT 1 FROM edge e JOIN schema u ON u.name = e.upstream
            WHERE e.dependent = s.name AND (e.used IS NULL OR e.used <> u.interface_hash)
        ) AS unchanged
    FROM schema s JOIN relation r ON r.name = s.name
    WHERE s.stale = 1
        AND s.name IN (SELECT dependent FROM edge WHERE upstream IN :names)
        AND NOT EXISTS (
            SELECT 1 FROM edge e JOIN schema u ON u.name = e.upstream
            WHERE e.dependent = s.name AND u.stale = 1
        )
    ORDER BY s.name
""")  # noqa: S608

_FORGET = [
    text(f"DELETE FROM {table} WHERE {column} = :name")  # noqa: S608
    for table, column in (("edge", "dependent"), ("schema", "name"), ("relation", "name"))
]

_RESET = text("UPDATE relation SET read_event_id = NULL WHERE read_event_id > :current")


class SqlRelationGraph:
    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def records(self, names: Iterable[RelationName]) -> Mapping[RelationName, RelationRecord]:
        found: dict[RelationName, RelationRecord] = {}
        for chunk in chunks(keys(names)):
            for row in self._connection.execute(_RECORDS, {"names": chunk}):
                found[name_of(row.name)] = _record(row)
        return found

    def every_record(self) -> Mapping[RelationName, RelationRecord]:
        return {name_of(row.name): _record(row) for row in self._connection.execute(_EVERY_RECORD)}

    def in_namespace(self, namespace: tuple[str, ...]) -> Sequence[RelationName]:
        row = {"namespace": namespace_key(namespace)}
        return [name_of(key) for key in self._connection.execute(_IN_NAMESPACE, row).scalars()]

    def derivations(self, names: Iterable[RelationName]) -> Mapping[RelationName, str]:
        found: dict[RelationName, str] = {}
        for chunk in chunks(keys(names)):
            for row in self._connection.execute(_DERIVATIONS, {"names": chunk}):
                found[name_of(row.name)] = row.derivation
        return found

    def write(self, record: RelationRecord) -> None:
        name = str(record.name)
        self._connection.execute(
            _WRITE_RELATION,
            {
                "name": name,
                "namespace": namespace_key(record.name.namespace),
                "incarnation": record.incarnation,
                "facts_hash": record.facts_hash,
                "read_event_id": record.read_event_id,
                "missing_since": record.missing_since,
                "yanked": int(record.yanked),
            },
        )
        self._connection.execute(
            _WRITE_SCHEMA,
            {
                "name": name,
                "interface_hash": record.interface_hash,
                "content_hash": record.content_hash,
                "inputs_hash": record.inputs_hash,
                "derived_facts_hash": record.derived_facts_hash,
                "published_hash": record.published_hash,
                "status": record.status.value,
                "stale": int(record.stale),
                "reason": record.reason,
            },
        )

    def write_published(self, name: RelationName, content_hash: str | None) -> None:
        row = {"name": str(name), "content_hash": content_hash}
        self._connection.execute(_WRITE_PUBLISHED, row)

    def write_derivation(self, name: RelationName, derivation: str | None) -> None:
        row = {"name": str(name), "derivation": derivation}
        self._connection.execute(_WRITE_DERIVATION, row)

    def add_unknown(self, names: Iterable[RelationName]) -> Sequence[RelationName]:
        names = list(dict.fromkeys(names))
        known = self.records(names)
        unknown = [name for name in names if name not in known]
        for name in unknown:
            self.write(RelationRecord(name))
        return unknown

    def forget(self, name: RelationName) -> None:
        for statement in _FORGET:
            self._connection.execute(statement, {"name": str(name)})

    def edges_of(self, dependents: Iterable[RelationName]) -> Mapping[RelationName, Sequence[Edge]]:
        dependents = list(dependents)
        found: dict[RelationName, list[Edge]] = {name: [] for name in dependents}
        for chunk in chunks(keys(dependents)):
            for edge in _edges(self._connection.execute(_EDGES_OF, {"names": chunk})):
                found[edge.dependent].append(edge)
        return found

    def replace_edges(self, dependent: RelationName, edges: Sequence[Edge]) -> None:
        self._connection.execute(_DELETE_EDGES, {"name": str(dependent)})
        rows = [
            {
                "dependent": str(dependent),
                "upstream": str(edge.upstream),
                "position": position,
                "used": edge.used,
            }
            for position, edge in enumerate(edges)
        ]
        if rows:
            self._connection.execute(_INSERT_EDGE, rows)

    def dependents(self, upstreams: Iterable[RelationName]) -> Sequence[RelationName]:
        found: dict[RelationName, None] = {}
        for chunk in chunks(keys(upstreams)):
            for key in self._connection.execute(_DEPENDENTS, {"names": chunk}).scalars():
                found[name_of(key)] = None
        return list(found)

    def upstream_edges(self, names: Iterable[RelationName]) -> Sequence[Edge]:
        found: dict[tuple[RelationName, RelationName], Edge] = {}
        for chunk in chunks(keys(names)):
            for edge in _edges(self._connection.execute(_UPSTREAM_EDGES, {"names": chunk})):
                found[edge.dependent, edge.upstream] = edge
        return list(found.values())

    def mark_dependents_stale(self, names: Iterable[RelationName]) -> None:
        for chunk in chunks(keys(names)):
            self._connection.execute(_MARK_DEPENDENTS_STALE, {"names": chunk})

    def clear_stale(self, names: Iterable[RelationName]) -> None:
        for chunk in chunks(keys(names)):
            self._connection.execute(_CLEAR_STALE, {"names": chunk})

    def unblocked_dependents(
        self, upstreams: Iterable[RelationName]
    ) -> Sequence[tuple[RelationRecord, bool]]:
        found: dict[RelationName, tuple[RelationRecord, bool]] = {}
        for chunk in chunks(keys(upstreams)):
            for row in self._connection.execute(_UNBLOCKED, {"names": chunk}):
                found[name_of(row.name)] = (_record(row), bool(row.unchanged))
        return list(found.values())

    def every_edge(self) -> Sequence[Edge]:
        return list(_edges(self._connection.execute(_EVERY_EDGE)))

    def reset_event_ids(self, current: int) -> None:
        self._connection.execute(_RESET, {"current": current})


def _edges(rows: Iterable[Row[Any]]) -> Iterable[Edge]:
    return (Edge(name_of(row.dependent), name_of(row.upstream), row.used) for row in rows)


def _record(row: Row[Any]) -> RelationRecord:
    return RelationRecord(
        name=name_of(row.name),
        facts_hash=row.facts_hash,
        read_event_id=row.read_event_id,
        missing_since=row.missing_since,
        status=Status(row.status),
        stale=bool(row.stale),
        reason=row.reason,
        interface_hash=row.interface_hash,
        content_hash=row.content_hash,
        inputs_hash=row.inputs_hash,
        derived_facts_hash=row.derived_facts_hash,
        published_hash=row.published_hash,
        yanked=bool(row.yanked),
        incarnation=row.incarnation,
    )
