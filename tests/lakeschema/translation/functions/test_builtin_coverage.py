"""Every function that an engine lists has a row, another module, or a reason why no view can call it."""

from __future__ import annotations

from lakeschema.catalog.relations import Dialect
from lakeschema.translation.functions.binding import find
from lakeschema.translation.functions.builtin_names import builtin_names
from lakeschema.translation.functions.casts import CAST_FUNCTIONS
from lakeschema.translation.functions.hive_system import HIVES_CASTS
from lakeschema.translation.functions.not_callable import not_callable
from lakeschema.translation.resolution.higher_order import HIGHER_ORDER

HIVE, SPARK = Dialect.HIVE, Dialect.SPARK


def test_hives_functions_have_rows_or_a_reason_against_one() -> None:
    known = {name for name in builtin_names(HIVE) if find(name, HIVE) is not None}

    assert builtin_names(HIVE) == known | not_callable(HIVE) | set(HIVES_CASTS)


def test_sparks_functions_have_rows_or_a_reason_against_one() -> None:
    known = {name for name in builtin_names(SPARK) if find(name, SPARK) is not None}
    # Its type is written in another language.
    lacking = {"from_protobuf"}

    elsewhere = not_callable(SPARK) | set(CAST_FUNCTIONS) | HIGHER_ORDER | lacking

    assert builtin_names(SPARK) == known | (elsewhere & builtin_names(SPARK))


def test_what_cannot_be_called_is_a_function_of_hive_without_a_row() -> None:
    assert not_callable(HIVE) <= builtin_names(HIVE)
    assert not [name for name in not_callable(HIVE) if find(name, HIVE) is not None]
