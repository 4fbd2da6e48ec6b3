"""Writes calls, casts, aggregates, windows and generators of a Spark view for Hive."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace

from lakeschema.catalog.column_types import (
    VOID,
    ArrayType,
    ColumnType,
    MapType,
)
from lakeschema.translation.emission.engines import Generated, generic_names
from lakeschema.translation.emission.hive.casts import cast_template
from lakeschema.translation.emission.hive.connections import counted, is_mistaken
from lakeschema.translation.emission.hive.constants import converted
from lakeschema.translation.emission.hive.given import HiveCall, require_repeatable, require_short
from lakeschema.translation.emission.hive.spark_rows import SPARK
from lakeschema.translation.emission.hive.text import literal, quoted, raised, type_text
from lakeschema.translation.emission.rows import Row, Unsupported, classes_of, letter
from lakeschema.translation.emission.spark.functions import TRYING
from lakeschema.translation.emission.sql_expressions import ExpressionWriter
from lakeschema.translation.functions.coercion import is_integer, is_text
from lakeschema.translation.functions.semantics import Semantics
from lakeschema.translation.model.errors import UnsupportedConstruct
from lakeschema.translation.plan.expressions import (
    AggregateCall,
    Call,
    Cast,
    FieldAccess,
    InSubquery,
    Literal,
    RowExpression,
    Subscript,
    WindowCall,
    connected,
)
from lakeschema.translation.plan.operators import COLLECTING, UNFRAMED, NullClass, Operator
from lakeschema.translation.plan.relations import Generate

_ELEMENT = Operator("[]", NullClass.PARTIAL)
_SAME_IF_REPEATED = frozenset({"min", "max", "bool_and", "bool_or"})
"""Aggregates whose result DISTINCT does not change."""
_GENERATORS = frozenset({"explode", "posexplode", "inline", "stack"})
_FAILING_OUTER = frozenset({"inline"})
"""Generators on which Hive 4.0.1 fails for a null argument if the lateral view is outer."""
_BOUND = r"(?:UNBOUNDED|{}) (?:PRECEDING|FOLLOWING)|CURRENT ROW"
_ROWS, _PEERS = _BOUND.format("[0-9]{1,9}"), _BOUND.format("UNBOUNDED")
_FRAME = re.compile(
    f"ROWS BETWEEN (?:{_ROWS}) AND (?:{_ROWS})|RANGE BETWEEN (?:{_PEERS}) AND (?:{_PEERS})"
)


@dataclass(frozen=True, slots=True)
class HiveForms:
    """The forms for one Spark view."""

    semantics: Semantics

    def typed(self, writer: ExpressionWriter, expression: RowExpression) -> str:
        return writer.text(expression)

    def output(self, item: str, type_: ColumnType) -> str:
        """An item of the outermost SELECT; Hive's views cannot have columns of its NULL type."""
        return f"CAST({item} AS {type_text(type_)})" if type_ == VOID else item

    def ordered(self, text: str, type_: ColumnType) -> str:
        if letter(type_) in "amru":
            raise UnsupportedConstruct("an order of nested values for Hive")
        return text

    def field(self, writer: ExpressionWriter, access: FieldAccess) -> str:
        if isinstance(access.base.type, ArrayType):
            raise UnsupportedConstruct("a field of each struct of an array for Hive")
        return f"{writer.text(access.base)}.{quoted(access.name)}"

    def subscript(self, writer: ExpressionWriter, subscript: Subscript) -> str:
        """An element; null if it is out of range, where Spark fails for arrays in ANSI mode."""
        read = (subscript.base, subscript.index)
        texts = writer.texts(read)
        text = f"{texts[0]}[{texts[1]}]"
        if isinstance(subscript.base.type, MapType):
            return text
        if not is_integer(subscript.index.type):
            raise UnsupportedConstruct("a subscript that is not a whole number, for Hive")
        if not self.semantics.ansi:
            return text
        form = (
            "CASE WHEN {0} IS NULL OR {1} IS NULL OR ({1} >= 0 AND {1} < size({0})) THEN {0}[{1}]"
            f" ELSE {raised(subscript.type)} END"
        )
        return HiveCall(_ELEMENT, read, texts, subscript.type, ansi=True).fill(form)

    def call(self, writer: ExpressionWriter, call: Call) -> str:
        name = call.operator.name
        if call.operator.udf is not None:
            raise UnsupportedConstruct(f"{name}, a function of Spark's own, for Hive")
        if name in {"and", "or"}:
            return self._connected(writer, call)
        if name == "not" and isinstance(call.arguments[0], InSubquery):
            return f"coalesce(NOT {writer.membership(call.arguments[0])}, false)"
        arguments = call.arguments
        if name in TRYING:
            # Spark's TRY functions also try their implicit conversions.
            arguments = tuple(
                replace(a, tolerant=True) if isinstance(a, Cast) and a.implicit else a
                for a in arguments
            )
        return self._formed(self._given(call.operator, arguments, writer, call.type))

    def _connected(self, writer: ExpressionWriter, call: Call) -> str:
        name = call.operator.name
        parts = connected(call, name)
        if is_mistaken(parts):
            return counted(name, parts, writer.texts(parts))
        return "(" + f" {name.upper()} ".join(writer.texts(call.arguments)) + ")"

    def aggregate(self, writer: ExpressionWriter, call: AggregateCall) -> str:
        if call.order_by:
            raise UnsupportedConstruct(f"{call.operator.name} WITHIN GROUP for Hive")
        return self._aggregate(writer, call, "")

    def window(self, writer: ExpressionWriter, call: WindowCall) -> str:
        name = call.operator.name
        if call.within:
            raise UnsupportedConstruct(f"{name} WITHIN GROUP over a window for Hive")
        over = writer.over(call)
        if name in UNFRAMED:
            over = over.replace(f" {call.frame}", "") if call.frame else over
        elif call.frame and not _FRAME.fullmatch(call.frame):
            raise UnsupportedConstruct("this window frame for Hive")
        elif not (call.frame or "").startswith("ROWS") and any(
            letter(key.expression.type) in "fd" for key in call.order_by
        ):
            # In Hive, rows with NaN are not peers of each other.
            raise UnsupportedConstruct("a window ordered by numbers that may be NaN, for Hive")
        return self._aggregate(writer, call, f" {over}")

    def _aggregate(
        self, writer: ExpressionWriter, call: AggregateCall | WindowCall, suffix: str
    ) -> str:
        name, shown = call.operator.name, call.operator.spelling
        if call.filter is not None:
            raise UnsupportedConstruct(f"{shown} with FILTER for Hive")
        if call.ignores_nulls and name not in COLLECTING:
            raise UnsupportedConstruct(f"{shown} IGNORE NULLS for Hive")
        if name in COLLECTING and call.ignores_nulls is False:
            raise UnsupportedConstruct(f"{shown} RESPECT NULLS for Hive")
        if name in COLLECTING and call.distinct:
            raise UnsupportedConstruct(f"{shown} DISTINCT, whose order differs in Hive,")
        given = self._given(
            call.operator,
            call.arguments,
            writer,
            call.type,
            quantifier="DISTINCT " if call.distinct else "",
            suffix=suffix,
        )
        text = self._formed(given)
        matters = call.distinct and name not in _SAME_IF_REPEATED
        if matters and text == self._formed(replace(given, quantifier="")):
            raise given.unsupported("DISTINCT")
        if suffix and not text.count(suffix):
            raise given.unsupported("it is only computed for groups")
        return text

    def _given(
        self,
        operator: Operator,
        arguments: tuple[RowExpression, ...],
        writer: ExpressionWriter,
        type_: ColumnType,
        *,
        quantifier: str = "",
        suffix: str = "",
    ) -> HiveCall:
        texts = writer.texts(arguments)
        ansi, of_null = self.semantics.ansi, self.semantics.size_of_null
        return HiveCall(operator, arguments, texts, type_, ansi, quantifier, suffix, of_null)

    def _formed(self, given: HiveCall) -> str:
        row = _row(given)
        if isinstance(row.form, Unsupported):
            raise given.unsupported(row.form.reason)
        text = given.fill(row.form) if isinstance(row.form, str) else row.form(given)
        return f"CAST({text} AS {type_text(given.type)})" if row.cast else text

    def cast(self, writer: ExpressionWriter, cast: Cast) -> str:
        operand, source, target = cast.operand, cast.operand.type, cast.type
        if isinstance(operand, Literal):
            if (text := converted(operand, target)) is not None:
                return text
            if self.semantics.ansi and not cast.tolerant and is_text(source):
                # Hive's optimiser drops errors that do not depend on the rows.
                raise UnsupportedConstruct(
                    "a conversion of a constant text that may fail, for Hive"
                )
        if cast.by_name:
            raise UnsupportedConstruct("matching structs' fields by name for Hive")
        if source == VOID:
            return literal(None, target)
        form = cast_template(source, target, ansi=self.semantics.ansi, tolerant=cast.tolerant)
        require_repeatable(form, "a conversion", (operand,))
        text = writer.text(operand)
        require_short(form, [text])
        return form.replace("{0}", text)

    def generated(
        self, writer: ExpressionWriter, plan: Generate, source: str, fresh: Callable[[], str]
    ) -> Generated:
        name = plan.call.operator.name
        outer = plan.outer or name.endswith("_outer")
        name = name.removesuffix("_outer")
        if plan.call.operator.udf is not None or name not in _GENERATORS:
            raise UnsupportedConstruct(f"table function {name} for Hive")
        if outer and name in _FAILING_OUTER:
            raise UnsupportedConstruct(f"{name} with OUTER, for Hive")
        if name == "inline" and isinstance(plan.call.arguments[0], Call):
            # Hive's optimiser unfolds the array together with its structs.
            raise UnsupportedConstruct("inline of a constructed array, for Hive")
        if not source:
            raise UnsupportedConstruct(f"{name} of an outer query's values for Hive")
        if name == "stack" and not isinstance(plan.call.arguments[0], Literal):
            raise UnsupportedConstruct("STACK of a computed number of rows, for Hive")
        alias = fresh()
        names = [quoted(each) for each in generic_names(len(plan.produced))]
        call = f"{name}({', '.join(writer.texts(plan.call.arguments))})"
        view = f"LATERAL VIEW {'OUTER ' if outer else ''}{call} {alias} AS {', '.join(names)}"
        return Generated(f"{source} {view}", tuple(f"{alias}.{each}" for each in names))


def _row(given: HiveCall) -> Row:
    rows = SPARK.get(given.name, ())
    letters = classes_of(given.arguments)
    for row in rows:
        if row.classes is None or re.fullmatch(row.classes, letters):
            return row
    why = "no equivalent form is known"
    if rows:
        why += " for these argument types"
    raise given.unsupported(why)
