"""Views of a catalog → the statements that make them in Trino, upstream views first.

A view of Trino's keeps its text as Trino prints it, so that a text cannot be compared with ours. What
stands in the view's comment instead is which view it is made of, and a digest of its statements.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from lakeschema.catalog.identifiers import RelationName
from lakeschema.catalog.relations import Relation
from lakeschema.translation.emission.trino.text import quoted, relation_text, string
from lakeschema.translation.interface import Interface, Options
from lakeschema.translation.outcome import Failed
from lakeschema.translation.views_for_trino import ViewForTrino, is_foreign_view, views_for_trino
from publisher.settings.trino import DATABASE

_UNFINISHED: Final = "unfinished"
_MARK: Final = re.compile(
    r"\(schema-publisher: (?P<view>.*) (?P<digest>[0-9a-f]{32}|unfinished)\)\Z"
)


@dataclass(frozen=True, slots=True, order=True)
class Place:
    """Where a view is made in Trino."""

    catalog: str
    schema: str
    name: str

    @property
    def sql(self) -> str:
        return f"{self.schema_sql}.{quoted(self.name)}"

    @property
    def schema_sql(self) -> str:
        return f"{quoted(self.catalog)}.{quoted(self.schema)}"

    def __str__(self) -> str:
        return f"{self.catalog}.{self.schema}.{self.name}"


@dataclass(frozen=True, slots=True)
class Mark:
    """What the comment of a view that was made here says: of which view, and the digest."""

    view: str
    digest: str

    @property
    def is_unfinished(self) -> bool:
        return self.digest == _UNFINISHED

    def under(self, comment: str) -> str:
        return f"{comment}\n\n{self}".lstrip()

    def __str__(self) -> str:
        return f"(schema-publisher: {self.view} {self.digest})"


def read_mark(comment: str | None) -> Mark | None:
    found = _MARK.search(comment or "")
    return None if found is None else Mark(found["view"], found["digest"])


@dataclass(frozen=True, slots=True)
class Written:
    """A view as it is made.

    Attributes:
        reads: the other views among those that are made which it reads.
        comments: of its columns, by name; those without one are left out.
    """

    view: RelationName
    place: Place
    reads: tuple[RelationName, ...]
    sql: str
    comment: str
    comments: Mapping[str, str]

    @property
    def mark(self) -> Mark:
        parts = (self.sql, self.comment, *(part for c in self.comments.items() for part in c))
        digest = hashlib.sha256("\0".join(parts).encode("utf-8", "surrogatepass"))
        return Mark(str(self.view), digest.hexdigest()[:32])

    def statements(self, *, replace: bool) -> Iterator[str]:
        """The last one marks it as finished: what stops in between is made again."""
        create = "CREATE OR REPLACE VIEW" if replace else "CREATE VIEW"
        begun = string(Mark(str(self.view), _UNFINISHED).under(self.comment))
        yield f"{create} {self.place.sql} COMMENT {begun} AS {self.sql}"
        for column, text in self.comments.items():
            yield f"COMMENT ON COLUMN {self.place.sql}.{quoted(column)} IS {string(text)}"
        yield f"COMMENT ON VIEW {self.place.sql} IS {string(self.mark.under(self.comment))}"


@dataclass(frozen=True, slots=True)
class Unwritable:
    """A view that Trino cannot have, and why."""

    view: RelationName
    reason: str
    hint: str = ""


def write_views(
    relations: Mapping[RelationName, Relation], options: Options, places: str
) -> Sequence[Written | Unwritable]:
    """Each view among the relations but Trino's own, after those that it reads.

    Args:
        relations: the views, and all that they read.
        options: by which they are translated.
        places: ``Trino.views`` of the settings.
    """
    placed = {name: _place(name, places) for name, r in relations.items() if is_foreign_view(r)}

    def text(name: RelationName) -> str:
        # Another view is read where it is made; a table, and a view of Trino's, where it is.
        return placed[name].sql if name in placed else relation_text(name, options.trino_catalogs)

    shared = _shared(placed)
    written: list[Written | Unwritable] = []
    for name, found in views_for_trino(relations, options, text):
        if name in shared:
            others = " and ".join(str(other) for other in shared[name] if other != name)
            why = f"{placed[name]} would also be {others}"
            written.append(Unwritable(name, why, "name a place with {database} in trino.views"))
        elif isinstance(found, Failed):
            written.append(Unwritable(name, found.reason))
        else:
            written.append(_as_made(name, found, placed))
    return written


def _as_made(
    name: RelationName, found: ViewForTrino, placed: Mapping[RelationName, Place]
) -> Written:
    derivation = found.derivation
    interface = derivation.interface
    reads = tuple(read for read in derivation.upstreams if read in placed)
    comment = interface.schema.doc or ""
    return Written(name, placed[name], reads, found.query.sql, comment, _comments(interface))


def _place(name: RelationName, places: str) -> Place:
    catalog, _, schema = places.partition(".")
    return Place(catalog, schema.replace(DATABASE, name.namespace[-1]), name.name)


def _shared(
    placed: Mapping[RelationName, Place],
) -> Mapping[RelationName, Collection[RelationName]]:
    """Views that would be made in one place, each with all of them."""
    by_place: dict[Place, list[RelationName]] = {}
    for name, place in placed.items():
        by_place.setdefault(place, []).append(name)
    return {name: names for names in by_place.values() if len(names) > 1 for name in names}


def _comments(interface: Interface) -> Mapping[str, str]:
    """What its package says of each column."""
    fields = interface.schema.fields
    docs = (
        fields[place].doc if isinstance(place, int) else place.column.comment
        for place in interface.places
    )
    return {name: doc for name, doc in zip(interface.names, docs, strict=True) if doc}
