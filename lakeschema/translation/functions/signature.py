"""A row of the function tables, and the parser of its small language.

Parameters are separated by commas. Each is a type class (``string``, ``numeric``, ``any`` …) or a
type variable (one capital letter), also inside ``array<T>`` or ``map<K,V>``. A parameter with ``?``
is optional; a parameter with ``...`` takes any number of arguments. The result is a type, which may
contain variables, or the name of a rule after ``@`` (see ``results``).
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
    """One or more functions that differ only in name; ``names`` are separated by spaces.

    ``plan.operators.Operator`` explains ``keeps`` and ``merges``.
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
