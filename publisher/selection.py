"""Which relations get a package. The others are read and derived all the same, for who reads them.

A pattern is ``database.table`` with ``*``, ``?`` and ``[…]`` as in file names: ``staging.*``,
``*.tmp_*``. A relation that matches no pattern of ``include``, or one of ``exclude``, or whose own
property says so, is withheld; what is on the index already stays there.
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
        """Whether it would, but for its own property."""
        return _matches(name, self.include) and not _matches(name, self.exclude)

    @property
    def text(self) -> str:
        """Tells two selections apart; empty for the one that takes everything."""
        if self == EVERYTHING:
            return ""
        return json.dumps({"include": self.include, "exclude": self.exclude})


EVERYTHING = Selection()


def is_pattern(text: str) -> bool:
    """Whether it has a database's part and a table's."""
    namespace, dot, name = text.rpartition(".")
    return bool(namespace and dot and name)


def _matches(name: RelationName, patterns: tuple[str, ...]) -> bool:
    namespace = ".".join(name.namespace)
    for pattern in patterns:
        above, _, own = pattern.lower().rpartition(".")
        if fnmatchcase(namespace, above) and fnmatchcase(name.name, own):
            return True
    return False


def _opts_out(relation: Relation) -> bool:
    return any(
        key.lower() == OPT_OUT and value.strip().lower() == "false"
        for key, value in relation.properties.items()
    )
