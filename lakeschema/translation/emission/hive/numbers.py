"""Writes Spark's arithmetic and comparisons for Hive.

Without ANSI mode, in both engines integers wrap around and a division by zero is null. In ANSI mode
Spark fails, and so does the emitted text.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from decimal import Decimal
from typing import Final

from lakeschema.catalog.column_types import (
    BIGINT,
    DATE,
    SMALLINT,
    TINYINT,
    ColumnType,
    DecimalType,
    IntervalType,
)
from lakeschema.catalog.relations import Dialect
from lakeschema.translation.emission.hive.given import HiveCall
from lakeschema.translation.emission.hive.text import literal, refused, type_text
from lakeschema.translation.emission.hive.texts import by_one_calendar
from lakeschema.translation.emission.rows import classes_of, letter
from lakeschema.translation.functions import decimals
from lakeschema.translation.functions.binding import bind, find
from lakeschema.translation.functions.coercion import is_integer
from lakeschema.translation.functions.semantics import Semantics
from lakeschema.translation.plan.expressions import (
    Cast,
    ColumnReference,
    LambdaVariable,
    Literal,
    OuterReference,
    RowExpression,
    walk,
)

_HIVE: Final = Semantics(Dialect.HIVE)
_OF_ROWS: Final = (ColumnReference, OuterReference, LambdaVariable)
_SPARKS_LONG: Final = 20
"""The number of digits that Spark counts for a BIGINT in decimal arithmetic."""
_LONG: Final = "CAST({} AS DECIMAL(19,0))"
NAN: Final = "(CAST({0} AS STRING) = 'NaN')"


def arithmetic(call: HiveCall) -> str:
    classes = classes_of(call.arguments)
    plain = f"({{0}} {call.name} {{1}})"
    if classes == "ii":
        return call.fill(_checked(call, plain) if call.ansi else _typed(call, plain))
    if set(classes) <= {"f", "d"}:
        return call.fill(plain)
    if set(classes) <= {"x", "i"}:
        call = _of_decimals(call)
        if (digits := _digits_left(call)) is not None:
            failed = refused("a product of more digits than a decimal has", call.type)
            size = "abs(CAST({0} AS DOUBLE) * CAST({1} AS DOUBLE))"
            return call.fill(f"CASE WHEN {size} >= 1e{digits}D THEN {failed} ELSE {plain} END")
        return call.fill(_or_raise(call, plain) if call.ansi else plain)
    if {"D", "T"} & set(classes) and {"v", "w"} & set(classes):
        return _of_time(call)
    raise call.unsupported("no equivalent form is known for these argument types")


def _typed(call: HiveCall, form: str) -> str:
    """The form, cast to the plan's type if Hive's type is wider."""
    hives = find(call.name, Dialect.HIVE)
    assert hives is not None
    is_same = bind(hives, call.arguments, _HIVE).type == call.type
    return form if is_same else f"CAST({form} AS {type_text(call.type)})"


def _checked(call: HiveCall, plain: str) -> str:
    """Writes an operation that fails on overflow: its result is compared with that in a wider type."""
    made = _typed(call, plain)
    return f"CASE WHEN {made} <> {_exact(call, call.name)} THEN {{raised}} ELSE {made} END"


def _exact(call: HiveCall, symbol: str) -> str:
    wide = "CAST({} AS BIGINT)" if call.type != BIGINT else _LONG
    return f"({wide.format('{0}')} {symbol} {wide.format('{1}')})"


def _of_decimals(call: HiveCall) -> HiveCall:
    """The call with integers replaced by decimals, which give Hive Spark's result type.

    A literal integer has as many digits as written, unless a setting of the view says otherwise.
    """
    hives = find(call.name, Dialect.HIVE)
    assert hives is not None
    for by_digits in (True, False):
        arguments = [_as_decimal(argument, by_digits=by_digits) for argument in call.arguments]
        if bind(hives, arguments, _HIVE).type == call.type == _folded(call, arguments):
            texts = [
                text if new is old else _cast_text(new, text)
                for new, old, text in zip(arguments, call.arguments, call.texts, strict=True)
            ]
            return replace(call, arguments=arguments, texts=texts)
    raise call.unsupported("Hive's decimal result has other digits")


def _digits_left(call: HiveCall) -> int | None:
    """The digits before the point of a product that may exceed a decimal; otherwise None.

    Spark then rounds the fraction, and Hive returns null.
    """
    types = [a.type for a in call.arguments if isinstance(a.type, DecimalType)]
    if call.name != "*" or sum(t.precision for t in types) < decimals.MAX_PRECISION:
        return None
    return decimals.MAX_PRECISION - 1 - sum(t.scale for t in types)


def _as_decimal(argument: RowExpression, *, by_digits: bool) -> RowExpression:
    if not is_integer(argument.type):
        return argument
    target = decimals.decimal_of(argument.type, _SPARKS_LONG)
    if by_digits and isinstance(argument, Literal) and argument.value is not None:
        target = DecimalType(len(argument.value.lstrip("-")), 0)
    assert target is not None
    return Cast(argument, target, argument.nullable, implicit=True)


def _folded(call: HiveCall, arguments: Sequence[RowExpression]) -> ColumnType | None:
    """The type of a sum of a constant and another value, after Hive has folded the constant.

    None if it is unknown.
    """
    constants = [a for a in arguments if not any(isinstance(part, _OF_ROWS) for part in walk(a))]
    if call.name not in {"+", "-"} or len(constants) != 1:
        return call.type
    counted = [_digits(a) if a in constants else a.type for a in arguments]
    one, other = (type_ if isinstance(type_, DecimalType) else None for type_ in counted)
    return None if one is None or other is None else decimals.plus(one, other)


def _digits(constant: RowExpression) -> DecimalType | None:
    """The digits of a constant as written, without its casts; None for other expressions."""
    written = constant.operand if isinstance(constant, Cast) else constant
    is_number = is_integer(written.type) or isinstance(written.type, DecimalType)
    if not isinstance(written, Literal) or written.value is None or not is_number:
        return None
    number = Decimal(written.value)
    holds = isinstance(constant.type, DecimalType) and decimals.holds(constant.type, number)
    return decimals.of_number(number) if holds else None


def _cast_text(argument: RowExpression, text: str) -> str:
    return f"CAST({text} AS {type_text(argument.type)})"


def _or_raise(call: HiveCall, plain: str) -> str:
    """The form with an error if the result is null although no argument is."""
    nulls = " OR ".join(f"{{{place}}} IS NULL" for place in range(len(call.arguments)))
    return f"CASE WHEN {nulls} OR {plain} IS NOT NULL THEN {plain} ELSE {{raised}} END"


def _of_time(call: HiveCall) -> str:
    """A date or timestamp plus a literal interval.

    For dates the interval has whole days; for timestamps it may be any.
    """
    place = next(i for i, a in enumerate(call.arguments) if isinstance(a.type, IntervalType))
    if not isinstance(call.arguments[place], Literal):
        raise call.unsupported("the interval must be a constant")
    if letter(call.arguments[place].type) == "v":
        if place == 0:
            raise call.unsupported("the interval must be the second operand")
        return call.fill(by_one_calendar(f"({{0}} {call.name} {{1}})", call.type))
    made = call.fill(f"({{0}} {call.name} {{1}})")
    if letter(call.type) == "D" and letter(call.arguments[place].type) == "w":
        # For an interval with days, Hive turns a date into a timestamp.
        return f"CAST({made} AS DATE)"
    return made


def tried(call: HiveCall) -> str:
    """Writes ``try_…``: null if an integer overflows."""
    symbol = {"try_add": "+", "try_subtract": "-", "try_multiply": "*"}[call.name]
    plain = f"({{0}} {symbol} {{1}})"
    if letter(call.type) != "i":
        return call.fill(plain)
    made = f"CAST({plain} AS {type_text(call.type)})"
    return call.fill(f"CASE WHEN {made} = {_exact(call, symbol)} THEN {made} END")


def divide(call: HiveCall) -> str:
    classes = classes_of(call.arguments)
    if classes == "dd":
        form = "({0} / {1})"
    elif "x" in classes and set(classes) <= {"x", "i"}:
        call, form = _of_decimals(call), "({0} / {1})"
    else:
        raise call.unsupported("no equivalent form is known for these argument types")
    return call.fill(_by_zero(call, form))


def _by_zero(call: HiveCall, form: str) -> str:
    if not call.ansi:
        return form
    checked = _or_raise(call, form) if isinstance(call.type, DecimalType) else form
    return f"CASE WHEN {{1}} = 0 AND {{0}} IS NOT NULL THEN {{raised}} ELSE {checked} END"


def whole_quotient(call: HiveCall) -> str:
    """Writes ``div`` for integers; the result is a long."""
    wide = call.arguments[0].type == BIGINT
    form = "({0} DIV {1})" if wide else "(CAST({0} AS BIGINT) DIV CAST({1} AS BIGINT))"
    if not call.ansi:
        # Hive fails on division by zero.
        return call.fill(f"CASE WHEN {{1}} <> 0 THEN {form} END")
    if wide:
        least = literal(str(-(2**63)), BIGINT)
        form = f"CASE WHEN {{1}} = (-1L) AND {{0}} = {least} THEN {{raised}} ELSE {form} END"
    return call.fill(_by_zero(call, form))


def remainder(call: HiveCall) -> str:
    if classes_of(call.arguments) == "xx":
        raise call.unsupported("decimals")
    return call.fill(_by_zero(call, _typed(call, "({0} % {1})")))


def positive_remainder(call: HiveCall) -> str:
    divided = _typed(call, "({0} % {1})")
    # An intermediate result of Hive's ``pmod`` wraps around.
    again = f"CAST(({divided} + {{1}}) % {{1}} AS {type_text(call.type)})"
    if call.type in (TINYINT, SMALLINT):
        wide = f"(CAST({divided} AS INT) + CAST({{1}} AS INT)) % CAST({{1}} AS INT)"
        again = f"CAST({wide} AS {type_text(call.type)})"
    return call.fill(_by_zero(call, f"CASE WHEN {divided} < 0 THEN {again} ELSE {divided} END"))


def null_if(call: HiveCall) -> str:
    one, other = (argument.type for argument in call.arguments)
    if one != other:
        raise call.unsupported("values of different types")
    return call.fill("CASE WHEN {0} = {1} THEN NULL ELSE {0} END")


def negative(call: HiveCall) -> str:
    _refuse_rounded(call)
    if call.ansi and letter(call.type) == "i":
        return call.fill("CASE WHEN {0} <> 0 AND (- {0}) = {0} THEN {raised} ELSE (- {0}) END")
    return call.fill("(- {0})")


_ROUNDED: Final = 34


def _refuse_rounded(call: HiveCall) -> None:
    if isinstance(call.type, DecimalType) and call.type.precision > _ROUNDED:
        raise call.unsupported("Spark rounds numbers of more than 34 digits")


def absolute(call: HiveCall) -> str:
    _refuse_rounded(call)
    form = f"CAST(abs({{0}}) AS {type_text(call.type)})"
    if letter(call.type) == "i":
        # Hive widens a tinyint first; in Spark, the opposite of -128 wraps around.
        wrapped = f"CASE WHEN {{0}} < 0 THEN CAST(- {{0}} AS {type_text(call.type)}) ELSE {{0}} END"
        if call.ansi:
            return call.fill(
                f"CASE WHEN {{0}} <> 0 AND (- {{0}}) = {{0}} THEN {{raised}} ELSE {wrapped} END"
            )
        return call.fill(wrapped)
    return call.fill(form)


def compare(call: HiveCall) -> str:
    """Writes a comparison: in Spark, NaN equals NaN and is the greatest number."""
    plain = f"({{0}} {call.name} {{1}})"
    if not (set(classes_of(call.arguments)) & {"f", "d"}):
        return call.fill(plain)
    left, right = NAN, NAN.replace("{0}", "{1}")
    both = f"({left} AND {right})"
    match call.name:
        case "=":
            form = f"CASE WHEN {both} THEN true ELSE {plain} END"
        case "<>":
            form = f"CASE WHEN {both} THEN false ELSE {plain} END"
        case "<":
            form = f"CASE WHEN {left} THEN {{1}} IS NULL AND NULL WHEN {right} THEN {{0}} IS NOT NULL OR NULL ELSE {plain} END"
        case ">":
            form = f"CASE WHEN {right} THEN {{0}} IS NULL AND NULL WHEN {left} THEN {{1}} IS NOT NULL OR NULL ELSE {plain} END"
        case "<=":
            form = f"CASE WHEN {right} THEN {{0}} IS NOT NULL OR NULL WHEN {left} THEN {{1}} IS NULL AND NULL ELSE {plain} END"
        case _:
            form = f"CASE WHEN {left} THEN {{1}} IS NOT NULL OR NULL WHEN {right} THEN {{0}} IS NULL AND NULL ELSE {plain} END"
    return call.fill(form)


def null_safe(call: HiveCall) -> str:
    if set(classes_of(call.arguments)) & {"f", "d"}:
        right = NAN.replace("{0}", "{1}")
        return call.fill(f"CASE WHEN {NAN} AND {right} THEN true ELSE ({{0}} <=> {{1}}) END")
    return call.fill("({0} <=> {1})")


def between(call: HiveCall) -> str:
    """Writes BETWEEN. In Hive it is null if a bound is null, even if the other bound decides.

    See ``connections``.
    """
    if set(classes_of(call.arguments)) & {"f", "d"}:
        raise call.unsupported("numbers that may be NaN")
    return call.fill(
        "CASE WHEN (if({0} < {1}, 1, 0) + if({0} > {2}, 1, 0)) > 0 THEN false"
        " WHEN {0} IS NULL OR {1} IS NULL OR {2} IS NULL THEN NULL ELSE true END"
    )


def one_of(call: HiveCall) -> str:
    if letter(call.arguments[0].type) in "fd":
        raise call.unsupported("numbers that may be NaN")
    return call.fill("({0} IN ({1*}))")


def whole(call: HiveCall) -> str:
    """Writes ``ceil`` and ``floor``; Hive would convert a long to double."""
    name = "ceil" if call.name.startswith("ceil") else "floor"
    if len(call.arguments) > 1:
        raise call.unsupported("rounding to a number of digits")
    if letter(call.arguments[0].type) == "i":
        return call.fill(f"CAST({{0}} AS {type_text(call.type)})")
    made = f"CAST({name}({{0}}) AS {type_text(call.type)})"
    if call.ansi and letter(call.arguments[0].type) in "fd":
        bound = "9223372036854775808D"
        odd = f"{{0}} >= {bound} OR {{0}} < (-{bound})"
        made = f"CASE WHEN {odd} THEN {{raised}} ELSE {made} END"
    return call.fill(made)


def extreme(call: HiveCall) -> str:
    """Writes ``greatest`` and ``least``, which ignore nulls in Spark; in Hive any null makes them null."""
    texts = list(call.texts)
    if not any(argument.nullable for argument in call.arguments):
        return call.fill("{f}({*})")
    others = (texts[place:] + texts[:place] for place in range(len(texts)))
    chosen = ", ".join(f"coalesce({', '.join(each)})" for each in others)
    return f"{call.name}({chosen})"


def rounded(call: HiveCall) -> str:
    """Writes ``round``; Hive requires a constant number of digits."""
    digits = call.digits(1, "0")
    if call.ansi and letter(call.type) == "i" and digits.startswith("-"):
        raise call.unsupported("the rounded number may not fit")
    return call.fill(f"CAST({call.name}({{0}}, {digits}) AS {type_text(call.type)})")


def shift(call: HiveCall) -> str:
    name = {"<<": "shiftleft", ">>": "shiftright", ">>>": "shiftrightunsigned"}.get(
        call.name, call.name
    )
    return call.fill(f"{name}({{0}}, {{1}})")


def date_plus(call: HiveCall) -> str:
    """Writes a date plus days; beyond an int, Spark wraps around."""
    name = "date_sub" if call.name == "date_sub" else "date_add"
    return call.fill(f"CAST({name}({{0}}, {{1}}) AS {type_text(DATE)})")
