from __future__ import annotations

import base64
import json
from collections.abc import Mapping
from typing import Any

import pytest
from hive_metastore.ttypes import FieldSchema
from hypothesis import given
from hypothesis import strategies as st

from lakeschema.catalog.column_types import (
    STRING,
    ArrayType,
    CharType,
    StructType,
    UnknownType,
    print_type,
)
from lakeschema.catalog.hive_facts import relation_from_table
from lakeschema.catalog.relations import Dialect, SchemaMode, SchemaPointer, TableFormat
from lakeschema.catalog.spark_schema import SCHEMA, columns_from_json
from tests.lakeschema.catalog.thrift_metastore import thrift_table


def view(original: str, expanded: str | None = None, **properties: str) -> Any:
    table = thrift_table("v", [FieldSchema("a", "int", None)], properties=properties)
    table.tableType = "VIRTUAL_VIEW"
    table.viewOriginalText, table.viewExpandedText = original, expanded
    return table


def schema(*fields: dict[str, Any]) -> str:
    return json.dumps({"type": "struct", "fields": list(fields)})


def field(name: str, type_: Any, **more: Any) -> dict[str, Any]:
    return {"name": name, "type": type_, "nullable": True, "metadata": {}, **more}


def test_a_schema_in_numbered_parts_is_put_together() -> None:
    text = schema(field("Id", "long", nullable=False), field("P", "string"))
    table = thrift_table(
        "t",
        [FieldSchema("col", "array<string>", "from deserializer")],
        properties={
            "spark.sql.sources.provider": "json",
            f"{SCHEMA}.numParts": "2",
            f"{SCHEMA}.part.0": text[:30],
            f"{SCHEMA}.part.1": text[30:],
            f"{SCHEMA}.numPartCols": "1",
            f"{SCHEMA}.partCol.0": "p",
        },
    )

    relation = relation_from_table(table)

    assert [(c.name, c.nullable) for c in relation.columns] == [("Id", False)]
    assert [c.name for c in relation.partition_columns] == ["P"]
    assert relation.properties == {"spark.sql.sources.provider": "json"}


@pytest.mark.parametrize("parts", ["3", "-1", "x", "999999999", "99999999999999999999"])
def test_a_schema_with_parts_missing_is_not_believed(parts: str) -> None:
    table = thrift_table(
        "t",
        [FieldSchema("a", "int", None)],
        properties={f"{SCHEMA}.numParts": parts, f"{SCHEMA}.part.0": "{}"},
    )

    assert [c.name for c in relation_from_table(table).columns] == ["a"]


PLACEHOLDER = FieldSchema("col", "array<string>", "from deserializer")


@pytest.mark.parametrize(
    ("properties", "path", "expected"),
    [
        (
            {"spark.sql.sources.provider": "delta", SCHEMA: schema()},
            "file:/lake/t",
            SchemaPointer(TableFormat.DELTA, "file:/lake/t"),
        ),
        # As Trino and Athena write it.
        (
            {"spark.sql.sources.provider": "DELTA"},
            None,
            SchemaPointer(TableFormat.DELTA, "file:/warehouse/t"),
        ),
        (
            {"table_type": "DELTA"},
            None,
            SchemaPointer(TableFormat.DELTA, "file:/warehouse/t"),
        ),
        (
            {"table_type": "iceberg", "metadata_location": "s3://lake/t/metadata/1.metadata.json"},
            None,
            SchemaPointer(TableFormat.ICEBERG, "s3://lake/t/metadata/1.metadata.json"),
        ),
        ({"table_type": "ICEBERG"}, None, SchemaPointer(TableFormat.ICEBERG, "")),
    ],
)
def test_a_table_with_its_schema_in_files_points_there(
    properties: Mapping[str, str], path: str | None, expected: SchemaPointer
) -> None:
    table = thrift_table("t", [PLACEHOLDER], properties=properties)
    table.sd.location = "file:/warehouse/t"
    table.sd.serdeInfo.parameters = {} if path is None else {"path": path}

    relation = relation_from_table(table)

    assert relation.schema_pointer == expected
    assert relation.columns == ()
    assert relation.unreadable
    assert relation.serde is None


@pytest.mark.parametrize("lost", [{}, {f"{SCHEMA}.numParts": "2", f"{SCHEMA}.part.0": "{"}])
@pytest.mark.parametrize("comment", ["from deserializer", None])
def test_a_placeholder_is_never_taken_for_a_column(
    lost: Mapping[str, str], comment: str | None
) -> None:
    placeholder = FieldSchema("col", "array<string>", comment)
    properties = {"spark.sql.sources.provider": "json", **lost}

    relation = relation_from_table(thrift_table("t", [placeholder], properties=properties))

    assert relation.columns == ()
    assert "spark.sql.sources.schema.* are lost" in (relation.unreadable or "")


@pytest.mark.parametrize(
    "properties",
    [
        {"spark.sql.sources.provider": "hive"},
        {
            "spark.sql.sources.provider": "parquet",
            SCHEMA: schema(
                field("col", {"type": "array", "elementType": "string", "containsNull": True})
            ),
        },
    ],
)
def test_a_column_like_a_placeholder_is_one_where_nothing_is_lost(
    properties: Mapping[str, str],
) -> None:
    column = FieldSchema("col", "array<string>", None)

    relation = relation_from_table(thrift_table("t", [column], properties=properties))

    assert [(c.name, c.type) for c in relation.columns] == [("col", ArrayType(STRING))]


def test_a_hudi_table_has_the_columns_that_spark_or_hudi_recorded() -> None:
    meta = "_hoodie_commit_time"
    recorded = schema(field(meta, "string"), field("Id", "long", nullable=False))
    table = thrift_table(
        "t",
        [FieldSchema(meta, "string", None), FieldSchema("id", "bigint", None)],
        properties={
            "spark.sql.sources.provider": "hudi",
            "last_commit_time_sync": "20260101",
            f"{SCHEMA}.numParts": "1",
            f"{SCHEMA}.part.0": recorded,
        },
    )

    relation = relation_from_table(table)

    assert [c.name for c in relation.columns] == [meta, "Id"]
    assert relation.properties == {"spark.sql.sources.provider": "hudi"}


def test_char_inside_a_nested_type_is_restored() -> None:
    nested = {
        "type": "array",
        "containsNull": False,
        "elementType": {"type": "struct", "fields": [field("C", "string"), field("S", "string")]},
    }
    exact = {"__CHAR_VARCHAR_TYPE_STRING": "array<struct<C:char(3),S:string>>", "comment": "c"}

    columns = columns_from_json(schema(field("X", nested, metadata=exact)))

    assert columns is not None
    (column,) = columns
    assert column.comment == "c"
    assert isinstance(column.type, ArrayType)
    assert not column.type.element_nullable
    assert isinstance(column.type.element, StructType)
    assert [f.type for f in column.type.element.fields] == [CharType(3), STRING]


def test_a_hive_view_keeps_both_its_texts() -> None:
    relation = relation_from_table(view("select * from t", "SELECT `t`.`a` FROM `default`.`t`"))

    assert relation.view is not None
    assert relation.view.dialect is Dialect.HIVE
    assert relation.view.text == "SELECT `t`.`a` FROM `default`.`t`"
    assert relation.view.original_text == "select * from t"


def test_a_spark_views_context_leaves_its_properties() -> None:
    relation = relation_from_table(
        view(
            "select a from t",
            "select a from t",
            **{
                "view.catalogAndNamespace.numParts": "3",
                "view.catalogAndNamespace.part.0": "cat",
                "view.catalogAndNamespace.part.1": "x",
                "view.catalogAndNamespace.part.2": "y",
                "view.query.out.numCols": "1",
                "view.query.out.col.0": "A",
                "view.schemaMode": "EVOLUTION",
                "view.sqlConfig.spark.sql.ansi.enabled": "true",
                "view.referredTempViewNames": "[]",
                "view.mine": "kept",
                "functions": "f:x.F",
                "dependencies": "ivy://x",
            },
        )
    )

    assert relation.view is not None
    assert (relation.view.current_catalog, relation.view.current_namespace) == ("cat", ("x", "y"))
    assert relation.view.schema_mode is SchemaMode.EVOLUTION
    assert relation.view.query_columns == ("A",)
    assert relation.view.sql_configs == {"spark.sql.ansi.enabled": "true"}
    assert relation.properties == {
        "dependencies": "ivy://x",
        "functions": "f:x.F",
        "view.mine": "kept",
    }


@pytest.mark.parametrize(
    ("version", "configs"),
    [
        ("2.4.8", {"spark.sql.ansi.enabled": "false"}),
        ("3.5.1", {"spark.sql.ansi.enabled": "false"}),
        ("", {"spark.sql.ansi.enabled": "false"}),
        ("unknown", {"spark.sql.ansi.enabled": "false"}),
        ("4.0.0", {}),
        ("10.1.0", {}),
    ],
)
def test_a_view_that_says_nothing_of_ansi_mode_has_the_one_of_its_sparks_version(
    version: str, configs: Mapping[str, str]
) -> None:
    properties = {"view.query.out.numCols": "0", "spark.sql.create.version": version}

    relation = relation_from_table(view("select 1 a", "select 1 a", **properties))

    assert relation.view is not None
    assert relation.view.sql_configs == configs


def test_a_trino_view_is_taken_out_of_its_comment() -> None:
    stored = {"originalSql": "SELECT 1 a", "catalog": "hive", "schema": "club"}
    encoded = base64.b64encode(json.dumps(stored).encode()).decode()

    found = relation_from_table(view(f"/* Presto View: {encoded} */", presto_view="true")).view

    assert found is not None
    assert (found.dialect, found.text) == (Dialect.TRINO, "SELECT 1 a")
    assert (found.current_catalog, found.current_namespace) == ("hive", ("club",))


def test_a_trino_view_that_cannot_be_decoded_keeps_its_text() -> None:
    found = relation_from_table(view("/* Presto View: ??? */")).view

    assert found is not None
    assert found.text == "/* Presto View: ??? */"


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["type", "fields", "name", "elementType", "metadata", "nullable"])
            | st.text(max_size=3),
            inner,
            max_size=4,
        )
    ),
    max_leaves=12,
)


@given(json_values.map(json.dumps) | st.text())
def test_no_stored_schema_breaks_the_reader(text: str) -> None:
    columns = columns_from_json(text)

    assert columns is None or isinstance(columns, tuple)


def test_a_schema_nested_without_end_is_unknown_rather_than_an_overflow() -> None:
    deep = '{"type":"array","containsNull":true,"elementType":' * 900 + '"string"' + "}" * 900

    columns = columns_from_json('{"fields":[{"name":"a","type":' + deep + "}]}")

    assert columns is not None
    assert "UnknownType" in repr(columns[0].type)
    assert UnknownType("").text == ""


@pytest.mark.parametrize(
    "changed",
    [
        {"name": "a\ud800"},
        {"metadata": {"comment": "\ud800"}},
        {"type": {"type": "struct", "fields": [field("\udfff", "string")]}},
    ],
    ids=["name", "comment", "nested name"],
)
def test_a_stored_schema_that_no_state_can_store_is_none(changed: dict[str, Any]) -> None:
    assert columns_from_json(schema({**field("a", "string"), **changed})) is None


OF_SPARK = schema(field("UserId", "integer"), field("S", {"type": "struct", "fields": [field("InnerCase", "string")]}))  # fmt: skip


@pytest.mark.parametrize(
    ("hive", "differs"),
    [
        ({"userid": "int", "s": "struct<InnerCase:string>"}, False),
        ({"userid": "int", "s": "struct<innercase:string>"}, False),
        ({"userid": "bigint", "s": "struct<InnerCase:string>"}, True),
        ({"id": "int", "s": "struct<InnerCase:string>"}, True),
        ({"userid": "int"}, True),
        ({"userid": "int", "s": "struct<InnerCase:string,Other:int>"}, True),
        ({"s": "struct<InnerCase:string>", "userid": "int"}, True),
        ({"col": "array<string>"}, True),
    ],
)
def test_hives_columns_are_kept_where_spark_reads_others(
    hive: Mapping[str, str], *, differs: bool
) -> None:
    properties = {"spark.sql.sources.provider": "parquet", SCHEMA: OF_SPARK}
    columns = [FieldSchema(name, type_, None) for name, type_ in hive.items()]

    relation = relation_from_table(thrift_table("t", columns, properties=properties))

    assert [c.name for c in relation.columns] == ["UserId", "S"]
    assert [(c.name, print_type(c.type)) for c in relation.hive_columns] == (
        [(name, type_.lower()) for name, type_ in hive.items()] if differs else []
    )


def test_a_table_of_hives_has_lower_case_within_its_types_too() -> None:
    table = thrift_table("t", [FieldSchema("s", "array<struct<InnerCase:int,A:int,a:int>>", None)])
    table.partitionKeys = [FieldSchema("p", "struct<InnerCase:int>", None)]

    relation = relation_from_table(table)

    (column,) = relation.columns
    (partition,) = relation.partition_columns
    assert print_type(column.type) == "array<struct<InnerCase:int,A:int,a:int>>"
    assert print_type(partition.type) == "struct<innercase:int>"
    assert relation.hive_columns == ()


def test_a_hive_table_that_hive_altered_has_what_hive_says() -> None:
    table = thrift_table("t", [FieldSchema("userid", "int", None)], properties={SCHEMA: OF_SPARK})

    relation = relation_from_table(table)

    assert [c.name for c in relation.columns] == ["userid"]
    assert relation.hive_columns == ()
