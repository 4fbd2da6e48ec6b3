"""Finds the SQL functions that a text may call, and limits their calls."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Final

from lakeschema.catalog.identifiers import RelationName
from lakeschema.catalog.relations import Dialect, ViewText
from lakeschema.catalog.sql_functions import SqlFunction
from lakeschema.translation.functions.settings import recorded
from lakeschema.translation.model.errors import MalformedSql, TooLarge
from lakeschema.translation.syntax.parsing import USUAL, Spelling

MAX_DEPTH: Final = 40
"""The maximum nesting of calls between functions."""
MAX_EXPANDED: Final = 1_000_000
"""The budget of one view. Each call costs the characters of the function's body.

Each use of a parameter costs the number of nodes in the argument.
"""
_OF_A_CALL: Final = 100


class Allowance:
    """The remaining budget for expanding functions; nested calls multiply the cost."""

    def __init__(self) -> None:
        self._left = MAX_EXPANDED

    def spend(self, amount: int) -> None:
        """Reduces the budget; raises ``TooLarge`` when it is exhausted."""
        self._left -= amount
        if self._left < 0:
            raise TooLarge(
                f"its SQL functions expand to more than {MAX_EXPANDED} characters",
                hint="call fewer functions that call others",
            )


@dataclass(frozen=True, slots=True)
class Routines:
    """The SQL functions that a text may call.

    ``calling`` names the functions whose bodies are being resolved, outermost first.
    """

    known: Mapping[RelationName, SqlFunction] = field(default_factory=lambda: MappingProxyType({}))
    calling: tuple[RelationName, ...] = ()
    allowance: Allowance = field(default_factory=Allowance, compare=False)

    def inside(self, function: SqlFunction) -> Routines:
        """The functions for the body of a called function.

        Raises:
            MalformedSql: the function calls itself, which no engine allows.
            TooLarge: there are too many calls, or they are nested too deeply.
        """
        if function.name in self.calling:
            raise MalformedSql(f"the function {function.name} calls itself")
        if len(self.calling) >= MAX_DEPTH:
            raise TooLarge(f"SQL functions call one another more than {MAX_DEPTH} levels deep")
        self.allowance.spend(_OF_A_CALL + sum(map(len, function.texts)))
        return replace(self, calling=(*self.calling, function.name))


def routines_of(view: ViewText) -> Routines:
    return Routines(MappingProxyType({function.name: function for function in view.functions}))


def text_of(function: SqlFunction) -> ViewText:
    """The function's body as a view's text, with the function's own settings and namespace."""
    return ViewText(
        Dialect.SPARK,
        function.body,
        function.body,
        function.current_namespace,
        function.current_catalog,
        sql_configs=function.sql_configs,
    )


def spelling_of(view: ViewText) -> Spelling:
    if view.dialect is not Dialect.SPARK or not view.sql_configs:
        return USUAL
    found = recorded(view)
    return Spelling(
        quoted_names=found.is_on("ansi.enabled") and found.is_on("ansi.doubleQuotedIdentifiers"),
        keeps_escapes=found.is_on("parser.escapedStringLiterals"),
        parts_strings=found.is_on("legacy.consecutiveStringLiterals.enabled"),
        left_to_right=found.is_on("legacy.setopsPrecedence.enabled"),
    )
