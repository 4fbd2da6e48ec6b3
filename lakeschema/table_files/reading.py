"""Reads schemas from tables' files, in a child process."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from contextlib import closing
from typing import Any

from lakeschema.catalog.facts_json import (
    column_from_json,
    column_to_json,
    unread_from_json,
    unread_to_json,
    view_from_json,
    view_to_json,
)
from lakeschema.catalog.own_schemas import OwnSchema
from lakeschema.catalog.relations import SchemaPointer, TableFormat
from lakeschema.table_files.access import FileAccess
from lakeschema.table_files.delta_log import read_log
from lakeschema.table_files.errors import UnreadableFile
from lakeschema.table_files.iceberg_metadata import FILE_NAME, read_metadata
from lakeschema.table_files.storage import storage_of


def answer_questions(argument: tuple[FileAccess, dict[str, str]]) -> Callable[[Any], Any]:
    """The child's function from ``[format, location]`` to the columns, or the reason for failing."""
    access, surroundings = argument
    os.environ.update(surroundings)

    def answer(question: Any) -> Any:
        pointer = SchemaPointer(TableFormat(question[0]), question[1])
        try:
            found = read_schema(pointer, access)
        except UnreadableFile as error:
            return {"reason": str(error)}
        return schema_to_json(found)

    return answer


def schema_to_json(schema: OwnSchema) -> dict[str, Any]:
    """A schema as plain JSON values; ``schema_from_json`` reads them back."""
    return {
        "columns": [column_to_json(c) for c in schema.columns],
        "comment": schema.comment,
        "details": dict(schema.details),
        "properties": dict(schema.properties),
        "view": None if schema.view is None else view_to_json(schema.view),
        "unread": unread_to_json(schema.unread),
    }


def schema_from_json(value: Mapping[str, Any]) -> OwnSchema:
    """Reads the output of ``schema_to_json``."""
    return OwnSchema(
        columns=tuple(column_from_json(column) for column in value["columns"]),
        comment=value["comment"],
        details=value["details"],
        properties=value["properties"],
        view=None if value["view"] is None else view_from_json(value["view"]),
        unread=unread_from_json(value["unread"]),
    )


def read_schema(pointer: SchemaPointer, access: FileAccess) -> OwnSchema:
    """The schema in the files that a metastore points to.

    Raises:
        UnreadableFile: reading the files is not allowed or fails, or the files are malformed.
    """
    location = access.location(pointer.location)
    if pointer.format is TableFormat.DELTA:
        return read_log(storage_of(location), location, access.max_bytes)
    if not FILE_NAME.fullmatch(location.name):
        raise UnreadableFile(
            f"{location} does not have the name of a metadata file",
            "correct metadata_location in the metastore",
        )
    with closing(storage_of(location).open(location)) as file:
        return read_metadata(file, location.name, access.max_bytes)
