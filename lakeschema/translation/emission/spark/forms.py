"""Writes calls, casts, aggregates and windows for Spark, with all conversions explicit."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from lakeschema.catalog.column_types import (
    BIGINT,
    BOOLEAN,
    DOUBLE,
    TIMESTAMP_NTZ,
    ArrayType,
    CharType,
    ColumnType,
    DecimalType,
    MapType,
    StructType,
)
from lakeschema.catalog.letter_case import has_capital_fields
from lakeschema.catalog.relations import Dialect
from lakeschema.translation.emission.engines import Generated, generic_names
from lakeschema.translation.emission.spark import functions as spark_functions
from lakeschema.translation.emission.spark.from_hive import forms as hive_forms
from lakeschema.translation.emission.spark.from_hive import missing as hive_missing
from lakeschema.translation.emission.spark.from_hive import typed_forms as hive_typed_forms
from lakeschema.translation.emission.spark.from_hive.instants import instant, zone_for_spark
from lakeschema.translation.emission.spark.functions import IN_FROM_ALONE
from lakeschema.translation.emission.spark.templates import fill
from lakeschema.translation.emission.spark.text import (
    is_castable,
    literal,
    quoted,
    string,
    type_text,
)
from lakeschema.translation.emission.spark.udfs import SparkFunctions
from lakeschema.translation.emission.sql_expressions import ExpressionWriter
from lakeschema.translation.functions.coercion import (
    is_float,
    is_integer,
    is_interval,
    is_narrower,
    is_text,
)
from lakeschema.translation.model.errors import UnsupportedConstruct
from lakeschema.translation.plan.expressions import (
    AggregateCall,
    Call,
    Case,
    Cast,
    FieldAccess,
    Literal,
    OuterReference,
    RowExpression,
    SortKey,
    Subscript,
    WindowCall,
    converted_from,
    unconverted,
    walk,
)
from lakeschema.translation.plan.operators import OF_FILES, VALUE_IN_ORDER, Operator
from lakeschema.translation.plan.relations import Generate

_OF_INSTANTS = frozenset({"from_utc_timestamp", "to_utc_timestamp"})


@dataclass(frozen=True, slots=True)
class SparkForms:
    """The forms for one query of ``dialect``.

    ``functions`` assigns names to functions to register.
    """

    dialect: Dialect
    functions: SparkFunctions

    def typed(self, writer: ExpressionWriter, expression: RowExpression) -> str:
        """An item of SELECT, cast to Hive's type if Spark's might differ."""
        text = writer.text(expression)
        made = isinstance(expression, (Call, AggregateCall, WindowCall, Case))
        if self.dialect is not Dialect.HIVE or not made or not is_castable(expression.type):
            return text
        cast = f"CAST({text} AS {type_text(expression.type)})"
        certain = isinstance(expression, Call) and (
            expression.type == BOOLEAN or self._is_exact(expression.operator.name, expression.type)
        )
        return text if certain else cast

    def ordered(self, text: str, type_: ColumnType) -> str:  # noqa: ARG002 (a protocol's)
        return text

    def output(self, item: str, type_: ColumnType) -> str:
        """An item of the outermost SELECT.

        Hive's catalog has structs' fields in lower case; the Avro schema may have the original case.
        """
        if not (has_capital_fields(type_) and is_castable(type_)):
            return item
        cast = f" AS {type_text(type_)})"
        return item if item.endswith(cast) else f"CAST({item}{cast}"

    def field(self, writer: ExpressionWriter, access: FieldAccess) -> str:
        return f"{writer.text(access.base)}.{quoted(access.name)}"

    def subscript(self, writer: ExpressionWriter, subscript: Subscript) -> str:
        return f"{writer.text(subscript.base)}[{writer.text(subscript.index)}]"

    def call(self, writer: ExpressionWriter, call: Call) -> str:
        operator, arguments, type_ = call.operator, call.arguments, call.type
        name = operator.name
        self.functions.check(operator.spelling)
        if name in spark_functions.TRYING:
            arguments = tuple(map(unconverted, arguments))
        texts = writer.texts(arguments)
        if operator.udf is not None:
            return f"{self.functions.call_name(operator.udf)}({', '.join(texts)})"
        text = self._symbol(operator, texts, type_)
        if text is not None:
            return text
        if name in {"timestampadd", "timestampdiff"}:
            return f"{name}({_unit_word(arguments[0])}, {texts[1]}, {texts[2]})"
        if name in _OF_INSTANTS and self.dialect is Dialect.HIVE:
            zone = zone_for_spark(arguments[1], texts[1])
            return f"{name}({instant(texts[0], arguments[0].type)}, {zone})"
        _refuse(name, type_)
        if name == "struct" and isinstance(type_, StructType):
            return _struct(type_, texts)
        if type_ == TIMESTAMP_NTZ and name == "to_timestamp":
            # The result of this function depends on the session.
            operator = replace(operator, name="to_timestamp_ntz")
        self._check(name, arguments)
        typed = hive_typed_forms.TYPED.get(name) if self.dialect is Dialect.HIVE else None
        if typed is not None:
            return typed(texts, [argument.type for argument in arguments])
        return self._function(operator, texts)

    def _symbol(self, operator: Operator, texts: Sequence[str], type_: ColumnType) -> str | None:
        """A call that is written as an operator between its arguments; None for other calls."""
        name, spelling = operator.name, operator.spelling
        if self.dialect is Dialect.HIVE and name in hive_forms.WRITERS:
            return None
        if name in {"and", "or"}:
            return "(" + f" {name.upper()} ".join(texts) + ")"
        if spelling in spark_functions.BINARY and len(texts) == 2:
            text = f"({texts[0]} {spelling.upper()} {texts[1]})"
            # Both engines round decimal results, but to different digits.
            exact = self._is_exact(name, type_)
            return f"CAST({text} AS {type_text(type_)})" if exact else text
        if name == "in":
            return f"({texts[0]} IN ({', '.join(texts[1:])}))"
        if name in {"like", "ilike"} and len(texts) == 3:
            return f"({texts[0]} {name.upper()} {texts[1]} ESCAPE {texts[2]})"
        return None

    def _check(self, name: str, arguments: Sequence[RowExpression]) -> None:
        """Raises ``UnsupportedConstruct`` for calls that only Hive computes."""
        if self.dialect is not Dialect.HIVE:
            return
        by_class = self.functions.is_of_hives_class(name)
        why = hive_missing.why_missing(name, arguments, by_class=by_class)
        if why is not None:
            raise UnsupportedConstruct(f"{name} for Spark", why)

    def _is_exact(self, name: str, type_: ColumnType) -> bool:
        """Whether a call is Hive's decimal arithmetic, whose result needs a cast."""
        arithmetic = name in spark_functions.BINARY and isinstance(type_, DecimalType)
        return arithmetic and self.dialect is Dialect.HIVE

    def _function(self, operator: Operator, texts: Sequence[str]) -> str:
        name, spelling = operator.name, operator.spelling
        form = spark_functions.FORMS.get(spelling)
        if self.dialect is Dialect.HIVE:
            hives = self.functions.hives_name(name)
            if hives is not None:
                return f"{hives}({', '.join(texts)})"
            writer = hive_forms.WRITERS.get(name)
            if writer is not None:
                return writer(texts)
            form = hive_forms.FORMS.get(name) or form
        form = form or spark_functions.QUANTIFIED.get(name)
        if form is None:
            return f"{spelling}({', '.join(texts)})"
        return fill(form, texts)

    def aggregate(self, writer: ExpressionWriter, call: AggregateCall) -> str:
        return self._aggregate(writer, call, call.order_by, distinct=call.distinct)

    def window(self, writer: ExpressionWriter, call: WindowCall) -> str:
        if self.dialect is Dialect.HIVE and call.operator.name in hive_missing.WITHOUT_WINDOW:
            raise UnsupportedConstruct(f"{call.operator.name} over a window for Spark")
        if self.dialect is Dialect.HIVE and any(_has_parts(k.expression) for k in call.order_by):
            raise UnsupportedConstruct(
                "an order of nested values, whose nulls Hive orders differently"
            )
        if call.distinct:
            return self._distinct_window(writer, call)
        over = f" {writer.over(call)}"
        return self._aggregate(writer, call, call.within, distinct=False, over=over)

    def _distinct_window(self, writer: ExpressionWriter, call: WindowCall) -> str:
        """Hive's DISTINCT over a window, which Spark lacks: its count is the size of a set."""
        name = call.operator.name
        if name != "count" or len(call.arguments) != 1 or call.filter is not None:
            raise UnsupportedConstruct(f"{name}(DISTINCT …) over a window for Spark")
        (value,) = writer.texts(call.arguments)
        return f"CAST(size(collect_set({value}) {writer.over(call)}) AS BIGINT)"

    def _aggregate(
        self,
        writer: ExpressionWriter,
        call: AggregateCall | WindowCall,
        within: Sequence[SortKey],
        *,
        distinct: bool,
        over: str = "",
    ) -> str:
        name = call.operator.name
        self._check(name, call.arguments)
        # The key of WITHIN GROUP is the value itself, which is not written twice.
        arguments = call.arguments[1:] if within and name in VALUE_IN_ORDER else call.arguments
        texts = writer.texts(arguments)
        if name == "grouping":
            # Keys must have the same text as in GROUP BY.
            texts = [writer.group_key(argument) for argument in arguments]
        if name == "count" and not texts:
            text = "count(*)"
        elif distinct:
            hives = self.functions.hives_name(name) if self.dialect is Dialect.HIVE else None
            text = f"{hives or call.operator.spelling}(DISTINCT {', '.join(texts)})"
        elif within and self.dialect is Dialect.HIVE:
            return self._hives_ordered(writer, call, within[0]) + over
        elif within:
            text = f"{call.operator.spelling}({', '.join(texts)})"
        elif (several := self._of_several(writer, call, texts, over)) is not None:
            return several
        else:
            text = self._function(call.operator, texts)
        if within:
            text += f" WITHIN GROUP (ORDER BY {writer.sort_keys(within)})"
        if call.filter is not None:
            text += f" FILTER (WHERE {writer.text(call.filter)})"
        if call.ignores_nulls is not None:
            text += " IGNORE NULLS" if call.ignores_nulls else " RESPECT NULLS"
        return text + over

    def _of_several(
        self,
        writer: ExpressionWriter,
        call: AggregateCall | WindowCall,
        texts: Sequence[str],
        over: str,
    ) -> str | None:
        """The text of a Hive aggregate that needs several of Spark's; None for other aggregates."""
        name = call.operator.name
        if self.dialect is not Dialect.HIVE or self.functions.is_of_hives_class(name):
            return None
        if name == "sum" and is_text((text := unconverted(call.arguments[0])).type):
            return fill(hive_forms.SUM_OF_TEXTS, (*texts, writer.text(text)), over)
        form = hive_forms.AGGREGATES.get(name)
        if any(map(_may_be_infinite, call.arguments)):
            form = hive_forms.INFINITE_AGGREGATES.get(name, form)
        return None if form is None else fill(form, texts, over)

    def _hives_ordered(
        self, writer: ExpressionWriter, call: AggregateCall | WindowCall, key: SortKey
    ) -> str:
        """Hive's WITHIN GROUP, written as a call that contains the order."""
        operator = call.operator
        if key.descending:
            operator = replace(operator, name=f"{operator.name} descending")
        self._check(operator.name, call.arguments)
        return self._function(operator, writer.texts(call.arguments))

    def cast(self, writer: ExpressionWriter, cast: Cast) -> str:
        text = writer.text(cast.operand)
        source, target = cast.operand.type, cast.type
        if cast.by_name:
            return by_name(text, source, target)
        of_spark = self.dialect is Dialect.SPARK and is_interval(target)
        if not (is_castable(target) or of_spark):
            return text
        if isinstance(cast.operand, Literal) and _is_exact_literal(cast.operand, target):
            return literal(cast.operand.value, target)
        if self.dialect is Dialect.HIVE and source == BOOLEAN and is_text(target):
            return f"upper(CAST({text} AS STRING))"
        if self.dialect is Dialect.HIVE and is_text(source) and target == BOOLEAN:
            # In Hive every text that is not listed here is true.
            whole = f"rtrim({text})" if isinstance(source, CharType) else text
            return f"(lower({whole}) NOT IN ('', '0', 'no', 'off', 'false'))"
        if self.dialect is Dialect.HIVE and is_text(target) and isinstance(source, DecimalType):
            return f"CAST({_digits(text, source)} AS {type_text(target)})"
        # If a decimal or an argument does not fit, Hive returns null and Spark another number.
        narrows = isinstance(source, DecimalType) and is_integer(target)
        narrows = narrows or (cast.implicit and is_narrower(target, source))
        tolerant = cast.tolerant or (narrows and self.dialect is Dialect.HIVE)
        function = "TRY_CAST" if tolerant else "CAST"
        return f"{function}({text} AS {type_text(target)})"

    def generated(
        self, writer: ExpressionWriter, plan: Generate, source: str, fresh: Callable[[], str]
    ) -> Generated:
        call, alias = writer.text(plan.call), fresh()
        names = [quoted(name) for name in generic_names(len(plan.produced))]
        name, listed = plan.call.operator.name, ", ".join(names)
        alone = plan.call.operator.udf is None and name in IN_FROM_ALONE
        if _is_correlated(plan):
            # LATERAL VIEW cannot read columns of an outer query.
            text = f"{call} AS {alias}({listed})"
            text = text if alone else f"(SELECT {call} AS ({listed})) AS {alias}"
        elif alone:
            join = "LEFT" if plan.outer and not name.endswith("_outer") else "CROSS"
            text = f"{source} {join} JOIN LATERAL {call} AS {alias}({listed})"
        else:
            outer_word = "OUTER " if plan.outer else ""
            text = f"{source} LATERAL VIEW {outer_word}{call} {alias} AS {listed}"
        return Generated(text, tuple(f"{alias}.{name}" for name in names))


def _is_correlated(plan: Generate) -> bool:
    """Whether a plan only makes rows from an outer query's values."""
    alone = not plan.input.columns and not plan.outer
    return alone and any(isinstance(p, OuterReference) for p in walk(plan.call))


def _refuse(name: str, type_: ColumnType) -> None:
    """Raises ``UnsupportedConstruct`` for constructs that exist in only one engine."""
    if name == "transform script":
        raise UnsupportedConstruct("TRANSFORM for Spark")
    if name.endswith(OF_FILES):
        raise UnsupportedConstruct("_metadata for Spark")
    if name == "is in sampled pieces":
        raise UnsupportedConstruct("TABLESAMPLE of files' pieces or of buckets for Spark")
    if name == "interval":
        raise UnsupportedConstruct("an interval of a computed number for Spark")
    if type_ == TIMESTAMP_NTZ and name == "try_to_timestamp":
        raise UnsupportedConstruct("try_to_timestamp without a time zone for Spark")


def _struct(type_: StructType, texts: Sequence[str]) -> str:
    pairs = (f"{string(f.name)}, {t}" for f, t in zip(type_.fields, texts, strict=True))
    return f"named_struct({', '.join(pairs)})"


def by_name(text: str, source: ColumnType, target: ColumnType, depth: int = 0) -> str:
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
                part = (
                    literal(None, wanted.type)
                    if found is None
                    else by_name(f"{text}.{quoted(found.name)}", found.type, wanted.type, depth)
                )
                parts.append(f"{string(wanted.name)}, {part}")
            return f"if({text} IS NULL, NULL, named_struct({', '.join(parts)}))"
        case ArrayType(element), ArrayType(wanted_element):
            item = f"e{depth}"
            inner = by_name(item, element, wanted_element, depth + 1)
            return f"transform({text}, {item} -> {inner})"
        case MapType(_, value), MapType(_, wanted_value):
            key, item = f"k{depth}", f"v{depth}"
            inner = by_name(item, value, wanted_value, depth + 1)
            return f"transform_values({text}, ({key}, {item}) -> {inner})"
        case _:
            return f"CAST({text} AS {type_text(target)})"


def _has_parts(expression: RowExpression) -> bool:
    return isinstance(expression.type, (ArrayType, MapType, StructType))


_SMALLEST_PRINTED = 6
"""Spark prints decimals with more digits after the point with an exponent."""


def _digits(text: str, type_: DecimalType) -> str:
    """The digits of a decimal as text, without an exponent."""
    if type_.scale <= _SMALLEST_PRINTED:
        return text
    small = f"{text} BETWEEN -0.000001BD AND 0.000001BD"
    return f"if({small}, format_number({text}, {type_.scale}), CAST({text} AS STRING))"


def _unit_word(unit: RowExpression) -> str:
    """The unit as a keyword, for a call that takes no text for it."""
    if not isinstance(unit, Literal) or not str(unit.value).isalpha():
        raise UnsupportedConstruct("a computed unit of time for Spark")
    return str(unit.value)


def _is_exact_literal(operand: Literal, target: ColumnType) -> bool:
    """Whether a literal's digits are the converted value; some functions require a literal."""
    if operand.value is None or target not in {BIGINT, DOUBLE}:
        return False
    if is_integer(operand.type):
        return True
    return target == DOUBLE and isinstance(operand.type, DecimalType)


def _may_be_infinite(argument: RowExpression) -> bool:
    type_ = converted_from(argument).type
    return is_float(type_) or is_text(type_)
