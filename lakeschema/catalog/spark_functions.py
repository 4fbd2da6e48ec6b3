"""SQL functions from a Spark session's own catalog, for the views of one read that may call them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from py4j.protocol import Py4JError
from pyspark.errors import PySparkException

from lakeschema.catalog.identifiers import RelationName
from lakeschema.catalog.relations import Relation, with_functions
from lakeschema.catalog.sql_functions import SqlFunction
from lakeschema.catalog.stored_functions import sql_function


class SparkFunctions:
    """Reads a database's functions once, when the first view may call one of them.

    ``external`` is Spark's ``ExternalCatalog``; ``as_java`` converts Scala's lists to Java's.
    """

    def __init__(self, external: Any, as_java: Callable[[Any], Any]) -> None:
        self._external = external
        self._as_java = as_java
        self._names: dict[str, frozenset[str]] = {}

    def given_to(self, relations: Mapping[RelationName, Relation]) -> dict[RelationName, Relation]:
        return {name: with_functions(relation, self._find) for name, relation in relations.items()}

    def _find(self, name: RelationName) -> SqlFunction | None:
        if len(name.namespace) != 1 or name.name not in self._names_in(name.namespace[0]):
            return None
        try:
            found = self._external.getFunction(name.namespace[0], name.name)
            resources = [str(each.uri()) for each in self._as_java(found.resources())]
            return sql_function(name, str(found.className()), resources)
        except (PySparkException, Py4JError):
            return None

    def _names_in(self, database: str) -> frozenset[str]:
        """The names of a database's functions; empty for a missing database.

        The prefix in a function's name may be any text, so it need not be a database.
        """
        if database not in self._names:
            try:
                names = self._as_java(self._external.listFunctions(database, "*"))
                self._names[database] = frozenset(str(name).lower() for name in names)
            except (PySparkException, Py4JError):
                self._names[database] = frozenset()
        return self._names[database]
