"""Choices between decimals and whole numbers in Hive, and computations with them.

Their types depend on whether Hive's optimiser simplifies the choice.
"""

from __future__ import annotations

from typing import Final

# fmt: off
CHOICES: Final = (
    # conditions that are known, and others
    *(f"if({condition}, 0.5, 0)" for condition in (
        "true", "false", "NULL", "1 = 1", "length('a') = 1", "i = i", "rand() > 0.5", "bo AND false", "bo", "NOT bo",
        "i IS NULL", "s IS NOT NULL", "s LIKE 'a%'", "i BETWEEN 1 AND 2", "length(s) > 3", "ts > da", "s = 'a'",
        "i > 1", "i IN (1, 2)", "bo = true", "CAST(s AS INT) > 3", "coalesce(bo, false)", "i > 1 AND i < 5",
        "i > 1 OR s = 'a'", "i = '1'", "b = 1", "d > 1", "s = 1", "da > '2020-01-01'", "de > 0", "coalesce(de, 0) > 0",
        "log2(de) > 1", "power(d, 2) > 1", "power(d, 2) > 1.0D", "power(d, 2) > i", "de + 1 > 0", "d * 2 > 1", "i + 1 > 1", "i + b > 1", "abs(de) > 1",
        "abs(de) > 1.5", "abs(b) > 1", "abs(b) > 1L", "length(s) > 3L", "length(s) > 3.5", "upper(s) = 'A'", "upper(s) = 1", "log2(de) > 1 AND i > 1",
        "NOT log2(de) > 1", "NOT i > 1", "NOT length(s) > 3", "NOT (s = 'a')", "log2(de) BETWEEN 1 AND 2", "log2(de) IN (1, 2)", "length(s) IN (1L, 2L)",
        "CAST(s AS DOUBLE) > 3", "to_date(ts) = '2020-01-01'", "date_add(da, 1) = DATE '2020-01-01'", "date_add(da, 1) > TIMESTAMP '2020-01-01 00:00:00'",
        "isnull(i) = true", "array(i)[0] > 1", "map('x', b)['x'] > 1", "named_struct('x', i).x > 1", "sum(de) OVER () > 1", "size(array(i)) > 1",
        "struct(i) IS NULL", "map('x', i) IS NOT NULL", "isnull(i) IS NULL", "coalesce(i, 1) IS NULL", "rand() IS NULL", "nvl(i, 1) IS NULL", "current_date IS NULL",
        "abs(i) = abs(i)", "i <=> i", "i IS NOT DISTINCT FROM i", "max(i) OVER () > max(i) OVER ()", "i + 1 = i + 1",
    )),
    # what stands in the branches
    *(f"if(bo, {values})" for values in (
        "-0.5, 0", "0, 0.5", "0.5, 100", "0.5, i", "0.5, 10.25", "5, 100.25", "0.5, 3000000000", "0.5, 0Y", "NULL, 0.5", "0.5 + 0.25, 0",
        "CAST(0.5 AS DECIMAL(10,3)), 0", "1.5, 1 + 1", "if(true, -0.5, 0), 7", "if(bo, -0.5, 0), 7", "de, 0", "de, -7", "de, 123456789",
        "de, 1 + 1", "de, CAST(2 AS INT)", "de, i", "de, NULL", "de, 5S", "de, 100000000000L", "coalesce(de, 0), 5", "coalesce(de, 0) * 2, 0",
    )),
    *("if(b IS NULL, length('abc') - de, i)", "if(b IS NULL, de + 3, i)", "if(b IS NULL, greatest(de, 1.5) + 3, i)", "if(b IS NULL, length('abc') - de, de)"),
    *("if(i > 1, de, 0)", "if(de > 0, de, 0)", "if(true, de, 0)", "if(false, de, 0)", "if(true, NULL, 0.5)"),
    *("CASE WHEN bo THEN 0.5 WHEN i IS NULL THEN 0 END", "CASE WHEN bo THEN 0.5 WHEN i IS NULL THEN 0 ELSE NULL END"),
    *("CASE WHEN bo THEN 0.5 WHEN true THEN 0 ELSE 12345 END", "CASE WHEN bo THEN de WHEN i IS NULL THEN 0 END"),
    *("CASE i WHEN 1 THEN 0.5 ELSE 0 END", "CASE i WHEN 1 THEN 0.5 WHEN 2 THEN 0 END", "CASE 1 WHEN 1 THEN 0.5 ELSE 0 END"),
    *("coalesce(0.5, 0)", "coalesce(5, 0.25)", "coalesce(de, 0)", "coalesce(de, 0, i)", "coalesce(0.5, de, 0)", "coalesce(NULL, de, 0)"),
    *("coalesce(de, 1 + 1)", "coalesce(if(bo, -0.5, 0), 1.25)", "coalesce(de * 2, 0)", "nvl(0.5, 0)", "nvl(de, 0)", "nvl(de * 2, 0)"),
    *("greatest(de, 0)", "array(de, 0)", "nvl(coalesce(de, 0), 0)", "greatest(coalesce(de, 0), dw)"),
    # what is computed of them
    *(f"coalesce(de, 0) {rest}" for rest in ("+ 1", "- de", "% 3", "* 2", "* 1.5", "* coalesce(de, 0)", "/ 3", "+ i", "* dw", "* d")),
    *("if(bo, -0.5, 0) + 1", "if(bo, -0.5, 0) * 3", "if(bo, -0.5, 0) / 3", "if(bo, -0.5, 0) / de", "if(true, -0.5, 0) + 1"),
    *("(coalesce(de, 0) + 1) * 2", "(coalesce(de, 0) - de) / 2", "(coalesce(de, 0) % 3) * 2", "(- coalesce(de, 0)) * 2"),
    *("abs(coalesce(de, 0)) * 2", "round(coalesce(de, 0), 1) * 2", "floor(coalesce(de, 0)) * 2", "CAST(coalesce(de, 0) AS DECIMAL(10,2)) * 2"),
    *("pmod(coalesce(de, 0), 3)", "pmod(if(bo, -0.5, 0), 3)", "pmod(de, 3)", "nvl(de, 0) * 2", "nvl(de, 0) + 2", "nullif(coalesce(de, 0), 0) * 2"),
    *("de / nullif(coalesce(de, 0), 0)", "greatest(coalesce(de, 0), de) * 2", "coalesce(coalesce(de, 0), 0) * 2", "if(bo, 1, 0) * de"),
    *("sum(coalesce(de, 0))", "sum(coalesce(de, 0)) * 2", "sum(coalesce(de, 0)) / sum(de)", "avg(coalesce(de, 0))", "max(coalesce(de, 0)) * 2"),
    *("sum(CASE WHEN s LIKE 'a%' THEN de * (1 - de) ELSE 0 END)", "sum(coalesce(de, 0) * 2)", "sum(coalesce(de, 0)) OVER (ORDER BY i) * 2"),
    # what stands for a row that is missing, and another name of SUBSTR
    *(f"{name}({call}) OVER (ORDER BY i)" for name in ("lag", "lead")
      for call in ("de, 1, 0", "de, 1, dw", "i, 1, de", "i, 1, 'a'", "i, 1, b", "i, 1, d", "s, 1, i")),
    *("substring(bi, 2)", "substring(bi, 2, 3L)", "substring(bi, si, i)", "substr(bi, 2)"),
    *(f"{mask}({text})" for mask in ("mask", "mask_hash", "mask_show_last_n") for text in ("c", "v", "CAST(s AS CHAR(3))", "CAST(mask_first_n(de) AS CHAR(3))")),
    # NVL of more than two
    *(f"CASE WHEN bo THEN de ELSE nvl({values}) END" for values in ("1, 2, 3", "NULL, NULL, 3", "1, i, 3", "i, 1, 3")),
    *("if(nvl(1, 2, 3) = 1, de, 0)", "nullif(nvl(1, 2, 3), 1) + de", "nvl(1, 2, 3) + de", "nvl(de, 2, 3000000000)", "nvl(1.5, 2, 100) * de"),
    *("(floor(coalesce(de, 0)) * 2) % (if(bo, de, 0))", "trunc(1234567891.1234567891, 4)", "trunc(1234567891.1234567891, -4)"),
)
# fmt: on
