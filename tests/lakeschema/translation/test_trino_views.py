"""Stored views of Trino: their columns, and when Trino calls them stale."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from lakeschema.avro.printing import to_json
from lakeschema.catalog.relations import Column
from lakeschema.catalog.trino_types import parse_trino_type_or_unknown
from lakeschema.translation.model.errors import TranslationError, TypeMismatch, UnsupportedType
from lakeschema.translation.model.interface import Options, ViewEvolution
from lakeschema.translation.model.outcome import Status, status_of
from lakeschema.translation.requests.batch import answer
from tests.lakeschema.translation.trino_columns import derived, view


def fields(text: str, *columns: tuple[str, str], **options: Any) -> dict[str, Any]:
    derivation, _ = derived(view(text, *columns), Options(**options))
    schema: Any = to_json(derivation.interface.schema)
    return {field["name"]: field["type"] for field in schema["fields"]}


def test_a_column_is_called_as_it_was_stored() -> None:
    assert list(fields("SELECT i AS total FROM n", ("Total", "integer"))) == ["Total"]


def test_a_narrower_type_is_converted_to_the_stored_one() -> None:
    found = fields("SELECT i, v FROM n, s", ("i", "bigint"), ("v", "varchar(9)"))

    assert found == {"i": ["null", "long"], "v": ["null", "string"]}


def test_how_many_digits_a_tables_timestamps_have_is_no_change() -> None:
    found = fields("SELECT t + INTERVAL '1' DAY AS t FROM m", ("t", "timestamp(3)"))

    assert found == {"t": ["null", {"type": "long", "logicalType": "local-timestamp-millis"}]}


@pytest.mark.parametrize(
    ("text", "columns", "why"),
    [
        ("SELECT * FROM m", [("d", "date")], "it stored 1 columns"),
        ("SELECT d AS e FROM m", [("d", "date")], "column 1 was d and is e"),
        ("SELECT i FROM n", [("i", "varchar")], "column i was varchar and is integer"),
        ("SELECT l FROM n", [("l", "integer")], "column l was integer and is bigint"),
        ("SELECT r FROM a", [("r", "row(g integer)")], "column r was"),
    ],
)
def test_a_view_that_no_longer_fits_is_broken_and_says_why(
    text: str, columns: list[tuple[str, str]], why: str
) -> None:
    with pytest.raises(TypeMismatch, match=why) as caught:
        derived(view(text, *columns))

    assert "VIEW_IS_STALE" in str(caught.value)
    assert status_of(caught.value) is Status.BROKEN


def test_no_view_of_trinos_follows_its_tables() -> None:
    with pytest.raises(TypeMismatch, match="VIEW_IS_STALE"):
        fields("SELECT * FROM m", ("d", "date"), view_evolution=ViewEvolution.FOLLOW)


@pytest.mark.parametrize(
    ("expression", "schema"),
    [
        ("UUID '12151fd2-7586-11e9-8f9e-2a86e4085a59'", {"type": "string", "logicalType": "uuid"}),
        ("JSON '1'", "string"),
        ("TIMESTAMP '2020-01-01 00:00:00.123'",
         {"type": "long", "logicalType": "local-timestamp-millis"}),
        ("TIMESTAMP '2020-01-01 00:00:00.123456 UTC'",
         {"type": "long", "logicalType": "timestamp-micros"}),
        ("TIME '10:00:00'", {"type": "int", "logicalType": "time-millis"}),
        ("TIME '10:00:00.1234'", {"type": "long", "logicalType": "time-micros"}),
        ("DECIMAL '1.50'",
         {"type": "bytes", "logicalType": "decimal", "precision": 3, "scale": 2}),
        ("CAST('x' AS char(3))", "string"),
        ("MAP(ARRAY['a'], ARRAY[1])", {"type": "map", "values": "int"}),
    ],
)  # fmt: skip
def test_a_type_of_trino_has_its_avro_type(expression: str, schema: object) -> None:
    assert fields(f"SELECT {expression} AS x") == {"x": schema}


def test_a_row_without_names_has_numbered_fields() -> None:
    (found,) = fields("SELECT ROW(1, 'a') AS x").values()

    assert [field["name"] for field in found["fields"]] == ["field0", "field1"]


@pytest.mark.parametrize(
    "expression",
    [
        "INTERVAL '1' DAY",
        "INTERVAL '1' YEAR",
        "TIMESTAMP '2020-01-01 00:00:00.123456789'",
        "TIME '10:00:00 +01:00'",
        "CAST('::1' AS ipaddress)",
        "approx_set(1)",
    ],
)
def test_a_column_that_avro_has_no_type_for_is_left_out_by_name(expression: str) -> None:
    derivation, _ = derived(view(f"SELECT 1 AS k, {expression} AS x"))

    assert [each.column.name for each in derivation.interface.omitted] == ["x"]
    assert [field.name for field in derivation.interface.schema.fields] == ["k"]


def test_a_stored_column_of_an_unknown_type_is_named() -> None:
    stored = Column("i", parse_trino_type_or_unknown("no such type"))

    with pytest.raises(UnsupportedType, match="column i"):
        derived(replace(view("SELECT i FROM n"), columns=(stored,)))


def test_a_request_may_be_in_trinos_dialect() -> None:
    found = answer(
        {
            "id": 1,
            "dialect": "trino",
            "ddl": [
                "CREATE TABLE t (a varchar, b array<int>)",
                'CREATE VIEW v AS SELECT a "A", element_at(b, 1) AS e FROM t',
            ],
            "relation": "default.v",
        }
    )

    assert [field["name"] for field in found["result"]["fields"]] == ["A", "e"]


def test_a_function_that_a_deployment_declares_has_its_type() -> None:
    found = answer(
        {
            "id": 1,
            "dialect": "trino",
            "ddl": ["CREATE VIEW v AS SELECT hive.s.f(1) AS x"],
            "relation": "default.v",
            "udfs": {"hive.s.f": {"returns": "bigint"}},
        }
    )

    assert found["result"]["fields"][0]["type"] == ["null", "long"]


def test_an_undeclared_function_is_named() -> None:
    with pytest.raises(TranslationError, match=r"hive\.s\.f") as caught:
        derived(view("SELECT hive.s.f(1) AS x"))

    assert "udfs" in (caught.value.hint or "")
