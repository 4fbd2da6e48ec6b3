"""Names a query's columns: by alias, or else by the dialect's rules."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from lakeschema.catalog.column_types import print_type
from lakeschema.translation.functions.semantics import Semantics
from lakeschema.translation.model.errors import TypeMismatch
from lakeschema.translation.plan.expressions import (
    Call,
    Cast,
    ColumnReference,
    FieldAccess,
    Literal,
    OuterReference,
    RowExpression,
    Subscript,
    WindowCall,
    walk,
    written_name,
)
from lakeschema.translation.plan.operators import Operator
from lakeschema.translation.plan.relations import (
    UNNAMED,
    Filter,
    Plan,
    Project,
    Scan,
    Sort,
    references,
)
from lakeschema.translation.syntax import tree

WINDOWS_OF_TIME = frozenset({"window", "session_window"})
"""Spark functions that add a column with the function's name to the input rows."""


def rename_columns(plan: Plan, names: Sequence[str]) -> Plan:
    """The plan with the column names that an alias or CTE lists; unchanged without such a list.

    Raises:
        TypeMismatch: there are more or fewer names than columns.
    """
    if not names:
        return plan
    if len(names) != len(plan.columns):
        raise TypeMismatch(f"{len(names)} column names are given for {len(plan.columns)} columns")
    return Project(plan, tuple(zip(names, references(plan), strict=True)))


def generated_name(
    node: tree.Expression, expression: RowExpression, position: int, semantics: Semantics
) -> str:
    """The name of an item without an alias: its column's or field's name; otherwise Hive's ``_c0``.

    Spark refuses a view in which a generated name would be visible. It allows generated names for a
    reference through an array or map, and for a cast column (``ResolveAliases``).
    """
    match expression:
        case ColumnReference() | OuterReference():
            return written_name(expression)
        case FieldAccess() if semantics.is_hive or _is_named(node, expression):
            return written_name(expression)
        case _ if semantics.is_hive:
            return f"_c{position}"
        case _ if semantics.is_trino:
            return f"_col{position}"
        case Call(operator=Operator(name=name)) if name in WINDOWS_OF_TIME:
            return name
        case Cast(ColumnReference() as column, implicit=False):
            return written_name(column)
        case Cast(FieldAccess() as field, implicit=False) if _is_field(field):
            return written_name(field)
        case Subscript() | FieldAccess():
            return _path_text(expression) or f"{UNNAMED} {position}"
        case _:
            return f"{UNNAMED} {position}"


def implied_name(node: tree.Expression) -> str:
    """Spark's name for a variant's path, or for its cast; empty for other items."""
    match node:
        case tree.VariantPath(name=name) | tree.Cast(tree.VariantPath(name=name)):
            return name
        case _:
            return ""


def hives_column_name(expression: RowExpression, plan: Plan) -> str | None:
    """The name that Hive gives to a cast or ``+x`` without an alias; None if Hive numbers it.

    Hive names such an item after its column (``recommendName``) if the column still has the name
    from its table, even if a sub-query between renames it. Computing, joining, grouping or limiting
    rows gives columns new names. A view's columns count as a table's.
    """
    inner = uncast(expression)
    return _tables_name(plan, inner.index) if isinstance(inner, ColumnReference) else None


def hives_window_names(expressions: Sequence[RowExpression]) -> Mapping[WindowCall, str]:
    """Hive's names for window functions in items without an alias: ``rank_window_0``.

    Functions are numbered from the left; equal functions share a number. Hive computes each kind of
    window separately. Only the results of the last kind still have their names when Hive names items.
    """
    parts = (part for expression in expressions for part in walk(expression))
    calls = dict.fromkeys(part for part in parts if isinstance(part, WindowCall))
    kinds = list(dict.fromkeys(map(_window_kind, calls)))
    return {
        call: f"{call.operator.spelling}_window_{number}"
        for number, call in enumerate(calls)
        if _window_kind(call) == kinds[-1]
    }


def _window_kind(call: WindowCall) -> tuple[object, ...]:
    return call.partition_by, tuple((key.expression, key.descending) for key in call.order_by)


def uncast(expression: RowExpression) -> RowExpression:
    """The part of an item that gives the item its name: the item without explicit casts and ``+``."""
    while True:
        match expression:
            case Cast(inner, implicit=False):
                expression = inner
            case Call(operator, (inner,)) if operator.name == "positive":
                expression = inner
            case _:
                return expression


def _tables_name(plan: Plan, index: int) -> str | None:
    while True:
        match plan:
            case Scan(columns=columns):
                return columns[index].name
            case Filter(input=below) | Sort(input=below):
                plan = below
            case Project(below, items):
                _, expression = items[index]
                if not isinstance(expression, ColumnReference):
                    return None
                plan, index = below, expression.index
            case _:
                return None


def _is_named(node: tree.Expression, field: FieldAccess) -> bool:
    """Whether a node names a field like ``a.b.c``, and not like ``a['b'].c``."""
    while isinstance(node, tree.FieldOf):
        node = node.base
    return not isinstance(node, tree.Subscript) and _is_field(field)


def _is_field(expression: RowExpression) -> bool:
    """Whether an expression is a column with fields only, like ``a.b.c``."""
    while isinstance(expression, FieldAccess):
        expression = expression.base
    if isinstance(expression, Call):
        # Spark adds a column with the function's value to the input.
        return expression.operator.name in WINDOWS_OF_TIME
    return isinstance(expression, (ColumnReference, OuterReference))


def _path_text(expression: RowExpression) -> str | None:
    """An access path in Spark's spelling, such as ``a[0]`` or ``m[k].f``; None for others."""
    match expression:
        case ColumnReference():
            return written_name(expression)
        case Literal(value, type_) if value is not None:
            return value if print_type(type_) in {"string", "int"} else None
        case FieldAccess(base=base):
            inner = _path_text(base)
            return None if inner is None else f"{inner}.{written_name(expression)}"
        case Subscript(base, index):
            outer, at = _path_text(base), _path_text(index)
            return None if outer is None or at is None else f"{outer}[{at}]"
        case _:
            return None
