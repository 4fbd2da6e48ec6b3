"""Lists relations, filtered, a page at a time, ordered by key.

Each statement uses the index of its rarest filter: the status, else the kind, else the catalog, else
the name. That index is ordered by name, so a page reads few more rows than it returns.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Final

from sqlalchemy import ColumnElement, Select, bindparam, func, select

from lakeschema.catalog.identifiers import Namespace, RelationName
from publisher.state.records import Chosen, ListedRelation, NamespaceFigures
from publisher.state.sql.connection import SqlConnection
from publisher.state.sql.dialects import Resembles
from publisher.state.sql.keys import name_of
from publisher.state.sql.statements import EMPTY_TEXT
from publisher.state.sql.tables import (
    IN_TROUBLE,
    NAME_BEGINNING,
    NAME_END,
    RELATION,
    SCHEMA,
    SHOWN_STATUS,
)

_LAST: Final = "\x7f"
"""A text greater than every key, since a key begins with a letter, a digit, ``_`` or a back-tick."""
_ESCAPE: Final = "\\"
_STEM: Final = 3
"""The length of the compared beginnings and ends. A misspelt letter changes the beginning or the end,
not both."""

_BY_NAMESPACE = select(
    RELATION.c.namespace, RELATION.c.kind, func.count().label("number")
).group_by(RELATION.c.namespace, RELATION.c.kind)

# This is an expression, so that SQLite uses the small index of relations in trouble instead of the
# index of namespaces.
_NAMESPACE = func.coalesce(RELATION.c.namespace, EMPTY_TEXT)

_TROUBLED_BY_NAMESPACE = (
    select(_NAMESPACE.label("namespace"), func.count().label("number"))
    .join_from(SCHEMA, RELATION, RELATION.c.name == SCHEMA.c.name)
    .where(IN_TROUBLE)
    .group_by(_NAMESPACE)
)

_ROW = (
    RELATION.c.name,
    RELATION.c.kind,
    RELATION.c.owner,
    SHOWN_STATUS.label("shown_status"),
    SCHEMA.c.reason,
    SCHEMA.c.published_hash,
    RELATION.c.yanked,
)


_NAME = RELATION.c.name
_NEXT_TO = (
    select(_NAME)
    .where(bindparam("low") < _NAME, bindparam("high") > _NAME)
    .order_by(_NAME)
    .limit(bindparam("limit"))
)
_BEGINS_LIKE = (
    select(_NAME).where(bindparam("beginning") == NAME_BEGINNING).limit(bindparam("limit"))
)
_ENDS_LIKE = select(_NAME).where(bindparam("end") == NAME_END).limit(bindparam("limit"))


class SqlCatalogue:
    def __init__(self, connection: SqlConnection) -> None:
        self._connection = connection

    def namespaces(self) -> Sequence[NamespaceFigures]:
        kinds: dict[str, dict[str, int]] = {}
        for row in self._connection.execute(_BY_NAMESPACE):
            kinds.setdefault(row.namespace, {})[row.kind] = row.number
        troubled = {
            row.namespace: row.number for row in self._connection.execute(_TROUBLED_BY_NAMESPACE)
        }
        found = (_figures(key, numbers, troubled.get(key, 0)) for key, numbers in kinds.items())
        return sorted(found, key=lambda each: (each.namespace.catalog, each.namespace.levels))

    def after(self, name: str, chosen: Chosen, limit: int) -> Sequence[ListedRelation]:
        return self._page(chosen, limit, low=name)

    def before(self, name: str, chosen: Chosen, limit: int) -> Sequence[ListedRelation]:
        return self._page(chosen, limit, high=name, is_backward=True)[::-1]

    def resembling(self, name: RelationName, limit: int) -> Sequence[RelationName]:
        low, high = _range(name.place)
        last = name.name.lower()
        half = limit // 2
        near = {"low": low, "high": high, "limit": limit}
        beginning = {"beginning": last[:_STEM], "limit": limit - half}
        end = {"end": last[-_STEM:], "limit": half}
        found = [
            *self._connection.execute(_NEXT_TO, near).scalars(),
            *self._connection.execute(_BEGINS_LIKE, beginning).scalars(),
            *self._connection.execute(_ENDS_LIKE, end).scalars(),
        ]
        return [name_of(key) for key in dict.fromkeys(found)]

    def _page(
        self,
        chosen: Chosen,
        limit: int,
        *,
        low: str = "",
        high: str = _LAST,
        is_backward: bool = False,
    ) -> Sequence[ListedRelation]:
        least, most = _range(chosen.namespace)
        stated: dict[str, str | None] = {
            "of_catalog": chosen.catalog,
            "of_namespace": None if chosen.namespace is None else str(chosen.namespace),
            "of_kind": chosen.kind,
            "of_status": chosen.status,
            "of_owner": chosen.owner,
            "pattern": None if chosen.text is None else _pattern(chosen.text),
        }
        filters = {key: value for key, value in stated.items() if value is not None}
        row = {**filters, "low": max(low, least), "high": min(high, most), "limit": limit}
        statement = _statement(frozenset(filters), is_backward)
        return [
            ListedRelation(
                name_of(found.name),
                found.kind,
                found.owner,
                found.shown_status,
                found.reason,
                found.published_hash is not None,
                bool(found.yanked),
            )
            for found in self._connection.execute(statement, row)
        ]


@cache
def _statement(filters: frozenset[str], is_backward: bool) -> Select[tuple[object, ...]]:
    by_status = "of_status" in filters
    first, second = (SCHEMA, RELATION) if by_status else (RELATION, SCHEMA)
    name = first.c.name
    conditions: Mapping[str, ColumnElement[bool]] = {
        "of_status": bindparam("of_status") == SHOWN_STATUS,
        "of_kind": _unless(RELATION.c.kind, by_status) == bindparam("of_kind"),
        "of_catalog": _unless(RELATION.c.catalog, by_status or "of_kind" in filters)
        == bindparam("of_catalog"),
        "of_owner": bindparam("of_owner") == RELATION.c.owner,
        # This condition needs no index, since the range of keys already selects the same rows.
        "of_namespace": bindparam("of_namespace") == _NAMESPACE,
        "pattern": Resembles(name, bindparam("pattern")),
    }
    return (
        select(*_ROW)
        .join_from(first, second, second.c.name == name)
        .where(name > bindparam("low"), name < bindparam("high"))
        .where(*(conditions[key] for key in sorted(filters)))
        .order_by(name.desc() if is_backward else name)
        .limit(bindparam("limit"))
    )


def _unless(column: ColumnElement[str], has_other: bool) -> ColumnElement[str]:
    """The column, or an equal expression without an index if the statement must use another index."""
    return func.coalesce(column, EMPTY_TEXT) if has_other else column


def _range(namespace: Namespace | None) -> tuple[str, str]:
    """The bounds of the keys of all names in a namespace and its nested namespaces."""
    if namespace is None:
        return "", _LAST
    key = str(namespace)
    if not namespace.levels:
        return key, f"{key[:-1]};" if key else _LAST
    return f"{key}.", f"{key}/"


def _pattern(text: str) -> str:
    return f"%{_escaped(text.lower())}%"


def _escaped(text: str) -> str:
    for special in (_ESCAPE, "%", "_"):
        text = text.replace(special, _ESCAPE + special)
    return text


def _figures(key: str, kinds: Mapping[str, int], troubled: int) -> NamespaceFigures:
    tables, views = kinds.get("table", 0), kinds.get("view", 0)
    rest = sum(kinds.values()) - tables - views
    return NamespaceFigures(Namespace.from_key(key), tables, views, rest, troubled)
