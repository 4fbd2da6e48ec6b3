"""The rows of the tables that say how an engine writes calls, and the classes of arguments.

A template has ``{0}``, ``{1}`` … for the arguments, ``{*}`` for all and ``{1*}`` for all but the
first, ``{f}`` for the operator's name, ``{t}`` for the result's type, and ``{t0}`` for an
argument's type. An aggregate's template has ``{q}`` for DISTINCT and ``{w}`` for FILTER or OVER
after each aggregate function. For Hive ``{raised}`` is an expression that fails. For Trino
``{D0}``, ``{T0}`` and ``{d0}`` are an argument that the view's engine converts to a date, a
timestamp or a double.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from lakeschema.catalog.column_types import (
    BINARY,
    BOOLEAN,
    DATE,
    DOUBLE,
    FLOAT,
    STRING,
    TIMESTAMP,
    TIMESTAMP_NTZ,
    VOID,
    ArrayType,
    CharType,
    ColumnType,
    DecimalType,
    IntervalType,
    MapType,
    PrimitiveType,
    StructType,
    VarcharType,
)
from lakeschema.translation.functions.coercion import INTEGERS
from lakeschema.translation.plan.expressions import Lambda, RowExpression

Writer = Callable[[Any], str]
"""Writes a call whose form depends on more than its arguments' classes."""


@dataclass(frozen=True, slots=True)
class Unsupported:
    """The reason why the engine has no equivalent of a call."""

    reason: str


@dataclass(frozen=True, slots=True)
class Row:
    """How an engine writes calls of some operators.

    Attributes:
        names: the operators, separated by spaces; a name that contains spaces is in brackets.
        classes: a regular expression for the classes of all arguments; None for any.
        form: a template, a writer, or the reason why the engine has no equivalent.
        cast: whether the engine's result type differs from the plan's.
    """

    names: str
    classes: str | None
    form: str | Writer | Unsupported
    cast: bool = False


class FormedCall(Protocol):
    """The parts of a call that templates use."""

    @property
    def name(self) -> str: ...
    @property
    def arguments(self) -> Sequence[RowExpression]: ...
    @property
    def type(self) -> ColumnType: ...
    @property
    def quantifier(self) -> str: ...
    @property
    def suffix(self) -> str: ...


_TOKEN = re.compile(r"\{(\*|1\*|t|f|q|w|raised|t?[0-9])\}")


def filled(
    template: str,
    call: FormedCall,
    texts: Sequence[str],
    type_text: Callable[[ColumnType], str],
    raised: Callable[[ColumnType], str] | None = None,
) -> str:
    """The template filled with the call's parts; ``texts`` are its arguments.

    ``raised`` writes an expression that fails, for ``{raised}``.
    """

    def part(found: re.Match[str]) -> str:
        token = found[1]
        match token:
            case "*":
                return ", ".join(texts)
            case "1*":
                return ", ".join(texts[1:])
            case "f":
                return call.name
            case "t":
                return type_text(call.type)
            case "q":
                return call.quantifier
            case "w":
                return call.suffix
            case "raised":
                return found[0] if raised is None else raised(call.type)
        index = int(token[-1])
        return type_text(call.arguments[index].type) if token[0] == "t" else texts[index]

    # One pass fills all placeholders, since an argument may contain braces.
    return _TOKEN.sub(part, template)


Table = Mapping[str, tuple[Row, ...]]

_NAME = re.compile(r"\[([^\]]+)\]|(\S+)")


def table(rows: Iterable[Row]) -> Table:
    """The rows of each operator, in order."""
    found: dict[str, tuple[Row, ...]] = {}
    for row in rows:
        for bracketed, plain in _NAME.findall(row.names):
            name = bracketed or plain
            found[name] = (*found.get(name, ()), row)
    return found


_LETTERS: Mapping[ColumnType, str] = {
    FLOAT: "f",
    DOUBLE: "d",
    **dict.fromkeys(INTEGERS, "i"),
    STRING: "s",
    BINARY: "b",
    BOOLEAN: "o",
    DATE: "D",
    TIMESTAMP: "T",
    TIMESTAMP_NTZ: "T",
    VOID: "n",
}


def letter(type_: ColumnType) -> str:
    """A letter for the class of a value.

    Numbers: ``i`` integer, ``f`` float, ``d`` double, ``x`` decimal. Times: ``D`` date, ``T`` timestamp,
    ``t`` time of day, ``v`` interval of months, ``w`` interval of time. Nested: ``a`` array, ``m`` map,
    ``r`` struct. Others: ``s`` text, ``b`` binary, ``o`` boolean, ``n`` null, ``u`` any other type.
    """
    found = _LETTERS.get(type_)
    if found is not None:
        return found
    match type_:
        case CharType() | VarcharType():
            return "s"
        case DecimalType():
            return "x"
        case ArrayType():
            return "a"
        case MapType():
            return "m"
        case StructType():
            return "r"
        case PrimitiveType(name) if name.startswith("time") and "stamp" not in name:
            return "t"
        case IntervalType():
            return "v" if type_.is_of_months else "w"
        case _:
            return "u"


def classes_of(arguments: Iterable[RowExpression]) -> str:
    return "".join("l" if isinstance(a, Lambda) else letter(a.type) for a in arguments)
