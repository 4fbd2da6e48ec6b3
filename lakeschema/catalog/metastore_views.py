"""Writes views into a Hive Metastore, each in one request that replaces the whole definition.

If an answer is lost, the request is repeated only where that is safe. Otherwise the caller must read again.
"""

from __future__ import annotations

import base64
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from hive_metastore.ttypes import (
    AlreadyExistsException,
    EnvironmentContext,
    FieldSchema,
    NoSuchObjectException,
    SerDeInfo,
    StorageDescriptor,
    Table,
)
from thrift.Thrift import TApplicationException, TException
from thrift.TSerialization import deserialize, serialize

from lakeschema.catalog.column_types import print_type
from lakeschema.catalog.errors import CatalogRefused
from lakeschema.catalog.hive_facts import relation_from_table
from lakeschema.catalog.identifiers import RelationName
from lakeschema.catalog.metastore_client import MetastoreClient
from lakeschema.catalog.metastore_functions import MetastoreFunctions
from lakeschema.catalog.metastore_tables import MetastoreTables, ask, reason_of
from lakeschema.catalog.relations import Relation
from lakeschema.catalog.stored_views import StoredView

_VIEW = "VIRTUAL_VIEW"
_EXPECTED_KEY, _EXPECTED_VALUE = "expected_parameter_key", "expected_parameter_value"
"""With these, a metastore of Hive 2.3.10 or 4 compares a property in the same transaction."""


@dataclass(frozen=True, slots=True)
class StoredRelation:
    """A relation as a metastore stores it.

    Attributes:
        facts: the facts, without the record of who wrote the relation.
        properties: all table properties.
        serialized: the whole definition, for ``restore``.
    """

    facts: Relation
    properties: Mapping[str, str]
    owner: str
    serialized: str


def facts_of(view: StoredView) -> Relation:
    """The facts that a catalog will read after the view is written."""
    return replace(relation_from_table(_table(view)), name=view.name)


class MetastoreViews:
    """Reads and writes definitions. Safe for threads, as the client is.

    All names that it accepts and returns are in ``catalog``.
    """

    def __init__(self, client: MetastoreClient, catalog: str = "") -> None:
        self._client = client
        self._catalog = catalog
        self._tables = MetastoreTables(client, _stored_relations, _unreadable)

    def views(self, database: str) -> Sequence[RelationName]:
        """The views of a database; all relations if the metastore cannot list views alone."""
        try:
            found = self._client.run(lambda c: c.get_tables_by_type(database, "*", _VIEW))
        except TApplicationException:
            found = self._tables.listed(database)
        except TException as error:
            raise self._refused(f"the views of {database}", error) from error
        return tuple(self._named(RelationName.of(database, name)) for name in found)

    def read(self, names: Sequence[RelationName]) -> Mapping[RelationName, StoredRelation]:
        """The relations among ``names`` that exist.

        Raises:
            CatalogUnavailable, CatalogRefused: the metastore does not answer, or refuses.
        """
        found = self._tables.read([replace(name, catalog="") for name in names])
        return {
            self._named(name): replace(
                each, facts=replace(each.facts, name=self._named(each.facts.name))
            )
            for name, each in found.items()
        }

    def _named(self, name: RelationName) -> RelationName:
        return replace(name, catalog=self._catalog)

    def with_functions(
        self, relations: Mapping[RelationName, Relation]
    ) -> Mapping[RelationName, Relation]:
        """The relations with the SQL functions of the metastore that their texts may call."""
        local = {
            name: replace(each, name=replace(name, catalog="")) for name, each in relations.items()
        }
        given = MetastoreFunctions(self._client.run).given_to(local)
        return {name: replace(each, name=name) for name, each in given.items()}

    def create(self, view: StoredView) -> None:
        """Creates the view.

        Raises:
            CatalogUnavailable: it is unknown whether the view exists now.
            CatalogRefused: the metastore refuses the view, or the name is taken.
        """
        self._create(view.name, _table(view))

    def replace(self, view: StoredView, over: StoredRelation, expected: str | None) -> None:
        """Replaces the columns, texts, properties and owner of a view.

        ``expected``: a property that must still have the same value as in ``over``. Older metastores do
        not compare it.

        Raises:
            CatalogUnavailable, CatalogRefused: as for ``create``.
        """
        table, made = _deserialized(over.serialized), _table(view)
        table.sd.cols, table.partitionKeys = made.sd.cols, made.partitionKeys
        table.viewOriginalText, table.viewExpandedText = view.original_text, view.expanded_text
        table.parameters, table.owner = made.parameters, view.owner or table.owner
        try:
            self._alter(view.name, table, _expecting(over, expected))
        except CatalogRefused:
            # If the answer to the first request was lost, the repeated request finds the change of the first.
            if not self._has(view.name, table):
                raise

    def set_properties(
        self, found: StoredRelation, properties: Mapping[str, str], expected: str | None
    ) -> None:
        """Replaces all properties; raises as ``replace``."""
        table = _deserialized(found.serialized)
        table.parameters = dict(properties)
        self._alter(found.facts.name, table, _expecting(found, expected))

    def restore(self, name: RelationName, serialized: str) -> None:
        """Gives a view its former definition; raises as ``replace``."""
        self._alter(name, _deserialized(serialized), {})

    def drop(self, name: RelationName) -> None:
        """Drops the view if it exists; raises as ``create``."""
        (database,) = name.namespace
        try:
            self._client.run(lambda c: c.drop_table(database, name.name, False))
        except NoSuchObjectException:
            return
        except TException as error:
            raise self._refused(f"to drop {name}", error) from error

    def _create(self, name: RelationName, table: Any) -> None:
        try:
            self._client.run(lambda client: client.create_table(table))
        except AlreadyExistsException as error:
            # If the answer to the first request was lost, that request may have created the view.
            if not self._has(name, table):
                raise self._refused(f"to create {name}", error) from error
        except TException as error:
            raise self._refused(f"to create {name}", error) from error

    def _has(self, name: RelationName, table: Any) -> bool:
        """Whether the metastore has the view with these properties, among them the run's id."""
        found = self.read([name]).get(name)
        return found is not None and table.parameters.items() <= found.properties.items()

    def _alter(self, name: RelationName, table: Any, context: Mapping[str, str]) -> None:
        (database,) = name.namespace
        made = EnvironmentContext(properties=dict(context))
        ask(
            self._client,
            f"to change {name}",
            lambda client: client.alter_table_with_environment_context(
                database, name.name, table, made
            ),
        )

    def _refused(self, what: str, error: TException) -> CatalogRefused:
        return CatalogRefused(self._client.name, what, reason_of(error))


def _expecting(over: StoredRelation, expected: str | None) -> Mapping[str, str]:
    value = None if expected is None else over.properties.get(expected)
    if expected is None or value is None:
        return {}
    return {_EXPECTED_KEY: expected, _EXPECTED_VALUE: value}


def _stored_relations(_: Any, tables: Sequence[Any]) -> Mapping[RelationName, StoredRelation]:
    found = [
        StoredRelation(
            relation_from_table(table),
            {str(k): str(v) for k, v in (table.parameters or {}).items() if v is not None},
            table.owner or "",
            base64.b64encode(serialize(table)).decode("ascii"),
        )
        for table in tables
    ]
    return {each.facts.name: each for each in found}


def _unreadable(name: RelationName, why: str) -> StoredRelation:
    return StoredRelation(Relation(name, (), unreadable=why), {}, "", "")


def _deserialized(text: str) -> Any:
    return deserialize(Table(), base64.b64decode(text))


def _table(view: StoredView) -> Any:
    (database,) = view.name.namespace
    columns = [
        FieldSchema(name=column.name, type=print_type(column.type), comment=column.comment)
        for column in view.columns
    ]
    return Table(
        tableName=view.name.name,
        dbName=database,
        owner=view.owner,
        partitionKeys=[],
        parameters=dict(view.properties),
        viewOriginalText=view.original_text,
        viewExpandedText=view.expanded_text,
        tableType=_VIEW,
        sd=StorageDescriptor(
            cols=columns,
            inputFormat="org.apache.hadoop.mapred.TextInputFormat",
            outputFormat="org.apache.hadoop.hive.ql.io.HiveIgnoreKeyTextOutputFormat",
            compressed=False,
            numBuckets=-1,
            serdeInfo=SerDeInfo(parameters={}),
            bucketCols=[],
            sortCols=[],
            parameters={},
        ),
    )
