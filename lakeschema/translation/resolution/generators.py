"""Functions that make rows: the names, types and nullability of their columns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType

from lakeschema.catalog.column_types import (
    BIGINT,
    BINARY,
    DOUBLE,
    INT,
    STRING,
    VARIANT,
    VOID,
    ArrayType,
    ColumnType,
    MapType,
    StructField,
    StructType,
    print_type,
)
from lakeschema.translation.functions.coercion import Use, common_type, is_numeric, is_text
from lakeschema.translation.functions.signature import Kind
from lakeschema.translation.functions.spark_tables import LISTED
from lakeschema.translation.model.errors import TypeMismatch, UnsupportedConstruct
from lakeschema.translation.model.interface import ReturnsRows
from lakeschema.translation.plan.expressions import Call, Literal, RowExpression
from lakeschema.translation.plan.operators import NullClass, Operator
from lakeschema.translation.plan.relations import Generate, Plan, PlanColumn
from lakeschema.translation.resolution import calls
from lakeschema.translation.resolution.context import Context
from lakeschema.translation.resolution.expressions import ExpressionResolver
from lakeschema.translation.resolution.named_arguments import in_order
from lakeschema.translation.resolution.trino import unnested
from lakeschema.translation.syntax import tree


def _fields(**types: ColumnType) -> StructType:
    return StructType(tuple(StructField(name, type_) for name, type_ in types.items()))


_OF_HIVE: Mapping[str, StructType] = MappingProxyType(
    {
        "ds_freq_frequent_items": _fields(
            item=STRING, estimate=BIGINT, lower_bound=BIGINT, upper_bound=BIGINT
        ),
        "ds_tuple_arrayofdouble_values": _fields(values=ArrayType(DOUBLE)),
        # Hive declares binary but returns text.
        "get_sql_schema": _fields(col_name=BINARY, col_type=BINARY),
    }
)
"""Table functions whose columns do not depend on the arguments."""


def is_generator(node: tree.Expression, context: Context) -> bool:
    """Whether a SELECT item is a call or script that makes rows."""
    if isinstance(node, tree.Transform):
        return True
    if not isinstance(node, tree.Call) or node.qualifier:
        return False
    function = calls.builtin(node, context)
    if function is not None:
        return function.kind is Kind.GENERATOR
    return isinstance(context.functions.return_of(node.name), ReturnsRows)


def generate(
    input_: Plan,
    node: tree.Call,
    names: tuple[str, ...],
    resolver: ExpressionResolver,
    *,
    outer: bool,
) -> Generate:
    """The rows of a generator. ``names`` rename all produced columns, or are empty.

    Raises:
        TypeMismatch: an argument, or the number of names, is wrong.
    """
    context = resolver.context
    arguments = tuple(resolver.resolve(argument) for argument in in_order(node))
    name = node.name.lower()
    function = calls.builtin(node, context)
    if function is None:
        returns = calls.declared_return(node, context)
        if not isinstance(returns, ReturnsRows):
            raise UnsupportedConstruct(
                f"{node.name}, which is not a table function, as a source of rows",
                position=node.position,
            )
        produced = tuple(
            PlanColumn(f.name, f.type, nullable=True) for f in calls.rows_of(returns.type).fields
        )
        udf = context.functions.called(node.name)
        operator = Operator(name, NullClass.PARTIAL, udf=udf)
    else:
        if function.kind is not Kind.GENERATOR:
            raise UnsupportedConstruct(
                f"{node.name}, which is not a table function, as a source of rows",
                position=node.position,
            )
        outer = outer or name.endswith("_outer")
        if context.semantics.is_trino:
            produced = unnested(name, arguments, node)
        else:
            produced = _produced_columns(name.removesuffix("_outer"), arguments, node, context)
        operator = function.operator
    if names:
        if len(names) != len(produced):
            raise TypeMismatch(
                f"{node.name} returns {len(produced)} columns, but {len(names)} names are given",
                position=node.position,
            )
        pairs = zip(names, produced, strict=True)
        produced = tuple(PlanColumn(n, c.type, c.nullable) for n, c in pairs)
    if outer:
        produced = tuple(column.as_nullable() for column in produced)
    row = StructType(tuple(StructField(c.name, c.type, c.nullable) for c in produced))
    return Generate(input_, Call(operator, arguments, row, nullable=True), produced, outer)


def transform(input_: Plan, node: tree.Transform, resolver: ExpressionResolver) -> Generate:
    """The rows of a script. All columns are nullable, since nothing is known about them."""
    arguments = tuple(resolver.resolve_arguments(tree.Call("transform", node.arguments)))
    produced = tuple(PlanColumn(name, type_, nullable=True) for name, type_ in node.columns)
    row = StructType(tuple(StructField(c.name, c.type) for c in produced))
    operator = Operator("transform script", NullClass.PARTIAL, deterministic=False)
    return Generate(input_, Call(operator, arguments, row, nullable=True), produced, outer=False)


def _produced_columns(
    name: str, arguments: Sequence[RowExpression], node: tree.Call, context: Context
) -> tuple[PlanColumn, ...]:
    match name:
        case "explode":
            return _exploded(arguments, node, context)
        case "posexplode":
            return (PlanColumn("pos", INT, nullable=False), *_positioned(arguments, node, context))
        case "inline":
            return _inlined(arguments, node)
        case "stack":
            return _stacked(arguments, node, context)
        case "json_tuple" | "parse_url_tuple":
            return tuple(PlanColumn(f"c{i}", STRING, True) for i in range(len(arguments) - 1))
        case "replicate_rows":
            return tuple(PlanColumn(f"col{i}", a.type, a.nullable) for i, a in enumerate(arguments))
        case _ if name in _OF_HIVE:
            fields = _OF_HIVE[name].fields
            return tuple(PlanColumn(field.name, field.type, True) for field in fields)
        case "variant_explode":
            return _exploded_variant(arguments, node)
        case "range":
            return _counted(arguments, node)
        case _ if name in LISTED and not arguments:
            return tuple(PlanColumn(f.name, f.type, f.nullable) for f in LISTED[name])
        case _:
            raise UnsupportedConstruct(f"the table function {name}", position=node.position)


def _exploded(
    arguments: Sequence[RowExpression], node: tree.Call, context: Context
) -> tuple[PlanColumn, ...]:
    match [argument.type for argument in arguments]:
        case [ArrayType(element, nullable)]:
            return (PlanColumn("col", element, nullable),)
        case [MapType(key, value, nullable)]:
            # Hive's maps may have a null key: ``map(s, i)`` with a null s.
            absent = not context.semantics.is_spark
            return (PlanColumn("key", key, absent), PlanColumn("value", value, nullable))
        case types:
            raise _mismatch(types, node, "an array or a map")


def _positioned(
    arguments: Sequence[RowExpression], node: tree.Call, context: Context
) -> tuple[PlanColumn, ...]:
    columns = _exploded(arguments, node, context)
    if len(columns) == 2 and not context.semantics.is_spark:
        raise _mismatch([a.type for a in arguments], node, "an array")
    if len(columns) == 1 and not context.semantics.is_spark:
        # Hive calls the second column val, Spark col.
        return (PlanColumn("val", columns[0].type, columns[0].nullable),)
    return columns


def _inlined(arguments: Sequence[RowExpression], node: tree.Call) -> tuple[PlanColumn, ...]:
    match [argument.type for argument in arguments]:
        case [ArrayType(StructType(fields), nullable)]:
            return tuple(PlanColumn(f.name, f.type, f.nullable or nullable) for f in fields)
        case types:
            raise _mismatch(types, node, "an array of structs")


def _stacked(
    arguments: Sequence[RowExpression], node: tree.Call, context: Context
) -> tuple[PlanColumn, ...]:
    count = arguments[0] if arguments else None
    if not isinstance(count, Literal) or not str(count.value).isdigit() or count.value == "0":
        raise UnsupportedConstruct("STACK with a row count that is not a literal")
    rows = int(str(count.value))
    values = arguments[1:]
    width = -(-len(values) // rows)
    columns: list[PlanColumn] = []
    for column in range(width):
        cells = values[column::width]
        type_: ColumnType | None = cells[0].type
        for cell in cells[1:]:
            type_ = type_ and common_type(type_, cell.type, Use.BRANCH, context.semantics)
        if type_ is None:
            raise TypeMismatch(
                f"column {column} of STACK has incompatible types", position=node.position
            )
        nullable = any(cell.nullable for cell in cells) or len(cells) < rows
        columns.append(PlanColumn(f"col{column}", type_, nullable))
    return tuple(columns)


def _exploded_variant(
    arguments: Sequence[RowExpression], node: tree.Call
) -> tuple[PlanColumn, ...]:
    types = [argument.type for argument in arguments]
    if len(types) != 1 or types[0] not in (VARIANT, VOID):
        raise _mismatch(types, node, "a variant")
    columns = (PlanColumn("pos", INT, False), PlanColumn("key", STRING, True))
    return (*columns, PlanColumn("value", VARIANT, False))


def _counted(arguments: Sequence[RowExpression], node: tree.Call) -> tuple[PlanColumn, ...]:
    types = [argument.type for argument in arguments]
    if not 1 <= len(types) <= 4 or not all(is_numeric(t) or is_text(t) for t in types):
        raise _mismatch(types, node, "one to four numbers")
    return (PlanColumn("id", BIGINT, False),)


def _mismatch(types: Sequence[ColumnType], node: tree.Call, needed: str) -> TypeMismatch:
    shown = ", ".join(print_type(type_) for type_ in types)
    return TypeMismatch(f"{node.name} expects {needed}, got ({shown})", position=node.position)
