"""Arithmetic and comparisons written for Trino."""

from __future__ import annotations

import pytest

from lakeschema.translation.model.errors import UnsupportedConstruct
from tests.lakeschema.translation.emission.trino.written import Written, hive, legacy, spark


@pytest.mark.parametrize(
    ("written", "call", "form"),
    [
        (hive, "i + de", "TRY_CAST((i + de) AS decimal(13,2))"),
        (hive, "de - i", "TRY_CAST((de - i) AS decimal(13,2))"),
        (hive, "de / 3", "TRY_CAST((CAST(de AS decimal(38,6)) / 3) AS decimal(14,6))"),
        (hive, "de / de", "TRY_CAST((CAST(de AS decimal(38,13)) / IF(de = 0, NULL, de)) AS decimal(23,13))"),
        (hive, "de % 3", "TRY_CAST((de % 3) AS decimal(3,2))"),
        (hive, "d % 2", "(d % 2e0)"),
        (hive, "d * f", "(d * CAST(f AS double))"),
        (hive, "i / 0", "(CAST(i AS double) / IF(0e0 = 0e0, NULL, 0e0))"),
        (hive, "s + i", "(TRY_CAST(trim(s) AS double) + CAST(i AS double))"),
        (hive, "i div 2", "CAST(i / 2 AS bigint)"),
        (hive, "de div 2", "CAST(truncate((de - de % 2) / 2) AS bigint)"),
        (hive, "pmod(d, 2.5D)", "(((d % 2.5e0) + 2.5e0) % 2.5e0)"),
        (hive, "pmod(i, i)", "(((i % IF(i = 0, NULL, i)) + i) % IF(i = 0, NULL, i))"),
        (hive, "- i", "CASE WHEN i = -2147483648 THEN i ELSE - i END"),
        (hive, "abs(ti)", "CASE WHEN CAST(ti AS integer) = -2147483648 THEN CAST(ti AS integer) ELSE abs(CAST(ti AS integer)) END"),
        (hive, "abs(de)", "CAST(abs(de) AS decimal(10,2))"),
        (hive, "shiftleft(i, 3)", "bitwise_left_shift(i, 3)"),
        (hive, "shiftright(l, i)", "bitwise_right_shift_arithmetic(l, CAST(bitwise_and(i, 63) AS integer))"),
        (hive, "shiftrightunsigned(ti, 1)", "bitwise_right_shift(CAST(ti AS integer), 1)"),
        (hive, "ceil(i)", "CAST(i AS bigint)"),
        (hive, "floor(de)", "CAST(floor(de) AS decimal(9,0))"),
        (hive, "round(i)", "i"),
        (hive, "round(i, -1)", "CAST(round(i, -1) AS integer)"),
        (hive, "round(de, 1)", "CAST(de AS decimal(10,1))"),
        (hive, "round(d, 2)", "CASE WHEN abs(d) < 1e15 THEN CAST(round(CAST(CAST(d AS varchar) AS decimal(38,20)), 2) AS double) ELSE round(d, 2) END"),
        (hive, "bround(d)", "CASE WHEN abs(d - truncate(d)) = 5e-1 THEN 2e0 * round(d / 2e0) ELSE round(d) END"),
        (spark, "rint(d)", "CASE WHEN abs(d - truncate(d)) = 5e-1 THEN 2e0 * round(d / 2e0) ELSE round(d) END"),
        (spark, "cot(d)", "(1e0 / tan(d))"),
        (spark, "nullifzero(de)", "IF(de = 0, NULL, de)"),
        (spark, "zeroifnull(i)", "CAST(coalesce(i, 0) AS integer)"),
        (spark, "try_add(i, 1)", "TRY(i + 1)"),
        (spark, "try_multiply(l, s)", "TRY(l * CAST(trim(s) AS bigint))"),
        (hive, "d <> d", "(d <> d AND NOT (is_nan(d) AND is_nan(d)))"),
        (hive, "d <= d", "(d <= d OR (is_nan(d) AND d IS NOT NULL))"),
        (hive, "d >= 1", "(d >= 1e0 OR is_nan(d))"),
        (hive, "d < d", "(d < d OR (is_nan(d) AND NOT is_nan(d)))"),
        (hive, "1 <= d", "(1e0 <= d OR is_nan(d))"),
        (hive, "i BETWEEN ti AND 2", "CASE WHEN CAST(ti AS integer) IS NOT NULL THEN (i BETWEEN CAST(ti AS integer) AND 2) END"),
        (hive, "d BETWEEN 1 AND 2", "((d >= 1e0 OR is_nan(d)) AND (d <= 2e0))"),
        (hive, "i IN (1, 2)", "(i IN (1, 2))"),
        (hive, "greatest(s, 'a')", "CAST(greatest(s, 'a') AS varchar)"),
        (hive, "nullif(i, 2)", "CASE WHEN i = 2 THEN NULL ELSE i END"),
        (hive, "nullif(i, de)", "CASE WHEN i = TRY_CAST(truncate(de) AS integer) THEN NULL ELSE i END"),
        (hive, "nullif(d, d)", "CASE WHEN (d = d OR (is_nan(d) AND is_nan(d))) THEN NULL ELSE d END"),
        (hive, "log(2, d)", "CASE WHEN NOT (2e0 <= 1e0) AND NOT (d <= 0e0) THEN ln(d) / ln(2e0) END"),
        (hive, "sign(d)", "CASE WHEN d = 0e0 THEN 0e0 WHEN d > 0e0 THEN 1e0 WHEN d IS NOT NULL THEN -1e0 END"),
        (hive, "acos(d)", "CASE WHEN NOT (abs(d) > 1e0) THEN acos(d) END"),
        (hive, "chr(i)", "CAST(CASE WHEN i < 0 OR i % 65536 >= 32768 THEN '' ELSE chr(i % 256) END AS varchar)"),
        (spark, "de + 1", "CAST((de + 1) AS decimal(11,2))"),
        (spark, "de / 3", "CAST((CAST(de AS decimal(38,6)) / 3) AS decimal(14,6))"),
        (spark, "d / 2", "(d / 2e0)"),
        (spark, "pmod(i, i)", "CASE WHEN (i % i) < 0 THEN ((i % i) + i) % i ELSE (i % i) END"),
        (spark, "pmod(d, d)", "CASE WHEN d = 0e0 AND d IS NOT NULL THEN CAST(fail('remainder by zero') AS double) WHEN (d % d) < 0e0 THEN ((d % d) + d) % d ELSE (d % d) END"),
        (spark, "- i", "(- i)"),
        (spark, "abs(i)", "CAST(abs(i) AS integer)"),
        (spark, "ceil(de)", "CAST(ceiling(de) AS decimal(9,0))"),
        (spark, "st <> st", "CASE WHEN st IS NOT NULL AND st IS NOT NULL THEN st IS DISTINCT FROM st END"),
        (spark, "greatest(d, d)", "CAST(element_at(transform(ARRAY[ARRAY[d, d]], a -> IF(cardinality(filter(a, e -> NOT is_nan(e))) < cardinality(filter(a, e -> e IS NOT NULL)), nan(), array_max(filter(a, e -> NOT is_nan(e))))), 1) AS double)"),
        (spark, "least(d, d)", "CAST(element_at(transform(ARRAY[ARRAY[d, d]], a -> coalesce(array_min(filter(a, e -> NOT is_nan(e))), element_at(filter(a, e -> e IS NOT NULL), 1))), 1) AS double)"),
        (spark, "least(i, 2)", "array_min(filter(ARRAY[i, 2], e -> e IS NOT NULL))"),
        (spark, "nanvl(d, 1D)", "CASE WHEN is_nan(d) THEN 1e0 ELSE d END"),
        (spark, "isnan(d)", "coalesce(is_nan(d), false)"),
        (spark, "i % i", "(i % i)"),
        (spark, "m IS NULL", "(m IS NULL)"),
        (legacy, "de + 1", "TRY_CAST((de + 1) AS decimal(11,2))"),
        (legacy, "de div 2", "CAST(truncate((de - de % IF(2 = 0, NULL, 2)) / IF(2 = 0, NULL, 2)) AS bigint)"),
        (legacy, "i div i", "CAST(i / IF(i = 0, NULL, i) AS bigint)"),
        (legacy, "- i", "CASE WHEN i = -2147483648 THEN i ELSE - i END"),
        (legacy, "abs(i)", "CASE WHEN i = -2147483648 THEN i ELSE abs(i) END"),
        (legacy, "pmod(i, i)", "CASE WHEN (i % IF(i = 0, NULL, i)) < 0 THEN ((i % IF(i = 0, NULL, i)) + i) % IF(i = 0, NULL, i) ELSE (i % IF(i = 0, NULL, i)) END"),
        (legacy, "de % de", "TRY_CAST((de % IF(de = 0, NULL, de)) AS decimal(10,2))"),
    ],
)  # fmt: skip
def test_numbers_are_written_with_the_same_meaning(written: Written, call: str, form: str) -> None:
    assert written(call) == form


@pytest.mark.parametrize(
    ("written", "call", "reason"),
    [
        (hive, "pmod(de, 2)", "pmod for Trino is not supported: arguments xi"),
        (hive, "round(d, i)", "round for Trino is not supported: the number of digits must be a constant"),
        (hive, "bround(d, 1)", "bround for Trino is not supported: half to even at a digit other than the last integer digit"),
        (hive, "a = a", "= for Trino is not supported: nested values, which Trino compares as null if they contain nulls"),
        (hive, "st BETWEEN st AND st", "between for Trino is not supported: nested values"),
        (hive, "d IN (d, 2)", "in for Trino is not supported: the list may contain NaN"),
        (hive, "st IN (st)", "in for Trino is not supported: nested values, which Trino compares as null if they contain nulls"),
        (hive, "nullif(ts, da)", "nullif for Trino is not supported: arguments TD"),
        (hive, "greatest(i, s)", "greatest for Trino is not supported: a text or a time among numbers"),
        (hive, "isfalse(d)", "isfalse for Trino is not supported: the number must be an int"),
        (hive, "substr(s, l)", "substr for Trino is not supported: the position and the length must be int"),
        (hive, "char_length(b)", "char_length for Trino is not supported: Hive counts what earlier rows left in its buffer"),
        (hive, "ntile(i) OVER (ORDER BY i)", "ntile for Trino is not supported: the number of groups must be a constant"),
        (hive, "rand(3)", "rand for Trino is not supported: Trino's random numbers have no seed"),
        (spark, "extract(SECOND FROM ts - ts)", "extract for Trino is not supported: field 'second' of an interval"),
        (spark, "floor(de, 1)", "floor for Trino is not supported: rounding to a number of digits"),
        (spark, "greatest(a, a)", "greatest for Trino is not supported: no equivalent form is known for these argument types"),
    ],
)  # fmt: skip
def test_numbers_that_trino_computes_otherwise_are_refused_with_the_reason(
    written: Written, call: str, reason: str
) -> None:
    with pytest.raises(UnsupportedConstruct) as refused:
        written(call)

    assert reason in str(refused.value)
