"""The effect of inserted rows on a view over three small tables."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

import pytest

from lakeschema.catalog.ddl_files import relations_from_ddl
from lakeschema.catalog.identifiers import RelationName
from lakeschema.catalog.relations import Dialect
from lakeschema.translation.deriving.with_upstreams import derive_with_upstreams
from lakeschema.translation.model.errors import CannotRefresh
from lakeschema.translation.model.interface import Options
from lakeschema.translation.plan.explain import explain
from lakeschema.translation.products.stored_rows import Refresh, StoredViews
from lakeschema.translation.rewriting.delta_of_inserts import Insertion

TABLES = (
    "CREATE TABLE l (k INT, n BIGINT, x DOUBLE, d DECIMAL(10,2), e DECIMAL(38,2), q ARRAY<INT>)",
    "CREATE TABLE r (k INT, w STRING)",
    "CREATE TABLE u (k INT, w STRING)",
)
VIEW = RelationName.of("default", "v")
STORED = RelationName.of("default", "v_stored")
OF_L: Mapping[str, str | None] = MappingProxyType({"l": None})


def refreshed(
    text: str,
    *views: str,
    changed: Mapping[str, str | None] = OF_L,
    dialect: Dialect = Dialect.SPARK,
    options: Options | None = None,
) -> Refresh | None:
    """``changed``: a table to the one with its rows before, if there is one; new rows are in ``…_new``."""
    relations = relations_from_ddl([*TABLES, *views, f"CREATE VIEW v AS {text}"], dialect)
    chosen = options or Options()
    derivations = derive_with_upstreams(VIEW, relations, chosen)
    insertions = {
        RelationName.of("default", table): Insertion(
            RelationName.of("default", f"{table}_new"),
            None if before is None else RelationName.of("default", before),
        )
        for table, before in changed.items()
    }
    return StoredViews(relations, derivations, chosen).refresh(VIEW, insertions, STORED)


def lines(found: Refresh | None) -> list[str]:
    """The plan of the rows to add or to put in place, without the columns of its scans."""
    assert found is not None
    shown = explain(found.view.plan).splitlines()
    return [line.strip().partition(" (k int")[0] for line in shown]


def refusal(
    text: str,
    *views: str,
    changed: Mapping[str, str | None] = OF_L,
    dialect: Dialect = Dialect.SPARK,
) -> str:
    """Why the inserted rows do not say what becomes of the view's."""
    with pytest.raises(CannotRefresh) as caught:
        refreshed(text, *views, changed=changed, dialect=dialect)
    return caught.value.reason
