"""Decides which casts a dialect allows, and which casts may turn a value into null."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from lakeschema.catalog.column_types import (
    BIGINT,
    BINARY,
    BOOLEAN,
    DATE,
    DOUBLE,
    FLOAT,
    SMALLINT,
    STRING,
    TIMESTAMP,
    TIMESTAMP_LOCAL,
    TIMESTAMP_NTZ,
    TINYINT,
    VARIANT,
    VOID,
    ArrayType,
    ColumnType,
    DecimalType,
    IntervalType,
    MapType,
    StructType,
)
from lakeschema.catalog.trino_types import JSON
from lakeschema.translation.functions import trino_coercion
from lakeschema.translation.functions.coercion import (
    INTEGERS,
    is_float,
    is_integer,
    is_interval,
    is_numeric,
    is_primitive,
    is_shape,
    is_text,
    is_time,
    is_time_of_day,
    united_interval,
)
from lakeschema.translation.functions.decimals import decimal_of
from lakeschema.translation.functions.semantics import Semantics

CAST_FUNCTIONS: Final[Mapping[str, ColumnType]] = MappingProxyType(
    {
        **{
            type_.name: type_ for type_ in (BOOLEAN, *INTEGERS, FLOAT, DOUBLE, BINARY, DATE, STRING)
        },
        "decimal": DecimalType(10, 0),
        # This function makes an instant, even where "timestamp" in the view's text has no zone.
        "timestamp": TIMESTAMP_LOCAL,
    }
)
"""Spark's functions that are casts: ``int(x)``."""


def can_cast(source: ColumnType, target: ColumnType, semantics: Semantics) -> bool:
    """Whether the dialect accepts the cast at all (Spark: ``Cast.canAnsiCast``/``canCast``)."""
    if semantics.is_trino:
        return trino_coercion.can_cast(source, target)
    match source, target:
        case _ if source in (target, VOID):
            return True
        case ArrayType(a), ArrayType(b):
            return can_cast(a, b, semantics)
        case MapType(ak, av), MapType(bk, bv):
            return can_cast(ak, bk, semantics) and can_cast(av, bv, semantics)
        case StructType(a_fields), StructType(b_fields):
            return len(a_fields) == len(b_fields) and all(
                can_cast(a.type, b.type, semantics) for a, b in zip(a_fields, b_fields, strict=True)
            )
        case _ if VARIANT in (source, target):
            return semantics.is_spark and _is_variant_like(source if target == VARIANT else target)
        case _ if is_primitive(source) and is_primitive(target):
            return _primitive(source, target, semantics)
        case ((ArrayType() | MapType() | StructType()), _) if is_text(target):
            return semantics.is_spark
        case _:
            return False


def _is_variant_like(type_: ColumnType) -> bool:
    """Whether values of the type can be cast to or from a variant."""
    match type_:
        case ArrayType(element):
            return _is_variant_like(element)
        case MapType(key, value):
            return is_text(key) and _is_variant_like(value)
        case _:
            return not is_interval(type_) and not is_shape(type_)


def _primitive(source: ColumnType, target: ColumnType, semantics: Semantics) -> bool:
    if is_shape(source) or is_shape(target):
        return is_shape(source) and is_shape(target)
    if is_time_of_day(source) or is_time_of_day(target):
        return _time_of_day(source, target)
    if is_text(target) or is_text(source):
        return True
    if is_numeric(source) and is_numeric(target):
        return True
    if is_time(source) and is_time(target):
        return True
    if is_interval(source) or is_interval(target):
        return _interval(source, target) or (semantics.is_spark and _interval(target, source))
    # Outside ANSI mode Spark allows casts of a date to these types; the result is null.
    legacy = semantics.is_spark and not semantics.ansi and source == DATE
    if BOOLEAN in (source, target):
        other = target if source == BOOLEAN else source
        return is_numeric(other) or (other == TIMESTAMP and not semantics.ansi) or legacy
    if isinstance(target, DecimalType) and not semantics.is_spark:
        return True
    if BINARY in (source, target):
        return semantics.is_spark and not semantics.ansi and is_integer(source)
    if TIMESTAMP in (source, target) and (is_numeric(source) or is_numeric(target)):
        return True
    return legacy


def _interval(source: ColumnType, target: ColumnType) -> bool:
    """Whether the cast is between intervals of one kind, or from an interval to an exact number."""
    if is_interval(source) and is_interval(target):
        return united_interval(source, target) is not None
    number = is_integer(target) or isinstance(target, DecimalType)
    return isinstance(source, IntervalType) and number


def _time_of_day(source: ColumnType, target: ColumnType) -> bool:
    other = target if is_time_of_day(source) else source
    if is_text(other) or other in (TIMESTAMP, TIMESTAMP_NTZ) or is_time_of_day(other):
        return True
    return other == target and (is_integer(other) or isinstance(other, DecimalType))


def can_up_cast(source: ColumnType, target: ColumnType) -> bool:
    """Whether a cast loses no value, as Spark's ``UpCast`` of a BINDING view's columns requires."""
    match source, target:
        case _ if source in (target, VOID):
            return True
        case ArrayType(a, a_null), ArrayType(b, b_null):
            return (b_null or not a_null) and can_up_cast(a, b)
        case MapType(ak, av, a_null), MapType(bk, bv, b_null):
            return (b_null or not a_null) and can_up_cast(ak, bk) and can_up_cast(av, bv)
        case StructType(a_fields), StructType(b_fields):
            return len(a_fields) == len(b_fields) and all(
                (b.nullable or not a.nullable) and can_up_cast(a.type, b.type)
                for a, b in zip(a_fields, b_fields, strict=True)
            )
        case _ if is_text(target):
            return is_primitive(source) and source != VARIANT
        case DecimalType(), DecimalType():
            return _holds(target, source)
        case _, DecimalType() if is_integer(source):
            exact = decimal_of(source, 20)
            return exact is not None and _holds(target, exact)
        case DecimalType(precision, 0), _ if is_integer(target):
            # The decimal needs fewer digits than the largest integer: ten nines exceed an int.
            exact = decimal_of(target, 20)
            return exact is not None and precision < exact.precision
        case _ if is_integer(source) and is_integer(target):
            return INTEGERS.index(source) <= INTEGERS.index(target)
        case _ if is_float(target):
            return is_integer(source) or (source, target) == (FLOAT, DOUBLE)
        case _:
            pairs = {
                (DATE, TIMESTAMP),
                (DATE, TIMESTAMP_NTZ),
                (TIMESTAMP, TIMESTAMP_NTZ),
                (TIMESTAMP_NTZ, TIMESTAMP),
                (TIMESTAMP, BIGINT),
                (BIGINT, TIMESTAMP),
            }
            return (source, target) in pairs


def _holds(outer: ColumnType, inner: ColumnType) -> bool:
    assert isinstance(outer, DecimalType)
    assert isinstance(inner, DecimalType)
    whole = outer.precision - outer.scale >= inner.precision - inner.scale
    return whole and outer.scale >= inner.scale


def may_turn_null(source: ColumnType, target: ColumnType, semantics: Semantics) -> bool:
    """Whether a cast can turn a value into null.

    In ANSI mode Spark fails instead, but its analyser calls the result nullable
    (``Cast.forceNullable``). This function follows the analyser.
    """
    if source == target:
        return False
    if source == VOID:
        return True
    if semantics.is_trino:
        # Trino fails instead; only JSON's null becomes null.
        return source == JSON
    match source, target:
        case (ArrayType(), ArrayType()) | (MapType(), MapType()) | (StructType(), StructType()):
            return False
        case _:
            return _value_may_turn_null(source, target, semantics)


def _value_may_turn_null(source: ColumnType, target: ColumnType, semantics: Semantics) -> bool:
    if source == VARIANT:
        # A variant can hold a null, which becomes NULL.
        return True
    if is_text(target) or (is_text(source) and target == BINARY):
        return False
    if is_text(source) or (source, target) == (DATE, VARIANT):
        return True
    if is_time_of_day(source) and is_integer(target):
        return target in (TINYINT, SMALLINT)
    if isinstance(target, DecimalType):
        if source == BOOLEAN and semantics.is_spark:
            return target.precision == target.scale
        exact = decimal_of(source, semantics.bigint_digits)
        return exact is None or not _holds(target, exact)
    if target == DATE and semantics.is_spark:
        return source != TIMESTAMP
    if DATE in (source, target):
        return target == TIMESTAMP_NTZ or not is_time(source) or not is_time(target)
    if is_integer(target):
        fraction = is_float(source) or isinstance(source, DecimalType)
        return fraction or (source == TIMESTAMP and target != BIGINT)
    return is_float(source) and is_time(target)


def nullable_inside(source: ColumnType, target: ColumnType, semantics: Semantics) -> ColumnType:
    """``target`` with the nullability of ``source``'s parts, where a cast keeps their shape."""
    match source, target:
        case ArrayType(a, a_null), ArrayType(b):
            element = nullable_inside(a, b, semantics)
            return ArrayType(element, a_null or may_turn_null(a, b, semantics))
        case MapType(ak, av, a_null), MapType(bk, bv):
            value = nullable_inside(av, bv, semantics)
            null = a_null or may_turn_null(av, bv, semantics)
            return MapType(nullable_inside(ak, bk, semantics), value, null)
        case _:
            return target
