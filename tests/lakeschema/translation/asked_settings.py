"""Queries whose columns depend on settings that a Spark view records, with those settings.

The answers are recorded in ``recorded/spark_settings.tsv``, so that the derivation is compared with
them without an engine; an integration test asks Spark again.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

RECORDED = Path(__file__).parent / "recorded" / "spark_settings.tsv"

_DECIMALS = (
    "SELECT 10.300000000000000000 * 3.0000000000000000000 AS x",
    "SELECT CAST(1 AS decimal(38,10)) / CAST(3 AS decimal(38,10)) AS x",
    "SELECT CAST(1 AS decimal(30,20)) + CAST(1 AS decimal(38,2)) AS x",
    "SELECT CAST(1 AS decimal(38,18)) % CAST(3 AS decimal(20,1)) AS x",
    "SELECT CAST(1 AS decimal(10,2)) / CAST(3 AS decimal(10,2)) AS x",
    "SELECT CAST(1 AS decimal(20,10)) / 3 AS x",
    "SELECT CAST(1 AS decimal(38,18)) - 1L AS x",
)
_LITERALS = ("SELECT 1.5 + 1 AS x", "SELECT 2 * 1.50 AS x", "SELECT coalesce(1.5, 1) AS x")
_EXPONENTS = (
    *("SELECT 1e3 AS x", "SELECT 1.5e-2 AS x", "SELECT 12.5E1 AS x", "SELECT 1E-30 AS x"),
    *("SELECT 1e3D AS x", "SELECT 0e3 AS x", "SELECT 1e3 + 1 AS x"),
)
_INTERVALS = (
    *("SELECT INTERVAL 1 DAY AS x", "SELECT INTERVAL '1-2' YEAR TO MONTH AS x"),
    *("SELECT INTERVAL 1 YEAR 2 DAYS AS x", "SELECT INTERVAL '1 day 2 hours' AS x"),
    "SELECT current_timestamp - current_timestamp AS x",
    "SELECT current_date - DATE '2020-01-01' AS x",
    "SELECT current_date + INTERVAL 1 DAY AS x",
    "SELECT TIMESTAMP '2020-01-01 00:00:00' - INTERVAL '1 02' DAY TO HOUR AS x",
    "SELECT INTERVAL 1 DAY * 2 AS x",
)
_ZONELESS = (
    *("SELECT CAST('2020' AS timestamp) AS x", "SELECT TIMESTAMP '2020-01-01' AS x"),
    *("SELECT TIMESTAMP '2020-01-01 00:00:00Z' AS x", "SELECT to_timestamp('2020') AS x"),
    "SELECT coalesce(current_date, TIMESTAMP '2020-01-01') AS x",
    "SELECT current_date + INTERVAL 1 HOUR AS x",
    "SELECT date_trunc('DAY', '2020-01-01') AS x",
    "SELECT DATE '2020-01-01' = TIMESTAMP '2020-01-01' AS x",
)
_EMPTY = ("SELECT array() AS x", "SELECT coalesce(array(), array()) AS x")
_BYTES = (
    *("SELECT concat(X'01', X'02') AS x", "SELECT X'01' || X'02' AS x"),
    *("SELECT elt(1, X'01', X'02') AS x", "SELECT elt(1, X'01', 'b') AS x"),
)
_SIZES = ("SELECT size(array(1)) AS x", "SELECT size(CAST(NULL AS array<int>)) AS x")
_TEXT_DATES = (
    "SELECT DATE '2020-01-01' = '2020' AS x",
    "SELECT DATE '2020-01-01' < concat('2', '020') AS x",
    "SELECT TIMESTAMP '2020-01-01 00:00:00' IN ('2020') AS x",
)
_SPELLINGS = (
    *("SELECT 'it''s' AS x", 'SELECT "a" AS x FROM (SELECT 1 AS a)', "SELECT 'a' 'b' AS x"),
    *(r"SELECT 'a\'b' AS x", r"SELECT r'a\d' AS x", r"SELECT named_struct('\d', 1) AS x"),
    "SELECT named_struct('a''b', 1) AS x",
)
_NUMBERS = (
    "SELECT a, b FROM VALUES (1, 3) AS t(a, b) ORDER BY 2",
    "SELECT a, count(1) AS c FROM VALUES (1) AS t(a) GROUP BY 1",
    "SELECT 5 AS a, count(1) AS c FROM VALUES (1) AS t(a) GROUP BY 1",
    "SELECT a + 1 AS a, count(1) AS c FROM VALUES (1) AS t(a) GROUP BY a",
    "SELECT a FROM VALUES (1) AS t(a) ORDER BY 3",
    "SELECT a + 1 AS k, count(1) AS c FROM VALUES (1) AS t(a) GROUP BY k",
    "SELECT a AS b, b + 1 AS c FROM VALUES (1) AS t(a)",
)
_SETS = (
    # Of what INTERSECT is the last, nothing is null.
    "SELECT CAST(NULL AS int) AS a UNION SELECT 2 INTERSECT SELECT 1L",
    "SELECT nullif(1, 2) AS a UNION SELECT 1 INTERSECT SELECT 1",
)
_CASE = (
    "SELECT a AS x, A AS y FROM (SELECT 1 AS a, 'b' AS A)",
    "SELECT t.A AS x FROM (SELECT 1 AS a, 'b' AS A) AS t",
    "SELECT a AS x FROM (SELECT 1 AS a)",
)
_COMMON_TABLES = (
    "WITH t AS (SELECT 1 AS a), u AS (WITH t AS (SELECT 'x' AS b) SELECT * FROM t) SELECT * FROM u",
    "WITH t AS (SELECT 1 AS a) SELECT (WITH t AS (SELECT 'x' AS b) SELECT * FROM t) AS c",
    "WITH t AS (SELECT 1 AS a) SELECT * FROM (WITH t AS (SELECT 'x' AS b) SELECT * FROM t)",
)
_HAVING = (
    "SELECT a FROM VALUES (1) AS t(a) HAVING a > 0",
    "SELECT a FROM VALUES (1) AS t(a) WHERE a < 2 HAVING a > 0",
    "SELECT a, count(1) AS n FROM VALUES (1) AS t(a) GROUP BY a HAVING n > 0",
)
_ANSI: Mapping[str, str] = {"spark.sql.ansi.enabled": "true"}
_OFF: Mapping[str, str] = {"spark.sql.ansi.enabled": "false"}

CASES: Sequence[tuple[Mapping[str, str], Sequence[str]]] = (
    ({}, (*_DECIMALS, *_LITERALS, *_EXPONENTS, *_INTERVALS, *_ZONELESS, *_EMPTY, *_BYTES)),
    ({}, (*_SPELLINGS, *_NUMBERS, *_CASE, *_SETS)),
    (_OFF, (*_DECIMALS, *_INTERVALS, *_SIZES, *_TEXT_DATES)),
    ({"spark.sql.decimalOperations.allowPrecisionLoss": "false"}, _DECIMALS),
    ({"spark.sql.decimalOperations.allowPrecisionLoss": "false", **_OFF}, _DECIMALS),
    ({"spark.sql.legacy.literal.pickMinimumPrecision": "false"}, (*_LITERALS, *_DECIMALS)),
    ({"spark.sql.legacy.exponentLiteralAsDecimal.enabled": "true"}, _EXPONENTS),
    ({"spark.sql.legacy.interval.enabled": "true"}, _INTERVALS),
    ({"spark.sql.legacy.interval.enabled": "true", **_OFF}, _INTERVALS),
    ({"spark.sql.timestampType": "TIMESTAMP_NTZ"}, _ZONELESS),
    ({"spark.sql.timestampType": "TIMESTAMP_NTZ", **_OFF}, _ZONELESS),
    ({"spark.sql.legacy.createEmptyCollectionUsingStringType": "true"}, _EMPTY),
    ({"spark.sql.function.concatBinaryAsString": "true"}, _BYTES),
    ({"spark.sql.function.eltOutputAsString": "true"}, _BYTES),
    ({"spark.sql.legacy.sizeOfNull": "false", **_OFF}, _SIZES),
    ({"spark.sql.legacy.sizeOfNull": "true", **_ANSI}, _SIZES),
    ({"spark.sql.legacy.typeCoercion.datetimeToString.enabled": "true", **_OFF}, _TEXT_DATES),
    (
        {"spark.sql.legacy.decimal.retainFractionDigitsOnTruncate": "true"},
        (
            "SELECT coalesce(CAST(1 AS decimal(38,18)), CAST(1 AS decimal(38,2))) AS x",
            "SELECT array(CAST(1 AS decimal(38,18)), 1L) AS x",
        ),
    ),
    ({"spark.sql.ansi.doubleQuotedIdentifiers": "true"}, _SPELLINGS),
    ({"spark.sql.ansi.doubleQuotedIdentifiers": "true", **_OFF}, _SPELLINGS),
    ({"spark.sql.parser.escapedStringLiterals": "true"}, _SPELLINGS),
    ({"spark.sql.legacy.consecutiveStringLiterals.enabled": "true"}, _SPELLINGS),
    ({"spark.sql.groupByOrdinal": "false"}, _NUMBERS),
    ({"spark.sql.orderByOrdinal": "false"}, _NUMBERS),
    ({"spark.sql.groupByAliases": "false"}, _NUMBERS),
    ({"spark.sql.lateralColumnAlias.enableImplicitResolution": "false"}, _NUMBERS),
    ({"spark.sql.caseSensitive": "true"}, _CASE),
    ({"spark.sql.legacy.setopsPrecedence.enabled": "true"}, _SETS),
    ({}, (*_COMMON_TABLES, *_HAVING)),
    ({"spark.sql.legacy.ctePrecedencePolicy": "LEGACY"}, _COMMON_TABLES),
    ({"spark.sql.legacy.parser.havingWithoutGroupByAsWhere": "true"}, _HAVING),
    (
        {"spark.sql.legacy.bangEqualsNot": "true"},
        ("SELECT 1 ! IN (1) AS a, 1 ! BETWEEN 0 AND 2 AS b",),
    ),
    (
        {"spark.sql.legacy.identifierClause": "true"},
        ("SELECT IDENTIFIER('a') AS b FROM VALUES (1) AS t(a)",),
    ),
)


def questions() -> Sequence[tuple[str, str]]:
    """(settings as text, query), each once."""
    return list(
        dict.fromkeys((settings_text(found), query) for found, asked in CASES for query in asked)
    )


def settings_text(settings: Mapping[str, str]) -> str:
    return ";".join(f"{name}={value}" for name, value in settings.items())


def settings_of(text: str) -> Mapping[str, str]:
    return dict(part.split("=") for part in text.split(";") if part)


def recorded() -> Mapping[tuple[str, str], str]:
    """What Spark answered: each column's name, type and nullability, or ``REFUSED``."""
    lines = RECORDED.read_text(encoding="utf-8").splitlines() if RECORDED.exists() else ()
    answers: dict[tuple[str, str], str] = {}
    for line in lines:
        settings, query, answer = line.split("\t")
        answers[settings, query] = answer
    return answers


def record(answers: Mapping[tuple[str, str], str]) -> None:
    text = "".join(f"{s}\t{query}\t{answer}\n" for (s, query), answer in answers.items())
    RECORDED.write_text(text, encoding="utf-8")
