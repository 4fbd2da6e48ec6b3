"""SQL functions from a Hive Metastore, for the views of one read that may call them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, TypeVar

from thrift.Thrift import TException

from lakeschema.catalog.identifiers import RelationName
from lakeschema.catalog.relations import Relation, with_functions
from lakeschema.catalog.sql_functions import SqlFunction
from lakeschema.catalog.stored_functions import sql_function

Result = TypeVar("Result")
Run = Callable[[Callable[[Any], Result]], Result]
"""``MetastoreClient.run``."""


class MetastoreFunctions:
    """Reads a database's functions once, when the first view may call one of them."""

    def __init__(self, run: Run[Any]) -> None:
        self._run = run
        self._names: dict[str, frozenset[str]] = {}
        self._read: dict[RelationName, SqlFunction | None] = {}

    def given_to(self, relations: Mapping[RelationName, Relation]) -> dict[RelationName, Relation]:
        return {name: with_functions(relation, self._find) for name, relation in relations.items()}

    def _find(self, name: RelationName) -> SqlFunction | None:
        if len(name.namespace) != 1 or name.name not in self._names_in(name.namespace[0]):
            return None
        if name not in self._read:
            self._read[name] = self._function(name)
        return self._read[name]

    def _names_in(self, database: str) -> frozenset[str]:
        """The names of a database's functions; empty for a missing database.

        The prefix in a function's name may be any text, so it need not be a database.
        """
        if database not in self._names:
            found: Iterable[str]
            try:
                found = self._run(lambda client: client.get_functions(database, "*"))
            except TException:
                # Only views that need a function fail because of this.
                found = ()
            self._names[database] = frozenset(found_name.lower() for found_name in found)
        return self._names[database]

    def _function(self, name: RelationName) -> SqlFunction | None:
        database = name.namespace[0]
        try:
            found = self._run(lambda client: client.get_function(database, name.name))
        except TException:
            return None
        resources = [str(each.uri) for each in found.resourceUris or ()]
        return sql_function(name, str(found.className), resources)
