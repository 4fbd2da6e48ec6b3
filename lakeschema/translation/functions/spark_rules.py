"""The ``@rules`` of Spark's functions of numbers, texts and moments."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType

from lakeschema.catalog.column_types import (
    BINARY,
    DATE,
    DOUBLE,
    FLOAT,
    INT,
    INTERVAL,
    STRING,
    TIMESTAMP,
    TIMESTAMP_NTZ,
    VARIANT,
    VOID,
    ColumnType,
    DecimalType,
)
from lakeschema.translation.functions import arithmetic, decimals, nested
from lakeschema.translation.functions.coercion import (
    is_integer,
    is_numeric,
    is_primitive,
    is_text,
)
from lakeschema.translation.functions.constants import constant_int, constant_text
from lakeschema.translation.functions.results import CallResult, Rule
from lakeschema.translation.functions.semantics import Semantics
from lakeschema.translation.plan.expressions import Cast, Literal, RowExpression

_AS_DECIMAL: Mapping[ColumnType, DecimalType] = MappingProxyType(
    {FLOAT: DecimalType(14, 7), DOUBLE: DecimalType(30, 15)}
)
_SECONDS = DecimalType(16, 6)


def _whole_to(arguments: Sequence[RowExpression], semantics: Semantics) -> CallResult | None:
    """CEIL and FLOOR; if the second argument is a number of decimal places, they return a decimal."""
    if len(arguments) == 1:
        return arithmetic.whole(arguments, semantics)
    type_, places = arguments[0].type, constant_int(arguments[1])
    if isinstance(arguments[0], Cast) and is_text(arguments[0].operand.type):
        # With two arguments a text becomes a decimal, not a double.
        exact: DecimalType | None = DecimalType(38, 18)
    else:
        exact = _AS_DECIMAL.get(type_) or decimals.decimal_of(type_, semantics.bigint_digits)
    if exact is None or places is None:
        return None
    whole = exact.precision - exact.scale + 1
    if places < 0:
        rounded = decimals.bounded(max(whole, 1 - places), 0)
    else:
        scale = min(exact.scale, places)
        rounded = decimals.bounded(whole + scale, scale)
    return CallResult(rounded, (exact, None))


def _with_zero(arguments: Sequence[RowExpression], semantics: Semantics) -> CallResult | None:
    """ZEROIFNULL, which is COALESCE with an int."""
    met = nested.common((arguments[0], Literal("0", INT)), semantics)
    return None if met is None else CallResult(met.type, met.arguments[:1])


def _uniform(arguments: Sequence[RowExpression], _: Semantics) -> CallResult | None:
    """UNIFORM returns the wider of two integer types; if one type has a fraction, that type."""
    low, high = (argument.type for argument in arguments[:2])
    if VOID in (low, high):
        return CallResult(DOUBLE)
    if not (is_numeric(low) and is_numeric(high)):
        return None
    if is_integer(low) and is_integer(high):
        order = decimals.decimal_of(low, 20), decimals.decimal_of(high, 20)
        assert order[0] is not None
        assert order[1] is not None
        return CallResult(low if order[0].precision >= order[1].precision else high)
    for wanted in (DOUBLE, FLOAT):
        if wanted in (low, high):
            return CallResult(wanted)
    found = [type_ for type_ in (low, high) if isinstance(type_, DecimalType)]
    type_ = max(found, key=lambda type_: type_.precision)
    # A value between 1.25 and 100 is a decimal(3,2), or null if it does not fit.
    fits = all(_fits(bound, type_) for bound in arguments[:2])
    return CallResult(type_, may_be_null=not fits)


def _fits(bound: RowExpression, type_: DecimalType) -> bool:
    if isinstance(bound.type, DecimalType):
        return bound.type.precision - bound.type.scale <= type_.precision - type_.scale
    value = constant_int(bound)
    return value is not None and abs(value) < 10 ** (type_.precision - type_.scale)


def _chosen(arguments: Sequence[RowExpression], semantics: Semantics) -> CallResult | None:
    """ELT returns bytes if all values are bytes and no setting asks for text; otherwise text."""
    values = [argument.type for argument in arguments[1:]]
    if not values or not all(is_primitive(type_) for type_ in values):
        return None
    if all(type_ == BINARY for type_ in values) and not semantics.elt_as_text:
        return CallResult(BINARY)
    casts = (None if is_text(type_) else STRING for type_ in values)
    return CallResult(STRING, (None, *casts))


def _decoded(arguments: Sequence[RowExpression], semantics: Semantics) -> CallResult | None:
    """DECODE with two arguments reads bytes in a character set.

    With more arguments it is a CASE with an optional default. A missing default counts as a text
    that is null when the common type is chosen.
    """
    if len(arguments) == 2:
        return CallResult(STRING)
    has_default = len(arguments) % 2 == 0
    places = [*range(2, len(arguments), 2), *([len(arguments) - 1] if has_default else [])]
    results = [arguments[place] for place in places]
    met = nested.common([*results, *([] if has_default else [Literal(None, STRING)])], semantics)
    if met is None:
        return None
    casts = tuple(met.type if place in places else None for place in range(len(arguments)))
    return CallResult(met.type, casts, may_be_null=not has_default, null_with=tuple(places))


def _number_of_format(arguments: Sequence[RowExpression], _: Semantics) -> CallResult | None:
    """TO_NUMBER returns a decimal with as many digits as its format has nines and zeros."""
    form = constant_text(arguments[1])
    if form is None:
        return None
    before, _point, after = form.upper().replace("D", ".").partition(".")
    whole, scale = (sum(text.count(digit) for digit in "09") for text in (before, after))
    return CallResult(DecimalType(whole + scale, scale)) if 0 < whole + scale <= 38 else None


def _in_other_zone(arguments: Sequence[RowExpression], _: Semantics) -> CallResult | None:
    """CONVERT_TIMEZONE converts from a zone, or from the session's zone, to another zone."""
    zones = (STRING,) * (len(arguments) - 1)
    return CallResult(TIMESTAMP_NTZ, (*zones, TIMESTAMP_NTZ))


def _of_parts(type_: ColumnType | None) -> Rule:
    """A rule for MAKE_TIMESTAMP, of year to second or of a date and a time, with an optional zone."""

    def rule(arguments: Sequence[RowExpression], semantics: Semantics) -> CallResult | None:
        made = type_ or (TIMESTAMP_NTZ if semantics.zoneless else TIMESTAMP)
        count = len(arguments)
        if count >= 6:
            parts = (INT,) * 5 + (_SECONDS, STRING)
            return CallResult(made, parts[:count], may_be_null=not semantics.ansi)
        if count > 3:
            return None
        return CallResult(made, (DATE, None, STRING)[:count])

    return rule


def _interval_of_parts(_: Sequence[RowExpression], semantics: Semantics) -> CallResult | None:
    """An interval of parts; outside ANSI mode an overflow gives null."""
    return CallResult(INTERVAL, may_be_null=not semantics.ansi)


def _hexadecimal(arguments: Sequence[RowExpression], _: Semantics) -> CallResult | None:
    """HEX of a variant may be null: a variant can hold null as a value."""
    return CallResult(STRING, may_be_null=arguments[0].type == VARIANT)


RULES: Mapping[str, Rule] = MappingProxyType(
    {
        "@hexadecimal": _hexadecimal,
        "@whole_to": _whole_to,
        "@with_zero": _with_zero,
        "@uniform": _uniform,
        "@chosen": _chosen,
        "@decoded": _decoded,
        "@number_of_format": _number_of_format,
        "@in_other_zone": _in_other_zone,
        "@moment_of_parts": _of_parts(None),
        "@instant_of_parts": _of_parts(TIMESTAMP),
        "@zoneless_of_parts": _of_parts(TIMESTAMP_NTZ),
        "@interval_of_parts": _interval_of_parts,
    }
)
