"""Catalog plugins of a Spark session: one that records its calls, and Spark's own JDBC catalog."""

from __future__ import annotations

import secrets
from collections import Counter
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor

import pytest
from pyspark.sql import SparkSession

from deploy.recording_catalog import recording_catalog_conf, take_calls
from lakeschema.catalog.column_types import INT, STRING
from lakeschema.catalog.errors import CatalogRefused
from lakeschema.catalog.facts_json import facts_from_json, facts_to_json
from lakeschema.catalog.identifiers import Namespace, RelationName
from lakeschema.catalog.listing import list_relations
from lakeschema.catalog.relations import ANSI, Catalog, Dialect, SchemaMode
from lakeschema.catalog.spark import SparkCatalog
from tests.lakeschema.catalog.behaviour import CatalogBehaviour, ContainmentBehaviour

Content = Mapping[str, Sequence[object]]

LAKE: Content = {
    "namespaces": [["empty"], ["a", "b", "deeper", "still"], ["A"], ["with.dot", "x`y"]],
    "tables": [
        {"name": ["rootless"], "columns": "r INT"},
        {"name": ["a", "b", "T"], "columns": "Id INT NOT NULL COMMENT 'key', day DATE",
         "partitions": ["day"], "properties": {"comment": "upper", "team": "red"}},
        {"name": ["a", "b", "t"], "columns": "x STRING"},
        {"name": ["a", "b", "plain"], "columns": "x STRING"},
        {"name": ["A", "t"], "columns": "other INT"},
        {"name": ["with.dot", "x`y", "d.t"], "columns": "dotted INT"},
        {"name": ["a", "gone"], "columns": "x INT"},
    ],
    "views": [
        {"name": ["a", "b", "v"], "columns": "Renamed INT COMMENT 'of T'", "query": "SELECT Id FROM T",
         "query_columns": ["Id"], "properties": {"comment": "a view", "team": "blue"}},
        {"name": ["a", "w"], "columns": "id INT", "query": "SELECT id FROM db.t",
         "catalog": "spark_catalog", "namespace": ["db"], "schema_mode": "EVOLUTION"},
    ],
    "failures": [{"name": ["a", "gone"], "message": "its file is gone"}],
}  # fmt: skip


def a_catalog(spark: SparkSession, content: Content) -> str:
    """The name of a catalog that no other test uses."""
    name = f"lake_{secrets.token_hex(4)}"
    for key, value in recording_catalog_conf(name, content).items():
        spark.conf.set(key, value)
    return name


@pytest.fixture
def lake(spark: SparkSession) -> SparkCatalog:
    return SparkCatalog(spark, a_catalog(spark, LAKE))


class TestPlugin(CatalogBehaviour):
    @pytest.fixture
    def namespace(self) -> str:
        return "club"

    @pytest.fixture
    def catalog(self, spark: SparkSession, namespace: str) -> Catalog:
        columns = (
            "id BIGINT COMMENT 'the key', name STRING, scores ARRAY<DECIMAL(5,2)>,"
            "home STRUCT<street: STRING, number: INT>, day STRING"
        )
        members = {
            "name": [namespace, "members"],
            "columns": columns,
            "partitions": ["day"],
            "properties": {"comment": "who is in", "team": "red"},
        }
        names = {
            "name": [namespace, "names"],
            "columns": "name STRING",
            "query": "SELECT name FROM members",
        }
        return SparkCatalog(spark, a_catalog(spark, {"tables": [members], "views": [names]}))


class TestContainmentInPlugin(ContainmentBehaviour):
    @pytest.fixture
    def namespace(self) -> str:
        return "club"

    @pytest.fixture
    def catalog(self, spark: SparkSession, namespace: str) -> Catalog:
        tables = [{"name": [namespace, name], "columns": "id INT"} for name in ("sound", "unsound")]
        failure = {"name": [namespace, "unsound"], "message": "its file is gone"}
        return SparkCatalog(spark, a_catalog(spark, {"tables": tables, "failures": [failure]}))


def test_every_relation_is_listed_by_its_exact_name(lake: SparkCatalog) -> None:
    listing = list_relations(lake)

    assert not listing.refused
    assert set(listing.names) == {
        RelationName((), "rootless"),
        *(RelationName(("a", "b"), name) for name in ("T", "t", "plain", "v")),
        RelationName(("A",), "t"),
        RelationName(("with.dot", "x`y"), "d.t"),
        RelationName(("a",), "gone"),
        RelationName(("a",), "w"),
    }


def test_names_that_differ_in_case_alone_are_two_relations(lake: SparkCatalog) -> None:
    upper, lower, elsewhere = (
        RelationName(("a", "b"), "T"),
        RelationName(("a", "b"), "t"),
        RelationName(("A",), "t"),
    )

    found = lake.read([upper, lower, elsewhere, RelationName(("A", "b"), "t")])

    assert list(found) == [upper, lower, elsewhere]
    assert [c.name for c in found[upper].every_column] == ["Id", "day"]
    assert [c.name for c in found[lower].every_column] == ["x"]
    assert [c.name for c in found[elsewhere].every_column] == ["other"]
    assert not found[upper].columns[0].nullable
    assert [c.name for c in found[upper].partition_columns] == ["day"]
    assert (found[upper].comment, found[upper].properties) == ("upper", {"team": "red"})


def test_dots_and_backticks_within_a_level_are_part_of_the_name(lake: SparkCatalog) -> None:
    name = RelationName(("with.dot", "x`y"), "d.t")

    assert [c.name for c in lake.read([name])[name].columns] == ["dotted"]


def test_a_view_has_the_context_that_it_records(lake: SparkCatalog) -> None:
    own, other = RelationName(("a", "b"), "v"), RelationName(("a",), "w")

    found = lake.read([own, other])

    view = found[own].view
    assert view is not None
    assert (view.dialect, view.text) == (Dialect.SPARK, "SELECT Id FROM T")
    assert (view.current_catalog, view.current_namespace) == (lake.name, ("a", "b"))
    assert view.query_columns == ("Id",)
    assert view.schema_mode is SchemaMode.COMPENSATION
    assert [(c.name, c.type, c.comment) for c in found[own].columns] == [("Renamed", INT, "of T")]
    assert (found[own].comment, found[own].properties) == ("a view", {"team": "blue"})
    assert facts_from_json(facts_to_json(found[own])) == found[own]
    view = found[other].view
    assert view is not None
    assert (view.current_catalog, view.current_namespace) == ("spark_catalog", ("db",))
    assert view.schema_mode is SchemaMode.EVOLUTION


@pytest.mark.parametrize("ansi", ["true", "false"])
def test_a_view_that_spark_creates_records_its_settings(
    spark: SparkSession, lake: SparkCatalog, ansi: str
) -> None:
    before = str(spark.conf.get(ANSI))
    spark.conf.set(ANSI, ansi)
    try:
        spark.sql(
            f"CREATE VIEW {lake.name}.empty.Made (One COMMENT 'first') COMMENT 'made' "
            f"TBLPROPERTIES ('k' = 'v') AS SELECT CAST(x AS INT) y FROM {lake.name}.a.b.plain"
        )
    finally:
        spark.conf.set(ANSI, before)
    name = RelationName(("empty",), "Made")

    relation = lake.read([name])[name]

    assert relation.view is not None
    assert relation.view.sql_configs[ANSI] == ansi
    assert relation.view.query_columns == ("y",)
    assert [(c.name, c.type, c.comment) for c in relation.columns] == [("One", INT, "first")]
    assert (relation.comment, relation.properties) == ("made", {"k": "v"})


def test_a_view_without_settings_has_ansi_off_as_in_spark(spark: SparkSession) -> None:
    text = "SELECT CAST('x' AS INT) AS one"
    view = {"name": ["ns", "v"], "columns": "one INT", "query": text}
    silent = SparkCatalog(spark, a_catalog(spark, {"views": [view]}))
    name = RelationName(("ns",), "v")

    relation = silent.read([name])[name]

    assert relation.view is not None
    assert relation.view.sql_configs[ANSI] == "false"
    assert spark.sql(f"SELECT * FROM {silent.name}.ns.v").collect() == [(None,)]


def test_a_view_without_a_catalog_means_its_own(spark: SparkSession) -> None:
    views = [
        {"name": ["ns", name], "columns": "x INT", "query": "SELECT x FROM t", "catalog": "",
         "namespace": namespace}
        for name, namespace in (("bare", []), ("in_other", ["other"]))
    ]  # fmt: skip
    catalog = SparkCatalog(spark, a_catalog(spark, {"views": views}))
    bare, other = RelationName(("ns",), "bare"), RelationName(("ns",), "in_other")

    found = {name: relation.view for name, relation in catalog.read([bare, other]).items()}

    contexts = {n: (v.current_catalog, v.current_namespace) for n, v in found.items() if v}
    assert contexts == {bare: (catalog.name, ("ns",)), other: (catalog.name, ("other",))}


def test_each_namespace_is_asked_once(spark: SparkSession) -> None:
    tables = [
        {"name": [f"n{outer}", f"m{inner}", name], "columns": "x INT"}
        for outer in range(4)
        for inner in range(5)
        for name in ("T", "t")
    ]
    catalog = SparkCatalog(spark, a_catalog(spark, {"tables": tables}))
    take_calls(spark)

    listing = list_relations(catalog)

    calls = Counter((method, *map(tuple, arguments)) for _, method, *arguments in take_calls(spark))
    listed = (
        [()]
        + [(f"n{o}",) for o in range(4)]
        + [(f"n{o}", f"m{i}") for o in range(4) for i in range(5)]
    )
    assert len(listing.names) == len(tables)
    assert calls == {
        **{(method, levels): 1 for levels in listed for method in ("listNamespaces", "listTables", "listViews")},
        ("namespaceExists", ()): 1,
    }  # fmt: skip


def test_relations_are_read_without_listing(spark: SparkSession, lake: SparkCatalog) -> None:
    names = [RelationName(("a", "b"), name) for name in ("T", "t", "v", "nobody")]
    take_calls(spark)

    lake.read([*names, names[0]])

    assert take_calls(spark) == [
        (lake.name, "loadRelation", [*name.namespace, name.name]) for name in names
    ]


def test_a_relation_that_fails_to_load_gives_its_reason(lake: SparkCatalog) -> None:
    gone, fine, view = (
        RelationName(("a",), "gone"),
        RelationName(("a", "b"), "t"),
        RelationName(("a", "b"), "v"),
    )

    found = lake.read([gone, fine, view])

    assert found[gone].unreadable == "java.lang.IllegalStateException: its file is gone"
    assert found[fine].unreadable is None
    assert found[view].unreadable is None


def test_a_relation_that_fails_to_load_and_is_not_listed_does_not_exist(
    spark: SparkSession,
) -> None:
    content: Content = {
        "tables": [{"name": ["a", "t"], "columns": "x INT"}],
        "failures": [{"name": ["a", "nobody"], "message": "this plugin's own error"}],
    }
    catalog = SparkCatalog(spark, a_catalog(spark, content))
    name = RelationName(("a",), "t")

    assert list(catalog.read([RelationName(("a",), "nobody"), name])) == [name]


def test_a_closed_namespace_makes_its_relations_unreadable(spark: SparkSession) -> None:
    content: Content = {
        "tables": [{"name": [level, "t"], "columns": "x INT"} for level in ("open", "closed")],
        "failures": [{"name": n, "message": "no access"} for n in (["closed"], ["closed", "t"])],
    }
    catalog = SparkCatalog(spark, a_catalog(spark, content))
    closed, fine = RelationName(("closed",), "t"), RelationName(("open",), "t")

    found = catalog.read([closed, fine])

    assert "no access" in (found[closed].unreadable or "")
    assert found[fine].unreadable is None


def test_a_plugin_that_does_not_even_list_is_refused_as_a_whole(spark: SparkSession) -> None:
    failing: Sequence[Sequence[str]] = ([], ["a"], ["a", "t"])
    content: Content = {
        "tables": [{"name": ["a", "t"], "columns": "x INT"}],
        "failures": [{"name": name, "message": "no connection"} for name in failing],
    }
    catalog = SparkCatalog(spark, a_catalog(spark, content))

    with pytest.raises(CatalogRefused, match="no connection"):
        catalog.read([RelationName(("a",), "t")])
    with pytest.raises(CatalogRefused, match="no connection"):
        catalog.namespaces()


def test_a_catalog_that_the_session_lacks_is_refused_by_name(spark: SparkSession) -> None:
    with pytest.raises(CatalogRefused, match="no_such_catalog"):
        SparkCatalog(spark, "no_such_catalog").namespaces()


def test_a_namespace_that_cannot_be_listed_hides_no_other(spark: SparkSession) -> None:
    content: Content = {
        "tables": [
            {"name": ["open", "t"], "columns": "x INT"},
            {"name": ["closed", "below", "t"], "columns": "x INT"},
        ],
        "failures": [{"name": ["closed"], "message": "no access"}],
    }
    catalog = SparkCatalog(spark, a_catalog(spark, content))

    listing = list_relations(catalog)

    assert listing.names == [RelationName(("open",), "t")]
    assert list(listing.refused) == [Namespace(("closed",))]
    assert "no access" in listing.refused[Namespace(("closed",))]
    assert not listing.covers(Namespace(("closed", "below")))
    assert listing.covers(Namespace(("open",)))


def test_threads_read_at_once(lake: SparkCatalog) -> None:
    names = list_relations(lake).names
    alone = lake.read(names)

    with ThreadPoolExecutor(max_workers=16) as pool:
        answers = list(pool.map(lake.read, [names] * 32))

    assert len(alone) == len(names)
    assert all(answer == alone for answer in answers)


@pytest.fixture
def derby(spark: SparkSession) -> SparkCatalog:
    """Derby through Spark's JDBC catalog: it folds names to upper case."""
    catalog = f"jdbc_{secrets.token_hex(4)}"
    plugin = "org.apache.spark.sql.execution.datasources.v2.jdbc.JDBCTableCatalog"
    spark.conf.set(f"spark.sql.catalog.{catalog}", plugin)
    spark.conf.set(f"spark.sql.catalog.{catalog}.url", f"jdbc:derby:memory:{catalog};create=true")
    driver = "org.apache.derby.iapi.jdbc.AutoloadedDriver"
    spark.conf.set(f"spark.sql.catalog.{catalog}.driver", driver)
    spark.sql(f"CREATE SCHEMA {catalog}.Club")
    spark.sql(f"CREATE TABLE {catalog}.Club.Members (Id INT, Nm STRING)")
    return SparkCatalog(spark, catalog)


def test_the_jdbc_catalog_is_read_at_its_own_spelling(derby: SparkCatalog) -> None:
    name = RelationName(("Club",), "Members")
    missing = [RelationName.of("club", "members"), RelationName(("Club",), "Nobody")]

    found = derby.read([name, *missing, RelationName.of("x", "y")])

    assert Namespace(("Club",)) in derby.namespaces()
    assert derby.relations(Namespace(("Club",))) == (name,)
    assert derby.relations(Namespace(("nowhere",))) == ()
    assert [(c.name, c.type) for c in found[name].columns] == [("Id", INT), ("Nm", STRING)]
    assert list(found) == [name]


def test_the_jdbc_catalog_lists_no_table_twice(derby: SparkCatalog) -> None:
    listing = list_relations(derby)

    assert [name for name in listing.names if name.name == "Members"] == [
        RelationName(("Club",), "Members")
    ]
    assert Namespace(()) not in derby.namespaces()
