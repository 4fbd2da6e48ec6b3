"""Patterns of LIKE and regular expressions written for Trino."""

from __future__ import annotations

import pytest

from lakeschema.translation.model.errors import UnsupportedConstruct
from tests.lakeschema.translation.emission.trino.written import Written, hive, spark

_SMALL = (
    r"CASE WHEN regexp_like(s, 'İ|\p{L}[^\p{L}\s]*Σ(?!\p{L})')"
    " THEN CAST(fail('not the same in Trino: a last Σ, or İ, in small letters') AS varchar) ELSE lower(s) END"
)


@pytest.mark.parametrize(
    ("written", "call", "form"),
    [
        (hive, "s LIKE s", r"(s LIKE regexp_replace(s, '(\\[%_\\])|\\', m -> coalesce(m[1], '\\')) ESCAPE '\')"),
        (hive, "s LIKE ANY ('a%', 'b')", "IF(s IS NULL OR 'a%' IS NULL OR 'b' IS NULL, NULL, (s LIKE 'a%' OR s LIKE 'b'))"),
        (hive, "s NOT LIKE ALL ('a%', 'b')", "IF(s IS NULL OR 'a%' IS NULL OR 'b' IS NULL, NULL, NOT (s LIKE 'a%' AND s LIKE 'b'))"),
        (hive, "s RLIKE '(?s)a.b'", r"regexp_like(s, 'a[\s\S]b')"),
        (hive, "s RLIKE 'a.b'", r"regexp_like(s, 'a[^\n\r\u0085\u2028\u2029]b')"),
        (hive, r"s RLIKE '\\D\\bx'", "regexp_like(s, '[^0-9](?:(?<=[a-zA-Z0-9_])(?![a-zA-Z0-9_])|(?<![a-zA-Z0-9_])(?=[a-zA-Z0-9_]))x')"),
        (hive, r"s RLIKE '[\\w]+[\\W]'", "regexp_like(s, '[a-zA-Z0-9_]+[[^a-zA-Z0-9_]]')"),
        (hive, r"s RLIKE '\\p{Lu}\\P{Alpha}\\pL'", r"regexp_like(s, '\p{Lu}[^a-zA-Z]\p{L}')"),
        (hive, r"s RLIKE '\\p{^L}'", r"regexp_like(s, '\P{L}')"),
        (hive, r"s RLIKE '\\x41\\u00e9\\x00'", r"regexp_like(s, 'Aé\x00')"),
        (hive, r"s RLIKE '[^a-c\\d&&[b]]'", "regexp_like(s, '[^a-c0-9&&[b]]')"),
        (hive, "s RLIKE '(?i)[a-cX0-9]'", "regexp_like(s, '[a-cA-CxX0-9]')"),
        (hive, r"s RLIKE '(?<n>a)\\k<n>'", r"regexp_like(s, '(?<n>a)\k<n>')"),
        (hive, r"s RLIKE '\\Qa b'", "regexp_like(s, 'a b')"),
        (hive, "regexp_replace(s, 'a', 'b')", "CAST(regexp_replace(s, 'a', 'b') AS varchar)"),
        (hive, "regexp_extract(s, '(a)')", "CAST(CASE WHEN s IS NOT NULL THEN coalesce(regexp_extract(s, '(a)', 1), '') END AS varchar)"),
        (hive, "regexp_extract(s, '(a)(b)', 2)", "CAST(CASE WHEN s IS NOT NULL THEN coalesce(regexp_extract(s, '(a)(b)', 2), '') END AS varchar)"),
        (hive, "s RLIKE ''", "CASE WHEN s IS NOT NULL THEN false END"),
        (hive, "split(s, '')", "CAST(IF(s = '', ARRAY[''], concat(regexp_split(s, '(?!^)(?!$)'), ARRAY[''])) AS array(varchar))"),
        (spark, "s LIKE ANY ('a%', 'b')", "(s LIKE 'a%' OR s LIKE 'b')"),
        (spark, "s NOT LIKE ALL ('a%', 'b')", "(NOT (s LIKE 'a%') AND NOT (s LIKE 'b'))"),
        (spark, "s NOT LIKE ANY ('a', 'b')", "(NOT (s LIKE 'a') OR NOT (s LIKE 'b'))"),
        (spark, "s ILIKE 'A%'", f"({_SMALL} LIKE 'a%')"),
        (spark, r"s ILIKE 'A\\%'", f"({_SMALL} LIKE 'a\\%' ESCAPE '\\')"),
        (spark, "s ILIKE ANY ('A', s)", f"({_SMALL} LIKE 'a' OR {_SMALL} LIKE {_SMALL} ESCAPE '\\')"),
        (spark, "s LIKE s", r"(s LIKE s ESCAPE '\')"),
        (spark, "s LIKE 'a/%' ESCAPE '/'", "(s LIKE 'a/%' ESCAPE '/')"),
        (spark, "regexp_extract_all(s, '(a)', 1)", "CAST(transform(regexp_extract_all(s, '(a)', 1), e -> coalesce(e, '')) AS array(varchar))"),
        (spark, "regexp_extract_all(s, '(a)')", "CAST(transform(regexp_extract_all(s, '(a)', 1), e -> coalesce(e, '')) AS array(varchar))"),
        (spark, "regexp_count(s, 'a')", "CAST(regexp_count(s, 'a') AS integer)"),
        (spark, "regexp_substr(s, 'a')", "CAST(regexp_extract(s, 'a') AS varchar)"),
        (spark, "regexp_instr(s, 'a')", "CAST(greatest(regexp_position(s, 'a'), 0) AS integer)"),
        (spark, "split(s, '')", "CAST(regexp_split(s, '(?!^)(?!$)') AS array(varchar))"),
        (spark, "split(s, ',', 2)", "CAST(split(s, ',', 2) AS array(varchar))"),
        (spark, r"split(s, '\\.', 2)", "CAST(split(s, '.', 2) AS array(varchar))"),
        (spark, "split(s, ',', 0)", "CAST(regexp_split(s, ',') AS array(varchar))"),
    ],
)  # fmt: skip
def test_patterns_are_written_with_the_same_meaning(written: Written, call: str, form: str) -> None:
    assert written(call) == form


@pytest.mark.parametrize(
    ("written", "call", "reason"),
    [
        (hive, "s RLIKE '(?m)a'", "rlike for Trino is not supported: pattern '(?m)a' has flags (?m)"),
        (hive, "s RLIKE '(?i:a)b'", "rlike for Trino is not supported: pattern '(?i:a)b' has flags inside a group"),
        (hive, r"s RLIKE '\\p'", r"rlike for Trino is not supported: pattern '\\p' has a property without a name"),
        (hive, r"s RLIKE '\\xg'", r"rlike for Trino is not supported: pattern '\\xg' has \x"),
        (hive, "s RLIKE '[[:alpha:]]'", "rlike for Trino is not supported: pattern '[[:alpha:]]' has [: in a class"),
        (hive, "s RLIKE '[a-'", "rlike for Trino is not supported: pattern '[a-' has a class without its end"),
        (hive, "s RLIKE '(?i)[A-z]'", "rlike for Trino is not supported: pattern '(?i)[A-z]' has the range A-z without case"),
        (hive, r"s RLIKE '(?i)\\p{L}'", r"rlike for Trino is not supported: pattern '(?i)\\p{L}' has \p{L}"),
        (hive, r"s RLIKE 'a\\'", r"rlike for Trino is not supported: pattern 'a\\' has a backslash at its end"),
        (hive, r"s RLIKE '\\y'", r"rlike for Trino is not supported: pattern '\\y' has \y"),
        (hive, "split(s, 'a*')", "split for Trino is not supported: pattern 'a*' matches an empty text"),
        (spark, "s LIKE s ESCAPE '/'", "like for Trino is not supported: a computed pattern with another escape character"),
        (spark, "s LIKE '/a' ESCAPE '/'", "like for Trino is not supported: Spark refuses the pattern's escape"),
        (spark, "regexp_instr(s, 'a', 1)", "regexp_instr for Trino is not supported: a group"),
        (spark, "regexp_replace(s, 'a', 'b', 2)", "regexp_replace for Trino is not supported: a position to start from"),
        (spark, "split(s, 'a|b', 2)", "split for Trino is not supported: a limit requires a pattern without special characters"),
    ],
)  # fmt: skip
def test_patterns_that_trino_computes_otherwise_are_refused_with_the_reason(
    written: Written, call: str, reason: str
) -> None:
    with pytest.raises(UnsupportedConstruct) as refused:
        written(call)

    assert reason in str(refused.value)
