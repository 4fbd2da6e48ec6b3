"""One text for a column's type, from Hive's type and from Avro's schema, so that they can be compared."""

from __future__ import annotations

from typing import Any

# The column types that the workload draws from.
SHAPE_OF_HIVE_TYPE = {
    "int": "int",
    "bigint": "long",
    "double": "double",
    "boolean": "boolean",
    "string": "string",
    "array<string>": "array<string>",
    "struct<a:int>": "record<a:int>",
    "struct<a:int,b:string>": "record<a:int,b:string>",
}


def shape_of_hive_type(type_: str) -> str:
    return SHAPE_OF_HIVE_TYPE[type_]


def shape_of_avro_type(schema: Any) -> str:
    """The shape, without nullability and names."""
    match schema:
        case list():
            branches = [shape_of_avro_type(each) for each in schema if each != "null"]
            return branches[0] if len(branches) == 1 else f"union<{','.join(branches)}>"
        case {"type": "array", "items": items}:
            return f"array<{shape_of_avro_type(items)}>"
        case {"type": "record", "fields": fields}:
            inner = (f"{each['name']}:{shape_of_avro_type(each['type'])}" for each in fields)
            return f"record<{','.join(inner)}>"
        case {"type": inner}:
            return shape_of_avro_type(inner)
        case _:
            return str(schema)
