"""Every form of ALTER, and the engine's table after it; ``SAME``: the table before it.

Spark's forms are those that the parser of Spark 4.3 reads. Its columns are those of a Delta table (4.4) after
the statement; if Delta refuses the form, those that the form asks for. Hive's columns are those of DESCRIBE in
Hive 4.0.1, or SAME if its settings or the table refuse the form. Other forms come from documentation.
"""

from __future__ import annotations

SAME = ""

SPARK_TABLE = """CREATE TABLE t (
  a int, b string, c struct<x:int,y:int>, arr array<struct<w:int>>, m map<string,struct<v:int>>
) USING delta"""

_REST = "arr array<struct<w:int>>, m map<string,struct<v:int>>"

SPARK = (
    # Columns.
    ("ALTER TABLE t ADD COLUMN age INT, d DATE", f"a int, b string, c struct<x:int,y:int>, {_REST}, age int, d date"),
    ("ALTER TABLE t ADD COLUMNS age INT COMMENT 'x', d DATE AFTER a", f"a int, d date, b string, c struct<x:int,y:int>, {_REST}, age int 'x'"),
    ("ALTER TABLE t ADD COLUMN (age INT)", f"a int, b string, c struct<x:int,y:int>, {_REST}, age int"),
    ("ALTER TABLE t ADD COLUMN d int DEFAULT 5", f"a int, b string, c struct<x:int,y:int>, {_REST}, d int"),
    ("ALTER TABLE IDENTIFIER('t') ADD COLUMN z int", f"a int, b string, c struct<x:int,y:int>, {_REST}, z int"),
    ("ALTER TABLE t RENAME COLUMN a TO aa", f"aa int, b string, c struct<x:int,y:int>, {_REST}"),
    ("ALTER TABLE t DROP COLUMN IF EXISTS nope", SAME),
    ("ALTER TABLE t DROP COLUMNS a, b", f"c struct<x:int,y:int>, {_REST}"),
    ("ALTER TABLE t ALTER COLUMN a TYPE bigint, b COMMENT 'x'", f"a bigint, b string 'x', c struct<x:int,y:int>, {_REST}"),
    ("ALTER TABLE t ALTER COLUMN a FIRST, b AFTER c", f"a int, c struct<x:int,y:int>, b string, {_REST}"),
    ("ALTER TABLE t ALTER COLUMN a SET DEFAULT 1, b COMMENT 'y'", f"a int, b string 'y', c struct<x:int,y:int>, {_REST}"),
    ("ALTER TABLE t ALTER COLUMN a SET DEFAULT 3", SAME),
    ("ALTER TABLE t ALTER COLUMN a DROP DEFAULT", SAME),
    ("ALTER TABLE t ALTER COLUMN a DROP NOT NULL", SAME),
    ("ALTER TABLE t ALTER COLUMN a SET NOT NULL", f"a int!, b string, c struct<x:int,y:int>, {_REST}"),
    ("ALTER TABLE t ALTER COLUMN b TYPE STRING COLLATE UTF8_LCASE", SAME),
    ("ALTER TABLE t CHANGE COLUMN a TYPE bigint", f"a bigint, b string, c struct<x:int,y:int>, {_REST}"),
    ("ALTER TABLE t CHANGE a a bigint COMMENT 'n' FIRST", f"a bigint 'n', b string, c struct<x:int,y:int>, {_REST}"),
    ("ALTER TABLE t REPLACE COLUMNS (a int, z date)", "a int, z date"),
    ("COMMENT ON COLUMN t.a IS 'x'", f"a int 'x', b string, c struct<x:int,y:int>, {_REST}"),
    # Fields within columns.
    ("ALTER TABLE t ADD COLUMN c.z int", f"a int, b string, c struct<x:int,y:int,z:int>, {_REST}"),
    ("ALTER TABLE t ADD COLUMNS (c.z int COMMENT 'n' AFTER x)", f"a int, b string, c struct<x:int,z:int,y:int>, {_REST}"),
    ("ALTER TABLE t ADD COLUMN c.z int FIRST", f"a int, b string, c struct<z:int,x:int,y:int>, {_REST}"),
    ("ALTER TABLE t ADD COLUMN arr.element.z int", "a int, b string, c struct<x:int,y:int>, arr array<struct<w:int,z:int>>, m map<string,struct<v:int>>"),
    ("ALTER TABLE t ADD COLUMN m.value.z int", "a int, b string, c struct<x:int,y:int>, arr array<struct<w:int>>, m map<string,struct<v:int,z:int>>"),
    ("ALTER TABLE t RENAME COLUMN c.x TO xx", f"a int, b string, c struct<xx:int,y:int>, {_REST}"),
    ("ALTER TABLE t RENAME COLUMN arr.element.w TO ww", "a int, b string, c struct<x:int,y:int>, arr array<struct<ww:int>>, m map<string,struct<v:int>>"),
    ("ALTER TABLE t DROP COLUMN c.x", f"a int, b string, c struct<y:int>, {_REST}"),
    ("ALTER TABLE t DROP COLUMNS (c.x, b)", f"a int, c struct<y:int>, {_REST}"),
    ("ALTER TABLE t DROP COLUMNS IF EXISTS (c.nope, b)", f"a int, c struct<x:int,y:int>, {_REST}"),
    ("ALTER TABLE t ALTER COLUMN c.y TYPE bigint", f"a int, b string, c struct<x:int,y:bigint>, {_REST}"),
    ("ALTER TABLE t ALTER COLUMN c.y FIRST", f"a int, b string, c struct<y:int,x:int>, {_REST}"),
    ("ALTER TABLE t ALTER COLUMN c.x AFTER y", f"a int, b string, c struct<y:int,x:int>, {_REST}"),
    ("ALTER TABLE t ALTER COLUMN arr.element.w TYPE bigint", "a int, b string, c struct<x:int,y:int>, arr array<struct<w:bigint>>, m map<string,struct<v:int>>"),
    ("ALTER TABLE t ALTER COLUMN m.key TYPE string", SAME),
    ("ALTER TABLE t CHANGE COLUMN c.x x bigint COMMENT 'n' AFTER y", f"a int, b string, c struct<y:int,x:bigint>, {_REST}"),
    # Properties.
    ("ALTER TABLE t SET TBLPROPERTIES ('k'='v')", SAME),
    ("ALTER TABLE t UNSET TBLPROPERTIES IF EXISTS ('k')", SAME),
    ("ALTER TABLE t SET SERDE 'x' WITH SERDEPROPERTIES ('k'='v')", SAME),
    ("ALTER TABLE t SET SERDEPROPERTIES ('k'='v')", SAME),
    ("COMMENT ON TABLE t IS 'x'", SAME),
    ("COMMENT ON TABLE t IS NULL", SAME),
    # What changes no column.
    ("ALTER TABLE t ADD CONSTRAINT pos CHECK (a > 0)", SAME),
    ("ALTER TABLE t ADD CHECK (a > 0)", SAME),
    ("ALTER TABLE t ADD PRIMARY KEY (a)", SAME),
    ("ALTER TABLE t ADD CONSTRAINT k UNIQUE (a)", SAME),
    ("ALTER TABLE t ADD CONSTRAINT k FOREIGN KEY (a) REFERENCES u (a)", SAME),
    ("ALTER TABLE t DROP CONSTRAINT IF EXISTS k CASCADE", SAME),
    ("ALTER TABLE t CLUSTER BY (a)", SAME),
    ("ALTER TABLE t CLUSTER BY NONE", SAME),
    ("ALTER TABLE t RECOVER PARTITIONS", SAME),
    ("ALTER TABLE t SET LOCATION '/x'", SAME),
    ("ALTER TABLE t PARTITION (a=1) SET LOCATION '/x'", SAME),
    ("ALTER TABLE t PARTITION (a=1) RENAME TO PARTITION (a=2)", SAME),
    ("ALTER TABLE t PARTITION (a=1) SET SERDEPROPERTIES ('k'='v')", SAME),
    ("ALTER TABLE t ADD IF NOT EXISTS PARTITION (a=1) PARTITION (a=2) LOCATION '/x'", SAME),
    ("ALTER TABLE t ADD PARTITION (a=1)", SAME),
    ("ALTER TABLE t DROP IF EXISTS PARTITION (a=1), PARTITION (a=2) PURGE", SAME),
    ("ALTER TABLE t DEFAULT COLLATION UTF8_LCASE", SAME),
    ("ALTER DATABASE default SET DBPROPERTIES ('a'='b')", SAME),
    ("ALTER DATABASE default UNSET DBPROPERTIES ('a')", SAME),
    ("ALTER NAMESPACE default SET LOCATION 'x'", SAME),
    ("TRUNCATE TABLE t", SAME),
)  # fmt: skip

HIVE_TABLE = "CREATE TABLE t (a int COMMENT 'ca', b string) PARTITIONED BY (p string)"

HIVE = (
    # Columns.
    ("ALTER TABLE t ADD COLUMNS (z int)", "a int 'ca', b string, z int, p string"),
    ("ALTER TABLE t ADD COLUMNS (z int COMMENT 'c', y date) CASCADE", "a int 'ca', b string, z int 'c', y date, p string"),
    ("ALTER TABLE t ADD COLUMNS (z int) RESTRICT", "a int 'ca', b string, z int, p string"),
    ("ALTER TABLE t REPLACE COLUMNS (z int)", "z int, p string"),
    ("ALTER TABLE t REPLACE COLUMNS (a int) CASCADE", "a int, p string"),
    ("ALTER TABLE t CHANGE a a bigint", "a bigint 'ca', b string, p string"),
    ("ALTER TABLE t CHANGE a aa bigint", "aa bigint 'ca', b string, p string"),
    ("ALTER TABLE t CHANGE a type int", "type int 'ca', b string, p string"),
    ("ALTER TABLE t CHANGE a comment int", "comment int 'ca', b string, p string"),
    ("ALTER TABLE t CHANGE a first bigint", "first bigint 'ca', b string, p string"),
    ("ALTER TABLE t CHANGE a a int COMMENT ''", "a int, b string, p string"),
    ("ALTER TABLE t PARTITION COLUMN (p int)", "a int 'ca', b string, p int"),
    ("ALTER TABLE t PARTITION COLUMN (p int COMMENT 'x')", "a int 'ca', b string, p int 'x'"),
    # Formats and properties.
    ("ALTER TABLE t SET FILEFORMAT ORC", SAME),
    ("ALTER TABLE t SET SERDEPROPERTIES ('k'='v')", SAME),
    ("ALTER TABLE t UNSET SERDEPROPERTIES ('k')", SAME),
    ("ALTER TABLE t SET TBLPROPERTIES ('k'='v')", SAME),
    ("ALTER TABLE t UNSET TBLPROPERTIES IF EXISTS ('k')", SAME),
    # A partition's own columns and format are not the table's.
    ("ALTER TABLE t PARTITION (p='1') ADD COLUMNS (z int)", SAME),
    ("ALTER TABLE t PARTITION (p='1') REPLACE COLUMNS (z int)", SAME),
    ("ALTER TABLE t PARTITION (p='1') CHANGE a aa bigint", SAME),
    ("ALTER TABLE t PARTITION (p='1') RENAME TO PARTITION (p='2')", SAME),
    ("ALTER TABLE t PARTITION (p='1') SET FILEFORMAT ORC", SAME),
    ("ALTER TABLE t PARTITION (p='1') SET SERDE 'org.apache.hadoop.hive.serde2.OpenCSVSerde'", SAME),
    # What changes no column.
    ("ALTER TABLE t UPDATE COLUMNS CASCADE", SAME),
    ("ALTER TABLE t UPDATE STATISTICS SET ('numRows'='4')", SAME),
    ("ALTER TABLE t UPDATE STATISTICS FOR COLUMN a SET ('numDVs'='4')", SAME),
    ("ALTER TABLE t ADD CONSTRAINT k PRIMARY KEY (a) DISABLE NOVALIDATE", SAME),
    ("ALTER TABLE t ADD CONSTRAINT k UNIQUE (a) DISABLE NOVALIDATE", SAME),
    ("ALTER TABLE t ADD CONSTRAINT k CHECK (a > 0) ENABLE", SAME),
    ("ALTER TABLE t ADD PARTITION (p='3') LOCATION '/tmp/x' PARTITION (p='4')", SAME),
    ("ALTER TABLE t ADD IF NOT EXISTS PARTITION (p='1')", SAME),
    ("ALTER TABLE t DROP IF EXISTS PARTITION (p='7')", SAME),
    ("ALTER TABLE t EXCHANGE PARTITION (p='1') WITH TABLE s", SAME),
    ("ALTER TABLE t TOUCH", SAME),
    ("ALTER TABLE t TOUCH PARTITION (p='1')", SAME),
    ("ALTER TABLE t ARCHIVE PARTITION (p='1')", SAME),
    ("ALTER TABLE t UNARCHIVE PARTITION (p='1')", SAME),
    ("ALTER TABLE t COMPACT 'major' AND WAIT", SAME),
    ("ALTER TABLE t PARTITION (p='1') COMPACT 'minor'", SAME),
    ("ALTER TABLE t CONCATENATE", SAME),
    ("ALTER TABLE t SKEWED BY (a) ON (1, 2) STORED AS DIRECTORIES", SAME),
    ("ALTER TABLE t NOT SKEWED", SAME),
    ("ALTER TABLE t NOT STORED AS DIRECTORIES", SAME),
    ("ALTER TABLE t SET SKEWED LOCATION (1='/tmp/x')", SAME),
    ("ALTER TABLE t CLUSTERED BY (a) SORTED BY (b) INTO 4 BUCKETS", SAME),
    ("ALTER TABLE t NOT CLUSTERED", SAME),
    ("ALTER TABLE t NOT SORTED", SAME),
    ("ALTER TABLE t INTO 8 BUCKETS", SAME),
    ("ALTER TABLE t SET LOCATION '/tmp/x'", SAME),
    ("ALTER TABLE t SET OWNER USER x", SAME),
    ("ALTER TABLE t SET PARTITION SPEC (bucket(4, a))", SAME),
    ("ALTER TABLE t CREATE BRANCH b1", SAME),
    ("ALTER TABLE t DROP BRANCH IF EXISTS b1", SAME),
    ("ALTER TABLE t EXECUTE ROLLBACK(5)", SAME),
    ("ALTER TABLE t EXECUTE EXPIRE_SNAPSHOTS('2020-01-01')", SAME),
    ("ALTER TABLE t CONVERT TO ICEBERG", SAME),
    ("ALTER DATABASE default SET OWNER USER x", SAME),
    ("ALTER SCHEMA default SET MANAGEDLOCATION 'file:/tmp/y'", SAME),
    ("TRUNCATE TABLE t", SAME),
)  # fmt: skip

OTHERS = (
    # Iceberg's for Spark.
    "ALTER TABLE t WRITE ORDERED BY a DESC NULLS LAST, b",
    "ALTER TABLE t WRITE DISTRIBUTED BY PARTITION LOCALLY ORDERED BY a",
    "ALTER TABLE t WRITE UNORDERED",
    "ALTER TABLE t SET IDENTIFIER FIELDS a, b",
    "ALTER TABLE t DROP IDENTIFIER FIELDS a",
    "ALTER TABLE t ADD PARTITION FIELD bucket(16, a) AS shard",
    "ALTER TABLE t DROP PARTITION FIELD shard",
    "ALTER TABLE t REPLACE PARTITION FIELD ts_day WITH days(ts)",
    "ALTER TABLE t CREATE OR REPLACE BRANCH IF NOT EXISTS x AS OF VERSION 3 RETAIN 7 DAYS",
    "ALTER TABLE t DROP TAG IF EXISTS x",
    "CALL spark_catalog.system.rollback_to_snapshot('db.t', 1)",
    # Delta's and Databricks'.
    "CONVERT TO DELTA t",
    "ALTER TABLE t DROP FEATURE deletionVectors TRUNCATE HISTORY",
    "ALTER TABLE t ALTER COLUMN a SYNC IDENTITY",
    "ALTER TABLE t ALTER COLUMN a SET MASK d.mask USING COLUMNS (b, 'x')",
    "ALTER TABLE t ALTER COLUMN a DROP MASK",
    "ALTER TABLE t ALTER COLUMN a SET TAGS ('x' = 'y')",
    "ALTER TABLE t ALTER COLUMN a UNSET TAGS ('x')",
    "ALTER TABLE t SET TAGS ('x' = 'y')",
    "ALTER TABLE t UNSET TAGS ('x')",
    "ALTER TABLE t SET ROW FILTER d.f ON (a)",
    "ALTER TABLE t DROP ROW FILTER",
    "ALTER TABLE t OWNER TO `someone`",
    "ALTER TABLE t ENABLE PREDICTIVE OPTIMIZATION",
    "OPTIMIZE t ZORDER BY (a)",
    "VACUUM t RETAIN 7 HOURS",
    "REORG TABLE t APPLY (PURGE)",
    "FSCK REPAIR TABLE t",
    # Those of a later Hive.
    "ALTER TABLE t CREATE OR REPLACE TAG t1",
    "ALTER TABLE t RENAME BRANCH b1 TO b2",
    "ALTER TABLE t REPLACE TAG t1 AS OF SYSTEM_VERSION 5",
    # Trino's.
    "ALTER TABLE t SET PROPERTIES format_version = 2",
    "ALTER TABLE t SET AUTHORIZATION ROLE x",
    "ALTER TABLE t EXECUTE optimize(file_size_threshold => '10MB')",
    "ALTER TABLE IF EXISTS nowhere ADD COLUMN z int",
    "ALTER MATERIALIZED VIEW IF EXISTS nowhere RENAME TO z",
    "DROP BRANCH IF EXISTS b FROM t",
)
"""Forms that change no column."""

UNKNOWN = (
    ("ALTER TABLE t NONSENSE", "NONSENSE"),
    ("ALTER TABLE t SET NONSENSE", "NONSENSE"),
    ("ALTER TABLE t ALTER COLUMN a NONSENSE", "NONSENSE"),
    ("ALTER TABLE t ADD COLUMN z int NONSENSE", "NONSENSE"),
    ("ALTER TABLE t ADD COLUMN z", "type"),
    ("ALTER TABLE t RENAME COLUMN a", "TO"),
    ("ALTER TABLE t SET FILEFORMAT NONSENSE", "NONSENSE"),
    ("ALTER TABLE t DROP COLUMN nope", "nope"),
    ("ALTER TABLE t ADD COLUMN a.z int", "int is not a struct"),
    ("ALTER TABLE t ADD COLUMN c.nope.z int", "c.nope"),
    ("ALTER TABLE t ADD COLUMN c.x int", "two fields named x"),
    ("ALTER TABLE t RENAME COLUMN arr.element TO x", "not a struct"),
    ("ALTER TABLE t ADD COLUMN a int", "two columns named a"),
    ("ALTER VIEW t AS SELECT 1", "not a view"),
    ("COMMENT ON COLUMN t.nope IS 'x'", "nope"),
    ("RESTORE TABLE t TO VERSION AS OF 3", "another version"),
    ("INSERT WITH SCHEMA EVOLUTION INTO t SELECT 1 AS q", "SCHEMA EVOLUTION"),
    ("MERGE WITH SCHEMA EVOLUTION INTO t USING s ON t.a = s.a WHEN MATCHED THEN UPDATE SET *", "SCHEMA EVOLUTION"),
    ("DROP TABLE t NONSENSE", "NONSENSE"),
)  # fmt: skip
"""Forms that leave a table not current, and what its reason names."""
