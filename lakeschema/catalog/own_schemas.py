"""Tables whose schema is in files of their own → the same with what these files say.

Who opens the files is an argument: they are where untrusted text of a metastore says.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

from lakeschema.catalog.identifiers import RelationName
from lakeschema.catalog.relations import Column, Relation, SchemaPointer


@dataclass(frozen=True, slots=True)
class OwnSchema:
    """What a table's own files say of it; ``comment`` is None where they say nothing."""

    columns: tuple[Column, ...]
    comment: str | None = None


@dataclass(frozen=True, slots=True)
class UnreadSchema:
    """Why there is none, and what a person can do; for people, without content of the files."""

    reason: str


class OwnSchemas(Protocol):
    def read(self, pointers: Sequence[SchemaPointer]) -> Sequence[OwnSchema | UnreadSchema]:
        """What the files of each say, in the same order; nothing raises."""

    def close(self) -> None:
        """Ends what reads them."""


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
    """The relations; those that point to files have what these say, or why they cannot be read."""
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
