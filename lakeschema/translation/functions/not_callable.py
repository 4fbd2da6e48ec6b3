"""Functions that an engine lists but no view can call, each with the reason."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from lakeschema.catalog.relations import Dialect

_TABLE_FUNCTION = "it takes a table in FROM, with PARTITION BY, and is not supported there"
_PLANNER = "Hive's planner writes it into its own plans; a query that calls it is refused"
_TESTS = "it exists for Hive's own tests"
_LLAP = "it returns parts of a running query to clients of LLAP"

_OF_HIVE: Final = {
    "matchpath": _TABLE_FUNCTION,
    **dict.fromkeys(("noop", "noopwithmap", "noopstreaming", "noopwithmapstreaming"), _TABLE_FUNCTION),
    "windowingtablefunction": "Hive's planner puts it where a query has OVER",
    **dict.fromkeys(("internal_interval", "toarray", "tomap", "tostruct"), _PLANNER),
    **dict.fromkeys(("get_splits", "get_llap_splits"), _LLAP),
    **dict.fromkeys(("exception_in_vertex_udf", "exception_in_vertex_udaf", "assert_true_oom"), _TESTS),
    "reflect2": "its type is that of a Java method, which only its class knows",
    "case": "it is written as CASE … END",
    "when": "it is written as CASE WHEN … END",
    "cast_format": "it is written as CAST(… AS … FORMAT …)",
}  # fmt: skip

_NANOSECONDS = "its timestamps have nanoseconds, which Spark 4.3 allows by a setting alone"

_OF_SPARK: Final = {
    **dict.fromkeys(("timestamp_nanos", "unix_nanos"), _NANOSECONDS),
    "case": "it is written as CASE … END",
    "when": "it is written as CASE WHEN … END",
    "cast": "it is written as CAST(… AS …)",
    "measure": "it reads a measure of a metric view, of which the catalog has no columns",
}

_REASONS: Final[Mapping[Dialect, Mapping[str, str]]] = MappingProxyType(
    {Dialect.HIVE: _OF_HIVE, Dialect.SPARK: _OF_SPARK}
)


def why_not_callable(name: str, dialect: Dialect) -> str | None:
    """Why no view can call the function of this name, in any case; None if it is not listed."""
    return _REASONS.get(dialect, {}).get(name.lower())


def not_callable(dialect: Dialect) -> frozenset[str]:
    return frozenset(_REASONS.get(dialect, {}))
