"""Row expressions → Spark SQL text, every implicit conversion written out."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import assert_never

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
from lakeschema.catalog.relations import Dialect
from lakeschema.translation.emission import hive_forms, hive_missing, spark_functions
from lakeschema.translation.emission.hive_instants import instant, zone_for_spark
from lakeschema.translation.emission.spark_text import (
    is_castable,
    literal,
    quoted,
    string,
    type_text,
)
from lakeschema.translation.emission.spark_udfs import SparkFunctions
from lakeschema.translation.errors import UnsupportedConstruct
from lakeschema.translation.functions.coercion import (
    is_integer,
    is_interval,
    is_narrower,
    is_text,
)
from lakeschema.translation.plan.expressions import (
    AggregateCall,
    Call,
    Case,
    Cast,
    ColumnReference,
    Exists,
    FieldAccess,
    InSubquery,
    Lambda,
    LambdaVariable,
    Literal,
    OuterReference,
    RowExpression,
    ScalarSubquery,
    SortKey,
    Subscript,
    WindowCall,
)
from lakeschema.translation.plan.operators import OF_FILES, VALUE_IN_ORDER, Operator
from lakeschema.translation.plan.relations import Plan

_OF_INSTANTS = frozenset({"from_utc_timestamp", "to_utc_timestamp"})
_ORDINAL = re.compile("-?[0-9]+")
_PLACE = re.compile(r"\{([0-9]+|\*|1\*|\*null)\}")

Columns = Sequence[str]
"""The text of each input column."""

Subquery = Callable[[Plan, "tuple[Columns, ...]"], str]
"""A query's text, given the columns of the queries around it, nearest first."""


@dataclass(frozen=True, slots=True)
class ExpressionWriter:
    """Writes expressions over ``columns``; ``functions`` names what has to be registered."""

    columns: Columns
    outer: tuple[Columns, ...]
    dialect: Dialect
    subquery: Subquery
    functions: SparkFunctions

    def typed(self, expression: RowExpression) -> str:
        """The text of an output column: Hive's own type where Spark might give another."""
        text = self.text(expression)
        made = isinstance(expression, (Call, AggregateCall, WindowCall, Case))
        if self.dialect is not Dialect.HIVE or not made or not is_castable(expression.type):
            return text
        cast = f"CAST({text} AS {type_text(expression.type)})"
        certain = isinstance(expression, Call) and (
            expression.type == BOOLEAN or self._is_exact(expression.operator.name, expression.type)
        )
        return text if certain else cast

    def text(self, expression: RowExpression) -> str:
        match expression:
            case ColumnReference(index=index):
                return self.columns[index]
            case OuterReference(level=level, index=index):
                return self.outer[level - 1][index]
            case Literal(value, type_):
                return literal(value, type_)
            case Call(operator, arguments):
                return self._call(operator, arguments, expression.type)
            case Cast():
                return self._cast(expression)
            case Case(branches, otherwise):
                return self._case(branches, otherwise)
            case FieldAccess(base=base, name=name):
                return f"{self.text(base)}.{quoted(name)}"
            case Subscript(base, index_):
                return f"{self.text(base)}[{self.text(index_)}]"
            case AggregateCall(order_by=order):
                return self._aggregate(expression, order, distinct=expression.distinct)
            case WindowCall():
                return self._window(expression)
            case ScalarSubquery(plan):
                return f"({self._query(plan)})"
            case Exists(plan):
                return f"EXISTS ({self._query(plan)})"
            case InSubquery(operands, plan):
                left = ", ".join(map(self.text, operands))
                return f"(({left}) IN ({self._query(plan)}))"
            case LambdaVariable(name=name):
                return quoted(name)
            case Lambda((), body):
                return self.text(body)
            case Lambda(parameters, body):
                names = ", ".join(quoted(parameter.name) for parameter in parameters)
                shown = names if len(parameters) == 1 else f"({names})"
                return f"{shown} -> {self.text(body)}"
            case _:
                assert_never(expression)

    def sort_keys(self, keys: Sequence[SortKey]) -> str:
        return ", ".join(map(self._sort_key, keys))

    def _sort_key(self, key: SortKey) -> str:
        direction = "DESC" if key.descending else "ASC"
        nulls = (
            "" if key.nulls_first is None else f" NULLS {'FIRST' if key.nulls_first else 'LAST'}"
        )
        return f"{_no_ordinal(self.text(key.expression))} {direction}{nulls}"

    def group_key(self, key: RowExpression) -> str:
        return _no_ordinal(self.typed(key))

    def _query(self, plan: Plan) -> str:
        return self.subquery(plan, (self.columns, *self.outer))

    def _call(
        self, operator: Operator, arguments: Sequence[RowExpression], type_: ColumnType
    ) -> str:
        name = operator.name
        self.functions.check(name)
        if name in spark_functions.TRYING:
            arguments = [a.operand if isinstance(a, Cast) and a.implicit else a for a in arguments]
        texts = [self.text(argument) for argument in arguments]
        if operator.udf is not None:
            return f"{self.functions.call_name(operator.udf)}({', '.join(texts)})"
        if name in {"and", "or"}:
            return "(" + f" {name.upper()} ".join(texts) + ")"
        if name in spark_functions.BINARY and len(texts) == 2:
            text = f"({texts[0]} {name.upper()} {texts[1]})"
            # Both engines round a decimal result, but not to the same digits.
            exact = self._is_exact(name, type_)
            return f"CAST({text} AS {type_text(type_)})" if exact else text
        if name == "in":
            return f"({texts[0]} IN ({', '.join(texts[1:])}))"
        if name in {"like", "ilike"} and len(texts) == 3:
            return f"({texts[0]} {name.upper()} {texts[1]} ESCAPE {texts[2]})"
        if name in {"timestampadd", "timestampdiff"}:
            return f"{name}({_unit_word(arguments[0])}, {texts[1]}, {texts[2]})"
        if name in _OF_INSTANTS and self.dialect is Dialect.HIVE:
            zone = zone_for_spark(arguments[1], texts[1])
            return f"{name}({instant(texts[0], arguments[0].type)}, {zone})"
        if name == "transform script":
            raise UnsupportedConstruct("TRANSFORM for Spark")
        if name.endswith(OF_FILES):
            raise UnsupportedConstruct("_metadata for Spark")
        if name == "interval":
            raise UnsupportedConstruct("an interval of a computed number for Spark")
        if name == "struct" and isinstance(type_, StructType):
            return self._struct(type_, texts)
        if type_ == TIMESTAMP_NTZ and name == "to_timestamp":
            # What this name returns depends on the session.
            name = "to_timestamp_ntz"
        if type_ == TIMESTAMP_NTZ and name == "try_to_timestamp":
            raise UnsupportedConstruct("try_to_timestamp without a time zone for Spark")
        self._check(name, arguments)
        return self._function(name, texts)

    def _check(self, name: str, arguments: Sequence[RowExpression]) -> None:
        """Raises ``UnsupportedConstruct`` for what only Hive computes."""
        why = hive_missing.why_missing(name, arguments) if self.dialect is Dialect.HIVE else None
        if why is not None:
            raise UnsupportedConstruct(f"{name} for Spark: {why}")

    def _is_exact(self, name: str, type_: ColumnType) -> bool:
        """Whether it is arithmetic on decimals in Hive, whose result is cast where it stands."""
        arithmetic = name in spark_functions.BINARY and isinstance(type_, DecimalType)
        return arithmetic and self.dialect is Dialect.HIVE

    def _struct(self, type_: StructType, texts: Sequence[str]) -> str:
        pairs = (f"{string(f.name)}, {t}" for f, t in zip(type_.fields, texts, strict=True))
        return f"named_struct({', '.join(pairs)})"

    def _function(self, name: str, texts: Sequence[str]) -> str:
        form = spark_functions.FORMS.get(name)
        if self.dialect is Dialect.HIVE:
            writer = hive_forms.WRITERS.get(name)
            if writer is not None:
                return writer(texts)
            form = hive_forms.FORMS.get(name) or form
        form = form or spark_functions.QUANTIFIED.get(name)
        if form is None:
            return f"{name}({', '.join(texts)})"
        parts = {str(number): text for number, text in enumerate(texts)}
        parts["*"] = ", ".join(texts)
        parts["1*"] = ", ".join(texts[1:])
        parts["*null"] = " OR ".join(f"{text} IS NULL" for text in texts)
        # All at once: an argument may hold braces of its own.
        return _PLACE.sub(lambda place: parts[place[1]], form)

    def _case(
        self,
        branches: Sequence[tuple[RowExpression, RowExpression]],
        otherwise: RowExpression | None,
    ) -> str:
        whens = " ".join(f"WHEN {self.text(w)} THEN {self.text(t)}" for w, t in branches)
        last = "" if otherwise is None else f" ELSE {self.text(otherwise)}"
        return f"CASE {whens}{last} END"

    def _aggregate(
        self,
        call: AggregateCall | WindowCall,
        within: Sequence[SortKey],
        *,
        distinct: bool,
    ) -> str:
        name = call.operator.name
        self._check(name, call.arguments)
        # Where the order's key is the value itself, it is not written a second time.
        arguments = call.arguments[1:] if within and name in VALUE_IN_ORDER else call.arguments
        texts = [self.text(argument) for argument in arguments]
        if name == "count" and not texts:
            text = "count(*)"
        elif distinct:
            text = f"{name}(DISTINCT {', '.join(texts)})"
        elif within and self.dialect is Dialect.HIVE:
            return self._hives_ordered(call, within[0])
        elif within:
            text = f"{name}({', '.join(texts)})"
        else:
            text = self._function(name, texts)
        if within:
            text += f" WITHIN GROUP (ORDER BY {self.sort_keys(within)})"
        if call.filter is not None:
            text += f" FILTER (WHERE {self.text(call.filter)})"
        if call.ignores_nulls is not None:
            text += " IGNORE NULLS" if call.ignores_nulls else " RESPECT NULLS"
        return text

    def _hives_ordered(self, call: AggregateCall | WindowCall, key: SortKey) -> str:
        """WITHIN GROUP of Hive's, as a call whose form for Spark has the order inside."""
        name = f"{call.operator.name} descending" if key.descending else call.operator.name
        self._check(name, call.arguments)
        return self._function(name, [self.text(argument) for argument in call.arguments])

    def _window(self, call: WindowCall) -> str:
        inner = self._aggregate(call, call.within, distinct=False)
        parts = []
        if call.partition_by:
            parts.append("PARTITION BY " + ", ".join(map(self.text, call.partition_by)))
        if call.order_by:
            parts.append("ORDER BY " + self.sort_keys(call.order_by))
        if call.frame:
            parts.append(call.frame)
        return f"{inner} OVER ({' '.join(parts)})"

    def _cast(self, cast: Cast) -> str:
        text = self.text(cast.operand)
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
            # To Hive every other text is true.
            whole = f"rtrim({text})" if isinstance(source, CharType) else text
            return f"(lower({whole}) NOT IN ('', '0', 'no', 'off', 'false'))"
        # Of a decimal, or an argument, that does not fit Hive makes null, and Spark another number.
        narrows = isinstance(source, DecimalType) and is_integer(target)
        narrows = narrows or (cast.implicit and is_narrower(target, source))
        tolerant = cast.tolerant or (narrows and self.dialect is Dialect.HIVE)
        function = "TRY_CAST" if tolerant else "CAST"
        return f"{function}({text} AS {type_text(target)})"


def by_name(text: str, source: ColumnType, target: ColumnType, depth: int = 0) -> str:
    """A value of drifted structs with the target's fields, by name; missing ones are null."""
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


def _unit_word(unit: RowExpression) -> str:
    """The unit of a call that takes it as a word."""
    if not isinstance(unit, Literal) or not str(unit.value).isalpha():
        raise UnsupportedConstruct("a unit of time that is not written out, for Spark")
    return str(unit.value)


def _is_exact_literal(operand: Literal, target: ColumnType) -> bool:
    """Whether the digits as they stand are the converted value: some functions want a literal."""
    if operand.value is None or target not in {BIGINT, DOUBLE}:
        return False
    if is_integer(operand.type):
        return True
    return target == DOUBLE and isinstance(operand.type, DecimalType)


def _no_ordinal(text: str) -> str:
    """A bare number would be read as the position of a column."""
    return f"CAST({text} AS INT)" if _ORDINAL.fullmatch(text) else text
