"""Which relations get a package. The others are still read and derived, for their dependents.

A pattern is ``database.table`` with ``*``, ``?`` and ``[…]`` as in file names: ``staging.*``,
``*.tmp_*``. A relation that matches no pattern of ``include``, or one of ``exclude``, or whose own
property says so, is withheld; versions that are published already stay on the index.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from fnmatch import fnmatchcase

from lakeschema.catalog.identifiers import RelationName
from lakeschema.catalog.relations import Relation

OPT_OUT = "schema-publisher.publish"
"""The table property that, set to ``false``, withholds its relation."""


@dataclass(frozen=True, slots=True)
class Selection:
    include: tuple[str, ...] = ("*.*",)
    exclude: tuple[str, ...] = ()

    def publishes(self, relation: Relation) -> bool:
        """Whether the relation, as its facts are now, gets a package."""
        return self.includes(relation.name) and not _opts_out(relation)

    def includes(self, name: RelationName) -> bool:
        """Whether the patterns include it; the relation's own property is not considered."""
        return _matches(name, self.include) and not _matches(name, self.exclude)

    @property
    def text(self) -> str:
        """Identifies the selection; empty for the one that includes everything."""
        if self == EVERYTHING:
            return ""
        return json.dumps({"include": self.include, "exclude": self.exclude})


EVERYTHING = Selection()


def is_pattern(text: str) -> bool:
    """Whether the text has a database part and a table part."""
    namespace, dot, name = text.rpartition(".")
    return bool(namespace and dot and name)


def _matches(name: RelationName, patterns: tuple[str, ...]) -> bool:
    namespace = ".".join(name.namespace)
    for pattern in patterns:
        databases, _, tables = pattern.lower().rpartition(".")
        if fnmatchcase(namespace, databases) and fnmatchcase(name.name, tables):
            return True
    return False


def _opts_out(relation: Relation) -> bool:
    return any(
        key.lower() == OPT_OUT and value.strip().lower() == "false"
        for key, value in relation.properties.items()
    )
