"""Opens an Iceberg table's or view's metadata file, which may be compressed, within a limit of size."""

from __future__ import annotations

import json
import re
import zlib
from typing import BinaryIO

from lakeschema.catalog.iceberg_metadata import MalformedMetadata
from lakeschema.catalog.iceberg_metadata import read_metadata as schema_in
from lakeschema.catalog.own_schemas import OwnSchema
from lakeschema.table_files.errors import MalformedFile, UnreadableFile

FILE_NAME = re.compile(r".+\.metadata\.json(?:\.gz)?")
_GZIP = b"\x1f\x8b"


def read_metadata(file: BinaryIO, name: str, max_bytes: int) -> OwnSchema:
    """The schema in a metadata file of a table or view.

    Raises:
        UnreadableFile: the file is too large or malformed, or its format is unknown.
    """
    try:
        metadata = json.loads(_text(file, name, max_bytes))
    except (ValueError, RecursionError):
        raise MalformedFile(name, "is not the metadata of an Iceberg table") from None
    try:
        return schema_in(metadata)
    except MalformedMetadata as error:
        raise UnreadableFile(f"{name} {error.reason}", error.hint) from None


def _text(file: BinaryIO, name: str, max_bytes: int) -> bytes:
    content = file.read(max_bytes + 1)
    if content.startswith(_GZIP):
        unpacking = zlib.decompressobj(wbits=zlib.MAX_WBITS | 16)
        try:
            content = unpacking.decompress(content, max_bytes + 1)
        except zlib.error:
            raise MalformedFile(name, "is not compressed as its name says") from None
    if len(content) > max_bytes:
        raise UnreadableFile(
            f"{name} is larger than {max_bytes} bytes",
            "raise catalog.table_files.max_megabytes, or expire snapshots of the table",
        )
    return content
