"""Constants and types: the masks that a column of a type can have."""

from __future__ import annotations

from datetime import date
from decimal import Decimal

import pytest

from lakeschema.catalog.column_types import parse_type, print_type
from lakeschema.translation.plan.expressions import ColumnReference, Literal
from lakeschema.translation.policies.masks import mask_problem, masked, masked_type
from lakeschema.translation.policies.rules import (
    ConstantMask,
    ConstantValue,
    HashMask,
    Mask,
    NullMask,
    PartialMask,
)


@pytest.mark.parametrize(
    ("type_", "value", "expected"),
    [
        ("string", "x", "x"),
        ("char(3)", "longer", "longer"),
        ("string", 1, None),
        ("boolean", True, "true"),
        ("boolean", 1, None),
        ("int", True, None),
        ("tinyint", 127, "127"),
        ("tinyint", 128, None),
        ("bigint", -(2**63), None),
        ("bigint", 2**63 - 1, "9223372036854775807"),
        ("int", 1.0, None),
        ("double", 1, "1.0"),
        ("double", float("inf"), None),
        ("float", 1e300, None),
        ("decimal(4,2)", 1.5, "1.50"),
        ("decimal(4,2)", "99.99", "99.99"),
        ("decimal(4,2)", "1.005", None),
        ("decimal(4,2)", 100, None),
        ("decimal(4,2)", "NaN", None),
        ("decimal(4,2)", "x", None),
        ("decimal(38,0)", Decimal(10) ** 37, "1" + "0" * 37),
        ("date", date(2020, 1, 2), "2020-01-02"),
        ("date", "2020-01-02", "2020-01-02"),
        ("date", "2020-13-02", None),
        ("date", 20200102, None),
        ("timestamp", "2020-01-02", None),
        ("array<string>", "x", None),
    ],
)
def test_a_constant_is_a_value_of_the_columns_type(
    type_: str, value: ConstantValue, expected: str | None
) -> None:
    mask, column = ConstantMask(value), ColumnReference(0, "c", parse_type(type_), nullable=True)

    if expected is None:
        assert mask_problem(mask, column.type) is not None
        return
    assert mask_problem(mask, column.type) is None
    assert masked(mask, column) == Literal(expected, masked_type(mask, column.type))


@pytest.mark.parametrize(
    ("mask", "fits"),
    [
        (NullMask(), "string int double timestamp binary struct<a:int> uniontype<int,string>"),
        (HashMask(), "string varchar(4) tinyint smallint int bigint date"),
        (PartialMask(1), "string varchar(4)"),
    ],
)
def test_masks_fit_the_types_whose_texts_all_engines_write_alike(mask: Mask, fits: str) -> None:
    types = [
        *("string", "char(3)", "varchar(4)", "tinyint", "smallint", "int", "bigint", "boolean"),
        *("date", "double", "float", "timestamp", "binary", "decimal(4,2)", "struct<a:int>"),
        "uniontype<int,string>",
    ]

    found = [text for text in types if mask_problem(mask, parse_type(text)) is None]

    assert found == [t for t in types if t in fits.split()] or mask == NullMask()
    assert set(fits.split()) <= set(found)


@pytest.mark.parametrize("mask", [HashMask(), HashMask("s"), PartialMask(2), NullMask()])
@pytest.mark.parametrize("nullable", [True, False])
def test_a_mask_is_null_where_its_value_is(mask: Mask, *, nullable: bool) -> None:
    column = ColumnReference(0, "c", parse_type("varchar(9)"), nullable)

    found = masked(mask, column)

    assert found.nullable == (nullable or mask == NullMask())
    assert print_type(found.type) == print_type(masked_type(mask, column.type))
