"""For an untyped NULL, Hive 4.0.1 chooses another overload in another process."""

from __future__ import annotations

import pytest

from lakeschema.catalog.column_types import print_type
from lakeschema.catalog.ddl_files import relations_from_ddl
from lakeschema.catalog.identifiers import RelationName
from lakeschema.translation.model.errors import UnsupportedFunction
from tests.lakeschema.translation.relations import derived_in

TABLE = "CREATE TABLE t (i INT, b BIGINT, s STRING, bo BOOLEAN)"
VIEW = RelationName.of("default", "v")


def type_of(expression: str, *below: str) -> str:
    view = f"CREATE VIEW v AS SELECT {expression} AS x FROM {'w' if below else 't'}"
    (column,) = derived_in(relations_from_ddl([TABLE, *below, view]), VIEW).interface.columns
    return print_type(column.type)


@pytest.mark.parametrize(
    ("call", "name"),
    [
        ("sign(NULL)", "sign"),
        ("sign(if(bo, NULL, NULL))", "sign"),
        ("substr(NULL, 1)", "substr"),
        ("mid(NULL, i, 2)", "mid"),
        ("shiftleft(NULL, i)", "shiftleft"),
        ("shiftright(coalesce(NULL, NULL), 1)", "shiftright"),
        ("shiftrightunsigned(NULL, NULL)", "shiftrightunsigned"),
        ("floor_day(NULL)", "floor_day"),
        ("floor(NULL TO MONTH)", "floor_month"),
        ("NULL & NULL", "&"),
        ("NULL | NULL", "|"),
        ("NULL ^ NULL", "^"),
        ("~ NULL", "~"),
    ],
)
def test_what_an_untyped_null_does_not_decide_is_refused(call: str, name: str) -> None:
    with pytest.raises(UnsupportedFunction, match="of an untyped NULL") as raised:
        type_of(call)

    assert raised.value.function == name
    assert "cast the NULL" in (raised.value.hint or "")


def test_an_untyped_null_of_a_view_below_decides_as_little() -> None:
    with pytest.raises(UnsupportedFunction, match="function sign of an untyped NULL"):
        type_of("sign(n)", "CREATE VIEW w AS SELECT NULL AS n")


@pytest.mark.parametrize(
    ("call", "type_"),
    [
        ("sign(CAST(NULL AS DECIMAL(10,2)))", "int"),
        ("sign(CAST(NULL AS INT))", "double"),
        ("substr(s, NULL)", "string"),
        ("shiftleft(b, NULL)", "bigint"),
        ("shiftleft(CAST(NULL AS BIGINT), i)", "bigint"),
        ("NULL & i", "int"),
        ("b | NULL", "bigint"),
        ("floor_day(CAST(NULL AS TIMESTAMP))", "timestamp"),
        ("substring(NULL, 1)", "string"),
    ],
)
def test_what_has_a_type_decides(call: str, type_: str) -> None:
    assert type_of(call) == type_
