"""Completes tables that keep their schema in separate files.

An argument opens the files, since their places come from a metastore's untrusted text.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

from lakeschema.catalog.identifiers import RelationName
from lakeschema.catalog.relations import Column, Relation, SchemaPointer


@dataclass(frozen=True, slots=True)
class OwnSchema:
    """A table's schema from its own files, with their ``comment`` if any."""

    columns: tuple[Column, ...]
    comment: str | None = None


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
    """Opens no file."""

    def read(self, pointers: Sequence[SchemaPointer]) -> Sequence[OwnSchema | UnreadSchema]:
        return [UnreadSchema("files of tables are not read here")] * len(pointers)

    def close(self) -> None:
        pass


UNREAD = UnreadSchemas()


def with_own_schemas(
    found: Mapping[RelationName, Relation], schemas: OwnSchemas
) -> dict[RelationName, Relation]:
    """The relations with the schemas from their own files, or with the reason why these are unreadable."""
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
    return replace(
        relation,
        columns=answer.columns,
        comment=answer.comment or relation.comment,
        unreadable=None,
        schema_pointer=None,
    )
