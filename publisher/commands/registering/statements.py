"""Writes the statements that create a catalog's views, and tables under policies, in Trino.

Upstream views come first. Trino reformats a view's text, so it cannot be compared with the text that
was sent. Instead, the view's comment names its source and has a digest of its statements.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from lakeschema.catalog.identifiers import RelationName
from lakeschema.catalog.relations import Relation
from lakeschema.translation.emission.trino.text import quoted, relation_text, string
from lakeschema.translation.model.errors import TranslationError
from lakeschema.translation.model.interface import Interface, Options
from lakeschema.translation.model.outcome import Failed
from lakeschema.translation.policies.rules import Policies
from lakeschema.translation.products.governed import govern
from lakeschema.translation.products.views_for_trino import (
    ViewForTrino,
    is_foreign_view,
    views_for_trino,
)
from publisher.settings.trino import CATALOG, DATABASE

_UNFINISHED: Final = "unfinished"
_PLACEHOLDER: Final = re.compile("|".join(map(re.escape, (CATALOG, DATABASE))))
_MARK: Final = re.compile(
    r"\(schema-publisher: (?P<source>.*) (?P<digest>[0-9a-f]{32}|unfinished)\)\Z"
)


@dataclass(frozen=True, slots=True, order=True)
class Place:
    """The place of a view in Trino."""

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
    """The mark in a view's comment: the source relation, and the digest."""

    source: str
    digest: str

    @property
    def is_unfinished(self) -> bool:
        return self.digest == _UNFINISHED

    def under(self, comment: str) -> str:
        return f"{comment}\n\n{self}".lstrip()

    def __str__(self) -> str:
        return f"(schema-publisher: {self.source} {self.digest})"


def read_mark(comment: str | None) -> Mark | None:
    found = _MARK.search(comment or "")
    return None if found is None else Mark(found["source"], found["digest"])


@dataclass(frozen=True, slots=True)
class Written:
    """A view to create.

    Attributes:
        view: the catalog's view or table that the created view shows.
        reads: the created views that this view reads.
        comments: the comments of columns by name; columns without a comment are left out.
        source: the text in the mark for the relation and its readers. So a masked view and an
            unmasked view never replace each other.
    """

    view: RelationName
    place: Place
    reads: tuple[RelationName, ...]
    sql: str
    comment: str
    comments: Mapping[str, str]
    source: str

    @property
    def mark(self) -> Mark:
        parts = (self.sql, self.comment, *(part for c in self.comments.items() for part in c))
        digest = hashlib.sha256("\0".join(parts).encode("utf-8", "surrogatepass"))
        return Mark(self.source, digest.hexdigest()[:32])

    def statements(self, *, replace: bool) -> Iterator[str]:
        """The statements that create the view. The last statement marks the view as finished.

        So a view whose creation was interrupted is created again.
        """
        create = "CREATE OR REPLACE VIEW" if replace else "CREATE VIEW"
        begun = string(Mark(self.source, _UNFINISHED).under(self.comment))
        yield f"{create} {self.place.sql} COMMENT {begun} AS {self.sql}"
        for column, text in self.comments.items():
            yield f"COMMENT ON COLUMN {self.place.sql}.{quoted(column)} IS {string(text)}"
        yield f"COMMENT ON VIEW {self.place.sql} IS {string(self.mark.under(self.comment))}"


@dataclass(frozen=True, slots=True)
class Readers:
    """The readers of one group, or readers without a group, with the policies that apply to them."""

    policies: Policies
    group: str | None

    def __str__(self) -> str:
        return "under policies" + ("" if self.group is None else f" for {self.group}")


@dataclass(frozen=True, slots=True)
class Unwritable:
    """A view that cannot be written for Trino, and the reason."""

    view: RelationName
    reason: str
    hint: str = ""


def write_views(
    relations: Mapping[RelationName, Relation], options: Options, places: str
) -> Sequence[Written | Unwritable]:
    """Writes each view except Trino's own, after the views that it reads.

    Args:
        relations: the views and all their upstreams.
        options: the options of the translation.
        places: ``Trino.views`` of the settings.
    """
    placed = {name: _place(name, places) for name, r in relations.items() if is_foreign_view(r)}

    def text(name: RelationName) -> str:
        # A created view is read at its new place, and a table or Trino view at its own place.
        return placed[name].sql if name in placed else relation_text(name, options.trino_catalogs)

    shared = _shared(placed)
    return [
        shared.get(name) or _as_made(name, found, placed)
        for name, found in views_for_trino(relations, options, text)
    ]


def write_masked(
    names: Sequence[RelationName],
    relations: Mapping[RelationName, Relation],
    readers: Readers,
    options: Options,
    places: str,
) -> Sequence[Written | Unwritable]:
    """Writes each named relation as the readers see it. A text contains the queries of the views that it reads.

    Args:
        names: the names of views and tables.
        relations: these views and tables and all their upstreams.
        readers: the readers of the views.
        options: the options of the translation.
        places: ``Trino.views`` of the settings.
    """
    placed = {name: _place(name, places) for name in names}
    shared = _shared(placed)
    return [
        shared.get(name) or _as_masked(name, relations, readers, options, placed[name])
        for name in names
    ]


def _as_made(
    name: RelationName, found: ViewForTrino | Failed, placed: Mapping[RelationName, Place]
) -> Written | Unwritable:
    if isinstance(found, Failed):
        return Unwritable(name, found.reason)
    interface = found.derivation.interface
    reads = tuple(read for read in found.derivation.upstreams if read in placed)
    comment, comments = interface.schema.doc or "", _comments(interface)
    return Written(name, placed[name], reads, found.query.sql, comment, comments, str(name))


def _as_masked(
    name: RelationName,
    relations: Mapping[RelationName, Relation],
    readers: Readers,
    options: Options,
    place: Place,
) -> Written | Unwritable:
    try:
        found = govern(name, relations, readers.policies, options)
        sql = found.trino().sql
    except TranslationError as error:
        return Unwritable(name, str(error), error.hint)
    comments = _comments(found.derivations[name].interface)
    shown = {column: comments[column] for column in found.names if column in comments}
    source = f"{name} {readers}"
    return Written(name, place, (), sql, found.schema.doc or "", shown, source)


def _place(name: RelationName, places: str) -> Place:
    catalog, _, schema = places.partition(".")
    database = name.namespace[-1] if name.namespace else ""
    parts = {DATABASE: database, CATALOG: name.catalog or "default"}
    return Place(catalog, _PLACEHOLDER.sub(lambda found: parts[found[0]], schema), name.name)


def _shared(placed: Mapping[RelationName, Place]) -> Mapping[RelationName, Unwritable]:
    """Refuses relations that would share a place in Trino, which ignores letter case.

    A relation of the default catalog keeps its place if no other relation of this catalog shares it.
    """
    by_place: dict[str, list[RelationName]] = {}
    for name, place in placed.items():
        by_place.setdefault(place.sql.lower(), []).append(name)
    found: dict[RelationName, Unwritable] = {}
    for names in by_place.values():
        in_default = [name for name in names if not name.catalog]
        keeps = in_default if len(in_default) == 1 else []
        if len(names) > 1:
            found |= {n: _in_one_place(n, placed[n], names) for n in names if n not in keeps}
    return found


def _in_one_place(name: RelationName, place: Place, names: Sequence[RelationName]) -> Unwritable:
    others = " and ".join(str(other) for other in names if other != name)
    why = f"{place} would also be {others}"
    return Unwritable(name, why, "name a place with {database}, and {catalog}, in trino.views")


def _comments(interface: Interface) -> Mapping[str, str]:
    """The documentation of each column, as in the package."""
    fields = interface.schema.fields
    docs = (
        fields[place].doc if isinstance(place, int) else place.column.comment
        for place in interface.places
    )
    return {name: doc for name, doc in zip(interface.names, docs, strict=True) if doc}
