"""A Hive Metastore over Thrift as a catalog. Only a person's command changes its databases."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

from hive_metastore.ttypes import (
    AlreadyExistsException,
    Database,
    InvalidOperationException,
    NoSuchObjectException,
    NotNullConstraintsRequest,
)
from thrift.Thrift import TApplicationException, TException

from lakeschema.catalog.catalog_identifiers import CatalogIdentifier
from lakeschema.catalog.errors import (
    CatalogRefused,
    NamespaceExists,
    NamespaceMissing,
    NamespaceNotEmpty,
)
from lakeschema.catalog.hive_facts import may_be_constrained, relation_from_table
from lakeschema.catalog.identifiers import Namespace, RelationName
from lakeschema.catalog.metastore_client import MetastoreClient
from lakeschema.catalog.metastore_functions import MetastoreFunctions
from lakeschema.catalog.metastore_security import UNSECURED, Security
from lakeschema.catalog.metastore_tables import (
    BATCH_SIZE,
    MetastoreTables,
    ask,
    batches,
    reason_of,
    table_objects,
)
from lakeschema.catalog.own_schemas import UNREAD, OwnSchemas, with_own_schemas
from lakeschema.catalog.relations import Relation

Result = TypeVar("Result")


class HiveMetastoreCatalog:
    """A metastore as a catalog. Safe for threads: each thread has a connection.

    ``current_event_id`` and the next ``read`` in the same thread use the same connection. If that
    connection fails, the read uses a server that has at least the same event.
    """

    def __init__(
        self,
        uris: str | Sequence[str],
        *,
        name: str = "hive",
        timeout_seconds: float = 30.0,
        attempts: int = 4,
        batch_size: int = BATCH_SIZE,
        security: Security = UNSECURED,
        own_schemas: OwnSchemas = UNREAD,
    ) -> None:
        """Connects to no server yet.

        ``uris`` may be in Hive's form: addresses separated by commas. ``own_schemas`` reads the files of
        Delta and Iceberg tables.
        """
        addresses = uris.split(",") if isinstance(uris, str) else tuple(uris)
        self.client = MetastoreClient(
            addresses,
            name=name,
            timeout_seconds=timeout_seconds,
            attempts=attempts,
            security=security,
        )
        self._batch_size = batch_size
        self._tables = MetastoreTables(self.client, _relations, _unreadable, batch_size)
        self._own_schemas = own_schemas

    def namespaces(self) -> Sequence[Namespace]:
        found = self._ask("the list of databases", lambda client: client.get_all_databases())
        return tuple(Namespace((database.lower(),)) for database in found)

    def relations(self, namespace: Namespace) -> Sequence[RelationName]:
        if len(namespace.levels) != 1:
            return ()
        (database,) = namespace.levels
        return tuple(RelationName.of(database, table) for table in self._tables.listed(database))

    def read(self, names: Sequence[RelationName]) -> Mapping[RelationName, Relation]:
        found = with_own_schemas(self._tables.read(names), self._own_schemas)
        return MetastoreFunctions(self.client.run).given_to(found)

    def owners(self, names: Sequence[RelationName]) -> Mapping[RelationName, str]:
        """The owners of relations that have one. Owners are not facts, because they do not affect the schema."""
        found: dict[RelationName, str] = {}
        for database, tables in batches(names, self._batch_size):
            objects = self._ask(
                f"the owners of tables of {database}",
                lambda client, d=database, t=tables: table_objects(client, d, t),
            )
            found |= {RelationName.of(database, o.tableName): o.owner for o in objects if o.owner}
        return found

    def list_namespaces(
        self, parent: tuple[str, ...], prefix: str = ""
    ) -> Sequence[tuple[str, ...]]:
        """The databases. There are no namespaces below a database."""
        if parent:
            return ()
        found = [namespace.levels for namespace in self.namespaces()]
        return [levels for levels in found if levels[0].startswith(prefix)]

    def load_namespace(self, namespace: tuple[str, ...]) -> Mapping[str, str]:
        database = self._database(namespace)
        try:
            found = self.client.run(lambda client: client.get_database(database))
        except NoSuchObjectException as error:
            raise NamespaceMissing(self.client.name, str(Namespace(namespace))) from error
        except TException as error:
            raise self._refused(f"database {database}", error) from error
        return {**(found.parameters or {}), "location": found.locationUri or ""}

    def create_namespace(self, namespace: tuple[str, ...], properties: Mapping[str, str]) -> None:
        """Creates a database.

        If the answer is lost, the repeated request reports that the database exists.
        """
        made = Database(name=self._database(namespace), parameters=dict(properties))
        try:
            self.client.run(lambda client: client.create_database(made))
        except AlreadyExistsException as error:
            raise NamespaceExists(self.client.name, str(Namespace(namespace))) from error
        except TException as error:
            raise self._refused(f"to create database {made.name}", error) from error

    def drop_namespace(self, namespace: tuple[str, ...]) -> None:
        """Drops a database but no files: its folder stays."""
        database = self._database(namespace)
        try:
            self.client.run(
                lambda client: client.drop_database(database, deleteData=False, cascade=False)
            )
        except NoSuchObjectException as error:
            raise NamespaceMissing(self.client.name, str(Namespace(namespace))) from error
        except InvalidOperationException as error:
            if "not empty" not in (error.message or ""):
                raise self._refused(f"to drop database {database}", error) from error
            raise NamespaceNotEmpty(self.client.name, str(Namespace(namespace))) from error
        except TException as error:
            # Hive 4.0 fails with a NullPointerException if there is no such database.
            self.load_namespace(namespace)
            raise self._refused(f"to drop database {database}", error) from error

    def list_views(self, namespace: tuple[str, ...]) -> Sequence[CatalogIdentifier]:
        """The views of a database. A metastore before Hive 3 cannot list views without tables."""
        database = self._database(namespace)
        found = self._ask(
            f"the views of {database}",
            lambda client: client.get_tables_by_type(database, "*", "VIRTUAL_VIEW"),
        )
        return [CatalogIdentifier(namespace, name) for name in found]

    def list_functions(self, namespace: tuple[str, ...]) -> Sequence[CatalogIdentifier]:
        database = self._database(namespace)
        found = self._ask(
            f"the functions of {database}", lambda client: client.get_functions(database, "*")
        )
        return [CatalogIdentifier(namespace, name) for name in found]

    def _database(self, namespace: tuple[str, ...]) -> str:
        if len(namespace) != 1:
            what = f"namespace {Namespace(namespace)}" if namespace else "the empty namespace"
            raise CatalogRefused(self.client.name, what, "a metastore's namespaces have one level")
        return namespace[0]

    def current_event_id(self) -> int | None:
        try:
            return self.client.current_event_id()
        except TException as error:
            raise self._refused("the current event id", error) from error

    def close(self) -> None:
        self.client.close()
        self._own_schemas.close()

    def _ask(self, what: str, call: Callable[..., Result]) -> Result:
        return ask(self.client, what, call)

    def _refused(self, what: str, error: TException) -> CatalogRefused:
        return CatalogRefused(self.client.name, what, reason_of(error))


def _unreadable(name: RelationName, reason: str) -> Relation:
    return Relation(name, (), unreadable=reason)


def _relations(client: Any, tables: Sequence[Any]) -> Mapping[RelationName, Relation]:
    """Facts of Thrift tables, with the NOT NULL constraints that Hive enforces.

    Each table that may have constraints costs one call.
    """
    has_constraints = True
    found = []
    for table in tables:
        not_null: frozenset[str] | None = frozenset()
        if has_constraints and may_be_constrained(table):
            not_null = _not_null_columns(client, table)
            has_constraints = not_null is not None
        found.append(relation_from_table(table, not_null or ()))
    return {relation.name: relation for relation in found}


def _not_null_columns(client: Any, table: Any) -> frozenset[str] | None:
    """The columns with an enforced NOT NULL.

    None for a metastore before Hive 3, which has no constraints.
    """
    catalog = getattr(table, "catName", None) or _HIVES_CATALOG
    request = NotNullConstraintsRequest(catalog, table.dbName, table.tableName)
    try:
        found = client.get_not_null_constraints(request).notNullConstraints
    except TApplicationException as error:
        if error.type != TApplicationException.UNKNOWN_METHOD:
            raise
        return None
    return frozenset(each.column_name.lower() for each in found or () if each.enable_cstr)


_HIVES_CATALOG = "hive"
