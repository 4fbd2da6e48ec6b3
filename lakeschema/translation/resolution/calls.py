"""Resolves function calls.

The dialect's table has the built-in functions. The view declares the user-defined functions.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from lakeschema.catalog.column_types import (
    STRING,
    ArrayType,
    ColumnType,
    StructField,
    StructType,
)
from lakeschema.translation.functions.binding import Bound, Function, bind, find
from lakeschema.translation.functions.builtin_names import engine_of_builtin
from lakeschema.translation.functions.casts import CAST_FUNCTIONS
from lakeschema.translation.functions.hive_system import HIVES_CASTS, HIVES_TYPE_CASTS
from lakeschema.translation.functions.not_callable import why_not_callable
from lakeschema.translation.functions.signature import Kind
from lakeschema.translation.model.errors import (
    Position,
    TranslationError,
    TypeMismatch,
    UnsupportedConstruct,
    UnsupportedFunction,
)
from lakeschema.translation.model.interface import Returns, ReturnsArgument, ReturnsRows, UdfReturn
from lakeschema.translation.plan.expressions import (
    AggregateCall,
    Call,
    Literal,
    RowExpression,
    SortKey,
    WindowCall,
)
from lakeschema.translation.plan.operators import VALUE_IN_ORDER, NullClass, Operator
from lakeschema.translation.resolution.context import Context
from lakeschema.translation.syntax import tree


def builtin(call: tree.Call, context: Context) -> Function | None:
    """The built-in function of a call; None for a function that the view declares, or that is unknown."""
    if context.functions.class_of(call.name) is not None:
        return None
    return find(call.name.lower(), context.semantics.dialect)


def is_aggregate(call: tree.Call, context: Context) -> bool:
    """Whether a call makes one value from many rows."""
    function = None if call.qualifier else builtin(call, context)
    return function is not None and function.kind is Kind.AGGREGATE


def bind_call(
    function: Function,
    arguments: Sequence[RowExpression],
    context: Context,
    position: Position | None,
) -> Bound:
    try:
        return bind(function, arguments, context.semantics)
    except TranslationError as error:
        error.position = error.position or position
        raise


def scalar(
    function: Function,
    arguments: Sequence[RowExpression],
    context: Context,
    position: Position | None,
) -> Call:
    found = bind_call(function, arguments, context, position)
    return Call(found.operator, found.arguments, found.type, found.nullable)


_HIVES_CASTS: Final = {**HIVES_CASTS, **HIVES_TYPE_CASTS}


def cast_function(call: tree.Call, context: Context) -> ColumnType | None:
    """The type to which a call casts, if it is a cast: ``int(x)``, or Hive's ``udftolong(x)``."""
    if call.qualifier or len(call.arguments) != 1 or context.semantics.is_trino:
        return None
    declared = context.functions.class_of(call.name)
    casts = CAST_FUNCTIONS if context.semantics.is_spark else _HIVES_CASTS
    return None if declared is not None else casts.get(call.name.lower())


def cast_by_format(operand: RowExpression, target: ColumnType, format_: str) -> RowExpression:
    """Hive's ``CAST(x AS DATE FORMAT '…')``, which is null for a text in another format."""
    arguments = (operand, Literal(format_, STRING))
    return Call(Operator("cast_format", NullClass.PARTIAL), arguments, target, nullable=True)


def operator(symbol: str, arguments: Sequence[RowExpression], context: Context) -> RowExpression:
    """A call of an operator that the text implies: ``=`` for USING, a simple CASE or IN."""
    function = find(symbol, context.semantics.dialect)
    assert function is not None
    return scalar(function, arguments, context, None)


@dataclass(frozen=True, slots=True)
class Grouped:
    """The inputs of an aggregate or window call; ``order_by`` has the keys of WITHIN GROUP."""

    arguments: Sequence[RowExpression]
    condition: RowExpression | None = None
    order_by: tuple[SortKey, ...] = ()


def aggregate(
    function: Function,
    grouped: Grouped,
    call: tree.Call,
    group_may_be_empty: bool,
    context: Context,
) -> AggregateCall:
    """An aggregate's call. It is nullable if the aggregate may get no rows, or only nulls."""
    found, order = _bind_group(function, grouped, call, context)
    nullable = found.operator.nulls is not NullClass.NEVER and (
        group_may_be_empty or grouped.condition is not None or found.nullable
    )
    return AggregateCall(
        found.operator, found.arguments, found.type, nullable, call.distinct,
        grouped.condition, order, call.ignores_nulls,
    )  # fmt: skip


def window(
    function: Function,
    grouped: Grouped,
    node: tree.WindowCall,
    parts: tuple[tuple[RowExpression, ...], tuple[SortKey, ...], str | None],
    context: Context,
) -> WindowCall:
    partition, order, frame = parts
    if node.call.distinct and function.kind is not Kind.AGGREGATE:
        raise UnsupportedConstruct("DISTINCT in a window", position=node.call.position)
    found, within = _bind_group(function, grouped, node.call, context)
    # Without a frame the current row is always included; a frame or filter may leave no row.
    some_rows = frame is not None or grouped.condition is not None
    nullable = found.nullable or (some_rows and function.kind is Kind.AGGREGATE)
    if found.operator.nulls is NullClass.NEVER:
        nullable = False
    return WindowCall(
        found.operator, found.arguments, partition, order, frame, found.type, nullable,
        grouped.condition, within, node.call.ignores_nulls, node.call.distinct,
    )  # fmt: skip


def _bind_group(
    function: Function, grouped: Grouped, call: tree.Call, context: Context
) -> tuple[Bound, tuple[SortKey, ...]]:
    """The call over a group's rows, and the keys of WITHIN GROUP with their implicit casts."""
    name, order = function.operator.name, grouped.order_by
    arguments = grouped.arguments
    if context.semantics.is_trino:
        # An aggregate without WITHIN GROUP may have an ORDER BY.
        return bind_call(function, arguments, context, call.position), order
    if call.ignores_nulls is not None and name not in _OF_NULLS:
        raise TypeMismatch(
            f"{name} supports neither IGNORE NULLS nor RESPECT NULLS", position=call.position
        )
    if name in VALUE_IN_ORDER and order:
        if len(order) > 1:
            raise TypeMismatch(f"{name} is ordered by one value", position=call.position)
        found = bind_call(function, [order[0].expression, *arguments], context, call.position)
        return found, (replace(order[0], expression=found.arguments[0]),)
    if order and name not in _ORDERED:
        raise TypeMismatch(f"{name} does not support WITHIN GROUP", position=call.position)
    if not order and name in _NEEDS_ORDER and context.semantics.is_spark:
        raise TypeMismatch(f"{name} needs WITHIN GROUP (ORDER BY …)", position=call.position)
    found = bind_call(function, arguments, context, call.position)
    if call.ignores_nulls is False and isinstance(found.type, ArrayType):
        kept = replace(found.type, element_nullable=arguments[0].nullable)
        return replace(found, type=kept), order
    return found, order


_NEEDS_ORDER = VALUE_IN_ORDER - {"mode"}
_ORDERED = frozenset(
    {
        *("listagg", "hypothetical rank", "hypothetical dense rank"),
        *("hypothetical percent rank", "hypothetical cume dist"),
    }
)
_OF_NULLS = frozenset(
    {
        *("first", "first_value", "last", "last_value", "any_value", "nth_value", "lag", "lead"),
        *("collect_list", "collect_set"),
    }
)


def user_defined(
    call: tree.Call, arguments: Sequence[RowExpression], context: Context
) -> RowExpression:
    """The call of a user-defined function. It is nullable, since nothing is known about it.

    Raises:
        UnsupportedFunction: the deployment does not declare it.
    """
    returns = declared_return(call, context)
    if call.distinct:
        raise UnsupportedConstruct(
            f"DISTINCT in a call of the user-defined {call.name}", position=call.position
        )
    udf = context.functions.called(_whole_name(call))
    name = call.name.lower()
    match returns:
        case Returns(type_):
            operator_ = Operator(name, NullClass.PARTIAL, udf=udf)
            return Call(operator_, tuple(arguments), type_, nullable=True)
        case ReturnsArgument(index):
            if not 0 <= index < len(arguments):
                raise TypeMismatch(
                    f"function {call.name} is declared to return its argument {index},"
                    f" but is called with {len(arguments)} arguments",
                    position=call.position,
                )
            kept = arguments[index]
            operator_ = Operator(name, NullClass.TOTAL, keeps=index, udf=udf)
            return Call(operator_, tuple(arguments), kept.type, kept.nullable)
        case ReturnsRows():
            raise UnsupportedConstruct(
                f"table function {call.name} outside LATERAL VIEW", position=call.position
            )


def declared_return(call: tree.Call, context: Context) -> UdfReturn:
    name = _whole_name(call)
    found = context.functions.return_of(name)
    if found is not None:
        return found
    class_name = context.functions.class_of(name)
    dialect = context.semantics.dialect
    reason = None if class_name else why_not_callable(name, dialect)
    if reason is not None:
        raise UnsupportedFunction(name, f"cannot be called: {reason}", position=call.position)
    engine = None if class_name else engine_of_builtin(name, dialect)
    if engine is not None:
        raise UnsupportedFunction(
            name,
            f"of view {context.functions.view} is a function of {engine} that is not supported yet",
            position=call.position,
            hint="no setting is missing: report it, so that it is added",
        )
    if class_name is None and context.semantics.is_trino:
        raise UnsupportedFunction(
            name,
            f"of view {context.functions.view} is not declared",
            position=call.position,
            hint=_lines_of_settings(name),
        )
    if class_name is None:
        raise UnsupportedFunction(
            name,
            f"of view {context.functions.view} is not declared",
            position=call.position,
            hint=(
                "declare it in the view's property 'functions' as NAME:class.Name, and"
                f" {_lines_of_settings('class.Name')}{_malformed_hint(context)}"
            ),
        )
    raise UnsupportedFunction(
        name,
        f"of view {context.functions.view} is class {class_name}, whose return type is not declared",
        position=call.position,
        hint=f"{_lines_of_settings(class_name)}; or let a resolver plugin provide it",
    )


def _lines_of_settings(function: str) -> str:
    key = json.dumps(function, ensure_ascii=False)
    return f'under [translation.udfs] in the settings say what it returns: {key} = {{ returns = "TYPE" }}'


def _whole_name(call: tree.Call) -> str:
    """The function's name with its database.

    A view declares only functions without a database.
    """
    return ".".join((*call.qualifier, call.name))


def _malformed_hint(context: Context) -> str:
    entries = context.functions.malformed
    if not entries:
        return ""
    return f"; {len(entries)} of its entries are malformed, the first is {entries[0]!r:.100}"


def rows_of(type_: ColumnType) -> StructType:
    """The columns of a declared table function; a type that is not a struct is the column ``col``."""
    if isinstance(type_, StructType):
        return type_
    return StructType((StructField("col", type_),))
