"""Maps with keys other than text: dicts in Python, arrays of entries in Avro."""

from __future__ import annotations

import datetime as dt
import decimal
import io
import json
import pickle
from collections.abc import Iterator
from typing import Any

import fastavro
import pyarrow as pa
import pytest
from pyspark.sql import Row

from codegen.modules import render_modules
from lakeschema.avro.parsing import parse_schema
from lakeschema.avro.printing import to_text
from lakeschema.catalog.ddl_files import relations_from_ddl
from lakeschema.catalog.identifiers import RelationName
from lakeschema.catalog.relations import Dialect
from lakeschema.translation.deriving.derivation import derive
from lakeschema.translation.model.interface import Options
from tests.codegen.generated import imported, imported_modules, pairs, record

DDL = """CREATE TABLE shop.orders (
  prices MAP<INT, DECIMAL(9,2)>,
  days MAP<DATE, MAP<BIGINT, STRUCT<note:STRING>>>,
  places MAP<STRUCT<x:INT, `class`:INT>, STRING>,
  `self` MAP<STRING, MAP<BOOLEAN, STRING>>
);"""


@pytest.fixture(scope="module", params=[False, True], ids=["mutable", "immutable"])
def orders(request: pytest.FixtureRequest) -> Iterator[Any]:
    """The package of the table, from its DDL on."""
    name = RelationName.of("shop", "orders")
    relation = relations_from_ddl([DDL], Dialect.HIVE)[name]
    schema = derive(relation, {}, Options()).interface.schema
    assert parse_schema(to_text(schema)) == schema
    modules = render_modules(schema, "orders_package", name, immutable=request.param)
    with imported_modules(modules, "orders_package") as package:
        yield package


def order(package: Any) -> Any:
    note = package.Days_Value_Value(note="n") if hasattr(package, "Days_Value_Value") else None
    assert note is not None, sorted(vars(package))
    place = package.Places(key=package.Places_Key(x=1, class_=2), value="here")
    return package.Orders(
        prices={2020: decimal.Decimal("1.50"), -1: None},
        days={dt.date(2020, 1, 31): {2**40: note}},
        places=[place],
        self_={"a": {True: "yes", False: None}},
    )


def test_a_table_of_maps_reads_what_it_wrote(orders: Any) -> None:
    made = order(orders)
    data = made.to_avro()

    assert orders.Orders.from_avro(data) == made
    assert orders.Orders.from_avro(data).prices[2020] == decimal.Decimal("1.50")
    assert orders.Orders.from_avro(data, orders.SCHEMA.replace("orders", "other")) == made
    assert pickle.loads(pickle.dumps(made)) == made
    assert made.validate() is made


def test_plain_values_are_the_entries_that_fastavro_writes(orders: Any) -> None:
    made = order(orders)
    plain = made.to_dict()
    out = io.BytesIO()
    fastavro.schemaless_writer(out, fastavro.parse_schema(json.loads(orders.SCHEMA)), plain)

    assert plain["prices"] == [
        {"key": 2020, "value": decimal.Decimal("1.50")},
        {"key": -1, "value": None},
    ]
    assert out.getvalue() == made.to_avro()
    assert orders.Orders.from_dict(plain) == made
    assert orders.Orders.from_dict({"prices": {2020: decimal.Decimal(1)}}).prices == {2020: 1}


@pytest.mark.parametrize("form", ["plain", "avro"])
def test_json_has_entries_with_a_key_and_a_value(orders: Any, form: Any) -> None:
    made = order(orders)
    document = json.loads(made.to_json(form))

    first = document["prices"][0] if form == "plain" else document["prices"]["array"][0]

    assert first["key"] == 2020
    assert orders.Orders.from_json(made.to_json(form), form) == made


def test_columns_of_arrow_and_of_spark_are_maps(orders: Any) -> None:
    made = order(orders)
    table = orders.to_arrow([made]).read_all()

    assert pa.types.is_map(table.schema.field("prices").type)
    assert list(orders.from_arrow(table)) == [made]
    assert [row.to_record() for row in orders.rows(table)] == [made]
    assert next(orders.rows(table)).prices == made.prices
    types = [field.dataType.simpleString() for field in orders.spark_schema().fields]
    assert types[:2] == [
        "map<int,decimal(9,2)>", "map<date,map<bigint,struct<note:string>>>",
    ]  # fmt: skip
    rows = list(orders.to_rows([made]))
    assert list(orders.from_rows(rows)) == [made]
    assert [row.to_record() for row in orders.rows(rows)] == [made]


def test_a_map_whose_keys_python_cannot_hash_is_a_list_of_entries(orders: Any) -> None:
    made = order(orders)
    key = pa.struct([("x", pa.int32()), ("class", pa.int32())])
    relation = pa.table({"places": pa.array([[({"x": 1, "class": 2}, "here")]], pa.map_(key, pa.string()))})  # fmt: skip
    row = Row(places={Row(x=1, **{"class": 2}): "here"})

    assert list(made.places) == [orders.Places(key=orders.Places_Key(x=1, class_=2), value="here")]
    (of_arrow,), (of_spark,) = orders.from_arrow(relation), orders.from_rows([row])
    assert of_arrow.places == of_spark.places == made.places
    for found in (*orders.rows(relation), *orders.rows([row])):
        assert found.places[0].key.x == 1
        assert found.to_record().places == made.places


def test_entries_that_a_format_shows_as_structs_are_read(orders: Any) -> None:
    entry = pa.struct([("key", pa.int32()), ("value", pa.decimal128(9, 2))])
    rows = [{"key": 2020, "value": decimal.Decimal("1.50")}]
    of_arrow = pa.table({"prices": pa.array([rows], pa.list_(entry))})
    of_spark = [Row(prices=[Row(**rows[0])])]

    for found in (
        *orders.from_arrow(of_arrow), *orders.from_rows(of_spark),
        *orders.rows(of_arrow), *orders.rows(of_spark),
    ):  # fmt: skip
        assert found.prices == {2020: decimal.Decimal("1.50")}


@pytest.mark.parametrize(
    ("prices", "said"),
    [
        ({True: None}, "prices[True] as a key: expected int, got True"),
        ({"2020": None}, "prices['2020'] as a key: expected int, got '2020'"),
        ({2**31: None}, "prices[2147483648] as a key"),
        ({1: 7}, "prices[1]"),
        ([(1, None)], "prices"),
    ],
)
def test_an_invalid_entry_is_refused_by_its_key(orders: Any, prices: Any, said: str) -> None:
    with pytest.raises(orders.InvalidValue) as caught:
        orders.Orders(prices=prices).validate()

    assert str(caught.value).startswith(said)


def test_of_equal_keys_the_last_counts() -> None:
    document = record({"m": pairs("E", "int", "string")})
    twice = [{"key": 1, "value": "a"}, {"key": 1, "value": "b"}]
    out = io.BytesIO()
    fastavro.schemaless_writer(out, fastavro.parse_schema(document), {"m": twice})
    with imported(document) as package:
        read = package.R.from_avro(out.getvalue())

        assert read == package.R.from_dict({"m": twice}) == package.R(m={1: "b"})
        assert read == package.R.from_avro(
            out.getvalue(), json.dumps(document).replace('"R"', '"S"')
        )


def test_entries_are_resolved_as_other_records_are() -> None:
    written = record({"m": {"type": pairs("Old", "int", "int"), "default": []}})
    read = record({"m": {"type": {
        **pairs("E", "long", ["null", "double"]), "items": {
            **pairs("E", "long", "double")["items"], "aliases": ["Old"],
        }}}})  # fmt: skip
    plain = record(
        {"m": {"type": {"type": "array", "items": written["fields"][0]["type"]["items"]}}}
    )
    with imported(written) as old, imported(read) as new:
        data = old.R(m={1: 2}).to_avro()

        assert new.R.from_avro(data, old.SCHEMA) == new.R(m={1: 2.0})
        assert new.R.from_avro(data, json.dumps(plain)) == new.R(m={1: 2.0})


def test_defaults_are_dicts_with_the_defaults_of_their_values() -> None:
    entries = [{"key": "A", "value": 1}, {"key": "B"}]
    enum = {"type": "enum", "name": "L", "symbols": ["A", "B"]}
    document = record({"m": {"type": pairs("E", enum, ["null", "int"], default=None), "default": entries}})  # fmt: skip
    for immutable in (False, True):
        with imported(document, immutable=immutable) as package:
            expected = {package.L.A: 1, package.L.B: None}

            assert package.R().m == expected
            assert package.R.from_dict({}).m == package.R.from_json("{}").m == expected
            assert package.R().m is not package.R().m or immutable


TREE = record({"children": pairs("Child", "int", "n.R")})
KEYS = {
    "a record": {"type": "record", "name": "K", "fields": [{"name": "x", "type": "int"}]},
    "an array": {"type": "array", "items": "int"},
    "optional": ["null", "int"],
    "null": "null",
    "of no bytes": {"type": "fixed", "name": "F", "size": 0},
}


@pytest.mark.parametrize(
    "document",
    [
        *(record({"m": pairs("E", key, "int")}) for key in KEYS.values()),
        record({"m": pairs("E", "int", "int"), "e": {"type": ["null", "E"], "default": None}}),
        record({"m": {"type": [{"type": "map", "values": "int"}, pairs("E", "int", "int")]}}),
        record({"m": pairs("E", {"type": "int", "logicalType": "date"}, {"type": "array", "items": "E"})}),
        TREE,
    ],
    ids=[*KEYS, "entry elsewhere", "map beside", "recursive", "of the whole"],
)  # fmt: skip
def test_what_can_be_no_dict_stays_a_list_of_entries(document: dict[str, Any]) -> None:
    with imported(document) as package:
        name = package.R.__dataclass_fields__[document["fields"][0]["name"]].type

        assert "dict[int" not in str(name)
        assert "E" in vars(package) or "Child" in vars(package)


def test_fields_in_another_order_are_no_map() -> None:
    array = pairs("E", "int", "int")
    array["items"]["fields"].reverse()
    with imported(record({"m": array})) as package:
        made = package.R(m=[package.E(key=1, value=2)])

        assert package.R.from_avro(made.to_avro()) == made
