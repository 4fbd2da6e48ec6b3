"""Unions of several types have the columns that Spark's reader of Avro gives them."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator
from decimal import Decimal
from typing import Any

import pyarrow as pa
import pytest
from pyspark.sql import types as st

from tests.codegen.generated import imported, record

PERSON = {"type": "record", "name": "Person", "fields": [{"name": "name", "type": "string"}]}
SHOP = {"type": "record", "name": "Shop", "fields": [
    {"name": "name", "type": "string"},
    {"name": "tags", "type": ["null", "int", {"type": "map", "values": ["int", "string"]}]},
]}  # fmt: skip
AT = {"type": "long", "logicalType": "timestamp-millis"}
PRICE = {"type": "bytes", "logicalType": "decimal", "precision": 4, "scale": 2}
SCHEMA = record(
    {
        "id": "long",
        "ref": ["null", "long", "string"],
        "who": {"type": [PERSON, SHOP]},
        "number": {"type": ["int", "long"]},
        "share": ["double", "null", "float"],
        "items": {"type": {"type": "array", "items": ["null", AT, PRICE, "string"]}},
        "later": {"type": ["string", "long"], "default": "none"},
    }
)
REF = pa.struct([("member0", pa.int64()), ("member1", pa.string())])


@pytest.fixture(scope="module", params=[False, True], ids=["mutable", "immutable"])
def package(request: pytest.FixtureRequest) -> Iterator[Any]:
    with imported(SCHEMA, immutable=request.param) as module:
        yield module


def some(package: Any) -> list[Any]:
    person, shop = package.Person(name="p"), package.Shop(name="s", tags={"a": 1, "b": "c"})
    moment = dt.datetime(2024, 1, 31, tzinfo=dt.UTC)
    return [
        package.R(id=1, ref=7, who=person, number=2**40, share=1.5, items=[moment, None], later=5),
        package.R(id=2, ref="x", who=shop, number=-1, share=0.1, items=[Decimal("1.50"), "y"]),
        package.R(id=3, ref=None, who=shop.replace(tags=None), number=0, share=None, items=[]),
        package.R(id=4, ref=0, who=shop.replace(tags=3), number=0, share=0.0, items=[]),
    ]


def test_arrow_has_a_struct_of_members_that_may_be_null(package: Any) -> None:
    schema = package.arrow_schema()

    assert schema.field("ref") == pa.field("ref", REF)
    assert schema.field("who").nullable is False
    assert [field.nullable for field in schema.field("who").type] == [True, True]
    assert schema.field("number") == pa.field("number", pa.int64(), nullable=False)
    assert schema.field("share") == pa.field("share", pa.float64())


def test_spark_has_the_same(package: Any) -> None:
    schema = package.spark_schema()

    members = [("member0", st.LongType()), ("member1", st.StringType())]
    struct = st.StructType([st.StructField(name, type_) for name, type_ in members])
    assert schema["ref"] == st.StructField("ref", struct)
    assert schema["number"] == st.StructField("number", st.LongType(), False)
    assert schema["share"] == st.StructField("share", st.DoubleType())


def test_records_pass_through_arrow_unchanged(package: Any) -> None:
    table = package.to_arrow(some(package)).read_all()

    assert table["ref"].to_pylist()[:3] == [
        {"member0": 7, "member1": None},
        {"member0": None, "member1": "x"},
        None,
    ]
    assert list(package.from_arrow(table)) == some(package)
    assert [row.to_record() for row in package.rows(table)] == some(package)


def test_records_pass_through_rows_of_spark_and_mappings_unchanged(package: Any) -> None:
    rows = list(package.to_rows(some(package)))

    assert list(package.from_rows(rows)) == some(package)
    assert [row.to_record() for row in package.rows(rows)] == some(package)
    assert list(package.from_rows([row.asDict() for row in rows])) == some(package)


def test_typed_rows_show_the_value(package: Any) -> None:
    rows = list(package.rows(package.to_arrow(some(package)).read_all()))

    assert [row.ref for row in rows] == [7, "x", None, 0]
    assert [row.who.name for row in rows] == ["p", "s", "s", "s"]
    assert type(rows[0].who).__name__ == "PersonRow"
    assert dict(rows[1].who.tags) == {"a": 1, "b": "c"}
    assert list(rows[0].items) == list(some(package)[0].items)


def test_a_union_without_a_column_has_its_default(package: Any) -> None:
    table = package.to_arrow(some(package)).read_all().drop_columns(["later"])

    assert [row.later for row in package.rows(table)] == ["none"] * 4
    assert [made.later for made in package.from_arrow(table)] == ["none"] * 4


def test_a_struct_with_no_member_or_two_is_refused_with_its_path(package: Any) -> None:
    table = package.to_arrow(some(package)[:1]).read_all()
    two = pa.array([{"member0": 1, "member1": "x"}], REF)
    none = pa.array([{"member0": None, "member1": None}], table.schema.field("later").type)
    for name, column, count in (("ref", two, 2), ("later", none, 0)):
        wrong = table.set_column(table.schema.names.index(name), name, column)
        reason = rf"^row 1: {name}: expected one member of the union to be set, got {count}"

        with pytest.raises(package.InvalidValue, match=reason):
            list(package.from_arrow(wrong))
        (row,) = package.rows(wrong)
        with pytest.raises(package.InvalidValue, match=reason):
            getattr(row, name)
        with pytest.raises(package.InvalidValue, match=reason):
            list(package.from_rows(wrong.to_pylist()))


def test_a_type_without_a_column_closes_only_itself_unless_it_is_asked_for() -> None:
    wait = {"type": "fixed", "name": "Wait", "size": 12, "logicalType": "duration"}
    schema = record({
        "id": "long",
        "wait": {"type": ["null", wait], "default": None},
        "next": {"type": ["null", "R"], "default": None},
    })  # fmt: skip
    table = pa.table({"id": [1]})
    with imported(schema) as package:
        assert list(package.from_arrow(table)) == [package.R(id=1)]
        assert list(package.from_rows([{"id": 1}])) == [package.R(id=1)]
        assert [row.to_record() for row in package.rows(table)] == [package.R(id=1)]
        for asked in (package.arrow_schema, package.spark_schema):
            with pytest.raises(package.AvroError, match=r"wait: .* has no column for duration"):
                asked()
        with pytest.raises(package.AvroError, match=r"wait: Spark has no column for duration"):
            list(package.from_rows([{"id": 1, "wait": b"\0" * 12}]))
    required = record({"id": "long", "wait": {"type": wait}})
    with (
        imported(required) as package,
        pytest.raises(package.AvroError, match=r"wait: Arrow has no column for duration"),
    ):
        list(package.from_arrow(table))
