"""The objects that a script's statements leave in its session, for the views made of its queries."""

from __future__ import annotations

import re
from types import MappingProxyType
from typing import Final

from benchmarks.corpus.judging import Made
from lakeschema.catalog.ddl_reader import read_statements
from lakeschema.catalog.ddl_statements import CreateFunction, DropFunction, IfExists, NameParts
from lakeschema.catalog.identifiers import RelationName
from lakeschema.catalog.relations import Dialect
from lakeschema.catalog.sql_functions import SqlFunction

_SETTING: Final = re.compile(r"(?i)(?:SET\s+([\w.]+)\s*=\s*(.+)|RESET\s+([\w.]+))$", re.DOTALL)
_VARIABLE: Final = re.compile(
    r"(?i)DECLARE\s+(?:OR\s+REPLACE\s+)?(?:VAR(?:IABLE)?\s+)?((?:[\w.]+\s*,\s*)*[\w.]+)"
)
_TEMPORARY: Final = re.compile(r"(?i)\b(?:TEMP|TEMPORARY)\s+FUNCTION\b")


class SessionState:
    """Temporary functions count like others: a view could call them if they were stored."""

    def __init__(self, settings: dict[str, str]) -> None:
        self._settings = settings
        self._usual = dict(settings)
        self._functions: dict[RelationName, SqlFunction] = {}
        self._variables: set[str] = set()

    @property
    def now(self) -> Made:
        return Made(self._settings, self._functions, frozenset(self._variables))

    def apply(self, statement: str, database: str) -> None:
        """Applies a statement that Spark has run."""
        changed = _SETTING.match(statement)
        if changed and changed[1]:
            self._settings[changed[1]] = changed[2].strip()
        elif changed:
            self._settings.pop(changed[3], None)
            if changed[3] in self._usual:
                self._settings[changed[3]] = self._usual[changed[3]]
        declared = _VARIABLE.match(statement)
        if declared:
            names = re.split(r"\s*,\s*", declared[1])
            self._variables |= {name.rpartition(".")[2].lower() for name in names}
        for placed in read_statements(_TEMPORARY.sub("FUNCTION", statement), Dialect.SPARK):
            match placed.statement:
                case CreateFunction() as create:
                    self._create(create, database)
                case DropFunction(name):
                    self._functions.pop(_name(name, database), None)

    def _create(self, create: CreateFunction, database: str) -> None:
        name = _name(create.name, database)
        if name in self._functions and create.if_exists is IfExists.KEEP:
            return
        self._functions[name] = SqlFunction(
            name, create.parameters, create.body, create.is_table, create.returns, create.columns,
            (database,), sql_configs=MappingProxyType(dict(self._settings)),
        )  # fmt: skip


def _name(parts: NameParts, database: str) -> RelationName:
    return RelationName.of(*((database, *parts) if len(parts) == 1 else parts[-2:]))
