"""Writes a row expression as text for people."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import assert_never

from lakeschema.catalog.column_types import print_type
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
from lakeschema.translation.plan.operators import VALUE_IN_ORDER
from lakeschema.translation.plan.relations import (
    UNNAMED,
    Aggregate,
    Distinct,
    Filter,
    Limit,
    Plan,
    Sort,
    Window,
)

MAX_ARGUMENTS = 50
MAX_CALL = 240
"""The maximum length of a call inside another expression, in characters."""

_NO_CALLS: Mapping[int, str] = MappingProxyType({})


def expression_text(expression: RowExpression) -> str:
    """The text of the expression as the plan has it, with the casts that the dialect adds."""
    return _Printer(implicit_casts=True).text(expression)


def source_text(expression: RowExpression, calls: Mapping[int, str] = _NO_CALLS) -> str:
    """The text of the expression as an author would write it, without casts that the dialect adds.

    ``calls`` is the result of ``unnamed_calls`` for the expression's input.
    """
    return _Printer(implicit_casts=False, calls=calls).text(expression)


def unnamed_calls(plan: Plan) -> Mapping[int, str]:
    """The text of each column that an aggregate or window of the same query made, by index.

    For example, the plan of ``sum(price) / 2`` reads a column that only the plan calls ``sum``.
    """
    match plan:
        case Filter(input=below) | Sort(input=below) | Limit(input=below) | Distinct(input=below):
            return unnamed_calls(below)
        case Aggregate(below, keys, aggregates):
            texts = (_cut(source_text(call)) for _, call in aggregates)
            return dict(enumerate(texts, start=len(keys)))
        case Window(below, calls):
            beneath = unnamed_calls(below)
            texts = (_cut(source_text(call, beneath)) for _, call in calls)
            return {**beneath, **dict(enumerate(texts, start=len(below.columns)))}
        case _:
            return {}


def _cut(text: str) -> str:
    return text if len(text) <= MAX_CALL else text[: MAX_CALL - 1] + "…"


def sort_keys_text(keys: tuple[SortKey, ...]) -> str:
    return _Printer(implicit_casts=True).sort_keys(keys)


def name_text(name: str) -> str:
    """A column's name; ``(unnamed 2)`` if it has no name."""
    return f"(unnamed{name.removeprefix(UNNAMED)})" if name.startswith(UNNAMED) else name


@dataclass(frozen=True, slots=True)
class _Printer:
    implicit_casts: bool
    calls: Mapping[int, str] = field(default_factory=lambda: _NO_CALLS)

    def text(self, expression: RowExpression) -> str:
        match expression:
            case ColumnReference(index=index) if index in self.calls:
                return self.calls[index]
            case ColumnReference(name=name) | OuterReference(name=name) | LambdaVariable(name=name):
                return name_text(name)
            case Literal(value, type_):
                return _literal(value, print_type(type_))
            case Call(operator, arguments):
                return _call(operator.spelling, [self.text(a) for a in arguments])
            case Cast():
                return self._cast(expression)
            case Case():
                return self._case(expression)
            case FieldAccess(base=base, name=name):
                return f"{self.text(base)}.{name}"
            case Subscript(base, index):
                return f"{self.text(base)}[{self.text(index)}]"
            case AggregateCall():
                return self._aggregate(expression)
            case WindowCall():
                return self._window(expression)
            case ScalarSubquery():
                return "(sub-query)"
            case Exists():
                return "exists (sub-query)"
            case InSubquery(operands=operands):
                return f"{self._list(operands)} in (sub-query)"
            case Lambda(parameters, body):
                names = ", ".join(p.name for p in parameters)
                return f"({names}) -> {self.text(body)}"
            case _:
                assert_never(expression)

    def sort_keys(self, keys: tuple[SortKey, ...]) -> str:
        return ", ".join(
            self.text(key.expression) + (" desc" if key.descending else "") for key in keys
        )

    def _list(self, expressions: tuple[RowExpression, ...]) -> str:
        return ", ".join(map(self.text, expressions))

    def _cast(self, cast: Cast) -> str:
        operand = self.text(cast.operand)
        if cast.implicit and not self.implicit_casts:
            return operand
        return f"cast({operand} as {print_type(cast.type)})"

    def _case(self, case: Case) -> str:
        whens = " ".join(
            f"when {self.text(when)} then {self.text(then)}" for when, then in case.branches
        )
        last = "" if case.otherwise is None else f" else {self.text(case.otherwise)}"
        return f"case {whens}{last} end"

    def _aggregate(self, call: AggregateCall) -> str:
        distinct = "distinct " if call.distinct else ""
        made = f"{call.operator.spelling}({distinct}{self._read(call, call.order_by)})"
        return made + self._clauses(call.order_by, call.filter, call.ignores_nulls)

    def _read(self, call: AggregateCall | WindowCall, within: tuple[SortKey, ...]) -> str:
        is_written_after = within and call.operator.name in VALUE_IN_ORDER
        return self._list(call.arguments[1:] if is_written_after else call.arguments)

    def _clauses(
        self,
        within: tuple[SortKey, ...],
        condition: RowExpression | None,
        ignores_nulls: bool | None,
    ) -> str:
        order = f" within group (order by {self.sort_keys(within)})" if within else ""
        where = "" if condition is None else f" filter (where {self.text(condition)})"
        nulls = {None: "", True: " ignore nulls", False: " respect nulls"}[ignores_nulls]
        return order + where + nulls

    def _window(self, call: WindowCall) -> str:
        over = [f"partition by {self._list(call.partition_by)}"] if call.partition_by else []
        over += [f"order by {self.sort_keys(call.order_by)}"] if call.order_by else []
        over += [call.frame.lower()] if call.frame else []
        made = f"{call.operator.spelling}({self._read(call, call.within)})"
        made += self._clauses(call.within, call.filter, call.ignores_nulls)
        return f"{made} over ({' '.join(over)})"


def _literal(value: str | None, type_: str) -> str:
    if value is None:
        return "null"
    if type_ in {"string", "date", "timestamp"}:
        text = value if len(value) <= 60 else value[:59] + "…"
        return "'" + text.replace("'", "''") + "'"
    return f"interval {value!r} {type_.removeprefix('interval ')}" if "interval" in type_ else value


def _call(name: str, arguments: list[str]) -> str:
    if len(arguments) > MAX_ARGUMENTS:
        arguments = [*arguments[:MAX_ARGUMENTS], "…"]
    if name in {"and", "or"} or (not name[0].isalpha() and len(arguments) == 2) or name == "div":
        return "(" + f" {name} ".join(arguments) + ")"
    if name in {"like", "rlike", "ilike", "is distinct from"} and len(arguments) == 2:
        return f"({arguments[0]} {name} {arguments[1]})"
    if name.startswith("is ") and len(arguments) == 1:
        return f"{arguments[0]} {name}"
    if name == "not":
        return f"not {arguments[0]}"
    if name == "between":
        return f"({arguments[0]} between {arguments[1]} and {arguments[2]})"
    if name == "in":
        return f"{arguments[0]} in ({', '.join(arguments[1:])})"
    if name == "negative":
        return f"-{arguments[0]}"
    return f"{name}({', '.join(arguments)})"
