"""The facts about a call that writers for Hive need: its arguments, their texts, Spark's mode."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from lakeschema.catalog.column_types import DOUBLE, ColumnType, DecimalType
from lakeschema.translation.emission.hive.text import raised, type_text
from lakeschema.translation.emission.rows import filled
from lakeschema.translation.functions.coercion import is_integer, is_text
from lakeschema.translation.model.errors import TooLarge, UnsupportedConstruct
from lakeschema.translation.plan.expressions import Cast, Literal, RowExpression, walk
from lakeschema.translation.plan.operators import Operator

MAX_TEXT: Final = 1_000_000
"""The maximum length of a call in characters: a template may repeat its arguments."""
_DIGITS: Final = re.compile(r"-?[0-9]{1,9}")


@dataclass(frozen=True, slots=True)
class HiveCall:
    """The parts of a call that templates and writers need.

    Attributes:
        ansi: whether Spark raises errors where it otherwise returns null or wraps around.
        quantifier: "DISTINCT " or "".
        suffix: OVER with its window, or "".
        size_of_null: whether ``size(NULL)`` is -1, as in Hive; otherwise it is null.
    """

    operator: Operator
    arguments: Sequence[RowExpression]
    texts: Sequence[str]
    type: ColumnType
    ansi: bool
    quantifier: str = ""
    suffix: str = ""
    size_of_null: bool = False

    @property
    def name(self) -> str:
        return self.operator.name

    def constant(self, index: int) -> str | None:
        """The value of a constant argument; None if it is computed, or if a conversion changes it."""
        if index >= len(self.arguments):
            return None
        argument = self.arguments[index]
        while isinstance(argument, Cast) and _keeps_value(argument):
            argument = argument.operand
        return argument.value if isinstance(argument, Literal) else None

    def digits(self, index: int, otherwise: str) -> str:
        """The value of a constant integer argument; ``otherwise`` if it is missing.

        Raises:
            UnsupportedConstruct: the argument is computed.
        """
        if index >= len(self.arguments):
            return otherwise
        found = self.constant(index)
        if found is None or not _DIGITS.fullmatch(found):
            raise self.unsupported("the number must be a constant")
        return found

    def unsupported(self, reason: str) -> UnsupportedConstruct:
        return UnsupportedConstruct(f"{self.operator.spelling} for Hive", reason)

    def fill(self, template: str) -> str:
        """The template filled with the call's parts; ``{raised}`` becomes an expression that fails.

        Raises:
            UnsupportedConstruct: the template repeats an argument that is not deterministic.
        """
        require_repeatable(template, self.name, self.arguments)
        require_short(template, self.texts)
        return filled(template, self, self.texts, type_text, raised)


def _keeps_value(cast: Cast) -> bool:
    """Whether the converted value has the literal's own text."""
    source, target = cast.operand.type, cast.type
    if is_text(source) or is_text(target):
        return is_text(source) and is_text(target)
    exact = is_integer(source) and is_integer(target)
    return exact or (target == DOUBLE and (is_integer(source) or isinstance(source, DecimalType)))


def require_repeatable(template: str, name: str, arguments: Sequence[RowExpression]) -> None:
    """Raises ``UnsupportedConstruct`` if a repeated argument is not deterministic."""
    for index, argument in enumerate(arguments):
        if template.count(f"{{{index}}}") > 1 and not _is_deterministic(argument):
            raise UnsupportedConstruct(f"{name} of a random value, which Hive would compute twice,")


def require_short(template: str, texts: Sequence[str]) -> None:
    """Raises ``TooLarge`` if repeated arguments make the text too long."""
    length = sum(template.count(f"{{{place}}}") * len(text) for place, text in enumerate(texts))
    if length > MAX_TEXT:
        raise TooLarge(
            f"the text for Hive is longer than {MAX_TEXT:,} characters",
            hint="move repeated conversions and computations to an upstream view",
        )


def _is_deterministic(expression: RowExpression) -> bool:
    operators = (getattr(part, "operator", None) for part in walk(expression))
    return all(operator is None or operator.deterministic for operator in operators)
