"""Completes relations that keep their schema in files.

The caller passes the function that opens files, because their paths are untrusted text from a
metastore.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Protocol

from lakeschema.catalog.iceberg_fields import DEFAULTS, FIELD_IDS, FORMER_IDS, FORMER_NAMES
from lakeschema.catalog.identifiers import RelationName
from lakeschema.catalog.relations import (
    NOTHING,
    Column,
    Relation,
    SchemaPointer,
    UnreadText,
    ViewText,
)


@dataclass(frozen=True, slots=True)
class OwnSchema:
    """A table's or view's schema from its own files, with the ``comment`` in the files.

    Attributes:
        details: Iceberg's facts that columns cannot express, as properties.
        properties: the properties in the files; a metastore has a copy.
        view: the text of a view.
        unread: the text of a view without one in a known dialect.
    """

    columns: tuple[Column, ...]
    comment: str | None = None
    details: Mapping[str, str] = field(default_factory=lambda: NOTHING)
    properties: Mapping[str, str] = field(default_factory=lambda: NOTHING)
    view: ViewText | None = None
    unread: UnreadText | None = None


@dataclass(frozen=True, slots=True)
class UnreadSchema:
    """Why a schema was not read and what to do, for people; without content of the files."""

    reason: str


class OwnSchemas(Protocol):
    def read(self, pointers: Sequence[SchemaPointer]) -> Sequence[OwnSchema | UnreadSchema]:
        """The schema of each table, in the same order; never raises."""

    def close(self) -> None:
        """Closes the readers."""


class UnreadSchemas:
    """A stand-in that leaves every schema unread and opens no file."""

    def read(self, pointers: Sequence[SchemaPointer]) -> Sequence[OwnSchema | UnreadSchema]:
        return [UnreadSchema("files of tables are not read here")] * len(pointers)

    def close(self) -> None:
        pass


UNREAD = UnreadSchemas()

_FOR_READERS = (FORMER_NAMES, FORMER_IDS, DEFAULTS)
"""The details that become facts of a table in a metastore: without them old files are misread.

Few tables have them; the facts of all other tables do not change. With former ids, the ids of all
fields are needed, too."""


def with_own_schemas(
    found: Mapping[RelationName, Relation], schemas: OwnSchemas
) -> dict[RelationName, Relation]:
    """The relations with the schemas from their files, or with the reason why a schema is unreadable."""
    pointing = {
        name: relation.schema_pointer
        for name, relation in found.items()
        if relation.schema_pointer is not None
    }
    if not pointing:
        return dict(found)
    answers = dict(zip(pointing, schemas.read([*pointing.values()]), strict=True))
    return {
        name: _with_answer(relation, answers[name]) if name in answers else relation
        for name, relation in found.items()
    }


def _with_answer(relation: Relation, answer: OwnSchema | UnreadSchema) -> Relation:
    if isinstance(answer, UnreadSchema):
        return replace(relation, unreadable=answer.reason)
    if answer.view is not None or answer.unread is not None:
        return replace(
            relation, unreadable="its files are those of a view; drop it, or correct them"
        )
    keys = (*_FOR_READERS, *([FIELD_IDS] if FORMER_IDS in answer.details else []))
    details = {key: answer.details[key] for key in keys if key in answer.details}
    return replace(
        relation,
        columns=answer.columns,
        comment=answer.comment or relation.comment,
        properties={**relation.properties, **details} if details else relation.properties,
        unreadable=None,
        schema_pointer=None,
    )
