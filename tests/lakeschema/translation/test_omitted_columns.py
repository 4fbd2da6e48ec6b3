"""Columns that Avro has no type for: their use in views, and refusals."""

from __future__ import annotations

import json

import pytest

import lakeschema
from lakeschema.avro.omissions import omissions_of
from lakeschema.avro.parsing import parse_schema
from lakeschema.avro.printing import to_text
from lakeschema.catalog.relations import Dialect
from lakeschema.translation.deriving.derivation_json import derivation_from_json, derivation_to_json
from lakeschema.translation.model.errors import UnsupportedType
from lakeschema.translation.model.interface import Options
from lakeschema.translation.requests.batch import answer
from tests.lakeschema.translation.relations import columns, derived

TABLE = """CREATE TABLE t (
  id BIGINT, v VARIANT COMMENT 'raw', s STRUCT<a:INT,b:VARIANT>, g TENSOR(4), n INT
);
"""

BOTH = pytest.mark.parametrize("dialect", [Dialect.HIVE, Dialect.SPARK])


@BOTH
@pytest.mark.parametrize(
    ("query", "kept", "omitted"),
    [
        ("SELECT id, n FROM t", ["id", "n"], []),
        ("SELECT * FROM t", ["id", "n"], ["v", "s", "g"]),
        ("SELECT v AS w, id FROM t", ["id"], ["w"]),
        ("SELECT count(v) AS c, count(g) AS d, count(*) AS e FROM t", ["c", "d", "e"], []),
        ("SELECT v IS NULL AS x, g IS NOT NULL AS y FROM t", ["x", "y"], []),
        ("SELECT s.a AS a, s.b AS b FROM t", ["a"], ["b"]),
        ("SELECT coalesce(v, v) AS w, id FROM t", ["id"], ["w"]),
        ("SELECT struct(id, v) AS w, id FROM t", ["id"], ["w"]),
        ("SELECT max(id) AS m, collect_list(v) AS w FROM t", ["m"], ["w"]),
        ("SELECT v, id FROM t UNION ALL SELECT v, id FROM t", ["id"], ["v"]),
        ("SELECT a.id, b.g FROM t a LEFT JOIN t b ON a.id = b.id", ["id"], ["g"]),
        ("SELECT x.id, x.v FROM (SELECT * FROM t WHERE v IS NOT NULL) x", ["id"], ["v"]),
    ],
)
def test_a_view_leaves_out_what_it_returns_of_them_alone(
    dialect: Dialect, query: str, kept: list[str], omitted: list[str]
) -> None:
    ddl = f"{TABLE}CREATE VIEW w AS {query};\nCREATE VIEW v AS SELECT * FROM w;"

    for name in ("w", "v"):
        found = derived(ddl, name, dialect)
        schema = found.interface.schema
        assert [column for column, _, _ in columns(found)] == kept
        assert [field.name for field in schema.fields] == kept
        assert [line.column for line in found.lineage] == kept
        assert [each.column.name for each in found.interface.omitted] == omitted
        assert [each.name for each in omissions_of(schema)] == omitted
        assert parse_schema(to_text(schema)) == schema
        assert derivation_from_json(json.loads(json.dumps(derivation_to_json(found)))) == found


@BOTH
@pytest.mark.parametrize("query", ["g = 'x'", "max(g) AS m", "upper(g) AS m", "g + 1 AS m"])
def test_what_depends_on_an_unknown_type_is_unsupported(dialect: Dialect, query: str) -> None:
    text = f"SELECT id FROM t WHERE {query}" if "=" in query else f"SELECT {query} FROM t"

    with pytest.raises(UnsupportedType, match="column g has type TENSOR"):
        derived(f"{TABLE}CREATE VIEW v AS {text};", dialect=dialect)


def test_a_column_left_out_keeps_its_comment_and_says_why() -> None:
    found = derived(TABLE, "t").interface

    assert [each.column.comment for each in found.omitted] == ["raw", None, None]
    assert [str(each) for each in omissions_of(found.schema)] == [
        "v (variant): Avro has no type for values without a schema",
        "s (struct<a:int,b:variant>): Avro has no type for values without a schema (variant)",
        "g (TENSOR(4)): the type is unknown",
    ]


def test_a_literal_that_looks_like_a_placeholder_is_a_field() -> None:
    schema = {"type": "string", "logicalType": "inexpressible", "part": "x", "reason": "y"}
    literal = {"type": "record", "name": "T", "fields": [{"name": "a", "type": schema}]}
    ddl = f"CREATE TABLE t (a STRING) TBLPROPERTIES ('avro.schema.literal'='{json.dumps(literal)}');\nCREATE VIEW v AS SELECT a FROM t;"  # fmt: skip

    assert [field.name for field in derived(ddl).interface.schema.fields] == ["a"]


def test_a_batch_refuses_the_relation_that_would_leave_a_column_out_and_no_other() -> None:
    ddl = [TABLE, "CREATE VIEW whole AS SELECT id FROM t;", "CREATE VIEW part AS SELECT * FROM t;"]

    answers = {
        name: answer({"ddl": ddl, "relation": name, "options": {"inexpressible": "refuse"}})
        for name in ("t", "whole", "part")
    }

    assert [field["name"] for field in answers["whole"]["result"]["fields"]] == ["id"]
    for name in ("t", "part"):
        assert answers[name]["error"]["type"] == "UnsupportedType"
        assert "column v has type variant" in answers[name]["error"]["message"]
    assert "fields" in answer({"ddl": ddl, "relation": "part"})["result"]


def test_the_librarys_schema_names_what_it_leaves_out() -> None:
    schema = lakeschema.derive("t", [TABLE])

    assert [each["name"] for each in schema["omitted-columns"]] == ["v", "s", "g"]


def test_no_schema_depends_on_who_refuses_it() -> None:
    from lakeschema.translation.deriving.hashing import options_to_json

    assert "inexpressible" not in options_to_json(Options())
