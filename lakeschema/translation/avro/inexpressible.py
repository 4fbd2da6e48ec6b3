"""Placeholders in a derived schema for types that Avro cannot express, and checks for them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from lakeschema.avro.definitions import parts
from lakeschema.avro.model import Primitive, Schema
from lakeschema.avro.omissions import Omission
from lakeschema.catalog.column_types import print_type
from lakeschema.catalog.relations import Column
from lakeschema.translation.model.errors import UnsupportedType
from lakeschema.translation.model.interface import Interface, OmittedColumn


@dataclass(frozen=True, slots=True)
class Placeholder(Primitive):
    """Stands for a part that Avro cannot express.

    It is a separate class, so that no schema text can produce it.
    """

    part: str = ""
    reason: str = ""


def placeholder(error: UnsupportedType) -> Placeholder:
    return Placeholder("string", part=error.type_text, reason=error.reason)


def placeholder_in(schema: Schema) -> Placeholder | None:
    """The first placeholder in the schema."""
    return next((part for part in parts(schema) if isinstance(part, Placeholder)), None)


def omitted_column(position: int, column: Column, part: str, reason: str) -> OmittedColumn:
    """The omission of a column.

    ``part`` is the text of its type, or of the part with the ``reason``.
    """
    is_whole = part == print_type(column.type)
    return OmittedColumn(position, column, reason if is_whole else f"{reason} ({part})")


def require_whole(interface: Interface) -> None:
    """Raises ``UnsupportedType`` for a column that the schema omits."""
    for each in interface.omitted:
        column = each.column
        raise UnsupportedType(
            f"column {column.name}",
            print_type(column.type),
            each.reason,
            relation=interface.name,
            hint="change its type, or allow such columns to be omitted",
        )


def omissions(omitted: Iterable[OmittedColumn]) -> tuple[Omission, ...]:
    return tuple(
        Omission(each.column.name, print_type(each.column.type), each.reason) for each in omitted
    )
