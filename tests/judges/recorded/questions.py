"""A file of recorded cases → the views to check, each with all the DDL that it needs."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from lakeschema.catalog.column_types import UnknownType
from lakeschema.catalog.ddl_files import relations_from_ddl
from lakeschema.catalog.identifiers import RelationName
from lakeschema.catalog.relations import Column, Dialect, Relation, ViewText

_ASKED = RelationName.of("default", "recorded_query")


@dataclass(frozen=True, slots=True)
class Question:
    """One view of a case.

    Attributes:
        ddl: creates its tables, in Hive's dialect, and the view itself for questions to Hive.
        text: the view's query, for questions to Spark.
        functions: class names by the names that its text calls.
        names: the column names of a ``text`` that does not name all columns; else empty.
    """

    label: str
    kind: str
    ddl: tuple[str, ...]
    view: RelationName
    functions: Mapping[str, str]
    text: str | None = None
    names: tuple[str, ...] = ()

    @property
    def dialect(self) -> Dialect:
        return Dialect.HIVE if self.text is None else Dialect.SPARK

    def relations(self) -> Mapping[RelationName, Relation]:
        """The relations that the question needs.

        Raises:
            MalformedDdl: a statement cannot be read or applied.
        """
        known = dict(relations_from_ddl(self.ddl))
        if self.text is not None:
            text = ViewText(Dialect.SPARK, self.text, self.text, ("default",))
            named = " ".join(f"{name}:{class_}" for name, class_ in self.functions.items())
            columns = tuple(Column(name, UnknownType("")) for name in self.names)
            properties = {"functions": named}
            known[self.view] = Relation(self.view, columns, properties=properties, view=text)
        return known


def questions_of(cases: Sequence[Mapping[str, Any]]) -> Iterator[Question]:
    for case in cases:
        expect, functions = case["expect"], case.get("functions") or {}
        label, kind = str(case["id"]), str(case["module"])
        query = expect.get("query") or expect.get("sql_in")
        tables, views, alters = _statements(case)
        if query:
            query_view = ("USE default", f"CREATE VIEW {_ASKED.name} AS {query}")
            yield Question(label, kind, (*tables, *views, *alters, *query_view), _ASKED, functions)
        elif expect.get("view") in {view["name"] for view in case["views"]}:
            name = RelationName.parse(expect["view"], ("default",))
            yield Question(label, kind, (*tables, *views, *alters), name, functions)
        if expect.get("spark_sql"):
            ddl, text = (*tables, *alters), str(expect["spark_sql"])
            yield Question(f"{label} (Spark)", f"{kind} (Spark)", ddl, _ASKED, functions, text)


def _statements(
    case: Mapping[str, Any],
) -> tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...]]:
    """Statements that create tables, that create views, and that then change tables."""
    names = [entry["name"] for entry in (*case["tables"], *case["views"])]
    databases = sorted({name.split(".")[0] for name in names})
    tables = [f"CREATE DATABASE IF NOT EXISTS {database}" for database in databases]
    tables += map(_with_literal, case["tables"])
    views = [str(view["ddl"]) for view in case["views"]]
    alters = [str(alter) for table in case["tables"] for alter in table.get("alters") or ()]
    return tuple(tables), tuple(views), tuple(alters)


def _with_literal(table: Mapping[str, Any]) -> str:
    schema = json.dumps(table.get("avro_schema_literal"))
    literal = schema.replace("\\", "\\\\").replace("'", "\\'")
    return str(table["ddl"]).replace("<avro_schema_literal>", literal)
