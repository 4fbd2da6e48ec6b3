"""Spark's rows are in several modules; each name is in only one of them."""

from __future__ import annotations

from collections import Counter

from lakeschema.catalog.relations import Dialect
from lakeschema.translation.functions import shared
from lakeschema.translation.functions.binding import rows_of


def test_no_name_has_two_rows_among_those_that_are_sparks_own() -> None:
    own = rows_of(Dialect.SPARK)[len(shared.ROWS) :]

    twice = [
        name
        for name, count in Counter(n for r in own for n in r.names.split()).items()
        if count > 1
    ]

    assert twice == []
