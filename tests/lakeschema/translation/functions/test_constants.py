from __future__ import annotations

import pytest

from lakeschema.catalog.column_types import BIGINT, INT, SMALLINT, STRING, TINYINT, VOID
from lakeschema.translation.functions.constants import (
    constant_int,
    constant_text,
    is_null,
)
from lakeschema.translation.plan.expressions import (
    Call,
    Cast,
    ColumnReference,
    Literal,
    RowExpression,
)
from lakeschema.translation.plan.operators import NullClass, Operator

ONE, TWO = Literal("1", INT), Literal("2", INT)
COLUMN = ColumnReference(0, "i", INT, nullable=False)


def call(name: str, *arguments: RowExpression) -> Call:
    return Call(Operator(name, NullClass.TOTAL), arguments, INT, nullable=False)


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        (TWO, 2),
        (call("negative", TWO), -2),
        (call("+", ONE, TWO), 3),
        (call("*", call("-", ONE, TWO), TWO), -2),
        (Cast(TWO, BIGINT, nullable=False), 2),
        (Cast(Literal("1.7", STRING), INT, nullable=False, implicit=True), 1),
        (Cast(call("+", ONE, ONE), TINYINT, nullable=False), 2),
    ],
    ids=str,
)
def test_a_number_is_known_in_other_words(expression: RowExpression, value: int) -> None:
    assert constant_int(expression) == value


@pytest.mark.parametrize(
    "expression",
    [
        COLUMN,
        call("+", ONE, COLUMN),
        call("/", TWO, ONE),
        Literal("a", STRING),
        Literal(None, VOID),
        Cast(Literal("a", STRING), INT, nullable=True),
        Cast(Literal("NaN", STRING), INT, nullable=True),
        Cast(Literal("70000", INT), SMALLINT, nullable=False),
        call("*", Literal("2147483647", INT), TWO),
    ],
    ids=str,
)
def test_what_is_not_surely_a_number_is_unknown(expression: RowExpression) -> None:
    assert constant_int(expression) is None


def test_a_text_is_known_where_it_is_put_together() -> None:
    year = Literal("YEAR", STRING)

    assert constant_text(year) == "YEAR"
    assert constant_text(call("concat", year, Cast(year, STRING, nullable=False))) == "YEARYEAR"


def test_a_text_of_a_column_a_number_or_a_null_is_unknown() -> None:
    assert constant_text(COLUMN) is None
    assert constant_text(ONE) is None
    assert constant_text(call("concat", Literal("a", STRING), Literal(None, VOID))) is None


def test_a_null_is_known_under_casts_only() -> None:
    assert is_null(Literal(None, VOID))
    assert is_null(Cast(Literal(None, VOID), INT, nullable=True))
    assert not is_null(ONE)
    assert not is_null(Cast(COLUMN, BIGINT, nullable=False))
