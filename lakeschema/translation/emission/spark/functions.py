"""How calls are written for Spark: operators by symbol; Hive's own functions are in ``from_hive.forms``.

A form is a template of the arguments, ``{0}``, ``{1}`` …, ``{*}`` for all, ``{1*}`` for all but the
first. A function of Hive that is in no table is written by its own name, which is the same in Spark.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

BINARY: Final = frozenset(
    {
        *("+", "-", "*", "/", "%", "=", "<>", "<", "<=", ">", ">=", "==", "<=>", "&", "|", "^"),
        *("||", "<<", ">>", ">>>", "div", "like", "ilike", "rlike", "regexp"),
    }
)

TRYING: Final = frozenset({"try_add", "try_subtract", "try_multiply", "try_divide", "try_mod"})
"""Spark tries the conversions of their arguments too, as long as it makes them itself."""

IN_FROM_ALONE: Final = frozenset(
    {
        *("range", "collations", "sql_keywords", "python_worker_logs"),
        *("variant_explode", "variant_explode_outer"),
    }
)
"""Spark's table functions that are not expressions, so that no LATERAL VIEW takes them."""

FORMS: Final[Mapping[str, str]] = MappingProxyType(
    {
        "not": "(NOT {0})",
        "!": "(NOT {0})",
        "~": "(~ {0})",
        "negative": "(- {0})",
        "positive": "(+ {0})",
        "is null": "({0} IS NULL)",
        "nothing of": "NULL",
        "is in sample": "(rand() < {0})",
        "is distinct from": "({0} IS DISTINCT FROM {1})",
        "is true": "({0} IS TRUE)",
        "is false": "({0} IS FALSE)",
        "between": "({0} BETWEEN {1} AND {2})",
        # Words that begin a quantified comparison as well.
        "any": "bool_or({*})",
        "some": "bool_or({*})",
    }
)
"""In both dialects."""

QUANTIFIED: Final[Mapping[str, str]] = MappingProxyType(
    {
        f"{negated}{word} {quantifier}": (
            f"({{0}} {negated.upper()}{word.upper()} {quantifier.upper()} ({{1*}}))"
        )
        for negated in ("", "not ")
        for word in ("like", "ilike")
        for quantifier in ("any", "all")
    }
)
"""Comparisons with several patterns, as Spark means them."""
