"""The ``@rules`` of the function tables: result types that depend on the arguments' types.

A rule gets the argument types and says the result, with the type each argument is brought to, or
None where the dialect refuses.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import TypeAlias

from catalog.column_types import (
    BIGINT,
    BINARY,
    DATE,
    DOUBLE,
    FLOAT,
    INT,
    INTERVAL,
    STRING,
    TIMESTAMP,
    TINYINT,
    VOID,
    ArrayType,
    CharType,
    ColumnType,
    DecimalType,
    IntervalType,
    MapType,
    StructField,
    StructType,
    Uniontype,
    VarcharType,
)
from translation.functions import decimals
from translation.functions.coercion import (
    Use,
    common_type,
    is_float,
    is_integer,
    is_interval,
    is_numeric,
    is_text,
    is_time,
)
from translation.functions.semantics import Semantics
from translation.plan.expressions import Call, Literal, RowExpression


@dataclass(frozen=True, slots=True)
class Result:
    """``arguments``: the type each argument is cast to first; None leaves it as it is.

    ``may_be_null``: null is possible though the table's row says total (decimal overflow).
    """

    type: ColumnType
    arguments: tuple[ColumnType | None, ...] = ()
    may_be_null: bool = False


Rule: TypeAlias = Callable[[Sequence[RowExpression], Semantics], Result | None]

_DecimalRule: TypeAlias = Callable[[DecimalType, DecimalType], DecimalType]


def branch_types(values: Sequence[RowExpression], semantics: Semantics) -> Sequence[ColumnType]:
    """The types that meet in a branch: Hive counts a written integer's own digits beside decimals."""
    if semantics.is_spark or not any(isinstance(value.type, DecimalType) for value in values):
        return [value.type for value in values]
    return [
        _exact(value, value.type, semantics)
        if isinstance(value, Literal) and is_integer(value.type)
        else value.type
        for value in values
    ]


def _plus(arguments: Sequence[RowExpression], semantics: Semantics) -> Result | None:
    left, right = (a.type for a in arguments)
    if is_time(left) or is_time(right) or is_interval(left) or is_interval(right):
        return _time_plus(left, right, semantics) or _time_plus(right, left, semantics)
    return _arithmetic(arguments, semantics, decimals.plus)


def _minus(arguments: Sequence[RowExpression], semantics: Semantics) -> Result | None:
    left, right = (a.type for a in arguments)
    if is_time(left) and (is_time(right) or is_text(right)) and not is_integer(right):
        if not semantics.is_spark:
            return Result(INTERVAL)
        both_dates = left == DATE and (right == DATE or is_text(right))
        return Result(IntervalType("day" if both_dates else "day to second"))
    if semantics.is_spark and is_text(left) and is_time(right):
        return Result(IntervalType("day" if right == DATE else "day to second"))
    if is_time(left) or is_interval(left) or is_interval(right):
        return _time_plus(left, right, semantics)
    return _arithmetic(arguments, semantics, decimals.plus)


def _time_plus(left: ColumnType, right: ColumnType, semantics: Semantics) -> Result | None:
    if is_interval(left) and is_interval(right):
        return Result(left) if left == right else None
    if VOID in (left, right):
        return Result(VOID)
    if left == DATE and (is_integer(right) if semantics.is_spark else right == INT):
        return Result(DATE)
    if not is_interval(right) or not (is_time(left) or is_text(left)):
        return None
    if is_text(left) and semantics.is_spark:
        return Result(STRING, (None, None), may_be_null=True)
    if is_text(left):
        return Result(TIMESTAMP, (TIMESTAMP, None), may_be_null=True)
    if left == DATE:
        return Result(_date_plus(right, semantics))
    return Result(left)


def _date_plus(interval: ColumnType, semantics: Semantics) -> ColumnType:
    """A date stays one under whole days and months; hours make it a timestamp."""
    if isinstance(interval, IntervalType):
        return DATE if interval.unit in _WHOLE_DAYS else TIMESTAMP
    return DATE if semantics.is_spark else TIMESTAMP


_WHOLE_DAYS = {"day", "year", "month", "year to month"}


def _arithmetic(
    arguments: Sequence[RowExpression], semantics: Semantics, rule: _DecimalRule
) -> Result | None:
    left, right = (_number(a.type, arguments, semantics) for a in arguments)
    if left is None or right is None or _is_only_text(arguments, semantics):
        return None
    if VOID in (left, right):
        other = right if left == VOID else left
        return Result(DOUBLE if other == VOID else other)
    if is_float(left) or is_float(right):
        return _floating(left, right, semantics)
    if isinstance(left, DecimalType) or isinstance(right, DecimalType):
        a, b = _exact(arguments[0], left, semantics), _exact(arguments[1], right, semantics)
        return Result(rule(a, b), (None, None), may_be_null=not semantics.ansi)
    common = common_type(left, right, Use.COMPARISON, semantics)
    return None if common is None else Result(common, (common, common))


def _floating(left: ColumnType, right: ColumnType, semantics: Semantics) -> Result | None:
    common = common_type(left, right, Use.COMPARISON, semantics)
    return None if common is None else Result(common, (common, common))


def _is_only_text(arguments: Sequence[RowExpression], semantics: Semantics) -> bool:
    """Text beside text is no number in ANSI mode: nothing says which kind it should be."""
    return semantics.is_spark and semantics.ansi and all(is_text(a.type) for a in arguments)


def _number(
    type_: ColumnType, arguments: Sequence[RowExpression], semantics: Semantics
) -> ColumnType | None:
    """What a value is as a number: text beside a number becomes one."""
    if is_numeric(type_) or type_ == VOID:
        return type_
    if not is_text(type_):
        return None
    if not (semantics.is_spark and semantics.ansi):
        return DOUBLE
    others = [a.type for a in arguments if not is_text(a.type)]
    return BIGINT if others and all(is_integer(other) for other in others) else DOUBLE


def _exact(expression: RowExpression, type_: ColumnType, semantics: Semantics) -> DecimalType:
    """An integer beside a decimal counts as a decimal: a literal with its own digits."""
    # Spark counts the digits of no tinyint (``DecimalType.fromLiteral``).
    counted = is_integer(type_) and not (semantics.is_spark and type_ == TINYINT)
    if isinstance(expression, Literal) and counted and expression.value is not None:
        digits = len(expression.value.lstrip("+-").lstrip("0")) or 1
        return DecimalType(min(digits, 38), 0)
    found = decimals.decimal_of(type_, semantics.bigint_digits)
    assert found is not None
    return found


def _times(arguments: Sequence[RowExpression], semantics: Semantics) -> Result | None:
    left, right = (a.type for a in arguments)
    if is_interval(left) or is_interval(right):
        return Result(_scaled(left if is_interval(left) else right))
    return _arithmetic(arguments, semantics, decimals.times)


def _scaled(interval: ColumnType) -> ColumnType:
    """A multiple of an interval has the whole range of its kind's units."""
    if not isinstance(interval, IntervalType):
        return interval
    months = interval.unit in {"year", "month", "year to month"}
    return IntervalType("year to month" if months else "day to second")


def _divide(arguments: Sequence[RowExpression], semantics: Semantics) -> Result | None:
    left, right = (_number(a.type, arguments, semantics) for a in arguments)
    if left is None or right is None or _is_only_text(arguments, semantics):
        return None
    if isinstance(left, DecimalType) or isinstance(right, DecimalType):
        if is_float(left) or is_float(right):
            return Result(DOUBLE, (DOUBLE, DOUBLE))
        if VOID not in (left, right):
            return _arithmetic(arguments, semantics, decimals.divided)
    return Result(DOUBLE, (DOUBLE, DOUBLE))


def _remainder(arguments: Sequence[RowExpression], semantics: Semantics) -> Result | None:
    return _arithmetic(arguments, semantics, decimals.remainder)


def _integer_divide(arguments: Sequence[RowExpression], semantics: Semantics) -> Result | None:
    left, right = (_number(a.type, arguments, semantics) for a in arguments)
    if left is None or right is None or _is_only_text(arguments, semantics):
        return None
    if semantics.is_spark and (is_float(left) or is_float(right)):
        return None
    return Result(BIGINT)


def _same(arguments: Sequence[RowExpression], _: Semantics) -> Result | None:
    return Result(arguments[0].type)


def _wider(arguments: Sequence[RowExpression], semantics: Semantics) -> Result | None:
    common = common_type(arguments[0].type, arguments[1].type, Use.BRANCH, semantics)
    return None if common is None else Result(common, (common, common))


def _shifted(arguments: Sequence[RowExpression], semantics: Semantics) -> Result | None:
    """A bigint stays one; what else Spark takes for a number becomes an int first."""
    type_ = arguments[0].type
    if type_ == BIGINT:
        return Result(BIGINT)
    if not semantics.is_spark:
        return Result(INT)
    accepted = is_numeric(type_) or is_text(type_) or type_ == VOID
    return Result(INT, (INT, None)) if accepted else None


def _whole(arguments: Sequence[RowExpression], semantics: Semantics) -> Result | None:
    """CEIL and FLOOR: a decimal keeps its whole digits and one for the carry."""
    type_ = arguments[0].type
    if isinstance(type_, DecimalType):
        digits = max(1, type_.precision - type_.scale + 1)
        # Spark leaves the precision of a decimal that has no fraction.
        digits = type_.precision if semantics.is_spark and type_.scale == 0 else digits
        return Result(decimals.bounded(digits, 0))
    return Result(BIGINT)


def _rounded(arguments: Sequence[RowExpression], semantics: Semantics) -> Result | None:
    type_ = arguments[0].type
    if not isinstance(type_, DecimalType):
        return Result(DOUBLE if is_text(type_) else type_)
    places = _literal_int(arguments[1]) if len(arguments) > 1 else 0
    if places is None:
        return None if semantics.is_spark else Result(type_)
    whole = type_.precision - type_.scale + 1
    if places < 0:
        return Result(DecimalType(min(38, max(whole, 1 - places)), 0))
    scale = min(type_.scale, places)
    if not semantics.is_spark:
        return Result(decimals.bounded(whole + scale, scale))
    return Result(decimals.bounded(whole + scale, scale))


def _literal_int(expression: RowExpression) -> int | None:
    if isinstance(expression, Literal) and expression.value is not None:
        try:
            return int(expression.value)
        except ValueError:
            return None
    if isinstance(expression, Call) and expression.operator.name == "negative":
        inner = _literal_int(expression.arguments[0])
        return None if inner is None else -inner
    return None


def _absolute(arguments: Sequence[RowExpression], _: Semantics) -> Result | None:
    """Hive's ABS widens the small integers; text becomes double."""
    type_ = arguments[0].type
    if is_integer(type_):
        return Result(BIGINT if type_ == BIGINT else INT)
    return Result(DOUBLE if is_float(type_) or is_text(type_) else type_)


def _hive_sign(arguments: Sequence[RowExpression], _: Semantics) -> Result | None:
    return Result(INT if isinstance(arguments[0].type, DecimalType) else DOUBLE)


def _same_text(arguments: Sequence[RowExpression], _: Semantics) -> Result | None:
    return Result(BINARY if arguments[0].type == BINARY else STRING)


def _reversed(arguments: Sequence[RowExpression], _: Semantics) -> Result | None:
    type_ = arguments[0].type
    if isinstance(type_, ArrayType) or type_ == BINARY:
        return Result(type_)
    return None if isinstance(type_, (MapType, StructType)) else Result(STRING)


def _concat(arguments: Sequence[RowExpression], semantics: Semantics) -> Result | None:
    types = [a.type for a in arguments]
    if not semantics.is_spark:
        return _hive_concat(types)
    if types and all(type_ == BINARY for type_ in types):
        return Result(BINARY)
    if types and any(isinstance(type_, ArrayType) for type_ in types):
        return _common(arguments, semantics)
    if any(isinstance(type_, (MapType, StructType)) for type_ in types):
        return None
    return Result(STRING, tuple(None if is_text(type_) else STRING for type_ in types))


def _hive_concat(types: Sequence[ColumnType]) -> Result | None:
    """Lengths add up where all have one; whatever else takes part makes it a string."""
    if any(isinstance(type_, (ArrayType, MapType, StructType)) for type_ in types):
        return None
    lengths = [t.length for t in types if isinstance(t, (CharType, VarcharType))]
    if types and len(lengths) == len(types):
        if sum(lengths) <= _LONGEST_CHAR and all(isinstance(t, CharType) for t in types):
            return Result(CharType(sum(lengths)))
        if sum(lengths) <= _LONGEST_VARCHAR:
            return Result(VarcharType(sum(lengths)))
    return Result(STRING, tuple(None if is_text(t) or t == BINARY else STRING for t in types))


_LONGEST_CHAR = 255
_LONGEST_VARCHAR = 65_535


def _float_or_double(arguments: Sequence[RowExpression], _: Semantics) -> Result | None:
    """Spark's NANVL: a float of floats, a double of anything else."""
    one, other = (argument.type for argument in arguments)
    type_ = FLOAT if one == FLOAT and other in (FLOAT, VOID) else DOUBLE
    return Result(type_, (type_, type_))


def _date_of_parts(_: Sequence[RowExpression], semantics: Semantics) -> Result | None:
    """Of 31 February ANSI mode makes an error, and Spark without it null."""
    return Result(DATE, may_be_null=not semantics.ansi)


def _moment_of_seconds(arguments: Sequence[RowExpression], _: Semantics) -> Result | None:
    """NaN is no moment, nor is infinity."""
    return Result(TIMESTAMP, may_be_null=is_float(arguments[0].type))


def _shown(arguments: Sequence[RowExpression], _: Semantics) -> Result | None:
    """Spark's TO_CHAR: a number, bytes, a date or a moment by a format."""
    type_ = arguments[0].type
    shown = is_numeric(type_) or is_text(type_) or is_time(type_) or type_ in (BINARY, VOID)
    return Result(STRING) if shown else None


def _masked(arguments: Sequence[RowExpression], _: Semantics) -> Result | None:
    """Hive's MASK functions keep whole numbers and dates what they are."""
    type_ = arguments[0].type
    if isinstance(type_, (CharType, VarcharType)):
        return Result(VarcharType(_LONGEST_VARCHAR))
    if is_integer(type_) or type_ == DATE:
        return Result(type_)
    return Result(STRING) if is_text(type_) else None


def _same_case(arguments: Sequence[RowExpression], _: Semantics) -> Result | None:
    """UPPER and LOWER in Hive keep char and varchar; of anything else they make a string."""
    type_ = arguments[0].type
    return Result(type_ if isinstance(type_, (CharType, VarcharType)) else STRING)


def _positive_remainder(arguments: Sequence[RowExpression], semantics: Semantics) -> Result | None:
    """Hive's PMOD is as wide as both; its % only as the narrower."""
    return _arithmetic(arguments, semantics, decimals.wider)


def _common(values: Sequence[RowExpression], semantics: Semantics) -> Result | None:
    types = [value.type for value in values]
    found: ColumnType | None = types[0]
    for type_ in types[1:]:
        found = None if found is None else common_type(found, type_, Use.BRANCH, semantics)
    return None if found is None else Result(found, (found,) * len(types))


def _with_element(arguments: Sequence[RowExpression], semantics: Semantics) -> Result | None:
    """Spark brings an array and a value to the tightest type that holds both.

    Of a decimal and a whole number that is the decimal, if it has the digits; of two decimals none.
    """
    array, value = (argument.type for argument in arguments)
    if not isinstance(array, ArrayType):
        return None
    element = array.element
    if value in (element, VOID):
        return Result(array)
    found = _tightest(element, value, semantics)
    if found is None:
        return None
    wider = ArrayType(found, array.element_nullable)
    return Result(wider, (wider, found))


def _united(arguments: Sequence[RowExpression], semantics: Semantics) -> Result | None:
    """Two arrays as one, of the tightest type that holds the elements of both."""
    one, other = (argument.type for argument in arguments)
    if VOID in (one, other):
        return Result(other if one == VOID else one)
    if not (isinstance(one, ArrayType) and isinstance(other, ArrayType)):
        return None
    found = _tightest(one.element, other.element, semantics)
    if found is None:
        return None
    made = ArrayType(found, one.element_nullable or other.element_nullable)
    return Result(made, (made, made))


def _tightest(one: ColumnType, other: ColumnType, semantics: Semantics) -> ColumnType | None:
    """Spark's ``findTightestCommonType``: an int and a float meet in float, in ANSI mode too."""
    if is_text(one) != is_text(other) and VOID not in (one, other):
        return None
    found = common_type(one, other, Use.BRANCH, replace(semantics, ansi=False))
    if one != other and (isinstance(one, DecimalType) or isinstance(other, DecimalType)):
        whole = is_integer(one) or is_integer(other)
        return found if whole and found in (one, other) else None
    return found


def _size(arguments: Sequence[RowExpression], semantics: Semantics) -> Result | None:
    """Outside ANSI mode the size of null is -1."""
    return Result(INT, may_be_null=semantics.ansi and arguments[0].nullable)


def _array(arguments: Sequence[RowExpression], semantics: Semantics) -> Result | None:
    if not arguments:
        return Result(ArrayType(VOID if semantics.is_spark else STRING, False))
    found = _common(arguments, semantics)
    if found is None:
        return None
    return Result(ArrayType(found.type, any(a.nullable for a in arguments)), found.arguments)


def _map(arguments: Sequence[RowExpression], semantics: Semantics) -> Result | None:
    if len(arguments) % 2 or not arguments:
        return None
    keys = _common(arguments[::2], semantics)
    values = _common(arguments[1::2], semantics)
    if keys is None or values is None:
        return None
    nullable = any(a.nullable for a in arguments[1::2])
    pairs = (keys.type, values.type) * (len(arguments) // 2)
    return Result(MapType(keys.type, values.type, nullable), pairs)


def _named_struct(arguments: Sequence[RowExpression], _: Semantics) -> Result | None:
    if len(arguments) % 2:
        return None
    fields: list[StructField] = []
    for name, value in zip(arguments[::2], arguments[1::2], strict=True):
        if not isinstance(name, Literal) or name.value is None:
            return None
        fields.append(StructField(name.value, value.type, value.nullable))
    return Result(StructType(tuple(fields)))


def _struct(arguments: Sequence[RowExpression], semantics: Semantics) -> Result | None:
    """Fields are named by position; Spark names a plain reference by its column."""
    fields = []
    for number, argument in enumerate(arguments, 1):
        name = getattr(argument, "name", None) if semantics.is_spark else None
        fields.append(StructField(name or f"col{number}", argument.type, argument.nullable))
    return Result(StructType(tuple(fields)))


def _map_values(arguments: Sequence[RowExpression], _: Semantics) -> Result | None:
    type_ = arguments[0].type
    return (
        Result(ArrayType(type_.value, type_.value_nullable)) if isinstance(type_, MapType) else None
    )


def _element(arguments: Sequence[RowExpression], _: Semantics) -> Result | None:
    match arguments[0].type:
        case ArrayType(element):
            return Result(element)
        case MapType(_, value):
            return Result(value)
        case _:
            return None


def _sum(arguments: Sequence[RowExpression], semantics: Semantics) -> Result | None:
    type_ = arguments[0].type
    if isinstance(type_, DecimalType):
        summed = decimals.bounded(type_.precision + 10, type_.scale)
        return Result(summed, may_be_null=_sum_may_overflow(type_, semantics))
    if is_interval(type_):
        return Result(type_)
    return Result(BIGINT if is_integer(type_) else DOUBLE)


def _average(arguments: Sequence[RowExpression], semantics: Semantics) -> Result | None:
    type_ = arguments[0].type
    if not isinstance(type_, DecimalType):
        return Result(DOUBLE)
    overflow = _sum_may_overflow(type_, semantics)
    if semantics.is_spark:
        average = decimals.bounded(type_.precision + 4, type_.scale + 4)
        return Result(average, may_be_null=overflow)
    whole = type_.precision - type_.scale
    scale = min(type_.scale + 4, 38 - whole)
    return Result(DecimalType(min(whole + scale, 38), scale), may_be_null=overflow)


def _sum_may_overflow(type_: DecimalType, semantics: Semantics) -> bool:
    """Ten digits more hold ten thousand million rows; without room for them a sum may be null."""
    return not semantics.ansi and type_.precision + 10 > decimals.MAX_PRECISION


def _second_average(arguments: Sequence[RowExpression], semantics: Semantics) -> Result | None:
    """REGR_AVGX, the average of its second argument where neither is null."""
    return _average(arguments[1:], semantics)


def _collected(arguments: Sequence[RowExpression], _: Semantics) -> Result | None:
    return Result(ArrayType(arguments[0].type, False))


def _percentile(arguments: Sequence[RowExpression], _: Semantics) -> Result | None:
    many = isinstance(arguments[1].type, ArrayType)
    return Result(ArrayType(DOUBLE, False) if many else DOUBLE)


def _approximate_percentile(arguments: Sequence[RowExpression], _: Semantics) -> Result | None:
    many = isinstance(arguments[1].type, ArrayType)
    one = DOUBLE if is_text(arguments[0].type) else arguments[0].type
    casts = (one, *(None for _ in arguments[1:]))
    return Result(ArrayType(one, False) if many else one, casts)


def _extracted(arguments: Sequence[RowExpression], _: Semantics) -> Result | None:
    unit = arguments[0]
    seconds = isinstance(unit, Literal) and str(unit.value).lower() in {"second", "seconds", "s"}
    return Result(DecimalType(8, 6) if seconds else INT)


def _truncated(arguments: Sequence[RowExpression], _: Semantics) -> Result | None:
    """Hive's TRUNC: of a number that number's type, of a date text."""
    type_ = arguments[0].type
    if isinstance(type_, DecimalType) and len(arguments) == 1:
        return Result(DecimalType(max(1, type_.precision - type_.scale), 0))
    return Result(type_ if is_numeric(type_) else STRING)


def _extract_union(arguments: Sequence[RowExpression], _: Semantics) -> Result | None:
    """LinkedIn's and Trino's view of a uniontype: a struct of ``tag_0``, ``tag_1`` …"""
    return Result(_union_struct(arguments[0].type))


def _union_struct(type_: ColumnType) -> ColumnType:
    match type_:
        case Uniontype(branches):
            fields = (StructField(f"tag_{i}", _union_struct(b)) for i, b in enumerate(branches))
            return StructType(tuple(fields))
        case StructType(fields):
            return StructType(
                tuple(
                    StructField(f.name, _union_struct(f.type), f.nullable, f.comment)
                    for f in fields
                )
            )
        case ArrayType(element, nullable):
            return ArrayType(_union_struct(element), nullable)
        case MapType(key, value, nullable):
            return MapType(key, _union_struct(value), nullable)
        case _:
            return type_


def _rows(_: Sequence[RowExpression], __: Semantics) -> Result | None:
    return Result(StructType(()))


RULES: Mapping[str, Rule] = MappingProxyType(
    {
        "@plus": _plus,
        "@minus": _minus,
        "@times": _times,
        "@divide": _divide,
        "@remainder": _remainder,
        "@integer_divide": _integer_divide,
        "@same": _same,
        "@wider": _wider,
        "@shifted": _shifted,
        "@whole": _whole,
        "@rounded": _rounded,
        "@absolute": _absolute,
        "@hive_sign": _hive_sign,
        "@same_text": _same_text,
        "@same_case": _same_case,
        "@masked": _masked,
        "@shown": _shown,
        "@date_of_parts": _date_of_parts,
        "@moment_of_seconds": _moment_of_seconds,
        "@float_or_double": _float_or_double,
        "@second_average": _second_average,
        "@reversed": _reversed,
        "@positive_remainder": _positive_remainder,
        "@concat": _concat,
        "@array": _array,
        "@with_element": _with_element,
        "@united": _united,
        "@size": _size,
        "@map": _map,
        "@named_struct": _named_struct,
        "@struct": _struct,
        "@map_values": _map_values,
        "@element": _element,
        "@sum": _sum,
        "@average": _average,
        "@collected": _collected,
        "@percentile": _percentile,
        "@approximate_percentile": _approximate_percentile,
        "@extracted": _extracted,
        "@truncated": _truncated,
        "@extract_union": _extract_union,
        "@rows": _rows,
    }
)
