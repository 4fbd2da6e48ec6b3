"""Columns, types and nullability of tables in each format, compared with Hive and Spark."""

from __future__ import annotations

from pathlib import Path

from pyspark.sql import SparkSession

from deploy.hive import HiveAnswer, HiveQueries
from deploy.local_stack import Metastore
from lakeschema.catalog.column_types import print_type
from lakeschema.catalog.ddl_files import relations_from_ddl
from lakeschema.catalog.format_rules import as_read
from lakeschema.catalog.hive_metastore import HiveMetastoreCatalog
from lakeschema.catalog.identifiers import RelationName
from lakeschema.catalog.relations import Catalog, Column, Dialect, Relation, as_nullable
from lakeschema.catalog.spark import SparkCatalog
from lakeschema.catalog.spark_schema import columns_from_json
from publisher.events.notification_log import NotificationLogSource

COLUMNS = "a SMALLINT NOT NULL, N STRUCT<X: TINYINT NOT NULL> NOT NULL, m MAP<STRING, SMALLINT>"
FLAT = "a SMALLINT NOT NULL, b DATE, c DECIMAL(5, 2) NOT NULL, d TIMESTAMP, e BINARY"
SERDE2 = "org.apache.hadoop.hive.serde2"

SPARK_TABLES = [
    *(f"({COLUMNS}) USING {provider}" for provider in ("parquet", "orc", "json", "avro")),
    f"({COLUMNS}) USING xml OPTIONS (rowTag 'r')",
    f"({COLUMNS}, p INT) USING parquet PARTITIONED BY (p)",
    f"({FLAT}) USING csv",
    "(line STRING NOT NULL) USING text",
    "USING text",
    "USING binaryFile",
    "USING image",
    f"({COLUMNS})",
    f"({COLUMNS}) USING hive",
    f"({COLUMNS}) USING hive OPTIONS (fileFormat 'orc')",
    *(f"({COLUMNS}) STORED AS {format_}" for format_ in ("orc", "parquet", "textfile", "rcfile")),
    f"({COLUMNS}) STORED AS avro",
    f"({COLUMNS}) PARTITIONED BY (p INT) STORED AS textfile",
    f"({FLAT}) ROW FORMAT SERDE '{SERDE2}.OpenCSVSerde' STORED AS textfile",
    f"({FLAT}) ROW FORMAT DELIMITED FIELDS TERMINATED BY ','",
]


def _shown(columns: tuple[Column, ...]) -> list[str]:
    """Names without case, types and nullability, nested ones too."""
    shown = []
    for column in columns:
        same = as_nullable(column).type == column.type and column.nullable
        shown.append(
            f"{column.name.lower()} {print_type(column.type).lower()}{'' if same else '!'}"
        )
    return shown


def _read(relation: Relation) -> list[str]:
    read = as_read(relation)
    return _shown((*read.columns, *read.partition_columns))


def test_spark_reads_the_columns_that_its_tables_have_here(
    spark: SparkSession, database: str, metastore: Metastore
) -> None:
    hive_catalog = HiveMetastoreCatalog(metastore.uri)
    catalogs: list[Catalog] = [hive_catalog, SparkCatalog(spark)]
    differing = []
    for place, clauses in enumerate(SPARK_TABLES):
        name = RelationName.of(database, f"t{place}")
        ddl = f"CREATE TABLE {name} {clauses}"
        spark.sql(ddl)
        columns = columns_from_json(spark.table(str(name)).schema.json())

        answer = _shown(columns or ())
        ways = [_read(catalog.read([name])[name]) for catalog in catalogs]
        ways.append(_read(relations_from_ddl([ddl], Dialect.SPARK)[name]))

        differing += [(clauses, answer, way) for way in ways if way != answer]

    hive_catalog.close()
    assert differing == []


def test_spark_lets_a_null_partition_into_a_column_that_it_calls_required(
    spark: SparkSession, database: str
) -> None:
    """The proof that this column is optional here; Spark reads the null as zero."""
    spark.sql(f"CREATE TABLE {database}.t (a INT, p INT NOT NULL) USING parquet PARTITIONED BY (p)")
    spark.sql(f"INSERT INTO {database}.t PARTITION (p = null) SELECT 1")

    (partition,) = spark.sql(f"SHOW PARTITIONS {database}.t").collect()

    assert not spark.table(f"{database}.t").schema["p"].nullable
    assert partition.partition == "p=__HIVE_DEFAULT_PARTITION__"


SERDES = [
    *(f"{SERDE2}.{name}" for name in (
        "lazy.LazySimpleSerDe", "lazybinary.LazyBinarySerDe", "columnar.ColumnarSerDe",
        "columnar.LazyBinaryColumnarSerDe", "avro.AvroSerDe", "JsonSerDe", "OpenCSVSerde",
        "MetadataTypedColumnsetSerDe",
    )),
    "org.apache.hadoop.hive.ql.io.orc.OrcSerde",
    "org.apache.hadoop.hive.ql.io.parquet.serde.ParquetHiveSerDe",
    "org.apache.hadoop.hive.ql.log.syslog.SyslogSerDe",
]  # fmt: skip
HIVE_COLUMNS = (
    "a smallint, b array<struct<x:tinyint,y:date>>, c map<string,smallint>, d decimal(5,2)"
)


def test_hive_selects_the_types_that_its_tables_have_here(
    hive: HiveQueries, hive_catalog: HiveMetastoreCatalog
) -> None:
    hive.run("CREATE DATABASE formats")
    differing = []
    for place, serde in enumerate(SERDES):
        name = RelationName.of("formats", f"t{place}")
        ddl = (
            f"CREATE TABLE {name} ({HIVE_COLUMNS}) PARTITIONED BY (p tinyint)"
            f" ROW FORMAT SERDE '{serde}' STORED AS TEXTFILE"
        )
        _, selected = hive.run(ddl, f"SELECT * FROM {name}")
        assert isinstance(selected, HiveAnswer)

        answer = [f"{column.partition('.')[2]} {type_}" for column, type_ in selected.columns]
        ways = [
            _read(hive_catalog.read([name])[name]),
            _read(relations_from_ddl([ddl], Dialect.HIVE)[name]),
        ]

        differing += [(serde, answer, way) for way in ways if way != answer]

    assert differing == []


CONSTRAINED = """CREATE TABLE constrained.t (a int CONSTRAINT a_not_null NOT NULL, b int NOT NULL ENABLE,
  c int NOT NULL DISABLE, d int NOT NULL DISABLE NOVALIDATE RELY, e int NOT NULL ENABLE NOVALIDATE NORELY,
  f int PRIMARY KEY DISABLE NOVALIDATE, g int)"""


def test_what_hive_enforces_is_required_until_the_constraint_is_dropped(
    hive: HiveQueries, hive_catalog: HiveMetastoreCatalog, hive_port: int
) -> None:
    name = RelationName.of("constrained", "t")
    source = NotificationLogSource(f"thrift://127.0.0.1:{hive_port}")
    hive.run("CREATE DATABASE constrained", CONSTRAINED)
    started = source.poll(None, 0)
    assert started is not None

    from_ddl = relations_from_ddl([CONSTRAINED], Dialect.HIVE)[name]
    before = hive_catalog.read([name])[name]
    hive.run("ALTER TABLE constrained.t DROP CONSTRAINT a_not_null")
    dropped = source.poll(started.position, 1)
    after = hive_catalog.read([name])[name]

    source.close()
    assert before.columns == from_ddl.columns
    assert [c.name for c in before.columns if not c.nullable] == ["a", "b", "e"]
    assert dropped is not None
    assert [getattr(hint, "relation", None) for hint in dropped.hints] == [name]
    assert [c.name for c in after.columns if not c.nullable] == ["b", "e"]


def test_hive_takes_what_it_enforces_for_never_null(hive: HiveQueries, tmp_path: Path) -> None:
    """The proof of the rule: even a null that came in beside its checks is none to Hive."""
    nulls = tmp_path / "nulls.txt"
    nulls.write_text("\\N\n")
    hive.run("CREATE DATABASE trusted", "CREATE TABLE trusted.t (a int NOT NULL)")

    refused, loaded, counted = hive.run(
        "INSERT INTO trusted.t VALUES (null)",
        f"LOAD DATA LOCAL INPATH '{nulls}' INTO TABLE trusted.t",
        "SELECT count(*) FROM trusted.t WHERE a IS NULL",
    )

    assert "NOT NULL constraint violated" in str(refused)
    assert isinstance(loaded, HiveAnswer)
    assert isinstance(counted, HiveAnswer)
    assert list(counted.rows) == ["0"]
