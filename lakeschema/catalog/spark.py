"""Any catalog of a Spark session, by name, with namespaces of any depth.

The session's own catalog is read in batches, any other one through its plugin's interfaces.
Everything runs in the driver's JVM and only reads.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pyspark.sql import SparkSession

from lakeschema.catalog.identifiers import Namespace, RelationName
from lakeschema.catalog.own_schemas import UNREAD, OwnSchemas
from lakeschema.catalog.relations import Relation
from lakeschema.catalog.spark_jvm import SparkJvm
from lakeschema.catalog.spark_plugin import PluginCatalog
from lakeschema.catalog.spark_session_catalog import SESSION_CATALOG, SessionCatalog


class SparkCatalog:
    """A catalog of a Spark session.

    Names of ``spark_catalog`` are lower-cased; names of a plugin are not.
    """

    def __init__(
        self,
        spark: SparkSession,
        catalog: str = SESSION_CATALOG,
        own_schemas: OwnSchemas = UNREAD,
    ) -> None:
        """``own_schemas`` reads the files of Delta and Iceberg tables in the session's own catalog."""
        self.name = catalog
        self._own_schemas = own_schemas
        jvm = SparkJvm(spark)
        is_session = catalog == SESSION_CATALOG
        self._read_from = (
            SessionCatalog(jvm, own_schemas) if is_session else PluginCatalog(jvm, catalog)
        )

    def namespaces(self) -> Sequence[Namespace]:
        return [*map(Namespace, self._read_from.namespaces())]

    def relations(self, namespace: Namespace) -> Sequence[RelationName]:
        return self._read_from.relations(namespace.levels)

    def read(self, names: Sequence[RelationName]) -> Mapping[RelationName, Relation]:
        return self._read_from.read(names)

    def current_event_id(self) -> int | None:
        return None

    def close(self) -> None:
        self._own_schemas.close()
