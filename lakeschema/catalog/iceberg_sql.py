"""Iceberg's SQL catalog, which Iceberg calls JDBC catalog: a table of pointers to metadata files.

One statement lists every pointer. The table joins the levels of a namespace by dots, so a level with
a dot counts as two levels.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from math import ceil
from typing import Any

import sqlalchemy
from sqlalchemy import Connection, Engine, NullPool, column, select, table
from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import DBAPIError, NoSuchModuleError, SQLAlchemyError
from sqlalchemy.exc import TimeoutError as PoolTimeout

from lakeschema.catalog.errors import CatalogRefused, CatalogUnavailable
from lakeschema.catalog.iceberg import (
    Loaded,
    Look,
    is_usable,
    look_at,
    mark_of,
    metadata_pointer,
)
from lakeschema.catalog.identifiers import RelationName

_POINTERS = table(
    "iceberg_tables",
    column("catalog_name"),
    column("table_namespace"),
    column("table_name"),
    column("metadata_location"),
)
_NAMESPACES = table("iceberg_namespace_properties", column("catalog_name"), column("namespace"))
_AT_ONCE = 200
"""The number of names in one statement, below any database's limit of parameters."""
_MAX_SHOWN = 5
_OF_LIBPQ = frozenset({"psycopg", "psycopg2"})


class SqlSource:
    """A SQL catalog as a source. Safe for threads."""

    def __init__(
        self,
        url: str,
        catalog_name: str,
        *,
        name: str,
        password: str | None = None,
        timeout_seconds: float = 30.0,
    ) -> None:
        """Uses the database at ``url``; connects at the first request.

        ``catalog_name`` selects the rows of one catalog; ``name`` is the catalog's name in errors.
        PostgreSQL must accept a connection, and answer a statement, within ``timeout_seconds``.

        Raises:
            CatalogRefused: the URL is malformed, or its database's driver is not installed.
        """
        self.name = name
        self._catalog_name = catalog_name
        self._timeout_seconds = timeout_seconds
        try:
            self._engine = _engine(make_url(url), password, timeout_seconds)
        except ModuleNotFoundError as error:
            raise self._refused("the connection", f"{error.name} is not installed") from None
        except (NoSuchModuleError, SQLAlchemyError, ValueError):
            why = "its uri is not the URL of a database, as sqlite:///FILE or postgresql+psycopg://HOST/NAME"
            raise self._refused("the connection", why) from None

    def namespaces(self) -> Sequence[tuple[str, ...]]:
        """The namespaces that have tables, and namespaces that were created."""
        with self._connected("the list of namespaces") as connection:
            used = select(_POINTERS.c.table_namespace).where(
                _POINTERS.c.catalog_name == self._catalog_name
            )
            found = {row[0] for row in connection.execute(used.distinct())}
            if _has_namespaces(connection):
                created = select(_NAMESPACES.c.namespace).where(
                    _NAMESPACES.c.catalog_name == self._catalog_name
                )
                found |= {row[0] for row in connection.execute(created.distinct())}
            if not found:
                self._require_known(connection)
        return [levels_of(text) for text in sorted(found)]

    def namespaces_in(self, parent: tuple[str, ...]) -> Sequence[tuple[str, ...]]:
        depth = len(parent) + 1
        found = (levels[:depth] for levels in self.namespaces() if len(levels) >= depth)
        return [*dict.fromkeys(each for each in found if each[:-1] == parent)]

    def relations(self, namespace: tuple[str, ...]) -> Sequence[RelationName]:
        if not _is_stored(namespace):
            return ()
        asked = select(_POINTERS.c.table_name).where(
            _POINTERS.c.catalog_name == self._catalog_name,
            _POINTERS.c.table_namespace == ".".join(namespace),
        )
        with self._connected("the tables of a namespace") as connection:
            return [RelationName(namespace, row[0]) for row in connection.execute(asked)]

    def load(self, names: Sequence[RelationName]) -> Mapping[RelationName, Loaded]:
        by_namespace: dict[tuple[str, ...], list[str]] = {}
        for name in names:
            if _is_stored(name.namespace):
                by_namespace.setdefault(name.namespace, []).append(name.name)
        found: dict[RelationName, Loaded] = {}
        with self._connected("the metadata of tables") as connection:
            for namespace, tables in by_namespace.items():
                for start in range(0, len(tables), _AT_ONCE):
                    part = tables[start : start + _AT_ONCE]
                    for name, location in self._locations(connection, namespace, part):
                        found[name] = metadata_pointer(location)
            if not found:
                self._require_known(connection)
        return found

    def pointers(self) -> Mapping[RelationName, str]:
        """The place of the metadata of every table and view, by one statement."""
        asked = select(
            _POINTERS.c.table_namespace, _POINTERS.c.table_name, _POINTERS.c.metadata_location
        ).where(_POINTERS.c.catalog_name == self._catalog_name)
        with self._connected("the list of tables") as connection:
            rows = connection.execute(asked).all()
            if not rows:
                self._require_known(connection)
        named = ((RelationName(levels_of(space), name), place) for space, name, place in rows)
        return {name: place or "" for name, place in named if is_usable(name)}

    def look(self, known: Mapping[RelationName, str], _head: str = "", /) -> Look:
        """The changes since the last poll.

        Each commit of data moves a pointer, so a changed name may have the same facts.
        """
        return look_at({name: mark_of(place) for name, place in self.pointers().items()}, known)

    def close(self) -> None:
        self._engine.dispose()

    def _require_known(self, connection: Connection) -> None:
        """Checks that the catalog exists.

        A wrong name would look like a catalog whose tables were all dropped.

        Raises:
            CatalogRefused: the database has other catalogs, but not this catalog.
        """
        stores = (_POINTERS, _NAMESPACES) if _has_namespaces(connection) else (_POINTERS,)
        known = {
            row[0]
            for store in stores
            for row in connection.execute(select(store.c.catalog_name).distinct())
        }
        if known and self._catalog_name not in known:
            shown = ", ".join(sorted(ascii(name)[:80] for name in known)[:_MAX_SHOWN])
            why = f"the database has no catalog {self._catalog_name!r}; it has {shown}"
            raise self._refused("every question", f"{why}; set catalog_name to one of them")

    def _locations(
        self, connection: Connection, namespace: tuple[str, ...], names: Sequence[str]
    ) -> Iterator[tuple[RelationName, str]]:
        asked = select(_POINTERS.c.table_name, _POINTERS.c.metadata_location).where(
            _POINTERS.c.catalog_name == self._catalog_name,
            _POINTERS.c.table_namespace == ".".join(namespace),
            _POINTERS.c.table_name.in_(names),
        )
        wanted = set(names)
        for name, location in connection.execute(asked):
            # A database may ignore letter case in comparisons.
            if name in wanted:
                yield RelationName(namespace, name), location or ""

    @contextmanager
    def _connected(self, what: str) -> Iterator[Connection]:
        try:
            with self._engine.connect() as connection:
                if self._engine.dialect.name == "postgresql":
                    # Else a statement waits for as long as somebody locks the table. A pooler of
                    # connections would refuse the limit as an option of the connection.
                    connection.exec_driver_sql(
                        f"SET LOCAL statement_timeout = {int(self._timeout_seconds * 1000)}"
                    )
                yield connection
        except PoolTimeout:
            raise CatalogUnavailable(self.name, "every connection is in use") from None
        except DBAPIError as error:
            # Here the database answers that the table is missing. Other errors may be temporary.
            if _lacks_a_table(error):
                raise self._refused(what, "it has no table iceberg_tables") from None
            raise CatalogUnavailable(self.name, _reason(error)) from None
        except SQLAlchemyError as error:
            raise self._refused(what, type(error).__name__) from None

    def _refused(self, what: str, why: str) -> CatalogRefused:
        return CatalogRefused(self.name, what, why)


def levels_of(text: str) -> tuple[str, ...]:
    """The levels of a stored namespace; the empty namespace has none."""
    return tuple(text.split(".")) if text else ()


def _has_namespaces(connection: Connection) -> bool:
    return sqlalchemy.inspect(connection).has_table(_NAMESPACES.name)


def _is_stored(namespace: tuple[str, ...]) -> bool:
    """Whether a stored text can mean the namespace: ``("a.b",)`` is stored like ``("a", "b")``."""
    return levels_of(".".join(namespace)) == namespace


def _engine(url: URL, password: str | None, timeout_seconds: float) -> Engine:
    if password is not None:
        url = url.set(password=password)
    # An open connection would still use a file that somebody has moved away or replaced.
    pool = NullPool if url.get_backend_name() == "sqlite" else None
    given = _limits(timeout_seconds) if url.get_dialect().driver in _OF_LIBPQ else {}
    given = {key: value for key, value in given.items() if key not in url.query}
    return sqlalchemy.create_engine(_read_only(url), poolclass=pool, connect_args=given)


def _limits(timeout_seconds: float) -> dict[str, int]:
    """Options of libpq, with which a connection to a vanished server fails in time."""
    seconds = ceil(timeout_seconds)
    return {
        "connect_timeout": max(2, seconds),
        "keepalives_idle": seconds,
        "keepalives_interval": 10,
        "keepalives_count": 3,
        "tcp_user_timeout": 1000 * seconds,
    }


def _read_only(url: URL) -> URL:
    if url.get_backend_name() == "sqlite" and url.database and not url.database.startswith("file:"):
        # SQLite would create a missing file.
        return url.set(
            database=f"file:{_escaped(url.database)}", query={"mode": "ro", "uri": "true"}
        )
    return url


def _escaped(path: str) -> str:
    return path.replace("%", "%25").replace("?", "%3f").replace("#", "%23")


def _lacks_a_table(error: DBAPIError) -> bool:
    return "no such table" in str(error.orig) or getattr(error.orig, "sqlstate", None) == "42P01"


def _reason(error: Any) -> str:
    """The first line of the driver's message, which contains no statement and no URL."""
    lines = str(error.orig).splitlines()
    return lines[0][:200] if lines else type(error.orig).__name__
