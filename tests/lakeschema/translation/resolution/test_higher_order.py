"""Spark's functions over lambdas: their types, and what they refuse."""

from __future__ import annotations

import pytest

from lakeschema.catalog.relations import Dialect
from lakeschema.translation.model.errors import TypeMismatch, UnsupportedConstruct
from tests.lakeschema.translation.relations import columns, derived

TABLE = "CREATE TABLE t (a ARRAY<INT>, b ARRAY<STRING>, m MAP<STRING, DOUBLE>);"


@pytest.mark.parametrize(
    ("expression", "type_"),
    [
        ("aggregate(a, 0L, (sum, n) -> sum + n)", "bigint"),
        ("reduce(a, 0L, (sum, n) -> sum + n, sum -> sum > 1)", "boolean"),
        ("zip_with(a, b, (x, y) -> concat(x, y))", "array<string>"),
        ("transform_values(m, (k, v) -> k)", "map<string,string>"),
        ("transform_keys(m, (k, v) -> upper(k))", "map<string,double>"),
        ("map_filter(m, (k, v) -> v > 1)", "map<string,double>"),
        ("map_zip_with(m, m, (k, x, y) -> x > y)", "map<string,boolean>"),
        ("array_sort(b, (x, y) -> length(x) - length(y))", "array<string>"),
        ("transform(a, (n, i) -> n + i)", "array<int>"),
    ],
)
def test_a_call_has_the_type_that_its_lambda_makes(expression: str, type_: str) -> None:
    ((_, found, _),) = columns(
        derived(f"{TABLE} CREATE VIEW v AS SELECT {expression} AS x FROM t", dialect=Dialect.SPARK)
    )

    assert found == type_


def test_an_accumulator_that_changes_its_type_is_refused() -> None:
    view = "CREATE VIEW v AS SELECT aggregate(a, 0, (sum, n) -> sum + 1L) AS x FROM t"

    with pytest.raises(TypeMismatch, match="starts with int and continues with bigint"):
        derived(f"{TABLE} {view}", dialect=Dialect.SPARK)


def test_a_lambda_of_too_many_parameters_is_refused() -> None:
    view = "CREATE VIEW v AS SELECT transform(a, (x, y, z) -> x) AS x FROM t"

    with pytest.raises(UnsupportedConstruct, match="a lambda of 3 parameters"):
        derived(f"{TABLE} {view}", dialect=Dialect.SPARK)
