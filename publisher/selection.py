"""Decides which relations get a package; the others are still derived, for their dependents.

A pattern is ``database.table`` with ``*``, ``?`` and ``[…]`` as in file names: ``staging.*``,
``*.tmp_*``. ``prod:staging.*`` is of the catalog ``prod``, and ``*.*`` of all catalogs. A relation is withheld if it matches no pattern of ``include``, matches one of
``exclude``, or opts out by its own property. Published versions stay on the index.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from fnmatch import fnmatchcase

from lakeschema.catalog.identifiers import RelationName
from lakeschema.catalog.relations import Relation

OPT_OUT = "schema-publisher.publish"
"""The table property that withholds its relation when set to ``false``."""

OWNER = "owner"
"""The table property that names its relation's owner."""


@dataclass(frozen=True, slots=True)
class Selection:
    include: tuple[str, ...] = ("*.*",)
    exclude: tuple[str, ...] = ()

    def publishes(self, relation: Relation) -> bool:
        """Whether the relation, with its current facts, gets a package."""
        return self.includes(relation.name) and not _opts_out(relation)

    def includes(self, name: RelationName) -> bool:
        """Whether the patterns include it; its own property is not considered."""
        return _matches(name, self.include) and not _matches(name, self.exclude)

    @property
    def text(self) -> str:
        """An identifier of the selection; empty if it includes everything."""
        if self == EVERYTHING:
            return ""
        return json.dumps({"include": self.include, "exclude": self.exclude})


EVERYTHING = Selection()


def is_pattern(text: str) -> bool:
    namespace, dot, name = text.rpartition(".")
    return bool(namespace and dot and name)


def _matches(name: RelationName, patterns: tuple[str, ...]) -> bool:
    namespace = ".".join(name.namespace).lower()
    if name.catalog:
        namespace = f"{name.catalog.lower()}:{namespace}"
    for pattern in patterns:
        databases, _, tables = pattern.lower().rpartition(".")
        if fnmatchcase(namespace, databases) and fnmatchcase(name.name.lower(), tables):
            return True
    return False


def _opts_out(relation: Relation) -> bool:
    return any(
        key.lower() == OPT_OUT and value.strip().lower() == "false"
        for key, value in relation.properties.items()
    )
