"""A row of the function tables, and the parser of its small language.

Parameters, separated by commas: a type class (``string``, ``numeric``, ``any`` …), a type variable
(one capital letter), also inside ``array<T>`` or ``map<K,V>``; ``?`` after it means optional,
``...`` any number. The result is a type, perhaps with variables, or ``@rule`` (``results``).
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import Enum

from lakeschema.translation.plan.operators import NullClass

TOTAL, PARTIAL = NullClass.TOTAL, NullClass.PARTIAL
ABSORBING, NEVER = NullClass.ABSORBING, NullClass.NEVER


class Kind(Enum):
    SCALAR = "scalar"
    AGGREGATE = "aggregate"
    WINDOW = "window"
    GENERATOR = "generator"


@dataclass(frozen=True, slots=True)
class Row:
    """A function, or several that differ in name only (``names``, separated by spaces).

    ``keeps`` and ``merges`` are explained at ``plan.operators.Operator``.
    """

    names: str
    parameters: str
    result: str
    nulls: NullClass = TOTAL
    kind: Kind = Kind.SCALAR
    keeps: int | None = None
    merges: int | None = None
    deterministic: bool = True


@dataclass(frozen=True, slots=True)
class Parameter:
    pattern: str
    optional: bool = False
    variadic: bool = False


_SPLIT = re.compile(r",\s*(?![^<]*>|[0-9]+\))")


def parameters_of(text: str) -> tuple[Parameter, ...]:
    """Reads the parameter list; commas inside angle brackets and parentheses do not separate."""
    if not text:
        return ()
    return tuple(_parameter(part.strip()) for part in _SPLIT.split(text))


def _parameter(text: str) -> Parameter:
    if text.endswith("..."):
        return Parameter(text[:-3], variadic=True)
    if text.endswith("?"):
        return Parameter(text[:-1], optional=True)
    return Parameter(text)
