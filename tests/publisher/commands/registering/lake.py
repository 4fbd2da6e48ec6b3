"""A few views for ``register``."""

from __future__ import annotations

from collections.abc import Sequence
from types import MappingProxyType
from typing import Any

from lakeschema.catalog.ddl_files import relations_from_ddl
from lakeschema.catalog.identifiers import RelationName
from lakeschema.catalog.relations import Dialect
from lakeschema.translation.model.interface import Options
from lakeschema.translation.policies.reading import read_policies
from publisher.commands.registering.statements import (
    Readers,
    Unwritable,
    Written,
    write_masked,
    write_views,
)

OPTIONS = Options(trino_catalogs=MappingProxyType({"": "hive"}))
TABLE = "CREATE TABLE shop.orders (id BIGINT, total DOUBLE COMMENT 'with tax')"
ABOVE = "CREATE VIEW shop.above COMMENT 'the dear ones' AS SELECT id, total FROM shop.orders WHERE total > 9"
TOP = "CREATE VIEW shop.a_top AS SELECT max(total) AS most FROM shop.above"
HASHED = "CREATE VIEW shop.hashed AS SELECT hash(id) AS h FROM shop.orders"


def views(*ddl: str, places: str = "lake.trino_{database}") -> Sequence[Written | Unwritable]:
    relations = relations_from_ddl([TABLE, *ddl], Dialect.SPARK)
    return write_views(relations, OPTIONS, places)


def masked(
    *names: str,
    rules: Sequence[dict[str, Any]],
    group: str | None = None,
    ddl: Sequence[str] = (ABOVE, TOP),
    places: str = "lake.trino_{database}",
) -> Sequence[Written | Unwritable]:
    """Relations as the readers of a group get them; "auditors" is one."""
    relations = relations_from_ddl([TABLE, *ddl], Dialect.SPARK)
    policies = read_policies({"groups": ["auditors"], "rules": rules}).for_group(group)
    chosen = [RelationName.parse(name) for name in names]
    return write_masked(chosen, relations, Readers(policies, group), OPTIONS, places)
