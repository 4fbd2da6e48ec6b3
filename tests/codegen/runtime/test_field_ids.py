"""Files of Iceberg, whose fields have ids, read by a package of the table's later schema."""

from __future__ import annotations

import io
from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

import fastavro
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tests.codegen.generated import imported, record

OPTIONAL = ["null", "string"]


File: TypeAlias = "io.BytesIO | pa.Table"
Write = Callable[[list[dict[str, Any]], Mapping[str, Any]], File]


def written(fields: list[dict[str, Any]], row: Mapping[str, Any]) -> File:
    file = io.BytesIO()
    fastavro.writer(file, {"type": "record", "name": "table", "fields": fields}, [row])
    file.seek(0)
    return file


def written_as_parquet(fields: list[dict[str, Any]], row: Mapping[str, Any]) -> File:
    file = io.BytesIO()
    pq.write_table(pa.Table.from_pylist([dict(row)], pa.schema(arrow_fields(fields))), file)
    return pq.read_table(file)


def arrow_fields(fields: list[dict[str, Any]]) -> list[pa.Field]:
    def type_of(stated: Any) -> pa.DataType:
        if stated == "string":
            return pa.string()
        if stated["type"] == "array":
            return pa.list_(type_of(stated["items"]))
        if stated["type"] == "map":
            return pa.map_(pa.string(), type_of(stated["values"]))
        return pa.struct(arrow_fields(stated["fields"]))

    return [
        pa.field(
            each["name"],
            type_of(each["type"]),
            metadata={b"PARQUET:field_id": str(each["field-id"]).encode()},
        )
        for each in fields
    ]


@pytest.fixture(params=[written, written_as_parquet], ids=["avro", "parquet"])
def write(request: pytest.FixtureRequest) -> Write:
    made: Write = request.param
    return made


def field(id_: int, name: str, type_: Any = "string", **more: Any) -> dict[str, Any]:
    return {"name": name, "type": type_, "field-id": id_, **more}


def optional(**more: Any) -> dict[str, Any]:
    return {"type": OPTIONAL, "default": None, **more}


def read(
    file: File,
    fields: Mapping[str, Any],
    ids: Mapping[str, int] | None,
    former: Mapping[str, list[int]] | None = None,
) -> Any:
    schema = record(fields) | ({} if ids is None else {"iceberg.field-ids": ids})
    schema |= {} if former is None else {"iceberg.former-ids": former}
    with imported(schema) as package:
        is_arrow = isinstance(file, pa.Table)
        (found,) = package.from_arrow(file) if is_arrow else package.read_file(file)
        return found.to_dict()


A_AND_B = [field(1, "a"), field(2, "b")]
ROW = {"a": "one", "b": "two"}


def test_columns_that_swapped_their_names_are_read_by_their_ids(write: Write) -> None:
    fields = dict.fromkeys(("k", "a", "b"), "string")
    file = write([field(9, "k"), *A_AND_B], {"k": "key", **ROW})

    found = read(file, fields, {"k": 9, "b": 1, "a": 2})

    assert found == {"k": "key", "a": "two", "b": "one"}


def test_a_column_that_was_dropped_and_added_again_has_no_old_values(write: Write) -> None:
    found = read(write(A_AND_B, ROW), {"a": "string", "b": optional()}, {"a": 1, "b": 3})

    assert found == {"a": "one", "b": None}


def test_a_former_name_that_another_column_has_now_is_not_read_as_that_one(write: Write) -> None:
    fields = {"a": "string", "b": optional(), "c": optional(aliases=[])}

    found = read(write(A_AND_B, ROW), fields, {"a": 1, "c": 2, "b": 3})

    assert found == {"a": "one", "b": None, "c": "two"}


def test_fields_of_structs_are_read_by_their_ids(write: Write) -> None:
    inner = {"type": "record", "name": "r5", "fields": A_AND_B}
    struct = {
        "type": "record",
        "name": "S",
        "fields": [
            {"name": "a", "type": OPTIONAL, "default": None},
            {"name": "x", "type": "string"},
        ],
    }
    file = write([field(5, "s", inner)], {"s": ROW})

    found = read(file, {"s": struct}, {"s": 5, "s.x": 1, "s.a": 8})

    assert found == {"s": {"a": None, "x": "one"}}


def test_only_the_last_part_of_a_quoted_path_is_a_name(write: Write) -> None:
    fields = {"a": "string", "x": optional(**{"original-name": "d.`e"})}

    found = read(write(A_AND_B, ROW), fields, {"a": 1, "`d.``e`": 2})

    assert found == {"a": "one", "x": "two"}


@pytest.mark.parametrize("ids", [None, {"x": 1, "y": 2}, {"a": "1"}, [1]])
def test_names_count_if_the_ids_are_of_another_table(write: Write, ids: Any) -> None:
    assert read(write(A_AND_B, ROW), {"a": "string", "b": "string"}, ids) == ROW


def test_columns_that_all_swapped_their_names_are_read_by_their_ids(write: Write) -> None:
    fields = dict.fromkeys(("a", "b"), "string")

    found = read(write(A_AND_B, ROW), fields, {"b": 1, "a": 2}, {"a": [1], "b": [2]})

    assert found == {"a": "two", "b": "one"}


def test_an_only_column_that_was_dropped_and_added_again_has_no_old_values(write: Write) -> None:
    file = write([field(1, "a")], {"a": "one"})

    assert read(file, {"a": optional()}, {"a": 3}, {"a": [1, 2]}) == {"a": None}


@pytest.mark.parametrize(
    ("name", "in_file"), [("x-y", "x_x2Dy"), ("größe", "größe"), ("1€", "_1_x20AC")]
)
def test_a_name_is_known_as_iceberg_writes_it_in_parquet(name: str, in_file: str) -> None:
    x = {"x": optional(**{"original-name": name})}
    only = written_as_parquet([field(1, in_file)], {in_file: "one"})
    swapped = written_as_parquet([field(1, in_file), field(2, "a")], {in_file: "one", "a": "two"})

    assert read(only, x, {f"`{name}`": 1}) == {"x": "one"}
    assert read(swapped, {"a": "string", **x}, {"a": 1, f"`{name}`": 2}, {name: [1]}) == {
        "a": "one",
        "x": "two",
    }


def test_fields_within_lists_and_maps_are_read_by_their_ids(write: Write) -> None:
    inner = {"type": "record", "name": "r5", "fields": A_AND_B}
    items = {"type": "array", "items": inner, "element-id": 6}
    values = {"type": "map", "values": {**inner, "name": "r7", "fields": [field(8, "v", items)]}}
    swapped = {"type": "record", "name": "S", "fields": [
        {"name": "b", "type": "string"},
        {"name": "a", "type": "string"},
    ]}  # fmt: skip
    entry = {"type": "record", "name": "T", "fields": [
        {"name": "w", "type": {"type": "array", "items": swapped}},
    ]}  # fmt: skip
    file = write([field(5, "m", values)], {"m": {"k": {"v": [ROW, ROW]}}})

    ids = {"m": 5, "m.value.w": 8, "m.value.w.element.a": 2, "m.value.w.element.b": 1}
    found = read(file, {"m": {"type": "map", "values": entry}}, ids)

    assert found == {"m": {"k": {"w": [{"a": "two", "b": "one"}] * 2}}}


def test_a_name_that_avro_does_not_allow_is_read_by_the_name_that_iceberg_keeps() -> None:
    odd = field(2, "gr_xF6_xDFe", **{"iceberg-field-name": "größe"})
    row = {"a": "one", "gr_xF6_xDFe": "two"}
    own = {"a": "string", "g": optional(**{"original-name": "größe"})}

    for ids in (None, {"a": 1, "`größe`": 2}):
        assert read(written([A_AND_B[0], odd], row), own, ids) == {"a": "one", "g": "two"}
    same = {"a": "string", "gr_xF6_xDFe": "string"}
    assert read(written([A_AND_B[0], odd], row), same, None) == row


def test_arrow_columns_with_a_former_name_are_read() -> None:
    schema = record({"a": optional(aliases=["b", "old"]), "b": optional()})
    with imported(schema) as package:
        (found,) = package.from_arrow(pa.table({"old": ["one"], "b": ["two"]}))

        assert found.to_dict() == {"a": "one", "b": "two"}
