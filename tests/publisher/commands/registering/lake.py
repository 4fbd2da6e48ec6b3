"""A few views, as ``register`` is given them."""

from __future__ import annotations

from collections.abc import Sequence
from types import MappingProxyType

from lakeschema.catalog.ddl_files import relations_from_ddl
from lakeschema.catalog.relations import Dialect
from lakeschema.translation.interface import Options
from publisher.commands.registering.statements import Unwritable, Written, write_views

OPTIONS = Options(trino_catalogs=MappingProxyType({"": "hive"}))
TABLE = "CREATE TABLE shop.orders (id BIGINT, total DOUBLE COMMENT 'with tax')"
ABOVE = "CREATE VIEW shop.above COMMENT 'the dear ones' AS SELECT id, total FROM shop.orders WHERE total > 9"
TOP = "CREATE VIEW shop.a_top AS SELECT max(total) AS most FROM shop.above"
HASHED = "CREATE VIEW shop.hashed AS SELECT hash(id) AS h FROM shop.orders"


def views(*ddl: str, places: str = "lake.trino_{database}") -> Sequence[Written | Unwritable]:
    relations = relations_from_ddl([TABLE, *ddl], Dialect.SPARK)
    return write_views(relations, OPTIONS, places)
