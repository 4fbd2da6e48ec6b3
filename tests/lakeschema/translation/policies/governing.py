"""Relations of DDL under the policies of one reader."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from lakeschema.catalog.ddl_files import relations_from_ddl
from lakeschema.catalog.identifiers import RelationName
from lakeschema.catalog.relations import Dialect
from lakeschema.translation.model.interface import Options, ViewEvolution
from lakeschema.translation.plan.explain import explain
from lakeschema.translation.policies.reading import read_policies
from lakeschema.translation.products.governed import GovernedRelation, govern

CUSTOMERS = (
    "CREATE TABLE customers (id BIGINT, email STRING, card VARCHAR(20), age INT, country STRING)"
)
OPTIONS = Options(view_evolution=ViewEvolution.FOLLOW)


def governed(
    views: str | Sequence[str],
    *rules: dict[str, Any],
    group: str | None = None,
    name: str = "v",
    table: str = CUSTOMERS,
    dialect: Dialect = Dialect.HIVE,
    **policies: Any,
) -> GovernedRelation:
    """``views`` are the text of ``v``, or statements after that of the table."""
    ddl = [f"CREATE VIEW v AS {views}"] if isinstance(views, str) else list(views)
    relations = relations_from_ddl([table, *ddl], dialect)
    found = read_policies({"rules": list(rules), **policies}).for_group(group)
    return govern(RelationName.of("default", name), relations, found, OPTIONS)


def on(*columns: str, table: str = "default.customers", **action: Any) -> dict[str, Any]:
    """A rule about columns of a table."""
    return {"tables": [table], "columns": list(columns), **action}


def lines(found: GovernedRelation) -> list[str]:
    return [line.strip() for line in explain(found.plan()).splitlines()]
