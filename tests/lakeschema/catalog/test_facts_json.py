from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lakeschema.catalog.column_types import (
    PRIMITIVES,
    ArrayType,
    CharType,
    ColumnType,
    DecimalType,
    IntervalType,
    MapType,
    StructField,
    StructType,
    Uniontype,
    UnknownType,
    VarcharType,
    parse_type,
)
from lakeschema.catalog.facts_json import facts_from_json, facts_hash, facts_to_json
from lakeschema.catalog.identifiers import RelationName
from lakeschema.catalog.relations import Column, Dialect, Relation, SchemaMode, ViewText

text = st.text(max_size=8)
comments = st.none() | text
leaves: st.SearchStrategy[ColumnType] = st.one_of(
    st.sampled_from(list(PRIMITIVES.values())),
    st.integers(1, 38).flatmap(lambda p: st.builds(DecimalType, st.just(p), st.integers(0, p))),
    st.builds(CharType, st.integers(1, 255)),
    st.builds(VarcharType, st.integers(1, 65535)),
    st.sampled_from([IntervalType("day"), IntervalType("year to month")]),
    st.sampled_from(
        [UnknownType("nonsense"), UnknownType("INT"), UnknownType(""), UnknownType("a<")]
    ),
)


def nested(inner: st.SearchStrategy[ColumnType]) -> st.SearchStrategy[ColumnType]:
    fields = st.builds(StructField, text, inner, st.booleans(), comments)
    return st.one_of(
        st.builds(ArrayType, inner, st.booleans()),
        st.builds(MapType, inner, inner, st.booleans()),
        st.builds(StructType, st.lists(fields, max_size=3).map(tuple)),
        st.builds(Uniontype, st.lists(inner, min_size=1, max_size=3).map(tuple)),
    )


types = st.recursive(leaves, nested, max_leaves=8)
former_names = st.lists(text, max_size=2).map(tuple)
columns = st.lists(
    st.builds(Column, text, types, comments, st.booleans(), former_names), max_size=4
).map(tuple)
texts = st.dictionaries(text, text, max_size=3)
views = st.builds(
    ViewText,
    dialect=st.sampled_from(Dialect),
    text=text,
    original_text=text,
    current_namespace=st.lists(text, max_size=2).map(tuple),
    current_catalog=comments,
    schema_mode=st.none() | st.sampled_from(SchemaMode),
    query_columns=st.lists(text, max_size=3).map(tuple),
    sql_configs=texts,
)
relations = st.builds(
    Relation,
    name=st.lists(st.text(min_size=1, max_size=5), min_size=1, max_size=3).map(
        lambda parts: RelationName.of(*parts)
    ),
    columns=columns,
    partition_columns=columns,
    comment=comments,
    properties=texts,
    serde=comments,
    serde_properties=texts,
    view=st.none() | views,
    unreadable=comments,
)


@pytest.mark.thorough
@given(relations)
def test_facts_written_as_json_read_back_the_same(relation: Relation) -> None:
    written = json.dumps(facts_to_json(relation))

    assert facts_from_json(json.loads(written)) == relation


@given(relations)
def test_equal_facts_have_equal_hashes_whatever_the_order_of_their_properties(
    relation: Relation,
) -> None:
    facts = facts_to_json(relation)
    facts["properties"] = dict(reversed(list(facts["properties"].items())))

    assert facts_hash(facts_from_json(facts)) == facts_hash(relation)


def test_the_hash_of_given_facts_never_changes() -> None:
    table = Relation(
        RelationName.of("db", "t"),
        (
            Column("id", parse_type("bigint"), "the key", nullable=False),
            Column("parts", parse_type("array<struct<a:int,b:map<string,decimal(10,2)>>>")),
        ),
        (Column("day", parse_type("date")),),
        "a table",
        {"owner_team": "search"},
        "org.example.SerDe",
        {"field.delim": ","},
    )
    text = ViewText(
        Dialect.SPARK,
        "SELECT id FROM t",
        "SELECT id FROM t",
        ("db",),
        "spark_catalog",
        SchemaMode.COMPENSATION,
        ("id",),
        {"spark.sql.ansi.enabled": "true"},
    )
    view = Relation(RelationName.of("db", "v"), (Column("id", parse_type("bigint")),), view=text)
    unreadable = Relation(RelationName.of("db", "u"), (), unreadable="it cannot be read")

    # Stored with every relation: another hash would derive and publish a whole lake again.
    assert [facts_hash(relation) for relation in (table, view, unreadable)] == [
        "dfacaaf9b921ab066e48141aebb3a229bd14aa6e009e1c913cec36b89b564c48",
        "c3dcd26433c1b66d9e21f41f5353573ee5f96c4320d1bd6305c754f9f9124392",
        "97134a339b3cae5ebc2a4e83460533b9ec857b7204996524b321631214383db2",
    ]
