"""One deployment over two metastores, Iceberg's REST catalog and a folder of DDL files.

Each test has its database, with the same name in all four catalogs. In the REST catalog this name is
the first of three levels.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol, Self

from pyiceberg.catalog.rest import RestCatalog
from pyiceberg.schema import Schema
from pyiceberg.types import IntegerType, LongType, NestedField, StringType
from pyiceberg.view.metadata import ViewVersion

from deploy.iceberg_rest import IcebergRest
from deploy.metastore import Metastore
from deploy.metastore_ddl import Columns, MetastoreDdl
from lakeschema.catalog.identifiers import RelationName
from tests.integration.iceberg_client import iceberg_client

PREFIX = "acme-schema"
MAIN, SECOND, FILES, LAKE = "main", "second", "files", "lake"
BELOW = ("eu", "c")
"""The levels below the database in the REST catalog."""

_SPARKS = {"bigint": "long", "int": "integer"}


@dataclass(frozen=True, slots=True)
class Servers:
    metastore: Metastore
    second: Metastore
    rest: IcebergRest


def settings_text(servers: Servers, folder: Path, include: str, rest: str) -> str:
    """``include``: which relations get packages; ``rest``: further sections."""
    return f"""\
[artifacts]
prefix = "{PREFIX}"
include = ["{include}"]
[[catalog]]
kind = "hive"
name = "{MAIN}"
default = true
uri = "{servers.metastore.uri}"
[[catalog]]
kind = "hive"
name = "{SECOND}"
uri = "{servers.second.uri}"
[[catalog]]
kind = "ddl"
name = "{FILES}"
path = "{folder}/ddl"
[[catalog]]
kind = "iceberg"
type = "rest"
name = "{LAKE}"
uri = "{servers.rest.uri}"
[state]
url = "sqlite:///{folder}/state.db"
[index]
kind = "static"
path = "{folder}/index"
[snapshot]
runner = "local"
on_start = false
[engine]
debounce_seconds = 0
staleness_seconds = 0
{rest}"""


EVENTS = f"""\
[[events]]
kind = "notification-log"
[[events]]
kind = "notification-log"
catalog = "{SECOND}"
[[events]]
kind = "ddl-folder"
catalog = "{FILES}"
[[events]]
kind = "iceberg"
catalog = "{LAKE}"
poll_seconds = 0.2
"""


class Writer(Protocol):
    """Makes tables of ``id`` that gain ``unit``, and views that select all columns."""

    def relation(self, name: str) -> RelationName: ...

    def create_table(self, name: str) -> None: ...

    def add_unit(self, name: str) -> None: ...

    def create_view(self, name: str, text: str) -> None:
        """A view in Spark's SQL that follows the columns of its tables, if the catalog can say so."""


class MetastoreWriter:
    def __init__(self, ddl: MetastoreDdl, catalog: str, database: str) -> None:
        self.ddl = ddl
        self._catalog = "" if catalog == MAIN else catalog
        self._database = database

    def relation(self, name: str) -> RelationName:
        return RelationName((self._database,), name, self._catalog)

    def create_table(self, name: str) -> None:
        self.ddl.create_table(self._database, name, [("id", "bigint")])

    def add_unit(self, name: str) -> None:
        self.ddl.replace_columns(self._database, name, [("id", "bigint"), ("unit", "string")])

    def create_view(self, name: str, text: str) -> None:
        self.spark_view(name, [("id", "bigint")], text)

    def spark_view(self, name: str, columns: Columns, text: str) -> None:
        """As Spark stores a view ``WITH SCHEMA EVOLUTION`` of its session catalog."""
        fields = [
            {"name": n, "type": _SPARKS.get(t, t), "nullable": True, "metadata": {}}
            for n, t in columns
        ]
        properties = {
            "spark.sql.create.version": "4.1.4",
            "spark.sql.sources.schema": json.dumps({"type": "struct", "fields": fields}),
            "view.catalogAndNamespace.numParts": "2",
            "view.catalogAndNamespace.part.0": "spark_catalog",
            "view.catalogAndNamespace.part.1": self._database,
            "view.query.out.numCols": str(len(columns)),
            **{f"view.query.out.col.{i}": n for i, (n, _) in enumerate(columns)},
            "view.schemaMode": "EVOLUTION",
        }
        self.ddl.create_view(self._database, name, columns, text, properties=properties)


class FolderWriter:
    """A file for each relation."""

    def __init__(self, folder: Path, database: str) -> None:
        self._folder = folder
        self._database = database

    def relation(self, name: str) -> RelationName:
        return RelationName((self._database,), name, FILES)

    def create_table(self, name: str) -> None:
        self._write(name, f"CREATE TABLE {self._database}.{name} (id BIGINT);")

    def add_unit(self, name: str) -> None:
        self._write(name, f"CREATE TABLE {self._database}.{name} (id BIGINT, unit STRING);")

    def create_view(self, name: str, text: str) -> None:
        view = f"{self._database}.{name}"
        self._write(name, f"CREATE VIEW {view} WITH SCHEMA EVOLUTION AS {text};")

    def _write(self, name: str, statement: str) -> None:
        file = self._folder / f"{self._database}.{name}.sql"
        # Replaced at once, so that nobody reads half of it.
        new = file.with_suffix(".new")
        new.write_text(f"-- dialect: spark\n{statement}\n")
        new.replace(file)


class LakeWriter:
    def __init__(self, catalog: RestCatalog, database: str) -> None:
        self._catalog = catalog
        self.namespace = (database, *BELOW)
        for depth in range(1, len(self.namespace) + 1):
            catalog.create_namespace(self.namespace[:depth])

    def relation(self, name: str) -> RelationName:
        return RelationName(self.namespace, name, LAKE)

    def create_table(self, name: str) -> None:
        schema = Schema(NestedField(1, "id", LongType(), required=True))
        self._catalog.create_table((*self.namespace, name), schema)

    def add_unit(self, name: str) -> None:
        with self._catalog.load_table((*self.namespace, name)).update_schema() as update:
            update.add_column("unit", StringType())

    def create_view(self, name: str, text: str) -> None:
        """Its columns stay: they are ``id`` and ``other``."""
        schema = Schema(NestedField(1, "id", LongType()), NestedField(2, "other", IntegerType()))
        version = ViewVersion.model_validate(
            {
                "version-id": 1,
                "schema-id": schema.schema_id,
                "timestamp-ms": 1,
                "summary": {"engine-name": "spark"},
                "representations": [{"type": "sql", "sql": text, "dialect": "spark"}],
                "default-catalog": LAKE,
                "default-namespace": [*self.namespace],
            }
        )
        self._catalog.create_view((*self.namespace, name), schema, version)


class Lake:
    """The four catalogs as people change them; a context manager that drops the databases."""

    def __init__(self, servers: Servers, folder: Path, database: str) -> None:
        self.database = database
        self._servers = servers
        (folder / "ddl").mkdir()
        self._opened = ExitStack()
        main, second = (
            self._opened.enter_context(MetastoreDdl(each.uri))
            for each in (servers.metastore, servers.second)
        )
        for ddl in (main, second):
            ddl.create_database(database)
        rest = self._opened.enter_context(iceberg_client(servers.rest))
        self.main = MetastoreWriter(main, MAIN, database)
        self.second = MetastoreWriter(second, SECOND, database)
        self.files = FolderWriter(folder / "ddl", database)
        self.lake = LakeWriter(rest, database)
        self.writers: Mapping[str, Writer] = {
            MAIN: self.main,
            SECOND: self.second,
            FILES: self.files,
            LAKE: self.lake,
        }

    def sql_name(self, catalog: str, name: str) -> str:
        return ".".join((catalog, *self.writers[catalog].relation(name).parts))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._opened.close()
        # The connection of a metastore that was stopped meanwhile is gone.
        for server in (self._servers.metastore, self._servers.second):
            with MetastoreDdl(server.uri) as ddl:
                ddl.drop_database(self.database)


def field_names(schema: Mapping[str, Sequence[Mapping[str, str]]]) -> list[str]:
    return [field["name"] for field in schema["fields"]]
