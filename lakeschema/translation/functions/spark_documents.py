"""Spark's functions of JSON, CSV, XML and Avro texts (Spark 4.3)."""

from __future__ import annotations

from typing import Final

from lakeschema.translation.functions.signature import NEVER, PARTIAL, TOTAL, Row

# fmt: off
ROWS: Final = (
    Row("from_json from_xml", "string, any, any?", "@of_schema", PARTIAL),
    Row("from_csv", "string, any, any?", "@of_schema", TOTAL),
    Row("to_json to_csv to_xml", "any, any?", "string", PARTIAL),
    Row("schema_of_json schema_of_csv schema_of_xml", "string, any?", "string", NEVER),
    Row("json_array_length", "string", "int", PARTIAL),
    Row("json_object_keys", "string", "array<string>", PARTIAL),
    Row("from_avro", "any, string, any?", "@of_avro_schema", PARTIAL),
    Row("to_avro", "any, string?", "@in_avro", TOTAL),
    Row("schema_of_avro", "string, any?", "string", NEVER),
    Row("to_protobuf", "any, string, any?, any?", "binary", PARTIAL),
)
# fmt: on
