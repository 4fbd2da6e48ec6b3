"""Constant numbers in Hive queries whose digits decide the types of decimals."""

from __future__ import annotations

from typing import Final

# fmt: off
_NUMBERS: Final = (
    "5", "CAST(5 AS BIGINT)", "(1 + 2)", "length('abc')", "1.50", "CAST(1.5 AS DECIMAL(10,5))", "(1.5 * 2)", "abs(-1.5)",
)
_PLACES: Final = (
    *("de + {}", "{} - de", "de * {}", "(de + {}) * 2", "round(de + {}, 3)", "floor(de + {})", "abs({})"),
    *("if(bo, de, {})", "CASE WHEN bo THEN {} ELSE de END", "CASE i WHEN 1 THEN de ELSE {} END", "CASE WHEN bo THEN {} END"),
    *("if(bo, de, {}) + de", "if(bo, de, if(i > 2, {}, de))", "if(bo, {}, {})", "if(bo, {}, 7.25)", "abs(if(bo, de, {}))"),
    *("coalesce(de, {})", "coalesce(de, de * 2, {})", "coalesce(if(bo, de, NULL), {})", "coalesce(de + 1, {})", "coalesce(i, {})"),
    *("coalesce({}, de)", "coalesce({}, {})", "de + coalesce(de, {})", "nvl(de, {})", "nullif(de, {})"),
    *("greatest(de, {})", "array(de, {})", "array({})", "struct({}, i)", "named_struct('x', array({}))", "map('x', {})"),
    *("sum(de + {}) OVER ()", "lag(de, 1, {}) OVER (ORDER BY i)"),
)
CONSTANTS: Final = (
    *(place.replace("{}", number) for place in _PLACES for number in _NUMBERS),
    # written another way
    *(f"de * {number}" for number in (
        "CAST(5 AS INT)", "CAST('5' AS INT)", "CAST(5 AS SMALLINT)", "5L", "5S", "CAST(5.7 AS INT)", "CAST(CAST(5 AS INT) AS BIGINT)",
        "-CAST(5 AS BIGINT)", "CAST(-5 AS BIGINT)", "(-5)", "CAST(500 AS TINYINT)", "CAST(true AS INT)", "CAST(12345678901 AS BIGINT)",
        "CAST(5e0 AS INT)", "CAST(5 AS BIGINT) * CAST(7 AS BIGINT)", "CAST(0.05 AS DECIMAL(5,4))", "1.00", "0.05", "100.00",
    )),
    *("CAST(5 AS BIGINT) / de", "pmod(de, CAST(5 AS BIGINT))", "2.5 * CAST(4 AS BIGINT)", "1.5 + length('abc')", "1.5 + unix_timestamp(TIMESTAMP '2020-01-02 03:04:05')"),
    *(f"de + {number}" for number in (
        "CAST(500 AS TINYINT)", "CAST(1.5 * 2 AS INT)", "7 / 2", "(7 % 4)", "(7.5 / 2)", "round(1.567, 1)", "round(1.567, 2)", "floor(7.9)",
        "ceil(7.1)", "pmod(7, 4)", "(7 DIV 2)", "least(1, 2)", "greatest(1, 20)", "nvl(NULL, 3)", "coalesce(CAST(NULL AS INT), 3)",
        "CAST('5.25' AS DECIMAL(5,3))", "CAST('x' AS INT)", "CAST(NULL AS INT)", "(1 + CAST(NULL AS INT))", "(i * 0)", "(0.1 + 0.25)",
        "(CAST(1.5 AS DECIMAL(10,5)) * 2)", "(1.5 + length('abc'))", "(i + 1)", "CAST(concat('1', '.5') AS DECIMAL(10,5))", "negative(1.50)",
    )),
    *("i - 1.50", "i + CAST(0 AS DECIMAL(10,2))", "b + CAST(0.5 AS DECIMAL(10,2))", "b - 5.00", "length('abc') + 1.5 + i", "i + 1.5 + length('abc')"),
    # choices
    *(f"coalesce({value}, CAST(0 AS DECIMAL(20,5)))" for value in (
        "de * 2", "-de", "de / 2", "de % 3", "round(de, 1)", "CAST(de AS DECIMAL(12,3))", "CASE WHEN bo THEN de ELSE de + 1 END",
        "coalesce(de, de + 1)", "floor(de)", "greatest(de, de + 1)", "nvl(de, de + 1)", "nullif(de, 1.5)", "pmod(de, 3)", "de, i", "de, round(de, 1)",
        "de, de + 1", "de + 1, de", "de + 1, i", "i + 1", "abs(de)", "lag(de) OVER (ORDER BY i)", "sum(de) OVER ()", "i, b", "sum(de)", "max(de) + 1",
    )),
    *("i - coalesce(coalesce(dw, NULL), NULL)", "i - coalesce(dw, NULL)", "coalesce(de, NULL) - i", "de + coalesce(dw, NULL)", "coalesce(de, CAST(NULL AS DECIMAL(10,2))) + i"),
    *("coalesce(coalesce(de, CAST(0 AS BIGINT)), de)", "coalesce(de + 1, i, 1 + 2)", "coalesce(abs(de), CAST(0 AS BIGINT)) + de", "coalesce(de, i, CAST(0 AS BIGINT)) + de"),
    *("if(bo, i, CAST(1.5 AS DECIMAL(10,5)))", "CASE WHEN bo THEN i ELSE 1.5 * 2 END", "CASE WHEN bo THEN de WHEN i > 2 THEN i ELSE CAST(5 AS BIGINT) END"),
    *("if(i = 1, CAST(0 AS DECIMAL(20,5)), de * b)", "CASE WHEN bo THEN de ELSE CAST('7.5' AS DECIMAL(20,5)) END", "CASE WHEN bo THEN de ELSE CAST(7.5D AS DECIMAL(20,5)) END"),
    *("CASE WHEN bo THEN CAST(de AS DECIMAL(20,5)) ELSE CAST(0 AS DECIMAL(20,5)) END", "CASE i WHEN 1 THEN de WHEN 2 THEN CAST(0 AS DECIMAL(12,4)) END"),
    *("nvl(i, CAST(1.5 AS DECIMAL(10,5)))", "nvl(CAST(1.5 AS DECIMAL(10,5)), 1.5 * 2)", "array(i, CAST(1.5 AS DECIMAL(10,5)))", "struct(array(1.5 * 2), i)"),
    # aggregates and windows
    *(f"{name}(de - CAST(1.5 AS DECIMAL(9,5)))" for name in ("sum", "avg", "max")),
    *("sum(de * CAST(1 AS DECIMAL(10,2)))", "sum(CAST(1 AS DECIMAL(10,2)))", "sum(if(bo, de, CAST(0 AS DECIMAL(20,5))))", "sum(coalesce(de, CAST(0 AS DECIMAL(20,5))))"),
    *("avg(CASE WHEN bo THEN de ELSE CAST(0 AS DECIMAL(12,4)) END)", "max(coalesce(de, CAST(0 AS BIGINT)) + 1)", "max(struct(CAST(1.5 AS DECIMAL(10,5)), i))"),
    *("collect_list(CAST(1.5 AS DECIMAL(10,5)))", "collect_list(struct(i, 1.5 * 2))", "avg(de + CAST(5 AS BIGINT))", "sum(floor(de + 1))", "max(de * CAST(5 AS BIGINT))"),
    *("regr_avgx(i, if(bo, de, 2))", "regr_avgy(if(bo, de, CAST(2 AS INT)), i)", "regr_avgx(i, abs(de + length('abc')))", "avg(abs(if(bo, de, 2)))"),
    *(f"{call} OVER ()" for call in (
        "sum(de + 1)", "max(de + 1)", "avg(de + 1)", "avg(if(bo, de, 2))", "sum(if(bo, de + 1, 2))", "max(coalesce(de + 1, 2))", "max(de + 1 - CAST(1 AS BIGINT))",
        "max(-(de + 1))", "max(round(de + 1, 1))", "sum(floor(de + 1))", "sum(de - CAST(1.5 AS DECIMAL(9,5)))", "avg(if(bo, de, CAST(0 AS DECIMAL(9,5))))",
        "max(coalesce(de + 1, CAST(0 AS DECIMAL(9,5))))", "sum(i + 1.5)", "first_value(CAST(1.5 AS DECIMAL(10,5)))",
    )),
    *("max(de + 1) OVER () * 2", "max(de + 1) OVER () + 1", "sum(de + 1) OVER () * 2", "floor(max(de + 1) OVER ())"),
    *("floor(de + 1) * 2", "floor(de + 1) + 1", "floor(1 + 1.5)", "floor((de + 1) * 2)", "abs(de - CAST(1.5 AS DECIMAL(9,5))) * 2", "round(de - CAST(1.5 AS DECIMAL(9,5)), 3) * 2"),
    *(f"max({value}) OVER ()" for value in (
        "if(bo, de, CAST(5 AS BIGINT))", "if(bo, de, CAST(2 AS INT))", "if(bo, de, 1 + 2)", "coalesce(de + 1, CAST(5 AS BIGINT))", "coalesce(de, 5)", "coalesce(de, 1 + 2)",
        "nullif(abs(if(bo, de, 1 + 2)), NULL)", "if(bo, de, if(i > 2, 5, de))", "if(bo, de, if(i > 2, 1 + 2, de))", "if(bo, de, i)", "nvl(de, 5)",
        "greatest(de, CAST(0 AS DECIMAL(20,5)))",
    )),
    *(f"floor({value})" for value in (
        "if(bo, de, 1 + 2)", "if(bo, de, CAST(5 AS BIGINT))", "if(bo, de, CAST(0 AS DECIMAL(20,5)))", "coalesce(de, CAST(0 AS DECIMAL(20,5)))", "if(bo, de, i)",
        "greatest(de, CAST(0 AS DECIMAL(20,5)))", "nvl(de, CAST(0 AS DECIMAL(20,5)))",
    )),
    *("coalesce(lag(de, 1, abs(-1.5)) OVER (ORDER BY i), floor(1 + 1.5) * 2, 5)", "coalesce(de, 1.5 * 2, 5)", "coalesce(de + 1, 1.5 * 2, 5)", "coalesce(de, 3, 1 + 2)"),
    # places beyond those that are there
    *(f"round(de, {places})" for places in (1, 2, 3, -1)), "bround(de, 3)", "round(1.5, 3)", "round(de + i, 3)", "round(de * 2, 4)",
    # NULL beside a decimal
    *("NULL + de", "de - NULL", "NULL * (de + 1)", "de % NULL", "pmod(de, NULL)", "NULL + 1.5", "NULL + i * 1.5", "de + if(bo, NULL, NULL)"),
    *("NULL + i", "NULL + CAST(1 AS DECIMAL(5,2))", "CAST(NULL AS INT) + de", "(NULL + de) * 2", "coalesce(NULL + de, de)", "greatest(NULL, de)"),
)
# fmt: on
