"""Spark's SQL functions, as facts of the views that call them: ``CREATE FUNCTION … RETURN …``.

A catalog gives each view the functions that its text may call, at any distance. So a view's facts
change when such a function changes, and its derivation needs nothing else.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Final, TypeAlias

from lakeschema.catalog.column_types import ColumnType
from lakeschema.catalog.identifiers import RelationName

MAX_FUNCTIONS: Final = 1_000
"""The maximum of functions for one view, at any distance. No view written by hand needs more."""


@dataclass(frozen=True, slots=True)
class Parameter:
    """A parameter, or a column of a table function. ``default`` is an expression, as written."""

    name: str
    type: ColumnType
    default: str | None = None


@dataclass(frozen=True, slots=True)
class SqlFunction:
    """A SQL function.

    Attributes:
        body: an expression or a query, as written.
        returns: a scalar function's type; None for the body's type.
        columns: a table function's columns; empty for the body's columns.
        current_namespace: where an unqualified name in the body is looked up.
        sql_configs: the body's settings, like a view's.
    """

    name: RelationName
    parameters: tuple[Parameter, ...]
    body: str
    is_table: bool = False
    returns: ColumnType | None = None
    columns: tuple[Parameter, ...] = ()
    current_namespace: tuple[str, ...] = ("default",)
    current_catalog: str | None = None
    sql_configs: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))

    @property
    def texts(self) -> tuple[str, ...]:
        """The texts of the function that may call other functions."""
        return (self.body, *(p.default for p in self.parameters if p.default is not None))


class TooManyFunctions(Exception):
    """The error for a text that may call more than ``MAX_FUNCTIONS``."""


FindFunction: TypeAlias = Callable[[RelationName], SqlFunction | None]

_TOKEN = re.compile(r"(?P<name>`(?:[^`]|``)+`|\w+)|\S")


def called_names(text: str, namespace: tuple[str, ...]) -> frozenset[RelationName]:
    """All names before a parenthesis; some are not functions, but no function is missing."""
    found = set()
    names: list[str] = []  # the parts of the last name; "" after a dot
    for token in _TOKEN.finditer(text):
        mark = token[0]
        if token["name"]:
            names = [*names[-2:-1], mark] if names and not names[-1] else [mark]
        elif mark == "." and names and names[-1]:
            names.append("")
        else:
            if mark == "(" and names and names[-1]:
                *qualifier, name = map(_unquoted, names)
                found.add(RelationName.of(*(qualifier or namespace), name))
            names = []
    return frozenset(found)


def _unquoted(name: str) -> str:
    return name[1:-1].replace("``", "`") if name.startswith("`") else name


def functions_for(
    text: str, namespace: tuple[str, ...], find: FindFunction
) -> tuple[SqlFunction, ...]:
    """The functions that a text may call, directly or through others, ordered by name.

    Raises:
        TooManyFunctions: there are more than ``MAX_FUNCTIONS``.
    """
    found: dict[RelationName, SqlFunction] = {}
    asked: set[RelationName] = set()
    waiting = [(text, namespace)]
    while waiting:
        for name in sorted(called_names(*waiting.pop()) - asked):
            asked.add(name)
            function = find(name)
            if function is not None:
                found[name] = function
                waiting += [(part, function.current_namespace) for part in function.texts]
        if len(found) > MAX_FUNCTIONS:
            raise TooManyFunctions
    return tuple(found[name] for name in sorted(found))
