from __future__ import annotations

import pytest

from lakeschema.catalog.column_types import INT
from lakeschema.catalog.iceberg import relation_of
from lakeschema.catalog.iceberg_metadata import read_metadata
from lakeschema.catalog.identifiers import RelationName
from lakeschema.catalog.relations import Column, Relation
from lakeschema.translation.avro.representations import DIFFERENCES, representation_differences
from lakeschema.translation.deriving.derivation import derive
from lakeschema.translation.model.interface import Options
from tests.lakeschema.catalog.iceberg_documents import field_of, view_of

SPARK = "SELECT x FROM t"


def view(texts: dict[str, str]) -> Relation:
    metadata = view_of(texts, field_of(1, "x"), engine="spark")
    return relation_of(RelationName(("a", "b"), "v"), read_metadata(metadata))


def differences(texts: dict[str, str]) -> list[str]:
    return list(representation_differences(view(texts), Options()))


@pytest.mark.parametrize(
    ("trino", "expected"),
    [
        ('SELECT "x" FROM "t"', []),
        ("SELECT x FROM a.b.t", []),
        ("SELECT * FROM t", []),
        ("SELECT x FROM t ORDER BY 1", []),
        (
            "SELECT x FROM u",
            [
                "the text for trino reads a.b.u, and that for spark does not",
                "that for spark reads a.b.t, and the text for trino does not",
            ],
        ),
        ("SELECT x, 1 FROM t", ["the text for trino returns 2 columns, and that for spark 1"]),
        (
            "WITH c AS (SELECT x FROM t) SELECT x, x FROM c UNION SELECT 1, 2",
            ["the text for trino returns 2 columns, and that for spark 1"],
        ),
        (
            "SELECT FROM",
            ["the text for trino was not understood, and not compared with spark's"],
        ),
    ],
)
def test_texts_are_compared_by_tables_and_number_of_columns(
    trino: str, expected: list[str]
) -> None:
    assert differences({"spark": SPARK, "trino": trino}) == expected


def test_a_text_of_an_unknown_engine_is_not_compared() -> None:
    assert differences({"spark": SPARK, "duckdb": "FROM u"}) == []


def test_a_property_that_a_user_wrote_is_not_compared() -> None:
    found = view({"spark": SPARK})
    for text in ("[", "[1]", '{"spark": 1}', '{"trino": "SELECT 1"}'):
        written = Relation(
            found.name,
            found.columns,
            view=found.view,
            properties={"iceberg.representations": text},
        )

        assert list(representation_differences(written, Options())) == []


def test_the_views_record_says_that_its_texts_disagree() -> None:
    table = Relation(RelationName(("a", "b"), "t"), (Column("x", INT),))
    upstreams = {table.name: derive(table, {}, Options()).interface}
    found = view({"spark": SPARK, "trino": "SELECT x, 1 FROM t"})

    schema = derive(found, upstreams, Options()).interface.schema

    assert schema.properties[DIFFERENCES] == [
        "the text for trino returns 2 columns, and that for spark 1"
    ]
