"""A plan's report about a change: fates, causes, breaks, and the effects on packages."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from typing import Any

import pytest
from typer.testing import CliRunner

from publisher.commands.cli import app
from publisher.commands.failures import NO
from tests.publisher.commands.folder import WRONG, Folder

LAKE = """\
CREATE DATABASE shop;
CREATE TABLE shop.orders (id bigint, customer bigint, total decimal(10,2));
CREATE TABLE shop.customers (id bigint, name string);
CREATE VIEW shop.totals AS SELECT customer, SUM(total) AS total FROM shop.orders GROUP BY customer;
CREATE VIEW shop.named AS SELECT c.name, t.total FROM shop.totals t
  JOIN shop.customers c ON c.id = t.customer;
CREATE VIEW shop.ids AS SELECT id FROM shop.orders WHERE total > 0;
"""


@pytest.fixture
def lake(folder: Folder) -> Folder:
    folder.write_ddl(LAKE)
    assert folder.run("snapshot").status == 0
    return folder


def plan(folder: Folder, *ddl: str, status: int = 0) -> Any:
    ended = folder.run("plan", *ddl, "--json")
    assert ended.status == status, ended
    return ended.lines[0]


@pytest.mark.thorough
def test_a_new_column_is_a_minor_version_of_what_shows_it_alone(lake: Folder) -> None:
    found = plan(lake, "ALTER TABLE shop.orders ADD COLUMNS (note string)")

    (version,) = found["versions"]
    assert (version["relation"], version["from"], version["to"]) == (
        "shop.orders",
        "1.0.0",
        "1.1.0",
    )
    assert version["reasons"] == ["field `note` added: optional string, default null"]
    assert found["relations"] == [
        {
            "relation": "shop.orders",
            "fate": "changed",
            "new_name": None,
            "statements": ["inline DDL:1"],
            "columns": [{"column": "note", "before": None, "after": "string", "note": ""}],
            "dependents_before": ["shop.ids", "shop.named", "shop.totals"],
            "dependents_after": ["shop.ids", "shop.named", "shop.totals"],
        }
    ]


@pytest.mark.thorough
def test_a_changed_type_reaches_those_that_read_the_column_and_names_it(lake: Folder) -> None:
    found = plan(lake, "ALTER TABLE shop.orders CHANGE COLUMN total total decimal(12,2)")

    causes = {v["relation"]: v["causes"] for v in found["versions"]}
    of_total = [
        {
            "relation": "shop.orders",
            "column": "total",
            "what": "total: decimal(10,2) → decimal(12,2)",
        }
    ]
    assert causes == {"shop.orders": [], "shop.totals": of_total, "shop.named": of_total}


@pytest.mark.thorough
def test_what_breaks_by_a_column_of_its_where_names_it_at_any_distance(folder: Folder) -> None:
    view = "CREATE VIEW shop.recent AS SELECT id FROM shop.orders WHERE note > 'a';"
    above = "CREATE VIEW shop.above AS SELECT id FROM shop.recent;"
    folder.write_ddl(f"CREATE TABLE shop.orders (id bigint, note string);{view}{above}")
    folder.run("snapshot")

    found = plan(folder, "ALTER TABLE shop.orders REPLACE COLUMNS (id bigint)", status=NO)

    removed = {"relation": "shop.orders", "column": "note", "what": "note removed"}
    causes = {each["relation"]: each["causes"] for each in found["broken"]}
    assert causes == {"shop.recent": [removed], "shop.above": [removed]}


@pytest.mark.thorough
def test_what_breaks_names_the_column_at_the_root_and_ends_with_no(lake: Folder) -> None:
    found = plan(lake, "ALTER TABLE shop.orders CHANGE COLUMN customer buyer bigint", status=NO)

    broken = {each["relation"]: each for each in found["broken"]}
    assert found["breaks"]
    assert sorted(broken) == ["shop.named", "shop.totals"]
    assert "column customer does not exist" in broken["shop.totals"]["reason"]
    assert broken["shop.named"]["reason"] == "shop.named: upstream shop.totals is BROKEN"
    removed = {"relation": "shop.orders", "column": "customer", "what": "customer removed"}
    assert broken["shop.totals"]["causes"] == broken["shop.named"]["causes"] == [removed]
    assert broken["shop.named"]["published"] == "1.0.0"


@pytest.mark.thorough
def test_a_comment_is_no_cause_of_what_breaks(lake: Folder) -> None:
    changed = "id bigint, customer bigint COMMENT 'who'"
    found = plan(lake, f"ALTER TABLE shop.orders REPLACE COLUMNS ({changed})", status=NO)

    broken = {each["relation"]: each["causes"] for each in found["broken"]}
    assert {cause["column"] for cause in broken["shop.totals"]} == {"total"}


@pytest.mark.thorough
def test_a_dropped_table_breaks_its_views_and_its_package_is_yanked(lake: Folder) -> None:
    found = plan(lake, "DROP TABLE shop.customers", status=NO)

    (broken,) = found["broken"]
    assert broken["relation"] == "shop.named"
    assert broken["causes"] == [
        {"relation": "shop.customers", "column": None, "what": "is dropped"}
    ]
    (dropped,) = found["dropped_packages"]
    assert (dropped["distribution"], dropped["versions"], dropped["fate"]) == (
        "acme-schema-shop-customers",
        ["1.0.0"],
        "yanked",
    )
    assert found["relations"][0]["dependents_after"] == ["shop.named"]


@pytest.mark.thorough
def test_a_renamed_table_is_a_first_package_under_its_new_name(lake: Folder) -> None:
    found = plan(lake, "ALTER TABLE shop.customers RENAME TO shop.people", status=NO)

    (relation,) = found["relations"]
    (version,) = found["versions"]
    (broken,) = found["broken"]
    assert (relation["fate"], relation["new_name"]) == ("renamed", "shop.people")
    assert (version["relation"], version["change"]) == ("shop.people", "first")
    assert broken["causes"][0]["what"] == "is renamed to shop.people"


@pytest.mark.thorough
def test_a_rename_with_its_views_replaced_breaks_nothing(lake: Folder) -> None:
    script = lake.path / "move.sql"
    script.write_text(
        "USE shop;\n"
        "ALTER TABLE customers RENAME TO people;\n"
        "CREATE OR REPLACE VIEW named AS SELECT p.name, t.total FROM totals t\n"
        "  JOIN people p ON p.id = t.customer;\n"
    )

    found = plan(lake, str(script))

    assert found["broken"] == []
    assert {v["relation"]: v["change"] for v in found["versions"]} == {
        "shop.people": "first",
        "shop.named": "patch",
    }


@pytest.mark.thorough
def test_many_dropped_packages_wait_for_a_person(folder: Folder) -> None:
    tables = "".join(f"CREATE TABLE shop.t{n} (a int);\n" for n in range(12))
    folder.write_ddl(f"CREATE DATABASE shop;\n{tables}")
    assert folder.run("snapshot").status == 0

    found = plan(folder, "DROP DATABASE shop CASCADE")

    assert {d["fate"] for d in found["dropped_packages"]} == {"held"}
    assert "12 of 12 relations would be missing" in found["dropped_packages"][0]["why"]


def test_what_failed_before_is_not_broken_by_the_change(folder: Folder) -> None:
    found = plan(folder, "ALTER TABLE shop.orders ADD COLUMNS (more int)")

    (failing,) = found["already_failing"]
    assert failing["relation"] == "shop.wrong"
    assert failing["reason"] == WRONG.replace("id, note", "id, note, more")
    assert found["broken"] == []


def test_what_a_change_mends_is_said(folder: Folder) -> None:
    found = plan(folder, "ALTER TABLE shop.orders ADD COLUMNS (nothing int)")

    assert found["mended"] == ["shop.wrong"]
    assert found["already_failing"] == []


@pytest.mark.thorough
def test_a_new_view_that_its_engine_would_refuse_breaks(lake: Folder) -> None:
    found = plan(lake, "CREATE VIEW shop.bad AS SELECT nope FROM shop.orders", status=NO)

    assert [each["relation"] for each in found["broken"]] == ["shop.bad"]


@pytest.mark.thorough
def test_a_new_view_that_is_not_translated_gets_no_package_and_breaks_nothing(
    lake: Folder,
) -> None:
    found = plan(lake, "CREATE VIEW shop.odd AS SELECT no_such_udf(id) AS x FROM shop.orders")

    assert [each["relation"] for each in found["failing"]] == ["shop.odd"]


@pytest.mark.thorough
def test_views_that_come_to_read_each_other_break(lake: Folder) -> None:
    found = plan(
        lake, "CREATE OR REPLACE VIEW shop.totals AS SELECT total FROM shop.named", status=NO
    )

    assert {each["status"] for each in found["broken"]} == {"CYCLE"}
    assert len(found["broken"]) == 2


@pytest.mark.thorough
def test_a_view_replaced_by_itself_changes_nothing(lake: Folder) -> None:
    text = "SELECT id FROM shop.orders WHERE total > 0"

    found = plan(lake, f"CREATE OR REPLACE VIEW shop.ids AS {text};")

    assert (found["versions"], found["relations"][0]["fate"]) == ([], "unchanged")


@pytest.mark.thorough
def test_a_relation_that_opts_out_gets_no_further_versions(lake: Folder) -> None:
    found = plan(
        lake, "ALTER TABLE shop.orders SET TBLPROPERTIES ('schema-publisher.publish' = 'false')"
    )

    assert found["withheld"] == ["shop.orders"]
    assert found["versions"] == []


@pytest.mark.thorough
def test_a_yanked_package_is_offered_again_with_its_relation(lake: Folder) -> None:
    lake.write_ddl(LAKE.replace("CREATE VIEW shop.ids", "-- "))
    lake.run("snapshot")

    found = plan(lake, "CREATE VIEW shop.ids AS SELECT id FROM shop.orders WHERE total > 0")

    assert found["offered_again"] == ["shop.ids"]
    assert found["versions"] == []


@pytest.mark.thorough
def test_a_plan_without_a_state_says_the_same_and_makes_none(lake: Folder) -> None:
    statement = "ALTER TABLE shop.orders CHANGE COLUMN customer buyer bigint"
    with_state = plan(lake, statement, status=NO)
    for file in lake.path.glob("state.db*"):
        file.unlink()

    ended = lake.run("plan", statement, "--json")

    assert ended.lines == [with_state]
    assert "no state to read" in ended.err
    assert list(lake.path.glob("state.db*")) == []


@pytest.mark.thorough
def test_the_state_is_only_read(lake: Folder) -> None:
    before = {file.name: file.read_bytes() for file in lake.path.glob("state.db*")}

    plan(lake, "ALTER TABLE shop.orders ADD COLUMNS (note string)")

    assert {file.name: file.read_bytes() for file in lake.path.glob("state.db*")} == before


@pytest.mark.thorough
def test_a_state_that_another_release_wrote_is_not_believed(lake: Folder) -> None:
    with closing(sqlite3.connect(lake.path / "state.db")) as connection:
        connection.execute("UPDATE alembic_version SET version_num = '9999'")
        connection.commit()

    ended = lake.run("plan", "ALTER TABLE shop.orders ADD COLUMNS (note string)", "--json")

    assert "was written by another release" in ended.err
    assert [v["to"] for v in ended.lines[0]["versions"]] == ["1.1.0"]


@pytest.mark.thorough
def test_a_view_that_the_state_has_not_heard_of_is_a_dependent(lake: Folder) -> None:
    lake.write_ddl(LAKE + "CREATE VIEW shop.newer AS SELECT customer FROM shop.orders;")

    found = plan(lake, "ALTER TABLE shop.orders CHANGE COLUMN customer buyer bigint", status=NO)

    assert "shop.newer" in {each["relation"] for each in found["broken"]}


@pytest.mark.thorough
def test_read_all_believes_no_state(lake: Folder) -> None:
    ended = lake.run("plan", "DROP VIEW shop.ids", "--read-all")

    assert ended.status == 0
    assert "every relation of the catalog is read" in ended.err


@pytest.mark.thorough
def test_markdown_has_the_same_and_obeys_no_name(lake: Folder) -> None:
    statement = "CREATE VIEW shop.`a|b<i>@x` AS SELECT nope FROM shop.orders"

    ended = lake.run("plan", statement, "--format", "markdown")

    assert ended.status == NO
    assert ended.out.startswith("### ❌ Schema plan: 1 relation would break\n")
    assert "**Would break**" in ended.out
    assert r"| `` shop.`a\|b<i>@x` `` |" in ended.out


@pytest.mark.thorough
def test_a_person_reads_sections(lake: Folder) -> None:
    ended = lake.run(
        "plan",
        "ALTER TABLE shop.orders CHANGE COLUMN customer buyer bigint",
        "--format",
        "text",
        env={"COLUMNS": "300"},
    )

    lines = ended.out.splitlines()
    assert lines[0].startswith("2 relations would break; 1 version would be published (1 major)")
    assert "would break" in lines
    assert "shop.orders: column customer removed" in ended.out
    assert lines.index("would break") < lines.index("relations concerned")


@pytest.mark.thorough
def test_ddl_from_standard_input_is_planned(lake: Folder) -> None:
    ended = CliRunner().invoke(
        app,
        ["plan", "-", "--json", "--config", str(lake.config)],
        input="ALTER TABLE shop.nope ADD COLUMNS (a int)",
    )

    assert ended.exit_code == 2
    assert "standard input:1: there is no table or view shop.nope" in ended.stderr
