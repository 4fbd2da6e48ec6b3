"""The functions of ``lakeschema``; basic use needs no other names of the package."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Literal

from lakeschema.avro.printing import to_json
from lakeschema.catalog.ddl_files import relations_from_ddl
from lakeschema.catalog.identifiers import RelationName
from lakeschema.catalog.relations import Catalog, Dialect
from lakeschema.translation.deriving.direct_deriver import DirectDeriver
from lakeschema.translation.deriving.made_tables import query_columns
from lakeschema.translation.deriving.with_upstreams import derive_with_upstreams
from lakeschema.translation.model.errors import TranslationError, UnknownRelation
from lakeschema.translation.model.interface import HiveFunctions, Options, UdfReturn, ViewEvolution

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_NO_UDFS: Mapping[str, UdfReturn] = MappingProxyType({})


def derive(
    relation: str,
    ddl: Iterable[str],
    *,
    dialect: Literal["hive", "spark", "trino"] = "hive",
    udfs: Mapping[str, UdfReturn] = _NO_UDFS,
) -> dict[str, Any]:
    """The Avro schema of a table or view, as JSON values, from DDL alone.

    Args:
        relation: ``database.name``; a bare name is in ``default``.
        ddl: scripts of CREATE and ALTER statements that define it and its upstreams.
        dialect: the statements' dialect.
        udfs: the result types of user-defined functions' classes; see ``lakeschema.udfs``.

    Raises:
        TranslationError: the relation or an upstream does not exist or cannot be derived.
        CatalogError: a name or a statement cannot be read.
    """
    name = RelationName.parse(relation, current_namespace=("default",))
    options = Options(view_evolution=ViewEvolution.FOLLOW, udfs=udfs)
    columns = query_columns(DirectDeriver(options))
    relations = relations_from_ddl(list(ddl), Dialect(dialect), columns)
    if name not in relations:
        raise UnknownRelation(name, hint="the DDL does not create it")
    schema = to_json(derive_with_upstreams(name, relations, options)[name].interface.schema)
    assert isinstance(schema, dict), "a record prints as an object"
    return schema


def register_views(
    session: SparkSession,
    catalog: Catalog | str | None = None,
    *,
    udfs: Mapping[str, UdfReturn] = _NO_UDFS,
    java_methods: bool = False,
    hive_functions: Literal["built-in", "own-class"] = "built-in",
) -> Mapping[RelationName, str | TranslationError]:
    """Registers every view of a catalog in a session as a temporary view ``{database}_{view}``.

    Args:
        session: a classic Spark session; its own catalog must have the tables.
        catalog: a Hive Metastore's address, ``thrift://host:9083``; None for the session's own.
        udfs: the result types of user-defined functions' classes; see ``lakeschema.udfs``.
        java_methods: whether views may call any Java method by name, as ``reflect`` does.
        hive_functions: which function replaces a Hive function if Spark's differs for some values:
            Spark's function, or Hive's class.

    Returns:
        For each view the temporary view's name, or the error that prevented it.

    Raises:
        CatalogError: the catalog could not be read.
    """
    from lakeschema.spark.registration import register_views as register

    options = Options(udfs=udfs, hive_functions=HiveFunctions(hive_functions))
    return register(session, _catalog(session, catalog), options, java_methods=java_methods)


def _catalog(session: SparkSession, catalog: Catalog | str | None) -> Catalog:
    # Thrift and PySpark are optional, and imported only when needed.
    from lakeschema.table_files.limited import LimitedOwnSchemas

    if catalog is None:
        from lakeschema.catalog.spark import SparkCatalog

        return SparkCatalog(session, own_schemas=LimitedOwnSchemas())
    if isinstance(catalog, str):
        from lakeschema.catalog.hive_metastore import HiveMetastoreCatalog

        return HiveMetastoreCatalog(catalog, own_schemas=LimitedOwnSchemas())
    return catalog
