"""Functions of texts written for Trino."""

from __future__ import annotations

import pytest

from lakeschema.translation.model.errors import UnsupportedConstruct
from tests.lakeschema.translation.emission.trino.written import Written, hive, spark


@pytest.mark.parametrize(
    ("written", "call", "form"),
    [
        (hive, "substr(b, 2)", "substr(b, 2)"),
        (hive, "substr(s, i)", "CAST(substr(s, CASE WHEN i = 0 THEN 1 WHEN i = -2147483648 AND s IS NOT NULL THEN CAST(fail('a position that Hive fails on') AS integer) ELSE i END) AS varchar)"),
        (hive, "substr(s, -3, i)", "CAST(substr(s, -3, least(greatest(i, 0), 1000000000)) AS varchar)"),
        (hive, "substr(s, i, 3)", "CAST(substr(s, CASE WHEN i = 0 THEN 1 WHEN i = -2147483648 AND s IS NOT NULL AND 3 > 0 THEN CAST(fail('a position that Hive fails on') AS integer) ELSE i END, 3) AS varchar)"),
        (hive, "substr(s, 2, 2147483647)", "CAST(substr(s, 2, 1000000000) AS varchar)"),
        (hive, "unbase64(s)", "from_base64(regexp_replace(regexp_replace(translate(regexp_extract(s, '^[^=]*'), '-_', '+/'), '[^A-Za-z0-9+/]', ''), '^((?:....)*).$', '$1'))"),
        (spark, "unbase64(s)", "from_base64(regexp_replace(s, '[^A-Za-z0-9+/=]', ''))"),
        (hive, "substr(s, 2, -1)", "CAST(substr(s, 2, 0) AS varchar)"),
        (hive, "instr(s, '')", "CAST(CASE WHEN s = '' AND '' IS NOT NULL THEN 0 ELSE strpos(s, '') END AS integer)"),
        (hive, "instr(s, 'a')", "CAST(strpos(s, 'a') AS integer)"),
        (hive, "locate('a', s)", "CAST(strpos(s, 'a') AS integer)"),
        (hive, "locate('a', s, 1)", "CAST(strpos(s, 'a') AS integer)"),
        (hive, "locate('a', s, 3)", "CAST(CASE WHEN strpos(substr(s, 3), 'a') > 0 THEN strpos(substr(s, 3), 'a') + 2 ELSE strpos(substr(s, 3), 'a') END AS integer)"),
        (hive, "lpad(s, i, 'x')", "CAST(lpad(s, i, 'x') AS varchar)"),
        (hive, "lpad(s, 5, s)", "CAST(CASE WHEN s = '' THEN CAST(NULL AS varchar) ELSE lpad(s, 5, s) END AS varchar)"),
        (hive, "rtrim(s)", "CAST(trim(TRAILING ' ' FROM s) AS varchar)"),
        (hive, "trim(s, 'x')", "CAST(trim(BOTH 'x' FROM s) AS varchar)"),
        (hive, "substring_index(s, '.', 2)", "CAST(array_join(slice(split(s, '.'), 1, 2), '.') AS varchar)"),
        (hive, "substring_index(s, '.', -2)", "CAST(array_join(reverse(slice(reverse(split(s, '.')), 1, 2)), '.') AS varchar)"),
        (hive, "substring_index(s, '.', 0)", "CAST(CASE WHEN s IS NOT NULL THEN '' END AS varchar)"),
        (hive, "concat(b, b)", "CAST(from_utf8(concat(b, b)) AS varchar)"),
        (hive, "concat(s, i)", "CAST(concat(s, CAST(i AS varchar)) AS varchar)"),
        (hive, "concat_ws('-', s, 'x')", "CAST(concat_ws('-', s, 'x') AS varchar)"),
        (hive, "concat_ws('-', sa, s)", "CAST(array_join(concat(transform(coalesce(sa, ARRAY[]), e -> coalesce(e, 'null')), ARRAY[CAST(s AS varchar)]), '-') AS varchar)"),
        (hive, "format_number(d, 0)", "CAST(CASE WHEN d IS NULL THEN NULL WHEN is_nan(d) THEN format('%,.0f', d) WHEN abs(d) >= 9007199254740992e0 THEN CAST(fail('not the same in Trino: a number of more digits than a double has, or infinity, as text') AS varchar) ELSE format('%,.0f', IF(abs(d) <= 5e-1, d * 8e-1, CASE WHEN abs(d - truncate(d)) = 5e-1 THEN 2e0 * round(d / 2e0) ELSE round(d) END)) END AS varchar)"),
        (hive, "format_number(de, 1)", "CAST(CASE WHEN de IS NOT NULL THEN format('%,.1f', CAST(regexp_replace(CAST(de AS varchar), '^(-?\\d*\\.[02468])5(0*)$', m -> m[1] || '4' || m[2]) AS decimal(10,2))) END AS varchar)"),
        (hive, "format_number(i, 2)", "CAST(CASE WHEN i IS NOT NULL THEN format('%,.2f', CAST(i AS decimal(38,0))) END AS varchar)"),
        (hive, "printf('%s is %d %%', s, i)", "CAST(format('%s is %d %%', s, i) AS varchar)"),
        (hive, "printf('100%%')", "CAST('100%' AS varchar)"),
        (hive, "hex(s)", "CAST(to_hex(to_utf8(s)) AS varchar)"),
        (hive, "hex(b)", "CAST(to_hex(b) AS varchar)"),
        (hive, "hex(i)", "CAST(CASE WHEN i = 0 THEN '0' ELSE regexp_replace(to_hex(to_big_endian_64(CAST(i AS bigint))), '^0+', '') END AS varchar)"),
        (hive, "bin(l)", "CAST(CASE WHEN l >= 0 THEN to_base(l, 2) ELSE '1' || lpad(to_base((l + 9223372036854775807) + 1, 2), 63, '0') END AS varchar)"),
        (hive, "encode(s, 'UTF-8')", "to_utf8(s)"),
        (hive, "decode(b, 'utf-8')", "CAST(CASE WHEN to_utf8(from_utf8(b)) <> b THEN CAST(fail('bytes that are not UTF-8') AS varchar) ELSE from_utf8(b) END AS varchar)"),
        (hive, "sha(s)", "CAST(lower(to_hex(sha1(to_utf8(s)))) AS varchar)"),
        (hive, "sha(b)", "CAST(lower(to_hex(sha1(b))) AS varchar)"),
        (hive, "sha2(s, 512)", "CAST(lower(to_hex(sha512(to_utf8(s)))) AS varchar)"),
        (hive, "sha2(b, 256)", "CAST(lower(to_hex(sha256(b))) AS varchar)"),
        (hive, "soundex('abc')", "CAST(soundex('abc') AS varchar)"),
        (hive, "get_json_object(s, '$.a[*]')", "CAST(json_query(s, 'lax $.a[*]' WITH CONDITIONAL ARRAY WRAPPER) AS varchar)"),
        (hive, "str_to_map(s)", "CAST(coalesce(map_from_entries(transform(split(s, ','), e -> ROW(split_part(e, ':', 1), CASE WHEN strpos(e, ':') > 0 THEN substr(e, strpos(e, ':') + 1) END))), CAST(MAP() AS map(varchar, varchar))) AS map(varchar, varchar))"),
        (hive, "quote(s)", r"CAST(('''' || replace(s, '''', '\''') || '''') AS varchar)"),
        (spark, "substr(s, 0)", "CAST(substr(s, 1) AS varchar)"),
        (spark, "substr(s, i)", "CAST(CASE WHEN i < 0 AND length(s) + i < 0 THEN s ELSE substr(s, CASE WHEN i = 0 THEN 1 ELSE i END) END AS varchar)"),
        (spark, "substr(s, i, 2)", "CAST(CASE WHEN i < 0 AND length(s) + i < 0 THEN substr(s, 1, greatest(length(s) + i + 2, 0)) ELSE substr(s, CASE WHEN i = 0 THEN 1 ELSE i END, 2) END AS varchar)"),
        (spark, "substr(s, -3, 2)", "CAST(CASE WHEN length(s) + -3 < 0 THEN substr(s, 1, greatest(length(s) + -3 + 2, 0)) ELSE substr(s, -3, 2) END AS varchar)"),
        (spark, "instr(s, '')", "CAST(strpos(s, '') AS integer)"),
        (spark, "lpad(s, i, '')", "CAST(substr(s, 1, greatest(i, 0)) AS varchar)"),
        (spark, "lpad(s, 5, s)", "CAST(CASE WHEN s = '' THEN substr(s, 1, 5) ELSE lpad(s, 5, s) END AS varchar)"),
        (spark, "lpad(s, 5)", "CAST(lpad(s, 5, ' ') AS varchar)"),
        (spark, "ltrim('x', s)", "CAST(trim(LEADING 'x' FROM s) AS varchar)"),
        (spark, "btrim(s, 'x')", "CAST(trim(BOTH 'x' FROM s) AS varchar)"),
        (spark, "hex(o)", "CAST(to_hex(to_utf8(CAST(o AS varchar))) AS varchar)"),
        (spark, "hex(de)", "CAST(element_at(transform(ARRAY[CAST(truncate(de) AS bigint)], w -> CASE WHEN w = 0 THEN '0' ELSE regexp_replace(to_hex(to_big_endian_64(w)), '^0+', '') END), 1) AS varchar)"),
        (spark, "hex(NULL)", "CAST(NULL AS varchar)"),
        (spark, "concat_ws('-', sa, s)", "CAST(array_join(concat(coalesce(sa, ARRAY[]), ARRAY[CAST(s AS varchar)]), '-') AS varchar)"),
        (spark, "concat_ws('-')", "CAST(CASE WHEN '-' IS NOT NULL THEN '' END AS varchar)"),
        (spark, "concat(b, b)", "concat(b, b)"),
        (spark, "split_part(s, ',', 2)", "CAST(coalesce(split_part(s, ',', 2), CASE WHEN s IS NOT NULL THEN '' END) AS varchar)"),
        (spark, "split_part(s, ',', -1)", "CAST(coalesce(element_at(split(s, ','), -1), CASE WHEN s IS NOT NULL THEN '' END) AS varchar)"),
        (spark, "initcap(s)", r"CAST(CASE WHEN regexp_like(s, '(?:^| )[ßǄ-ǌǱ-ǳŉǰΐΰևẖ-ẚὐ-ῼﬀ-ﬗ]|İ|\p{L}[^\p{L}\s]*Σ(?!\p{L})') THEN CAST(fail('not the same in Trino: letters that have others in titles') AS varchar) ELSE regexp_replace(lower(s), '(^| )([^ ])', x -> x[1] || upper(x[2])) END AS varchar)"),
        (spark, "upper(s)", "CAST(CASE WHEN regexp_like(s, '[ŉǰΐΰևẖ-ẚὐ-ῼﬀ-ﬗ]') THEN CAST(fail('not the same in Trino: letters that become two in capitals') AS varchar) ELSE upper(replace(s, 'ß', 'SS')) END AS varchar)"),
        (spark, "upper('a')", "CAST(upper('a') AS varchar)"),
        (hive, "lower('A')", "CAST(lower('A') AS varchar)"),
        (spark, "elt(i, s, 'b')", "CAST(CASE WHEN i BETWEEN 1 AND 2 THEN element_at(ARRAY[s, 'b'], i) WHEN i IS NOT NULL THEN CAST(fail('no argument of this number') AS varchar) END AS varchar)"),
        (spark, "startswith(s, 'a')", "starts_with(s, 'a')"),
        (spark, "parse_url(s, 'REF')", "CAST(CASE WHEN NOT (s IS NULL OR url_extract_fragment(s) IS NOT NULL) THEN CAST(fail('an invalid URL') AS varchar) WHEN regexp_like(s, '[%+]') THEN CAST(fail('not the same in Trino: an encoded URL') AS varchar) ELSE element_at(filter(ARRAY[url_extract_fragment(s)], nullif_value -> nullif_value <> ''), 1) END AS varchar)"),
        (spark, "base64(b)", "CAST(regexp_replace(to_base64(b), '(.{76})(?=.)', m -> m[1] || chr(13) || chr(10)) AS varchar)"),
    ],
)  # fmt: skip
def test_texts_are_written_with_the_same_meaning(written: Written, call: str, form: str) -> None:
    assert written(call) == form


@pytest.mark.parametrize(
    ("written", "call", "reason"),
    [
        (hive, "substr(b, 0)", "substr for Trino is not supported: bytes from the end"),
        (hive, "instr(s, 'a', 1, 2)", "instr for Trino is not supported: an occurrence other than the first"),
        (hive, "locate(s, s, 3)", "locate for Trino is not supported: the text to find and the position must be constants"),
        (hive, "substring_index(s, s, 2)", "substring_index for Trino is not supported: the delimiter and the count must be constants"),
        (hive, "format_number(d, '#')", "format_number for Trino is not supported: the format must be a number of digits"),
        (hive, "printf('%5.2f', d)", "printf for Trino is not supported: format '%5.2f'"),
        (hive, "printf('%d', s)", "printf for Trino is not supported: %d of a value of this type"),
        (hive, "printf('%')", "printf for Trino is not supported: format '%'"),
        (hive, "conv(s, -10, 16)", "conv for Trino is not supported: the bases must be positive constants"),
        (hive, "encode(s, 'UTF-16')", "encode for Trino is not supported: charset 'UTF-16'"),
        (hive, "sha2(s, 224)", "sha2 for Trino is not supported: a digest of this length"),
        (hive, "parse_url(s, 'HOST', 'k')", "parse_url for Trino is not supported: a key of a part other than QUERY"),
        (hive, "parse_url(s, 'USERINFO')", "parse_url for Trino is not supported: part 'USERINFO'"),
        (hive, "soundex(s)", "soundex for Trino is not supported: Trino refuses texts with characters other than A to Z"),
        (hive, "get_json_object(s, 'a')", "get_json_object for Trino is not supported: path 'a'"),
        (hive, "get_json_object(s, '$..a')", "get_json_object for Trino is not supported: path '$..a'"),
        (hive, "str_to_map(s, s, s)", "str_to_map for Trino is not supported: a delimiter must be a constant"),
        (spark, "split_part(s, s, 1)", "split_part for Trino is not supported: the delimiter and the place must be constants"),
        (spark, "lpad(b, 5, b)", "lpad for Trino is not supported: bytes"),
        (spark, "get_json_object(s, '$.a[*]')", "get_json_object for Trino is not supported: a wildcard in a path"),
    ],
)  # fmt: skip
def test_texts_that_trino_computes_otherwise_are_refused_with_the_reason(
    written: Written, call: str, reason: str
) -> None:
    with pytest.raises(UnsupportedConstruct) as refused:
        written(call)

    assert reason in str(refused.value)
