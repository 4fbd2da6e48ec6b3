"""The table of dates at which the Julian calendar falls behind, checked with the rule of leap years."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date, timedelta

from lakeschema.catalog.column_types import DATE
from lakeschema.translation.emission.spark.from_hive.instants import legacy_calendar

_BEGIN = date(1, 1, 1)


def test_each_day_before_gregory_has_its_julian_date() -> None:
    ahead = list(_written())
    for day, julian in _julian_days():
        days = next(days for since, days in ahead if day >= since)
        shifted = day + timedelta(days)
        # Our calendar has no 29th of February there: Hive has an error, Spark the day after.
        expected = (julian[0], 3, 1) if julian[1:] == (2, 29) and _is_odd(julian[0]) else julian
        assert (shifted.year, shifted.month, shifted.day) == expected


def _is_odd(year: int) -> bool:
    return year % 100 == 0 and year % 400 != 0


def _written() -> Iterator[tuple[date, int]]:
    text = legacy_calendar(["d"], [DATE])
    for when in text.split(" WHEN ")[2:]:
        since, _, then = when.removeprefix("d >= DATE '").partition("' THEN date_add(d, ")
        yield date.fromisoformat(since), int(then.partition(")")[0])
    yield _BEGIN, int(text.rpartition("date_add(d, ")[2].partition(")")[0])


def _julian_days() -> Iterator[tuple[date, tuple[int, int, int]]]:
    """Every day from year 1 on, with year, month and day as Julius counted: each fourth year is a leap year."""
    year, month, number = 1, 1, 3
    day = _BEGIN
    while day < date(1582, 10, 15):
        yield day, (year, month, number)
        day += timedelta(1)
        number += 1
        long = month in {1, 3, 5, 7, 8, 10, 12}
        length = (29 if year % 4 == 0 else 28) if month == 2 else 31 if long else 30
        if number > length:
            month, number = month + 1, 1
        if month > 12:
            year, month = year + 1, 1
