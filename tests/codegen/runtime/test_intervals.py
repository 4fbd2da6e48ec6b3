"""Intervals: of days and times as timedelta, of years and months as a number of months."""

from __future__ import annotations

import datetime as dt
import json
from collections.abc import Iterator
from typing import Any

import pyarrow as pa
import pytest

from codegen.modules import render_modules
from lakeschema.catalog.ddl_files import relations_from_ddl
from lakeschema.catalog.identifiers import RelationName
from lakeschema.catalog.relations import Dialect
from lakeschema.translation.deriving.derivation import derive
from lakeschema.translation.model.interface import Options
from tests.codegen.generated import imported, imported_modules, pairs, record

INTERVAL = {"type": "long", "logicalType": "day-time-interval-micros"}
LONGEST = dt.timedelta(microseconds=2**63 - 1)
VALUES = [
    dt.timedelta(), dt.timedelta(days=-1, microseconds=1), dt.timedelta(hours=36), LONGEST,
    -LONGEST - dt.timedelta(microseconds=1),
]  # fmt: skip


@pytest.fixture(scope="module", params=[False, True], ids=["mutable", "immutable"])
def waits(request: pytest.FixtureRequest) -> Iterator[Any]:
    name = RelationName.of("shop", "waits")
    ddl = "CREATE TABLE shop.waits (waited INTERVAL DAY TO SECOND, term INTERVAL YEAR TO MONTH);"
    relation = relations_from_ddl([ddl], Dialect.SPARK)[name]
    schema = derive(relation, {}, Options()).interface.schema
    modules = render_modules(schema, "waits_package", name, immutable=request.param)
    with imported_modules(modules, "waits_package") as package:
        yield package


def test_sparks_own_reader_finds_its_types_in_the_schema(waits: Any) -> None:
    waited, term = (field["type"][1] for field in json.loads(waits.SCHEMA)["fields"])

    assert waited == {**INTERVAL, "spark.sql.catalyst.type": "interval day to second"}
    assert term == {
        "type": "int",
        "logicalType": "year-month-interval",
        "spark.sql.catalyst.type": "interval year to month",
    }


@pytest.mark.parametrize("waited", VALUES)
def test_an_interval_is_a_timedelta_that_reads_back(waits: Any, waited: dt.timedelta) -> None:
    made = waits.Waits(waited=waited, term=14)
    table = waits.to_arrow([made]).read_all()

    assert waits.Waits.from_avro(made.to_avro()) == made
    assert waits.Waits.from_avro(made.to_avro(), waits.SCHEMA.replace("shop", "other")) == made
    assert made.to_dict()["waited"] == waited // dt.timedelta(microseconds=1)
    assert waits.Waits.from_dict(made.to_dict()) == made
    assert waits.Waits.from_dict({"waited": waited, "term": 14}) == made
    assert waits.Waits.from_json(made.to_json()) == made
    assert waits.Waits.from_json(made.to_json("avro"), "avro") == made
    assert table.schema.field("waited").type == pa.duration("us")
    assert list(waits.from_arrow(table)) == [made]
    assert [row.to_record() for row in waits.rows(table)] == [made]
    assert list(waits.from_rows(waits.to_rows([made]))) == [made]


def test_columns_of_spark_have_intervals_of_days_and_numbers_of_months(waits: Any) -> None:
    assert waits.spark_schema().simpleString() == "struct<waited:interval day to second,term:int>"


@pytest.mark.parametrize(
    ("waited", "text"),
    [
        (dt.timedelta(days=-1, microseconds=1), "-P0DT86399.999999S"),
        (dt.timedelta(hours=36), "P1DT43200S"),
    ],
)
def test_plain_json_has_text(waits: Any, waited: dt.timedelta, text: str) -> None:
    assert json.loads(waits.Waits(waited=waited).to_json())["waited"] == text
    assert waits.Waits.from_json(json.dumps({"waited": text})).waited == waited


@pytest.mark.parametrize(
    "text", ["P", "PT", "-P", "P1", "P1DT1.0000001S", "P999999999D", "1", "P１D"]
)
def test_other_text_is_no_interval(waits: Any, text: str) -> None:
    with pytest.raises(waits.InvalidValue, match="waited: expected"):
        waits.Waits.from_json(json.dumps({"waited": text}))


@pytest.mark.parametrize("waited", [1, "P1D", dt.timedelta.max, dt.timedelta.min])
def test_what_is_no_timedelta_of_64_bits_is_refused(waits: Any, waited: Any) -> None:
    with pytest.raises(waits.InvalidValue, match="waited"):
        waits.Waits(waited=waited).validate()


def test_intervals_are_keys_defaults_and_branches() -> None:
    document = record({
        "m": pairs("E", INTERVAL, "int"),
        "d": {"type": INTERVAL, "default": -1},
        "u": {"type": ["null", "string", INTERVAL], "default": None},
    })  # fmt: skip
    second = dt.timedelta(seconds=1)
    with imported(document) as package:
        made = package.R(m={second: 1}, u=second)

        assert made.d == dt.timedelta(microseconds=-1)
        assert package.R.from_avro(made.to_avro()) == made
        assert package.R.from_json(made.to_json()) == made
        assert package.R.from_dict(made.to_dict()) == made


def test_other_units_of_arrow_are_read(waits: Any) -> None:
    for unit in ("s", "ms", "us"):
        column = pa.array([dt.timedelta(seconds=90)], pa.duration(unit))
        table = pa.table({"waited": column, "term": pa.array([1], pa.int32())})

        assert next(waits.from_arrow(table)).waited == dt.timedelta(seconds=90)
        assert next(waits.rows(table)).waited == dt.timedelta(seconds=90)
