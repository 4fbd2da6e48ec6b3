"""Spark's functions of Avro with literal schemas: the meaning of each schema and option in Spark."""

from __future__ import annotations

import json
from typing import Any, Final


def _logical(kind: str, name: str, **other: Any) -> dict[str, Any]:
    return {"type": kind, "logicalType": name, **other}


def _fixed(size: int, **other: Any) -> dict[str, Any]:
    return {"type": "fixed", "name": "F", "size": size, **other}


def _record(*fields: Any, name: str = "r") -> dict[str, Any]:
    named = [{"name": f"f{number}", "type": field} for number, field in enumerate(fields)]
    return {"type": "record", "name": name, "fields": named}


def _written_by_spark(kind: str, type_: str, **other: Any) -> dict[str, Any]:
    return {"type": kind, "spark.sql.catalyst.type": type_, **other}


_ENUM: Final = {"type": "enum", "name": "E", "symbols": ["A", "B"]}
_INNER: Final = {
    "type": "record",
    "name": "Inner",
    "namespace": "org.example",
    "fields": [{"name": "Amount", "type": "long", "doc": "of money", "default": 5}],
}
_RECORD: Final = _record(
    *("int", ["null", "string"], {"type": "array", "items": "int"}, ["int", "string"], _ENUM, "E"),
    *(_INNER, ["org.example.Inner", "null"]),
)
_RECURSIVE: Final = _record("int", ["null", "r"], {"type": "array", "items": ["null", "r"]})

SCHEMAS: Final = (
    *("null", "boolean", "int", "long", "float", "double", "bytes", "string"),
    *(
        ["null", "int"],
        ["int", "null"],
        ["null"],
        ["string"],
        ["int", "long"],
        ["long", "int", "null"],
    ),
    *(["float", "double"], ["int", "string"], ["int", "null", "string"], ["int", "long", "string"]),
    *(["null", _logical("int", "date"), "long"], ["int", "float"], [_ENUM, "string"]),
    *(_logical("int", name) for name in ("date", "time-millis", "unknown")),
    *(_logical("long", name) for name in ("time-micros", "timestamp-millis", "timestamp-micros")),
    *(_logical("long", f"local-timestamp-{unit}") for unit in ("millis", "micros")),
    *(_logical("long", name) for name in ("timestamp-nanos", "local-timestamp-nanos", "date")),
    *(_logical("string", "uuid"), _logical("bytes", "big-decimal")),
    *(_logical("bytes", "decimal", precision=p, scale=2) for p in (9, 38, 50)),
    *(_logical("bytes", "decimal", precision=5), _logical("string", "decimal", precision=5)),
    *(_fixed(4), _fixed(12, logicalType="duration"), _fixed(16, logicalType="uuid")),
    *(_fixed(size, logicalType="decimal", precision=10, scale=3) for size in (8, 2)),
    *(
        {"type": "array", "items": items}
        for items in ("int", ["null", "int"], ["int", "string"], _ENUM)
    ),
    *({"type": "map", "values": values} for values in ("int", ["null", "int"], _INNER)),
    *(_record(), _RECORD, _record(_INNER, ["null", "org.example.Inner"]), _RECURSIVE),
    # What Spark writes beside numbers that were intervals and times.
    *(_logical("int", "x", **{"spark.sql.catalyst.type": "interval year to month"}),),
    *(_logical("long", "x", **{"spark.sql.catalyst.type": "interval day to second"}),),
    *(_logical("long", "time-micros", **{"spark.sql.catalyst.type": "time(3)"}),),
    *(_logical("string", "x", **{"spark.sql.catalyst.type": "varchar(5)"}),),
    *(
        _written_by_spark(kind, type_)
        for kind, type_ in (
            *(
                ("long", "timestamp"),
                ("int", "smallint"),
                ("long", "string"),
                ("int", "time(3)"),
                ("int", "nothing"),
            ),
            *(("long", "struct<a:int>"), ("long", "decimal(3,1)"), ("double", "float")),
        )
    ),
    *(
        _written_by_spark(kind, "interval day to second", logicalType=name)
        for kind, name in (
            *(
                ("int", "date"),
                ("long", "timestamp-micros"),
                ("long", "time-micros"),
                ("long", "local-timestamp-micros"),
            ),
        )
    ),
    # What is no schema.
    *({"type": "nothing"}, [["int"]], ["int", "int"], {"type": "record", "name": "r"}, 5),
)
_OPTIONS: Final = (
    *(
        "map()",
        "NULL",
        "map('mode', 'FAILFAST')",
        "map('MODE', 'permissive')",
        "map('mode', 'any')",
    ),
    *("map('mode', 'DROPMALFORMED')", "map('mode', concat('PERM', 'ISSIVE'))", "map('mode', s)"),
    *("map('avroSchema', '\"int\"')", "map('recursiveFieldMaxDepth', '2')", "'mode'", "map(1, 2)"),
    *(
        "map('mode', 'FAILFAST', 'mode', 'PERMISSIVE')",
        "map('avroSchema', '')",
        "map('mode', 'failfast')",
    ),
    *("map('mode', NULL)", "map('enableStableIdentifiersForUnionType', 'false')", "map('a', 'b')"),
)


def _written(schema: Any) -> str:
    return f"'{json.dumps(schema)}'"


CALLS: Final = (
    *(f"from_avro(bi, {_written(schema)})" for schema in SCHEMAS),
    *(f"from_avro(bi, {_written(_RECORD)}, {options})" for options in _OPTIONS),
    *(
        f"from_avro(bi, {_written(_RECURSIVE)}, map('recursiveFieldMaxDepth', '{depth}'))"
        for depth in ("-1", "0", "1", "2", "3", "+2", "16", "1_0", " 2", "x")
    ),
    *(f"from_avro({value}, '\"int\"')" for value in ("s", "i", "NULL", "array(bi)", "to_avro(i)")),
    *("from_avro(bi, concat('\"', 'int\"'))", "from_avro(bi, '')", "from_avro(bi, 'int')"),
    *(
        "from_avro(bi, s, map('avroSchema', '\"int\"'))",
        "from_avro(bi, NULL, map('avroSchema', '\"int\"'))",
    ),
    *("from_avro(bi, NULL)", "from_avro(bi, 5)", "from_avro(bi, '\"int\"', map(), 1)"),
    *(
        f"to_avro({value}, {_written(['null', 'int'])})"
        for value in ("i", "s", "NULL", "nullif(i, 1)")
    ),
    *("to_avro(i, NULL)", "to_avro(named_struct('x', i))", "to_avro(map(1, 2))", "to_avro(NULL)"),
    *("schema_of_avro('\"int\"')", "schema_of_avro('\"int\"', map('mode', 'FAILFAST'))"),
    f"schema_of_avro({_written(_RECORD)})",
)
