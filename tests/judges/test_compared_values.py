from __future__ import annotations

import pytest

from tests.judges.compared_values import in_its_era


@pytest.mark.parametrize(
    ("moment", "printed"),
    [
        ("0000-12-31 20:00:00", "0001-12-31 20:00:00"),
        ("-0001-01-01", "0002-01-01"),
        ("0001-01-01", "0001-01-01"),
        ("0000", "0000"),
    ],
)
def test_a_year_before_the_first_is_printed_as_of_its_era(moment: str, printed: str) -> None:
    assert in_its_era(moment) == printed
