"""Iceberg catalogs: namespaces of any depth, names with their letter case, tables and views.

A source lists names, and returns the place of a relation's metadata, or the metadata itself. This
module converts metadata to facts.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol, TypeAlias

from lakeschema.catalog.errors import MalformedName, NamespaceMissing
from lakeschema.catalog.identifiers import Namespace, RelationName, check_parts
from lakeschema.catalog.own_schemas import UNREAD, OwnSchema, OwnSchemas, UnreadSchema
from lakeschema.catalog.relations import Relation, SchemaPointer, TableFormat, without_volatile
from lakeschema.catalog.sessions import Levels

TABLE_TYPE = "table_type"
_ICEBERG = "ICEBERG"
_MARK_LENGTH = 16

Loaded: TypeAlias = SchemaPointer | OwnSchema | UnreadSchema
"""A source's answer for a name: the place of its metadata, its schema, or why the schema is unreadable."""


@dataclass(frozen=True, slots=True)
class Look:
    """The result of one poll of a source.

    Attributes:
        marks: for each relation that exists, a text to pass to the next ``look``.
        changed: the relations, sorted, whose facts may have changed since the passed marks. New and
            dropped relations are among them.
        head: the commit that the marks describe; "" for a catalog without commits.
    """

    marks: Mapping[RelationName, str]
    changed: Sequence[RelationName]
    head: str = ""


class IcebergSource(Protocol):
    """The client of one kind of Iceberg catalog; safe for threads.

    Raises ``CatalogUnavailable`` and ``CatalogRefused`` as ``Catalog`` does, but never for a single
    name.
    """

    @property
    def name(self) -> str:
        """The catalog's name in errors."""

    def namespaces(self) -> Sequence[tuple[str, ...]]:
        """Every namespace."""

    def namespaces_in(self, parent: tuple[str, ...]) -> Sequence[tuple[str, ...]]:
        """The namespaces directly below ``parent``; deeper namespaces are not visited."""

    def relations(self, namespace: tuple[str, ...]) -> Sequence[RelationName]:
        """The tables and views of a namespace; empty if there is no such namespace."""

    def load(self, names: Sequence[RelationName]) -> Mapping[RelationName, Loaded]:
        """The current state of the names that exist."""

    def look(self, known: Mapping[RelationName, str], head: str = "", /) -> Look:
        """The changes since the poll that returned these marks and this head."""

    def close(self) -> None: ...


class IcebergCatalog:
    """An Iceberg source as a catalog. Safe for threads.

    Names compare with their letter case, so ``T`` and ``t`` are two tables.

    Metastores and Glue ignore the case: their sources return names in lower case.
    """

    def __init__(self, source: IcebergSource, own_schemas: OwnSchemas = UNREAD) -> None:
        """A catalog from ``source``. ``own_schemas`` reads metadata files if the source returns their places."""
        self.source = source
        self._own_schemas = own_schemas

    def namespaces(self) -> Sequence[Namespace]:
        return [Namespace(levels) for levels in self.source.namespaces()]

    def relations(self, namespace: Namespace) -> Sequence[RelationName]:
        return self.source.relations(namespace.levels)

    def list_namespaces(self, parent: Levels, prefix: str = "") -> Sequence[Levels]:
        found = self.source.namespaces_in(parent)
        return [namespace for namespace in found if namespace[-1].startswith(prefix)]

    def load_namespace(self, namespace: Levels) -> Mapping[str, str]:
        """Checks that the namespace exists; returns no properties."""
        if namespace and namespace not in self.source.namespaces_in(namespace[:-1]):
            raise NamespaceMissing(self.source.name, str(Namespace(namespace)))
        return {}

    def read(self, names: Sequence[RelationName]) -> Mapping[RelationName, Relation]:
        loaded = self.source.load([*dict.fromkeys(names)])
        pointers = {n: found for n, found in loaded.items() if isinstance(found, SchemaPointer)}
        answers = self._own_schemas.read([*pointers.values()])
        read = dict(zip(pointers, answers, strict=True))
        return {
            name: relation_of(name, read[name], found)
            if isinstance(found, SchemaPointer)
            else relation_of(name, found)
            for name, found in loaded.items()
        }

    def current_event_id(self) -> int | None:
        """Always None: Iceberg's catalogs number no events."""
        return None

    def close(self) -> None:
        self.source.close()
        self._own_schemas.close()


def look_at(marked: Mapping[RelationName, str], known: Mapping[RelationName, str]) -> Look:
    """Compares the marks of usable names with the known marks."""
    marks = {name: mark for name, mark in marked.items() if is_usable(name)}
    changed = (name for name in marks.keys() | known.keys() if marks.get(name) != known.get(name))
    return Look(marks, sorted(changed))


def mark_of(text: str) -> str:
    """A short mark of a text, such as the place of metadata.

    Different texts get different marks.
    """
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:_MARK_LENGTH]


def metadata_pointer(location: str) -> SchemaPointer:
    return SchemaPointer(TableFormat.ICEBERG, location)


def relation_of(
    name: RelationName, schema: OwnSchema | UnreadSchema, pointer: SchemaPointer | None = None
) -> Relation:
    """Facts from a table's or view's metadata. ``pointer`` is the place of metadata that was not read.

    A relation whose metadata was not read has a pointer, even without a file. While a relation has
    a pointer, its derivation and those of its dependents stay as they are.
    """
    if isinstance(schema, UnreadSchema):
        unread = pointer or metadata_pointer("")
        return Relation(name, (), unreadable=schema.reason, schema_pointer=unread)
    return Relation(
        name=name,
        columns=schema.columns,
        comment=schema.comment,
        properties={
            **without_volatile(schema.properties),
            **schema.details,
            **({} if schema.view or schema.unread else {TABLE_TYPE: _ICEBERG}),
        },
        view=schema.view,
        unread=schema.unread,
    )


def is_usable(name: RelationName) -> bool:
    """Whether the rest of the product accepts the name.

    A snapshot logs names that it leaves out.
    """
    try:
        check_parts(name.parts)
    except MalformedName:
        return False
    return True
