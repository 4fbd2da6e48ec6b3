"""Writes Trino's decimals for Spark sessions that lose no fractional digits.

With ``spark.sql.decimalOperations.allowPrecisionLoss`` off, sums, products and remainders have
Trino's digits, and both engines refuse overflows. Quotients are rounded once, as in Trino.
"""

from __future__ import annotations

from lakeschema.catalog.column_types import DecimalType
from lakeschema.translation.emission.spark.from_trino.arguments import refused
from lakeschema.translation.emission.spark.from_trino.types import type_text

KEEPS_DIGITS = ("spark.sql.decimalOperations.allowPrecisionLoss", "false")
_MOST = 38
_FEWEST = 6


def quotient(left: str, a: DecimalType, right: str, b: DecimalType, made: DecimalType) -> str:
    """The quotient ``left / right``, rounded half up to the scale of ``made``.

    Spark first rounds to another scale. A second rounding is correct if there are enough digits to
    tell each quotient from a tie. Otherwise the remainder decides.
    """
    scale = made.scale
    whole = a.precision - a.scale
    wanted = max(_FEWEST, scale + b.precision + 1)
    if whole + b.scale + wanted <= _MOST and whole + scale <= _MOST and scale >= b.scale:
        dividend = f"CAST({left} AS DECIMAL({whole + scale}, {scale}))"
        return f"CAST(({dividend} / {right}) AS {type_text(made)})"
    if _sparks_scale(a, b) < scale:
        raise refused("/ of decimals with this many digits")
    wide = f"DECIMAL({_MOST}, {scale})"
    pair = f"array(named_struct('a', {left}, 'b', {right}))"
    known = (
        f"transform({pair}, x -> named_struct('a', x.a, 'b', x.b, 'q', CAST(x.a / x.b AS {wide})))"
    )
    unit = f"CAST('1E-{scale}' AS {wide})"
    rest = "(x.a - x.q * x.b)"
    twice, all_ = f"abs({rest} * 2)", f"abs(x.b * {unit})"
    outward = f"({twice} = {all_} AND sign({rest}) = sign(x.a))"
    step = f"if(sign({rest}) = sign(x.b), {unit}, - {unit})"
    corrected = f"x.q + if({twice} > {all_} OR {outward}, {step}, 0 * {unit})"
    return f"CAST(transform({known}, x -> {corrected})[0] AS {type_text(made)})"


def _sparks_scale(a: DecimalType, b: DecimalType) -> int:
    whole = min(_MOST, a.precision - a.scale + b.scale)
    scale = min(_MOST, max(_FEWEST, a.scale + b.precision + 1))
    excess = whole + scale - _MOST
    return scale if excess <= 0 else scale - (excess // 2 + 1)
