"""Which column of a frame a field gets, and where a frame's value is wrong."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator
from typing import Any

import pandas as pd
import pyarrow as pa
import pytest
from pyspark.sql import Row

from tests.codegen.generated import imported, record

PART = {"type": "record", "name": "Part", "fields": [{"name": "price", "type": "int"}]}
SCHEMA = record(
    {
        "id": "long",
        "parts": {"type": {"type": "array", "items": PART}, "default": []},
        "part": {"type": ["null", "Part"], "default": None},
        "day": {"type": ["null", {"type": "int", "logicalType": "date"}], "default": None},
    }
)


@pytest.fixture(scope="module")
def package() -> Iterator[Any]:
    with imported(SCHEMA) as module:
        yield module


def table(*columns: tuple[str, Any]) -> Any:
    return pa.table(
        [pa.array(values) for _, values in columns], names=[name for name, _ in columns]
    )


@pytest.mark.parametrize("names", [("id", "id"), ("ID", "Id")])
def test_two_columns_of_one_name_are_refused(package: Any, names: tuple[str, str]) -> None:
    columns = table((names[0], [1]), (names[1], [2]))

    for read in (package.from_arrow, package.rows):
        with pytest.raises(
            package.InvalidValue, match=r"^id: more than one column has this name: "
        ) as e:
            list(read(columns))
        assert str(e.value).endswith(", ".join(names))
    for read in (package.from_rows, package.rows):
        with pytest.raises(package.InvalidValue, match=r"id: more than one column has this name"):
            list(read([Row(*names)(1, 2)]))


def test_the_column_of_one_field_is_not_that_of_its_twin_in_case() -> None:
    optional = {"type": ["null", "int"], "default": None}
    twins = {"type": "record", "name": "Twins", "fields": [
        {"name": "a", **optional}, {"name": "A", **optional},
    ]}  # fmt: skip
    with imported(record({"b": optional, "B": optional, "s": twins})) as package:
        columns = pa.table({"b": [1], "s": pa.array([{"a": 2}])})
        (read,) = package.from_arrow(columns)
        (row,) = package.rows(columns)

        for each in (read, row.to_record(), *package.from_rows([{"b": 1, "s": {"a": 2}}])):
            assert each.to_dict() == {"b": 1, "B": None, "s": {"a": 2, "A": None}}


def test_two_keys_of_a_mapping_are_refused(package: Any) -> None:
    for read in (package.from_rows, package.rows):
        with pytest.raises(package.InvalidValue, match=r"id: more than one column .*: ID, Id"):
            list(read([{"ID": 1, "Id": 2}]))


def test_an_exact_name_wins_over_others_and_columns_that_nobody_reads_may_be_doubled(
    package: Any,
) -> None:
    columns = table(("ID", [1]), ("id", [2]), ("Id", [3]), ("x", [4]), ("x", [5]))

    for read in (package.from_arrow, package.rows):
        assert [row.id for row in read(columns)] == [2]
    rows = [Row("ID", "id", "x", "x")(1, 2, 3, 4)]
    for read in (package.from_rows, package.rows):
        assert [row.id for row in read(rows)] == [2]


RENAMED = record(
    {
        "full_name": {"type": ["null", "string"], "default": None, "aliases": ["Name", "n"]},
        "place": {
            "type": {
                "type": "record",
                "name": "Place",
                "fields": [
                    {"name": "line1", "type": ["null", "string"], "aliases": ["street"]},
                    {"name": "street2", "type": "string", "aliases": ["line1"]},
                ],
            }
        },
    }
)


def test_a_column_from_before_a_rename_is_read_at_any_depth() -> None:
    old = {"Name": "Ada", "place": {"street": "s", "street2": "t"}}
    columns = pa.table({name: pa.array([value]) for name, value in old.items()})
    with imported(RENAMED) as package:
        read = [
            *package.from_arrow(columns),
            *package.from_rows([old]),
            *(row.to_record() for row in package.rows(columns)),
        ]

    assert [(each.full_name, each.place.line1, each.place.street2) for each in read] == [
        ("Ada", "s", "t")
    ] * 3


def test_an_alias_gives_no_field_the_column_of_another() -> None:
    with imported(RENAMED) as package:
        place = {"line1": "s", "street2": "t", "street": "old"}
        [new] = package.from_rows([{"full_name": "Ada", "Name": "old", "place": place}])
        with pytest.raises(package.InvalidValue, match="street2: is missing"):
            list(package.from_rows([{"place": {"line1": "s"}}]))

    assert (new.full_name, new.place.line1) == ("Ada", "s")


def test_two_fields_of_a_struct_are_refused_with_the_path(package: Any) -> None:
    prices = [("Price", pa.int32()), ("PRICE", pa.int32())]
    values = pa.array([[(1, 2)]], pa.list_(pa.struct(prices)))
    columns = pa.table({"id": [1], "parts": values})
    reason = "price: more than one column has this name: Price, PRICE"

    with pytest.raises(package.InvalidValue, match=rf"parts\[\]\.{reason}"):
        list(package.from_arrow(columns))
    (row,) = package.rows(columns)
    with pytest.raises(package.InvalidValue, match=rf"row 1: parts\[\]\.{reason}"):
        list(row.parts)
    for source in (columns.to_pylist(), [Row(id=1, parts=[Row("Price", "PRICE")(1, 2)])]):
        with pytest.raises(package.InvalidValue, match=rf"row 1: parts\[0\]\.{reason}"):
            list(package.from_rows(source))


def test_a_doubled_field_of_arrows_struct_is_refused_with_the_path(package: Any) -> None:
    doubled = pa.StructArray.from_arrays([pa.array([1]), pa.array([2])], names=["price", "price"])
    columns = pa.table({"id": [1], "part": doubled})
    reason = "price: more than one column has this name: price, price"

    with pytest.raises(package.InvalidValue, match=rf"part\.{reason}"):
        list(package.from_arrow(columns))
    (row,) = package.rows(columns)
    with pytest.raises(package.InvalidValue, match=rf"row 1: part\.{reason}"):
        _ = row.part


def prices_of(rows: Any, number: int) -> list[int]:
    (parts,) = [row.parts for row in rows if row.id == number]
    return [part.price for part in parts]


@pytest.mark.parametrize("size", [7, 5_000])
def test_a_wrong_value_is_named_by_its_row(package: Any, size: int) -> None:
    parts = [[{"price": 1}, {"price": None if n == 9_000 else 2}] for n in range(9_002)]
    of_parts = pa.list_(pa.struct([("price", pa.int32())]))
    columns = pa.table({"id": range(9_002), "parts": pa.array(parts, of_parts)})
    batches = columns.to_batches(max_chunksize=size)
    told = "row 9001: parts[1].price: expected int, got None"

    for read, source in (
        (package.from_arrow, batches),
        (package.rows, batches),
        (package.from_rows, columns.to_pylist()),
        (package.rows, columns.to_pylist()),
    ):
        with pytest.raises(package.InvalidValue) as caught:
            prices_of(read(source), 9_000)
        assert str(caught.value).replace("parts[].", "parts[1].") == told


def test_a_null_of_a_required_column_is_named_by_its_row(package: Any) -> None:
    columns = table(("id", [1, None]))

    for read in (package.from_arrow, package.rows):
        with pytest.raises(package.InvalidValue, match=r"^row 2: id: expected int, got None"):
            _ = [row.id for row in read(columns)]
    with pytest.raises(package.InvalidValue, match=r"^row 2: id: expected int, got None"):
        list(package.from_rows([{"id": 1}, {"id": None}]))


def test_a_date_outside_pythons_years_is_named_by_its_row(package: Any) -> None:
    days = pa.array([0, 1, 10_000_000], pa.int32()).cast(pa.date32())
    columns = pa.table({"id": [1, 2, 3], "day": days})

    with pytest.raises(package.InvalidValue, match=r"^row 3: day: "):
        list(package.from_arrow(columns))


class Frame:
    """A data frame of any library: it has Arrow's C stream, as those of Polars do."""

    def __init__(self, table: Any) -> None:
        self.__arrow_c_stream__ = table.__arrow_c_stream__


def test_frames_of_any_library_are_read_as_they_are(package: Any) -> None:
    values = {"id": [1, 2], "day": [dt.date(2024, 1, 31), None]}
    expected = [package.R(id=1, day=dt.date(2024, 1, 31)), package.R(id=2)]

    for frame in (pd.DataFrame(values), Frame(pa.table(values)), pa.table(values)):
        assert list(package.from_arrow(frame)) == expected
        assert [row.to_record() for row in package.rows(frame)] == expected


def test_a_frame_that_has_no_form_in_arrow_is_refused_with_the_remedy(package: Any) -> None:
    frame = pd.DataFrame({"id": [1], "part": [[("k", {"a": 1})]]})

    for read in (package.from_arrow, package.rows):
        with pytest.raises(package.AvroError, match=r"pandas\.ArrowDtype"):
            list(read(frame))
    kept = pa.table({"id": [1]}).to_pandas(types_mapper=pd.ArrowDtype)
    assert [row.id for row in package.from_arrow(kept)] == [1]


def test_a_table_without_rows_or_columns_has_the_records_it_has() -> None:
    with imported(record({"f": {"type": {"type": "int"}, "default": 7}})) as package:
        assert list(package.from_arrow(pa.table({"x": [1, 2]}))) == [package.R(f=7)] * 2
        assert list(package.from_arrow(pa.table({"f": pa.array([], pa.int32())}))) == []
