"""Result types of Spark's aggregates and sketches."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType

from lakeschema.catalog.column_types import (
    BIGINT,
    BINARY,
    BOOLEAN,
    DOUBLE,
    FLOAT,
    INT,
    STRING,
    TIMESTAMP,
    TIMESTAMP_NTZ,
    VOID,
    ArrayType,
    ColumnType,
    IntervalType,
    StructField,
    StructType,
    time_digits,
    time_of_day,
)
from lakeschema.translation.functions import arithmetic, intervals
from lakeschema.translation.functions.coercion import (
    is_interval,
    is_numeric,
    is_text,
    is_time,
)
from lakeschema.translation.functions.results import CallResult, Rule
from lakeschema.translation.functions.semantics import Semantics
from lakeschema.translation.plan.expressions import RowExpression


def _average(arguments: Sequence[RowExpression], semantics: Semantics) -> CallResult | None:
    """AVG, and TRY_AVG of intervals: the result has all units of the interval's kind."""
    type_ = arguments[0].type
    if not isinstance(type_, IntervalType):
        return arithmetic.average(arguments, semantics)
    return CallResult(intervals.whole(type_))


def _percentile(arguments: Sequence[RowExpression], semantics: Semantics) -> CallResult | None:
    """PERCENTILE returns a double for numbers; an interval or time of day keeps its kind."""
    type_, rank = (argument.type for argument in arguments[:2])
    one = _ordered(type_, semantics)
    if one is None:
        return None
    many = isinstance(rank, ArrayType)
    casts = (None if is_interval(type_) else one, *(None for _ in arguments[1:]))
    return CallResult(ArrayType(one, False) if many else one, casts)


def _median(arguments: Sequence[RowExpression], semantics: Semantics) -> CallResult | None:
    one = _ordered(arguments[0].type, semantics)
    return None if one is None else CallResult(one, (None if is_interval(one) else one,))


def _ordered(type_: ColumnType, semantics: Semantics) -> ColumnType | None:
    if isinstance(type_, IntervalType):
        return intervals.whole(type_)
    if time_digits(type_) is not None:
        return type_
    if semantics.ansi and type_ in (TIMESTAMP, TIMESTAMP_NTZ):
        return time_of_day(6)
    return DOUBLE if is_numeric(type_) or is_text(type_) or type_ == VOID else None


def _elements(arguments: Sequence[RowExpression], _: Semantics) -> CallResult | None:
    """The array of collected elements; COLLECT_UNION leaves out nulls."""
    type_ = arguments[0].type
    return CallResult(ArrayType(type_.element, False)) if isinstance(type_, ArrayType) else None


def _histogram(arguments: Sequence[RowExpression], _: Semantics) -> CallResult | None:
    """HISTOGRAM_NUMERIC returns an array of bins. A bin's middle has the values' type."""
    type_ = arguments[0].type
    middle = DOUBLE if is_text(type_) or type_ == VOID else type_
    shown = is_numeric(middle) or is_time(middle) or is_interval(middle)
    if not shown and time_digits(middle) is None:
        return None
    bin_ = StructType((StructField("x", middle), StructField("y", DOUBLE)))
    return CallResult(ArrayType(bin_), (middle, None))


def _top_k(arguments: Sequence[RowExpression], _: Semantics) -> CallResult | None:
    return _counts(arguments[0].type) if _is_counted(arguments[0].type) else None


def _counts(item: ColumnType) -> CallResult:
    count = StructField("count", BIGINT, nullable=False)
    return CallResult(ArrayType(StructType((StructField("item", item), count)), False))


def _is_counted(type_: ColumnType) -> bool:
    plain = is_numeric(type_) or is_text(type_) or is_time(type_) or type_ == BOOLEAN
    return plain or time_digits(type_) is not None


def _top_k_sketch(arguments: Sequence[RowExpression], _: Semantics) -> CallResult | None:
    return _sketch(arguments[0].type) if _is_counted(arguments[0].type) else None


def _sketch(item: ColumnType) -> CallResult:
    """A sketch of items; ``itemDataType`` is always null, and its type is the items' type."""
    fields = (
        StructField("sketch", BINARY, nullable=False),
        StructField("maxItemsTracked", INT, nullable=False),
        StructField("itemDataType", item),
        StructField("itemDataTypeDDL", STRING, nullable=False),
    )
    return CallResult(StructType(fields))


def _top_k_union(arguments: Sequence[RowExpression], _: Semantics) -> CallResult | None:
    item = _item(arguments[0].type)
    return None if item is None else _sketch(item)


def _top_k_of_sketch(arguments: Sequence[RowExpression], _: Semantics) -> CallResult | None:
    item = _item(arguments[0].type)
    return None if item is None else _counts(item)


def _item(sketch: ColumnType) -> ColumnType | None:
    match sketch:
        case StructType((_, _, StructField(type=item), _)):
            return item
        case _:
            return None


def _counter(arguments: Sequence[RowExpression], _: Semantics) -> CallResult | None:
    type_ = DOUBLE if arguments[0].type == VOID else arguments[0].type
    return CallResult(type_) if is_numeric(type_) else None


def _quantiles(one: ColumnType, asked: ColumnType = DOUBLE) -> Rule:
    """A rule for quantiles: an array if the second argument is an array, otherwise one value."""

    def quantile(arguments: Sequence[RowExpression], _: Semantics) -> CallResult | None:
        match arguments[1].type:
            case ArrayType():
                return CallResult(ArrayType(one, False))
            case type_ if is_numeric(type_) or is_text(type_) or type_ == VOID:
                return CallResult(one, (None, asked))
            case _:
                return None

    return quantile


def _best(arguments: Sequence[RowExpression], _: Semantics) -> CallResult | None:
    """MAX_BY returns one value; with a third argument, it returns an array of that many values."""
    type_ = arguments[0].type
    return CallResult(type_ if len(arguments) == 2 else ArrayType(type_))


RULES: Mapping[str, Rule] = MappingProxyType(
    {
        "@average_of_any": _average,
        "@percentile_of_order": _percentile,
        "@median": _median,
        "@elements": _elements,
        "@best": _best,
        "@histogram": _histogram,
        "@top_k": _top_k,
        "@top_k_sketch": _top_k_sketch,
        "@top_k_union": _top_k_union,
        "@top_k_of_sketch": _top_k_of_sketch,
        "@counter": _counter,
        "@quantile_bigint": _quantiles(BIGINT),
        "@quantile_double": _quantiles(DOUBLE),
        "@quantile_float": _quantiles(FLOAT),
        "@rank_of_bigint": _quantiles(DOUBLE, BIGINT),
        "@rank_of_double": _quantiles(DOUBLE, DOUBLE),
        "@rank_of_float": _quantiles(DOUBLE, FLOAT),
    }
)
