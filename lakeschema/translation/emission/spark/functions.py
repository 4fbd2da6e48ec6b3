"""Writes calls for Spark; ``from_hive.forms`` has the functions that only Hive has.

A form is a template of the arguments, ``{0}``, ``{1}`` …, ``{*}`` for all, ``{1*}`` for all but the
first. A Hive function that is in no table has the same name in Spark.
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
"""Functions that return null, too, if an implicit conversion of an argument fails."""

IN_FROM_ALONE: Final = frozenset(
    {
        *("range", "collations", "sql_keywords", "python_worker_logs"),
        *("variant_explode", "variant_explode_outer"),
    }
)
"""Spark's table functions that cannot stand in LATERAL VIEW, since they are not expressions."""

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
        # Their names also begin quantified comparisons.
        "any": "bool_or({*})",
        "some": "bool_or({*})",
    }
)
"""The forms for both dialects."""

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
"""Spark's comparisons with several patterns."""
