"""Compares rows of Trino queries in Spark with those that Trino returned.

    python -m benchmarks.trino_source_rows FACTS.json TABLES.json [--limit N] [--skip N]

The files are those of ``trino_source``; a fact's rows are ``trino_result``, a table's are ``rows``.
Each query is derived as a view and written for Spark. Values are compared as texts: decimals and
timestamps without the zeros at their end, rows as lists, bytes in Latin-1.
"""

from __future__ import annotations

import argparse
import json
import math
from collections.abc import Mapping
from datetime import date, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

from pyspark.sql import Row, SparkSession

from benchmarks.seeded import Tally
from benchmarks.trino_source import NAMESPACE, VIEW, interfaces_of
from lakeschema.catalog.column_types import CharType, ColumnType, parse_type
from lakeschema.catalog.identifiers import RelationName
from lakeschema.catalog.relations import Dialect, Relation, ViewText
from lakeschema.translation.emission.spark.query import SparkQuery
from lakeschema.translation.emission.spark.text import quoted, type_text
from lakeschema.translation.emission.spark.view import spark_view
from lakeschema.translation.model.errors import TranslationError, Unsupported
from lakeschema.translation.model.interface import Interface, Options
from tests.judges.engines.spark import SparkEngine
from tests.judges.hive_and_pig import python_value
from tests.judges.sessions import running_spark, use_utc
from tests.judges.verdicts import (
    EQUAL,
    OTHER_ROWS,
    REFUSED_BY_US,
    REFUSED_TEXT,
    UNSUPPORTED,
    Verdict,
)

_OPTIONS = Options()
_DIGITS = 6
"""Digits of floating-point numbers: as many as Trino's real has."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("facts", type=Path)
    parser.add_argument("tables", type=Path)
    parser.add_argument("--limit", type=int, default=60, help="differences to show")
    parser.add_argument("--skip", type=int, default=0, help="queries at the beginning")
    chosen = parser.parse_args()
    stored = json.loads(chosen.tables.read_text())
    tables = interfaces_of(stored)
    facts = [f for f in json.loads(chosen.facts.read_text()) if f.get("trino_types")]
    facts = facts[chosen.skip :]
    tally = Tally()
    use_utc()
    with running_spark({"spark.driver.extraJavaOptions": "-Duser.timezone=UTC"}) as spark:
        _make_tables(spark, stored)
        for fact in facts:
            verdict = _judge(spark, fact, tables)
            tally.add(verdict)
            if verdict.details and tally.outcomes.total() - tally.outcomes[EQUAL] <= chosen.limit:
                print(f"{verdict.outcome}: {fact['trino']}\n    {verdict.details}", flush=True)
    print(f"{len(facts)} queries")
    tally.report()


def _judge(
    spark: SparkSession, fact: Mapping[str, Any], tables: Mapping[RelationName, Interface]
) -> Verdict:
    text = fact["trino"]
    view = Relation(VIEW, (), view=ViewText(Dialect.TRINO, text, text, NAMESPACE, "hive"))
    try:
        query = spark_view(view, tables, _OPTIONS, lambda name: quoted(name.name))
    except TranslationError as error:
        is_refused = isinstance(error, Unsupported)
        return Verdict(UNSUPPORTED if is_refused else REFUSED_BY_US, str(error))
    try:
        rows = _rows(spark, query)
    except Exception as error:  # noqa: BLE001 (whatever Spark says of one query)
        return Verdict(REFUSED_TEXT, f"{str(error)[:400]}\n    {query.sql}")
    wanted = [[_plain(value) for value in row] for row in fact["trino_result"]]
    if not fact.get("ordered"):
        rows, wanted = sorted(rows, key=repr), sorted(wanted, key=repr)
    if rows == wanted:
        return Verdict(EQUAL)
    differing = [(r, w) for r, w in zip(rows, wanted, strict=False) if r != w]
    shown = differing[:3] or (len(rows), len(wanted))
    return Verdict(OTHER_ROWS, f"{shown}\n    {query.sql}")


def _rows(spark: SparkSession, query: SparkQuery) -> list[list[object]]:
    frame = SparkEngine(spark, query.settings).frame(query.sql)
    return [[_plain(value) for value in row] for row in frame.collect()]


def _plain(value: object) -> object:
    """A value in a form that both sides share."""
    match value:
        case bool() | None:
            return value
        case int():
            return str(value)
        case float():
            return _number(value)
        case Decimal():
            return _without_zeros(format(value, "f"))
        case datetime():
            return str(value)[:26].rstrip("0").rstrip(".") if value.microsecond else str(value)
        case date():
            return str(value)
        case bytes() | bytearray():
            return bytes(value).decode("latin-1")
        case str():
            return _without_zeros(value)
        case Row() | tuple() | list():
            return [_plain(each) for each in value]
        case dict():
            return {str(_plain(k)): _plain(v) for k, v in sorted(value.items(), key=repr)}
        case _:
            return str(value)


def _number(value: float) -> str:
    if math.isnan(value):
        return "NaN"
    if math.isinf(value):
        return "Infinity" if value > 0 else "-Infinity"
    shown = f"{value:.{_DIGITS}g}"
    return str(int(value)) if value == int(value) and abs(value) < 1e15 else shown


def _without_zeros(text: str) -> str:
    """``7.50`` becomes ``7.5``; other texts stay."""
    body = text.lstrip("-")
    if "." in body and body.replace(".", "", 1).isdigit():
        return text.rstrip("0").rstrip(".")
    return text


def _make_tables(spark: SparkSession, stored: Mapping[str, Any]) -> None:
    for name, table in stored.items():
        schema = ", ".join(f"`{c}` {type_text(parse_type(t))}" for c, t in table["columns"])
        types = [parse_type(type_) for _, type_ in table["columns"]]
        rows = [tuple(map(_padded, row, types)) for row in table["rows"]]
        spark.createDataFrame(rows, schema).createOrReplaceTempView(name)


def _padded(cell: Any, type_: ColumnType) -> Any:
    """Spark pads chars when it reads files."""
    value = python_value(cell, type_)
    return value.ljust(type_.length) if isinstance(type_, CharType) and value is not None else value


if __name__ == "__main__":
    main()
