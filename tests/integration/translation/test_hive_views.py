"""TPC-H's queries as views of Hive: its own compiler is the judge of their names and types."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from deploy.hive import HiveQueries
from lakeschema.catalog.column_types import print_type
from lakeschema.catalog.ddl_files import relations_from_ddl
from lakeschema.catalog.identifiers import RelationName
from tests.lakeschema.translation.relations import derived_in

TPCH = Path(__file__).parent.parent.parent / "data" / "tpch"
QUERIES = sorted(path.stem for path in TPCH.glob("q*.sql"))
TABLES = (TPCH / "tables.sql").read_text()


def text_of(query: str) -> str:
    """Hive has no SUBSTRING … FROM … FOR, which Q22 is written with."""
    text = (TPCH / f"{query}.sql").read_text()
    return text.replace("substring(c_phone FROM 1 FOR 2)", "substring(c_phone, 1, 2)")


@pytest.fixture(scope="module")
def tables(hive: HiveQueries) -> Iterator[HiveQueries]:
    hive.answer("CREATE DATABASE tpch")
    hive.answer("USE tpch")
    for statement in TABLES.split(";"):
        if statement.strip():
            hive.answer(statement)
    yield hive
    hive.run("USE default", "DROP DATABASE tpch CASCADE")


@pytest.mark.parametrize("query", QUERIES)
def test_a_view_has_the_columns_that_hive_says(query: str, tables: HiveQueries) -> None:
    tables.answer(f"CREATE VIEW {query} AS {text_of(query)}")
    rows = [row.split("\t") for row in tables.answer(f"DESCRIBE {query}").rows]

    relations = relations_from_ddl([TABLES, f"CREATE VIEW {query} AS {text_of(query)}"])
    derivation = derived_in(relations, RelationName.of("default", query))

    columns = [(c.name, print_type(c.type)) for c in derivation.interface.columns]
    assert columns == [(name.strip(), type_.strip()) for name, type_, *_ in rows]
