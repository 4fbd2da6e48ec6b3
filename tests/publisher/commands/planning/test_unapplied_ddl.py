"""A statement of the DDL folder that is not applied: who reports it, and what stays published."""

from __future__ import annotations

import pytest

from publisher.commands.failures import NO
from tests.publisher.commands.folder import Folder

LAKE = "CREATE TABLE shop.orders (id bigint);\n"


@pytest.fixture
def lake(folder: Folder) -> Folder:
    folder.write_ddl(LAKE)
    assert folder.run("snapshot").status == 0
    return folder


def test_an_alter_that_cannot_be_read_is_told_and_the_last_package_stays(lake: Folder) -> None:
    statement = "ALTER TABLE shop.orders NONSENSE"
    lake.write_ddl(LAKE + statement)

    snapshot, verify = lake.run("snapshot"), lake.run("verify")

    (troubled,) = lake.run("status").lines[0]["troubled"]
    explained = lake.run("explain", "shop.orders").lines[0]
    assert (snapshot.status, verify.status) == (NO, NO)
    assert snapshot.lines[0]["unapplied"][0].endswith("found 'NONSENSE'")
    assert (troubled["relation"], statement in troubled["reason"]) == ("shop.orders", True)
    assert "not current" in explained["relation"]["reason"]
    assert [version["number"] for version in explained["versions"]] == ["1.0.0"]
    assert "not current" in lake.people("explain", "shop.orders")


def test_a_statement_about_no_relation_is_told_too(lake: Folder) -> None:
    lake.write_ddl(LAKE + "ALTRE TABLE shop.orders ADD COLUMNS (a int)")

    snapshot, verify = lake.run("snapshot"), lake.run("verify")

    assert (snapshot.status, verify.status) == (NO, NO)
    assert "ALTRE" in snapshot.lines[0]["unapplied"][0]
    assert "ALTRE" in verify.lines[-1]["unapplied"]
    assert "statements that were not applied" in lake.people("snapshot")


def test_an_alter_of_no_relation_is_in_trouble(lake: Folder) -> None:
    lake.write_ddl(LAKE + "ALTER TABLE shop.gone ADD COLUMNS (a int)")

    assert lake.run("snapshot").status == NO
    (troubled,) = lake.run("status").lines[0]["troubled"]
    assert troubled["relation"] == "shop.gone"
    assert "there is no table or view shop.gone" in troubled["reason"]


def test_a_table_made_as_select_has_a_package_and_one_of_no_query_is_told(lake: Folder) -> None:
    made = "CREATE TABLE shop.copied AS SELECT id FROM shop.orders;\n"
    lake.write_ddl(LAKE + made)
    planned = lake.run("plan", "CREATE TABLE shop.planned AS SELECT id FROM shop.copied", "--json")

    assert lake.run("snapshot").status == 0
    assert lake.run("explain", "shop.copied").lines[0]["relation"]["status"] == "OK"
    assert planned.lines[0]["versions"][0]["relation"] == "shop.planned"

    lake.write_ddl(LAKE + made.replace("id", "nothing"))
    assert lake.run("snapshot").status == NO
    assert "nothing does not exist" in lake.people("explain", "shop.copied")
