"""Pig scripts of queries over two tables, from a batch."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from lakeschema.translation.requests.batch import answer

DDL = (
    (
        "CREATE TABLE shop.orders (id INT, buyer STRING, amount INT, price DECIMAL(10,2), day DATE,"
        " at TIMESTAMP, paid BOOLEAN, tags ARRAY<STRING>, notes MAP<STRING, INT>,"
        " place STRUCT<street: STRING, number: INT>, `order` INT, weight DOUBLE)"
    ),
    "CREATE TABLE shop.buyers (name STRING, age INT)",
    "USE shop",
)
_LOADER = " USING org.apache.hive.hcatalog.pig.HCatLoader()"
_SETTING = "SET orc.schema.evolution.case.sensitive 'false';"


def answered(sql: str, **more: Any) -> dict[str, Any]:
    ddl = [*DDL, *more.pop("views", ()), f"CREATE VIEW v AS {sql}"]
    return answer({"id": 1, "ddl": ddl, "relation": "shop.v", "to": "pig", **more})


def script(sql: str, **more: Any) -> Sequence[str]:
    """Defines and statements, without what all have: the loader's name and its setting."""
    result: Mapping[str, Any] = answered(sql, **more)["result"]
    statements = [text.replace(_LOADER, "") for text in result["statements"] if text != _SETTING]
    return [*result["defines"], *statements]


def refusal(sql: str, **more: Any) -> str:
    error = answered(sql, **more)["error"]
    assert error["type"].startswith("Unsupported")
    return str(error["message"])


VISITS = "CREATE TABLE visits (who STRING, year INT)"


def steps(sql: str) -> Sequence[str]:
    """A script without its loads; there is a second narrow table."""
    return [text for text in script(sql, views=[VISITS]) if " = LOAD " not in text]


def refusal_of_steps(sql: str) -> str:
    return refusal(sql, views=[VISITS])
