"""Resolves expressions for which Trino's rules differ: strings, rows, lambdas and UNNEST."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

from lakeschema.catalog.column_types import (
    BIGINT,
    VOID,
    ArrayType,
    ColumnType,
    IntervalType,
    MapType,
    StructField,
    StructType,
    VarcharType,
)
from lakeschema.catalog.trino_types import (
    JSON,
    anonymous,
    moment_of,
    print_trino_type,
    time_of,
    timestamp_of,
)
from lakeschema.translation.functions import trino
from lakeschema.translation.functions.signature import Kind
from lakeschema.translation.functions.trino_coercion import (
    can_cast,
    can_coerce,
    same_type,
)
from lakeschema.translation.functions.trino_signatures import Applied, Sized, Variable
from lakeschema.translation.model.errors import Position, TypeMismatch, UnsupportedConstruct
from lakeschema.translation.plan.expressions import (
    AggregateCall,
    Call,
    Cast,
    FieldAccess,
    Lambda,
    Literal,
    RowExpression,
)
from lakeschema.translation.plan.operators import NullClass, Operator
from lakeschema.translation.plan.relations import PlanColumn
from lakeschema.translation.resolution.intervals import kind_of, normalise
from lakeschema.translation.syntax import tree

if TYPE_CHECKING:
    from lakeschema.translation.resolution.expressions import ExpressionResolver

_PARTS: Final[Mapping[str, str]] = MappingProxyType(
    {
        **{
            name: name
            for name in (
                *("year", "quarter", "month", "week", "day", "hour", "minute", "second"),
                *("day_of_month", "day_of_week", "dow", "day_of_year", "doy", "year_of_week"),
                *("yow", "timezone_hour", "timezone_minute"),
            )
        },
    }
)
"""The function for each field of EXTRACT."""
_NOW: Final = frozenset({"current_timestamp", "current_time", "localtime", "localtimestamp"})


def resolve(node: tree.Expression, resolver: ExpressionResolver) -> RowExpression | None:
    """The expression by Trino's rules; None if the common rules apply."""
    match node:
        case tree.StringLiteral(value):
            return Literal(value, VarcharType(len(value)))
        case tree.IntervalLiteral():
            return _interval(node)
        case tree.Cast():
            return _cast(node, resolver)
        case tree.Subscript(base, index):
            return _subscript(resolver.resolve(base), resolver.resolve(index), resolver)
        case tree.StructLiteral(fields):
            return _row([(name, resolver.resolve(value)) for name, value in fields])
        case tree.Tuple(items):
            return _row([(None, resolver.resolve(item)) for item in items])
        case tree.Call():
            return _call(node, resolver)
        case _:
            return None


def _interval(node: tree.IntervalLiteral) -> RowExpression:
    assert isinstance(node.value, tree.StringLiteral)
    type_ = IntervalType(kind_of(node.unit))
    return Literal(normalise(node.value.value, node.unit), type_)


def _cast(node: tree.Cast, resolver: ExpressionResolver) -> RowExpression:
    if node.position is None and isinstance(node.operand, tree.StringLiteral):
        # DATE '…' is a literal of another type, not a conversion.
        return Literal(node.operand.value, node.type)
    operand = resolver.resolve(node.operand)
    if not can_cast(operand.type, node.type):
        raise TypeMismatch(
            f"a value of type {print_trino_type(operand.type)} cannot be cast to"
            f" {print_trino_type(node.type)}",
            position=node.position,
        )
    nullable = operand.nullable or node.tolerant
    from_json = operand.type == JSON != node.type
    target = _nullable_inside(operand.type, node.type)
    return Cast(operand, target, nullable or from_json, tolerant=node.tolerant)


def _nullable_inside(source: ColumnType, target: ColumnType) -> ColumnType:
    """The target with the nullability of the source's parts, if their shapes match."""
    match source, target:
        case ArrayType(a, nullable), ArrayType(b):
            return ArrayType(_nullable_inside(a, b), nullable or a == VOID)
        case MapType(ak, av, nullable), MapType(bk, bv):
            return MapType(
                _nullable_inside(ak, bk), _nullable_inside(av, bv), nullable or av == VOID
            )
        case StructType(a_fields), StructType(b_fields) if len(a_fields) == len(b_fields):
            pairs = zip(a_fields, b_fields, strict=True)
            return StructType(
                tuple(
                    StructField(
                        b.name, _nullable_inside(a.type, b.type), a.nullable or a.type == VOID
                    )
                    for a, b in pairs
                )
            )
        case _:
            return target


def _subscript(
    base: RowExpression, index: RowExpression, resolver: ExpressionResolver
) -> RowExpression:
    """An array's element, a map's value, or a row's field at a literal index.

    For an index out of range Trino fails.
    """
    if isinstance(base.type, StructType):
        place = int(index.value or 0) if isinstance(index, Literal) else 0
        if not 1 <= place <= len(base.type.fields):
            raise TypeMismatch("a row's subscript is a number of one of its fields")
        found = base.type.fields[place - 1]
        nullable = base.nullable or found.nullable
        return FieldAccess(base, place - 1, found.name, found.type, nullable)
    return _known_call("[]", (base, index), resolver)


def _row(parts: Sequence[tuple[str | None, RowExpression]]) -> RowExpression:
    fields = tuple(
        StructField((name or anonymous(place)).lower(), value.type, value.nullable)
        for place, (name, value) in enumerate(parts)
    )
    values = tuple(value for _, value in parts)
    return Call(Operator("struct", NullClass.NEVER), values, StructType(fields), nullable=False)


def _known_call(
    name: str, arguments: Sequence[RowExpression], resolver: ExpressionResolver
) -> RowExpression:
    del resolver
    found = trino.known(name)
    assert found is not None
    operator, coerced, type_, nullable = trino.result_of(found, arguments)
    return Call(operator, coerced, type_, nullable)


def _call(node: tree.Call, resolver: ExpressionResolver) -> RowExpression | None:
    name = node.name.lower()
    if node.qualifier:
        return None
    if any(isinstance(argument, tree.Lambda) for argument in node.arguments):
        return _with_lambdas(node, resolver)
    if name == "extract" and len(node.arguments) == 2:
        return _extract(node, resolver)
    if name in _NOW and node.arguments:
        return _moment_now(name, node)
    if name == "coalesce" and len(node.arguments) < 2:
        raise TypeMismatch("coalesce does not take one argument", position=node.position)
    return None


def _extract(node: tree.Call, resolver: ExpressionResolver) -> RowExpression:
    unit, value = node.arguments
    assert isinstance(unit, tree.StringLiteral)
    function = _PARTS.get(unit.value)
    if function is None:
        raise UnsupportedConstruct(f"EXTRACT of {unit.value}", position=node.position)
    return _known_call(function, (resolver.resolve(value),), resolver)


def _moment_now(name: str, node: tree.Call) -> RowExpression:
    (digits,) = node.arguments
    assert isinstance(digits, tree.NumberLiteral)
    make = timestamp_of if "timestamp" in name else time_of
    type_ = make(int(digits.text), zone=name.startswith("current"))
    return Call(Operator(name, NullClass.NEVER), (), type_, nullable=False)


# lambdas


@dataclass(slots=True)
class _Lambdas:
    """The lambdas of one call, resolved in order, since each may determine more types."""

    chosen: trino.Chosen
    resolver: ExpressionResolver

    def read(self, pattern: Applied, node: tree.Lambda, position: Position | None) -> Lambda:
        binding = self.chosen.binding
        if len(node.parameters) != len(pattern.parameters):
            raise TypeMismatch(
                f"expected a lambda of {len(pattern.parameters)} parameters,"
                f" got {len(node.parameters)}",
                position=position,
            )
        made = self._resolved(pattern, node)
        if isinstance(pattern.result, Sized):
            binding.accept(pattern.result, made.type, made.nullable)
        if isinstance(pattern.result, Variable):
            name = pattern.result.name
            before = binding.types.get(name)
            if not binding.accept(pattern.result, made.type, made.nullable):
                raise _unlike(before or VOID, made.type, position)
            if before is not None and not same_type(binding.types[name], before):
                # The lambda gets its own last result, so the value has the wider of both types.
                made = self._resolved(pattern, node)
        wanted = binding.type_of(pattern.result)
        if not can_coerce(made.type, wanted):
            raise _unlike(wanted, made.type, position)
        if not same_type(made.type, wanted):
            made = replace(made, body=trino.converted(made.body, wanted))
        return made

    def _resolved(self, pattern: Applied, node: tree.Lambda) -> Lambda:
        binding = self.chosen.binding
        kinds = [(binding.type_of(p), binding.may_be_null(p)) for p in pattern.parameters]
        return self.resolver.lambda_of(node, kinds)


def _unlike(wanted: ColumnType, found: ColumnType, position: Position | None) -> TypeMismatch:
    return TypeMismatch(
        f"expected a lambda that gives {print_trino_type(wanted)}, got {print_trino_type(found)}",
        position=position,
    )


def _with_lambdas(node: tree.Call, resolver: ExpressionResolver) -> RowExpression:
    name = node.name.lower()
    found = trino.known(name)
    if found is None or node.distinct:
        raise UnsupportedConstruct(f"a lambda in {node.name}", position=node.position)
    is_aggregate = found.kind is Kind.AGGREGATE
    if is_aggregate and not resolver.aggregates_allowed:
        raise UnsupportedConstruct(
            f"the aggregate {node.name} in this place", position=node.position
        )
    inner = replace(resolver, aggregates_allowed=False) if is_aggregate else resolver
    places = [isinstance(argument, tree.Lambda) for argument in node.arguments]
    values: dict[int, RowExpression] = {
        i: inner.resolve(a) for i, a in enumerate(node.arguments) if not places[i]
    }
    given = [
        (values[i].type, values[i].nullable) if i in values else (VOID, False)
        for i in range(len(places))
    ]
    chosen = trino.choose(found, given, places.__getitem__)
    lambdas = _Lambdas(chosen, inner)
    for i, (pattern, argument) in enumerate(zip(chosen.parameters, node.arguments, strict=True)):
        if isinstance(pattern, Applied) and isinstance(argument, tree.Lambda):
            values[i] = lambdas.read(pattern, argument, node.position)
    arguments = tuple(
        values[i] if places[i] else trino.converted(values[i], chosen.binding.type_of(pattern))
        for i, pattern in enumerate(chosen.parameters)
    )
    type_ = chosen.binding.type_of(chosen.signature.result)
    if is_aggregate:
        condition = None if node.filter is None else inner.condition(node.filter)
        return AggregateCall(found.operator, arguments, type_, True, False, condition)
    partial = found.operator.nulls is not NullClass.TOTAL
    nullable = partial or any(values[i].nullable for i, p in enumerate(places) if not p)
    return Call(found.operator, arguments, type_, nullable)


# UNNEST


def unnested(
    name: str, arguments: Sequence[RowExpression], node: tree.Call
) -> tuple[PlanColumn, ...]:
    """The columns of UNNEST. Shorter arrays are padded with nulls; rows are spread into columns."""
    several = len(arguments) > 1
    columns: list[PlanColumn] = []
    for argument in arguments:
        match argument.type:
            case ArrayType(StructType(fields), nullable):
                columns += [
                    PlanColumn(_field_name(f, i), f.type, f.nullable or nullable or several)
                    for i, f in enumerate(fields)
                ]
            case ArrayType(element, nullable):
                columns.append(PlanColumn("", element, nullable or several))
            case MapType(key, value, nullable):
                columns.append(PlanColumn("", key, several))
                columns.append(PlanColumn("", value, nullable or several))
            case _ if argument.type == VOID:
                columns.append(PlanColumn("", VOID, True))
            case other:
                raise TypeMismatch(
                    f"UNNEST expects arrays and maps, got {print_trino_type(other)}",
                    position=node.position,
                )
    if name.endswith("ordinality"):
        columns.append(PlanColumn("ordinality", BIGINT, False))
    return tuple(columns)


def _field_name(field: StructField, place: int) -> str:
    return "" if field.name == anonymous(place) else field.name


def stale(stored: ColumnType, now: ColumnType) -> bool:
    """Whether Trino refuses a view because the type of a column changed.

    A changed number of fractional digits of seconds does not count, because the catalog's settings decide
    it.
    """
    return not can_coerce(_without_digits(now), _without_digits(stored))


def _without_digits(type_: ColumnType) -> ColumnType:
    match type_:
        case ArrayType(element, nullable):
            return ArrayType(_without_digits(element), nullable)
        case MapType(key, value, nullable):
            return MapType(_without_digits(key), _without_digits(value), nullable)
        case StructType(fields):
            return StructType(tuple(replace(f, type=_without_digits(f.type)) for f in fields))
        case _:
            moment = moment_of(type_)
            if moment is None:
                return type_
            make = timestamp_of if moment[0] == "timestamp" else time_of
            return make(0, zone=moment[2])
