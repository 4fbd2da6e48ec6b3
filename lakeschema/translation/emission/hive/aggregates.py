"""Writes aggregates for Hive whose form depends on more than their arguments' classes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Final, TypeAlias

from lakeschema.catalog.column_types import BIGINT, DecimalType
from lakeschema.catalog.relations import Dialect
from lakeschema.translation.emission.hive.casts import NOT_FINITE
from lakeschema.translation.emission.hive.given import HiveCall
from lakeschema.translation.emission.hive.text import refused
from lakeschema.translation.emission.rows import letter
from lakeschema.translation.functions.binding import bind, find
from lakeschema.translation.functions.coercion import is_integer
from lakeschema.translation.functions.semantics import Semantics
from lakeschema.translation.plan.expressions import unconverted

Writer: TypeAlias = Callable[[HiveCall], str]
_HIVE: Final = Semantics(Dialect.HIVE)
_SUMMED: Final = 28
"""The number of digits with which 10^10 decimals can be added without overflow."""
_MOST_DIGITS: Final = 37


def count(call: HiveCall) -> str:
    """Writes ``count``; with several arguments it counts the rows without a null.

    Hive allows several arguments only with DISTINCT.
    """
    if call.quantifier or len(call.arguments) == 1:
        return call.fill("count({q}{*}){w}")
    present = " AND ".join(f"{text} IS NOT NULL" for text in call.texts)
    return f"count(CASE WHEN {present} THEN 1 END){call.suffix}"


def summed(call: HiveCall) -> str:
    """Writes sums and averages, if Hive's result has as many digits.

    In ANSI mode, an overflow must fail.
    """
    name = "sum" if call.name == "sum" else "avg"
    hives = find(name, Dialect.HIVE)
    assert hives is not None
    if bind(hives, call.arguments, _HIVE).type != call.type:
        raise call.unsupported("Hive's decimal result has other digits")
    made = f"{name}({{q}}{{0}}){{w}}"
    type_ = call.arguments[0].type
    if name == "avg" and is_integer(type_):
        # Spark adds doubles, Hive longs.
        return call.fill("avg({q}CAST({0} AS DOUBLE)){w}")
    if isinstance(type_, DecimalType) and type_.precision > _SUMMED:
        # Intermediate sums may have too many digits for a decimal, and then the engines round differently.
        failed = refused("a sum of nearly as many digits as a decimal has", call.type)
        total = "sum({q}CAST(abs({0}) AS DOUBLE)){w}"
        limit = f"1e{_MOST_DIGITS - type_.scale}D"
        return call.fill(f"CASE WHEN {total} >= {limit} THEN {failed} ELSE {made} END")
    if call.ansi and isinstance(type_, DecimalType):
        made = f"CASE WHEN {made} IS NULL AND count({{0}}){{w}} > 0 THEN {{raised}} ELSE {made} END"
    elif call.ansi and name == "sum" and type_ == BIGINT:
        exact = "sum({q}CAST({0} AS DECIMAL(19,0))){w}"
        made = f"CASE WHEN {made} <> {exact} THEN {{raised}} ELSE {made} END"
    return call.fill(made)


def windowed(form: str) -> Writer:
    """Writes functions that Hive computes only over windows."""

    def write(call: HiveCall) -> str:
        if not call.suffix:
            raise call.unsupported("Hive only supports it over windows")
        return call.fill(form)

    return write


def of_squares(form: str) -> Writer:
    """Writes functions of squares.

    For groups, Hive's optimiser uses sums of squares, which round differently.
    """
    write = of_powers(form)

    def write_windowed(call: HiveCall) -> str:
        if not call.suffix:
            raise call.unsupported("Hive rounds it differently for groups")
        return write(call)

    return write_windowed


def percentile(call: HiveCall) -> str:
    """Writes percentiles: Hive's ``percentile`` takes only longs, its WITHIN GROUP takes any numbers."""
    if call.suffix or call.quantifier or call.constant(1) is None:
        raise call.unsupported("windows, DISTINCT and a computed share")
    if letter(unconverted(call.arguments[0]).type) not in "ix":
        raise call.unsupported("numbers that may be NaN")
    return call.fill("percentile_cont({1}) WITHIN GROUP (ORDER BY {0})")


def shifted(call: HiveCall) -> str:
    """Writes ``lag`` and ``lead``; Hive requires a constant, non-negative number of rows."""
    if call.digits(1, "1").startswith("-"):
        raise call.unsupported("a negative number of rows")
    return call.fill("{f}({*}){w}")


def of_powers(form: str) -> Writer:
    """Writes aggregates of powers: Spark returns NaN if a value is infinite or NaN."""

    def write(call: HiveCall) -> str:
        if len(call.texts) > 1:
            # Spark checks the second value only if the first is not null.
            first, second = call.texts
            call = replace(call, texts=[first, f"CASE WHEN {first} IS NOT NULL THEN {second} END"])
        made = call.fill(form)
        present = " AND ".join(f"{text} IS NOT NULL" for text in call.texts)
        odd = " OR ".join(NOT_FINITE.format(text) for text in call.texts)
        found = f"max(CASE WHEN {present} AND ({odd}) THEN 1 ELSE 0 END){call.suffix}"
        return f"CASE WHEN {made} IS NULL THEN NULL WHEN {found} = 1 THEN CAST('NaN' AS DOUBLE) ELSE {made} END"

    return write
