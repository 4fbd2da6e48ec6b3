"""Writes Trino's expressions for Spark, in ANSI mode with the zone UTC.

Functions without a known equivalent are refused; equal names are not trusted.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from lakeschema.catalog.column_types import BOOLEAN, ArrayType, ColumnType, MapType, StructType
from lakeschema.catalog.letter_case import has_capital_fields
from lakeschema.catalog.trino_types import moment_of, timestamp_of
from lakeschema.translation.emission.engines import Generated, generic_names
from lakeschema.translation.emission.spark.from_trino import aggregates
from lakeschema.translation.emission.spark.from_trino.forms import FORMS
from lakeschema.translation.emission.spark.from_trino.moments import (
    MOMENTS,
    OF_PARTS,
    check_parts,
    clock_in_zone,
)
from lakeschema.translation.emission.spark.from_trino.operators import OPERATORS, tried_form
from lakeschema.translation.emission.spark.from_trino.patterns import PATTERNS
from lakeschema.translation.emission.spark.from_trino.types import cast_text, is_castable, type_text
from lakeschema.translation.emission.spark.from_trino.writers import WRITERS
from lakeschema.translation.emission.spark.templates import fill
from lakeschema.translation.emission.spark.text import quoted, string
from lakeschema.translation.emission.spark.udfs import SparkFunctions
from lakeschema.translation.emission.sql_expressions import ExpressionWriter
from lakeschema.translation.functions.trino_coercion import is_text
from lakeschema.translation.model.errors import UnsupportedConstruct
from lakeschema.translation.plan.expressions import (
    AggregateCall,
    Call,
    Case,
    Cast,
    FieldAccess,
    Literal,
    RowExpression,
    Subscript,
    WindowCall,
)
from lakeschema.translation.plan.relations import Generate

_WRITERS = MappingProxyType({**OPERATORS, **WRITERS, **PATTERNS, **MOMENTS})
_OF_TRINOS_TYPE = frozenset({"+", "-", "*", "/", "%", "negative", "positive", "struct", "array"})
"""Calls whose Spark result already has Trino's type."""
_BOUND = r"(?:UNBOUNDED|CURRENT ROW|[0-9]+|INTERVAL '[0-9]+' [A-Za-z]+)(?: PRECEDING| FOLLOWING)?"
_FRAME = re.compile(rf"(?:ROWS|RANGE) BETWEEN {_BOUND} AND {_BOUND}")


@dataclass(frozen=True, slots=True)
class FormsFromTrino:
    """The forms for one query; ``functions`` assigns names to functions to register."""

    functions: SparkFunctions

    def typed(self, writer: ExpressionWriter, expression: RowExpression) -> str:
        """The expression, cast to Trino's type if Spark's result type might differ."""
        text = writer.text(expression)
        made = isinstance(expression, (Call, AggregateCall, WindowCall, Case))
        return self._cast_to(text, expression.type) if made else text

    def _cast_to(self, text: str, type_: ColumnType) -> str:
        cast = f" AS {type_text(type_)})" if is_castable(type_) else ""
        return text if not cast or text.endswith(cast) else f"CAST({text}{cast}"

    def ordered(self, text: str, type_: ColumnType) -> str:  # noqa: ARG002 (a protocol's)
        return text

    def output(self, item: str, type_: ColumnType) -> str:
        if not has_capital_fields(type_):
            return item
        return self._cast_to(item, type_)

    def field(self, writer: ExpressionWriter, access: FieldAccess) -> str:
        return f"{self.inner(writer, access.base)}.{quoted(access.name)}"

    def subscript(self, writer: ExpressionWriter, subscript: Subscript) -> str:
        # Trino's own subscript is a call, since it refuses missing elements.
        return f"{writer.text(subscript.base)}[{writer.text(subscript.index)}]"

    def inner(self, writer: ExpressionWriter, expression: RowExpression) -> str:
        """The text of an operand: it has the plan's type if the type matters."""
        text = writer.text(expression)
        made = isinstance(expression, (AggregateCall, WindowCall, Case))
        if isinstance(expression, Call):
            made = expression.operator.name not in _OF_TRINOS_TYPE
        same = is_text(expression.type) or expression.type == BOOLEAN
        return self._cast_to(text, expression.type) if made and not same else text

    def call(self, writer: ExpressionWriter, call: Call) -> str:
        name = call.operator.name
        if call.operator.udf is not None:
            called = self.functions.call_name(call.operator.udf)
            return f"{called}({', '.join(writer.texts(call.arguments))})"
        if name == "try":
            return self._tried(writer, call)
        texts = [self.inner(writer, argument) for argument in call.arguments]
        if name in {"and", "or"}:
            return "(" + f" {name.upper()} ".join(texts) + ")"
        if name == "in":
            return f"({texts[0]} IN ({', '.join(texts[1:])}))"
        if name == "struct" and isinstance(call.type, StructType):
            pairs = (f"{string(f.name)}, {t}" for f, t in zip(call.type.fields, texts, strict=True))
            return f"named_struct({', '.join(pairs)})"
        if name == "array":
            return f"array({', '.join(texts)})"
        if name in OF_PARTS:
            check_parts(call)
        write = _WRITERS.get(name)
        if write is not None:
            return write(call, texts)
        form = FORMS.get(name)
        if form is None:
            raise UnsupportedConstruct(f"{name} of Trino for Spark")
        return fill(form, texts)

    def _tried(self, writer: ExpressionWriter, call: Call) -> str:
        (inside,) = call.arguments
        if isinstance(inside, Cast):
            text = writer.text(inside.operand)
            return cast_text(text, inside.operand.type, inside.type, tolerant=True)
        form = tried_form(call)
        if form is not None and isinstance(inside, Call):
            return fill(form, [self.inner(writer, argument) for argument in inside.arguments])
        return writer.text(inside)

    def cast(self, writer: ExpressionWriter, cast: Cast) -> str:
        operand = cast.operand
        text = self.inner(writer, operand)
        if isinstance(operand, Literal) and operand.value is None:
            return f"CAST(NULL AS {type_text(cast.type)})" if is_castable(cast.type) else "NULL"
        before, after = moment_of(operand.type), moment_of(cast.type)
        if before is not None and before[2] and not (after is not None and after[2]):
            shown = clock_in_zone(operand, text)
            if shown is None:
                raise UnsupportedConstruct("the clock of a timestamp with a zone for Spark")
            return cast_text(shown, timestamp_of(before[1]), cast.type, tolerant=cast.tolerant)
        return cast_text(text, operand.type, cast.type, tolerant=cast.tolerant)

    # aggregates

    def aggregate(self, writer: ExpressionWriter, call: AggregateCall) -> str:
        return self._aggregate(writer, call, "", distinct=call.distinct)

    def window(self, writer: ExpressionWriter, call: WindowCall) -> str:
        if call.frame and not _FRAME.fullmatch(call.frame):
            raise UnsupportedConstruct("this frame of a window for Spark")
        return self._aggregate(writer, call, f" {writer.over(call)}", distinct=False)

    def _aggregate(
        self,
        writer: ExpressionWriter,
        call: AggregateCall | WindowCall,
        over: str,
        *,
        distinct: bool,
    ) -> str:
        name = call.operator.name
        texts = [self.inner(writer, argument) for argument in call.arguments]
        order = call.order_by if isinstance(call, AggregateCall) else call.within
        condition = call.filter
        behind = "" if condition is None else f" FILTER (WHERE {writer.text(condition)})"
        if call.ignores_nulls:
            behind += " IGNORE NULLS"
        word = "DISTINCT " if distinct else ""

        def of(text: str) -> str:
            return text.replace("(", f"({word}", 1) + behind + over

        if name == "array_agg":
            orders = [self.inner(writer, key.expression) for key in order]
            return aggregates.array_agg(texts, order, orders, of)
        if name == "listagg" and order:
            behind = f" WITHIN GROUP (ORDER BY {writer.sort_keys(order)}){behind}"
        write = aggregates.WRITERS.get(name)
        if write is not None:
            return write(call, texts, of)
        same = aggregates.SAME.get(name)
        if same is None:
            raise UnsupportedConstruct(f"{name} of Trino for Spark")
        if name in aggregates.OF_COUNTS:
            place = 0 if name == "ntile" else 1
            texts[place : place + 1] = [f"CAST({text} AS INT)" for text in texts[place : place + 1]]
        if name == "count" and not texts:
            return of("count(*)") if not distinct else of("count(1)")
        return of(f"{same}({', '.join(texts)})")

    # UNNEST

    def generated(
        self, writer: ExpressionWriter, plan: Generate, source: str, fresh: Callable[[], str]
    ) -> Generated:
        arguments = plan.call.arguments
        texts = [self.inner(writer, argument) for argument in arguments]
        numbered = plan.call.operator.name.endswith("ordinality")
        alias = fresh()
        if len(arguments) == 1:
            of_map = isinstance(arguments[0].type, MapType)
            value, names = texts[0], ["k", "v"] if of_map else ["e"]
            columns = [f"{alias}.{each}" for each in names]
            made = columns if of_map else _spread(arguments[0].type, columns[0])
        else:
            value = _zipped(arguments, texts)
            names = ["e"]
            made = _zipped_columns(arguments, f"{alias}.e")
        function = "posexplode" if numbered else "explode"
        listed = ", ".join(["p", *names] if numbered else names)
        outer = "OUTER " if plan.outer else ""
        text = f"{source} LATERAL VIEW {outer}{function}({value}) {alias} AS {listed}"
        if numbered:
            made = [*made, f"CAST({alias}.p + 1 AS BIGINT)"]
        return Generated(text, tuple(made))


def _spread(type_: ColumnType, text: str) -> list[str]:
    """The columns of an array's element: the fields of a row, or the element itself."""
    if isinstance(type_, ArrayType) and isinstance(type_.element, StructType):
        return [f"{text}.{quoted(field.name)}" for field in type_.element.fields]
    return [text]


def _zipped(arguments: Sequence[RowExpression], texts: Sequence[str]) -> str:
    """The text of all arrays zipped: null arrays count as empty, and maps are arrays of entries."""
    parts: list[str] = []
    types: list[str] = []
    for number, (argument, text) in enumerate(zip(arguments, texts, strict=True)):
        match argument.type:
            case MapType(key, value):
                listed = f"map_entries({text})"
                element = f"STRUCT<k: {type_text(key)}, v: {type_text(value)}>"
            case ArrayType(of):
                listed, element = text, type_text(of)
            case _:
                raise UnsupportedConstruct("UNNEST of an unknown value for Spark")
        parts.append(f"coalesce({listed}, array())")
        types.append(f"{generic_names(number + 1)[-1]}: {element}")
    return f"CAST(arrays_zip({', '.join(parts)}) AS ARRAY<STRUCT<{', '.join(types)}>>)"


def _zipped_columns(arguments: Sequence[RowExpression], text: str) -> list[str]:
    made: list[str] = []
    for name, argument in zip(generic_names(len(arguments)), arguments, strict=True):
        column = f"{text}.{name}"
        if isinstance(argument.type, MapType):
            made += [f"{column}.k", f"{column}.v"]
        else:
            made += _spread(argument.type, column)
    return made
