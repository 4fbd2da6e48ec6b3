"""pyiceberg writes the metadata and states its content."""

import gzip
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from pyiceberg.catalog.sql import SqlCatalog
from pyiceberg.schema import Schema
from pyiceberg.table.update.schema import UpdateSchema
from pyiceberg.types import (
    BinaryType,
    BooleanType,
    DateType,
    DecimalType,
    DoubleType,
    FixedType,
    FloatType,
    IcebergType,
    IntegerType,
    ListType,
    LongType,
    MapType,
    NestedField,
    StringType,
    StructType,
    TimestampType,
    TimestamptzType,
    TimeType,
    UUIDType,
)

from lakeschema.catalog.column_types import print_type
from lakeschema.catalog.facts_json import type_to_json
from lakeschema.catalog.own_schemas import OwnSchema
from lakeschema.catalog.relations import SchemaPointer, TableFormat
from lakeschema.table_files.access import FileAccess
from lakeschema.table_files.errors import UnreadableFile
from lakeschema.table_files.reading import read_schema

ANYWHERE = FileAccess()


@pytest.fixture
def catalog(tmp_path: Path) -> Iterator[SqlCatalog]:
    catalog = SqlCatalog("sq", uri="sqlite:///:memory:", warehouse=tmp_path.as_uri())
    catalog.create_namespace("d")
    yield catalog
    catalog.close()


def read(location: str, access: FileAccess = ANYWHERE) -> OwnSchema:
    return read_schema(SchemaPointer(TableFormat.ICEBERG, location), access)


def created(catalog: SqlCatalog, *fields: NestedField, **properties: str) -> OwnSchema:
    table = catalog.create_table("d.t", Schema(*fields), properties=properties)
    return read(table.metadata_location)


@pytest.mark.parametrize("version", ["1", "2"])
def test_columns_keep_case_comment_and_what_is_required(catalog: SqlCatalog, version: str) -> None:
    found = created(
        catalog,
        NestedField(1, "Id", LongType(), required=True, doc="key"),
        NestedField(2, "Name", StringType()),
        comment="people",
        **{"format-version": version},
    )

    assert [(c.name, c.nullable, c.comment) for c in found.columns] == [
        ("Id", False, "key"),
        ("Name", True, None),
    ]
    assert found.comment == "people"


@pytest.mark.parametrize(
    ("iceberg", "expected"),
    [
        (BooleanType(), "boolean"),
        (IntegerType(), "int"),
        (LongType(), "bigint"),
        (FloatType(), "float"),
        (DoubleType(), "double"),
        (DecimalType(38, 9), "decimal(38,9)"),
        (DateType(), "date"),
        (TimeType(), "time"),
        (TimestampType(), "timestamp_ntz"),
        (TimestamptzType(), "timestamp with local time zone"),
        (StringType(), "string"),
        (UUIDType(), "uuid"),
        (FixedType(16), "binary"),
        (BinaryType(), "binary"),
    ],
    ids=str,
)
def test_each_type_has_a_column_type(
    catalog: SqlCatalog, iceberg: IcebergType, expected: str
) -> None:
    found = created(catalog, NestedField(1, "c", iceberg))

    assert print_type(found.columns[0].type) == expected


def test_parts_of_types_keep_what_is_required(catalog: SqlCatalog) -> None:
    city = NestedField(6, "City", StringType(), required=True, doc="where")
    found = created(
        catalog,
        NestedField(1, "l", ListType(2, StringType(), element_required=True)),
        NestedField(3, "m", MapType(4, StringType(), 5, StructType(city), value_required=False)),
    )

    assert [type_to_json(c.type) for c in found.columns] == [
        ["array", "string", False],
        ["map", "string", ["struct", [["City", "string", False, "where"]]], True],
    ]


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ([lambda u: u.rename_column("a", "b")], {"b": ("a",), "x": ()}),
        (
            [lambda u: u.rename_column("a", "b"), lambda u: u.rename_column("b", "c")],
            {"c": ("b", "a"), "x": ()},
        ),
        # Another column had the name, so that it tells nothing.
        (
            [
                lambda u: u.rename_column("a", "b"),
                lambda u: u.rename_column("x", "a"),
                lambda u: u.rename_column("a", "c"),
            ],
            {"b": (), "c": ("x",)},
        ),
        (
            [lambda u: u.delete_column("a"), lambda u: u.add_column("a", LongType())],
            {"x": (), "a": ()},
        ),
    ],
)
def test_a_renamed_column_has_its_former_names(
    catalog: SqlCatalog,
    changes: list[Callable[[UpdateSchema], Any]],
    expected: dict[str, tuple[str, ...]],
) -> None:
    created(catalog, NestedField(1, "a", StringType()), NestedField(2, "x", StringType()))
    for change in changes:
        with catalog.load_table("d.t").update_schema() as update:
            change(update)

    found = read(catalog.load_table("d.t").metadata_location)

    assert {c.name: c.former_names for c in found.columns} == expected


def _metadata(tmp_path: Path, content: bytes, name: str = "v1.metadata.json") -> str:
    (tmp_path / name).write_bytes(content)
    return f"file:{tmp_path}/{name}"


def _of_type(type_: object, **more: object) -> bytes:
    schema = {"schema-id": 0, "fields": [{"id": 1, "name": "c", "required": False, "type": type_}]}
    return json.dumps(
        {"format-version": 3, "schemas": [schema], "current-schema-id": 0, **more}
    ).encode()


@pytest.mark.parametrize(
    ("type_", "expected"),
    [
        ("timestamp_ns", "timestamp(9)"),
        ("timestamptz_ns", "timestamp(9) with time zone"),
        ("unknown", "void"),
        ("variant", "variant"),
        ("geometry(srid:4326)", "geometry"),
        ("geography", "geography"),
        ("tomorrow", "tomorrow"),
        ({"type": "union", "of": []}, '{"type": "union", "of": []}'),
    ],
)
def test_a_type_of_version_3_or_a_later_one_does_not_hide_the_table(
    tmp_path: Path, type_: object, expected: str
) -> None:
    assert [print_type(c.type) for c in read(_metadata(tmp_path, _of_type(type_))).columns] == [
        expected
    ]


@pytest.mark.parametrize("name", ["v1.gz.metadata.json", "v1.metadata.json.gz"])
def test_compressed_metadata_is_read(tmp_path: Path, name: str) -> None:
    location = _metadata(tmp_path, gzip.compress(_of_type("int")), name)

    assert [c.name for c in read(location).columns] == ["c"]


def test_version_1_without_a_list_of_schemas_is_read(tmp_path: Path) -> None:
    schema = {"fields": [{"id": 1, "name": "C", "required": True, "type": "int"}]}
    content = json.dumps({"format-version": 1, "schema": schema}).encode()

    found = read(_metadata(tmp_path, content))

    assert [(c.name, c.nullable) for c in found.columns] == [("C", False)]


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"secret", "is not the metadata of an Iceberg table"),
        (b"[]", "is not the metadata of an Iceberg table"),
        (_of_type("int", **{"current-schema-id": 7}), "is not the metadata of an Iceberg table"),
        (_of_type("int", **{"format-version": 4}), "an unknown version of Iceberg's format"),
        (b"\x1f\x8bsecret", "is not compressed as its name says"),
        (b"secret" * 2_000_000, "is larger than"),
        (gzip.compress(bytes(20_000_000)), "is larger than"),
        (b'{"a":' * 100_000, "is not the metadata of an Iceberg table"),
    ],
    ids=range(8),
)
def test_what_is_no_metadata_is_refused_without_showing_it(
    tmp_path: Path, content: bytes, reason: str
) -> None:
    location = _metadata(tmp_path, content)

    with pytest.raises(UnreadableFile, match=reason) as refused:
        read(location, FileAccess(max_bytes=10_000_000))
    assert "secret" not in str(refused.value)


def test_a_file_of_another_name_is_not_opened(tmp_path: Path) -> None:
    location = _metadata(tmp_path, _of_type("int"), "passwd")

    with pytest.raises(UnreadableFile, match="does not have the name of a metadata file"):
        read(location)
