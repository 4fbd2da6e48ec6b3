from __future__ import annotations

import json
from typing import Any

import pytest

from lakeschema.catalog.facts_json import facts_from_json, facts_to_json
from lakeschema.catalog.iceberg import relation_of
from lakeschema.catalog.iceberg_metadata import MalformedMetadata, read_metadata
from lakeschema.catalog.identifiers import RelationName
from lakeschema.catalog.own_schemas import OwnSchema, with_own_schemas
from lakeschema.catalog.relations import (
    Dialect,
    Relation,
    SchemaMode,
    SchemaPointer,
    TableFormat,
    UnreadText,
    ViewText,
)
from tests.lakeschema.catalog.iceberg_documents import (
    field_of,
    struct_of,
    table_of,
    table_with,
    view_of,
)

NAME = RelationName(("a",), "T")


def details(metadata: dict[str, Any]) -> dict[str, Any]:
    """The details under the last parts of their names, parsed."""
    found = read_metadata(metadata).details
    return {key.removeprefix("iceberg."): json.loads(text) for key, text in found.items()}


def test_each_field_has_its_id_by_its_path() -> None:
    inner = struct_of(field_of(4, "x"), field_of(5, "with.dot"))
    entries = {"type": "map", "key-id": 7, "key": "string", "value-id": 8, "value": inner}
    metadata = table_of(
        field_of(1, "Id"),
        field_of(2, "l", {"type": "list", "element-id": 3, "element": inner}),
        field_of(6, "m", entries | {"value": "int"}),
    )

    assert details(metadata)["field-ids"] == {
        "Id": 1,
        "l": 2,
        "l.element": 3,
        "l.element.x": 4,
        "l.element.`with.dot`": 5,
        "m": 6,
        "m.key": 7,
        "m.value": 8,
    }


def test_identifier_fields_partition_spec_and_sort_order_name_columns() -> None:
    metadata = table_of(field_of(1, "Id", "long"), field_of(2, "at", "timestamptz"))
    metadata["schemas"][0]["identifier-field-ids"] = [1]
    metadata |= {
        "default-spec-id": 1,
        "partition-specs": [
            {"spec-id": 0, "fields": []},
            {
                "spec-id": 1,
                "fields": [
                    {"name": "at_day", "transform": "day", "source-id": 2, "field-id": 1000},
                    {"name": "b", "transform": "bucket[4]", "source-ids": [1], "field-id": 1001},
                    {"name": "old", "transform": "void", "source-id": 9, "field-id": 1002},
                ],
            },
        ],
        "default-sort-order-id": 1,
        "sort-orders": [
            {
                "order-id": 1,
                "fields": [
                    {
                        "transform": "identity",
                        "source-id": 1,
                        "direction": "desc",
                        "null-order": "nulls-last",
                    }
                ],
            }
        ],
    }

    found = details(metadata)

    assert found["identifier-fields"] == ["Id"]
    assert found["partition-spec"] == [
        {"name": "at_day", "source": ["at"], "transform": "day"},
        {"name": "b", "source": ["Id"], "transform": "bucket[4]"},
        {"name": "old", "source": ["field 9"], "transform": "void"},
    ]
    assert found["sort-order"] == [
        {"source": ["Id"], "transform": "identity", "direction": "desc", "null-order": "nulls-last"}
    ]


def test_defaults_are_kept() -> None:
    inner = struct_of(field_of(2, "x", **{"initial-default": 5, "write-default": 6}))
    metadata = table_of(field_of(1, "s", inner), field_of(3, "t", **{"write-default": False}))

    assert details(metadata)["defaults"] == {
        "s.x": {"initial": 5, "write": 6},
        "t": {"write": False},
    }


def _schema(number: int, *fields: dict[str, Any]) -> dict[str, Any]:
    return {"type": "struct", "schema-id": number, "fields": list(fields)}


def test_a_renamed_nested_field_has_its_former_names() -> None:
    schemas = [
        _schema(number, field_of(1, "s", struct_of(field_of(2, name), field_of(3, "z"))))
        for number, name in enumerate(["a", "b", "c"])
    ]

    assert details(table_with(schemas))["former-names"] == {"s.c": ["b", "a"]}


def test_a_name_that_two_fields_of_a_struct_had_tells_nothing() -> None:
    metadata = table_with(
        [
            _schema(0, field_of(1, "s", struct_of(field_of(2, "a"), field_of(3, "b")))),
            _schema(1, field_of(1, "s", struct_of(field_of(2, "b"), field_of(3, "a")))),
        ]
    )

    assert "former-names" not in details(metadata)


def test_the_ids_that_a_name_had_are_known_if_no_former_name_tells_them() -> None:
    swapped = table_with([
        _schema(0, field_of(1, "lat"), field_of(2, "lon"), field_of(3, "kept"), field_of(4, "old")),
        _schema(1, field_of(2, "lat"), field_of(1, "lon"), field_of(3, "kept"), field_of(4, "new")),
        _schema(2, field_of(5, "lat"), field_of(1, "lon"), field_of(3, "kept"), field_of(4, "new")),
    ])  # fmt: skip

    assert details(swapped)["former-ids"] == {"lat": [1, 2], "lon": [2]}
    assert "former-ids" not in details(table_of(field_of(1, "x")))


def test_equal_names_in_other_structs_do_not_matter() -> None:
    metadata = table_with(
        [
            _schema(0, field_of(1, "a"), field_of(2, "s", struct_of(field_of(3, "a")))),
            _schema(1, field_of(1, "a"), field_of(2, "s", struct_of(field_of(3, "b")))),
        ]
    )

    assert details(metadata)["former-names"] == {"s.b": ["a"]}


@pytest.mark.parametrize(
    "more",
    [
        {},
        {"schemas": None, "current-schema-id": None},
        {"schemas": [_schema(0, field_of(1, "x")), _schema(1, field_of(1, "now"))]},
    ],
)
def test_a_table_of_format_1_may_lack_the_list_of_schemas_or_the_current_number(
    more: dict[str, Any],
) -> None:
    metadata = {
        "format-version": 1,
        "schema": struct_of(field_of(1, "now"), field_of(2, "day")),
        "partition-spec": [{"name": "day", "transform": "identity", "source-id": 2}],
        **more,
    }

    found = read_metadata(metadata)

    assert [column.name for column in found.columns] == ["now", "day"]
    assert "partition-spec" in details(metadata)


def test_a_table_has_its_properties_without_the_volatile_ones() -> None:
    metadata = table_of(
        field_of(1, "x"),
        properties={"comment": "people", "owner-team": "x", "numRows": "7"},
    )

    found = relation_of(NAME, read_metadata(metadata))

    assert found.comment == "people"
    assert found.properties == {
        "owner-team": "x",
        "iceberg.field-ids": '{"x":1}',
        "table_type": "ICEBERG",
    }


def text_of(metadata: dict[str, Any]) -> ViewText:
    view = read_metadata(metadata).view
    assert view is not None
    return view


@pytest.mark.parametrize(
    ("engine", "dialects", "expected"),
    [
        ("spark", ["trino", "spark"], Dialect.SPARK),
        ("Trino", ["spark", "trino"], Dialect.TRINO),
        ("trino", ["spark"], Dialect.SPARK),
        (None, ["trino", "spark"], Dialect.SPARK),
        (None, ["duckdb", "trino"], Dialect.TRINO),
        ("presto", ["presto"], Dialect.TRINO),
    ],
)
def test_the_text_of_the_writing_engine_counts(
    engine: str | None, dialects: list[str], expected: Dialect
) -> None:
    metadata = view_of({name: f"SELECT '{name}' AS x" for name in dialects}, engine=engine)

    assert text_of(metadata).dialect is expected


def test_every_text_of_a_view_is_a_fact() -> None:
    texts = {"spark": "SELECT 1 AS x", "trino": "SELECT 2 AS x"}

    assert details(view_of(texts))["representations"] == texts
    assert details(view_of({"spark": "SELECT 1 AS x"})) == {}


@pytest.mark.parametrize("texts", [{"duckdb": "SELECT 1 AS x"}, {}])
def test_a_view_without_a_known_dialect_has_the_columns_that_it_states(
    texts: dict[str, str],
) -> None:
    found = relation_of(NAME, read_metadata(view_of(texts)))
    known = relation_of(NAME, read_metadata(view_of({"spark": "SELECT 1 AS x"})))

    assert found.unread == UnreadText(next(iter(texts), ""), "".join(texts.values()))
    assert found.columns == known.columns
    assert (found.is_view, found.view, found.unreadable) == (True, None, None)
    assert facts_from_json(json.loads(json.dumps(facts_to_json(found)))) == found
    assert found.properties == known.properties


def test_a_view_has_its_catalog_and_namespace() -> None:
    metadata = view_of(
        {"spark": "SELECT id, n FROM t"},
        field_of(1, "key"),
        field_of(2, "total"),
        properties={"spark.query-column-names": "id,n", "comment": "sums", "team": "x"},
        of_version={"default-catalog": "prod"},
    )

    view, found = text_of(metadata), read_metadata(metadata)

    assert (view.current_catalog, view.current_namespace) == ("prod", ("a", "b"))
    assert view.schema_mode is SchemaMode.BY_POSITION
    assert (found.comment, found.properties) == ("sums", {"team": "x"})


def test_the_current_version_of_a_view_counts() -> None:
    metadata = view_of({"spark": "SELECT 1 AS x"}, field_of(1, "x"))
    older = metadata["versions"][0] | {"version-id": 0, "representations": [], "schema-id": 9}
    metadata["versions"].insert(0, older)

    assert text_of(metadata).text == "SELECT 1 AS x"


def _partitioned_by(source: float) -> dict[str, Any]:
    spec = {"spec-id": 0, "fields": [{"name": "p", "source-id": source, "transform": "void"}]}
    return table_of(field_of(1, "x"), **{"partition-specs": [spec], "default-spec-id": 0})


@pytest.mark.parametrize(
    "metadata",
    [
        None,
        [],
        {},
        table_of(field_of(1, "\ud800")),
        table_of(field_of("secret", "x")),  # type: ignore[arg-type]
        table_of(field_of(1, "x"), properties={"a": "\ud800"}),
        view_of({"spark": "\ud800"}),
        view_of({"spark": "SELECT 1"}, of_version={"schema-id": 3}),
        {**view_of({"spark": "SELECT 1"}), "format-version": 2},
        table_of(field_of(1, "x"), properties={"comment": "\ud800"}),
        view_of({"spark": "SELECT 1"}, properties={"comment": "\ud800"}),
        table_of(field_of(1, "x", "\ud800")),
        table_of(field_of(1, "x"), field_of(1, "y")),
        _partitioned_by(float("inf")),
    ],
    ids=range(14),
)
def test_malformed_metadata_is_refused_without_showing_it(metadata: Any) -> None:
    with pytest.raises(MalformedMetadata, match="is not the metadata") as refused:
        read_metadata(metadata)
    assert "secret" not in str(refused.value)


class _Answers:
    def __init__(self, schema: OwnSchema) -> None:
        self.schema = schema

    def read(self, pointers: object) -> list[OwnSchema]:
        return [self.schema]

    def close(self) -> None:
        pass


def _in_metastore(metadata: dict[str, Any]) -> Relation:
    pointer = SchemaPointer(TableFormat.ICEBERG, "file:/x.metadata.json")
    stored = Relation(NAME, (), properties={"table_type": "ICEBERG"}, schema_pointer=pointer)
    return with_own_schemas({NAME: stored}, _Answers(read_metadata(metadata)))[NAME]


def test_a_table_in_a_metastore_keeps_its_facts() -> None:
    found = _in_metastore(table_of(field_of(1, "x"), properties={"team": "x"}))

    assert found.properties == {"table_type": "ICEBERG"}


def test_a_table_in_a_metastore_has_what_readers_of_old_files_need() -> None:
    found = _in_metastore(table_of(field_of(1, "x", **{"initial-default": 1})))

    assert found.properties["iceberg.defaults"] == '{"x":{"initial":1}}'


def test_a_table_in_a_metastore_has_ids_if_a_name_had_another_id() -> None:
    found = _in_metastore(table_with([_schema(0, field_of(1, "x")), _schema(1, field_of(2, "x"))]))

    assert found.properties["iceberg.field-ids"] == '{"x":2}'
    assert found.properties["iceberg.former-ids"] == '{"x":[1]}'


def test_a_table_in_a_metastore_cannot_point_to_a_view() -> None:
    found = _in_metastore(view_of({"spark": "SELECT 1 AS x"}, field_of(1, "x")))

    assert found.unreadable == "its files are those of a view; drop it, or correct them"
