"""Spark's event log: the columns that each query reads, according to Spark."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from tests.judges.queries.foreign_keys import Column, Pair, pair_of

_STARTED: Final = "org.apache.spark.sql.execution.ui.SparkListenerSQLExecutionStart"
_RELATION: Final = re.compile(r"Relation spark_catalog\.(\w+)\.(\w+)\[([^\]]*)\]")
_ATTRIBUTE: Final = re.compile(r"\b\w+#(\d+)L?\b")
_ALIAS: Final = re.compile(r"\b\w+#(\d+)L? AS \w+#(\d+)L?\b")
_AS: Final = re.compile(r"\b\w+#(\d+)L? AS ")
_EQUAL: Final = re.compile(r"\(\w+#(\d+)L? <?=>? \w+#(\d+)L?\)")
_SCAN: Final = re.compile(r"Scan parquet spark_catalog\.\w+\.(\w+)")
_FIELD: Final = re.compile(r"[<,](\w+):")


@dataclass(frozen=True, slots=True)
class Logged:
    """The event log's facts about one query.

    Attributes:
        used: columns that the analysed plan uses.
        scanned: columns that the physical plan reads; a table whose rows are only counted has none.
        compared: columns that joins of the optimised plan compare by equality.
    """

    text: str
    tables: frozenset[str]
    used: frozenset[Column]
    scanned: frozenset[Column]
    compared: frozenset[Pair]


def read_events(file: Path, texts: Iterable[str]) -> Iterator[Logged]:
    wanted = set(texts)
    with file.open(encoding="utf-8") as stream:
        for line in stream:
            event = json.loads(line)
            if event["Event"] == _STARTED and event["description"] in wanted:
                yield _logged(event)


def _logged(event: Mapping[str, Any]) -> Logged:
    sections = dict(
        re.findall(r"(?ms)^== ([\w ]+) ==\n(.*?)(?=^== |\Z)", event["physicalPlanDescription"])
    )
    analysed, optimised = sections["Analyzed Logical Plan"], sections["Optimized Logical Plan"]
    columns = _columns(analysed)
    used = {columns[id_] for id_ in _ids(analysed) if id_ in columns}
    scans = list(_scans(event["sparkPlanInfo"]))
    return Logged(
        event["description"],
        frozenset(table for table, _, _ in columns_of_relations(analysed)),
        frozenset(used),
        frozenset((table, column) for table, names in scans for column in names),
        frozenset(_compared(optimised)),
    )


def columns_of_relations(plan: str) -> Iterator[tuple[str, str, str]]:
    """Table, column and Spark's number of each column of each read."""
    for _, table, attributes in _RELATION.findall(plan):
        for attribute in attributes.split(","):
            column, _, number = attribute.partition("#")
            yield table, column.strip(), number.rstrip("L")


def _columns(plan: str) -> dict[str, Column]:
    return {number: (table, column) for table, column, number in columns_of_relations(plan)}


def _ids(plan: str) -> set[str]:
    """The numbers of attributes that are used.

    Grouping sets are an Expand over a Project; both pass all columns on.
    """
    found: set[str] = set()
    hands_on = False
    for line in plan.splitlines():
        if _RELATION.search(line) or " Expand [" in line:
            hands_on = " Expand [" in line
        else:
            found.update((_AS if hands_on else _ATTRIBUTE).findall(line))
            hands_on = False
    return found


def _scans(info: Mapping[str, Any]) -> Iterator[tuple[str, Sequence[str]]]:
    found = _SCAN.search(info["nodeName"])
    if found:
        yield found[1], _FIELD.findall(info["metadata"].get("ReadSchema", ""))
    for child in info["children"]:
        yield from _scans(child)


def _compared(plan: str) -> Iterator[Pair]:
    columns = _columns(plan)
    # For a renamed column, the original one.
    renamed = {new: old for old, new in _ALIAS.findall(plan)}
    for line in plan.splitlines():
        for numbers in _EQUAL.findall(line) if re.search(r"\bJoin \w+", line) else ():
            ends = []
            for number in numbers:
                while number not in columns and number in renamed:
                    number = renamed[number]  # noqa: PLW2901 (it is followed to its origin)
                ends.append(columns.get(number))
            first, second = ends
            if first is not None and second is not None and first[0] != second[0]:
                yield pair_of(first, second)
