"""Expressions written for Hive, in both modes of Spark."""

from __future__ import annotations

import pytest

from lakeschema.catalog.column_types import (
    BIGINT,
    BINARY,
    INT,
    STRING,
    TINYINT,
    ArrayType,
    MapType,
)
from lakeschema.translation.emission.hive.text import literal, null, raised, string
from lakeschema.translation.model.errors import UnsupportedConstruct
from tests.lakeschema.translation.emission.hive.written import ansi, legacy


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("it's \\ so", "'it\\'s \\\\ so'"),
        ("${env:HOME}", "'\\u0024{env:HOME}'"),
        ("\n\0", "'\\u000a\\u0000'"),
        ("😀", "'\\ud83d\\ude00'"),
    ],
)
def test_a_text_is_a_literal_that_nothing_in_it_ends(text: str, written: str) -> None:
    assert string(text) == written


@pytest.mark.parametrize(
    ("value", "type_", "written"),
    [
        ("-5", INT, "(-5)"),
        ("-128", TINYINT, "CAST('-128' AS TINYINT)"),
        ("9223372036854775807", BIGINT, "CAST('9223372036854775807' AS BIGINT)"),
        ("ff", BINARY, "unhex('ff')"),
        (None, STRING, "CAST(NULL AS STRING)"),
    ],
)
def test_a_literal_has_exactly_its_type(value: str | None, type_: object, written: str) -> None:
    assert literal(value, type_) == written  # type: ignore[arg-type]


def test_a_null_with_parts_is_a_value_that_is_never_chosen() -> None:
    assert null(ArrayType(MapType(STRING, INT))) == (
        "CASE WHEN false THEN array(map(CAST(NULL AS STRING), CAST(NULL AS INT))) END"
    )


@pytest.mark.parametrize("addend", ["1.5", "1.50", "5", "CAST(1 AS DECIMAL(10,2))", "de"])
def test_a_sum_has_sparks_digits_in_hive(addend: str) -> None:
    assert legacy(f"de + {addend}").startswith("(de + ")


@pytest.mark.parametrize(
    "addend",
    [
        "CAST(1 AS DECIMAL(10,4))",
        "CAST(1 AS DECIMAL(20,2))",
        "CAST(dayofweek(DATE '2020-01-01') AS DECIMAL(9,4))",
    ],
)
def test_a_sum_of_which_hive_folds_an_addend_to_fewer_digits_is_refused(addend: str) -> None:
    with pytest.raises(UnsupportedConstruct, match="Hive's decimal result has other digits"):
        legacy(f"de + {addend}")


@pytest.mark.parametrize(
    ("expression", "in_ansi", "without"),
    [
        (
            "i + 1",
            (
                "CASE WHEN (i + 1) <> (CAST(i AS BIGINT) + CAST(1 AS BIGINT))"
                " THEN CAST(assert_true(false) AS INT) ELSE (i + 1) END"
            ),
            "(i + 1)",
        ),
        (
            "d / 2D",
            "CASE WHEN 2D = 0 AND d IS NOT NULL THEN CAST(assert_true(false) AS DOUBLE) ELSE (d / 2D) END",
            "(d / 2D)",
        ),
        (
            "a[i]",
            (
                "CASE WHEN a IS NULL OR i IS NULL OR (i >= 0 AND i < size(a)) THEN a[i]"
                " ELSE CAST(assert_true(false) AS INT) END"
            ),
            "a[i]",
        ),
        ("CAST(i AS STRING)", "CAST(i AS STRING)", "CAST(i AS STRING)"),
        ("CAST(o AS STRING)", "lower(CAST(o AS STRING))", "lower(CAST(o AS STRING))"),
    ],
)
def test_what_spark_refuses_in_ansi_mode_raises_an_error(
    expression: str, in_ansi: str, without: str
) -> None:
    assert (ansi(expression), legacy(expression)) == (in_ansi, without)


def test_a_cast_that_fails_raises_an_error_or_is_null() -> None:
    assert "assert_true(false)" in ansi("CAST(s AS INT)")
    assert "assert_true" not in ansi("TRY_CAST(s AS INT)")
    assert "assert_true" not in legacy("CAST(s AS INT)")


def test_an_error_of_what_has_parts_is_no_choice_of_two_that_are_the_same() -> None:
    assert raised(ArrayType(INT)) == (
        "if(assert_true(false) IS NULL, array(CAST('1' AS INT)), array(CAST(NULL AS INT)))"
    )


def test_nan_is_the_greatest_number() -> None:
    assert legacy("d > 1D").startswith("CASE WHEN (CAST(1D AS STRING) = 'NaN')")
