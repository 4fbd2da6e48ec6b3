"""Makes names in Avro for relations, columns and their types."""

from __future__ import annotations

import re
from collections.abc import Mapping
from types import MappingProxyType

from lakeschema.avro.legal_names import ORIGINAL_NAME, legal_name
from lakeschema.avro.model import NO_PROPERTIES, Json, Record
from lakeschema.avro.parsing import PRIMITIVE_TYPES
from lakeschema.catalog.identifiers import RelationName


def type_name(name: str) -> str:
    """A legal name for a type, different from the primitive types'."""
    legal = legal_name(name)
    return f"_x{ord(legal[0]):02X}{legal[1:]}" if legal in PRIMITIVE_TYPES else legal


def name_properties(name: str, legal: str) -> Mapping[str, Json]:
    return NO_PROPERTIES if name == legal else MappingProxyType({ORIGINAL_NAME: name})


def record_name(relation: RelationName) -> str:
    """The name of a relation's record: ``SingleUniontypes`` for ``single_uniontypes``.

    The record's namespace has the exact name.
    """
    words = [word for word in re.split(r"[^A-Za-z0-9]+", relation.name) if word]
    camel = "".join(word[0].upper() + word[1:] for word in words)
    return legal_name(camel or relation.name)


def relation_namespace(relation: RelationName) -> str:
    """The namespace for a relation: ``db.table``, or ``catalog.db.table`` outside the default catalog."""
    parts = (relation.catalog, *relation.parts) if relation.catalog else relation.parts
    return ".".join(legal_name(part) for part in parts)


def has_case_twins(record: Record) -> bool:
    """Whether two of the record's fields differ only in case."""
    return len({field.name.lower() for field in record.fields}) < len(record.fields)
