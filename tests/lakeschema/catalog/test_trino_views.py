"""Views that Trino stores in a metastore, and Trino's text in DDL."""

from __future__ import annotations

import base64
import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from lakeschema.catalog.column_types import DecimalType, StructType, UnknownType
from lakeschema.catalog.ddl_files import DdlFilesCatalog, relations_from_ddl
from lakeschema.catalog.facts_json import facts_from_json, facts_to_json
from lakeschema.catalog.hive_facts import relation_from_table
from lakeschema.catalog.identifiers import RelationName
from lakeschema.catalog.relations import Dialect, Relation


def stored(document: object, kind: str = "Presto View") -> Relation:
    text = json.dumps(document) if not isinstance(document, str) else document
    encoded = base64.b64encode(text.encode()).decode()
    table = SimpleNamespace(
        dbName="sales",
        tableName="v",
        tableType="VIRTUAL_VIEW",
        parameters={"presto_view": "true", "comment": kind, "trino_version": "476", "team": "a"},
        viewOriginalText=f"/* {kind}: {encoded} */",
        viewExpandedText=f"/* {kind} */",
        partitionKeys=[],
        sd=SimpleNamespace(
            serdeInfo=None, cols=[SimpleNamespace(name="dummy", type="string", comment=None)]
        ),
    )
    return relation_from_table(table)


DOCUMENT: dict[str, Any] = {
    "originalSql": "SELECT a Total, b FROM t",
    "catalog": "Lake",
    "schema": "Shop",
    "columns": [
        {"name": "Total", "type": "decimal(38,2)", "comment": "of a day"},
        {"name": "b", "type": 'row("x" integer)'},
    ],
    "comment": "sums",
}


@pytest.mark.parametrize("kind", ["Presto View", "Presto Materialized View"])
def test_a_views_columns_are_those_of_its_document(kind: str) -> None:
    relation = stored(DOCUMENT, kind)

    assert [column.name for column in relation.columns] == ["Total", "b"]
    assert relation.columns[0].type == DecimalType(38, 2)
    assert relation.columns[0].comment == "of a day"
    assert isinstance(relation.columns[1].type, StructType)
    assert relation.comment == "sums"
    assert relation.properties == {"team": "a"}


def test_a_views_names_are_looked_up_in_the_schema_of_its_document() -> None:
    view = stored(DOCUMENT).view

    assert view is not None
    assert view.dialect is Dialect.TRINO
    assert (view.current_catalog, view.current_namespace) == ("lake", ("shop",))
    assert view.text == "SELECT a Total, b FROM t"


def test_trinos_own_comment_is_none_of_the_view() -> None:
    document = {key: value for key, value in DOCUMENT.items() if key != "comment"}

    assert stored(document).comment is None


@pytest.mark.parametrize("document", ["", "[]", "{", '{"columns": []}'])
def test_a_document_that_cannot_be_read_is_said_to_be_so(document: str) -> None:
    relation = stored(document)

    assert relation.columns == ()
    assert "cannot be read" in (relation.unreadable or "")
    assert relation.view is not None
    assert relation.view.dialect is Dialect.TRINO


def test_a_column_of_a_type_that_is_not_known_stays() -> None:
    relation = stored({**DOCUMENT, "columns": [{"name": "c", "type": "colour of magic"}]})

    assert relation.columns[0].type == UnknownType("colour of magic")


def test_facts_of_a_view_are_stored_without_loss() -> None:
    relation = stored(DOCUMENT)

    assert facts_from_json(facts_to_json(relation)) == relation


DDL = r"""-- dialect: trino
CREATE TABLE "T" (a varchar, b array(row(x integer)), c timestamp(3) with time zone, d ARRAY<INT>)
  COMMENT 'x' WITH (format = 'ORC', partitioned_by = ARRAY['d']);
CREATE OR REPLACE VIEW v COMMENT 'it''s' SECURITY INVOKER AS
SELECT a AS "A;b" FROM t WHERE a LIKE '\' ESCAPE '\';
CREATE VIEW w AS SELECT 1 AS x
"""


def test_a_text_says_in_a_comment_that_it_is_trinos() -> None:
    relations = relations_from_ddl([DDL])
    view = relations[RelationName.of("default", "v")]

    assert view.view is not None
    assert view.view.dialect is Dialect.TRINO
    assert view.view.text.endswith(r"LIKE '\' ESCAPE '\'")
    assert view.comment == "it's"
    assert RelationName.of("default", "w") in relations


def test_a_table_of_such_a_text_may_have_types_in_either_spelling() -> None:
    table = relations_from_ddl([DDL])[RelationName.of("default", "t")]

    assert not any(isinstance(column.type, UnknownType) for column in table.columns)


def test_other_texts_of_the_same_session_keep_the_sessions_dialect() -> None:
    relations = relations_from_ddl([DDL, "CREATE VIEW h AS SELECT `a` FROM t"])
    view = relations[RelationName.of("default", "h")].view

    assert view is not None
    assert view.dialect is Dialect.HIVE


def test_a_file_of_a_folder_says_so_as_well(tmp_path: Path) -> None:
    (tmp_path / "a.sql").write_text("CREATE TABLE t (a STRING)")
    (tmp_path / "b.sql").write_text(
        "-- made by a tool\n-- dialect: trino\nCREATE VIEW v AS SELECT a FROM t"
    )
    catalog = DdlFilesCatalog(tmp_path)

    view = catalog.read_all()[RelationName.of("default", "v")].view

    assert view is not None
    assert view.dialect is Dialect.TRINO
    assert catalog.problems() == ()
