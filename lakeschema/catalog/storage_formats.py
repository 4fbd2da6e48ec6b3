"""Which SerDe a storage format means, in Hive's words and in Spark's."""

from __future__ import annotations

LAZY_SIMPLE_SERDE = "org.apache.hadoop.hive.serde2.lazy.LazySimpleSerDe"

HIVE_SERDES = {
    "TEXTFILE": LAZY_SIMPLE_SERDE,
    "SEQUENCEFILE": LAZY_SIMPLE_SERDE,
    "RCFILE": "org.apache.hadoop.hive.serde2.columnar.LazyBinaryColumnarSerDe",
    "ORC": "org.apache.hadoop.hive.ql.io.orc.OrcSerde",
    "ORCFILE": "org.apache.hadoop.hive.ql.io.orc.OrcSerde",
    "PARQUET": "org.apache.hadoop.hive.ql.io.parquet.serde.ParquetHiveSerDe",
    "PARQUETFILE": "org.apache.hadoop.hive.ql.io.parquet.serde.ParquetHiveSerDe",
    "AVRO": "org.apache.hadoop.hive.serde2.avro.AvroSerDe",
    "AVROFILE": "org.apache.hadoop.hive.serde2.avro.AvroSerDe",
    "JSONFILE": "org.apache.hadoop.hive.serde2.JsonSerDe",
}
"""``STORED AS`` format, upper-cased, to SerDe."""

PROVIDER = "spark.sql.sources.provider"
DEFAULT_PROVIDER = "parquet"
"""What Spark 4 makes of a table that names no format (``spark.sql.sources.default``)."""

SPARK_SERDES = {
    "parquet": HIVE_SERDES["PARQUET"],
    "orc": HIVE_SERDES["ORC"],
    "avro": HIVE_SERDES["AVRO"],
    "textfile": LAZY_SIMPLE_SERDE,
    "sequencefile": LAZY_SIMPLE_SERDE,
    "rcfile": HIVE_SERDES["RCFILE"],
}
"""``USING`` provider, lower-cased, to the SerDe that Spark records for it (``HiveSerDe``)."""
