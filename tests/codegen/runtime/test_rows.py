"""Typed rows over Arrow and over Spark's rows: a record's values, decoded when they are read."""

from __future__ import annotations

import copy
import datetime as dt
import json
import pickle
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.codegen.columns import every_column
from tests.codegen.generated import imported, record
from tests.effort import examples

EVERY, VALUES = every_column(with_null=True)
INNER = record({"city": "string", "count": ["null", "int"]}, "Inner")
NESTED = record({
    "id": "long",
    "inner": {"type": ["null", INNER], "default": None},
    "inners": {"type": {"type": "array", "items": "Inner"}, "default": []},
    "named": {"type": {"type": "map", "values": "Inner"}, "default": {}},
    "letter": {"type": {"type": "enum", "name": "Letter", "symbols": ["A", "B"]}, "default": "A"},
})  # fmt: skip

slow = settings(max_examples=examples(30), suppress_health_check=list(HealthCheck))


@pytest.fixture(scope="module")
def package() -> Any:
    with imported(EVERY) as module:
        yield module


@pytest.fixture(scope="module")
def nested() -> Any:
    with imported(NESTED) as module:
        yield module


def nested_records(package: Any, count: int) -> list[Any]:
    return [
        package.R.from_dict({
            "id": number,
            "inner": None if number % 3 else {"city": f"c{number}", "count": number},
            "inners": [{"city": "a", "count": index} for index in range(number % 4)],
            "named": {"k": {"city": "b", "count": None}} if number % 2 else {},
            "letter": "AB"[number % 2],
        })
        for number in range(count)
    ]  # fmt: skip


@pytest.mark.thorough
@slow
@given(st.lists(VALUES, max_size=5), st.integers(1, 3))
def test_rows_of_arrow_and_of_spark_have_the_records_values(
    package: Any, values: list[dict[str, Any]], batch_size: int
) -> None:
    records = [package.RECORD.from_dict(value) for value in values]
    attributes = package.RECORD.__slots__
    batches = list(package.to_arrow(records, batch_size=batch_size))
    sources = [batches, pa.Table.from_batches(batches, package.arrow_schema())]

    for source in (*sources, list(package.to_rows(records))):
        rows = list(package.rows(source))
        assert [[getattr(row, attribute) for attribute in attributes] for row in rows] == [
            [getattr(found, attribute) for attribute in attributes] for found in records
        ]
        assert [row.to_record() for row in rows] == records
        assert rows == records
        assert [type(row.to_record()) for row in rows] == [type(found) for found in records]


def test_values_have_the_classes_of_a_records(package: Any) -> None:
    table = package.to_arrow([])

    assert list(package.rows(table)) == []
    assert list(package.rows([])) == []


@pytest.mark.thorough
@pytest.mark.parametrize("count", [0, 1, 40, 3_000, 9_000])
def test_rows_beyond_the_first_window_read_as_those_in_it(nested: Any, count: int) -> None:
    records = nested_records(nested, count)
    table = nested.to_arrow(records, batch_size=7_000).read_all().slice(1)

    for source in (table, list(nested.to_rows(records[1:]))):
        found = [(r.id, r.inner and r.inner.city, len(r.inners)) for r in nested.rows(source)]
        assert found == [(r.id, r.inner and r.inner.city, len(r.inners)) for r in records[1:]]
        late = [row.named for row in nested.rows(source) if row.id > 2_000]
        assert late == [each.named for each in records[1:] if each.id > 2_000]


def test_nested_records_are_rows_and_arrays_are_views(nested: Any) -> None:
    from_arrow = list(nested.rows(nested.to_arrow(nested_records(nested, 8))))
    from_spark = list(nested.rows(nested.to_rows(nested_records(nested, 8))))
    expected = nested_records(nested, 8)

    for rows in (from_arrow, from_spark):
        assert [row.inner for row in rows] == [each.inner for each in expected]
        assert type(rows[3].inner).__name__ == "InnerRow"
        assert rows[3].inner.to_record() == expected[3].inner
        assert rows[7].inners == expected[7].inners
        assert expected[7].inners == rows[7].inners
        assert rows[7].inners[-1].count == 2
        assert rows[7].inners[1:] == expected[7].inners[1:]
        assert [each.count for each in rows[7].inners] == [0, 1, 2]
        assert rows[7].inners != expected[6].inners
        assert json.dumps([each.city for each in rows[7].inners]) == '["a", "a", "a"]'
        assert rows[1].named == expected[1].named
        assert rows[1].letter is nested.Letter.B
        with pytest.raises(IndexError):
            rows[7].inners[3]
        with pytest.raises(TypeError):
            rows[1].named["x"] = None
        with pytest.raises(AttributeError):
            rows[1].id = 3


def test_rows_equal_rows_and_records_of_the_same_values_alone(nested: Any) -> None:
    records = nested_records(nested, 5)
    rows, again = (list(nested.rows(nested.to_arrow(records))) for _ in range(2))

    assert rows[4] == again[4] == records[4]
    assert records[4] == rows[4]
    assert rows[4] != records[3]
    assert not rows[4] == rows[3]  # noqa: SIM201 - the other operator is tested, too
    assert rows[3].inner != rows[3]
    assert rows[4] != (1, 2)
    assert repr(rows[3]) == "RRow" + repr(records[3]).removeprefix("R")
    with pytest.raises(TypeError, match="unhashable"):
        hash(rows[3])


def test_rows_of_immutable_records_hash_as_they_do() -> None:
    with imported(NESTED, immutable=True) as package:
        records = nested_records(package, 5)
        rows = list(package.rows(package.to_arrow(records)))

        assert [hash(row.inners) for row in rows] == [hash(each.inners) for each in records]
        assert rows[3].inners == records[3].inners
        assert {records[2].replace(named={}): 1}[
            next(package.rows(package.to_arrow([records[2]])))
        ] == 1  # fmt: skip


def test_a_row_is_neither_a_sequence_nor_constructed_nor_pickled(nested: Any) -> None:
    from_module = __import__(f"{nested.__name__}.row_types", fromlist=["RRow"])
    row = next(nested.rows(nested.to_arrow(nested_records(nested, 1))))

    assert isinstance(row, from_module.RRow)
    assert type(row).__module__ == from_module.__name__
    assert copy.copy(row) is row
    assert copy.deepcopy(row) is row
    assert bool(row)
    assert dir(row) == ["id", "inner", "inners", "letter", "named", "to_record"]
    assert not hasattr(row, "count")
    assert not hasattr(row, "index")
    for refused in (iter, len, lambda r: r[0], lambda r: r + r, lambda r: r < (1,), lambda r: 1 in r,
                    pickle.dumps, json.dumps, lambda _: from_module.RRow()):  # fmt: skip
        with pytest.raises(TypeError):
            refused(row)


def test_fields_named_as_a_tuples_methods_are_read() -> None:
    with imported(record({"count": "int", "index": "int", "to_record": "int"})) as package:
        rows = list(package.rows(pa.table({"count": [1], "index": [2], "to_record": [3]})))

        assert [(row.count, row.index, row.to_record_) for row in rows] == [(1, 2, 3)]


def test_columns_are_found_in_any_order_and_case_and_given_their_defaults(nested: Any) -> None:
    table = pa.table({"extra": [1], "INNERS": [[{"CITY": "a", "other": 1, "Count": 2}]], "Id": [5]})

    (row,) = nested.rows(table)

    assert (row.id, row.inner, row.letter, row.named) == (5, None, nested.Letter.A, {})
    assert row.inners == [nested.Inner(city="a", count=2)]
    assert row.to_record() == next(nested.from_arrow(table))
    assert list(nested.rows([{"ID": 5}, {"id": 6, "letter": "B"}])) == [
        nested.R(id=5), nested.R(id=6, letter=nested.Letter.B)
    ]  # fmt: skip


def test_a_missing_column_is_refused_with_its_batch(nested: Any) -> None:
    with pytest.raises(nested.InvalidValue, match="id: is missing"):
        next(nested.rows(pa.table({"letter": ["A"]})))
    (row,) = nested.rows(pa.table({"id": [1], "inners": [[{"count": 1}]]}))
    assert row.id == 1
    with pytest.raises(nested.InvalidValue, match=r"inners\[\]\.city: is missing"):
        print(row.inners[0])


def test_only_the_invalid_value_is_refused_and_only_when_it_is_read(nested: Any) -> None:
    letters = ["A"] * 5_000 + ["Z", None, "B"]
    table = pa.table({"id": range(5_003), "letter": letters})

    rows = list(nested.rows(table))

    assert sum(row.id for row in rows) == sum(range(5_003))
    assert [rows[4_999].letter, rows[5_002].letter] == [nested.Letter.A, nested.Letter.B]
    for place, reason in ((5_000, "letter: expected one of A, B; got 'Z'"), (5_001, "letter: ")):
        with pytest.raises(nested.InvalidValue, match=reason):
            print(rows[place].letter)
        with pytest.raises(nested.InvalidValue, match=reason):
            rows[place].to_record()
    # Known as a column that is read: later windows have it decoded, where that is possible.
    seen = [row.id if row.id in {5_000, 5_001} else row.letter.value for row in nested.rows(table)]
    assert seen == ["A"] * 5_000 + [5_000, 5_001, "B"]


def test_nulls_are_refused_where_they_are_read_and_not_within_a_null(nested: Any) -> None:
    table = pa.table(
        {"id": [1, None, 3], "inner": [None, {"city": "a", "count": 1}, {"city": None}]}
    )

    rows = list(nested.rows(table))

    assert (rows[0].id, rows[2].id, rows[0].inner, rows[1].inner.city) == (1, 3, None, "a")
    with pytest.raises(nested.InvalidValue, match="id: expected int, got None"):
        print(rows[1].id)
    with pytest.raises(nested.InvalidValue, match=r"inner\.city: expected str, got None"):
        print(rows[2].inner.city)


def test_a_column_that_arrow_lacks_is_refused_when_it_is_read() -> None:
    wait = {"type": "fixed", "name": "Wait", "size": 12, "logicalType": "duration"}
    fields = {"id": "int", "any": {"type": ["null", wait], "default": None}}
    with imported(record(fields)) as package:
        (row,) = package.rows(pa.table({"id": [1], "any": [2]}))

        assert row.id == 1
        with pytest.raises(package.AvroError, match="any: Arrow has no column for duration"):
            print(row.any)


@pytest.mark.parametrize(
    "type_",
    [pa.large_list(pa.int32()), pa.list_(pa.int32(), 2), pa.list_view(pa.int64()),
     pa.list_(pa.dictionary(pa.int8(), pa.int64()))],
)  # fmt: skip
def test_other_forms_of_arrows_lists_are_read(type_: pa.DataType) -> None:
    with imported(record({"f": {"type": {"type": "array", "items": "long"}}})) as package:
        column = pa.array([[9, 9], [1, 2], [3, 4]], type_).slice(1)

        found = [list(row.f) for row in package.rows(pa.table({"f": column}))]

        assert found == [[1, 2], [3, 4]]


def test_a_reader_that_yields_no_more_is_not_asked_again(nested: Any) -> None:
    records = nested_records(nested, 10)
    frame = nested.to_arrow(records, batch_size=3)

    rows = nested.rows(frame)

    assert next(rows) == records[0]
    assert list(rows) == records[1:]
    assert list(rows) == []


@pytest.mark.parametrize("unit", ["s", "ms", "us", "ns"])
@pytest.mark.parametrize("zone", ["UTC", "America/New_York"])
def test_instants_of_every_unit_and_zone_are_read(unit: str, zone: str) -> None:
    moment = dt.datetime(2020, 7, 1, 10, tzinfo=dt.UTC)
    type_ = {"type": "long", "logicalType": "timestamp-millis"}
    fields = {"at": {"type": type_}, "ats": {"type": {"type": "array", "items": type_}}}
    with imported(record(fields)) as package:
        at = pa.array([moment] * 3, pa.timestamp(unit, zone))
        ats = pa.array([[moment]] * 3, pa.list_(pa.timestamp(unit, zone)))

        for row in package.rows(pa.table({"at": at, "ats": ats})):
            assert (row.at, row.ats) == (moment, [moment])
            assert row.at.tzinfo is dt.UTC
            assert type(row.ats[0]) is dt.datetime


def test_a_time_that_is_finer_than_its_unit_is_refused_or_rounded_down() -> None:
    type_ = {"type": "long", "logicalType": "timestamp-millis"}
    with imported(record({"at": {"type": type_}})) as package:
        table = pa.table({"at": pa.array([1_000_000, 1_000_001], pa.timestamp("ns", "UTC"))})

        whole, finer = package.rows(table)
        _, rounded = package.rows(table, round_times=True)

        assert whole.at == rounded.at == dt.datetime(1970, 1, 1, 0, 0, 0, 1000, dt.UTC)
        with pytest.raises(package.InvalidValue, match="at: expected whole milliseconds"):
            print(finer.at)
