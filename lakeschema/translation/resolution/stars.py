"""Resolves a star's modifiers: columns to exclude or replace, and the fields of a struct."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TypeAlias

from lakeschema.catalog.column_types import StructField, StructType, print_type
from lakeschema.translation.model.errors import TypeMismatch, UnknownColumn
from lakeschema.translation.plan.expressions import Call, Case, RowExpression
from lakeschema.translation.plan.operators import NullClass, Operator
from lakeschema.translation.resolution import calls
from lakeschema.translation.resolution.context import Context
from lakeschema.translation.resolution.fields import field_of
from lakeschema.translation.syntax import tree

Named: TypeAlias = tuple[str, RowExpression]
Resolve: TypeAlias = Callable[[tree.Expression], RowExpression]


def fields_of(base: RowExpression, star: tree.Star) -> tuple[Named, ...]:
    """Each field of a struct, under its own name."""
    if not isinstance(base.type, StructType):
        raise TypeMismatch(
            f"expected a struct before .*, got {print_type(base.type)}", position=star.position
        )
    return tuple((f.name, field_of(base, f.name, star.position)) for f in base.type.fields)


def without(
    columns: Sequence[Named], star: tree.Star, context: Context, resolve: Resolve | None
) -> tuple[Named, ...]:
    """The columns of a star without those in its EXCEPT, and with the expressions of ``SET``.

    A path of several parts in EXCEPT excludes a struct's field.

    Raises:
        UnknownColumn: there is no column of that name.
    """
    paths = [tuple(part.lower() for part in path) for path in star.excluded]
    new_values = {} if resolve is None else {n.lower(): (n, resolve(v)) for n, v in star.replaced}
    known = {name.lower() for name, _ in columns}
    for name in (*(_head(path, known)[0] for path in paths), *new_values):
        if name not in known:
            raise UnknownColumn(name, [name for name, _ in columns], position=star.position)
    paths = [_head(path, known) for path in paths]
    result: list[Named] = []
    for name, value in columns:
        inside = [path[1:] for path in paths if path[0] == name.lower()]
        if () in inside:
            continue
        if name.lower() in new_values:
            result.append(new_values[name.lower()])
        else:
            result.append((name, _less(value, inside, star, context) if inside else value))
    return tuple(result)


def _head(path: tuple[str, ...], known: set[str]) -> tuple[str, ...]:
    """The path without the qualifiers before its column, which only repeat the star's qualifiers."""
    for start in range(len(path)):
        if path[start] in known:
            return path[start:]
    return path


def _less(
    value: RowExpression, inside: list[tuple[str, ...]], star: tree.Star, context: Context
) -> RowExpression:
    """The struct without some of its fields; null if the struct is null."""
    kept = without(fields_of(value, star), replace(star, excluded=tuple(inside)), context, None)
    type_ = StructType(tuple(StructField(name, v.type, v.nullable) for name, v in kept))
    values = tuple(field for _, field in kept)
    built = Call(Operator("struct", NullClass.NEVER), values, type_, nullable=False)
    if not value.nullable:
        return built
    there = calls.operator("isnotnull", (value,), context)
    return Case(((there, built),), None, type_)
