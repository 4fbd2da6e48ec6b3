"""Values of rows that Hive prints: columns separated by tabs, nested values as JSON."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from datetime import UTC, date, datetime
from decimal import Decimal
from types import MappingProxyType
from typing import Any
from zoneinfo import ZoneInfo

from deploy.hive import HiveAnswer


def values_of(answer: HiveAnswer) -> list[dict[str, Any]]:
    """Each row's values, by the column's name without the table's."""
    return [
        {
            name.rpartition(".")[2]: _value(text, type_)
            for (name, type_), text in zip(answer.columns, row.split("\t"), strict=True)
        }
        for row in answer.rows
    ]


def _value(text: str, type_: str) -> Any:
    if text == "NULL":
        return None
    if type_.startswith("uniontype"):
        return _union(text, type_.count(",") + 1)
    return _OF_TEXT[re.split(r"[<(]", type_)[0]](text)


def _union(text: str, members: int) -> dict[str, Any]:
    """``{0:1}`` is the first member."""
    index, _, value = text[1:-1].partition(":")
    return {f"member{n}": json.loads(value) if n == int(index) else None for n in range(members)}


def _struct(text: str) -> dict[str, Any]:
    """Names in lower case, as Hive knows them: its answers for ORC and Parquet have them as declared."""
    return {name.lower(): value for name, value in json.loads(text).items()}


def _zoned(text: str) -> datetime:
    local, _, zone = text.rpartition(" ")
    return datetime.fromisoformat(local).replace(tzinfo=ZoneInfo(zone))


_OF_TEXT: Mapping[str, Callable[[str], Any]] = MappingProxyType({
    **dict.fromkeys(("string", "char", "varchar"), str),
    **dict.fromkeys(("int", "bigint"), int),
    **dict.fromkeys(("array", "map"), json.loads),
    "struct": _struct,
    "double": float,
    "boolean": "true".__eq__,
    "decimal": Decimal,
    "date": date.fromisoformat,
    # A package has Hive's timestamps as instants.
    "timestamp": lambda text: datetime.fromisoformat(text).replace(tzinfo=UTC),
    "timestamp with local time zone": _zoned,
})  # fmt: skip
