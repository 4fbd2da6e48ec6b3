"""Calls of Spark's functions whose arguments must be constant or nested, over the probed columns."""

from __future__ import annotations

from typing import Final

CALLS: Final = (
    # collections
    *("arrays_zip(ai, a_s)", "arrays_zip(ai)", "arrays_zip(ai, array(i), split(s, ','))"),
    *("arrays_zip(ast, ast)", "arrays_zip(map_values(m), map_keys(m))", "arrays_zip(st.x, ai)"),
    *("flatten(array(ai))", "flatten(array(ai, array(i)))", "flatten(array(a_s, CAST(NULL AS array<string>)))"),
    *("flatten(array(array(1, 2), array(3)))", "flatten(array(array(st), ast))", "flatten(transform(ai, x -> array(x)))"),
    *("map_from_entries(array(struct(i, s)))", "map_from_entries(ast)", "map_from_entries(map_entries(m))"),
    *("map_from_entries(array(named_struct('k', 1, 'v', 'a'), named_struct('k', 2, 'v', 'b')))",),
    *("map_entries(m)", "map_entries(map('a', 1))", "map_entries(map(i, st))", "map_from_arrays(array(1, 2), array('a', 'b'))"),
    *("map_from_arrays(array(1, 2), a_s)", "map_from_arrays(a_s, ai)", "array_repeat(i, 2)", "array_repeat(1, 2)"),
    *("array_repeat(array(i), 2)", "array_repeat(st, i)", "array_repeat(NULL, 2)", "array_append(ai, i)", "array_append(array(1), 2)"),
    *("array_append(array(1), NULL)", "array_append(array('a'), s)", "array_append(array(1), 2L)", "array_append(array(st), st)"),
    *("array_prepend(array(1), i)", "array_prepend(ai, 1.5D)", "array_prepend(array(array(1)), ai)"),
    *("array_insert(ai, 1, i)", "array_insert(array('a'), 5, 'b')", "array_insert(array(1), -1, 2L)", "array_insert(ai, i, NULL)"),
    *("array_compact(ai)", "array_compact(array(1, NULL))", "array_compact(ast)", "array_compact(array(ai))"),
    *("array_sort(ai)", "array_sort(array('b', 'a'))", "array_sort(ast)", "shuffle(ai)", "shuffle(array(1, 2))", "shuffle(a_s, 1)"),
    *("sequence(1, 5)", "sequence(i, b)", "sequence(1Y, 5S)", "sequence(5, 1, -2)", "sequence(i, i, b)", "sequence(da, da)"),
    *("sequence(da, da, INTERVAL '1' MONTH)", "sequence(ts, ts, INTERVAL '1' HOUR)", "sequence(da, ts, INTERVAL '1' DAY)"),
    *("sequence(DATE '2020-01-01', DATE '2020-02-01')", "try_element_at(ai, 1)", "try_element_at(m, 'a')", "try_element_at(array(1), 2)"),

    # lambdas
    *("transform(ai, x -> x + 1)", "transform(array(1, 2), (x, n) -> x + n)", "transform(a_s, x -> upper(x))"),
    *("filter(ai, x -> x > 0)", "filter(array(1, 2), (x, n) -> n > 0)", "exists(ai, x -> x > 0)", "exists(array(1), x -> x > 0)"),
    *("forall(ai, x -> x > 0)", "forall(array('a'), x -> x = 'a')", "aggregate(ai, 0, (a, x) -> a + x)", "reduce(array(1.5D), 0D, (a, x) -> a + x)"),
    *("aggregate(array(1, 2), 0, (a, x) -> a + x, a -> a > 1)", "aggregate(ai, CAST(0 AS BIGINT), (a, x) -> a + 1L, a -> coalesce(a, 0L))"),
    *("zip_with(ai, a_s, (x, y) -> concat(x, y))", "zip_with(array(1), array(2), (x, y) -> struct(x, y))"),
    *("map_filter(m, (k, v) -> v > 1)", "map_filter(map('a', 1), (k, v) -> k = 'a')", "map_zip_with(m, m, (k, v, w) -> coalesce(v, w, 0))"),
    *("transform_keys(m, (k, v) -> concat(k, '!'))", "transform_values(m, (k, v) -> coalesce(v, 0))", "transform_values(map('a', 1), (k, v) -> v + 1)"),

    # documents
    *("from_json(s, 'a INT, b STRING')", "from_json(s, 'struct<a:int,b:array<struct<c:string>>>')", "from_json(s, 'array<int>')"),
    *("from_json(s, 'map<string,int>')", "from_json(s, 'a INT NOT NULL')", "from_json(s, 'a: INT, b: DECIMAL(10,2)')"),
    *("from_json(s, 'a TIMESTAMP', map('timestampFormat', 'dd/MM/yyyy'))", "from_json('{}', 'a INT')", "from_json(s, 'B INT, c MAP<STRING, ARRAY<INT>>')"),
    *("from_json(s, schema_of_json('{\"a\": 1, \"b\": [1.5, null], \"c\": {\"d\": \"x\"}}'))", "from_json(s, schema_of_json('[{\"a\": 1}, {\"b\": true}]'))"),
    *("from_json(s, schema_of_json('{\"z\": null, \"a\": [], \"l\": 12345678901234567890, \"m\": [1, 2.5], \"n\": [1, \"a\"]}'))", "from_json(s, schema_of_json('{\"e\": {}, \"a\": [{}], \"x\": [[]]}'))"),
    *("from_csv(s, 'a INT, b DOUBLE')", "from_csv(s, 'a TIMESTAMP', map('timestampFormat', 'dd/MM/yyyy'))", "from_csv('1', 'a INT')"),
    *("from_xml(s, 'a INT, b STRUCT<c: STRING>')", "to_json(st)", "to_json(ast)", "to_json(m)", "to_json(named_struct('a', 1))"),
    *("to_json(st, map('pretty', 'true'))", "to_csv(st)", "to_csv(named_struct('a', 1, 'b', s))", "to_xml(st)", "schema_of_json('{\"a\": 1}')"),
    *("schema_of_csv('1,abc')", "schema_of_xml('<p><a>1</a></p>')", "json_array_length(s)", "json_object_keys(s)"),

    # numbers
    *("ceil(de, 1)", "ceil(d, 1)", "ceil(i, -1)", "floor(b, 2)", "floor(f, 1)", "floor(dw, 0)", "ceil(s, 1)", "ceil(3.1411, -3)"),
    *("uniform(1, 5)", "uniform(1, 5L)", "uniform(1S, 2Y, 3)", "uniform(1, 2.5)", "uniform(1.25, 2.5, 1)", "uniform(1, 2.5F)", "uniform(1D, 2.5F)"),
    *("randstr(3)", "randstr(3S, 1)", "nullifzero(i)", "nullifzero(1)", "nullifzero(de)", "zeroifnull(i)", "zeroifnull(1)", "zeroifnull(de)"),
    *("zeroifnull(d)", "zeroifnull(s)", "zeroifnull(ti)", "zeroifnull(NULL)", "width_bucket(i, 0, 10, 5)", "try_mod(i, 2)", "try_mod(de, 1.5)"),

    # text
    *("to_number('12.5', '99.9')", "to_number(s, '$999,999.00')", "try_to_number(s, 'S99D9')", "to_number(s, '0')", "to_number(s, '9999PR')"),
    *("decode(i, 1, 'a', 2, 'b')", "decode(i, 1, 'a', 'z')", "decode(s, 'a', 1, 'b', 2.5)", "decode(i, 1, 10, 2L)", "decode(bi, 'utf-8')"),
    *("elt(1, 'a', 'b')", "elt(i, s, i)", "elt(1, bi, bi)", "mask(s)", "mask(s, NULL)", "mask('aB1-', 'X', 'x', 'n', '?')", "mask(NULL)"),
    *("sentences(s)", "sentences('a b. c')", "convert_timezone('UTC', ts)", "convert_timezone('UTC', 'CET', ts)", "convert_timezone('CET', s)"),

    # constants that are written in other words
    *("round(2.55, 0 + 1)", "round(2.55, CAST(1 AS SMALLINT))", "bround(2.5, CAST(NULL AS INT))", "ceil(de, 1 + 1)", "floor(de, -(1 + 1))"),
    *("current_time(1 + 1)", "date_part(CAST('YEAR' AS STRING), ts)", "date_part(concat('YE', 'AR'), da)", "date_part(NULL, ts)"),
    *("from_json(s, concat('a ', 'INT'))", "from_csv(s, CAST('a INT' AS STRING))", "from_json(s, schema_of_json(concat('{\"a\"', ': 1}')))"),
    *("to_number(s, concat('9', '9'))", "named_struct(concat('a', 'b'), i)", "try_variant_get(va, '$.a', concat('in', 't'))"),

    # nulls of implicit casts, and untyped ones
    *("date_part('YEAR', s)", "date_part('HOUR', '')", "date_part('SECOND', s)", "reverse(va)", "reverse(NULL)", "uniform(1.25, 9, 1)", "uniform(1.25, 100, 1)"),
    *("kll_sketch_get_rank_float(bi, 'a')", "kll_sketch_get_rank_bigint(bi, NULL)", "kll_sketch_get_quantile_double(bi, '0.5')"),
    *("~NULL", "NULL & NULL", "ti | NULL", "bit_xor(NULL)", "bit_and(NULL)", "max_by(i, s, 2)", "min_by(st, s, 1 + 1)", "max_by(ai, i, '2')"),

    # moments
    *("make_timestamp(i, 1, 1, 0, 0, 0)", "make_timestamp(2020, 1, 1, 0, 0, 1.5)", "make_timestamp(2020, 1, 1, 0, 0, 0, 'CET')"),
    *("make_timestamp(da)", "make_timestamp_ltz(2020, 1, 1, 0, 0, 0, s)", "make_timestamp_ntz(2020, 1, i, 0, 0, 0)"),
    *("try_make_timestamp(2020, 13, 1, 0, 0, 0)", "try_make_timestamp_ntz(2020, 1, 1, 0, 0, 0)", "make_interval()", "make_interval(1, 2, i)"),
    *("make_interval(1, 2, 3, 4, 5, 6, 7.5)", "try_make_interval(i)", "make_dt_interval()", "make_dt_interval(1, i, 2, 3.5)", "make_ym_interval(i)"),

    # casts by the name of their type
    *(f"{name}({column})" for name in ("int", "bigint", "smallint", "tinyint", "double", "float", "decimal") for column in ("s", "i", "d", "de", "bo")),
    *(f"string({column})" for column in ("s", "i", "da", "ts", "st", "bi")),
    *("boolean(s)", "boolean(i)", "binary(s)", "date(ts)", "date(s)", "date(da)", "timestamp(s)", "timestamp(da)", "timestamp(b)"),
)  # fmt: skip
