"""The lake of a newcomer: tables and views of several kinds, over three days.

On the first day each relation is created. On the second, each gets a compatible change; on the third, a
few change in a way that breaks readers. Some share named types: a table and its views have an
``Address`` and a ``Tier``.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from lakeschema.catalog.identifiers import RelationName

_FOLDER: Final = Path(__file__).parent / "lake"
_WIDTH: Final = 500
DAYS: Final = ("1.0.0", "1.1.0", "2.0.0")

CUSTOMER = RelationName.of("crm", "customer")
INTERACTION = RelationName.of("crm", "interaction")
CATEGORY = RelationName.of("crm", "category")
ORDERS = RelationName.of("shop", "orders")
PAYMENT = RelationName.of("shop", "payment")
WEB_EVENTS = RelationName.of("shop", "web_events")
READINGS = RelationName.of("shop", "readings")
GOLD_CUSTOMER = RelationName.of("mart", "gold_customer")
ORDER_LINE = RelationName.of("mart", "order_line")
REVENUE_BY_COUNTRY = RelationName.of("mart", "revenue_by_country")
CUSTOMER_RANK = RelationName.of("mart", "customer_rank")
UNPAID = RelationName.of("mart", "unpaid")
SHIPPING_STATS = RelationName.of("mart", "shipping_stats")
LAST_INTERACTION = RelationName.of("mart", "last_interaction")

RELATIONS: Final = (
    CUSTOMER,
    INTERACTION,
    CATEGORY,
    ORDERS,
    PAYMENT,
    WEB_EVENTS,
    READINGS,
    GOLD_CUSTOMER,
    ORDER_LINE,
    REVENUE_BY_COUNTRY,
    CUSTOMER_RANK,
    UNPAID,
    SHIPPING_STATS,
    LAST_INTERACTION,
)
SOME: Final = (CUSTOMER, WEB_EVENTS, GOLD_CUSTOMER, SHIPPING_STATS)
"""An Avro table, a Spark table whose columns have odd names, and two views."""
BROKEN: Final = (ORDERS, CUSTOMER, REVENUE_BY_COUNTRY)
"""Those that have a 2.0.0 on the third day."""


def ddl(day: str) -> str:
    """The statements that make the lake as it is on the day of that version."""
    reached = DAYS[: DAYS.index(day) + 1]
    files = ("1_made.sql", "2_minor.sql", "3_major.sql")[: len(reached)]
    databases = "".join(f"CREATE DATABASE {name};\n" for name in ("crm", "shop", "mart"))
    tables = (
        _avro_table(CUSTOMER, _customer(day)),
        _avro_table(INTERACTION, _with_fields(_schema("interaction"), day, "campaign")),
        _avro_table(CATEGORY, _with_fields(_schema("category"), day, "note")),
        _wide_table(),
    )
    return databases + "".join((*tables, *((_FOLDER / file).read_text() for file in files)))


def _schema(name: str) -> dict[str, Any]:
    schema: dict[str, Any] = json.loads((_FOLDER / f"{name}.avsc").read_text())
    return schema


def _customer(day: str) -> dict[str, Any]:
    """A tier and a field more on the second day; ``birthDate`` is gone on the third."""
    schema = _with_fields(_schema("customer"), day, "nickname")
    if day != "1.0.0":
        (tier,) = (field for field in schema["fields"] if field["name"] == "tier")
        tier["type"]["symbols"].append("PLATINUM")
    if day == "2.0.0":
        schema["fields"] = [field for field in schema["fields"] if field["name"] != "birthDate"]
    return schema


def _with_fields(schema: dict[str, Any], day: str, name: str) -> dict[str, Any]:
    if day != "1.0.0":
        schema["fields"].append({"name": name, "type": ["null", "string"], "default": None})
    return schema


def _avro_table(name: RelationName, schema: Mapping[str, Any]) -> str:
    literal = json.dumps(schema).replace("\\", "\\\\")
    return (
        f"CREATE TABLE {name} STORED AS AVRO TBLPROPERTIES ('avro.schema.literal' = '{literal}');\n"
    )


def _wide_table() -> str:
    columns = ", ".join(f"m{number} DOUBLE" for number in range(_WIDTH - 1))
    return f"CREATE TABLE {READINGS} (at TIMESTAMP, {columns}) STORED AS ORC;\n"
