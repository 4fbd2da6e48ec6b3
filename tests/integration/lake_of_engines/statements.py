"""The statements with which Spark, Hive and Delta create tables and views, in order.

Spark's and Delta's tables have rows, with nulls wherever the engine can store them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

_ROWS = "(1, 'Ada', 1.50), (2, NULL, NULL)"


def _of_provider(provider: str) -> tuple[str, ...]:
    """A table with case, structs, arrays, maps and times; and one with partitions."""
    name = f"s_{provider}"
    return (
        (
            f"CREATE TABLE lake.{name} (Id INT NOT NULL, UserName STRING COMMENT 'Who.', Price DECIMAL(10,2), "
            "Home STRUCT<City: STRING NOT NULL, zipCode: INT>, Tags ARRAY<STRING>, Counts MAP<STRING, BIGINT>, "
            f"Born DATE, At TIMESTAMP, Local TIMESTAMP_NTZ, Code CHAR(3), Short VARCHAR(5)) USING {provider}"
        ),
        (
            f"INSERT INTO lake.{name} VALUES (1, 'Ada', 1.50, named_struct('City', 'Rome', 'zipCode', 7), "
            "array('a', NULL), map('k', 1L), DATE '2024-02-29', TIMESTAMP '2024-02-29 12:30:00.123456', "
            "TIMESTAMP_NTZ '2024-02-29 12:30:00.5', 'ab', 'abc'), "
            "(2, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL)"
        ),
        (
            f"CREATE TABLE lake.{name}_parts (Id BIGINT, Amount DOUBLE, EventDay DATE, Country STRING) "
            f"USING {provider} PARTITIONED BY (EventDay, Country)"
        ),
        f"INSERT INTO lake.{name}_parts VALUES (1, 0.5, DATE '2024-01-01', 'IE'), (2, NULL, NULL, NULL)",
    )


def _plain(provider: str) -> tuple[str, ...]:
    """A table of a format without types of its own."""
    name = f"s_{provider}"
    return (
        f"CREATE TABLE lake.{name} (Id INT NOT NULL, UserName STRING, Price DECIMAL(10,2)) USING {provider}"
        + (" OPTIONS (rowTag 'row')" if provider == "xml" else ""),
        f"INSERT INTO lake.{name} VALUES {_ROWS}",
    )


def _stored_as(format_: str) -> tuple[str, ...]:
    """A table in Hive's own way, made by Spark."""
    name = f"h_by_spark_{format_}"
    return (
        (
            f"CREATE TABLE lake.{name} (Id INT NOT NULL, UserName STRING, Price DECIMAL(10,2), "
            f"Home STRUCT<City: STRING, zipCode: INT>) STORED AS {format_}"
        ),
        (
            f"INSERT INTO lake.{name} VALUES (1, 'Ada', 1.50, named_struct('City', 'Rome', 'zipCode', 7)), "
            "(2, NULL, NULL, NULL)"
        ),
    )


SPARK_TABLES: tuple[str, ...] = (
    *_of_provider("parquet"),
    *_of_provider("orc"),
    *_of_provider("json"),
    *_plain("csv"),
    *_plain("xml"),
    # Spark's Avro files have no CHAR and no local times beside instants of another meaning.
    (
        "CREATE TABLE lake.s_avro (Id INT NOT NULL, UserName STRING, Price DECIMAL(10,2), "
        "Home STRUCT<City: STRING, zipCode: INT>, Tags ARRAY<STRING>, Counts MAP<STRING, BIGINT>, Born DATE, At TIMESTAMP) "
        "USING avro"
    ),
    (
        "INSERT INTO lake.s_avro VALUES (1, 'Ada', 1.50, named_struct('City', 'Rome', 'zipCode', 7), array('a', NULL), "
        "map('k', 1L), DATE '2024-02-29', TIMESTAMP '2024-02-29 12:30:00.123456'), "
        "(2, NULL, NULL, NULL, NULL, NULL, NULL, NULL)"
    ),
    "CREATE TABLE lake.s_avro_parts (Id BIGINT, Amount DOUBLE, Country STRING) USING avro PARTITIONED BY (Country)",
    "INSERT INTO lake.s_avro_parts VALUES (1, 0.5, 'IE'), (2, NULL, 'FR')",
    "CREATE TABLE lake.s_text (Line STRING) USING text",
    "INSERT INTO lake.s_text VALUES ('one'), ('two')",
    (
        "CREATE TABLE lake.s_as_select USING parquet AS SELECT 1 AS One, 'x' AS Text, CAST(NULL AS DATE) AS Day, "
        "named_struct('A', 1, 'b', array(1.5D)) AS Nested"
    ),
    "CREATE TABLE lake.s_as_select_parts USING parquet PARTITIONED BY (Two) AS SELECT 1 AS One, 2 AS Two, 3 AS Three",
    "CREATE TABLE lake.s_defaults (Id INT DEFAULT 7, Name STRING DEFAULT 'none', Day DATE) USING parquet",
    "INSERT INTO lake.s_defaults (Day) VALUES (NULL)",
    "CREATE TABLE lake.s_bucketed (UserId INT, Name STRING) USING parquet CLUSTERED BY (UserId) INTO 2 BUCKETS",
    "INSERT INTO lake.s_bucketed VALUES (1, 'a'), (NULL, NULL)",
    "CREATE TABLE lake.s_evolved (Id INT, Name STRING) USING parquet",
    "INSERT INTO lake.s_evolved VALUES (1, 'a')",
    "ALTER TABLE lake.s_evolved ADD COLUMNS (MoreOfIt BIGINT COMMENT 'added', Inner STRUCT<A: INT, bB: STRING>)",
    "CREATE TABLE lake.s_odd_names (`größe` INT, `a b` INT, `Select` INT, `1st` INT) USING parquet",
    "INSERT INTO lake.s_odd_names VALUES (1, 2, 3, NULL)",
    "CREATE TABLE lake.s_deep (Level1 ARRAY<STRUCT<Level2: MAP<STRING, STRUCT<Level3: ARRAY<INT>>>>>) USING parquet",
    "INSERT INTO lake.s_deep VALUES (array(named_struct('Level2', map('k', named_struct('Level3', array(1, NULL))))))",
    "CREATE TABLE lake.s_bytes (Flag BOOLEAN, Tiny TINYINT, Small SMALLINT, Real FLOAT, Bin BINARY) USING parquet",
    "INSERT INTO lake.s_bytes VALUES (true, 1Y, 2S, 0.5F, X'00ff'), (NULL, NULL, NULL, NULL, NULL)",
    *(
        s
        for f in ("parquet", "orc", "textfile", "sequencefile", "rcfile", "avro")
        for s in _stored_as(f)
    ),
)

_HIVE_COLUMNS = (
    "Id INT, UserName STRING COMMENT 'Who.', price DECIMAL(10,2), home STRUCT<City: STRING, zip: INT>, "
    "tags ARRAY<STRING>, counts MAP<STRING, BIGINT>, born DATE, at TIMESTAMP, flag BOOLEAN, code CHAR(3), short VARCHAR(5)"
)
_SERDES = {
    "lazy_simple": "ROW FORMAT DELIMITED FIELDS TERMINATED BY ','",
    "lazy_binary": "ROW FORMAT SERDE 'org.apache.hadoop.hive.serde2.lazybinary.LazyBinarySerDe' STORED AS SEQUENCEFILE",
    "columnar": "ROW FORMAT SERDE 'org.apache.hadoop.hive.serde2.columnar.ColumnarSerDe' STORED AS RCFILE",
    "json": "ROW FORMAT SERDE 'org.apache.hadoop.hive.serde2.JsonSerDe'",
    "parquet": "STORED AS PARQUET",
    "orc": "STORED AS ORC",
    "avro": "STORED AS AVRO",
}

HIVE_TABLES: tuple[str, ...] = (
    *(f"CREATE TABLE lake.h_{name} ({_HIVE_COLUMNS}) {clause}" for name, clause in _SERDES.items()),
    (
        "CREATE TABLE lake.h_open_csv (Id INT, born DATE, price DECIMAL(10,2), ok BOOLEAN) "
        "ROW FORMAT SERDE 'org.apache.hadoop.hive.serde2.OpenCSVSerde'"
    ),
    (
        "CREATE TABLE lake.h_open_csv_parts (Id INT, price DOUBLE) PARTITIONED BY (day DATE) "
        "ROW FORMAT SERDE 'org.apache.hadoop.hive.serde2.OpenCSVSerde'"
    ),
    (
        "CREATE TABLE lake.h_regex (host STRING, path STRING) ROW FORMAT SERDE 'org.apache.hadoop.hive.serde2.RegexSerDe' "
        "WITH SERDEPROPERTIES ('input.regex' = '(\\\\S+) (\\\\S+)')"
    ),
    (
        "CREATE TABLE lake.h_multi (Id INT, name STRING) ROW FORMAT SERDE "
        "'org.apache.hadoop.hive.serde2.MultiDelimitSerDe' WITH SERDEPROPERTIES ('field.delim' = '||')"
    ),
    "CREATE TABLE lake.h_parts (id INT) PARTITIONED BY (Day DATE, country STRING) STORED AS ORC",
    "CREATE TABLE lake.h_enforced (id INT NOT NULL ENABLE, name STRING, born DATE NOT NULL ENABLE) STORED AS ORC",
    "CREATE TABLE lake.h_disabled (id INT NOT NULL DISABLE NOVALIDATE, name STRING) STORED AS ORC",
    "CREATE TABLE lake.h_keyed (id INT, name STRING, PRIMARY KEY (id) DISABLE NOVALIDATE) STORED AS ORC",
    (
        "CREATE TABLE lake.h_of_schema ROW FORMAT SERDE 'org.apache.hadoop.hive.serde2.avro.AvroSerDe' STORED AS AVRO "
        'TBLPROPERTIES (\'avro.schema.literal\' = \'{"type": "record", "name": "Visit", "fields": ['
        '{"name": "userId", "type": "long"}, {"name": "pageViews", "type": ["null", "int"], "default": null}]}\')'
    ),
    "CREATE TABLE lake.h_blank (x STRUCT<`a b`: INT, c_d: STRING>) STORED AS ORC",
    # Hive 4.0.1 cannot read such columns of the ORC that it writes.
    "CREATE TABLE lake.h_zoned (id INT, at TIMESTAMP WITH LOCAL TIME ZONE)",
    "CREATE TABLE lake.h_as_select STORED AS ORC AS SELECT 1 AS One, 'x' AS txt, CAST(NULL AS DATE) AS dd",
    "CREATE TABLE lake.h_changed (a INT, b STRING) STORED AS PARQUET",
    "ALTER TABLE lake.h_changed CHANGE COLUMN a a2 BIGINT",
    "ALTER TABLE lake.h_changed ADD COLUMNS (c DOUBLE)",
    "CREATE TABLE lake.h_union (u UNIONTYPE<INT, STRING>, id INT) STORED AS ORC",
)

# Hive's answers pad a shorter CHAR, which its Parquet, Avro and LazyBinary files have without blanks.
_HIVE_ROW = (
    "1 AS id, 'Ada' AS name, CAST(1.50 AS DECIMAL(10,2)) AS price, named_struct('City', 'Rome', 'zip', 7) AS home, "
    "array('a', 'b') AS tags, map('k', 1L) AS counts, DATE '2024-02-29' AS born, TIMESTAMP '2024-02-29 12:30:00.123' AS at, "
    "true AS flag, CAST('abc' AS CHAR(3)) AS code, CAST('abc' AS VARCHAR(5)) AS short"
)
HIVE_REQUESTS = "example.org /index\nother.example /a?b\n"
"""What is loaded into ``h_regex``: Hive writes no such files."""
HIVE_ROWS = "\n".join(
    (
        # The second row has nulls. A job for each table would take a second or two.
        "FROM (SELECT n, id, " + ", ".join(
            f"if(n = 1, {name}, NULL) AS {name}" for name in re.findall(r"AS (\w+)(?=,|$)", _HIVE_ROW) if name != "id"
        ) + f" FROM (SELECT {_HIVE_ROW}) one LATERAL VIEW explode(array(1, 2)) two AS n) made",
        *(
            f"INSERT INTO lake.h_{name} SELECT n, name, price, home, tags, counts, born, at, flag, code, short"
            for name in _SERDES
        ),
        "INSERT INTO lake.h_open_csv SELECT n, born, price, flag",
        "INSERT INTO lake.h_open_csv_parts PARTITION (day = '2024-02-29') SELECT n, CAST(price AS DOUBLE)",
        "INSERT INTO lake.h_multi SELECT n, name",
        "INSERT INTO lake.h_parts PARTITION (day = '2024-02-29', country = 'IE') SELECT n",
        "INSERT INTO lake.h_enforced SELECT n, name, DATE '2024-02-29'",
        "INSERT INTO lake.h_disabled SELECT n, name",
        "INSERT INTO lake.h_keyed SELECT n, name",
        "INSERT INTO lake.h_of_schema SELECT CAST(n AS BIGINT), if(n = 1, 3, NULL)",
        "INSERT INTO lake.h_blank SELECT named_struct('a b', n, 'c_d', name)",
        "INSERT INTO lake.h_zoned SELECT n, CAST(at AS TIMESTAMP WITH LOCAL TIME ZONE)",
        "INSERT INTO lake.h_changed SELECT CAST(n AS BIGINT), name, CAST(price AS DOUBLE)",
        "INSERT INTO lake.h_union SELECT if(n = 1, create_union(0, 1, 'a'), create_union(1, 1, 'a')), n",
    )
)  # fmt: skip
"""One statement for all of Hive's tables, but for those that were made with rows."""
HIVE_EXPORTS = {"h_zoned": "id, CAST(at AS TIMESTAMP) AS at"}
"""The columns of a table as Hive writes them to Avro, which has no type for some."""

HIVE_VIEWS: tuple[str, ...] = (
    "CREATE VIEW lake.hv_star AS SELECT * FROM lake.h_orc",
    "CREATE VIEW lake.hv_columns (Who, What) AS SELECT username, price FROM lake.h_parquet",
    "CREATE VIEW lake.hv_partitioned PARTITIONED ON (country) AS SELECT id, day, country FROM lake.h_parts",
    "CREATE VIEW lake.hv_partitioned_named (a, b) PARTITIONED ON (b) AS SELECT id, country FROM lake.h_parts",
    "CREATE VIEW lake.hv_above AS SELECT a, b FROM lake.hv_partitioned_named WHERE a > 1",
    "CREATE VIEW lake.hv_csv AS SELECT id, price, id + 1 AS next FROM lake.h_open_csv",
    "CREATE VIEW lake.hv_blank AS SELECT x.`a b` AS ab FROM lake.h_blank",
    "CREATE VIEW lake.hv_joined AS SELECT l.id, r.name FROM lake.h_parts l LEFT JOIN lake.h_enforced r ON l.id = r.id",
    "CREATE VIEW lake.hv_grouped AS SELECT country, count(*) AS n, sum(id) AS total FROM lake.h_parts GROUP BY country",
    "CREATE VIEW lake.hv_exploded AS SELECT id, tag FROM lake.h_orc LATERAL VIEW explode(tags) t AS tag",
    "CREATE VIEW lake.hv_union AS SELECT id FROM lake.h_orc UNION ALL SELECT id FROM lake.h_parquet",
    "CREATE VIEW lake.hv_struct AS SELECT home.city, home FROM lake.h_json",
    "CREATE VIEW lake.hv_schema AS SELECT userid, pageviews FROM lake.h_of_schema",
    "CREATE VIEW lake.hv_with AS WITH w AS (SELECT id, born FROM lake.h_enforced) SELECT * FROM w",
    "CREATE VIEW lake.hv_unnamed AS SELECT id + 1, upper(username) FROM lake.h_avro",
)

SPARK_VIEWS: tuple[str, ...] = (
    "CREATE VIEW lake.sv_star AS SELECT * FROM lake.s_parquet",
    "CREATE VIEW lake.sv_lower AS SELECT id, username FROM lake.s_parquet",
    "CREATE VIEW lake.sv_qualified AS SELECT T.USERNAME, t.Home FROM lake.s_parquet t",
    "CREATE VIEW lake.sv_alias AS SELECT id AS CustomerId, Price AS price FROM lake.s_parquet",
    "CREATE VIEW lake.sv_columns (First, second) AS SELECT Id, UserName FROM lake.s_orc",
    "CREATE VIEW lake.sv_struct AS SELECT home.*, home.CITY AS Town FROM lake.s_parquet",
    "CREATE VIEW lake.sv_field AS SELECT home.zipcode, HOME.City FROM lake.s_parquet",
    "CREATE VIEW lake.sv_except AS SELECT * EXCEPT (home, TAGS) FROM lake.s_parquet",
    "CREATE VIEW lake.sv_using AS SELECT * FROM lake.s_parquet_parts JOIN lake.s_bucketed b ON ID = b.userid",
    "CREATE VIEW lake.sv_using_id AS SELECT * FROM lake.s_defaults JOIN lake.s_evolved e USING (ID) WHERE e.name IS NOT NULL".replace(
        "SELECT *", "SELECT id, s_defaults.NAME, Day, MoreOfIt"
    ),
    "CREATE VIEW lake.sv_union AS SELECT Id FROM lake.s_parquet UNION SELECT userid FROM lake.s_bucketed",
    "CREATE VIEW lake.sv_parts AS SELECT eventday, COUNTRY, Amount FROM lake.s_orc_parts",
    "CREATE VIEW lake.sv_explode AS SELECT id, Tag FROM lake.s_parquet LATERAL VIEW explode(tags) AS Tag",
    "CREATE VIEW lake.sv_inline AS SELECT explode(Level1) AS Level FROM lake.s_deep",
    "CREATE VIEW lake.sv_grouped AS SELECT Country, count(*) AS N, max(Amount) AS Most FROM lake.s_parquet_parts GROUP BY country",
    "CREATE VIEW lake.sv_window AS SELECT id, row_number() OVER (ORDER BY id) AS Rank FROM lake.s_json",
    "CREATE VIEW lake.sv_with AS WITH W AS (SELECT Id AS Key, username FROM lake.s_csv) SELECT KEY, UserName FROM w",
    "CREATE VIEW lake.sv_outer AS SELECT a.Id, b.Name FROM lake.s_json a LEFT JOIN lake.s_bucketed b ON a.id = b.UserId",
    "CREATE VIEW lake.sv_above AS SELECT * FROM lake.sv_star",
    "CREATE VIEW lake.sv_of_hive AS SELECT Id, USERNAME, home.CITY FROM lake.h_parquet",
    "CREATE VIEW lake.sv_of_csv AS SELECT id, price FROM lake.h_open_csv",
    "CREATE VIEW lake.sv_of_text AS SELECT * FROM lake.s_text",
    "CREATE VIEW lake.sv_case AS SELECT CASE WHEN Id > 1 THEN Price END AS Chosen, Id IS NULL AS Missing FROM lake.s_xml",
    "CREATE VIEW lake.sv_odd AS SELECT `GRÖSSE`, `A B` FROM (SELECT `größe` AS `GRÖSSE`, `a b` FROM lake.s_odd_names)",
    "CREATE VIEW lake.sv_of_delta AS SELECT ID, home.CITY, Renamed FROM lake.d_changed",
)

DELTA_TABLES: tuple[str, ...] = (
    (
        "CREATE TABLE lake.d_plain (Id BIGINT NOT NULL, UserName STRING COMMENT 'Who.', Price DECIMAL(10,2), "
        "Home STRUCT<City: STRING NOT NULL, zipCode: INT>, Tags ARRAY<STRING>, Counts MAP<STRING, BIGINT>, "
        "Born DATE, At TIMESTAMP, Local TIMESTAMP_NTZ) USING delta"
    ),
    (
        "INSERT INTO lake.d_plain VALUES (1, 'Ada', 1.50, named_struct('City', 'Rome', 'zipCode', 7), array('a', NULL), "
        "map('k', 1L), DATE '2024-02-29', TIMESTAMP '2024-02-29 12:30:00.123456', TIMESTAMP_NTZ '2024-02-29 12:30:00.5'), "
        "(2, NULL, NULL, named_struct('City', 'Bari', 'zipCode', NULL), NULL, NULL, NULL, NULL, NULL)"
    ),
    "CREATE TABLE lake.d_parts (Id INT, Country STRING) USING delta PARTITIONED BY (Country)",
    "INSERT INTO lake.d_parts VALUES (1, 'IE'), (2, NULL)",
    "CREATE TABLE lake.d_generated (Id INT, Next BIGINT GENERATED ALWAYS AS (CAST(Id AS BIGINT) + 1)) USING delta",
    "INSERT INTO lake.d_generated (Id) VALUES (1)",
    (
        "CREATE TABLE lake.d_changed (ID INT, Old STRING, Home STRUCT<City: STRING>) USING delta "
        "TBLPROPERTIES ('delta.columnMapping.mode' = 'name')"
    ),
    "ALTER TABLE lake.d_changed RENAME COLUMN Old TO Renamed",
    "ALTER TABLE lake.d_changed ADD COLUMN (Home.Street STRING, More DOUBLE)",
    "INSERT INTO lake.d_changed VALUES (1, 'x', named_struct('City', 'Rome', 'Street', 'Via'), 0.5)",
    "CREATE TABLE lake.d_clustered (Id INT, Amount INT) USING delta CLUSTER BY (Id)",
    "INSERT INTO lake.d_clustered VALUES (1, 2), (2, NULL)",
)


def created(statements: Iterable[str]) -> list[str]:
    """The names of the tables or views that the statements create."""
    found = (re.match(r"CREATE (?:TABLE|VIEW) lake\.(\w+)", each) for each in statements)
    return [match[1] for match in found if match]


def formats(tables: Iterable[str]) -> dict[str, str]:
    """By table: its format, or the name of its SerDe; of Hive's own text, "delimited"."""
    made = [each for each in tables if each.startswith("CREATE TABLE")]
    return dict(zip(created(made), map(_format, made), strict=True))


def _format(table: str) -> str:
    if "UNIONTYPE" in table:
        # Python's readers of such files give unions in another form than a package takes.
        return "unions"
    found = re.search(r"(?:USING|STORED AS) (\w+)", table) or re.search(r"\.(\w+)'", table)
    return found[1].lower() if found else "delimited"
