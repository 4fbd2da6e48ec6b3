"""Views that Hive stores in a special way, and the columns of ``SELECT *`` from each.

Hive 4.0.1 was asked; the integration tests ask again, and also read each view from Hive's metastore.
"""

from __future__ import annotations

from typing import Final

from lakeschema.catalog.identifiers import RelationName

DATABASE: Final = "kept"
TABLES: Final = (
    f"CREATE DATABASE {DATABASE}",
    f"CREATE TABLE {DATABASE}.t (a INT, b STRING, c DOUBLE) STORED AS ORC",
    (
        f"CREATE TABLE {DATABASE}.odd (x STRUCT<`a b`:INT, `not null`:ARRAY<STRUCT<`c  d`:STRING,"
        " `e.f$`:DATE>>>, y TIMESTAMPLOCALTZ) STORED AS ORC"
    ),
)
_PARTS: Final = "SELECT a, b, c FROM kept.t"
VIEWS: Final = {
    f"VIEW {{}} PARTITIONED ON (c) AS {_PARTS}": "a int, b string, c double",
    f"VIEW {{}} PARTITIONED ON (b, c) AS {_PARTS}": "a int, b string, c double",
    f"VIEW {{}} (x, y, Z) PARTITIONED ON (z) AS {_PARTS}": "x int, y string, z double",
    "VIEW {} (x COMMENT 'x', y COMMENT 'y') COMMENT 'v' PARTITIONED ON (y) TBLPROPERTIES ('p'='q')"
    " AS SELECT a, b FROM kept.t": "x int, y string",
    "VIEW {} AS SELECT * FROM kept.v0": "a int, b string, c double",
    "VIEW {} AS SELECT z, x FROM kept.v2": "z double, x int",
    f"MATERIALIZED VIEW {{}} DISABLE REWRITE PARTITIONED ON (a) AS {_PARTS}": (
        "b string, c double, a int"
    ),
    f"MATERIALIZED VIEW {{}} DISABLE REWRITE PARTITIONED ON (c, a) AS {_PARTS}": (
        "b string, c double, a int"
    ),
    "MATERIALIZED VIEW {} DISABLE REWRITE PARTITIONED ON (Kk) AS"
    " SELECT a AS Kk, b AS Jj, t.* FROM kept.t": "jj string, a int, b string, c double, kk int",
    f"MATERIALIZED VIEW {{}} DISABLE REWRITE COMMENT 'v' CLUSTERED ON (a) AS {_PARTS}": (
        "a int, b string, c double"
    ),
    f"MATERIALIZED VIEW {{}} DISABLE REWRITE DISTRIBUTED ON (a) SORTED ON (b) AS {_PARTS}": (
        "a int, b string, c double"
    ),
    "MATERIALIZED VIEW IF NOT EXISTS {} DISABLE REWRITE PARTITIONED ON (b) CLUSTERED ON (a)"
    f" STORED AS ORC TBLPROPERTIES ('p'='q') AS {_PARTS}": "a int, c double, b string",
    "MATERIALIZED VIEW {} DISABLE REWRITE ROW FORMAT DELIMITED FIELDS TERMINATED BY ','"
    f" STORED AS TEXTFILE AS {_PARTS}": "a int, b string, c double",
    "MATERIALIZED VIEW {} DISABLE REWRITE"
    " ROW FORMAT SERDE 'org.apache.hadoop.hive.ql.io.orc.OrcSerde' STORED AS"
    " INPUTFORMAT 'org.apache.hadoop.hive.ql.io.orc.OrcInputFormat'"
    f" OUTPUTFORMAT 'org.apache.hadoop.hive.ql.io.orc.OrcOutputFormat' AS {_PARTS}": (
        "a int, b string, c double"
    ),
    "VIEW {} AS SELECT x.`a b` ab, x.`not null`[0].`c  d`, x, y FROM kept.odd": (
        "ab int, c  d string, x struct<a b:int,not null:array<struct<c  d:string,e.f$:date>>>,"
        " y timestamp with local time zone"
    ),
    "VIEW {} AS SELECT `not null`, CAST(y AS DATE) d, CAST(d AS TIMESTAMPLOCALTZ) e FROM"
    " (SELECT x.`not null`, y, DATE '2020-01-01' d FROM kept.odd) q": (
        "not null array<struct<c  d:string,e.f$:date>>, d date, e timestamp with local time zone"
    ),
}
"""The statement behind CREATE, without the view's name; view number n is called ``kept.vn``."""


def name_of(number: int) -> RelationName:
    return RelationName.of(DATABASE, f"v{number}")


def statements() -> list[str]:
    made = (f"CREATE {text.format(name_of(number))}" for number, text in enumerate(VIEWS))
    return [*TABLES, *made]
