"""The behaviour suite on a real metastore and on Spark, and facts that only a real server can show."""

from __future__ import annotations

import secrets
from collections.abc import Iterator

import pytest
from hive_metastore import ThriftHiveMetastore
from pyspark.sql import SparkSession

from deploy.local_stack import Metastore
from deploy.metastore_ddl import MetastoreDdl
from lakeschema.catalog.column_types import (
    BIGINT,
    INT,
    STRING,
    CharType,
    VarcharType,
    print_type,
)
from lakeschema.catalog.ddl_files import relations_from_ddl
from lakeschema.catalog.hive_metastore import HiveMetastoreCatalog
from lakeschema.catalog.identifiers import Namespace, RelationName
from lakeschema.catalog.relations import Catalog, Dialect, Relation, SchemaMode
from lakeschema.catalog.spark import SparkCatalog
from lakeschema.catalog.sql_functions import Parameter
from lakeschema.translation.deriving.derivation import derive
from lakeschema.translation.model.interface import Options
from tests.lakeschema.catalog.behaviour import CatalogBehaviour, ContainmentBehaviour

TABLE = """
CREATE TABLE {namespace}.members (
  id bigint COMMENT 'the key', name string, scores array<decimal(5,2)>,
  home struct<street:string,number:int>, day string)
USING parquet COMMENT 'who is in' PARTITIONED BY (day) TBLPROPERTIES ('team'='red')
"""
VIEW = "CREATE VIEW {namespace}.names AS SELECT name FROM {namespace}.members"


@pytest.fixture(scope="module")
def shared_namespace(spark: SparkSession) -> Iterator[str]:
    name = f"club_{secrets.token_hex(4)}"
    spark.sql(f"CREATE DATABASE {name}")
    spark.sql(TABLE.format(namespace=name))
    spark.sql(VIEW.format(namespace=name))
    yield name
    spark.sql(f"DROP DATABASE {name} CASCADE")


@pytest.fixture
def hive(metastore: Metastore) -> Iterator[HiveMetastoreCatalog]:
    catalog = HiveMetastoreCatalog(metastore.uri)
    yield catalog
    catalog.close()


class TestHiveMetastore(CatalogBehaviour):
    @pytest.fixture
    def catalog(self, hive: HiveMetastoreCatalog) -> Catalog:
        return hive

    @pytest.fixture
    def namespace(self, shared_namespace: str) -> str:
        return shared_namespace


class TestSpark(CatalogBehaviour):
    @pytest.fixture
    def catalog(self, spark: SparkSession) -> Catalog:
        return SparkCatalog(spark)

    @pytest.fixture
    def namespace(self, shared_namespace: str) -> str:
        return shared_namespace


class TestContainmentOnSpark(ContainmentBehaviour):
    """Spark refuses a whole batch for one table whose record of its own columns is no JSON."""

    @pytest.fixture
    def catalog(self, spark: SparkSession) -> Catalog:
        return SparkCatalog(spark)

    @pytest.fixture
    def namespace(self, metastore: Metastore, database: str) -> str:
        with MetastoreDdl(metastore.uri) as ddl:
            ddl.create_table(database, "sound", [("id", "int")])
            ddl.create_table(database, "unsound", [("id", "int")])
            damaged = ddl.table(database, "unsound")
            damaged.parameters["spark.sql.sources.schema"] = "{"
            ddl.alter(database, "unsound", damaged)
        return database


def test_a_metastore_says_who_owns_relations(
    hive: HiveMetastoreCatalog, metastore: Metastore, database: str
) -> None:
    with MetastoreDdl(metastore.uri) as ddl:
        ddl.create_table(database, "kept", [("id", "int")])
        ddl.create_table(database, "nobodys", [("id", "int")])
        changed = ddl.table(database, "nobodys")
        changed.owner = ""
        ddl.alter(database, "nobodys", changed)
    names = [RelationName.of(database, name) for name in ("kept", "nobodys", "absent")]

    assert hive.owners(names) == {names[0]: "hive"}


def test_spark_and_thrift_tell_the_same_facts(
    spark: SparkSession, hive: HiveMetastoreCatalog, database: str
) -> None:
    for ddl in (
        (
            "CREATE TABLE {d}.t (Id INT COMMENT 'k', Nm VARCHAR(9), s STRUCT<Aa: ARRAY<CHAR(2)>>, p DATE)"
            " USING orc PARTITIONED BY (p) COMMENT 'c' TBLPROPERTIES ('a'='b')"
        ),
        "CREATE TABLE {d}.h (Id INT, Nm CHAR(3)) PARTITIONED BY (p INT) STORED AS TEXTFILE",
        (
            "CREATE VIEW {d}.v (x COMMENT 'cx', y) COMMENT 'vc' TBLPROPERTIES ('k'='v')"
            " AS SELECT Id, Nm FROM {d}.t"
        ),
        "CREATE VIEW {d}.w WITH SCHEMA EVOLUTION AS SELECT * FROM {d}.t",
    ):
        spark.sql(ddl.format(d=database))
    names = hive.relations(Namespace((database,)))

    by_thrift = hive.read(names)
    by_spark = SparkCatalog(spark).read(names)

    assert len(names) == 4
    assert by_spark == by_thrift
    # A metastore is asked for one in another way than for several.
    assert {each: hive.read([each])[each] for each in names} == by_thrift


def test_a_view_has_the_sql_functions_that_it_calls_through_others(
    spark: SparkSession, hive: HiveMetastoreCatalog, database: str
) -> None:
    ddl = f"""
        CREATE FUNCTION {database}.inner_(x INT COMMENT 'it') RETURNS TABLE RETURN SELECT x + 1 AS a;
        CREATE FUNCTION {database}.outer_(y STRING, x INT DEFAULT 3) RETURNS DOUBLE
          COMMENT '{"long " * 2_000}' RETURN (SELECT max(a) FROM {database}.inner_(x));
        CREATE FUNCTION {database}.unused() RETURN 1;
        CREATE VIEW {database}.v AS SELECT {database}.outer_('a') AS m"""
    for statement in ddl.split(";"):
        spark.sql(statement)
    name = RelationName.of(database, "v")

    facts = hive.read([name])[name]

    assert facts.view is not None
    inner, outer = facts.view.functions
    assert (inner.is_table, inner.columns) == (True, (Parameter("a", INT),))
    assert outer.parameters == (Parameter("y", STRING), Parameter("x", INT, "3"))
    assert outer.sql_configs["spark.sql.ansi.enabled"] == "true"
    assert SparkCatalog(spark).read([name])[name] == facts
    assert print_types(facts) == ["m double"]
    for function in ("inner_", "outer_", "unused"):
        spark.sql(f"DROP FUNCTION {database}.{function}")


def print_types(relation: Relation) -> list[str]:
    columns = derive(relation, {}, Options()).interface.columns
    return [f"{column.name} {print_type(column.type)}" for column in columns]


def test_a_spark_table_keeps_case_char_and_comments(
    spark: SparkSession, hive: HiveMetastoreCatalog, database: str
) -> None:
    spark.sql(f"CREATE TABLE {database}.t (Id INT COMMENT 'k', Nm VARCHAR(9), C CHAR(2)) USING orc")

    name = RelationName.of(database, "t")
    columns = hive.read([name])[name].columns

    assert [(c.name, c.type) for c in columns] == [
        ("Id", INT),
        ("Nm", VarcharType(9)),
        ("C", CharType(2)),
    ]
    assert columns[0].comment == "k"


def test_a_spark_view_has_its_context(
    spark: SparkSession, hive: HiveMetastoreCatalog, database: str
) -> None:
    spark.sql(f"CREATE TABLE {database}.t (Id INT) USING orc")
    spark.sql(f"USE {database}")
    spark.sql("CREATE VIEW v WITH SCHEMA EVOLUTION AS SELECT * FROM t")
    spark.sql("USE default")

    name = RelationName.of(database, "v")
    view = hive.read([name])[name].view

    assert view is not None
    assert view.dialect is Dialect.SPARK
    assert view.text == "SELECT * FROM t"
    assert (view.current_catalog, view.current_namespace) == ("spark_catalog", (database,))
    assert view.schema_mode is SchemaMode.EVOLUTION
    assert view.query_columns == ()  # Spark keeps none for a view whose columns follow
    assert view.sql_configs["spark.sql.ansi.enabled"] in {"true", "false"}


def test_a_spark_view_whose_columns_are_fixed_names_those_of_its_query(
    spark: SparkSession, hive: HiveMetastoreCatalog, database: str
) -> None:
    spark.sql(f"CREATE VIEW {database}.v (x, y) AS SELECT 1 AS One, 2 AS Two")

    name = RelationName.of(database, "v")
    view = hive.read([name])[name].view

    assert view is not None
    assert view.query_columns == ("One", "Two")


def test_the_ddl_reader_and_spark_agree_on_a_view_and_its_table(
    spark: SparkSession, hive: HiveMetastoreCatalog, database: str
) -> None:
    ddl = [
        (
            f"CREATE TABLE {database}.t (Id INT COMMENT 'it\\'s', s STRUCT<Aa: INT COMMENT 'n'>, p STRING)"
            " USING parquet PARTITIONED BY (p) COMMENT 'c' TBLPROPERTIES ('a'='b')"
        ),
        f"ALTER TABLE {database}.t ADD COLUMNS (Extra BIGINT COMMENT 'e')",
        (
            f"CREATE VIEW {database}.v (x COMMENT 'cx') COMMENT 'vc' WITH SCHEMA EVOLUTION"
            f" AS SELECT Id FROM {database}.t"
        ),
    ]
    for statement in ddl:
        spark.sql(statement)
    table, view = RelationName.of(database, "t"), RelationName.of(database, "v")

    real = hive.read([table, view])
    read = relations_from_ddl(ddl, Dialect.SPARK)

    assert read[table] == real[table]
    ours, theirs = read[view].view, real[view].view
    assert ours is not None
    assert theirs is not None
    assert (ours.text, ours.schema_mode) == (theirs.text, theirs.schema_mode)
    assert [(c.name, c.comment) for c in read[view].columns] == [("x", "cx")]
    assert [(c.name, c.type, c.comment) for c in real[view].columns] == [("x", INT, "cx")]


def test_a_hive_view_is_read_by_its_expanded_text(
    metastore: Metastore, hive: HiveMetastoreCatalog, database: str
) -> None:
    expanded = f"SELECT `t`.`id` FROM `{database}`.`t`"
    with MetastoreDdl(metastore.uri) as ddl:
        ddl.create_table(database, "t", [("id", "bigint")])
        ddl.create_view(
            database, "v", [("id", "bigint")], expanded, original_text="SELECT * FROM t"
        )

    name = RelationName.of(database, "v")
    view = hive.read([name])[name].view

    assert view is not None
    assert (view.dialect, view.text, view.original_text) == (
        Dialect.HIVE,
        expanded,
        "SELECT * FROM t",
    )


def test_a_changed_literal_shows_beside_stale_columns(
    metastore: Metastore, hive: HiveMetastoreCatalog, database: str
) -> None:
    literal = '{"type":"record","name":"r","fields":[{"name":"Id","type":"int"}]}'
    with MetastoreDdl(metastore.uri) as ddl:
        ddl.create_table(
            database, "bare", [], avro=True, properties={"avro.schema.literal": literal}
        )
        ddl.create_table(
            database, "t", [("id", "bigint")], avro=True, properties={"avro.schema.literal": "{}"}
        )
        changed = ddl.table(database, "t")
        changed.parameters["avro.schema.literal"] = literal
        ddl.alter(database, "t", changed)

    name, bare = RelationName.of(database, "t"), RelationName.of(database, "bare")
    found = hive.read([name, bare])

    assert found[name].properties["avro.schema.literal"] == literal
    assert [(c.name, c.type) for c in found[name].columns] == [("id", BIGINT)]
    assert found[bare].columns == ()


def test_after_an_alter_by_hive_sparks_record_of_a_hive_table_is_not_believed(
    spark: SparkSession, metastore: Metastore, hive: HiveMetastoreCatalog, database: str
) -> None:
    spark.sql(f"CREATE TABLE {database}.t (Id INT) STORED AS TEXTFILE")
    name = RelationName.of(database, "t")
    assert [c.name for c in hive.read([name])[name].columns] == ["Id"]

    with MetastoreDdl(metastore.uri) as ddl:
        ddl.replace_columns(database, "t", [("id", "bigint"), ("more", "string")])

    columns = hive.read([name])[name].columns
    assert [(c.name, c.type) for c in columns] == [("id", BIGINT), ("more", STRING)]


def test_data_and_statistics_change_no_facts(
    spark: SparkSession, hive: HiveMetastoreCatalog, database: str
) -> None:
    spark.sql(f"CREATE TABLE {database}.t (id INT) USING parquet")
    name = RelationName.of(database, "t")
    before = hive.read([name])

    spark.sql(f"INSERT INTO {database}.t VALUES (1)")
    spark.sql(f"ANALYZE TABLE {database}.t COMPUTE STATISTICS FOR ALL COLUMNS")

    assert hive.read([name]) == before


def test_a_read_reflects_the_event_id_asked_before_it(
    metastore: Metastore, hive: HiveMetastoreCatalog, database: str
) -> None:
    before = hive.current_event_id()
    with MetastoreDdl(metastore.uri) as ddl:
        ddl.create_table(database, "t", [("id", "bigint")])

    after = hive.current_event_id()

    assert before is not None
    assert after is not None
    assert after > before


def test_a_lost_connection_is_made_again(
    metastore: Metastore,
    hive: HiveMetastoreCatalog,
    database: str,
    metastore_client: ThriftHiveMetastore.Client,
) -> None:
    assert Namespace((database,)) in hive.namespaces()

    hive.close()

    assert Namespace((database,)) in hive.namespaces()
