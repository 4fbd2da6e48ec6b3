"""Hive 4.0.1's answers about functions that truncate timestamps."""

from __future__ import annotations

import pytest

from lakeschema.catalog.column_types import print_type
from lakeschema.catalog.ddl_files import relations_from_ddl
from lakeschema.catalog.identifiers import RelationName
from lakeschema.translation.model.errors import TypeMismatch
from tests.lakeschema.translation.relations import derived_in

TABLE = "CREATE TABLE t (moment TIMESTAMP, zoned TIMESTAMP WITH LOCAL TIME ZONE, s STRING, d DATE)"
VIEW = RelationName.of("default", "v")


def _type_of(expression: str) -> str:
    relations = relations_from_ddl([TABLE, f"CREATE VIEW v AS SELECT {expression} AS x FROM t"])
    (column,) = derived_in(relations, VIEW).interface.columns
    return print_type(column.type)


@pytest.mark.parametrize("unit", ["year", "week", "day", "hour", "second"])
def test_a_moment_that_is_cut_keeps_its_kind(unit: str) -> None:
    assert _type_of(f"floor_{unit}(moment)") == "timestamp"
    assert _type_of(f"floor_{unit}(zoned)") == "timestamp with local time zone"


@pytest.mark.parametrize("argument", ["s", "d", "5"])
def test_texts_and_days_are_no_moments_to_cut(argument: str) -> None:
    with pytest.raises(TypeMismatch):
        _type_of(f"floor_day({argument})")
