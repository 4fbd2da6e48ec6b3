"""Calls that no generator makes: with special syntax, clauses, sketches, formats or whole queries.

``{}`` stands for an argument, which the probe varies.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Final

Forms = Sequence[tuple[str, Sequence[str]]]

SYNTAX: Final[Mapping[str, Forms]] = MappingProxyType(
    {
        "and": (("{} AND {}", ("bo", "bo2")),),
        "or": (("{} OR {}", ("bo", "bo2")),),
        "not": (("NOT {}", ("bo",)),),
        "between": (("{} BETWEEN {} AND {}", ("i", "i2", "i3")),),
        "case": (
            ("CASE WHEN {} THEN {} ELSE {} END", ("bo", "i", "i2")),
            ("CASE {} WHEN {} THEN {} END", ("i", "1", "s")),
        ),
        "when": (("CASE WHEN {} THEN {} END", ("bo", "i")),),
        "cast": tuple(
            (f"CAST({{}} AS {type_})", ("s",))
            for type_ in ("INT", "STRING", "DATE", "TIMESTAMP", "DECIMAL(10,2)", "BINARY")
        ),
        "div": (("{} DIV {}", ("i", "i2")),),
        "in": (("{} IN ({}, {})", ("i", "i2", "1")),),
        **{
            name: ((f"{{}} {name.upper()} {{}}", ("s", "s2")),)
            for name in ("like", "ilike", "rlike", "regexp")
        },
        **{
            name: ((f"{name}({{}}) WITHIN GROUP (ORDER BY {{}})", ("0.5", "d")),)
            for name in ("percentile_cont", "percentile_disc")
        },
    }
)
"""Names that are not, or not only, called as ``name(arguments)``."""

_IGNORING: Final = ("first", "last", "first_value", "last_value", "any_value")
_KLL: Final = (("bigint", "b"), ("double", "d"), ("float", "f"))
_SUMMARIES: Final = (("double", "d"), ("integer", "i"))


def _clauses() -> dict[str, Forms]:
    return {
        # Most calls have this argument as a number in the text.
        "percentile": (("percentile({}, {})", ("i", "0.5")), ("percentile({}, {})", ("b", "0.25"))),
        "ntile": (("ntile({}) OVER (ORDER BY r)", ("3",)),),
        **{
            name: (
                (f"{name}({{}}) IGNORE NULLS", ("i",)),
                (f"{name}({{}}) FILTER (WHERE {{}})", ("s", "bo")),
                (f"{name}({{}}) IGNORE NULLS OVER (ORDER BY r)", ("i",)),
            )
            for name in _IGNORING
        },
        **{
            name: (
                (f"{name}({{}}) RESPECT NULLS", ("i",)),
                (f"{name}({{}}) IGNORE NULLS", ("s",)),
                (f"{name}(DISTINCT {{}})", ("s",)),
                (f"{name}({{}}) RESPECT NULLS OVER (PARTITION BY bo)", ("i",)),
            )
            for name in ("collect_list", "array_agg", "collect_set")
        },
        **{
            name: (
                (f"{name}({{}}) WITHIN GROUP (ORDER BY {{}} DESC)", ("s", "i")),
                (f"{name}(DISTINCT {{}}, {{}}) WITHIN GROUP (ORDER BY {{}})", ("s", "','", "s")),
                (f"{name}({{}}, {{}}) OVER (PARTITION BY {{}})", ("s", "','", "bo")),
            )
            for name in ("listagg", "string_agg")
        },
        **{
            name: (
                (f"{name}({{}}) FILTER (WHERE {{}})", ("i", "bo")),
                (f"{name}({{}}) FILTER (WHERE {{}}) OVER (ORDER BY r)", ("i", "bo")),
            )
            for name in ("sum", "count", "max", "avg", "count_if", "regr_count", "bool_or")
        },
        "mode": (("mode() WITHIN GROUP (ORDER BY {})", ("i",)), ("mode({}, {})", ("s", "true"))),
        **{
            name: ((f"{name}({{}}) IGNORE NULLS OVER (ORDER BY r)", ("i",)),)
            for name in ("lag", "lead")
        },
        "variant_get": (("variant_get({}, {}, {})", ("va", "'$.a'", "'array<int>'")),),
        "window": (
            ("window({}, '1 day').start", ("ts",)),
            ("window({}, '1 day', '1 hour')", ("tn",)),
        ),
        "window_time": (("window_time(window({}, '1 day'))", ("ts",)),),
    }


def _sketches() -> dict[str, Forms]:
    forms: dict[str, Forms] = {
        "approx_top_k_estimate": (("approx_top_k_estimate(approx_top_k_accumulate({}))", ("i",)),),
        "approx_top_k_combine": (
            (
                "approx_top_k_combine(named_struct('a', {}, 'b', {}, 'c', {}, 'd', {}))",
                ("bi", "i", "s", "s2"),
            ),
        ),
        "hll_sketch_estimate": (("hll_sketch_estimate(hll_sketch_agg({}))", ("i",)),),
        "hll_union": (("hll_union(hll_sketch_agg({}), hll_sketch_agg({}))", ("i", "i2")),),
        "theta_sketch_estimate": (("theta_sketch_estimate(theta_sketch_agg({}))", ("i",)),),
        "bitmap_count": (("bitmap_count(bitmap_construct_agg(bitmap_bit_position({})))", ("i",)),),
    }
    for name in ("theta_union", "theta_difference", "theta_intersection"):
        forms[name] = ((f"{name}(theta_sketch_agg({{}}), theta_sketch_agg({{}}))", ("i", "i2")),)
    for type_, column in _KLL:
        made = f"kll_sketch_agg_{type_}({{}})"
        for name in ("get_n", "to_string"):
            forms[f"kll_sketch_{name}_{type_}"] = (
                (f"kll_sketch_{name}_{type_}({made})", (column,)),
            )
        for name in ("get_quantile", "get_rank"):
            forms[f"kll_sketch_{name}_{type_}"] = (
                (f"kll_sketch_{name}_{type_}({made}, {{}})", (column, "0.5F")),
                (f"kll_sketch_{name}_{type_}({made}, {{}})", (column, "array(0.1F, 0.9F)")),
            )
        merged = f"kll_sketch_merge_{type_}({made}, {made})"
        forms[f"kll_sketch_merge_{type_}"] = ((merged, (column, column)),)
    for type_, column in _SUMMARIES:
        made = f"tuple_sketch_agg_{type_}({{}}, {{}})"
        for name in ("estimate", "summary", "theta"):
            forms[f"tuple_sketch_{name}_{type_}"] = (
                (f"tuple_sketch_{name}_{type_}({made})", ("s", column)),
            )
        for name in ("union", "intersection", "difference"):
            forms[f"tuple_{name}_{type_}"] = (
                (f"tuple_{name}_{type_}({made}, {made})", ("s", column, "s2", column)),
            )
            forms[f"tuple_{name}_theta_{type_}"] = (
                (
                    f"tuple_{name}_theta_{type_}({made}, theta_sketch_agg({{}}))",
                    ("s", column, "s2"),
                ),
            )
    return forms


def _queries() -> dict[str, Forms]:
    """Calls that need a separate query: ``{{t}}`` is the table."""
    grouped = "SELECT {call} AS x FROM {{{{t}}}} GROUP BY {groups}"
    by = (
        "{0} WITH ROLLUP",
        "CUBE({0}, r)",
        "GROUPING SETS (({0}), ({0}, r), ())",
        "ROLLUP(r, {0})",
    )
    return {
        "grouping": tuple(
            (grouped.format(call="grouping({0})", groups=groups), ("s",)) for groups in by
        ),
        "grouping_id": tuple(
            (grouped.format(call=call, groups=groups), ("s",))
            for groups in by[1:]
            for call in ("grouping_id()", "grouping_id({0}, r)")
        ),
        "grouping__id": tuple(
            (grouped.format(call="grouping__id", groups=groups), ("s",)) for groups in by
        ),
        "session_window": (
            (
                "SELECT session_window({0}, {1}) AS x FROM {{t}} GROUP BY session_window({0}, {1})",
                ("ts", "'5 minutes'"),
            ),
        ),
    }


_PATH: Final = "{}(concat('<a><b>', {{}}, '</b><b/><c k=\"2.5\"/></a>'), {})"
_OF_PATHS: Final = (
    "xpath",
    *(f"xpath_{t}" for t in ("boolean", "double", "float", "int", "long", "number", "short")),
    "xpath_string",
)
_BIT_VECTORS: Final = (
    "SExMoAgIwfO+SIDyzocDgLPxf8XTgfX8/////wG7543T/v////8BgNDf4AHBu6ryBcKix878/////wE=",
    "SExMoAgIw8OR7Ae/4Mmp+P////8B/4vEsQKA2Kbi/f////8Bgt7qiAT+tcbLA4Cd7539/////wGA6beb/P////8B",
    "Rk0QAAsAAAAjAAAAAwAAAAsAAAAHAAAABwAAACcAAAAbAAAACwAAAAIAAAAHAAAACwAAABcAAAAjAAAABwAAAAcAAAA=",
)
"""The results of Hive's ``compute_bit_vector_hll`` and ``_fm`` for eight values."""

_AVRO_RECORD: Final = (
    '{"type": "record", "name": "topLevelRecord", "fields":'
    ' [{"name": "x", "type": "int"}, {"name": "y", "type": "string"}]}'
)


def _formats() -> dict[str, Forms]:
    """Calls with constants that random changes do not find."""
    return {
        "create_union": (
            ("create_union({}, {}, {})", ("0", "i", "s")),
            ("create_union({}, {})", ("0", "i")),
        ),
        "percentile_approx": (
            ("percentile_approx({}, {})", ("i", "0.5")),
            ("percentile_approx({}, {}, {})", ("d", "0.25", "100")),
            ("percentile_approx({}, {})", ("de", "array(0.1, 0.9)")),
        ),
        **{
            name: (
                (f"{name}('java.lang.String', 'valueOf', {{}})", ("i",)),
                (f"{name}('java.lang.Math', 'max', {{}}, {{}})", ("i", "2")),
                (f"{name}('java.lang.Math', 'floorMod', {{}}, {{}})", ("b", "7L")),
            )
            for name in ("java_method", "reflect")
        },
        "ndv_compute_bit_vector": tuple(
            ("ndv_compute_bit_vector(unbase64({}))", (f"'{vector}'",)) for vector in _BIT_VECTORS
        ),
        **{
            name: (
                (_PATH.format(name, "'a/b/text()'"), ("i",)),
                (_PATH.format(name, "'a/c/@k'"), ("s",)),
                (_PATH.format(name, "if({}, 'a/b/text()', 'a/c/@k')"), ("i", "bo")),
                (
                    _PATH.format(name, "concat({}, 'a/b/text()')"),
                    ("ti", "CASE WHEN bo THEN '//' ELSE '' END"),
                ),
            )
            for name in _OF_PATHS
        },
        # With bytes that are Avro values, unlike the bytes in most columns.
        "from_avro": tuple(
            ("from_avro(to_avro({}), {})", (value, f"'{schema}'"))
            for value, schema in (
                ("i", '"int"'),
                ("s", '["null", "string"]'),
                ("array(i, i2)", '{"type": "array", "items": "int"}'),
                ("map(s, d)", '{"type": "map", "values": "double"}'),
                ("named_struct('x', i, 'y', s)", _AVRO_RECORD),
                ("CAST(b AS TIMESTAMP)", '{"type": "long", "logicalType": "timestamp-micros"}'),
            )
        ),
        "named_struct": (
            ("named_struct('x', {})", ("i",)),
            ("named_struct('x', {}, 'y', {})", ("d", "s")),
            ("named_struct('x', {}, 'y', {}).y", ("i", "a_s")),
        ),
        "replicate_rows": (
            ("replicate_rows({}, {})", ("2L", "i")),
            ("replicate_rows({}, {}, {})", ("3L", "s", "i")),
            ("replicate_rows(1L, {})", ("a_s",)),
            ("replicate_rows(2L, {}, {}, {})", ("d", "ts", "bo")),
        ),
        # A file that every machine has.
        "in_file": (("in_file({}, {})", ("s", "'/dev/null'")),),
        "count_min_sketch": (
            ("count_min_sketch({}, {}, {}, {})", ("i", "0.5D", "0.5D", "1")),
            ("count_min_sketch({}, 0.1D, 0.95D, 11)", ("s",)),
        ),
        "histogram_numeric": (("histogram_numeric({}, {})", ("i", "5")),),
        "kll_sketch_agg_float": (("kll_sketch_agg_float({})", ("f",)),),
        "collate": tuple(
            ("collate({}, {})", ("s", f"'{name}'"))
            for name in ("UTF8_LCASE", "UTF8_BINARY", "UNICODE", "UNICODE_CI", "de_CI_AI")
        ),
        "stack": (
            ("stack({}, {}, {})", ("2", "i", "i2")),
            ("stack({}, {}, {}, {}, {})", ("2", "i", "s", "i2", "s2")),
            ("stack({}, {}, {})", ("1", "i", "s")),
        ),
        "extract": tuple(
            (f"extract({unit} FROM {{}})", (column,))
            for unit in ("YEAR", "QUARTER", "MONTH", "WEEK", "DAY", "HOUR", "MINUTE", "SECOND")
            for column in ("ts", "da", "s")
        ),
        **{
            name: (
                (f"{name}({{}})", ("ast",)),
                (f"{name}(array(struct({{}}, {{}})))", ("i", "s")),
                (
                    f"{name}(array(named_struct('a', {{}}, 'b', {{}}), named_struct('a', {{}}, 'b', {{}})))",
                    ("i", "s", "i2", "s2"),
                ),
            )
            for name in ("inline", "inline_outer")
        },
        "schema_of_variant": (
            ("schema_of_variant({})", ("va",)),
            ("schema_of_variant(parse_json({}))", ("s",)),
            ("schema_of_variant(CAST({} AS VARIANT))", ("i",)),
            ("schema_of_variant(to_variant_object({}))", ("ast",)),
        ),
        "st_srid": (
            ("st_srid(st_geomfromwkb({}))", ("bi",)),
            ("st_srid(st_geogfromwkb({}))", ("bi",)),
            ("st_srid(st_geomfromwkb({}, {}))", ("bi", "4326")),
            ("st_srid(st_setsrid(st_geomfromwkb({}), {}))", ("bi", "i")),
        ),
        "map_from_entries": (
            ("map_from_entries(array(struct({}, {})))", ("i", "s")),
            ("map_from_entries(array(struct({}, {}), struct({}, {})))", ("s", "d", "s2", "d2")),
        ),
        "json_tuple": (
            ("json_tuple({}, {})", ("s", "'a'")),
            ("json_tuple({}, {}, {})", ("s", "'a'", "'b'")),
        ),
    }


BESIDES: Final[Mapping[str, Forms]] = MappingProxyType(
    {**_clauses(), **_sketches(), **_queries(), **_formats()}
)
"""A function's name → forms with ``{}`` in place of arguments, and the arguments."""
