"""Names with capitals: as Spark gives them, and as Hive and Trino see them."""

from __future__ import annotations

import pytest

from lakeschema.catalog.ddl_files import relations_from_ddl
from lakeschema.catalog.identifiers import RelationName
from lakeschema.catalog.relations import Dialect
from lakeschema.translation.model.interface import Casing, Options
from tests.lakeschema.translation.asked_names import (
    TABLES,
    names_of_columns,
    names_of_fields,
    recorded,
)
from tests.lakeschema.translation.relations import derived, derived_in, field

VIEW = RelationName.of("default", "v")


@pytest.mark.parametrize(("query", "names"), recorded().items())
def test_columns_and_fields_have_the_names_that_spark_gives(query: str, names: str) -> None:
    relations = relations_from_ddl([*TABLES, f"CREATE VIEW v AS {query}"], Dialect.SPARK)

    interface = derived_in(relations, VIEW).interface

    assert names_of_columns(interface.columns) == names
    assert names_of_fields(interface) == names


@pytest.mark.parametrize("dialect", [Dialect.HIVE, Dialect.TRINO])
@pytest.mark.parametrize("source", ["t", "listed"])
def test_other_engines_see_lower_case(dialect: Dialect, source: str) -> None:
    relations = relations_from_ddl(TABLES, Dialect.SPARK)
    text = f"CREATE VIEW v AS SELECT * FROM {source}"
    views = relations_from_ddl(
        ["CREATE TABLE t (i int)", "CREATE TABLE listed (i int)", text], dialect
    )

    interface = derived_in({**relations, VIEW: views[VIEW]}, VIEW).interface
    names = recorded()[f"SELECT * FROM {source}"]

    assert names_of_columns(interface.columns) == names.lower()
    assert names_of_fields(interface) == names.lower()


def test_hives_tables_stay_in_lower_case() -> None:
    ddl = "CREATE TABLE t (UserId int, Nested struct<InnerCase:int>) PARTITIONED BY (P_Part string)"

    interface = derived(ddl, "t").interface

    assert names_of_columns(interface.columns) == "userid nested<innercase> p_part"
    assert names_of_fields(interface) == "userid nested<innercase> p_part"


def test_a_column_is_read_by_its_name_in_lower_case_too() -> None:
    ddl = "; ".join((*TABLES, "CREATE VIEW v AS SELECT *, amount AS Other FROM t"))

    table, view = (derived(ddl, name, Dialect.SPARK) for name in ("t", "v"))

    for found in (table, view):
        assert field(found, "UserId").aliases == ("userid",)
        assert field(found, "amount").aliases == ()
    assert field(view, "Other").aliases == ()


def test_lower_case_can_still_be_asked_for() -> None:
    lower = Options(casing=Casing.LOWER)
    ddl = "; ".join((*TABLES, "CREATE VIEW v AS SELECT * FROM t"))

    for name in ("t", "v"):
        asked = derived(ddl, name, Dialect.SPARK, lower)
        written = derived(ddl.lower(), name, Dialect.SPARK)
        assert names_of_fields(asked.interface) == names_of_fields(written.interface)
        # Spark writes it in its own case, which the package has to read.
        assert field(asked, "userid").aliases == ("UserId",)
