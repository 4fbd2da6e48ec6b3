"""Trino's operators and numeric functions, for Spark."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Final

from lakeschema.catalog.column_types import (
    DATE,
    DOUBLE,
    FLOAT,
    ArrayType,
    DecimalType,
    IntervalType,
    MapType,
    StructType,
    print_type,
)
from lakeschema.catalog.trino_types import moment_of
from lakeschema.translation.emission.spark.from_trino.arguments import (
    Write,
    refused,
    whole,
    written,
)
from lakeschema.translation.emission.spark.from_trino.decimals import quotient
from lakeschema.translation.emission.spark.from_trino.forms import TRIED
from lakeschema.translation.emission.spark.from_trino.types import type_text
from lakeschema.translation.emission.spark.text import string
from lakeschema.translation.plan.expressions import Call, Literal, RowExpression, converted_from

_FLOATS: Final = (DOUBLE, FLOAT)


# operators


def _infix(call: Call, texts: Sequence[str]) -> str:
    left, right = call.arguments[0].type, call.arguments[1].type
    name = call.operator.name
    if isinstance(call.type, DecimalType):
        return _decimal(call, texts)
    if name == "-" and moment_of(left) is not None and moment_of(right) is not None:
        raise refused("a difference of timestamps")
    if left == right == DATE:
        raise refused("a difference of dates")
    if isinstance(left, IntervalType) and isinstance(right, IntervalType):
        return f"({texts[0]} {name} {texts[1]})"
    if name in {"*", "/"} and IntervalType in (type(left), type(right)):
        raise refused("a multiple of an interval")
    if any(print_type(type_).startswith("time(") for type_ in (left, right)):
        raise refused("arithmetic of times of day")
    return f"({texts[0]} {name} {texts[1]})"


def _decimal(call: Call, texts: Sequence[str]) -> str:
    a, b = (argument.type for argument in call.arguments)
    assert isinstance(a, DecimalType)
    assert isinstance(b, DecimalType)
    assert isinstance(call.type, DecimalType)
    if call.operator.name == "/":
        return quotient(texts[0], a, texts[1], b, call.type)
    symbol = "%" if call.operator.name == "mod" else call.operator.name
    return f"CAST(({texts[0]} {symbol} {texts[1]}) AS {type_text(call.type)})"


def _divide(call: Call, texts: Sequence[str]) -> str:
    if call.type not in _FLOATS:
        if isinstance(call.type, (DecimalType, IntervalType)):
            return _infix(call, texts)
        return f"CAST(({texts[0]} DIV {texts[1]}) AS {type_text(call.type)})"
    divisor = call.arguments[1]
    if _never_zero(divisor):
        return f"({texts[0]} / {texts[1]})"
    infinite = "CAST('Infinity' AS DOUBLE)"
    sign = f"if(CAST({texts[1]} AS STRING) = '-0.0', -1D, 1D)"
    return (
        f"if({texts[1]} = 0, {texts[0]} * {infinite} * {sign}, {texts[0]} / nullif({texts[1]}, 0))"
    )


def _never_zero(divisor: RowExpression) -> bool:
    text = written(divisor)
    if text is not None:
        return bool(re.search("[1-9]", text.lower().partition("e")[0]))
    divisor = converted_from(divisor)
    if not isinstance(divisor, Call):
        return False
    name, arguments = divisor.operator.name, divisor.arguments
    if name == "nullif":
        zero = written(arguments[1])
        return zero is not None and not re.search("[1-9]", zero.lower().partition("e")[0])
    if name == "ln":
        value = written(arguments[0])
        return value is not None and float(value) not in (0.0, 1.0)
    return False


def _rest(call: Call, texts: Sequence[str]) -> str:
    if call.type not in _FLOATS:
        return (
            _infix(call, texts)
            if isinstance(call.type, DecimalType)
            else (f"({texts[0]} % {texts[1]})")
        )
    if _never_zero(call.arguments[1]):
        return f"({texts[0]} % {texts[1]})"
    none = f"if({texts[0]} IS NULL, NULL, CAST('NaN' AS DOUBLE))"
    return f"if({texts[1]} = 0, {none}, {texts[0]} % nullif({texts[1]}, 0))"


def _comparison(call: Call, texts: Sequence[str]) -> str:
    """Writes a comparison; in Trino NaN differs from all numbers, even from itself."""
    name = call.operator.name
    text = f"({texts[0]} {name} {texts[1]})"
    if any(isinstance(a.type, (StructType, MapType)) for a in call.arguments):
        raise refused("a comparison of rows or maps")
    doubtful = [
        t
        for t, a in zip(texts, call.arguments, strict=True)
        if a.type in _FLOATS and written(a) is None
    ]
    if not doubtful:
        return text
    any_nan = " OR ".join(f"isnan({each})" for each in doubtful)
    unlike = "true" if name == "<>" else "false"
    nulls = " OR ".join(
        f"{t} IS NULL" for t, a in zip(texts, call.arguments, strict=True) if written(a) is None
    )
    return f"CASE WHEN {nulls} THEN NULL WHEN {any_nan} THEN {unlike} ELSE {text} END"


def _like(_: Call, texts: Sequence[str]) -> str:
    escape = texts[2] if len(texts) > 2 else string("\x01")
    return f"({texts[0]} LIKE {texts[1]} ESCAPE {escape})"


def _concat(call: Call, texts: Sequence[str]) -> str:
    if isinstance(call.type, ArrayType):
        parts = [
            text if isinstance(a.type, ArrayType) and _is_list(call, i) else f"array({text})"
            for i, (text, a) in enumerate(zip(texts, call.arguments, strict=True))
        ]
        return f"concat({', '.join(parts)})"
    return f"concat({', '.join(texts)})"


def _is_list(call: Call, place: int) -> bool:
    """Whether the argument is an array to concatenate; otherwise it is an element."""
    argument = call.arguments[place].type
    assert isinstance(call.type, ArrayType)
    return isinstance(argument, ArrayType) and print_type(argument.element) == print_type(
        call.type.element
    )


def _if(_: Call, texts: Sequence[str]) -> str:
    return f"if({', '.join(texts if len(texts) > 2 else (*texts, 'NULL'))})"


def tried_form(call: Call) -> str | None:
    """The form of a call inside TRY; None if its ordinary text is enough.

    Raises:
        UnsupportedConstruct: the inner expression cannot be tried.
    """
    (inner,) = call.arguments
    if isinstance(inner, Literal):
        return None
    if isinstance(inner, Call):
        form = TRIED.get(inner.operator.name)
        number = inner.type not in _FLOATS and not isinstance(inner.type, DecimalType)
        if form is not None and number:
            return form
    raise refused("TRY of this expression")


# numbers


def _rounded_up_or_down(call: Call, texts: Sequence[str]) -> str:
    name = {"ceiling": "ceil"}.get(call.operator.name, call.operator.name)
    if call.type not in _FLOATS:
        return f"{name}({texts[0]})"
    big = f"abs({texts[0]}) >= 4503599627370496D OR isnan({texts[0]})"
    return f"if({big}, {texts[0]}, CAST({name}({texts[0]}) AS DOUBLE))"


def _truncate(call: Call, texts: Sequence[str]) -> str:
    if len(texts) > 1:
        raise refused("truncate to some digits")
    if call.type in _FLOATS:
        big = f"abs({texts[0]}) >= 4503599627370496D OR isnan({texts[0]})"
        return f"if({big}, {texts[0]}, CAST(CAST({texts[0]} AS BIGINT) AS DOUBLE))"
    return f"if({texts[0]} < 0, ceil({texts[0]}), floor({texts[0]}))"


def _shift(name: str) -> Write:
    def write(call: Call, texts: Sequence[str]) -> str:
        places = whole(call.arguments[1])
        bits = {"bigint": 64, "int": 32}.get(print_type(call.type))
        if places is None or bits is None or not 0 <= places < bits:
            raise refused("a shift by this number")
        return f"{name}({texts[0]}, CAST({texts[1]} AS INT))"

    return write


def _bit_count(call: Call, texts: Sequence[str]) -> str:
    if whole(call.arguments[1]) != 64:
        raise refused("bit_count of this many bits")
    return f"bit_count({texts[0]})"


def _random(call: Call, _: Sequence[str]) -> str:
    if call.arguments:
        raise refused("a random number within bounds")
    return "rand()"


OPERATORS: Final[Mapping[str, Write]] = MappingProxyType(
    {
        **dict.fromkeys(("+", "-", "*"), _infix),
        "/": _divide,
        **dict.fromkeys(("%", "mod"), _rest),
        **dict.fromkeys(("=", "<>", "<", "<=", ">", ">="), _comparison),
        "like": _like,
        **dict.fromkeys(("||", "concat"), _concat),
        "if": _if,
        **dict.fromkeys(("ceil", "ceiling", "floor"), _rounded_up_or_down),
        "truncate": _truncate,
        "sign": lambda call, texts: f"CAST(sign({texts[0]}) AS {type_text(call.type)})",
        "bitwise_left_shift": _shift("shiftleft"),
        "bitwise_right_shift": _shift("shiftrightunsigned"),
        "bitwise_right_shift_arithmetic": _shift("shiftright"),
        "bit_count": _bit_count,
        **dict.fromkeys(("random", "rand"), _random),
    }
)
