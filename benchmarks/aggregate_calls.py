"""Calls with clauses of aggregates, and of sketches, which no column holds, beside the usual calls."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Final

Forms = Sequence[tuple[str, Sequence[str]]]

_IGNORING: Final = ("first", "last", "first_value", "last_value", "any_value")
_KLL: Final = (("bigint", "b"), ("double", "d"), ("float", "f"))
_SUMMARIES: Final = (("double", "d"), ("integer", "i"))


def _clauses() -> dict[str, Forms]:
    return {
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


BESIDES: Final[Mapping[str, Forms]] = MappingProxyType({**_clauses(), **_sketches()})
"""A function's name → forms with ``{}`` where arguments stand, and the arguments."""
