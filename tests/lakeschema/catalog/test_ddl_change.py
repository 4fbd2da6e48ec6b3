"""DDL applied to a copy of a catalog."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from lakeschema.catalog.column_types import print_type
from lakeschema.catalog.ddl_change import ChangedCatalog, DdlChange, Script, apply_ddl
from lakeschema.catalog.ddl_files import DdlFilesCatalog
from lakeschema.catalog.errors import MalformedDdl
from lakeschema.catalog.identifiers import Namespace, RelationName
from lakeschema.catalog.relations import Dialect

TABLES = """\
CREATE DATABASE shop;
CREATE TABLE shop.orders (id bigint, note string) PARTITIONED BY (day string) STORED AS PARQUET;
CREATE TABLE shop.events (Id bigint, Kind string) USING parquet;
CREATE VIEW shop.ids AS SELECT id FROM shop.orders;
"""
ORDERS, EVENTS, IDS = (RelationName.of("shop", name) for name in ("orders", "events", "ids"))


@pytest.fixture
def catalog(tmp_path: Path) -> DdlFilesCatalog:
    (tmp_path / "tables.sql").write_text(TABLES)
    return DdlFilesCatalog(tmp_path)


def change(catalog: DdlFilesCatalog, *ddl: str, dialect: Dialect | None = None) -> DdlChange:
    return apply_ddl(catalog, [Script("change.sql", text) for text in ddl], dialect)


def columns(changed: DdlChange, name: RelationName) -> Sequence[str]:
    return [f"{c.name} {print_type(c.type)}" for c in changed.relations[name].columns]


@pytest.mark.parametrize(
    ("statement", "expected"),
    [
        ("ADD COLUMNS (total decimal(10,2))", ["id bigint", "note string", "total decimal(10,2)"]),
        ("REPLACE COLUMNS (id bigint)", ["id bigint"]),
        ("CHANGE COLUMN note Remark string AFTER id", ["id bigint", "remark string"]),
        ("CHANGE note note varchar(9) FIRST", ["note varchar(9)", "id bigint"]),
    ],
)
def test_an_alter_applies_to_the_columns_that_the_catalog_has(
    catalog: DdlFilesCatalog, statement: str, expected: list[str]
) -> None:
    changed = change(catalog, f"ALTER TABLE shop.orders {statement};")

    assert columns(changed, ORDERS) == expected
    assert [c.name for c in changed.relations[ORDERS].partition_columns] == ["day"]
    assert changed.removed == frozenset()


@pytest.mark.parametrize(
    ("alterations", "expected"),
    [
        (["CHANGE COLUMN note remark string"], {"id": (), "remark": ("note",)}),
        (["CHANGE note Note string"], {"id": (), "note": ()}),
        (
            ["CHANGE note a string", "CHANGE a b string", "ADD COLUMNS (c int)", "CHANGE b b varchar(9)"],
            {"id": (), "b": ("a", "note"), "c": ()},
        ),
        (["CHANGE note a string", "CHANGE a note string"], {"id": (), "note": ("a",)}),
        # The name is that of another column from then on.
        (
            ["CHANGE note a string", "ADD COLUMNS (note int)", "CHANGE note b int"],
            {"id": (), "a": (), "b": ("note",)},
        ),
        # What replaces all columns does not say what became of each.
        (["CHANGE note a string", "REPLACE COLUMNS (id bigint, a string)"], {"id": (), "a": ()}),
    ],
)  # fmt: skip
def test_a_column_that_was_renamed_knows_its_former_names(
    catalog: DdlFilesCatalog, alterations: Sequence[str], expected: dict[str, tuple[str, ...]]
) -> None:
    changed = change(catalog, *(f"ALTER TABLE shop.orders {each};" for each in alterations))

    found = changed.relations[ORDERS].columns
    assert {column.name: column.former_names for column in found} == expected


def test_spark_renames_are_known_and_so_are_those_of_partitions(catalog: DdlFilesCatalog) -> None:
    spark = change(
        catalog,
        "CREATE TABLE shop.clicks (Id bigint, Kind string) USING delta;"
        "ALTER TABLE shop.clicks RENAME COLUMN Kind TO Sort;",
        dialect=Dialect.SPARK,
    )
    hive = change(catalog, "ALTER TABLE shop.orders CHANGE COLUMN day date_of string;")

    (clicks,) = spark.relations.values()
    assert clicks.columns[1].former_names == ("Kind",)
    assert hive.relations[ORDERS].partition_columns[0].former_names == ("day",)


def test_a_catalog_that_tells_no_renames_gets_none(catalog: DdlFilesCatalog) -> None:
    script = Script("change.sql", "ALTER TABLE shop.orders CHANGE COLUMN note remark string;")

    changed = apply_ddl(catalog, [script], tells_renames=False)

    assert [column.former_names for column in changed.relations[ORDERS].columns] == [(), ()]


def test_what_no_statement_names_is_not_in_the_change(catalog: DdlFilesCatalog) -> None:
    changed = change(catalog, "ALTER TABLE shop.orders SET TBLPROPERTIES ('a' = 'b');")

    assert list(changed.relations) == [ORDERS]
    assert changed.relations[ORDERS].properties["a"] == "b"


def test_statements_of_one_script_see_those_before_them_and_say_where_they_stand(
    catalog: DdlFilesCatalog,
) -> None:
    script = """\
-- a comment; with a semicolon
USE shop;
ALTER TABLE orders ADD COLUMNS (total double);
/* another */ CREATE OR REPLACE VIEW ids AS SELECT id, total FROM orders;
ALTER TABLE orders CHANGE COLUMN total amount double;
"""
    changed = change(catalog, script)

    assert columns(changed, ORDERS) == ["id bigint", "note string", "amount double"]
    assert changed.statements == {
        ORDERS: ["change.sql:3", "change.sql:5"],
        IDS: ["change.sql:4"],
    }


def test_a_table_of_spark_keeps_the_case_of_its_columns(catalog: DdlFilesCatalog) -> None:
    changed = change(catalog, "ALTER TABLE shop.events ADD COLUMNS (AtTime timestamp);")

    assert columns(changed, EVENTS) == ["Id bigint", "Kind string", "AtTime timestamp"]


def test_each_script_begins_in_default(catalog: DdlFilesCatalog) -> None:
    with pytest.raises(MalformedDdl, match=r"change\.sql:1: there is no table or view default\.o"):
        change(catalog, "USE shop;", "ALTER TABLE orders ADD COLUMNS (a int);")


def test_a_renamed_relation_is_gone_under_its_old_name(catalog: DdlFilesCatalog) -> None:
    changed = change(
        catalog,
        "ALTER TABLE shop.orders RENAME TO shop.purchases;"
        "ALTER TABLE shop.purchases RENAME TO shop.sales;",
    )

    sales = RelationName.of("shop", "sales")
    assert changed.renamed == {ORDERS: sales}
    assert list(changed.relations) == [sales]
    assert ORDERS in changed.removed


@pytest.mark.parametrize(
    ("dialect", "expected"),
    [(None, ("default", "sales")), (Dialect.SPARK, ("shop", "sales"))],
)
def test_a_bare_new_name_lies_where_its_engine_puts_it(
    catalog: DdlFilesCatalog, dialect: Dialect | None, expected: tuple[str, str]
) -> None:
    changed = change(catalog, "ALTER TABLE shop.orders RENAME TO sales;", dialect=dialect)

    assert list(changed.relations) == [RelationName.of(*expected)]


def test_a_view_that_is_replaced_keeps_its_dialect_unless_one_is_chosen(tmp_path: Path) -> None:
    (tmp_path / "tables.sql").write_text("CREATE VIEW v WITH SCHEMA BINDING AS SELECT 1 AS a;")
    catalog = DdlFilesCatalog(tmp_path)
    replaced = "CREATE OR REPLACE VIEW v AS SELECT 2 AS a;"
    name = RelationName.of("default", "v")

    kept = change(catalog, replaced).relations[name].view
    chosen = change(catalog, replaced, dialect=Dialect.HIVE).relations[name].view

    assert kept is not None
    assert chosen is not None
    assert (kept.dialect, chosen.dialect) == (Dialect.SPARK, Dialect.HIVE)


def test_a_dropped_database_takes_its_relations_along(catalog: DdlFilesCatalog) -> None:
    changed = change(catalog, "CREATE VIEW shop.more AS SELECT 1 AS a; DROP DATABASE shop CASCADE;")

    assert changed.relations == {}
    assert changed.removed >= {ORDERS, EVENTS, IDS}


def test_what_is_dropped_and_made_again_exists(catalog: DdlFilesCatalog) -> None:
    changed = change(catalog, "DROP TABLE shop.orders; CREATE TABLE shop.orders (id int);")

    assert columns(changed, ORDERS) == ["id int"]
    assert changed.removed == frozenset()


def test_a_drop_of_nothing_may_say_if_exists(catalog: DdlFilesCatalog) -> None:
    assert change(catalog, "DROP TABLE IF EXISTS shop.nope;").removed == frozenset()


@pytest.mark.parametrize(
    ("statement", "expected"),
    [
        ("ALTER TABLE shop.nope ADD COLUMNS (a int)", "there is no table or view shop.nope"),
        ("DROP TABLE shop.nope", "there is no table or view shop.nope; write IF EXISTS"),
        ("DROP TABLE shop.ids", "shop.ids is a view: write DROP VIEW"),
        ("DROP VIEW shop.orders", "shop.orders is a table: write DROP TABLE"),
        ("DROP DATABASE shop", "shop holds 3 tables and views: write CASCADE"),
        ("DROP DATABASE nope", "there is no database nope"),
        ("USE nope", "there is no database nope"),
        ("CREATE TABLE nope.t (a int)", "there is no database nope"),
        ("CREATE TABLE shop.orders (a int)", "shop.orders exists already"),
        ("ALTER TABLE shop.orders RENAME TO shop.ids", "shop.ids exists already"),
        ("ALTER TABLE shop.orders ADD COLUMNS (ID int)", "two columns named id"),
        ("ALTER TABLE shop.ids ADD COLUMNS (a int)", "shop.ids is a view"),
        ("ALTER VIEW shop.orders AS SELECT 1 AS a", "shop.orders is not a view"),
        (
            "ALTER TABLE shop.orders CHANGE COLUMN nope a int",
            "there is no column nope in shop.orders (its columns are id, note, day)",
        ),
        ("ALTER TABLE shop.orders ADD COLUMNS (a int", "the statement ends"),
    ],
)
def test_what_an_engine_would_refuse_is_refused_with_its_file_and_line(
    catalog: DdlFilesCatalog, statement: str, expected: str
) -> None:
    with pytest.raises(MalformedDdl) as raised:
        change(catalog, f"-- first\n\n{statement};\n")

    assert str(raised.value).startswith("change.sql:")
    assert raised.value.line >= 3
    assert expected in raised.value.message


def test_a_table_that_the_catalog_cannot_give_cannot_be_altered(tmp_path: Path) -> None:
    (tmp_path / "tables.sql").write_text("CREATE TABLE t (a int,, b int);")

    with pytest.raises(MalformedDdl, match=r"the catalog cannot give default\.t"):
        change(DdlFilesCatalog(tmp_path), "ALTER TABLE t ADD COLUMNS (c int);")


def test_a_changed_catalog_answers_as_the_catalog_would(catalog: DdlFilesCatalog) -> None:
    changed = ChangedCatalog(
        catalog, change(catalog, "DROP VIEW shop.ids; CREATE DATABASE b; CREATE TABLE b.t (a int);")
    )
    new = RelationName.of("b", "t")

    assert Namespace(("b",)) in changed.namespaces()
    assert changed.relations(Namespace(("shop",))) == [EVENTS, ORDERS]
    assert changed.relations(Namespace(("b",))) == [new]
    assert set(changed.read([ORDERS, IDS, new])) == {ORDERS, new}
