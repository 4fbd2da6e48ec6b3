"""Spark's functions of numbers that Hive lacks, or that give null less often than Hive's (Spark 4.3)."""

from __future__ import annotations

from typing import Final

from lakeschema.translation.functions.signature import NEVER, PARTIAL, TOTAL, Row

# fmt: off
ROWS: Final = (
    # Undefined results are NaN, which is a value; only logarithms return null.
    Row("exp expm1 cbrt sqrt degrees radians rint", "double", "double", TOTAL),
    Row("sin cos tan cot csc sec asin acos atan", "double", "double", TOTAL),
    Row("sinh cosh tanh asinh acosh atanh", "double", "double", TOTAL),
    Row("hypot", "double, double", "double", TOTAL),
    Row("ceil floor", "number, int?", "@whole_to", PARTIAL),
    Row("try_mod", "any, any", "@remainder", PARTIAL),
    Row("nullifzero", "any", "@same", PARTIAL, keeps=0),
    Row("zeroifnull", "any", "@with_zero", NEVER),
    Row("width_bucket", "any, any, any, bigint", "bigint", PARTIAL),

    # bits
    Row("bit_count", "integer", "int", TOTAL),
    Row("bit_get", "integer, int", "tinyint", TOTAL),
    Row("shiftrightunsigned >>>", "any, int", "@shifted", TOTAL),

    # at random
    Row("randn", "bigint?", "double", NEVER, deterministic=False),
    Row("uniform", "any, any, any?", "@uniform", TOTAL, deterministic=False),
    Row("randstr", "int, any?", "string", TOTAL, deterministic=False),
    Row("uuid", "bigint?", "string", NEVER, deterministic=False),
)
# fmt: on
