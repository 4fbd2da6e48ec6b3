"""The facts about a call that writers for Trino need: arguments, their texts, and an engine's rules."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from lakeschema.catalog.column_types import (
    DATE,
    DOUBLE,
    STRING,
    TIMESTAMP,
    ColumnType,
    DecimalType,
)
from lakeschema.translation.emission.rows import filled
from lakeschema.translation.emission.trino.casts import Mode, cast_template
from lakeschema.translation.emission.trino.text import type_text
from lakeschema.translation.functions.coercion import is_float, is_integer, is_text
from lakeschema.translation.model.errors import UnsupportedConstruct
from lakeschema.translation.plan.expressions import (
    Call,
    Cast,
    ColumnReference,
    FieldAccess,
    LambdaVariable,
    Literal,
    OuterReference,
    RowExpression,
    asks,
    unconverted,
)
from lakeschema.translation.plan.operators import Operator

_CONVERTED = re.compile(r"\{([DTd])([0-9])\}")
_TARGETS = {"D": DATE, "T": TIMESTAMP, "d": DOUBLE}
_PLAIN = re.compile(r"[\w.\"' +-]{1,60}")


@dataclass(frozen=True, slots=True)
class Given:
    """The parts of a call that templates and writers need.

    Attributes:
        texts: the texts of the arguments; a char argument is a text without its padding.
        quantifier: "DISTINCT " or "".
        suffix: FILTER, OVER or both, of an aggregate or window function.
        keeps_nulls: whether RESPECT NULLS is written.
        compared: the type in which its two arguments are compared; None if that is their own type.
        text_of: writes an expression of the call's surroundings.
    """

    operator: Operator
    arguments: Sequence[RowExpression]
    texts: Sequence[str]
    type: ColumnType
    mode: Mode
    size_of_null: bool = False
    wraps: bool = False
    quantifier: str = ""
    suffix: str = ""
    is_aggregate: bool = False
    keeps_nulls: bool = False
    compared: ColumnType | None = None
    text_of: Callable[[RowExpression], str] = str

    @property
    def name(self) -> str:
        return self.operator.name

    @property
    def is_windowed(self) -> bool:
        return self.suffix.startswith(" OVER")

    def constant(self, index: int) -> str | None:
        """The value of a constant argument; None if it is computed."""
        return constant(self.arguments[index]) if index < len(self.arguments) else None

    def unconverted(self, index: int) -> RowExpression:
        """An argument, without the engine's implicit conversion around it."""
        return unconverted(self.arguments[index])

    def unsupported(self, reason: str) -> UnsupportedConstruct:
        return UnsupportedConstruct(f"{self.operator.spelling} for Trino", reason)

    def text_constant(self, index: int, what: str) -> str:
        """A constant argument.

        Raises:
            UnsupportedConstruct: the argument is computed.
        """
        found = self.constant(index)
        if found is None:
            raise self.unsupported(f"{what} must be a constant")
        return found

    def fill(self, template: str) -> str:
        """The template filled with the call's parts; repeated arguments are computed once."""
        expanded = _CONVERTED.sub(self._converted, template)
        if self.is_aggregate:
            # A lambda cannot contain an aggregate.
            return self._of_row(expanded, self.texts)
        return bound(expanded, self._of_row, self.arguments, self.texts)

    def _of_row(self, template: str, texts: Sequence[str]) -> str:
        return filled(template, self, texts, type_text)

    def _converted(self, found: re.Match[str]) -> str:
        """The text of an argument converted to a date, timestamp or double by the view's engine."""
        source = self.arguments[int(found[2])].type
        source = STRING if is_text(source) else source
        return cast_template(source, _TARGETS[found[1]], self.mode).replace(
            "{0}", f"{{{found[2]}}}"
        )


def constant(expression: RowExpression) -> str | None:
    match expression:
        case Literal(value, _):
            return value
        case Cast(operand=operand) if _keeps_texts(operand.type, expression.type):
            return constant(operand)
        case Call(operator, (operand,)) if operator.name == "negative":
            inner = constant(operand)
            return None if inner is None else f"-{inner}".replace("--", "")
        case _:
            return None


def constants(expression: RowExpression) -> list[str] | None:
    """The values of a constant or an array of constants; None if one is computed."""
    match expression:
        case Call(operator, arguments) if operator.name == "array":
            found = [constant(argument) for argument in arguments]
        case Cast(operand=Call(operator, arguments)) if operator.name == "array":
            found = [constant(argument) for argument in arguments]
        case _:
            found = [constant(expression)]
    known = [value for value in found if value is not None]
    return known if len(known) == len(found) else None


def _keeps_texts(source: ColumnType, target: ColumnType) -> bool:
    """Whether a conversion keeps a constant's text."""
    if is_text(target) or is_integer(target):
        return is_text(source) == is_text(target) and (is_integer(source) or is_text(target))
    return isinstance(target, DecimalType) or is_float(target)


def is_light(expression: RowExpression, text: str) -> bool:
    """Whether an expression may be repeated: it is short and deterministic."""
    match expression:
        case ColumnReference() | OuterReference() | LambdaVariable() | Literal():
            return _PLAIN.fullmatch(text) is not None or len(text) < 60
        case FieldAccess(base=base):
            return is_light(base, text)
        case Cast(operand=operand):
            return len(text) < 60 and is_light(operand, text)
        case _:
            return False


def bound(
    template: str,
    fill: Callable[[str, Sequence[str]], str],
    arguments: Sequence[RowExpression],
    texts: Sequence[str],
) -> str:
    """A filled template that repeats no expensive argument.

    Such an argument becomes the variable of a lambda over a one-element array. Lambdas cannot
    contain sub-queries, so for those it becomes the field of a row.
    """
    # TRY would hide an argument's own errors.
    most = 0 if "TRY(" in template else 1
    heavy = [
        index
        for index, (argument, text) in enumerate(zip(arguments, texts, strict=True))
        if _count(template, index) > most and not is_light(argument, text)
    ]
    if not heavy:
        return fill(template, texts)
    asking = [index for index, argument in enumerate(arguments) if asks(argument)]
    if set(asking) - set(heavy[:1]):
        return _of_row(template, fill, texts, sorted({*heavy, *asking}))
    named = list(texts)
    for place, index in enumerate(heavy):
        named[index] = f"bound{place}"
    made = fill(template, named)
    for index in reversed(heavy):
        made = f"element_at(transform(ARRAY[{texts[index]}], {named[index]} -> {made}), 1)"
    return made


def _of_row(
    template: str,
    fill: Callable[[str, Sequence[str]], str],
    texts: Sequence[str],
    chosen: Sequence[int],
) -> str:
    named = list(texts)
    for place, index in enumerate(chosen, 1):
        named[index] = f"bound[{place}]"
    values = ", ".join(texts[index] for index in chosen)
    made = fill(template, named)
    return f"element_at(transform(ARRAY[ROW({values})], bound -> {made}), 1)"


def _count(template: str, index: int) -> int:
    return template.count(f"{{{index}}}")
