"""One snapshot reads a metastore on executors and a plugin on the driver; names keep their catalogs."""

from __future__ import annotations

import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from pyspark.sql import SparkSession

from deploy.local_stack import Metastore
from deploy.metastore_ddl import MetastoreDdl
from deploy.recording_catalog import recording_catalog_conf, take_calls
from lakeschema.catalog.hive_metastore import HiveMetastoreCatalog
from lakeschema.catalog.identifiers import Namespace, RelationName
from lakeschema.catalog.relations import Catalog, Relation
from lakeschema.catalog.spark import SparkCatalog
from lakeschema.spark.snapshot import Cluster, run_job
from lakeschema.spark.values import Baseline, MetastoreAccess, Result
from lakeschema.translation.model.interface import Options
from lakeschema.translation.model.outcome import Status


@dataclass
class TwoCatalogs:
    """A metastore's database as the catalog ``prod``, and a plugin as the default one."""

    metastore: HiveMetastoreCatalog
    database: str
    plugin: Catalog

    def namespaces(self) -> Sequence[Namespace]:
        return [Namespace((self.database,)), *self.plugin.namespaces()]

    def relations(self, namespace: Namespace) -> Sequence[RelationName]:
        of_metastore = [replace(n, catalog="prod") for n in self.metastore.relations(namespace)]
        return [*of_metastore, *self.plugin.relations(namespace)]

    def read(self, names: Sequence[RelationName]) -> Mapping[RelationName, Relation]:
        assert not any(name.catalog for name in names), "executors read the metastore"
        return self.plugin.read(names)

    def current_event_id(self) -> int | None:
        return None


def test_each_catalog_is_read_where_it_can_be_reached(
    spark: SparkSession, metastore: Metastore, database: str
) -> None:
    lake = f"lake_{secrets.token_hex(4)}"
    content = {"tables": [{"name": [database, "T"], "columns": "x STRING NOT NULL"}]}
    for key, value in recording_catalog_conf(lake, content).items():
        spark.conf.set(key, value)
    with MetastoreDdl(metastore.uri) as ddl:
        ddl.create_table(database, "t", [("id", "bigint")])
    hive = HiveMetastoreCatalog(metastore.uri)
    catalog = TwoCatalogs(hive, database, SparkCatalog(spark, lake))
    cluster = Cluster(spark, {"prod": MetastoreAccess(metastore.uri)})
    remembered: list[Result] = []
    take_calls(spark)

    result = run_job(cluster, catalog, Baseline({}, (), lambda _: {}), Options(), remembered.extend)

    hive.close()
    names = [RelationName((database,), "T"), RelationName((database,), "t", "prod")]
    assert result.listing.names == names
    assert result.differing == names
    assert [(each.name, each.status) for each in remembered] == [(n, Status.OK) for n in names]
    assert '"x"' in str(remembered[0].derivation)
    assert '"id"' in str(remembered[1].derivation)
    loaded = [of for _, method, *of in take_calls(spark) if method == "loadRelation"]
    assert loaded == [[[database, "T"]]]
