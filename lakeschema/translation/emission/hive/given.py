"""A call that is being written for Hive: its arguments, their texts, and Spark's mode."""

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
"""Characters: what a form reads twice is written twice."""
_DIGITS: Final = re.compile(r"-?[0-9]{1,9}")


@dataclass(frozen=True, slots=True)
class HiveCall:
    """A call's parts, for a template or a writer.

    Attributes:
        ansi: Spark raises an error where it would otherwise give null or wrap round.
        quantifier: "DISTINCT " in an aggregate with it.
        suffix: OVER with its window, of a window function.
        size_of_null: ``size(NULL)`` is -1, as it is in Hive, and not null.
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
        """The value of an argument that is written out; None if it is not, or a conversion changes it."""
        if index >= len(self.arguments):
            return None
        argument = self.arguments[index]
        while isinstance(argument, Cast) and _keeps_value(argument):
            argument = argument.operand
        return argument.value if isinstance(argument, Literal) else None

    def digits(self, index: int, otherwise: str) -> str:
        """A whole number that is written out, as digits that may stand in a text; ``otherwise`` without one.

        Raises:
            UnsupportedConstruct: it is computed.
        """
        if index >= len(self.arguments):
            return otherwise
        found = self.constant(index)
        if found is None or not _DIGITS.fullmatch(found):
            raise self.unsupported("a number that is not written out")
        return found

    def unsupported(self, reason: str) -> UnsupportedConstruct:
        return UnsupportedConstruct(f"{self.operator.spelling} for Hive", reason)

    def fill(self, template: str) -> str:
        """The template with the call's parts; ``{raised}`` is an error where it is computed.

        Raises:
            UnsupportedConstruct: the template reads an argument twice that is another each time.
        """
        require_repeatable(template, self.name, self.arguments)
        require_short(template, self.texts)
        return filled(template, self, self.texts, type_text, raised)


def _keeps_value(cast: Cast) -> bool:
    """Whether a literal's text is also the text of what it is converted to."""
    source, target = cast.operand.type, cast.type
    if is_text(source) or is_text(target):
        return is_text(source) and is_text(target)
    exact = is_integer(source) and is_integer(target)
    return exact or (target == DOUBLE and (is_integer(source) or isinstance(source, DecimalType)))


def require_repeatable(template: str, name: str, arguments: Sequence[RowExpression]) -> None:
    """Raises ``UnsupportedConstruct`` for an argument that is read twice and is another each time."""
    for index, argument in enumerate(arguments):
        if template.count(f"{{{index}}}") > 1 and not _is_deterministic(argument):
            raise UnsupportedConstruct(
                f"{name} of a random value for Hive, which computes it twice"
            )


def require_short(template: str, texts: Sequence[str]) -> None:
    """Raises ``TooLarge`` where a template that reads its arguments several times would outgrow a text."""
    length = sum(template.count(f"{{{place}}}") * len(text) for place, text in enumerate(texts))
    if length > MAX_TEXT:
        raise TooLarge(
            f"the text for Hive is longer than {MAX_TEXT:,} characters",
            hint="compute in a view below what is converted or computed several times over",
        )


def _is_deterministic(expression: RowExpression) -> bool:
    operators = (getattr(part, "operator", None) for part in walk(expression))
    return all(operator is None or operator.deterministic for operator in operators)
