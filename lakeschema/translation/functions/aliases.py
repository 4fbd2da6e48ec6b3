"""Aliases of functions, listed only here: every other table has the canonical names."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from lakeschema.catalog.relations import Dialect

_SHARED: Final[Mapping[str, str]] = MappingProxyType(
    {
        "!": "not",
        "==": "=",
        "ceiling": "ceil",
        "date_diff": "datediff",
        "dayofmonth": "day",
        "format_string": "printf",
        "isnull": "is null",
        "java_method": "reflect",
        "lcase": "lower",
        "mean": "avg",
        "position": "locate",
        "pow": "power",
        "random": "rand",
        "sha": "sha1",
        "ucase": "upper",
    }
)
_HIVE: Final[Mapping[str, str]] = MappingProxyType(
    {
        "cardinality": "size",
        "character_length": "char_length",
        "is_not_distinct_from": "<=>",
        "ndv": "approx_distinct",
        "std": "stddev_pop",
        "stddev": "stddev_pop",
        "variance": "var_pop",
    }
)
_SPARK: Final[Mapping[str, str]] = MappingProxyType(
    {
        "any": "bool_or",
        "approx_percentile": "percentile_approx",
        "array_agg": "collect_list",
        "cardinality": "size",
        "char": "chr",
        "char_length": "length",
        "character_length": "length",
        "curdate": "current_date",
        "current_schema": "current_database",
        "dateadd": "date_add",
        "datepart": "date_part",
        "equal_null": "<=>",
        "every": "bool_and",
        "first_value": "first",
        "getbit": "bit_get",
        "ifnull": "nvl",
        "last_value": "last",
        "len": "length",
        "now": "current_timestamp",
        "regexp": "rlike",
        "regexp_like": "rlike",
        "session_user": "current_user",
        "signum": "sign",
        "some": "bool_or",
        "std": "stddev_samp",
        "stddev": "stddev_samp",
        "string_agg": "listagg",
        "substring": "substr",
        "to_varchar": "to_char",
        "user": "current_user",
        "variance": "var_samp",
    }
)
ALIASES: Final[Mapping[Dialect, Mapping[str, str]]] = MappingProxyType(
    {
        Dialect.HIVE: MappingProxyType({**_SHARED, **_HIVE}),
        Dialect.SPARK: MappingProxyType({**_SHARED, **_SPARK}),
        Dialect.TRINO: MappingProxyType(
            {"every": "bool_and", "stddev": "stddev_samp", "variance": "var_samp"}
        ),
    }
)
"""The canonical name of each alias, by dialect."""


def canonical(name: str, dialect: Dialect) -> str:
    """The name under which the tables list a function; ``name`` is a name or alias in lower case."""
    return ALIASES[dialect].get(name, name)
