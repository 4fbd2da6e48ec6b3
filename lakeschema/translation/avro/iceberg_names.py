"""Finds former names of columns by Iceberg's name mapping, which follows fields by their ids.

When a field is renamed, Iceberg keeps its old names in the mapping (specification, "Name Mapping
Serialization"). Tables have a mapping if they were migrated, or if files were added to them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from lakeschema.avro.errors import MalformedAvroSchema
from lakeschema.avro.json_text import read_json
from lakeschema.avro.model import Json

NAME_MAPPING = "schema.name-mapping.default"


def other_names(properties: Mapping[str, str]) -> Mapping[str, tuple[str, ...]]:
    """The other names of each top-level field, by its name in lower case.

    Empty without a readable mapping. Names that two fields share are left out.
    """
    text = properties.get(NAME_MAPPING)
    if text is None:
        return {}
    try:
        fields = list(_names_of_fields(read_json(text)))
    except MalformedAvroSchema:
        return {}
    found: dict[str, tuple[str, ...]] = {}
    twice: set[str] = set()
    for names in fields:
        for name in names:
            key = name.lower()
            if key in found:
                twice.add(key)
            found[key] = tuple(other for other in names if other.lower() != key)
    return {name: others for name, others in found.items() if name not in twice}


def _names_of_fields(mapping: Json) -> Iterator[tuple[str, ...]]:
    for entry in mapping if isinstance(mapping, list) else ():
        names = entry.get("names") if isinstance(entry, dict) else None
        if isinstance(names, list):
            yield tuple(dict.fromkeys(name for name in names if isinstance(name, str)))
