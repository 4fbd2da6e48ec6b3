"""Reading Spark's event log: plans are text in which numbers identify columns."""

from __future__ import annotations

import json
from pathlib import Path

from tests.judges.queries.event_log import Logged, read_events
from tests.judges.queries.foreign_keys import TPCH_KEYS, tpcds_keys

QUERY = "SELECT a.x FROM a JOIN b ON a.id = b.id"
PLANS = """\
== Parsed Logical Plan ==
'Project ['a.x]
== Analyzed Logical Plan ==
x: int
Project [x#2]
+- Join Inner, (id#1L = id#4L)
   :- Relation spark_catalog.shop.a[id#1L,x#2,y#3] parquet
   +- Project [id#9L AS id#4L]
      +- Relation spark_catalog.shop.b[id#9L,z#10] parquet
== Optimized Logical Plan ==
Project [x#2]
+- Join Inner, (id#1L = id#4L)
   :- Relation spark_catalog.shop.a[id#1L,x#2,y#3] parquet
   +- Project [id#9L AS id#4L]
      +- Relation spark_catalog.shop.b[id#9L,z#10] parquet
== Physical Plan ==
*(1) Project
"""


def read(tmp_path: Path, plans: str) -> Logged:
    scans = [
        {
            "nodeName": f"Scan parquet spark_catalog.shop.{table}",
            "metadata": {"ReadSchema": schema},
            "children": [],
        }
        for table, schema in (("a", "struct<id:bigint,x:int>"), ("b", "struct<id:bigint>"))
    ]
    event = {
        "Event": "org.apache.spark.sql.execution.ui.SparkListenerSQLExecutionStart",
        "description": QUERY,
        "physicalPlanDescription": plans,
        "sparkPlanInfo": {"nodeName": "Project", "metadata": {}, "children": scans},
    }
    file = tmp_path / "log"
    others = [{"Event": "other"}, {**event, "description": "tables"}]
    file.write_text("\n".join(json.dumps(each) for each in [*others, event]))
    (found,) = read_events(file, [QUERY])
    return found


def test_columns_that_are_used_scanned_and_compared_are_told_apart(tmp_path: Path) -> None:
    found = read(tmp_path, PLANS)

    assert found.tables == {"a", "b"}
    assert found.used == {("a", "x"), ("a", "id"), ("b", "id")}
    assert found.scanned == {("a", "id"), ("a", "x"), ("b", "id")}
    assert found.compared == {(("a", "id"), ("b", "id"))}


def test_columns_that_grouping_sets_hand_on_are_not_used(tmp_path: Path) -> None:
    expanded = (
        "+- Expand [[id#1L, x#2, y#3, x#7, 0]], [id#1L, x#2, y#3, x#8, g#9]\n"
        "   +- Project [id#1L, x#2, y#3, x#2 AS x#7]\n"
        "      +- Relation spark_catalog.shop.a[id#1L,x#2,y#3] parquet\n"
    )
    head, tail = PLANS.split("== Analyzed Logical Plan ==\n")
    _, after = tail.split("== Optimized")
    plans = (
        f"{head}== Analyzed Logical Plan ==\nx: int\nAggregate [x#8]\n{expanded}== Optimized{after}"
    )

    assert read(tmp_path, plans).used == {("a", "x")}


def test_foreign_keys_are_those_of_the_specifications() -> None:
    keys = tpcds_keys({"store_sales": ("ss_item_sk", "ss_quantity"), "item": ("i_item_sk",)})

    assert (("item", "i_item_sk"), ("store_sales", "ss_item_sk")) in keys
    # The others are keys of returns.
    assert len(keys) == 7
    assert len(TPCH_KEYS) == 11
