"""Spark views above a table of Delta whose log cannot be read."""

from dataclasses import replace

import pytest

from lakeschema.catalog.column_types import BIGINT, TIMESTAMP, ArrayType
from lakeschema.catalog.identifiers import RelationName
from lakeschema.catalog.relations import (
    Column,
    Dialect,
    Relation,
    SchemaPointer,
    TableFormat,
    ViewText,
)
from lakeschema.translation.deriving.direct_deriver import DirectDeriver
from lakeschema.translation.deriving.upstream_first import derive_all
from lakeschema.translation.model.interface import Options
from lakeschema.translation.model.outcome import Derived, Failed, Status

T, V = RelationName.of("d", "t"), RelationName.of("d", "v")
UNREACHABLE = Relation(
    T, (), unreadable="away", schema_pointer=SchemaPointer(TableFormat.DELTA, "s3://lake/t")
)
TEXT = "SELECT Id, At, l FROM d.t"
SPARKS = ViewText(Dialect.SPARK, TEXT, TEXT, ("d",))
VIEW = Relation(
    V,
    (
        Column("Id", BIGINT, nullable=False),
        Column("At", TIMESTAMP),
        Column("l", ArrayType(BIGINT, element_nullable=False)),
    ),
    view=SPARKS,
)


def test_a_view_has_the_columns_that_it_recorded_and_nothing_in_them_is_required() -> None:
    outcomes = derive_all({T: UNREACHABLE, V: VIEW}, DirectDeriver(Options()))

    failed, derived = outcomes[T], outcomes[V]
    assert isinstance(failed, Failed)
    assert failed.status is Status.UNREACHABLE
    assert isinstance(derived, Derived)
    columns = derived.derivation.interface.columns
    assert [column.nullable for column in columns] == [True] * 3
    assert columns[2].type == ArrayType(BIGINT)


@pytest.mark.parametrize(
    "relations",
    [
        {V: VIEW},
        {T: Relation(T, (), unreadable="internal error"), V: VIEW},
        {T: UNREACHABLE, V: replace(VIEW, columns=())},
        {T: UNREACHABLE, V: replace(VIEW, view=replace(SPARKS, dialect=Dialect.HIVE))},
    ],
)
def test_other_views_fail_with_their_upstreams(relations: dict[RelationName, Relation]) -> None:
    outcome = derive_all(relations, DirectDeriver(Options()))[V]

    assert isinstance(outcome, Failed)
    assert outcome.status is Status.BROKEN
