"""The SerDe for each storage format, by Hive's name and by Spark's."""

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
"""SerDes by ``STORED AS`` format, in upper case."""

PROVIDER = "spark.sql.sources.provider"
DEFAULT_PROVIDER = "parquet"
"""Spark 4's provider for a table that names no format (``spark.sql.sources.default``)."""

SPARK_SERDES = {
    "parquet": HIVE_SERDES["PARQUET"],
    "orc": HIVE_SERDES["ORC"],
    "avro": HIVE_SERDES["AVRO"],
    "textfile": LAZY_SIMPLE_SERDE,
    "sequencefile": LAZY_SIMPLE_SERDE,
    "rcfile": HIVE_SERDES["RCFILE"],
}
"""The SerDes that Spark records (``HiveSerDe``), by ``USING`` provider in lower case."""
