"""The people whom a plan affects, end to end."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from publisher.commands.audience.queries import MAX_CRASHES
from publisher.commands.failures import NO, OUTSIDE_FAILED
from tests.publisher.commands.folder import Folder

LAKE = """\
CREATE TABLE shop.orders (id bigint, customer bigint, total decimal(10,2));
CREATE TABLE shop.old (id bigint);
CREATE VIEW shop.totals AS SELECT customer, SUM(total) AS total FROM shop.orders GROUP BY customer;
"""
ORDERS = "acme-schema-shop-orders"
QUERIES = (
    {"query": "SELECT total FROM shop.orders", "user": "ann", "count": 3},
    {"query": "SELECT id FROM orders WHERE total > 1", "database": "shop", "user": "ben"},
    {"query": "SELECT id FROM shop.orders"},
    {"query": "INSERT OVERWRITE TABLE x SELECT * FROM shop.old"},
    {"query": "SELECT sum(total) AS s FROM shop.totals"},
    {"query": "SELECT total FROM shop.orders WHERE ((("},
    {"query": "SELECT * FROM elsewhere.orders"},
)


@pytest.fixture
def lake(folder: Folder) -> Folder:
    folder.write_ddl(LAKE)
    folder.write_settings(
        rest='[plan]\nlock_files = ["locks"]\ndownloads = "downloads.csv"\nquery_log = "log.jsonl"\n'
    )
    (folder.path / "locks").mkdir()
    for name, pin in {"exact": "==1.0.0", "ranged": ">=1", "compatible": "~=1.0"}.items():
        (folder.path / "locks" / f"{name}-requirements.txt").write_text(
            f"{ORDERS}{pin}\nacme-schema-shop-old{pin}\nacme-schema-shop-totals{pin}\n"
        )
    (folder.path / "downloads.csv").write_text(f"project,downloads\n{ORDERS},41\n")
    lines = "\n".join(json.dumps(query) for query in QUERIES)
    (folder.path / "log.jsonl").write_text(lines)
    assert folder.run("snapshot").status == 0
    return folder


def hits(folder: Folder, ddl: str, status: int = 0) -> Mapping[str, Any]:
    ended = folder.run("plan", ddl, "--json")
    assert ended.status == status, ended
    return {each["relation"]: each for each in ended.lines[0]["hits"]}


def pins(hit: Any) -> Mapping[str, str]:
    return {Path(p["file"]).name.partition("-")[0]: p["effect"] for p in hit["pins"]}


def queries(hit: Any) -> Mapping[int, str]:
    return {int(q["where"].rpartition(":")[2]): q["effect"] for q in hit["queries"]}


@pytest.mark.thorough
def test_a_new_column_hits_those_who_have_the_package_and_no_query(lake: Folder) -> None:
    found = hits(lake, "ALTER TABLE shop.orders ADD COLUMNS (note string)")

    assert found.keys() == {"shop.orders"}
    orders = found["shop.orders"]
    assert orders["downloads"] == 41
    assert pins(orders) == {"exact": "stays", "ranged": "takes", "compatible": "takes"}
    assert queries(orders) == {6: "unknown"}


def test_a_column_that_goes_breaks_the_queries_that_read_it(lake: Folder) -> None:
    found = hits(lake, "ALTER TABLE shop.orders CHANGE COLUMN total amount decimal(10,2)", NO)

    orders = found["shop.orders"]
    assert pins(orders) == {
        "exact": "stays_breaking",
        "ranged": "takes_breaking",
        "compatible": "stays_breaking",
    }
    assert queries(orders) == {1: "breaks", 2: "breaks", 6: "unknown"}
    assert orders["queries"][0]["times"] == 3
    assert orders["queries"][0]["users"] == ["ann"]
    assert "column total does not exist" in orders["queries"][0]["why"]
    assert pins(found["shop.totals"]) == dict.fromkeys(pins(orders), "source_breaks")
    assert queries(found["shop.totals"]) == {5: "breaks"}


@pytest.mark.thorough
def test_a_wider_type_changes_what_queries_yield(lake: Folder) -> None:
    found = hits(lake, "ALTER TABLE shop.orders CHANGE COLUMN total total decimal(12,2)")

    assert queries(found["shop.orders"]) == {1: "changes", 2: "reads", 6: "unknown"}
    assert queries(found["shop.totals"]) == {5: "changes"}


@pytest.mark.thorough
def test_a_logged_query_of_a_dropped_table_breaks_the_plan(lake: Folder) -> None:
    found = hits(lake, "DROP TABLE shop.old", NO)

    old = found["shop.old"]
    assert queries(old) == {4: "breaks"}
    assert set(pins(old).values()) == {"yanked"}


@pytest.mark.slow
def test_queries_that_kill_the_process_that_reads_them_end_the_reading(lake: Folder) -> None:
    steps = "".join(
        f", c{n} AS (SELECT struct(x.a AS p, x.a AS q) AS a FROM c{n - 1} x)" for n in range(1, 41)
    )
    log = "".join(
        f"WITH c0 AS (SELECT id AS a FROM shop.old){steps} SELECT a AS a{n} FROM c40;\n"
        for n in range(MAX_CRASHES + 2)
    )
    (lake.path / "log.sql").write_text(log)
    lake.write_settings(rest='derivation_timeout_seconds = 3\n[plan]\nquery_log = "log.sql"\n')

    ended = lake.run("plan", "ALTER TABLE shop.old CHANGE COLUMN id id decimal(38,0)", "--json")

    assert f"no further queries are read, {MAX_CRASHES} crashed" in ended.err
    (hit,) = ended.lines[0]["hits"]
    assert queries(hit) == dict.fromkeys(range(1, MAX_CRASHES + 1), "reads")


@pytest.mark.thorough
def test_people_and_merge_requests_see_who_is_hit(lake: Folder) -> None:
    drop = "DROP TABLE shop.old"
    text = lake.run("plan", drop, "--format", "text", env={"COLUMNS": "400"}).out
    markdown = lake.run("plan", drop, "--format", "markdown").out

    assert "1 logged query would break" in text
    assert "who is hit" in text
    assert "its versions are yanked: pins keep working, ranges find none" in text
    assert "**Who is hit**" in markdown


@pytest.mark.thorough
def test_without_ddl_pins_of_what_is_not_published_are_shown(lake: Folder) -> None:
    lake.write_ddl(LAKE.replace("id bigint, customer", "id bigint, more int, customer"))

    ended = lake.run("plan", "--json")

    (hit,) = ended.lines[0]["hits"]
    assert (hit["relation"], pins(hit)["exact"]) == ("shop.orders", "stays")


@pytest.mark.thorough
def test_a_file_that_is_missing_ends_the_plan_with_its_name(lake: Folder) -> None:
    (lake.path / "downloads.csv").unlink()

    ended = lake.run("plan", "DROP TABLE shop.old")

    assert ended.status == OUTSIDE_FAILED
    assert "plan.downloads" in ended.err
    assert "downloads.csv: No such file or directory" in ended.err
