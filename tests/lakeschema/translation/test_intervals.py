"""Interval literals of Hive, in any spelling of their unit."""

from __future__ import annotations

import re
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lakeschema.translation.resolution.intervals import kind_of, normalise

_DAY_TIME = re.compile(r"(-?)([0-9]+) ([0-9]{2}):([0-9]{2}):([0-9]{2}(?:\.[0-9]+)?)")
_SECONDS = {"week": 604_800, "day": 86_400, "hour": 3_600, "minute": 60, "second": 1}


@given(
    st.decimals(-(10**6), 10**6, places=3, allow_nan=False, allow_infinity=False),
    st.sampled_from(sorted(_SECONDS)),
)
def test_the_spelling_of_days_to_seconds_is_as_long(number: Decimal, unit: str) -> None:
    found = _DAY_TIME.fullmatch(normalise(str(number), unit))

    assert found is not None
    sign, days, hours, minutes, seconds = found.groups()
    assert int(hours) < 24
    assert int(minutes) < 60
    length = int(days) * 86_400 + int(hours) * 3_600 + int(minutes) * 60 + Decimal(seconds)
    assert (-length if sign else length) == number * _SECONDS[unit]


@given(st.integers(-(10**6), 10**6), st.sampled_from([("year", 12), ("quarter", 3), ("month", 1)]))
def test_the_spelling_of_years_to_months_is_as_long(number: int, unit: tuple[str, int]) -> None:
    name, months = unit

    years, _, left = normalise(str(number), name).removeprefix("-").partition("-")

    assert int(years) * 12 + int(left) == abs(number) * months
    assert int(left) < 12


@pytest.mark.parametrize(
    ("unit", "kind"),
    [
        ("month", "year to month"),
        ("year to month", "year to month"),
        ("week", "day to second"),
        ("day to second", "day to second"),
        ("hour to minute", "day to second"),
    ],
)
def test_a_unit_is_of_one_kind(unit: str, kind: str) -> None:
    assert kind_of(unit) == kind


def test_a_text_of_both_ends_stays_as_it_is() -> None:
    assert normalise("-3 01:02:03", "day to second") == "-3 01:02:03"
