"""The ``@rules`` of the function tables: result types that depend on the arguments' types."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType

from lakeschema.catalog.column_types import (
    BINARY,
    DATE,
    DOUBLE,
    INT,
    STRING,
    TIMESTAMP,
    TIMESTAMP_NTZ,
    VOID,
    ArrayType,
    CharType,
    ColumnType,
    DecimalType,
    MapType,
    StructType,
    VarcharType,
)
from lakeschema.translation.functions import (
    aggregates,
    arithmetic,
    avro_functions,
    clock,
    hive_rules,
    intervals,
    nested,
    schema_texts,
    spark_collection_rules,
    spark_rules,
    variants,
)
from lakeschema.translation.functions.coercion import (
    is_float,
    is_integer,
    is_numeric,
    is_primitive,
    is_text,
    is_time,
    is_time_of_day,
)
from lakeschema.translation.functions.constants import constant_text, is_null
from lakeschema.translation.functions.results import CallResult, Rule
from lakeschema.translation.functions.semantics import Semantics
from lakeschema.translation.plan.expressions import RowExpression


def _same(arguments: Sequence[RowExpression], _: Semantics) -> CallResult | None:
    return CallResult(arguments[0].type)


def _same_text(arguments: Sequence[RowExpression], _: Semantics) -> CallResult | None:
    return CallResult(BINARY if arguments[0].type == BINARY else STRING)


def _filled_up(arguments: Sequence[RowExpression], _: Semantics) -> CallResult | None:
    """LPAD and RPAD: in Spark, the result is bytes if both arguments are bytes, otherwise text."""
    texts = arguments[::2]
    if all(argument.type == BINARY for argument in texts):
        return CallResult(BINARY)
    return CallResult(STRING, (STRING, None, STRING)[: len(arguments)])


def _reversed(arguments: Sequence[RowExpression], _: Semantics) -> CallResult | None:
    type_ = arguments[0].type
    if isinstance(type_, ArrayType) or type_ == BINARY:
        return CallResult(type_)
    if isinstance(type_, (MapType, StructType)):
        return None
    # A variant becomes null if the value in it is null.
    return CallResult(STRING, (None if is_text(type_) else STRING,))


def _concat(arguments: Sequence[RowExpression], semantics: Semantics) -> CallResult | None:
    types = [a.type for a in arguments]
    if not semantics.is_spark:
        return _hive_concat(types)
    if types and all(type_ == BINARY for type_ in types) and not semantics.bytes_as_text:
        return CallResult(BINARY)
    if types and any(isinstance(type_, ArrayType) for type_ in types):
        return nested.common(arguments, semantics)
    if any(isinstance(type_, (MapType, StructType)) for type_ in types):
        return None
    return CallResult(STRING, tuple(None if is_text(type_) else STRING for type_ in types))


def _hive_concat(types: Sequence[ColumnType]) -> CallResult | None:
    """Hive's CONCAT adds up the lengths if all arguments have one; otherwise it returns a string."""
    if any(isinstance(type_, (ArrayType, MapType, StructType)) for type_ in types):
        return None
    lengths = [t.length for t in types if isinstance(t, (CharType, VarcharType))]
    if types and len(lengths) == len(types):
        if sum(lengths) <= _LONGEST_CHAR and all(isinstance(t, CharType) for t in types):
            return CallResult(CharType(sum(lengths)))
        if sum(lengths) <= _LONGEST_VARCHAR:
            return CallResult(VarcharType(sum(lengths)))
    return CallResult(STRING, tuple(None if is_text(t) or t == BINARY else STRING for t in types))


_LONGEST_CHAR = 255


_LONGEST_VARCHAR = 65_535


def _date_of_parts(_: Sequence[RowExpression], semantics: Semantics) -> CallResult | None:
    """MAKE_DATE: 31 February is an error in ANSI mode, and null in Spark without it."""
    return CallResult(DATE, may_be_null=not semantics.ansi)


def _moment_of_seconds(arguments: Sequence[RowExpression], _: Semantics) -> CallResult | None:
    """A timestamp of seconds; NaN and infinity give null."""
    return CallResult(TIMESTAMP, may_be_null=is_float(arguments[0].type))


def _moment_of_text(_: Sequence[RowExpression], semantics: Semantics) -> CallResult | None:
    return CallResult(TIMESTAMP_NTZ if semantics.zoneless else TIMESTAMP)


def _moment_added(arguments: Sequence[RowExpression], _: Semantics) -> CallResult | None:
    """DATEADD keeps a timestamp without a zone; it casts a date or text to a timestamp first."""
    type_ = arguments[2].type
    if not (is_time(type_) or is_text(type_) or type_ == VOID):
        return None
    moment = TIMESTAMP_NTZ if type_ == TIMESTAMP_NTZ else TIMESTAMP
    return CallResult(moment, (None, None, moment))


def _shown(arguments: Sequence[RowExpression], _: Semantics) -> CallResult | None:
    """Spark's TO_CHAR of a number, bytes, a date or a moment; a text is cast to a number."""
    type_ = arguments[0].type
    shown = (
        is_numeric(type_)
        or is_text(type_)
        or is_time(type_)
        or is_time_of_day(type_)
        or type_ in (BINARY, VOID)
    )
    return CallResult(STRING, may_be_null=is_text(type_)) if shown else None


def _masked(arguments: Sequence[RowExpression], _: Semantics) -> CallResult | None:
    """Hive's MASK functions: they keep the type, but not a decimal's digits."""
    type_ = arguments[0].type
    if isinstance(type_, VarcharType):
        return CallResult(VarcharType(_LONGEST_VARCHAR))
    if isinstance(type_, CharType):
        return CallResult(CharType(_LONGEST_CHAR))
    if is_text(type_) or is_integer(type_) or type_ == DATE:
        return CallResult(type_)
    shown = DecimalType(38, 18) if isinstance(type_, DecimalType) else type_
    return CallResult(shown, may_be_null=True) if is_primitive(type_) else None


def _same_case(arguments: Sequence[RowExpression], _: Semantics) -> CallResult | None:
    """Hive's UPPER and LOWER keep char and varchar; any other type becomes a string."""
    type_ = arguments[0].type
    return CallResult(type_ if isinstance(type_, (CharType, VarcharType)) else STRING)


def _percentile(arguments: Sequence[RowExpression], _: Semantics) -> CallResult | None:
    """Hive's PERCENTILE, of one rank or of an array of ranks."""
    many = isinstance(arguments[1].type, ArrayType)
    return CallResult(ArrayType(DOUBLE, False) if many else DOUBLE)


def _percentile_in_order(arguments: Sequence[RowExpression], _: Semantics) -> CallResult | None:
    """Hive's PERCENTILE_CONT and PERCENTILE_DISC, of one rank or of an array of ranks."""
    places = arguments[1].type
    if isinstance(places, ArrayType):
        return CallResult(ArrayType(DOUBLE, False))
    return CallResult(DOUBLE, (None, DOUBLE if is_numeric(places) else None))


def _approximate_percentile(arguments: Sequence[RowExpression], _: Semantics) -> CallResult | None:
    many = isinstance(arguments[1].type, ArrayType)
    type_ = arguments[0].type
    one = DOUBLE if is_text(type_) or type_ == VOID else type_
    casts = (one, *(None for _ in arguments[1:]))
    return CallResult(ArrayType(one, False) if many else one, casts)


def _extracted(arguments: Sequence[RowExpression], _: Semantics) -> CallResult | None:
    unit = constant_text(arguments[0])
    if is_null(arguments[0]):
        return CallResult(DOUBLE, may_be_null=True)
    if unit is None:
        return None
    found = intervals.extracted(unit.lower(), arguments[1].type)
    # Spark calls parts of a TIME nullable, and date parts of a timestamp without a zone.
    of_date = arguments[1].type == TIMESTAMP_NTZ and not intervals.is_of_day(unit)
    nullable = is_time_of_day(arguments[1].type) or of_date
    if found is None:
        return None
    moment = TIMESTAMP if intervals.is_of_day(unit) else DATE
    read = moment if is_text(arguments[1].type) else None
    return CallResult(found, (None, read), may_be_null=nullable)


def _part_of_day(arguments: Sequence[RowExpression], _: Semantics) -> CallResult | None:
    """HOUR, MINUTE and SECOND; Spark calls the hour of a TIME nullable."""
    return CallResult(INT, may_be_null=is_time_of_day(arguments[0].type))


def _rows(_: Sequence[RowExpression], __: Semantics) -> CallResult | None:
    return CallResult(StructType(()))


RULES: Mapping[str, Rule] = MappingProxyType(
    {
        "@plus": arithmetic.plus,
        "@minus": arithmetic.minus,
        "@times": arithmetic.times,
        "@divide": arithmetic.divide,
        "@remainder": arithmetic.remainder,
        "@integer_divide": arithmetic.integer_divide,
        "@same": _same,
        "@wider": arithmetic.wider,
        "@shifted": arithmetic.shifted,
        "@whole": arithmetic.whole,
        "@rounded": arithmetic.rounded,
        "@absolute": arithmetic.absolute,
        "@hive_sign": arithmetic.hive_sign,
        "@same_text": _same_text,
        "@filled_up": _filled_up,
        "@same_case": _same_case,
        "@masked": _masked,
        "@moment_added": _moment_added,
        "@shown": _shown,
        "@date_of_parts": _date_of_parts,
        "@moment_of_seconds": _moment_of_seconds,
        "@moment_of_text": _moment_of_text,
        "@float_or_double": arithmetic.float_or_double,
        "@second_average": arithmetic.second_average,
        "@reversed": _reversed,
        "@positive_remainder": arithmetic.positive_remainder,
        "@concat": _concat,
        "@array": nested.array,
        "@with_element": nested.with_element,
        "@united": nested.united,
        "@size": nested.size,
        "@map": nested.map_of,
        "@named_struct": nested.named_struct,
        "@struct": nested.struct,
        "@map_values": nested.map_values,
        "@element": nested.element,
        "@sum": arithmetic.summed,
        "@average": arithmetic.average,
        "@collected": nested.collected,
        "@percentile": _percentile,
        "@percentile_in_order": _percentile_in_order,
        "@approximate_percentile": _approximate_percentile,
        "@extracted": _extracted,
        "@part_of_day": _part_of_day,
        "@try_divide": arithmetic.try_divide,
        "@truncated": arithmetic.truncated,
        "@extract_union": nested.extract_union,
        "@rows": _rows,
        **hive_rules.RULES,
        **aggregates.RULES,
        **clock.RULES,
        **variants.RULES,
        **spark_rules.RULES,
        **spark_collection_rules.RULES,
        **schema_texts.RULES,
        **avro_functions.RULES,
    }
)
