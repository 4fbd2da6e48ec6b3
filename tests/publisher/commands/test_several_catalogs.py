"""The commands of a deployment over two folders of DDL with tables of equal names."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.publisher.commands.folder import Ended, Folder
from tests.publisher.commands.two_catalogs import two_catalogs


@pytest.fixture(scope="module")
def lake(tmp_path_factory: pytest.TempPathFactory) -> Folder:
    folder = two_catalogs(tmp_path_factory.mktemp("lake"))
    assert folder.run("snapshot").status == 0
    return folder


def only(ended: Ended) -> dict[str, object]:
    assert ended.status == 0, ended
    (line,) = ended.lines
    return line


def test_every_relation_gets_a_package_of_its_own(lake: Folder) -> None:
    folders = {path.name for path in (lake.path / "index" / "simple").iterdir() if path.is_dir()}

    assert folders == {
        "acme-schema-sales-orders",
        "acme-schema-sales-both-ids",
        "acme-schema-0-b-sales-orders",
        "acme-schema-0-b-sales-totals",
        "acme-schema-0-b-sales-far",
    }


def test_status_names_the_catalog_of_a_relation_in_trouble(lake: Folder) -> None:
    status = only(lake.run("status"))

    assert [each["relation"] for each in status["troubled"]] == ["b:sales.wrong"]  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("name", "dependents"),
    [
        ("sales.orders", ["b:sales.far", "sales.both_ids"]),
        ("main.sales.orders", ["b:sales.far", "sales.both_ids"]),
        ("b:sales.orders", ["b:sales.totals", "b:sales.wrong", "sales.both_ids"]),
        ("b.sales.orders", ["b:sales.totals", "b:sales.wrong", "sales.both_ids"]),
        ("B:sales.orders", None),
    ],
)
def test_explain_tells_tables_of_equal_names_apart(
    lake: Folder, name: str, dependents: list[str] | None
) -> None:
    ended = lake.run("explain", name)

    if dependents is None:
        assert ended.status == 1
        assert "B" in ended.err
    else:
        found = only(ended)["dependents"]
        assert found == dependents


def test_an_unknown_name_is_answered_with_names_of_every_catalog(lake: Folder) -> None:
    ended = lake.run("explain", "b.sales.ordrs")

    assert ended.status == 1
    assert "relation b:sales.ordrs is not known here" in ended.err
    assert "did you mean b:sales.orders or sales.orders?" in ended.err


@pytest.mark.parametrize(
    ("column", "sources"),
    [
        ("b:sales.far.note", ["sales.orders.note"]),
        ("b.sales.totals.total", ["b:sales.orders.total"]),
        ("sales.both_ids.total", ["b:sales.orders.total"]),
        ("sales.both_ids.id", ["sales.orders.id"]),
    ],
)
def test_lineage_crosses_catalogs(lake: Folder, column: str, sources: list[str]) -> None:
    shown = lake.people("lineage", column, "--depth", "1")

    direct = [line for line in shown.splitlines() if line.endswith("(direct)")]
    assert [line.split()[-2] for line in direct] == sources


def test_impact_follows_only_the_named_catalogs_table(lake: Folder) -> None:
    of_b = lake.people("impact", "b.sales.orders.total")
    of_main = lake.people("impact", "sales.orders.note")

    assert "b:sales.totals" in of_b
    assert "b:sales.far" not in of_b
    assert "b:sales.far" in of_main
    assert "b:sales.totals" not in of_main
    assert "sales.both_ids" not in of_main


def test_verify_and_doctor_check_the_packages_of_every_catalog(lake: Folder) -> None:
    verified, doctor = lake.people("verify"), lake.people("doctor")

    assert "6 packages checked" in verified
    assert "acme-schema-0-b-sales-wrong" in verified
    assert "catalog: 2 relations in 1 namespace" in doctor
    assert "catalog b: 4 relations in 1 namespace" in doctor


@pytest.mark.parametrize(
    ("name", "engine", "sql"),
    [
        ("b.sales.totals", "spark", "FROM `b`.`sales`.`orders`"),
        ("b.sales.far", "spark", "FROM `sales`.`orders`"),
        ("b.sales.totals", "trino", 'FROM "b_in_trino"."sales"."orders"'),
        ("b.sales.far", "trino", 'FROM "hive"."sales"."orders"'),
    ],
)
def test_translated_texts_name_the_catalog(lake: Folder, name: str, engine: str, sql: str) -> None:
    assert sql in lake.people("translate", name, "--to", engine)


def test_hive_is_told_that_it_has_no_other_catalogs(lake: Folder) -> None:
    ended = lake.run("translate", "sales.both_ids", "--to", "hive")

    assert ended.status == 1
    assert "b:sales.orders, a relation of another catalog, for Hive is not supported" in ended.err


def test_a_plan_of_the_default_catalog_reaches_views_of_the_others(lake: Folder) -> None:
    shown = lake.people("plan", "ALTER TABLE sales.orders ADD COLUMNS (x int)")

    assert "b:sales.far" in shown
    assert "b:sales.totals" not in shown


@pytest.mark.parametrize(
    ("statement", "shown", "hidden"),
    [
        ("ALTER TABLE b.sales.orders ADD COLUMNS (x int)", "b:sales.totals", "b:sales.far"),
        ("DROP TABLE b.sales.orders", "sales.both_ids", "b:sales.far"),
        (
            "ALTER TABLE b.sales.orders RENAME TO Bought",
            "b:sales.bought",
            "acme-schema-sales-orders",
        ),
        (
            "CREATE VIEW b.sales.notes AS SELECT note FROM sales.orders",
            "acme-schema-0-b-sales-notes",
            "BROKEN",
        ),
        ("CREATE TABLE b.sales.orders (id int)", "b:sales.orders exists already", "versions that"),
        ("DROP TABLE b.sales.gone", "there is no table or view b:sales.gone", "versions that"),
        ("CREATE TABLE b.hr.staff (id int)", "there is no database b:hr", "versions that"),
        ("USE b.sales", "write the catalog before the names", "versions that"),
    ],
)
def test_a_plan_changes_relations_of_any_catalog(
    lake: Folder, statement: str, shown: str, hidden: str
) -> None:
    ended = lake.run("plan", statement, "--no-json", env={"COLUMNS": "300"})

    assert shown in ended.out + ended.err
    assert hidden not in ended.out + ended.err


def test_a_deployment_that_was_published_has_nothing_to_plan(lake: Folder) -> None:
    assert "nothing would change" in lake.people("plan")


def test_a_catalog_that_is_down_holds_back_only_its_own_relations(tmp_path: Path) -> None:
    lake = two_catalogs(tmp_path)
    assert lake.run("snapshot").status == 0
    (lake.path / "b").rename(lake.path / "away")
    lake.write_ddl("CREATE TABLE sales.orders (id bigint, note string, more int);\n")

    snapshot = lake.run("snapshot")

    assert "b" in snapshot.err
    assert len(only(lake.run("explain", "sales.orders"))["versions"]) == 2  # type: ignore[arg-type]
    assert "its schema is known, and its package is current" in lake.people(
        "explain", "b:sales.orders"
    )


@pytest.mark.parametrize("masked", ["sales.orders", "b:sales.orders"])
def test_a_mask_is_of_one_catalogs_table(lake: Folder, masked: str, tmp_path: Path) -> None:
    policies = tmp_path / "policies.toml"
    policies.write_text(f'[[rules]]\ntables = ["{masked}"]\ncolumns = ["id"]\nmask = "null"\n')

    texts = {
        name: lake.run("translate", name, "--to", "spark", "--policies", str(policies)).out
        for name in ("sales.orders", "b:sales.orders")
    }

    assert {name for name, text in texts.items() if "NULL" in text} == {masked}


def remove_b(lake: Folder) -> None:
    settings = lake.config.read_text()
    one, removed = settings.split('[[catalog]]\nkind = "ddl"\nname = "b"')
    lake.config.write_text(f"{one}{removed[removed.index('default = false') + 15 :]}")


def test_doctor_asks_about_a_removed_catalog_until_the_settings_name_it(tmp_path: Path) -> None:
    lake = two_catalogs(tmp_path)
    assert lake.run("snapshot").status == 0
    remove_b(lake)
    lake.run("snapshot")

    asked = lake.people("doctor")
    named = '[snapshot]\nremoved_catalogs = ["b"]'
    lake.config.write_text(lake.config.read_text().replace("[snapshot]", named))
    lake.run("snapshot")
    accepted = lake.people("doctor")

    assert 'if this is intended: snapshot.removed_catalogs = ["b"]' in asked
    assert "not listed" not in accepted
    assert "b: 4 relations keep their packages, which follow no change" in accepted


def test_relations_of_a_removed_catalog_are_still_explained_and_traced(tmp_path: Path) -> None:
    lake = two_catalogs(tmp_path)
    assert lake.run("snapshot").status == 0
    remove_b(lake)

    explained = only(lake.run("explain", "b:sales.orders"))
    traced = only(lake.run("lineage", "b:sales.totals.total"))
    resynced = lake.run("resync", "b:sales.orders")

    assert explained["versions"]
    assert {link["source"]["relation"] for link in traced["links"]} == {"b:sales.orders"}  # type: ignore[attr-defined]
    assert (resynced.status, "'b' is not a catalog" in resynced.err) == (1, True)
