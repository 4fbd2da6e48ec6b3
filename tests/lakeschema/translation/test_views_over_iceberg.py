"""Views of each dialect over types that only Iceberg's tables combine."""

import pytest

from lakeschema.catalog.column_types import TIMESTAMP_LOCAL, TIMESTAMP_NTZ, print_type
from lakeschema.catalog.identifiers import RelationName
from lakeschema.catalog.relations import Column, Dialect, Relation, ViewText
from lakeschema.catalog.trino_types import UUID
from lakeschema.translation.deriving.derivation import derive
from lakeschema.translation.model.interface import Options

TABLE = Relation(
    RelationName.of("d", "t"),
    (
        Column("At", TIMESTAMP_LOCAL, nullable=False),
        Column("wall", TIMESTAMP_NTZ),
        Column("u", UUID),
    ),
    properties={"table_type": "ICEBERG"},
)


@pytest.mark.parametrize(
    ("dialect", "expected"),
    [
        (Dialect.SPARK, ["timestamp", "timestamp_ntz", "string"]),
        (Dialect.TRINO, ["timestamp(6) with time zone", "timestamp(6)", "uuid"]),
    ],
)
def test_a_view_has_the_types_that_its_engine_reads(dialect: Dialect, expected: list[str]) -> None:
    text = "SELECT At, wall, u FROM d.t"
    view = Relation(RelationName.of("d", "v"), (), view=ViewText(dialect, text, text, ("d",)))
    table = derive(TABLE, {}, Options()).interface

    columns = derive(view, {TABLE.name: table}, Options()).interface.columns

    assert [print_type(column.type) for column in columns] == expected
    assert [column.nullable for column in columns] == [False, True, True]
