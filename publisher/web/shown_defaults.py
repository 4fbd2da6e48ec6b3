"""Shows a field's default in people's notation: a decimal with its digits, a time in ISO 8601."""

from __future__ import annotations

import json
from collections.abc import Mapping

from codegen.runtime import scalars
from codegen.runtime.values import FROM_BASE
from lakeschema.avro.defaults import Defaults
from lakeschema.avro.model import (
    Array,
    Fixed,
    Json,
    LogicalType,
    MapSchema,
    NamedSchema,
    Primitive,
    Record,
    Reference,
    Schema,
    Union,
)


def shown_default(value: Json, schema: Schema, types: Mapping[str, NamedSchema]) -> str:
    """A default as text: JSON, except for a single decimal or time.

    ``types`` has the named types that the schema refers to.
    """
    shown = _shown(value, schema, types)
    is_told_otherwise = isinstance(shown, str) and shown != value
    return str(shown) if is_told_otherwise else json.dumps(shown, ensure_ascii=False)


def _shown(value: Json, schema: Schema, types: Mapping[str, NamedSchema]) -> Json:
    match schema, value:
        case Reference(name), _:
            return _shown(value, types[name], types)
        case Union(), _:
            return _shown(value, Defaults(types).branch(value, schema), types)
        case Array(items), list():
            return [_shown(item, items, types) for item in value]
        case MapSchema(values), dict():
            return {key: _shown(item, values, types) for key, item in value.items()}
        case Record(fields=fields), dict():
            of = {field.name: field.type for field in fields}
            return {key: _shown(item, of[key], types) for key, item in value.items() if key in of}
        case Primitive(kind, LogicalType() as logical), _:
            return _of_logical_type(value, kind, logical)
        case Fixed(logical=LogicalType() as logical), _:
            return _of_logical_type(value, "fixed", logical)
        case _:
            return value


def _of_logical_type(value: Json, kind: str, logical: LogicalType) -> Json:
    try:
        if logical.precision is not None and isinstance(value, str):
            data = value.encode("iso-8859-1")
            return f"{scalars.decimal_from(data, logical.precision, logical.scale):f}"
        if type(value) is int and (typed := FROM_BASE.get((kind, logical.name))):
            return str(typed(value))
    except (ValueError, OverflowError):
        # Avro allows values beyond Python's range.
        pass
    return value
