"""Columns that a relation's schema omits because Avro has no type for them.

A property of the record lists these columns for readers; fingerprints do not depend on the
property.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Final

from lakeschema.avro.model import Json, Record

PROPERTY: Final = "omitted-columns"

_MAX_SHOWN: Final = 1_000


@dataclass(frozen=True, slots=True)
class Omission:
    """An omitted column. ``type`` is its type in the catalog; ``reason`` says why Avro has none."""

    name: str
    type: str
    reason: str

    def __str__(self) -> str:
        return f"{self.name} ({self.type}): {self.reason}"


def with_omissions(record: Record, omissions: Iterable[Omission]) -> Record:
    """The record with a property that lists the omissions; unchanged without any."""
    listed: list[Json] = [
        {"name": each.name, "type": each.type, "reason": each.reason} for each in omissions
    ]
    if not listed:
        return record
    return replace(record, properties=MappingProxyType({**record.properties, PROPERTY: listed}))


def omissions_of(record: Record) -> tuple[Omission, ...]:
    """The omissions in the record's property, which is untrusted and may have another form."""
    listed = record.properties.get(PROPERTY)
    if not isinstance(listed, list):
        return ()
    return tuple(found for item in listed[:_MAX_SHOWN] if (found := _omission(item)) is not None)


def _omission(item: Json) -> Omission | None:
    match item:
        case {"name": str(name), "type": str(type_), "reason": str(reason)}:
            return Omission(name, type_, reason)
        case _:
            return None
