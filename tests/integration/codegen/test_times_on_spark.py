"""Timestamps as Spark and Hive's Avro tables keep them, read and written by a package."""

from __future__ import annotations

import datetime as dt
import json
from collections.abc import Iterator
from random import Random
from typing import Any

import pytest
from pyspark.sql import SparkSession

from codegen.modules import render_modules
from lakeschema.catalog.column_types import TIMESTAMP, TIMESTAMP_NTZ
from lakeschema.catalog.identifiers import RelationName
from lakeschema.catalog.relations import Column, Relation
from lakeschema.translation.deriving.derivation import derive
from lakeschema.translation.model.interface import Options
from tests.codegen.generated import imported_modules, record, record_of

# The clocks of New York go forward, and back.
FORWARD, BACK = (
    dt.datetime(2024, 3, 10, 7, 0, 0, 1, dt.UTC),
    dt.datetime(2024, 11, 3, 6, 30, 0, 2, dt.UTC),
)
MICROSECOND = dt.timedelta(microseconds=1)
EPOCH = dt.datetime(1970, 1, 1, tzinfo=dt.UTC)


@pytest.fixture(autouse=True)
def _away_from_utc(spark: SparkSession) -> Iterator[None]:
    spark.conf.set("spark.sql.session.timeZone", "America/New_York")
    yield
    spark.conf.unset("spark.sql.session.timeZone")


def package_of(schema: Any, table: str) -> Any:
    package = f"generated_for_{table.replace('.', '_')}"
    return imported_modules(render_modules(schema, package, RelationName.parse(table)), package)


def moments() -> list[dt.datetime]:
    random = Random(0)
    # Python cannot convert an instant of the very first and last day to the system's zone.
    first, last = dt.datetime(1, 1, 2, tzinfo=dt.UTC), dt.datetime(9999, 12, 30, tzinfo=dt.UTC)
    span = (last - first) // MICROSECOND
    return [
        *(first, last, EPOCH, EPOCH - MICROSECOND, FORWARD - 2 * MICROSECOND, FORWARD, BACK),
        *(first + random.randrange(span) * MICROSECOND for _ in range(200)),
    ]


def test_ordinary_timestamps_of_spark_are_read_and_written_by_default(
    spark: SparkSession, database: str
) -> None:
    table = f"{database}.visits"
    spark.sql(f"CREATE TABLE {table} (seen TIMESTAMP, wall TIMESTAMP_NTZ) USING parquet")
    columns = (Column("seen", TIMESTAMP), Column("wall", TIMESTAMP_NTZ))
    relation = Relation(
        RelationName.parse(table), columns, properties={"spark.sql.sources.provider": "parquet"}
    )
    schema = derive(relation, {}, Options()).interface.schema

    with package_of(schema, table) as package:
        assert package.spark_schema().simpleString() == "struct<seen:timestamp,wall:timestamp_ntz>"
        records = [package.RECORD(seen=m, wall=m.replace(tzinfo=None)) for m in moments()]
        package.create_dataframe(spark, records).write.insertInto(table)

        found = list(package.from_rows(package.dataset(spark).collect()))

        assert sorted(found, key=lambda r: r.seen) == sorted(records, key=lambda r: r.seen)
        assert [package.RECORD.from_avro(r.to_avro()) for r in found] == found


def test_longs_that_an_avro_schema_calls_times_are_read_as_such(
    spark: SparkSession, database: str
) -> None:
    units = {"millis": 1000, "micros": 1}
    fields: dict[str, Any] = {
        f"{kind}{unit.capitalize()}": {
            "type": ["null", {"type": "long", "logicalType": f"{kind}-{unit}".replace("L", "l")}]
        }
        for kind in ("timestamp", "local-timestamp")
        for unit in units
    }
    fields = {name.replace("local-t", "localT"): type_ for name, type_ in fields.items()}
    item = record({"At": {"type": "long", "logicalType": "timestamp-micros"}}, "Item")
    fields["Items"] = {"type": {"type": "array", "items": item}}
    document = record(fields)
    table = f"{database}.events"
    literal = json.dumps(document).replace("'", "\\'")
    spark.sql(
        f"CREATE TABLE {table} ROW FORMAT SERDE 'org.apache.hadoop.hive.serde2.avro.AvroSerDe' "
        "STORED AS INPUTFORMAT 'org.apache.hadoop.hive.ql.io.avro.AvroContainerInputFormat' "
        "OUTPUTFORMAT 'org.apache.hadoop.hive.ql.io.avro.AvroContainerOutputFormat' "
        f"TBLPROPERTIES ('avro.schema.literal'='{literal}')"
    )
    shown = {
        field.name.lower(): field.dataType.simpleString() for field in spark.table(table).schema
    }
    assert shown["timestampmicros"] == shown["localtimestampmillis"] == "bigint"
    wanted = [*moments()[2:30], None]
    with package_of(record_of(document), table) as package:
        rows = [_row(moment, shown["timestampmillis"]) for moment in wanted]
        spark.sql(f"INSERT INTO {table} " + " UNION ALL ".join(rows))

        frame = package.dataset(spark)
        found = list(package.from_rows(frame.collect()))

        assert frame.schema == package.spark_schema()
        assert len(found) == len(wanted)
        for moment in wanted:
            local = None if moment is None else moment.replace(tzinfo=None)
            whole_local = local and local.replace(microsecond=local.microsecond // 1000 * 1000)
            assert (
                package.RECORD(
                    timestampMillis=whole_local and whole_local.replace(tzinfo=dt.UTC),
                    timestampMicros=moment,
                    localTimestampMillis=whole_local,
                    localTimestampMicros=local,
                    Items=[] if moment is None else [package.Item(At=moment)],
                )
                in found
            )


def _row(moment: dt.datetime | None, millis_type: str) -> str:
    if moment is None:
        return "SELECT NULL, NULL, NULL, NULL, CAST(array() AS ARRAY<STRUCT<at: BIGINT>>)"
    micros = (moment - EPOCH) // MICROSECOND
    millis = f"{micros // 1000}L"
    first = f"timestamp_millis({millis})" if millis_type == "timestamp" else millis
    return f"SELECT {first}, {micros}L, {millis}, {micros}L, array(named_struct('at', {micros}L))"
