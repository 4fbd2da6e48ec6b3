"""The ids of an Iceberg table's fields, as a property of its Avro record.

A field that keeps its name but not its id is another column: it was dropped and added again, or two
columns swapped their names. Its values mean something else, although the schemas look the same.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from lakeschema.avro.model import Json

FIELD_IDS = "iceberg.field-ids"
"""The property: an object of ids by the fields' paths."""


def replaced_fields(
    old: Mapping[str, Json], new: Mapping[str, Json]
) -> Iterator[tuple[str, int, int]]:
    """The path, old id and new id of each replaced field, from the properties of two records."""
    before, after = old.get(FIELD_IDS), new.get(FIELD_IDS)
    if not isinstance(before, dict) or not isinstance(after, dict):
        return
    for path, id_ in before.items():
        now = after.get(path)
        if isinstance(id_, int) and isinstance(now, int) and id_ != now:
            yield path, id_, now
