"""Names that Hive adds: virtual columns of every table, and aliases of set queries."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from types import MappingProxyType
from typing import Any, Final

from lakeschema.catalog.column_types import (
    BIGINT,
    BOOLEAN,
    INT,
    STRING,
    ColumnType,
    StructField,
    StructType,
)
from lakeschema.translation.plan.expressions import Call, RowExpression
from lakeschema.translation.plan.operators import NullClass, Operator
from lakeschema.translation.resolution.fields import field_path
from lakeschema.translation.resolution.scopes import Scope
from lakeschema.translation.syntax import tree

_VIRTUAL: Final[Mapping[str, ColumnType]] = MappingProxyType(
    {
        "input__file__name": STRING,
        "block__offset__inside__file": BIGINT,
        "row__offset__inside__block": BIGINT,
        "row__id": StructType(
            (
                StructField("writeid", BIGINT),
                StructField("bucketid", INT),
                StructField("rowid", BIGINT),
            )
        ),
        "row__is__deleted": BOOLEAN,
    }
)

_UNION_ALIAS: Final = re.compile(r"__u[0-9]+")


def virtual_column(name: tree.Name, scope: Scope | None) -> RowExpression | None:
    """A virtual column with the place of a row in its file; None if the name is not such a column.

    Stars leave virtual columns out.
    """
    if scope is None or not scope.sources:
        return None
    for place, part in enumerate(name.parts[:3]):
        type_ = _VIRTUAL.get(part.lower())
        if type_ is not None:
            operator = Operator(part.lower(), NullClass.PARTIAL, deterministic=False)
            column = Call(operator, (), type_, nullable=True)
            return field_path(column, name.parts[place + 1 :], name.position)
    return None


def is_virtual(name: tree.Name) -> bool:
    return name.parts[-1].lower() in _VIRTUAL


def union_alias(node: Any) -> tuple[str, ...]:
    """The name that Hive's expanded text gives to a set query under ORDER BY, such as ``__u2``."""
    if isinstance(node, tree.Name):
        return (node.parts[0].lower(),) if _UNION_ALIAS.fullmatch(node.parts[0].lower()) else ()
    if isinstance(node, tuple):
        parts: tuple[Any, ...] = node
    elif is_dataclass(node):
        parts = tuple(getattr(node, field.name) for field in fields(node))
    else:
        return ()
    return next(filter(None, map(union_alias, parts)), ())
