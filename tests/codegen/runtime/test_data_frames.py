"""pandas through Arrow, as docs/packages.md shows it."""

from __future__ import annotations

from typing import Any

import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.codegen.columns import every_column
from tests.codegen.generated import imported, record
from tests.effort import examples

FLAT, VALUES = every_column(with_null=False)


@pytest.mark.thorough
@settings(max_examples=examples(15), suppress_health_check=list(HealthCheck), deadline=None)
@given(st.lists(VALUES, max_size=4))
def test_records_pass_through_pandas_unchanged(values: list[dict[str, Any]]) -> None:
    with imported(FLAT) as package:
        records = [package.RECORD.from_dict(value) for value in values]

        frame = package.to_arrow(records).read_all().to_pandas(types_mapper=pd.ArrowDtype)
        table = pa.Table.from_pandas(frame, schema=package.arrow_schema(), preserve_index=False)

        assert list(package.from_arrow(table)) == records
        assert list(package.rows(table)) == records


def test_rows_take_what_has_arrows_c_stream() -> None:
    with imported(record({"name": "string", "count": ["null", "long"]})) as package:
        frame = pd.DataFrame({"count": pd.array([1, None], "Int64"), "name": ["a", "b"]})

        assert [(row.name, row.count) for row in package.rows(frame)] == [("a", 1), ("b", None)]
