"""One folder per view: all that the program makes of it, recorded and reviewed as code."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

import pytest

from lakeschema.avro.parsing import parse_schema
from lakeschema.avro.printing import to_json
from lakeschema.catalog.column_types import parse_type
from lakeschema.catalog.ddl_files import relations_from_ddl
from lakeschema.catalog.identifiers import RelationName
from lakeschema.catalog.relations import Dialect, Relation, ViewText
from lakeschema.translation.deriving.derivation import derive_view
from lakeschema.translation.emission.spark.text import type_text
from lakeschema.translation.emission.spark.view import spark_view
from lakeschema.translation.model.interface import Options, Returns
from lakeschema.translation.plan.explain import explain
from tests.lakeschema.translation.relations import derived_in, interfaces

GALLERY = Path(__file__).parents[2] / "gallery"


@dataclass(frozen=True)
class Case:
    """``view.sql``'s last view is the one that is shown.

    A comment such as ``-- dialect: spark`` may begin it, as in any DDL.
    """

    folder: Path

    def __str__(self) -> str:
        return self.folder.name

    def relations(self) -> dict[RelationName, Relation]:
        view = (self.folder / "view.sql").read_text()
        spark = view.startswith("-- dialect: spark")
        # The tables, too, are Spark's then; of Trino there are only views.
        dialect = Dialect.SPARK if spark else Dialect.HIVE
        return dict(relations_from_ddl([(self.folder / "tables.sql").read_text(), view], dialect))

    def options(self) -> Options:
        path = self.folder / "udfs.json"
        udfs = json.loads(path.read_text()) if path.exists() else {}
        return Options(udfs={name: Returns(parse_type(u["returns"])) for name, u in udfs.items()})


CASES = [Case(folder) for folder in sorted(GALLERY.iterdir()) if (folder / "view.sql").exists()]


def same_as_recorded(case: Case, file: str, text: str, request: pytest.FixtureRequest) -> bool:
    path = case.folder / file
    if request.config.getoption("--accept"):
        path.write_text(text)
    return path.exists() and path.read_text() == text


def shown(case: Case) -> tuple[dict[RelationName, Relation], RelationName, Options]:
    relations = case.relations()
    name = [name for name, relation in relations.items() if relation.is_view][-1]
    return relations, name, case.options()


@pytest.mark.parametrize("case", CASES, ids=str)
def test_a_view_yields_its_recorded_avro_schema(case: Case, request: pytest.FixtureRequest) -> None:
    relations, name, options = shown(case)

    schema = to_json(derived_in(relations, name, options).interface.schema)

    assert same_as_recorded(case, "schema.avsc", json.dumps(schema, indent=2) + "\n", request)


@pytest.mark.parametrize("case", CASES, ids=str)
def test_a_view_has_its_recorded_plan(case: Case, request: pytest.FixtureRequest) -> None:
    relations, name, options = shown(case)

    _, plan = derive_view(relations[name], interfaces(relations, name, options), options)

    assert same_as_recorded(case, "plan.txt", explain(plan), request)


@pytest.mark.parametrize("case", CASES, ids=str)
def test_a_view_is_emitted_as_its_recorded_spark_sql(
    case: Case, request: pytest.FixtureRequest
) -> None:
    relations, name, options = shown(case)

    query = spark_view(relations[name], interfaces(relations, name, options), options)

    assert same_as_recorded(case, "spark.sql", query.sql + "\n", request)


@pytest.mark.parametrize("case", CASES, ids=str)
def test_emitted_spark_sql_is_read_as_the_view_it_was_emitted_from(case: Case) -> None:
    relations, name, options = shown(case)
    upstreams = interfaces(relations, name, options)
    query = spark_view(relations[name], upstreams, options)
    view = ViewText(Dialect.SPARK, query.sql, query.sql, (), sql_configs=dict(query.settings))
    functions = " ".join(f"{udf.name}:{udf.class_name}" for udf in query.udfs)
    emitted = Relation(name, (), view=view, properties={"functions": functions})
    _, again = derive_view(emitted, upstreams, options)

    assert [(c.name, type_text(c.type)) for c in again.columns] == [
        (c.name, type_text(c.type)) for c in query.columns
    ]


@pytest.mark.parametrize("case", CASES, ids=str)
def test_a_recorded_schema_is_a_valid_one(case: Case) -> None:
    text = (case.folder / "schema.avsc").read_text()

    assert to_json(parse_schema(text)) == json.loads(text)


def test_the_gallery_is_not_empty() -> None:
    assert len(CASES) >= 60
