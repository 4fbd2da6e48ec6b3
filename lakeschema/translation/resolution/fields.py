"""Columns and their nested fields: types, nullability, and error messages for wrong names."""

from __future__ import annotations

from difflib import get_close_matches

from lakeschema.catalog.column_types import (
    VOID,
    ArrayType,
    ColumnType,
    PrimitiveType,
    StructType,
    UnknownType,
    map_type,
    print_type,
)
from lakeschema.translation.model.errors import Position, UnknownColumn, UnsupportedType
from lakeschema.translation.plan.expressions import (
    Call,
    ColumnReference,
    FieldAccess,
    OuterReference,
    RowExpression,
)
from lakeschema.translation.plan.operators import NullClass, Operator
from lakeschema.translation.resolution.scopes import Scope


def field_of(base: RowExpression, name: str, position: Position | None) -> RowExpression:
    """The field ``base.name``; null if the struct, or any struct around it, is null.

    For an array of structs it is the array of that field.
    """
    in_array = isinstance(base.type, ArrayType)
    struct = base.type.element if isinstance(base.type, ArrayType) else base.type
    if base.type == VOID:
        return nothing_of(base)
    if not isinstance(struct, StructType):
        raise UnknownColumn(
            name,
            position=position,
            hint=f"a value of type {print_type(base.type)} has no fields",
        )
    for index, found in enumerate(struct.fields):
        if found.name.lower() == name.lower():
            if isinstance(base.type, ArrayType):
                nullable = found.nullable or base.type.element_nullable
                array = ArrayType(found.type, nullable)
                return FieldAccess(base, index, found.name, array, base.nullable)
            return FieldAccess(base, index, found.name, found.type, base.nullable or found.nullable)
    raise UnknownColumn(
        name,
        tuple(f.name for f in struct.fields),
        position=position,
        hint=f"the {'elements' if in_array else 'struct'} have fields "
        + ", ".join(f.name for f in struct.fields[:20]),
    )


def nothing_of(base: RowExpression) -> RowExpression:
    """The value of a field or element of an untyped null: an untyped null."""
    return Call(Operator("nothing of", NullClass.TOTAL), (base,), VOID, nullable=True)


def field_path(
    base: RowExpression, names: tuple[str, ...], position: Position | None
) -> RowExpression:
    """The field ``base.a.b``: ``field_of`` for each name in turn."""
    for name in names:
        base = field_of(base, name, position)
    return base


def require_known_type(expression: RowExpression) -> None:
    """Raises ``UnsupportedType`` for a column or field whose type is unknown."""
    if isinstance(expression, ColumnReference | OuterReference | FieldAccess):
        for part in _unknown_parts(expression.type):
            raise UnsupportedType(f"column {expression.name}", part.text, "the type is unknown")


def _unknown_parts(type_: ColumnType) -> list[UnknownType]:
    if isinstance(type_, PrimitiveType):
        return []
    found: list[UnknownType] = []

    def note(part: ColumnType) -> ColumnType:
        if isinstance(part, UnknownType):
            found.append(part)
        return part

    map_type(type_, note)
    return found


def column_hint(name: str, scope: Scope | None) -> str:
    """Names that the author of an unknown column may have meant."""
    if scope is None:
        return "the query has no FROM clause"
    names = [column.name for column in scope.plan.columns]
    close = get_close_matches(name.lower(), [n.lower() for n in names], n=3)
    if close:
        return "did you mean " + ", ".join(close) + "?"
    return "the columns are " + ", ".join(names[:20]) if names else ""
