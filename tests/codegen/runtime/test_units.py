"""Times in another unit than the schema's: from other writers' bytes, Arrow's columns, Spark's rows."""

from __future__ import annotations

import datetime as dt
import io
import json
from collections.abc import Callable
from contextlib import ExitStack
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from codegen.runtime.varints import put_long
from tests.codegen.generated import imported, record

NANOS_OF = {"millis": 1_000_000, "micros": 1000, "nanos": 1}
KINDS = ("timestamp", "local-timestamp")
FIRST, LAST = -62_135_596_800_000, 253_402_300_799_999
"""Milliseconds of the years 1 and 9999."""


def long(logical: str) -> dict[str, str]:
    return {"type": "long", "logicalType": logical}


def one(type_: Any, **more: Any) -> dict[str, Any]:
    return record({"f": {"type": type_, **more}})


def encoded(number: int) -> bytes:
    out = bytearray()
    put_long(out, number)
    return bytes(out)


def count(value: Any) -> int:
    """Of nanoseconds; a record's nanoseconds are a number."""
    if isinstance(value, int):
        return value
    epoch = dt.datetime(1970, 1, 1, tzinfo=value.tzinfo)
    since: dt.timedelta = value - epoch
    return since // dt.timedelta(microseconds=1) * 1000


@pytest.fixture(scope="module")
def packages() -> Any:
    """By kind and unit."""
    with ExitStack() as stack:
        yield {
            (kind, unit): stack.enter_context(imported(one(long(f"{kind}-{unit}"))))
            for kind in KINDS
            for unit in NANOS_OF
        }


@given(
    kind=st.sampled_from(KINDS),
    units=st.permutations(list(NANOS_OF)),
    millis=st.integers(FIRST, LAST) | st.integers(-5, 5),
    finer=st.integers(0, 999_999) | st.just(0),
)
def test_a_time_of_another_unit_is_the_same_time_or_refused(
    packages: Any, kind: str, units: list[str], millis: int, finer: int
) -> None:
    writer, reader = units[0], units[1]
    given_nanos = (millis * 1_000_000 + finer) // NANOS_OF[writer] * NANOS_OF[writer]
    fits = -(2**63) <= given_nanos < 2**63
    if writer == "nanos" and not fits:
        return
    data = encoded(given_nanos // NANOS_OF[writer])
    package = packages[kind, reader]
    schema = json.dumps(one(long(f"{kind}-{writer}")))

    if reader == "nanos" and not fits:
        with pytest.raises(package.UnresolvableSchema, match=r"f: expected nanoseconds that fit"):
            package.RECORD.from_avro(data, schema)
    elif given_nanos % NANOS_OF[reader]:
        with pytest.raises(package.UnresolvableSchema, match=r"f: expected whole m\w+s, got -?\d"):
            package.RECORD.from_avro(data, schema)
        rounded = package.RECORD.from_avro(data, schema, round_times=True)
        assert count(rounded.f) == given_nanos // NANOS_OF[reader] * NANOS_OF[reader]
    else:
        assert count(package.RECORD.from_avro(data, schema).f) == given_nanos
        assert package.RECORD.resolve_from(schema, round_times=True)(data).to_avro() == encoded(
            given_nanos // NANOS_OF[reader]
        )


@pytest.mark.parametrize("wrap", [lambda t: t, lambda t: ["null", t], lambda t: [t, "string"]])
def test_times_of_day_are_converted_both_ways(wrap: Any) -> None:
    millis, micros = {"type": "int", "logicalType": "time-millis"}, long("time-micros")
    time = dt.time(23, 59, 59, 999_000)
    with imported(one(wrap(micros))) as of_micros, imported(one(wrap(millis))) as of_millis:
        for writer, reader in ((of_millis, of_micros), (of_micros, of_millis)):
            written = writer.RECORD(f=time).to_avro()
            assert reader.RECORD.from_avro(written, writer.SCHEMA).f == time
        finer = of_micros.RECORD(f=dt.time(0, 0, 0, 1999)).to_avro()
        with pytest.raises(of_millis.UnresolvableSchema, match="expected whole milliseconds, got"):
            of_millis.RECORD.from_avro(finer, of_micros.SCHEMA)
        rounded = of_millis.RECORD.from_avro(finer, of_micros.SCHEMA, round_times=True)
        assert rounded.f == dt.time(0, 0, 0, 1000)


@pytest.mark.parametrize(
    ("writer", "reader"),
    [
        ("timestamp-micros", "local-timestamp-micros"),
        ("local-timestamp-millis", "timestamp-micros"),
        ("time-micros", "timestamp-micros"),
    ],
)
def test_a_time_of_another_kind_is_refused(writer: str, reader: str) -> None:
    with imported(one(long(reader), default=0)) as package:
        for round_times in (False, True):
            with pytest.raises(package.UnresolvableSchema, match="the units differ"):
                package.RECORD.from_avro(
                    b"\2", json.dumps(one(long(writer))), round_times=round_times
                )


def test_the_path_leads_to_the_time_and_every_way_of_reading_can_round() -> None:
    def nested(unit: str) -> dict[str, Any]:
        item = record({"at": ["null", long(f"timestamp-{unit}")]}, "Item")
        return record({"items": {"type": {"type": "array", "items": item}}})

    moment = dt.datetime(1969, 12, 31, 23, 59, 59, 999_999, dt.UTC)
    with imported(nested("micros")) as writer, imported(nested("millis")) as reader:
        given_record = writer.RECORD(items=[writer.Item(at=moment)])
        single, framed = given_record.to_single_object(), given_record.to_confluent(7)
        schemas = {writer.CRC_64_AVRO: writer.SCHEMA}
        ways: list[Callable[..., Any]] = [
            lambda **how: reader.RECORD.from_avro(given_record.to_avro(), writer.SCHEMA, **how),
            lambda **how: reader.RECORD.from_single_object(single, schemas, **how),
            lambda **how: reader.RECORD.from_confluent(framed, lambda _: writer.SCHEMA, **how),
        ]
        for read in ways:
            with pytest.raises(
                reader.UnresolvableSchema,
                match=r"items\[0\]\.at: expected whole milliseconds, got -1 microseconds",
            ):
                read()
            assert read(round_times=True).items[0].at == moment.replace(microsecond=999_000)


def test_a_file_of_another_unit_is_read() -> None:
    moment = dt.datetime(2024, 3, 31, 1, 0, 0, 123_000, dt.UTC)
    with (
        imported(one(long("timestamp-micros"))) as writer,
        imported(one(long("timestamp-millis"))) as reader,
    ):
        exact, finer = io.BytesIO(), io.BytesIO()
        writer.write_file(exact, [writer.RECORD(f=moment)])
        writer.write_file(finer, [writer.RECORD(f=moment.replace(microsecond=123_456))])

        assert [r.f for r in reader.read_file(io.BytesIO(exact.getvalue()))] == [moment]
        with pytest.raises(reader.UnresolvableSchema, match="f: expected whole milliseconds"):
            list(reader.read_file(io.BytesIO(finer.getvalue())))
        rounded = reader.read_file(io.BytesIO(finer.getvalue()), round_times=True)
        assert [r.f for r in rounded] == [moment]


# Arrow.


@given(
    kind=st.sampled_from(KINDS),
    arrow=st.sampled_from(["s", "ms", "us", "ns"]),
    unit=st.sampled_from(list(NANOS_OF)),
    millis=st.integers(FIRST, LAST) | st.integers(-5, 5),
    finer=st.integers(0, 999_999) | st.just(0),
)
def test_an_arrow_column_of_any_unit_is_the_same_time_or_refused(
    packages: Any, kind: str, arrow: str, unit: str, millis: int, finer: int
) -> None:
    per = {"s": 10**9, "ms": 10**6, "us": 1000, "ns": 1}[arrow]
    number = (millis * 1_000_000 + finer) // per
    nanos = number * per
    if not -(2**63) <= number < 2**63:
        return
    zone = "America/New_York" if kind == "timestamp" else None
    table = pa.table({"F": pa.array([number], pa.timestamp(arrow, zone))})
    package = packages[kind, unit]

    if unit == "nanos" and not -(2**63) <= nanos < 2**63:
        with pytest.raises(package.InvalidValue, match=r"^row 1: f: expected nanoseconds that fit"):
            list(package.from_arrow(table))
    elif nanos % NANOS_OF[unit]:
        with pytest.raises(
            package.InvalidValue, match=r"^row 1: f: expected whole m\w+s, got -?\d"
        ):
            list(package.from_arrow(table))
        (rounded,) = package.from_arrow(table, round_times=True)
        assert count(rounded.f) == nanos // NANOS_OF[unit] * NANOS_OF[unit]
    elif nanos // 10**9 < FIRST // 1000 and unit != "nanos":
        with pytest.raises(package.InvalidValue, match="outside years 1 to 9999"):
            list(package.from_arrow(table))
    else:
        (found,) = package.from_arrow(table)
        assert count(found.f) == nanos


def test_times_within_arrows_structs_lists_and_maps_are_converted() -> None:
    at = ["null", long("timestamp-micros")]
    inner = record({"At": at, "time": {"type": {"type": "int", "logicalType": "time-millis"}}}, "I")
    fields = {
        "one": {"type": inner},
        "many": {"type": {"type": "array", "items": ["null", "I"]}},
        "named": {"type": {"type": "map", "values": at}},
    }
    moment = dt.datetime(2024, 7, 1, 12, 0, 0, 1, dt.UTC)
    stamp, time = pa.timestamp("ns", "Europe/Berlin"), pa.time64("ns")
    struct = pa.struct([("time", time), ("at", stamp), ("extra", pa.timestamp("ns"))])
    value = {"time": dt.time(1, 2, 3), "at": moment, "extra": None}
    with imported(record(fields)) as package:
        for many in (pa.list_(struct), pa.large_list(struct)):
            table = pa.table(
                {
                    "one": pa.array([value, value], struct),
                    "many": pa.array([[value, None], []], many),
                    "named": pa.array([[("k", moment), ("n", None)]] * 2, pa.map_("string", stamp)),
                }
            )

            first, second = package.from_arrow(table)
            (sliced,) = package.from_arrow(table.slice(1))

            assert first.one == package.I(At=moment, time=dt.time(1, 2, 3))
            assert first.many == [first.one, None]
            assert first.named == {"k": moment, "n": None}
            assert second == sliced
            bad = table.set_column(
                1, "many", pa.array([[{**value, "at": pa.scalar(1, stamp)}]] * 2, many)
            )
            with pytest.raises(
                package.InvalidValue,
                match=r"^row 1: many\[0\]\.At: expected whole microseconds, got 1 nan",
            ):
                list(package.from_arrow(bad))


def test_an_arrow_column_of_another_kind_of_time_is_refused() -> None:
    with imported(one(["null", long("timestamp-micros")])) as package:
        local = pa.table({"f": pa.array([None, 1], pa.timestamp("us"))})
        records = package.from_arrow(local)

        assert next(records).f is None
        with pytest.raises(
            package.InvalidValue, match="f: expected timestamps with time zone, got"
        ):
            next(records)


def test_batches_of_two_units_are_read_each_with_its_own() -> None:
    with imported(one(long("timestamp-millis"))) as package:
        batches = [
            pa.record_batch({"f": pa.array([number], pa.timestamp(unit, "UTC"))})
            for number, unit in ((1, "s"), (1000, "ms"), (10**6, "us"), (10**9, "ns"))
        ]

        assert len({r.f for r in package.from_arrow(batches)}) == 1


# Spark's rows; the session itself is in tests/integration.


def test_rows_finer_than_the_schema_are_refused_or_rounded_down() -> None:
    utc = dt.datetime(1969, 12, 31, 23, 59, 59, 999_999, dt.UTC)
    with imported(one(long("timestamp-millis"))) as package:
        with pytest.raises(package.InvalidValue, match=r"f: .* is finer than milliseconds"):
            list(package.from_rows([{"f": utc}]))
        (rounded,) = package.from_rows([{"f": utc}], round_times=True)
        assert rounded.f == utc.replace(microsecond=999_000)
    with imported(one(long("local-timestamp-millis"))) as package:
        (rounded,) = package.from_rows([{"f": utc.replace(tzinfo=None)}], round_times=True)
        assert rounded.f == utc.replace(microsecond=999_000, tzinfo=None)


def test_nanoseconds_without_a_zone_are_instants_in_sparks_parquet_files_only() -> None:
    """PyArrow shows Parquet's INT96 so, in which Spark writes instants."""
    moment = {"type": "long", "logicalType": "timestamp-micros"}
    local = {"type": "long", "logicalType": "local-timestamp-micros"}
    nanos = pa.array([1_700_000_000_123_456_000], pa.timestamp("ns"))
    table = pa.table({"at": pa.StructArray.from_arrays([nanos], ["seen"])})
    of_spark = table.replace_schema_metadata({"org.apache.spark.sql.parquet.row.metadata": "{}"})
    expected = dt.datetime(2023, 11, 14, 22, 13, 20, 123456, dt.UTC)
    with imported(record({"at": {"type": record({"seen": {"type": moment}}, "At")}})) as package:
        assert [each.at.seen for each in package.from_arrow(of_spark)] == [expected]
        assert [row.at.seen for row in package.rows(of_spark)] == [expected]
        for read in (package.from_arrow, package.rows):
            with pytest.raises(package.InvalidValue, match="expected timestamps with time zone"):
                assert [each.at.seen for each in read(table)]
    local_schema = record({"at": {"type": record({"seen": {"type": local}}, "At")}})
    with (
        imported(local_schema) as package,
        pytest.raises(package.InvalidValue, match="expected timestamps without time zone"),
    ):
        list(package.from_arrow(of_spark))
