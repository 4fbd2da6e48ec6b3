"""The result type of FROM_AVRO: Spark's type for a literal Avro schema, under the call's options."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Final, assert_never

from lakeschema.avro.definitions import definitions
from lakeschema.avro.errors import MalformedAvroSchema
from lakeschema.avro.json_text import shown
from lakeschema.avro.model import (
    Array,
    EnumSchema,
    Fixed,
    LogicalType,
    MapSchema,
    NamedSchema,
    Primitive,
    Record,
    Reference,
    Schema,
    Union,
    is_nullable,
    without_null,
)
from lakeschema.avro.parsing import InvalidDefaults, parse_schema
from lakeschema.catalog.column_types import (
    BIGINT,
    BINARY,
    BOOLEAN,
    DATE,
    DOUBLE,
    FLOAT,
    INT,
    STRING,
    TIME,
    TIMESTAMP,
    TIMESTAMP_NTZ,
    VOID,
    ArrayType,
    ColumnType,
    DecimalType,
    MapType,
    PrimitiveType,
    StructField,
    StructType,
    UnknownType,
    map_type,
    parse_type_or_unknown,
    print_type,
    time_digits,
)
from lakeschema.translation.functions.constants import constant_text, is_null
from lakeschema.translation.functions.decimals import MAX_PRECISION
from lakeschema.translation.functions.results import CallResult, Rule
from lakeschema.translation.functions.schema_texts import as_nullable
from lakeschema.translation.functions.semantics import Semantics
from lakeschema.translation.model.errors import MalformedSchema, TypeMismatch, UnsupportedConstruct
from lakeschema.translation.plan.expressions import Call, RowExpression

_MAX_PARTS: Final = 10_000
"""The maximum number of parts of a type. A record that contains itself several times has many."""
_MAX_LEVELS: Final = 15
"""The highest value that Spark accepts for ``recursiveFieldMaxDepth``."""

OF_PRIMITIVES: Final[Mapping[str, PrimitiveType]] = MappingProxyType(
    {
        "null": VOID,
        "boolean": BOOLEAN,
        "int": INT,
        "long": BIGINT,
        "float": FLOAT,
        "double": DOUBLE,
        "bytes": BINARY,
        "string": STRING,
    }
)
"""The types that Spark and Hive read Avro's primitive types as."""
_LOGICAL: Final[Mapping[str, ColumnType]] = MappingProxyType(
    {
        "date": DATE,
        **dict.fromkeys(("timestamp-millis", "timestamp-micros"), TIMESTAMP),
        **dict.fromkeys(("local-timestamp-millis", "local-timestamp-micros"), TIMESTAMP_NTZ),
    }
)
_UNKNOWN: Final = frozenset({"timestamp-nanos", "local-timestamp-nanos", "custom-decimal"})
_WRITTEN_BY_SPARK: Final = "spark.sql.catalyst.type"
"""The property in which Spark records a number's original type, such as an interval."""
_WHOLE: Final = re.compile(r"[+-]?\d{1,9}")
_WIDER: Final = (({"int", "long"}, BIGINT), ({"float", "double"}, DOUBLE))
"""A union of these two types is read as the wider one."""


def _of_avro_schema(arguments: Sequence[RowExpression], _: Semantics) -> CallResult | None:
    if arguments[0].type != BINARY:
        return None
    text = constant_text(arguments[1])
    if text is None and not is_null(arguments[1]):
        raise UnsupportedConstruct("from_avro with a schema that is not a literal")
    options = _options(arguments[2:])
    if "avroschemaurl" in options and "avroschema" not in options:
        raise UnsupportedConstruct("from_avro with a schema in a file (option avroSchemaUrl)")
    type_ = _type(_parsed(options.get("avroschema", text or "")), options)
    mode = options.get("mode", "FAILFAST").upper()
    if mode == "DROPMALFORMED":
        raise TypeMismatch("from_avro has no mode DROPMALFORMED, expected PERMISSIVE or FAILFAST")
    # In other modes, an unreadable record becomes a record of nulls.
    return CallResult(type_ if mode == "FAILFAST" else map_type(type_, as_nullable))


def _options(arguments: Sequence[RowExpression]) -> Mapping[str, str]:
    """The options by name in lower case: Spark ignores case."""
    match arguments:
        case [] | [_] if all(map(is_null, arguments)):
            return {}
        case [Call(operator, parts)] if operator.name == "map":
            texts = [constant_text(part) for part in parts]
            if None not in texts:
                return _by_name([text or "" for text in texts])
    raise UnsupportedConstruct("from_avro with options that are not a map of literals")


def _by_name(texts: Sequence[str]) -> Mapping[str, str]:
    names = texts[::2]
    options = {name.lower(): value for name, value in zip(names, texts[1::2], strict=True)}
    if len(set(names)) < len(names):
        raise TypeMismatch("expected each option of from_avro once, got one twice")
    if len(options) < len(names):
        # Which of these options Spark uses depends on the hashes of their names.
        raise UnsupportedConstruct("from_avro with options that differ in case alone")
    return options


def _parsed(text: str) -> Schema:
    try:
        return parse_schema(text, invalid_defaults=InvalidDefaults.DROP)
    except MalformedAvroSchema as error:
        raise MalformedSchema(str(error), hint=error.hint) from None


def _type(schema: Schema, options: Mapping[str, str]) -> ColumnType:
    if options.get("enablestableidentifiersforuniontype", "false").lower() != "false":
        raise UnsupportedConstruct("option enableStableIdentifiersForUnionType of from_avro")
    depth = options.get("recursivefieldmaxdepth", "-1")
    if not _WHOLE.fullmatch(depth) or int(depth) > _MAX_LEVELS:
        raise TypeMismatch(
            "option recursiveFieldMaxDepth of from_avro:"
            f" expected a whole number up to {_MAX_LEVELS}, got {shown(depth)}"
        )
    found = _Typer(definitions(schema), int(depth)).type(schema)
    # Only recursive parts are left out, and the top level is not one of them.
    assert found is not None
    return found


class _Typer:
    """Converts an Avro schema to a type.

    ``levels`` is the number of levels of a recursive record to keep; 0 or less refuses recursion.
    """

    def __init__(self, known: Mapping[str, NamedSchema], levels: int) -> None:
        self._known = known
        self._levels = levels
        self._open: dict[str, int] = {}
        self._parts = 0

    def type(self, schema: Schema) -> ColumnType | None:
        """The type of a part of the schema; None if the part is left out."""
        self._parts += 1
        if self._parts > _MAX_PARTS:
            raise UnsupportedConstruct(f"an Avro schema of more than {_MAX_PARTS:,} parts")
        match schema:
            case Primitive(name):
                return _logical(schema) or _written(schema) or OF_PRIMITIVES[name]
            case Fixed(logical=logical):
                return _decimal(logical) or BINARY
            case EnumSchema():
                return STRING
            case Array(items):
                element = self.type(items)
                return None if element is None else ArrayType(element, is_nullable(items))
            case MapSchema(values):
                value = self.type(values)
                return None if value is None else MapType(STRING, value, is_nullable(values))
            case Union():
                return self._union(schema)
            case Record():
                return self._record(schema)
            case Reference(name):
                return self.type(self._known[name])
            case _:
                assert_never(schema)

    def _union(self, union: Union) -> ColumnType | None:
        rest = without_null(union)
        if not isinstance(rest, Union):
            return self.type(rest)
        kinds = {branch.name for branch in rest.branches if isinstance(branch, Primitive)}
        for both, wider in _WIDER:
            if kinds == both and len(rest.branches) == len(both):
                return wider
        members = [(f"member{place}", self.type(b)) for place, b in enumerate(rest.branches)]
        return StructType(
            tuple(StructField(name, found) for name, found in members if found is not None)
        )

    def _record(self, record: Record) -> ColumnType | None:
        name = record.full_name
        around = self._open.get(name, 0)
        if around and self._levels <= 0:
            raise TypeMismatch(
                f"Avro record {shown(name)} refers to itself, which no Spark type does",
                hint="option recursiveFieldMaxDepth says after how many levels it is left out",
            )
        if around and around >= self._levels:
            return None
        self._open[name] = around + 1
        fields = [(field, self.type(field.type)) for field in record.fields]
        self._open[name] = around
        return StructType(
            tuple(
                StructField(field.name, found, is_nullable(field.type))
                for field, found in fields
                if found is not None
            )
        )


def _logical(schema: Primitive) -> ColumnType | None:
    logical = schema.logical
    if logical is None:
        return None
    if logical.name in _UNKNOWN:
        raise UnsupportedConstruct(f"Avro's logical type {logical.name} in from_avro")
    if logical.name == "time-micros":
        written = _written(schema)
        if written is not None and time_digits(written) is None:
            raise TypeMismatch(f"expected a time for Avro's time-micros, got {print_type(written)}")
        return written or TIME
    return _LOGICAL.get(logical.name) or _decimal(logical)


def _decimal(logical: LogicalType | None) -> ColumnType | None:
    match logical:
        case LogicalType("decimal", int() as precision, scale):
            if precision > MAX_PRECISION:
                raise TypeMismatch(
                    f"Avro's decimal({precision},{scale}) has more than {MAX_PRECISION} digits"
                )
            return DecimalType(precision, scale)
        case _:
            return None


def _written(schema: Primitive) -> ColumnType | None:
    text = schema.properties.get(_WRITTEN_BY_SPARK)
    if schema.name not in {"int", "long"} or not isinstance(text, str):
        return None
    found = parse_type_or_unknown(text)
    if isinstance(found, UnknownType):
        raise UnsupportedConstruct(f"property {_WRITTEN_BY_SPARK} of value {shown(text)}")
    return found


def _in_avro(_: Sequence[RowExpression], __: Semantics) -> CallResult | None:
    return CallResult(BINARY, null_with=(0,))


RULES: Mapping[str, Rule] = MappingProxyType(
    {"@of_avro_schema": _of_avro_schema, "@in_avro": _in_avro}
)
