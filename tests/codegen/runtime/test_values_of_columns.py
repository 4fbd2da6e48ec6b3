"""Values that pandas and Arrow have but Python's classes lack: nanoseconds, NaT, 24:00."""

from __future__ import annotations

import datetime as dt
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from tests.codegen.generated import imported, record
from tests.codegen.value_kinds import LOCAL, MOMENT, TYPES

_COLUMNS = {
    "at": TYPES["timestamp-micros"],
    "ms": TYPES["timestamp-millis"],
    "local": TYPES["local-timestamp-micros"],
    "since": TYPES["interval"],
}


def _rows_of_pandas(**values: Any) -> list[dict[str, Any]]:
    plain = {
        "at": MOMENT,
        "ms": MOMENT.replace(microsecond=0),
        "local": LOCAL,
        "since": dt.timedelta(),
    }
    return [{**plain, **values}]


@pytest.mark.parametrize(
    ("name", "value", "rounded"),
    [
        ("at", pd.Timestamp("2024-05-06T07:08:09.123456789Z"), MOMENT),
        ("ms", pd.Timestamp("2024-05-06T07:08:09.123456789Z"), MOMENT.replace(microsecond=123000)),
        ("local", pd.Timestamp("2024-05-06T07:08:09.123456789"), LOCAL),
        ("local", np.datetime64("2024-05-06T07:08:09.123456789"), LOCAL),
        ("since", pd.Timedelta(1_999, "ns"), dt.timedelta(microseconds=1)),
        ("since", pd.Timedelta(-1, "ns"), dt.timedelta(microseconds=-1)),
        ("since", np.timedelta64(-1, "ns"), dt.timedelta(microseconds=-1)),
    ],
)
def test_rows_finer_than_microseconds_are_refused_or_rounded_down(
    name: str, value: Any, rounded: Any
) -> None:
    with imported(record(_COLUMNS)) as package:
        given = _rows_of_pandas(**{name: value})

        with pytest.raises(
            package.InvalidValue, match=f"^row 1: {name}: .*finer than microseconds"
        ):
            list(package.from_rows(given))
        (read,) = package.from_rows(given, round_times=True)
        assert getattr(read, name) == rounded
        (row,) = package.rows(given, round_times=True)
        assert getattr(row, name) == rounded


def test_records_are_read_of_rows_of_pandas() -> None:
    lines = {
        "type": "array",
        "items": {"type": "record", "name": "L", "fields": [{"name": "n", "type": "int"}]},
    }
    schema = record(
        {
            "id": "int",
            "at": {"type": TYPES["timestamp-micros"]},
            "lines": {"type": lines},
            "r": "float",
        }
    )
    frame = pd.DataFrame({
        "id": np.array([1], dtype="int32"),
        "at": [pd.Timestamp(MOMENT)],
        "lines": [np.array([{"n": np.int64(2)}], dtype=object)],
        "r": np.array([1.5], dtype="float32"),
    })  # fmt: skip
    with imported(schema) as package:
        expected = package.R(id=1, at=MOMENT, lines=[package.L(n=2)], r=1.5)

        assert list(package.from_rows(frame.to_dict("records"))) == [expected]
        assert (
            package.R(**{**frame.iloc[0], "lines": [package.L(n=2)]}).to_avro()
            == expected.to_avro()
        )
        assert package.R.from_dict(frame.iloc[0].to_dict()) == expected
        (row,) = package.rows(frame.to_dict("records"))
        assert row.to_record() == expected


@pytest.mark.parametrize(
    ("name", "value"), [("at", pd.NaT), ("local", pd.NaT), ("since", pd.NaT), ("at", pd.NA)]
)
def test_missing_values_of_pandas_are_errors_with_a_path(name: str, value: Any) -> None:
    with imported(record(_COLUMNS)) as package:
        given = _rows_of_pandas(**{name: value})

        with pytest.raises(package.InvalidValue, match=f"^row 1: {name}: expected"):
            list(package.from_rows(given))
        (row,) = package.rows(given)
        with pytest.raises(package.InvalidValue, match=f"^row 1: {name}: expected"):
            getattr(row, name)
        with pytest.raises(package.InvalidValue, match=f"^{name}: expected"):
            package.R.from_dict(given[0])


@pytest.mark.parametrize("unit", ["s", "ms", "us", "ns"])
def test_durations_of_arrow_become_timedeltas_whatever_their_unit(unit: str) -> None:
    with imported(record({"since": TYPES["interval"]})) as package:
        table = pa.table({"since": pa.array([3_000_000_000], pa.duration(unit))})
        expected = dt.timedelta(
            seconds=3_000_000_000 / {"s": 1, "ms": 1e3, "us": 1e6, "ns": 1e9}[unit]
        )

        (read,) = package.from_arrow(table)
        (row,) = package.rows(table)

        for since in (read.since, row.since):
            assert (type(since), since) == (dt.timedelta, expected)


def test_a_duration_of_nanoseconds_is_refused_or_rounded_down() -> None:
    with imported(
        record({"since": TYPES["interval"], "l": {"type": "array", "items": TYPES["interval"]}})
    ) as package:
        table = pa.table({
            "since": pa.array([-1], pa.duration("ns")),
            "l": pa.array([[1_999]], pa.list_(pa.duration("ns"))),
        })  # fmt: skip

        with pytest.raises(
            package.InvalidValue,
            match=r"^row 1: since: expected whole microseconds, got -1 nanoseconds",
        ):
            list(package.from_arrow(table))
        (row,) = package.rows(table)
        with pytest.raises(
            package.InvalidValue,
            match=r"^row 1: since: expected whole microseconds, got -1 nanoseconds",
        ):
            _ = row.since
        (read,) = package.from_arrow(table, round_times=True)
        assert (read.since, read.l) == (
            dt.timedelta(microseconds=-1),
            [dt.timedelta(microseconds=1)],
        )
        (row,) = package.rows(table, round_times=True)
        assert (row.since, row.l) == (read.since, read.l)


@pytest.mark.parametrize("micros", [86_400_000_000, 86_400_000_005, -1])
def test_a_time_of_day_beyond_the_day_is_refused_by_every_reader_of_arrow(micros: int) -> None:
    with imported(record({"f": {"type": TYPES["time-micros"]}})) as package:
        table = pa.table({"f": pa.array([micros], pa.int64()).cast(pa.time64("us"))})

        with pytest.raises(package.InvalidValue, match=r"^row 1: f: time of day out of range"):
            list(package.from_arrow(table))
        (row,) = package.rows(table)
        with pytest.raises(package.InvalidValue, match=r"^row 1: f: time of day out of range"):
            _ = row.f
