"""FROM_AVRO: the type that Spark gives what a literal Avro schema says, and options that change it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Final, assert_never

from lakeschema.avro.definitions import definitions
from lakeschema.avro.errors import MalformedAvroSchema
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
    StructField,
    StructType,
    map_type,
    parse_type_or_unknown,
    time_digits,
)
from lakeschema.translation.errors import MalformedSchema, TypeMismatch, UnsupportedConstruct
from lakeschema.translation.functions.coercion import is_interval
from lakeschema.translation.functions.constants import constant_text, is_null
from lakeschema.translation.functions.results import CallResult, Rule
from lakeschema.translation.functions.schema_texts import as_nullable
from lakeschema.translation.functions.semantics import Semantics
from lakeschema.translation.plan.expressions import Call, RowExpression

_MAX_PARTS: Final = 10_000
"""A record that holds itself twice, fifteen levels deep, has more than memory."""
_MAX_LEVELS: Final = 15
"""Spark's own bound of ``recursiveFieldMaxDepth``."""
_MAX_DIGITS: Final = 38

_PRIMITIVES: Final[Mapping[str, ColumnType]] = MappingProxyType(
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
_LOGICAL: Final[Mapping[str, ColumnType]] = MappingProxyType(
    {
        "date": DATE,
        "time-micros": TIME,
        **dict.fromkeys(("timestamp-millis", "timestamp-micros"), TIMESTAMP),
        **dict.fromkeys(("local-timestamp-millis", "local-timestamp-micros"), TIMESTAMP_NTZ),
    }
)
_NANOSECONDS: Final = frozenset({"timestamp-nanos", "local-timestamp-nanos"})
_WRITTEN_BY_SPARK: Final = "spark.sql.catalyst.type"
"""A property in which Spark says what interval or time a number was."""
_WIDER: Final = (({"int", "long"}, BIGINT), ({"float", "double"}, DOUBLE))
"""Unions of two kinds of numbers are the wider."""


def _of_avro_schema(arguments: Sequence[RowExpression], _: Semantics) -> CallResult | None:
    if arguments[0].type != BINARY:
        return None
    options = _options(arguments[2:])
    text = options.get("avroschema") or constant_text(arguments[1])
    if text is None:
        raise UnsupportedConstruct("an Avro schema that is not a literal")
    type_ = _type(_parsed(text), options)
    mode = options.get("mode", "failfast").lower()
    if mode == "dropmalformed":
        raise TypeMismatch("from_avro has no mode DROPMALFORMED, expected PERMISSIVE or FAILFAST")
    # Of what cannot be read Spark makes nulls in every field, unless it fails.
    return CallResult(type_ if mode == "failfast" else map_type(type_, as_nullable))


def _options(arguments: Sequence[RowExpression]) -> Mapping[str, str]:
    """By their names in lower case, as Spark finds them."""
    match arguments:
        case [] | [_] if all(map(is_null, arguments)):
            return {}
        case [Call(operator, parts)] if operator.name == "map":
            texts = [constant_text(part) for part in parts]
            if None not in texts:
                written = [text or "" for text in texts]
                return {
                    name.lower(): value
                    for name, value in zip(written[::2], written[1::2], strict=True)
                }
    raise UnsupportedConstruct("options of from_avro that are not a map of literals")


def _parsed(text: str) -> Schema:
    try:
        return parse_schema(text, invalid_defaults=InvalidDefaults.DROP)
    except MalformedAvroSchema as error:
        raise MalformedSchema(str(error), hint=error.hint) from None


def _type(schema: Schema, options: Mapping[str, str]) -> ColumnType:
    if options.get("enablestableidentifiersforuniontype", "false").lower() != "false":
        raise UnsupportedConstruct("option enableStableIdentifiersForUnionType of from_avro")
    depth = options.get("recursivefieldmaxdepth", "-1")
    try:
        levels = int(depth)
    except ValueError:
        levels = _MAX_LEVELS + 1
    if levels > _MAX_LEVELS:
        raise TypeMismatch(
            f"option recursiveFieldMaxDepth: expected a number up to {_MAX_LEVELS}, got {depth!r:.40}"
        )
    found = _Typer(definitions(schema), levels).type(schema)
    # Nothing is left out at the top, which is no recursion yet.
    assert found is not None
    return found


class _Typer:
    """``levels``: how often a record may stand within itself before it is left out; 0 for never."""

    def __init__(self, known: Mapping[str, NamedSchema], levels: int) -> None:
        self._known = known
        self._levels = levels
        self._open: dict[str, int] = {}
        self._parts = 0

    def type(self, schema: Schema) -> ColumnType | None:
        """None for what is left out."""
        self._parts += 1
        if self._parts > _MAX_PARTS:
            raise UnsupportedConstruct(f"an Avro schema of more than {_MAX_PARTS:,} parts")
        match schema:
            case Primitive(name, logical):
                return _number_of_spark(schema) or _logical(logical) or _PRIMITIVES[name]
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
                f"Avro record {name} holds itself, which no Spark type does",
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


def _logical(logical: LogicalType | None) -> ColumnType | None:
    if logical is None:
        return None
    if logical.name in _NANOSECONDS:
        raise UnsupportedConstruct(f"Avro's logical type {logical.name} in from_avro")
    return _LOGICAL.get(logical.name) or _decimal(logical)


def _decimal(logical: LogicalType | None) -> ColumnType | None:
    match logical:
        case LogicalType("decimal", int() as precision, scale):
            if precision > _MAX_DIGITS:
                raise TypeMismatch(
                    f"Avro's decimal({precision},{scale}) has more than {_MAX_DIGITS} digits"
                )
            return DecimalType(precision, scale)
        case _:
            return None


def _number_of_spark(schema: Primitive) -> ColumnType | None:
    written = schema.properties.get(_WRITTEN_BY_SPARK)
    if schema.name not in {"int", "long"} or not isinstance(written, str):
        return None
    type_ = parse_type_or_unknown(written)
    is_time = schema.name == "long" and time_digits(type_) is not None
    return type_ if is_time or is_interval(type_) else None


def _null_with_its_first(type_: ColumnType) -> Rule:
    result = CallResult(type_, null_with=(0,))
    return lambda arguments, semantics: result  # noqa: ARG005 (every rule takes both)


RULES: Mapping[str, Rule] = MappingProxyType(
    {
        "@of_avro_schema": _of_avro_schema,
        "@in_avro": _null_with_its_first(BINARY),
        "@schema_text": _null_with_its_first(STRING),
    }
)
