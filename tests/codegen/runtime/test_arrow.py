"""A package's records in Arrow and back, and values that Arrow cannot hold."""

from __future__ import annotations

import datetime as dt
import decimal
import io
from typing import Any

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from codegen.modules import render_modules
from tests.codegen.columns import every_column
from tests.codegen.generated import imported, imported_modules, record, record_of
from tests.effort import examples

EVERY, VALUES = every_column(with_null=True)

slow = settings(
    max_examples=examples(30), suppress_health_check=list(HealthCheck)
)  # fmt: skip


@pytest.fixture(scope="module")
def package() -> Any:
    with imported(EVERY) as module:
        yield module


@slow
@given(st.lists(VALUES, max_size=7), st.integers(1, 8))
def test_records_pass_through_arrow_unchanged(
    package: Any, values: list[dict[str, Any]], batch_size: int
) -> None:
    records = [package.RECORD.from_dict(value) for value in values]

    table = package.to_arrow(records, batch_size=batch_size).read_all()

    table.validate(full=True)
    assert table.schema == package.arrow_schema()
    assert all(len(batch) <= batch_size for batch in table.to_batches())
    assert list(package.from_arrow(table)) == records
    assert list(package.from_arrow(package.to_arrow(records))) == records
    assert [r for b in table.to_batches() for r in package.from_arrow(b)] == records


@slow
@given(st.lists(VALUES, max_size=3))
def test_records_pass_through_an_ipc_stream_unchanged(
    package: Any, values: list[dict[str, Any]]
) -> None:
    records = [package.RECORD.from_dict(value) for value in values]
    file = io.BytesIO()

    with pa.ipc.new_file(file, package.arrow_schema()) as writer:
        for batch in package.to_arrow(records, batch_size=1):
            writer.write_batch(batch)

    found = pa.ipc.open_file(file.getvalue()).read_all()
    assert list(package.from_arrow(found)) == records


def test_schema_has_the_casing_and_the_nullability(package: Any) -> None:
    schema = package.arrow_schema()

    assert schema.field("Inner").type.field("UnitNumber").nullable
    assert not schema.field("Inner").type.field("StreetName").nullable
    assert not schema.field("Inner").nullable
    assert schema.field("InnerOrNull").nullable
    assert not schema.field("EnumArray").type.value_field.nullable
    assert schema.field("Inner").type.field("Ids").type.item_field.nullable


@pytest.mark.parametrize(
    ("type_", "expected"),
    [
        ({"type": "int", "logicalType": "date"}, pa.date32()),
        ({"type": "int", "logicalType": "time-millis"}, pa.time32("ms")),
        ({"type": "long", "logicalType": "time-micros"}, pa.time64("us")),
        ({"type": "long", "logicalType": "timestamp-millis"}, pa.timestamp("ms", "UTC")),
        ({"type": "long", "logicalType": "timestamp-micros"}, pa.timestamp("us", "UTC")),
        ({"type": "long", "logicalType": "local-timestamp-millis"}, pa.timestamp("ms")),
        ({"type": "long", "logicalType": "local-timestamp-micros"}, pa.timestamp("us")),
        ({"type": "string", "logicalType": "uuid"}, pa.string()),
        ({"type": "bytes", "logicalType": "decimal", "precision": 9, "scale": 2},
         pa.decimal128(9, 2)),
        ({"type": "bytes", "logicalType": "decimal", "precision": 76, "scale": 2},
         pa.decimal256(76, 2)),
        ({"type": "enum", "name": "E", "symbols": ["A"]}, pa.string()),
        ({"type": "fixed", "name": "F", "size": 5}, pa.binary(5)),
    ],
)  # fmt: skip
def test_each_type_has_its_column(type_: Any, expected: pa.DataType) -> None:
    with imported(record({"f": {"type": type_}})) as package:
        assert package.arrow_schema() == pa.schema([pa.field("f", expected, nullable=False)])


@pytest.mark.parametrize(
    ("type_", "reason"),
    [
        (["int", {"type": "fixed", "name": "Span", "size": 12, "logicalType": "duration"}],
         r"inner.f.member1: Arrow has no column for duration"),
        ({"type": "fixed", "name": "Span", "size": 12, "logicalType": "duration"},
         "inner.f: Arrow has no column for duration"),
        ({"type": "bytes", "logicalType": "decimal", "precision": 77, "scale": 1},
         r"inner.f: Arrow has no column for decimal\(77,1\)"),
        (["null", "Inner"], "inner.f: Arrow has no column for n.Inner, which contains itself"),
    ],
)  # fmt: skip
def test_what_arrow_cannot_hold_is_refused_by_name(type_: Any, reason: str) -> None:
    inner = record({"f": {"type": type_}}, "Inner")

    with imported(record({"inner": {"type": inner}})) as package:
        with pytest.raises(package.AvroError, match=reason):
            package.arrow_schema()
        with pytest.raises(package.AvroError, match=reason):
            package.to_arrow([])
        with pytest.raises(package.AvroError, match=reason):
            next(package.from_arrow([]))


def test_a_record_without_fields_is_refused() -> None:
    with (
        imported(record({})) as package,
        pytest.raises(package.AvroError, match=r"n\.R has no fields"),
    ):
        package.arrow_schema()


def test_a_wrong_value_is_refused_with_its_path_when_its_batch_is_read() -> None:
    with imported(record({"f": {"type": {"type": "array", "items": "int"}}})) as package:
        batches = package.to_arrow([package.R(f=[1]), package.R(f=[1, 2**40])], batch_size=1)

        assert batches.read_next_batch().to_pylist() == [{"f": [1]}]
        with pytest.raises(package.InvalidValue, match=r"f\[1\]: 1099511627776 does not fit"):
            batches.read_next_batch()


def test_columns_are_found_in_any_order_and_case_and_nulls_refused() -> None:
    fields = {"Name": "string", "Count": {"type": ["null", "int"], "default": None}}
    with imported(record(fields)) as package:
        table = pa.table({"extra": [1], "count": pa.array([5], pa.int8()), "name": ["a"]})
        dictionary = pa.table({"NAME": pa.array(["a"]).dictionary_encode()})

        assert list(package.from_arrow(table)) == [package.R(Name="a", Count=5)]
        assert list(package.from_arrow(dictionary)) == [package.R(Name="a", Count=None)]
        with pytest.raises(package.InvalidValue, match="Name: expected str, got None"):
            list(package.from_arrow(pa.table({"name": pa.array([None], pa.string())})))
        with pytest.raises(package.InvalidValue, match="Name: is missing"):
            list(package.from_arrow(pa.table({"count": [1]})))


def test_instants_of_another_zone_and_unit_are_the_same_instants() -> None:
    micros = {"type": "long", "logicalType": "timestamp-micros"}
    moment = dt.datetime(2020, 7, 1, 10, tzinfo=dt.UTC)
    with imported(record({"f": {"type": micros}})) as package:
        seconds = pa.array([moment], pa.timestamp("s", "America/New_York"))
        nanos = pa.array([moment], pa.timestamp("ns", "UTC"))
        finer = pa.array([1], pa.timestamp("ns", "UTC"))

        for column in (seconds, nanos):
            (found,) = package.from_arrow(pa.table({"f": column}))
            assert found.f == moment
            assert type(found.f) is dt.datetime
            assert found.f.tzinfo is dt.UTC
        with pytest.raises(package.InvalidValue, match="f: "):
            list(package.from_arrow(pa.table({"f": finer})))
        with pytest.raises(package.InvalidValue, match="expected timestamps with time zone"):
            list(package.from_arrow(pa.table({"f": pa.array([1], pa.timestamp("us"))})))


def test_parquet_files_hold_the_records() -> None:
    document, _ = every_column(with_null=False)
    del document["fields"][4:]
    with imported(document) as package:
        value: dict[str, Any] = {f["name"]: [] if f["name"].endswith("Array") else None
                 for f in document["fields"]}  # fmt: skip
        value |= {"Leaf1": True, "Leaf1Map": {"k": False}, "Leaf1OrNull": None}
        records = [package.RECORD.from_dict(value)]
        file = io.BytesIO()

        pq.write_table(package.to_arrow(records).read_all(), file)

        assert list(package.from_arrow(pq.read_table(file))) == records


def test_immutable_records_pass_through_arrow_unchanged() -> None:
    fields = {"items": {"type": {"type": "array", "items": "int"}},
              "named": {"type": {"type": "map", "values": {"type": "array", "items": "int"}}}}  # fmt: skip
    modules = render_modules(record_of(record(fields)), "immutable_columns", immutable=True)
    with imported_modules(modules, "immutable_columns") as package:
        value = package.R(items=[1, 2], named={"a": [3]})

        (found,) = package.from_arrow(package.to_arrow([value]))

        assert found == value
        assert hash(found) == hash(value)
        assert list(package.from_rows(package.to_rows([value]))) == [value]


def test_a_zero_of_any_exponent_is_written() -> None:
    price = {"type": "bytes", "logicalType": "decimal", "precision": 6, "scale": 2}
    with imported(record({"price": price})) as package:
        texts = ("0E+1000000", "0E-1000000", "-0")
        zeros = [package.R(price=decimal.Decimal(text)) for text in texts]
        read = list(package.from_arrow(package.to_arrow(zeros)))
    assert [str(each.price) for each in read] == ["0.00"] * 3


def test_a_frame_with_two_columns_of_one_name_is_refused() -> None:
    with imported(record({"id": "long"})) as package:
        frame = pd.DataFrame([[1, 2]], columns=["id", "id"])
        for way in (package.from_arrow, package.rows):
            with pytest.raises(package.InvalidValue, match="id"):
                list(way(frame))
