from __future__ import annotations

from lakeschema.catalog.relations import Dialect
from tests.judges.functions.expression_templates import all_columns, columns_in
from tests.judges.functions.recorded_calls import recorded_calls
from tests.lakeschema.translation.asked_types import COLUMNS, Engine


def test_recorded_calls_have_their_types_and_no_column_that_the_table_of_trees_lacks() -> None:
    found = recorded_calls(Engine.HIVE, ["substr", "abs", "no_such_function"])

    assert ("substr(bi, i)", "binary") in found["substr"]
    assert all(text.startswith("abs(") for text, _ in found["abs"])
    assert found["no_such_function"] == []
    missing = {n: t for n, t in COLUMNS.items() if n not in all_columns(Dialect.HIVE)}
    assert not any(any(columns_in(text, missing)) for calls in found.values() for text, _ in calls)


def test_types_are_told_without_what_may_be_null_in_them() -> None:
    found = recorded_calls(Engine.SPARK, ["array_sort"])

    assert ("array_sort(ai)", "array<int>") in found["array_sort"]
    assert not any("not null" in type_ for _, type_ in found["array_sort"])
