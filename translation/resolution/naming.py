"""What a column without an alias is called."""

from __future__ import annotations

from catalog.column_types import print_type
from translation.functions.semantics import Semantics
from translation.plan.expressions import (
    Cast,
    ColumnReference,
    FieldAccess,
    Literal,
    OuterReference,
    RowExpression,
    Subscript,
)

UNNAMED = "\x00unnamed"
"""Begins the name of a Spark column that has no alias: its view must not show it."""


def generated_name(expression: RowExpression, position: int, semantics: Semantics) -> str:
    """A reference keeps its column's name, a field its field's; else Hive counts ``_c0``.

    Spark refuses a view that shows a name which Spark made up, except those of references through
    arrays and maps, and a cast column's own (``ResolveAliases``).
    """
    match expression:
        case ColumnReference(name=name) | OuterReference(name=name) | FieldAccess(name=name):
            return name
        case _ if not semantics.is_spark:
            return f"_c{position}"
        case Cast(ColumnReference(name=name), implicit=False):
            return name
        case Cast(FieldAccess(name=name), implicit=False):
            return name
        case Subscript():
            return _spelled(expression) or f"{UNNAMED} {position}"
        case _:
            return f"{UNNAMED} {position}"


def _spelled(expression: RowExpression) -> str | None:
    """``a[0]``, ``m[k].f``: as Spark spells an access path; None if it is no such path."""
    match expression:
        case ColumnReference(name=name):
            return name
        case Literal(value, type_) if value is not None:
            return value if print_type(type_) in {"string", "int"} else None
        case FieldAccess(base=base, name=name):
            inner = _spelled(base)
            return None if inner is None else f"{inner}.{name}"
        case Subscript(base, index):
            outer, at = _spelled(base), _spelled(index)
            return None if outer is None or at is None else f"{outer}[{at}]"
        case _:
            return None
