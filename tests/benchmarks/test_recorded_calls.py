from __future__ import annotations

from benchmarks.expression_templates import all_columns, columns_in
from benchmarks.recorded_calls import recorded_calls
from lakeschema.catalog.relations import Dialect
from tests.lakeschema.translation.asked_types import COLUMNS


def test_recorded_calls_have_their_types_and_no_column_that_the_table_of_trees_lacks() -> None:
    found = recorded_calls(["substr", "abs", "no_such_function"])

    assert ("substr(bi, i)", "binary") in found["substr"]
    assert all(text.startswith("abs(") for text, _ in found["abs"])
    assert found["no_such_function"] == []
    missing = {n: t for n, t in COLUMNS.items() if n not in all_columns(Dialect.HIVE)}
    assert not any(any(columns_in(text, missing)) for calls in found.values() for text, _ in calls)
