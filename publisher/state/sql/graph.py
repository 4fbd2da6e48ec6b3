"""Relations, edges and derivations in SQL. The database follows edges over any distance."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from sqlalchemy import (
    CTE,
    ColumnElement,
    Text,
    and_,
    bindparam,
    case,
    delete,
    func,
    insert,
    literal_column,
    not_,
    null,
    or_,
    select,
    union,
    update,
)

from lakeschema.catalog.identifiers import Namespace, RelationName
from lakeschema.translation.model.outcome import Status
from publisher.state.records import Edge, RelationRecord
from publisher.state.sql.connection import SqlConnection
from publisher.state.sql.keys import chunks, keys_of, name_of
from publisher.state.sql.rows import Row, relation_record
from publisher.state.sql.search import enter_derivation, forget_derivation
from publisher.state.sql.statements import KEYS, ONE, ZERO, replacing, upsert
from publisher.state.sql.tables import EDGE, IN_TROUBLE, RELATION, SCHEMA

_NO_LIMIT = 2**62

_EVERY_RECORD = select(
    RELATION.c.name,
    RELATION.c.facts_hash,
    RELATION.c.read_event_id,
    RELATION.c.missing_since,
    SCHEMA.c.status,
    SCHEMA.c.stale,
    SCHEMA.c.reason,
    SCHEMA.c.interface_hash,
    SCHEMA.c.content_hash,
    SCHEMA.c.inputs_hash,
    SCHEMA.c.derived_facts_hash,
    SCHEMA.c.published_hash,
    RELATION.c.yanked,
    RELATION.c.index_check_due,
    RELATION.c.incarnation,
    SCHEMA.c.fingerprint,
    SCHEMA.c.republish_after,
    RELATION.c.read_at,
    RELATION.c.kind,
    RELATION.c.owner,
).join_from(RELATION, SCHEMA, SCHEMA.c.name == RELATION.c.name)

_HASHES = select(RELATION.c.name, RELATION.c.facts_hash).where(RELATION.c.facts_hash.is_not(None))

_FACTS_AND_INTERFACES = (
    select(RELATION.c.name, RELATION.c.facts_hash, SCHEMA.c.interface_hash)
    .join_from(RELATION, SCHEMA, SCHEMA.c.name == RELATION.c.name)
    .where(RELATION.c.facts_hash.is_not(None))
)

_RECORDS = _EVERY_RECORD.where(RELATION.c.name.in_(KEYS))

_TROUBLED = _EVERY_RECORD.where(IN_TROUBLE).order_by(SCHEMA.c.name).limit(bindparam("limit"))

_COUNT_TROUBLED = select(func.count()).select_from(SCHEMA).where(IN_TROUBLE)

_IN_NAMESPACE = (
    select(RELATION.c.name)
    .where(RELATION.c.namespace == bindparam("namespace"))
    .order_by(RELATION.c.name)
)

_EXISTS = RELATION.c.facts_hash.is_not(None)

_IS_MISSING = and_(
    RELATION.c.missing_since.is_not(None),
    or_(_EXISTS, RELATION.c.missing_since > bindparam("since")),
)

_COUNT_MISSING = select(
    func.count().filter(_IS_MISSING).label("missing"),
    func.count().filter(or_(_EXISTS, _IS_MISSING)).label("known"),
).where(
    SCHEMA.c.name == RELATION.c.name,
    # A relation without a package does not count as missing: no user had it.
    SCHEMA.c.published_hash.is_not(None),
)

_COUNT_MISSING_IN_NAMESPACE = _COUNT_MISSING.where(
    RELATION.c.namespace == bindparam("of_namespace")
)

_RESTART_GRACES = (
    update(RELATION)
    .where(_EXISTS, RELATION.c.missing_since.is_not(None))
    .values(missing_since=bindparam("since"))
)

_DERIVATIONS = select(SCHEMA.c.name, SCHEMA.c.derivation).where(
    SCHEMA.c.name.in_(KEYS), SCHEMA.c.derivation.is_not(None)
)

_WRITE_RELATION = upsert(
    RELATION,
    replacing(
        *("incarnation", "facts_hash", "read_event_id", "read_at", "missing_since"),
        *("yanked", "index_check_due", "kind", "owner"),
    ),
)

_WRITE_SCHEMA = upsert(
    SCHEMA,
    replacing(
        "interface_hash",
        "content_hash",
        "inputs_hash",
        "derived_facts_hash",
        "published_hash",
        "status",
        "stale",
        "reason",
        "fingerprint",
        "republish_after",
    ),
)

_OF_NAME = SCHEMA.c.name == bindparam("of_name")

_WRITE_PUBLISHED = (
    update(SCHEMA)
    .where(_OF_NAME)
    .values(
        published_hash=bindparam("published_hash"),
        republish_after=case(
            (SCHEMA.c.republish_after < bindparam("sequence"), null()),
            else_=SCHEMA.c.republish_after,
        ),
    )
)

_WRITE_DERIVATION = update(SCHEMA).where(_OF_NAME).values(derivation=bindparam("derivation"))

_EVERY_EDGE = select(EDGE.c.dependent, EDGE.c.upstream, EDGE.c.used).order_by(
    EDGE.c.dependent, EDGE.c.position
)

_EDGES_OF = _EVERY_EDGE.where(EDGE.c.dependent.in_(KEYS))

_DELETE_EDGES = delete(EDGE).where(EDGE.c.dependent == bindparam("of_name"))

_INSERT_EDGE = insert(EDGE)

_DIRECT_DEPENDENTS = select(EDGE.c.dependent).where(EDGE.c.upstream.in_(KEYS))

_DEPENDENTS = _DIRECT_DEPENDENTS.distinct().order_by(EDGE.c.dependent)

_FEW_DEPENDENTS = _DIRECT_DEPENDENTS.distinct().limit(bindparam("limit"))

_OF_UPSTREAM = EDGE.c.upstream == bindparam("of_upstream")

_COUNT_DEPENDENTS = select(func.count()).select_from(EDGE).where(_OF_UPSTREAM)

_SOME_DEPENDENTS = (
    select(EDGE.c.dependent)
    .where(_OF_UPSTREAM)
    .order_by(EDGE.c.dependent)
    .limit(bindparam("limit"))
)

_COUNT_READERS = (
    select(EDGE.c.upstream, func.count().label("number"))
    .where(EDGE.c.upstream.in_(KEYS))
    .group_by(EDGE.c.upstream)
)

_CYCLE = literal_column(f"'{Status.CYCLE.value}'", Text)


def _above() -> CTE:
    direct = select(EDGE.c.upstream.label("name")).where(EDGE.c.dependent.in_(KEYS))
    above = direct.cte("above", recursive=True)
    return above.union(select(EDGE.c.upstream).join(above, EDGE.c.dependent == above.c.name))


def _below() -> CTE:
    """Every dependent of ``KEYS`` at any distance, except through members of cycles.

    A member of a cycle keeps its status until its facts change, and so do its dependents.
    """
    dependents = (
        select(EDGE.c.dependent.label("name"))
        .join(SCHEMA, SCHEMA.c.name == EDGE.c.dependent)
        .where(SCHEMA.c.status != _CYCLE)
    )
    below = dependents.where(EDGE.c.upstream.in_(KEYS)).cte("below", recursive=True)
    return below.union(dependents.join(below, EDGE.c.upstream == below.c.name))


def _cone() -> CTE:
    """Dependents at any distance, starting from at most ``limit`` direct dependents.

    Without this limit the database would first find all direct dependents.
    """
    direct = select(EDGE.c.dependent).where(_OF_UPSTREAM).limit(bindparam("limit")).subquery()
    cone = select(direct.c.dependent).cte("cone", recursive=True)
    return cone.union(select(EDGE.c.dependent).join(cone, EDGE.c.upstream == cone.c.dependent))


_COUNT_CONE = select(func.count()).select_from(
    # The database computes the rows one by one, and stops at the limit.
    select(_cone().c.dependent).limit(bindparam("limit")).subquery()
)

# The names are one set, since with OR PostgreSQL would compare each edge with each name.
_UPSTREAM_EDGES = _EVERY_EDGE.where(EDGE.c.dependent.in_(union(KEYS, select(_above().c.name))))

_MARK_DEPENDENTS_STALE = (
    update(SCHEMA)
    .where(SCHEMA.c.stale == ZERO, SCHEMA.c.name.in_(select(_below().c.name)))
    .values(stale=ONE)
)

_CLEAR_STALE = update(SCHEMA).where(SCHEMA.c.name.in_(KEYS)).values(stale=ZERO)

_UPSTREAM = SCHEMA.alias("upstream")


def _has_upstream(condition: ColumnElement[bool]) -> ColumnElement[bool]:
    """Whether a known direct upstream of the row of ``SCHEMA`` meets ``condition``."""
    return (
        select(EDGE.c.upstream)
        .join(_UPSTREAM, _UPSTREAM.c.name == EDGE.c.upstream)
        .where(EDGE.c.dependent == SCHEMA.c.name, condition)
        .correlate(SCHEMA)
        .exists()
    )


_INTERFACE_CHANGED = or_(EDGE.c.used.is_(None), EDGE.c.used != _UPSTREAM.c.interface_hash)

_UNBLOCKED = (
    _EVERY_RECORD.add_columns(not_(_has_upstream(_INTERFACE_CHANGED)).label("unchanged"))
    .where(
        SCHEMA.c.stale == ONE,
        SCHEMA.c.name.in_(_DIRECT_DEPENDENTS),
        not_(_has_upstream(_UPSTREAM.c.stale == ONE)),
    )
    .order_by(SCHEMA.c.name)
)

_FORGET = [
    delete(column.table).where(column == bindparam("of_name"))
    for column in (EDGE.c.dependent, SCHEMA.c.name, RELATION.c.name)
]


class SqlRelationGraph:
    def __init__(self, connection: SqlConnection) -> None:
        self._connection = connection

    def records(self, names: Iterable[RelationName]) -> Mapping[RelationName, RelationRecord]:
        found: dict[RelationName, RelationRecord] = {}
        for chunk in chunks(keys_of(names)):
            for row in self._connection.execute(_RECORDS, {"keys": chunk}):
                found[name_of(row.name)] = relation_record(row)
        return found

    def every_record(self) -> Mapping[RelationName, RelationRecord]:
        return {
            name_of(row.name): relation_record(row)
            for row in self._connection.execute(_EVERY_RECORD)
        }

    def facts_hashes(self) -> Mapping[RelationName, str]:
        return {name_of(row.name): row.facts_hash for row in self._connection.execute(_HASHES)}

    def facts_and_interfaces(self) -> Mapping[RelationName, tuple[str, str]]:
        return {
            name_of(row.name): (row.facts_hash, row.interface_hash)
            for row in self._connection.execute(_FACTS_AND_INTERFACES)
        }

    def in_trouble(self, limit: int | None = None) -> Sequence[RelationRecord]:
        row = {"limit": _NO_LIMIT if limit is None else limit}
        return [relation_record(found) for found in self._connection.execute(_TROUBLED, row)]

    def count_in_trouble(self) -> int:
        return int(self._connection.execute(_COUNT_TROUBLED).scalar_one())

    def in_namespace(self, namespace: Namespace) -> Sequence[RelationName]:
        row = {"namespace": str(namespace)}
        return [name_of(key) for key in self._connection.execute(_IN_NAMESPACE, row).scalars()]

    def count_missing(self, namespace: Namespace | None, since: float) -> tuple[int, int]:
        if namespace is None:
            row = self._connection.execute(_COUNT_MISSING, {"since": since}).one()
        else:
            of = {"since": since, "of_namespace": str(namespace)}
            row = self._connection.execute(_COUNT_MISSING_IN_NAMESPACE, of).one()
        return row.missing, row.known

    def derivations(self, names: Iterable[RelationName]) -> Mapping[RelationName, str]:
        found: dict[RelationName, str] = {}
        for chunk in chunks(keys_of(names)):
            for row in self._connection.execute(_DERIVATIONS, {"keys": chunk}):
                found[name_of(row.name)] = row.derivation
        return found

    def write(self, record: RelationRecord) -> None:
        name, inputs, output = str(record.name), record.inputs, record.output
        self._connection.execute(
            _WRITE_RELATION,
            {
                "name": name,
                "namespace": str(record.name.place),
                "incarnation": record.incarnation,
                "facts_hash": record.facts_hash,
                "read_event_id": record.read_event_id,
                "read_at": record.read_at,
                "missing_since": record.missing_since,
                "yanked": int(record.yanked),
                "index_check_due": int(record.index_check_due),
                "catalog": record.name.catalog,
                "kind": record.kind,
                "owner": record.owner,
            },
        )
        self._connection.execute(
            _WRITE_SCHEMA,
            {
                "name": name,
                "interface_hash": record.visible_hash,
                "content_hash": record.content_hash,
                "inputs_hash": record.inputs_hash,
                "derived_facts_hash": None if inputs is None else inputs.facts_hash,
                "published_hash": record.published_hash,
                "status": record.status.value,
                "stale": int(record.stale),
                "reason": record.reason,
                "fingerprint": None if output is None else output.fingerprint,
                "republish_after": record.republish_after,
            },
        )

    def write_published(self, name: RelationName, content_hash: str | None, sequence: int) -> None:
        row = {"of_name": str(name), "published_hash": content_hash, "sequence": sequence}
        self._connection.execute(_WRITE_PUBLISHED, row)

    def write_derivation(self, name: RelationName, derivation: str | None) -> None:
        row = {"of_name": str(name), "derivation": derivation}
        self._connection.execute(_WRITE_DERIVATION, row)
        # If a relation can no longer be derived, the search still finds it by its earlier fields.
        if derivation is not None:
            enter_derivation(self._connection, str(name), derivation)

    def add_unknown(self, names: Iterable[RelationName]) -> Sequence[RelationName]:
        names = list(dict.fromkeys(names))
        known = self.records(names)
        unknown = [name for name in names if name not in known]
        for name in unknown:
            self.write(RelationRecord(name))
        return unknown

    def forget(self, name: RelationName) -> None:
        for statement in _FORGET:
            self._connection.execute(statement, {"of_name": str(name)})
        forget_derivation(self._connection, str(name))

    def edges_of(self, dependents: Iterable[RelationName]) -> Mapping[RelationName, Sequence[Edge]]:
        dependents = list(dependents)
        found: dict[RelationName, list[Edge]] = {name: [] for name in dependents}
        for chunk in chunks(keys_of(dependents)):
            for edge in _edges(self._connection.execute(_EDGES_OF, {"keys": chunk})):
                found[edge.dependent].append(edge)
        return found

    def replace_edges(self, dependent: RelationName, edges: Sequence[Edge]) -> None:
        self._connection.execute(_DELETE_EDGES, {"of_name": str(dependent)})
        rows = [
            {
                "dependent": str(dependent),
                "upstream": str(edge.upstream),
                "position": position,
                "used": edge.used,
            }
            for position, edge in enumerate(edges)
        ]
        self._connection.execute_each(_INSERT_EDGE, rows)

    def dependents(self, upstreams: Iterable[RelationName]) -> Sequence[RelationName]:
        found: dict[RelationName, None] = {}
        for chunk in chunks(keys_of(upstreams)):
            for key in self._connection.execute(_DEPENDENTS, {"keys": chunk}).scalars():
                found[name_of(key)] = None
        return list(found)

    def some_dependents(
        self, upstream: RelationName, limit: int
    ) -> tuple[Sequence[RelationName], int]:
        row = {"of_upstream": str(upstream)}
        found = self._connection.execute(_SOME_DEPENDENTS, {**row, "limit": limit + 1}).scalars()
        some = [name_of(key) for key in found[:limit]]
        if len(found) == len(some):
            return some, len(some)
        return some, self._connection.execute(_COUNT_DEPENDENTS, row).scalar_one()

    def few_dependents(
        self, upstreams: Iterable[RelationName], limit: int
    ) -> Sequence[RelationName] | None:
        found: dict[str, None] = {}
        for chunk in chunks(keys_of(upstreams)):
            row = {"keys": chunk, "limit": limit + 1}
            found |= dict.fromkeys(self._connection.execute(_FEW_DEPENDENTS, row).scalars())
        return None if len(found) > limit else [name_of(key) for key in found]

    def count_readers(self, upstreams: Iterable[RelationName]) -> Mapping[RelationName, int]:
        return {
            name_of(row.upstream): row.number
            for chunk in chunks(keys_of(upstreams))
            for row in self._connection.execute(_COUNT_READERS, {"keys": chunk})
        }

    def count_cone(self, upstream: RelationName, limit: int) -> int:
        found = self._connection.execute(
            _COUNT_CONE, {"of_upstream": str(upstream), "limit": limit}
        )
        return int(found.scalar_one())

    def upstream_edges(self, names: Iterable[RelationName]) -> Sequence[Edge]:
        found: dict[tuple[RelationName, RelationName], Edge] = {}
        for chunk in chunks(keys_of(names)):
            for edge in _edges(self._connection.execute(_UPSTREAM_EDGES, {"keys": chunk})):
                found[edge.dependent, edge.upstream] = edge
        return list(found.values())

    def mark_dependents_stale(self, names: Iterable[RelationName]) -> None:
        for chunk in chunks(keys_of(names)):
            self._connection.execute(_MARK_DEPENDENTS_STALE, {"keys": chunk})

    def clear_stale(self, names: Iterable[RelationName]) -> None:
        for chunk in chunks(keys_of(names)):
            self._connection.execute(_CLEAR_STALE, {"keys": chunk})

    def unblocked_dependents(
        self, upstreams: Iterable[RelationName]
    ) -> Sequence[tuple[RelationRecord, bool]]:
        found: dict[RelationName, tuple[RelationRecord, bool]] = {}
        for chunk in chunks(keys_of(upstreams)):
            for row in self._connection.execute(_UNBLOCKED, {"keys": chunk}):
                found[name_of(row.name)] = (relation_record(row), bool(row.unchanged))
        return list(found.values())

    def restart_graces(self, now: float) -> None:
        self._connection.execute(_RESTART_GRACES, {"since": now})

    def every_edge(self) -> Sequence[Edge]:
        return list(_edges(self._connection.execute(_EVERY_EDGE)))


def _edges(rows: Iterable[Row]) -> Iterable[Edge]:
    return (Edge(name_of(row.dependent), name_of(row.upstream), row.used) for row in rows)
