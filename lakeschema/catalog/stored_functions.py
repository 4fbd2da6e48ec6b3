"""Reads a Spark SQL function from the form in which a metastore stores it.

Pure; invalid content never raises an error.

Spark 4 writes the function's properties as one JSON document, split into the addresses of
resources. Each begins with its number in three digits
(``UserDefinedFunction.propertiesToFunctionResources``).
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any, Final

from lakeschema.catalog.column_types import parse_type_or_unknown
from lakeschema.catalog.ddl_cursor import Unreadable
from lakeschema.catalog.ddl_functions import parameters_of
from lakeschema.catalog.identifiers import RelationName
from lakeschema.catalog.spark_schema import numbered
from lakeschema.catalog.sql_functions import SqlFunction

SQL_FUNCTION: Final = "sqlFunction."
"""The class name of every SQL function, and the prefix of its properties."""
_CONFIG: Final = "sqlConfig."
_CONTEXT: Final = "catalogAndNamespace."
_INDEX_DIGITS: Final = 3


def sql_function(
    name: RelationName, class_name: str, resources: Iterable[str]
) -> SqlFunction | None:
    """The function; None if it is not a SQL function, or is unreadable."""
    if class_name != SQL_FUNCTION:
        return None
    try:
        stored = json.loads("".join(part[_INDEX_DIGITS:] for part in sorted(resources)))
        return _function(name, {str(k): str(v) for k, v in stored.items()})
    except (ValueError, AttributeError, Unreadable, RecursionError):
        return None


def _function(name: RelationName, stored: Mapping[str, str]) -> SqlFunction | None:
    body = stored.get(f"{SQL_FUNCTION}expression") or stored.get(f"{SQL_FUNCTION}query")
    if not body:
        return None
    is_table = stored.get(f"{SQL_FUNCTION}isTableFunc") == "true"
    returns = stored.get(f"{SQL_FUNCTION}returnType", "")
    catalog, *namespace = numbered(stored, f"{_CONTEXT}numParts", f"{_CONTEXT}part.") or ("",)
    return SqlFunction(
        name,
        parameters_of(stored.get(f"{SQL_FUNCTION}inputParam", "")),
        body,
        is_table,
        parse_type_or_unknown(returns) if returns and not is_table else None,
        parameters_of(returns) if is_table else (),
        tuple(namespace) or name.namespace,
        catalog or None,
        _settings(stored),
    )


def _settings(stored: Mapping[str, Any]) -> dict[str, str]:
    return {
        key.removeprefix(_CONFIG): value
        for key, value in sorted(stored.items())
        if key.startswith(_CONFIG)
    }
