"""Writes generators as UNNEST: each row is joined to the rows made from its value."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from lakeschema.catalog.column_types import ArrayType, ColumnType, MapType, StructType
from lakeschema.translation.emission.engines import Generated, generic_names
from lakeschema.translation.emission.sql_expressions import ExpressionWriter
from lakeschema.translation.emission.trino.given import constant
from lakeschema.translation.emission.trino.text import null_if, quoted, string, type_text
from lakeschema.translation.model.errors import UnsupportedConstruct
from lakeschema.translation.plan.expressions import Call, RowExpression
from lakeschema.translation.plan.relations import Generate


def generated(
    writer: ExpressionWriter, plan: Generate, source: str, fresh: Callable[[], str]
) -> Generated:
    """The source with the generator's rows.

    Raises:
        UnsupportedConstruct: Trino has no equivalent.
    """
    name = plan.call.operator.name
    outer = plan.outer or name.endswith("_outer")
    name = name.removesuffix("_outer")
    if plan.call.operator.udf is not None:
        raise UnsupportedConstruct(f"user-defined table function {name} for Trino")
    if name == "json_tuple":
        return _json_tuple(writer, plan, source, fresh)
    values, numbered = _unnested(writer, plan, name)
    alias = fresh()
    names = [quoted(each) for each in generic_names(len(plan.produced))]
    # The ordinal comes last, and counts from 1.
    columns = [*names[1:], names[0]] if numbered else names
    ordinality = " WITH ORDINALITY" if numbered else ""
    table = f"UNNEST({values}){ordinality} AS {alias} ({', '.join(columns)})"
    join = f"LEFT JOIN {table} ON TRUE" if outer else f"CROSS JOIN {table}"
    items = [f"{alias}.{each}" for each in names]
    if numbered:
        items[0] = f"CAST({items[0]} - 1 AS integer)"
    return Generated(f"{source} {join}", tuple(items))


def _unnested(writer: ExpressionWriter, plan: Generate, name: str) -> tuple[str, bool]:
    """The argument of UNNEST, and whether the rows are numbered."""
    arguments = plan.call.arguments
    match name:
        case "explode" | "posexplode":
            return _wrapped(writer, arguments[0]), name == "posexplode"
        case "inline":
            return _rows(writer, arguments[0]), False
        case "range":
            return _numbers(writer, arguments), False
        case "stack":
            return _stacked(writer, arguments, plan), False
        case _:
            raise UnsupportedConstruct(f"table function {name} for Trino")


def _wrapped(writer: ExpressionWriter, value: RowExpression) -> str:
    """The array for UNNEST.

    It spreads a struct's fields, so each struct becomes the field of another.
    """
    text = writer.text(value)
    match value.type:
        case ArrayType(StructType() as element):
            return f"transform({text}, e -> CAST(ROW(e) AS ROW(e {type_text(element)})))"
        case ArrayType() | MapType():
            return text
        case _:
            raise UnsupportedConstruct(
                "EXPLODE of a value that is neither array nor map, for Trino"
            )


def _numbers(writer: ExpressionWriter, arguments: Sequence[RowExpression]) -> str:
    """The array of the numbers that RANGE generates; the end of the range is not included."""
    texts = [f"CAST({writer.text(argument)} AS bigint)" for argument in arguments[:3]]
    start, end = ("BIGINT '0'", texts[0]) if len(texts) == 1 else texts[:2]
    step = constant(arguments[2]) if len(arguments) > 2 else "1"
    if step is None or not step.isdigit() or step == "0":
        raise UnsupportedConstruct("RANGE with a step that is computed or not positive, for Trino")
    made = f"sequence({start}, {end} - 1, {step})"
    return f"IF({start} < {end}, {made}, CAST(ARRAY[] AS array(bigint)))"


def _rows(writer: ExpressionWriter, value: RowExpression) -> str:
    if not isinstance(value.type, ArrayType) or not isinstance(value.type.element, StructType):
        raise UnsupportedConstruct("INLINE of a value other than an array of structs, for Trino")
    if isinstance(value, Call) and value.operator.name == "array" and not value.arguments:
        return f"CAST(ARRAY[] AS {type_text(value.type)})"
    return writer.text(value)


def _stacked(writer: ExpressionWriter, arguments: Sequence[RowExpression], plan: Generate) -> str:
    count, width = constant(arguments[0]), len(plan.produced)
    if count is None or not count.isdigit():
        raise UnsupportedConstruct("STACK of a computed number of rows, for Trino")
    values = [writer.text(argument) for argument in arguments[1:]]
    types: Sequence[ColumnType] = [column.type for column in plan.produced]
    rows = []
    for row in range(int(count)):
        cells = values[row * width : (row + 1) * width]
        cells += ["NULL"] * (width - len(cells))
        rows.append(
            "ROW("
            + ", ".join(f"CAST({c} AS {type_text(t)})" for c, t in zip(cells, types, strict=True))
            + ")"
        )
    return f"ARRAY[{', '.join(rows)}]"


def _json_tuple(
    writer: ExpressionWriter, plan: Generate, source: str, fresh: Callable[[], str]
) -> Generated:
    """Writes JSON_TUPLE: the values of some keys, as columns of one row."""
    document, *keys = plan.call.arguments
    names = [constant(key) for key in keys]
    if None in names or any('"' in str(name) or "\\" in str(name) for name in names):
        raise UnsupportedConstruct("computed keys of JSON_TUPLE for Trino")
    text = writer.text(document)
    cells = []
    for name in names:
        path = string(f'$["{name}"]')
        scalar = f"json_extract_scalar({text}, {path})"
        whole = null_if(f"json_format(json_extract({text}, {path}))", "'null'")
        cells.append(f"coalesce({scalar}, {whole})")
    alias = fresh()
    columns = [quoted(each) for each in generic_names(len(names))]
    table = f"UNNEST(ARRAY[ROW({', '.join(cells)})]) AS {alias} ({', '.join(columns)})"
    if len(cells) == 1:
        table = f"UNNEST(ARRAY[{cells[0]}]) AS {alias} ({columns[0]})"
    return Generated(f"{source} CROSS JOIN {table}", tuple(f"{alias}.{c}" for c in columns))
