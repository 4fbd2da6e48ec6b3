"""Writes calls, casts, aggregates, windows and generators of one view for Trino."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from lakeschema.catalog.column_types import (
    STRING,
    VOID,
    ArrayType,
    CharType,
    ColumnType,
    MapType,
    StructType,
    VarcharType,
)
from lakeschema.translation.emission.engines import Generated
from lakeschema.translation.emission.rows import Row, Unsupported, classes_of, letter
from lakeschema.translation.emission.sql_expressions import ExpressionWriter
from lakeschema.translation.emission.trino import generators
from lakeschema.translation.emission.trino.casts import Mode, cast_template
from lakeschema.translation.emission.trino.frames import bounded_key, check_frame
from lakeschema.translation.emission.trino.functions import TrinoFunctions
from lakeschema.translation.emission.trino.given import Given, bound
from lakeschema.translation.emission.trino.hive_rows import HIVE
from lakeschema.translation.emission.trino.ordered_aggregates import ordered_aggregate
from lakeschema.translation.emission.trino.ordering import is_nested, orderable
from lakeschema.translation.emission.trino.shared_rows import SHARED
from lakeschema.translation.emission.trino.spark_rows import SPARK
from lakeschema.translation.emission.trino.text import literal, moment, quoted, type_text
from lakeschema.translation.functions.coercion import Use, common_type, is_integer, is_text
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
)
from lakeschema.translation.plan.operators import COLLECTING, OF_FILES, UNFRAMED
from lakeschema.translation.plan.relations import Generate

_SAME_IF_REPEATED = frozenset(
    {
        *("min", "max", "min_by", "max_by", "first", "first_value", "last", "last_value"),
        *("any_value", "bool_and", "bool_or", "bit_and", "bit_or"),
    }
)
"""Aggregates whose result DISTINCT does not change."""


def mode_of(semantics: Semantics) -> Mode:
    if not semantics.is_spark:
        return Mode.HIVE
    return Mode.ANSI if semantics.ansi else Mode.LEGACY


@dataclass(frozen=True, slots=True)
class TrinoForms:
    """The forms for one view. ``wraps``: whether integers wrap around if they do in the view's engine."""

    semantics: Semantics
    functions: TrinoFunctions
    wraps: bool = False

    @property
    def mode(self) -> Mode:
        return mode_of(self.semantics)

    def typed(self, writer: ExpressionWriter, expression: RowExpression) -> str:
        return writer.text(expression)

    def output(self, item: str, type_: ColumnType) -> str:
        """An item of the outermost SELECT.

        In Trino string literals have a length, and null has the type unknown.
        """
        cast = f" AS {type_text(type_)})"
        loose = _has_loose(type_) or item == "NULL"
        return (
            f"CAST({item}{cast}"
            if loose and not (item.startswith("CAST(") and item.endswith(cast))
            else item
        )

    def ordered(self, text: str, type_: ColumnType) -> str:
        """A key of ORDER BY; refuses nested nulls, whose order in Hive is unknown."""
        return orderable(text, type_) if self.mode.is_spark and is_nested(type_) else text

    def field(self, writer: ExpressionWriter, access: FieldAccess) -> str:
        base = writer.text(access.base)
        if isinstance(access.base.type, ArrayType):
            return f"transform({base}, e -> e.{quoted(access.name)})"
        return f"{base}.{quoted(access.name)}"

    def subscript(self, writer: ExpressionWriter, subscript: Subscript) -> str:
        """The text of a subscript, which counts from 0.

        Beyond the end it is null; for arrays under Spark's ANSI mode, it fails.
        """
        base, index = writer.text(subscript.base), writer.text(subscript.index)
        if isinstance(subscript.base.type, MapType):
            return f"element_at({base}, {index})"
        if not is_integer(subscript.index.type):
            raise UnsupportedConstruct("a subscript that is not a whole number, for Trino")
        place = subscript.index.value if isinstance(subscript.index, Literal) else None
        if place is not None and place.isdigit():
            if self.mode is Mode.ANSI:
                return f"{base}[{int(place) + 1}]"
            return f"element_at({base}, {int(place) + 1})"
        if self.mode is Mode.ANSI:
            return f"{base}[CAST({index} AS bigint) + 1]"

        def fill(template: str, texts: Sequence[str]) -> str:
            return template.replace("{0}", texts[0]).replace("{1}", base)

        form = "CASE WHEN {0} >= 0 THEN element_at({1}, CAST({0} AS bigint) + 1) END"
        return bound(form, fill, (subscript.index,), (index,))

    def call(self, writer: ExpressionWriter, call: Call) -> str:
        name = call.operator.name
        if call.operator.udf is not None:
            texts = ", ".join(writer.texts(call.arguments))
            return f"{self.functions.call_name(call.operator.udf)}({texts})"
        if name in {"and", "or"}:
            return "(" + f" {name.upper()} ".join(writer.texts(call.arguments)) + ")"
        if name == "not" and isinstance(call.arguments[0], InSubquery) and self.mode.is_spark:
            return f"coalesce(NOT {writer.membership(call.arguments[0])}, false)"
        if name.endswith(OF_FILES):
            raise UnsupportedConstruct("_metadata for Trino")
        return self._formed(self._given(writer, call, ""))

    def aggregate(self, writer: ExpressionWriter, call: AggregateCall) -> str:
        condition = "" if call.filter is None else writer.text(call.filter)
        suffix = f" FILTER (WHERE {condition})" if condition else ""
        given = self._given(writer, call, suffix, distinct=call.distinct)
        if call.order_by:
            return ordered_aggregate(
                given, call.order_by, writer.sort_keys(call.order_by), condition
            )
        return self._formed(given)

    def window(self, writer: ExpressionWriter, call: WindowCall) -> str:
        if call.within or call.filter is not None:
            raise UnsupportedConstruct(
                f"{call.operator.name} with FILTER or WITHIN GROUP over a window, for Trino"
            )
        over = self._over(writer, call)
        if call.operator.name in UNFRAMED and call.frame:
            over = over.replace(f" {call.frame}", "")
        nulls = ""
        if call.ignores_nulls and call.operator.name not in COLLECTING:
            nulls = " IGNORE NULLS"
        given = self._given(writer, call, f" {over}", distinct=call.distinct)
        text = self._formed(given)
        return text.replace(f" {over}", f"{nulls} {over}") if nulls else text

    def _over(self, writer: ExpressionWriter, call: WindowCall) -> str:
        over = writer.over(call)
        if not call.frame:
            return over
        check_frame(call.frame)
        bounded = bounded_key(call) if self.mode.is_spark else None
        if bounded is None:
            return over
        key = writer.text(call.order_by[0].expression)
        return over.replace(f"ORDER BY {key} ", f"ORDER BY {bounded.replace('{0}', key)} ")

    def _given(
        self,
        writer: ExpressionWriter,
        call: Call | AggregateCall | WindowCall,
        suffix: str,
        *,
        distinct: bool = False,
    ) -> Given:
        return Given(
            call.operator,
            call.arguments,
            [self._argument(writer, argument) for argument in call.arguments],
            call.type,
            self.mode,
            self.semantics.size_of_null,
            self.wraps,
            "DISTINCT " if distinct else "",
            suffix,
            not isinstance(call, Call),
            not isinstance(call, Call) and call.ignores_nulls is False,
            self._compared(call) if call.operator.name == "nullif" else None,
            writer.text,
        )

    def _compared(self, call: Call | AggregateCall | WindowCall) -> ColumnType | None:
        """The type in which Spark compares a call's arguments; None if the call converts them."""
        one, other = (argument.type for argument in call.arguments)
        if one == other or not self.mode.is_spark:
            return None
        return common_type(one, other, Use.COMPARISON, self.semantics)

    def _argument(self, writer: ExpressionWriter, argument: RowExpression) -> str:
        """The text of an argument; for Hive's functions a char is a text without padding."""
        text = writer.text(argument)
        if isinstance(argument.type, CharType) and not isinstance(argument, Literal):
            trimmed = (
                "rtrim(CAST({0} AS varchar))" if self.mode is Mode.HIVE else "CAST({0} AS varchar)"
            )
            return trimmed.replace("{0}", text)
        return text

    def _formed(self, given: Given) -> str:
        text = self._filled(given)
        matters = given.quantifier and given.name not in _SAME_IF_REPEATED
        if matters and text == self._filled(replace(given, quantifier="")):
            raise given.unsupported("DISTINCT")
        return text

    def _filled(self, given: Given) -> str:
        row = self._row(given)
        if isinstance(row.form, Unsupported):
            raise given.unsupported(row.form.reason)
        if not isinstance(row.form, str):
            return row.form(given)
        text = given.fill(row.form)
        return f"CAST({text} AS {type_text(given.type)})" if row.cast else text

    def _row(self, given: Given) -> Row:
        own = HIVE if self.mode is Mode.HIVE else SPARK
        rows = (*own.get(given.name, ()), *SHARED.get(given.name, ()))
        letters = classes_of(given.arguments)
        for row in rows:
            if row.classes is None or re.fullmatch(row.classes, letters):
                return row
        why = "no equivalent form is known"
        if rows:
            why += " for these argument types"
        raise given.unsupported(why)

    def cast(self, writer: ExpressionWriter, cast: Cast) -> str:
        operand, source, target = cast.operand, cast.operand.type, cast.type
        if isinstance(operand, Literal):
            text = self._literal(operand, target)
            if text is not None:
                return text
        text = writer.text(operand)
        if cast.by_name:
            return by_name(text, source, target)
        if self.mode is Mode.HIVE and not cast.implicit and letter(target) in "amr":
            raise UnsupportedConstruct("CAST to a nested type, which is null in Hive, for Trino")
        form = cast_template(source, target, self.mode, tolerant=cast.tolerant)

        def fill(template: str, texts: Sequence[str]) -> str:
            return template.replace("{0}", texts[0])

        return bound(form, fill, (operand,), (text,))

    def _literal(self, operand: Literal, target: ColumnType) -> str | None:
        """The converted literal, if it can be written without a cast."""
        value, source = operand.value, operand.type
        if value is None:
            return literal(None, target)
        if is_integer(source) and target.__class__ is source.__class__ and letter(target) in "id":
            return (
                literal(value, target) if letter(target) == "d" or abs(int(value)) < 128 else None
            )
        if letter(source) == "x" and letter(target) in "df":
            return literal(value, target)
        if source == STRING and letter(target) in "DT":
            try:
                return moment(value, target)
            except UnsupportedConstruct:
                return None
        return None

    def generated(
        self, writer: ExpressionWriter, plan: Generate, source: str, fresh: Callable[[], str]
    ) -> Generated:
        return generators.generated(writer, plan, source, fresh)


def _has_loose(type_: ColumnType) -> bool:
    """Whether Trino's type may be narrower than the plan's, as for text literals and unnamed rows."""
    match type_:
        case _ if type_ == VOID:
            return True
        case ArrayType(element):
            return _has_loose(element)
        case MapType(key, value):
            return _has_loose(key) or _has_loose(value)
        case StructType(fields):
            return any(_has_loose(f.type) for f in fields)
        case VarcharType() | CharType():
            return True
        case _:
            return is_text(type_)


def by_name(text: str, source: ColumnType, target: ColumnType) -> str:
    """A struct value with the target's fields, matched by name; missing fields are null.

    This is used if a struct's fields changed after the view was created.
    """
    if source == target:
        return text
    match source, target:
        case StructType(given), StructType(fields):
            known = {field.name.lower(): field for field in given}
            parts = []
            for wanted in fields:
                found = known.get(wanted.name.lower())
                parts.append(
                    literal(None, wanted.type)
                    if found is None
                    else by_name(f"{text}.{quoted(found.name)}", found.type, wanted.type)
                )
            # A null struct stays null.
            return f"IF({text} IS NULL, NULL, CAST(ROW({', '.join(parts)}) AS {type_text(target)}))"
        case ArrayType(element), ArrayType(wanted_element):
            return f"transform({text}, e -> {by_name('e', element, wanted_element)})"
        case MapType(_, value), MapType(_, wanted_value):
            return f"transform_values({text}, (k, v) -> {by_name('v', value, wanted_value)})"
        case _:
            return f"CAST({text} AS {type_text(target)})"
