"""Writes Trino's aggregates for Spark, with Trino's filter and window on each of Spark's calls.

Windows and filters follow a call, so a form with several calls uses ``of`` to add them to each.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Final, TypeAlias

from lakeschema.catalog.column_types import DOUBLE, FLOAT, DecimalType
from lakeschema.translation.emission.spark.from_hive.forms import WRITERS as HIVES
from lakeschema.translation.emission.spark.from_trino.decimals import quotient
from lakeschema.translation.emission.spark.from_trino.types import type_text
from lakeschema.translation.model.errors import UnsupportedConstruct
from lakeschema.translation.plan.expressions import AggregateCall, SortKey, WindowCall

Of: TypeAlias = Callable[[str], str]
"""Adds the filter and the window to a Spark call."""

Write: TypeAlias = Callable[["AggregateCall | WindowCall", Sequence[str], Of], str]

SAME: Final[Mapping[str, str]] = MappingProxyType(
    {
        **{
            name: name
            for name in (
                *("count", "sum", "count_if", "bool_and", "bool_or"),
                *("stddev_pop", "stddev_samp", "var_pop", "var_samp", "corr"),
                *("covar_pop", "covar_samp", "regr_slope", "regr_intercept"),
                *("row_number", "rank", "dense_rank", "percent_rank", "cume_dist", "ntile", "lag"),
                *("lead", "first_value", "last_value", "nth_value", "listagg"),
            )
        },
        "bitwise_and_agg": "bit_and",
        "bitwise_or_agg": "bit_or",
        "bitwise_xor_agg": "bit_xor",
        "approx_distinct": "approx_count_distinct",
    }
)
"""Spark's names for aggregates with the same meaning."""

OF_COUNTS: Final = frozenset({"ntile", "lag", "lead", "nth_value"})
"""Window functions with numbers that Spark requires as integers."""


def sorted_list(keys: Sequence[SortKey], texts: Sequence[str], listed: str) -> str:
    """An array of structs with keys ``k0`` … and a value, sorted by the keys."""
    del texts
    parts: list[str] = []
    for place, key in enumerate(keys):
        a, b = f"a.k{place}", f"b.k{place}"
        less, more = ("1", "-1") if key.descending else ("-1", "1")
        null, other = ("-1", "1") if key.nulls_first else ("1", "-1")
        parts.append(
            f"WHEN {a} IS NULL AND {b} IS NOT NULL THEN {null}"
            f" WHEN {a} IS NOT NULL AND {b} IS NULL THEN {other}"
            f" WHEN {a} < {b} THEN {less} WHEN {a} > {b} THEN {more}"
        )
    return f"array_sort({listed}, (a, b) -> CASE {' '.join(parts)} ELSE 0 END)"


def array_agg(texts: Sequence[str], keys: Sequence[SortKey], orders: Sequence[str], of: Of) -> str:
    """Writes ARRAY_AGG: it includes nulls, unlike Spark's, and is null over no rows."""
    fields = "".join(f"'k{i}', {text}, " for i, text in enumerate(orders))
    listed = of(f"collect_list(named_struct({fields}'v', {texts[0]}))")
    ordered = sorted_list(keys, orders, listed) if keys else listed
    return f"if(size({listed}) = 0, NULL, transform({ordered}, e -> e.v))"


def _extreme(call: AggregateCall | WindowCall, texts: Sequence[str], of: Of) -> str:
    """Writes MIN and MAX: NaN is the result only if there is no other value."""
    name = call.operator.name
    if len(texts) > 1:
        raise UnsupportedConstruct(f"{name} of several values for Spark")
    if call.arguments[0].type not in (DOUBLE, FLOAT):
        return of(f"{name}({texts[0]})")
    none = f"CAST(NULL AS {type_text(call.arguments[0].type)})"
    return f"coalesce({of(f'{name}(nanvl({texts[0]}, {none}))')}, {of(f'{name}({texts[0]})')})"


def _average(call: AggregateCall | WindowCall, texts: Sequence[str], of: Of) -> str:
    """Writes AVG; for decimals the sum divided by the count, since Spark would round twice."""
    if not isinstance(call.type, DecimalType):
        return of(f"avg({texts[0]})")
    total, count = of(f"sum({texts[0]})"), of(f"count({texts[0]})")
    summed = DecimalType(38, call.type.scale)
    return quotient(
        f"CAST({total} AS {type_text(summed)})",
        summed,
        f"CAST(nullif({count}, 0) AS DECIMAL(19, 0))",
        DecimalType(19, 0),
        call.type,
    )


def _any_value(_: AggregateCall | WindowCall, texts: Sequence[str], of: Of) -> str:
    return of(f"any_value({texts[0]}, true)")


def _map_agg(_: AggregateCall | WindowCall, texts: Sequence[str], of: Of) -> str:
    listed = of(f"collect_list(if({texts[0]} IS NULL, NULL, struct({texts[0]}, {texts[1]})))")
    return f"if(size({listed}) = 0, NULL, map_from_entries({listed}))"


def _grouping(_: AggregateCall | WindowCall, texts: Sequence[str], __: Of) -> str:
    return HIVES["grouping"](texts)


def _three(call: AggregateCall | WindowCall, texts: Sequence[str], of: Of) -> str:
    if len(texts) > 2:
        raise UnsupportedConstruct(f"{call.operator.name} of several values for Spark")
    return of(f"{call.operator.name}({', '.join(texts)})")


WRITERS: Final[Mapping[str, Write]] = MappingProxyType(
    {
        "avg": _average,
        "min": _extreme,
        "max": _extreme,
        "min_by": _three,
        "max_by": _three,
        "arbitrary": _any_value,
        "any_value": _any_value,
        "map_agg": _map_agg,
        "grouping": _grouping,
    }
)
