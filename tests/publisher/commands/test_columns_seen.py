"""A table that was changed over Thrift while Spark reads its own record of the columns."""

from __future__ import annotations

import json

import pytest
from hive_metastore.ttypes import FieldSchema

from lakeschema.catalog.spark_schema import SCHEMA
from tests.lakeschema.catalog.thrift_metastore import Handler, serving, thrift_table
from tests.publisher.commands.folder import Folder

FIELDS = [
    {"name": "UserId", "type": "integer", "nullable": True, "metadata": {}},
    {"name": "Name", "type": "string", "nullable": True, "metadata": {}},
]


@pytest.fixture
def handler() -> Handler:
    properties = {
        "spark.sql.sources.provider": "parquet",
        SCHEMA: json.dumps({"type": "struct", "fields": FIELDS}),
    }
    columns = [FieldSchema("userid", "int", None), FieldSchema("name", "string", None)]
    handler = Handler()
    handler.tables = {
        "shop": {"t": thrift_table("t", columns, properties=properties, database="shop")}
    }
    return handler


def test_explain_says_which_engine_sees_which_columns(folder: Folder, handler: Handler) -> None:
    with serving(handler) as uri:
        _read_metastore(folder, uri)
        folder.run("snapshot")
        (before,) = folder.run("explain", "shop.t", "--json").lines
        handler.tables["shop"]["t"].sd.cols = [
            FieldSchema("userid", "bigint", None),
            FieldSchema("added", "date", None),
        ]
        (after,) = folder.run("explain", "shop.t", "--json").lines
        shown = folder.people("explain", "shop.t")

    assert "seen" not in before
    assert after["seen"] == [
        {"name": "UserId", "hive": "bigint", "spark": "int", "package": "UserId"},
        {"name": "Name", "hive": "", "spark": "string", "package": "Name"},
        {"name": "added", "hive": "date", "spark": "", "package": ""},
    ]
    assert "columns that Hive and Spark see differently: the package follows Spark" in shown
    assert [line.split() for line in shown.splitlines() if "bigint" in line] == [
        ["UserId", "bigint", "int", "UserId"]
    ]


def test_explain_works_without_the_metastore(folder: Folder, handler: Handler) -> None:
    with serving(handler) as uri:
        _read_metastore(folder, uri)
        folder.run("snapshot")

    shown = folder.people("explain", "shop.t")

    assert "catalog now  " in shown


def _read_metastore(folder: Folder, uri: str) -> None:
    text = folder.config.read_text()
    ddl = f'kind = "ddl"\npath = "{folder.path}/ddl"'
    assert ddl in text
    folder.config.write_text(text.replace(ddl, f'kind = "hive"\nuri = "{uri}"'))
