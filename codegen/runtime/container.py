"""Avro container files (specification, "Object Container Files") as typed records.

A file contains its writer's schema; one that differs from this package's is resolved against it.
"""

from __future__ import annotations

import functools
import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any, Final

from .binding import Binding, Reader, read_one
from .compression import DEFAULT_MAX_BLOCK_BYTES, compressor, decompressor
from .equality import equal
from .errors import InvalidAvro
from .resolution import resolve
from .schema import parse
from .values import write_onto
from .varints import MAX_EMPTY_ITEMS, put_long

MAGIC: Final = b"Obj\x01"
_BLOCK_BYTES: Final = 64_000
_SYNC_BYTES: Final = 16


def read_records(
    binding: Binding,
    source: str | os.PathLike[str] | IO[bytes],
    max_block_bytes: int = DEFAULT_MAX_BLOCK_BYTES,
) -> Iterator[Any]:
    """The file's records, read lazily.

    Raises:
        InvalidAvro: the file is not a container, is damaged or truncated, or has a block that
            decompresses to more than ``max_block_bytes``.
        MissingCodec: its codec needs a library that is not installed.
        UnresolvableSchema: its schema cannot be read as this package's.
    """
    with _open(source, "rb") as file:
        if _exactly(file, 4) != MAGIC:
            raise InvalidAvro("not an Avro container file")
        metadata = _metadata(file)
        sync = _exactly(file, _SYNC_BYTES)
        reader = reader_of(binding, _text(metadata, "avro.schema", b""))
        decompress = decompressor(_text(metadata, "avro.codec", b"null"), max_block_bytes)
        while (first := file.read(1)) != b"":
            count = _long(file, first)
            size = _long(file, _exactly(file, 1))
            if count < 0 or size < 0:
                raise InvalidAvro("negative block length")
            data = decompress(_exactly(file, size))
            if _exactly(file, _SYNC_BYTES) != sync:
                raise InvalidAvro("a block does not end with the file's sync marker")
            yield from _records(reader, data, count)


def write_records(
    binding: Binding,
    target: str | os.PathLike[str] | IO[bytes],
    records: Iterable[Any],
    codec: str,
) -> None:
    """Writes a file.

    Raises:
        InvalidValue: a record is invalid; the blocks before it are written.
        MissingCodec: the codec needs a library that is not installed; nothing is written.
    """
    compress = compressor(codec)
    sync = os.urandom(_SYNC_BYTES)
    name = binding.root.name
    writer = binding.writers[name]
    with _open(target, "wb") as file:
        file.write(MAGIC + _header(binding.schema_text, codec) + sync)
        out = bytearray()
        count = 0
        for record in records:
            write_onto(binding, name, writer, record, out)
            count += 1
            if len(out) >= _BLOCK_BYTES:
                _put_block(file, compress(bytes(out)), count, sync)
                out.clear()
                count = 0
        if count:
            _put_block(file, compress(bytes(out)), count, sync)


def reader_of(binding: Binding, writer_schema: str, name: str | None = None) -> Reader:
    """A reader of the bytes that a writer's schema describes; ``name`` is the root's unless given."""
    root = binding.root.name
    if name in {None, root} and writer_schema == binding.schema_text:
        return binding.readers[root]
    return _resolved_reader(binding, writer_schema, name or root)


# To compare two schemas takes longer than to read a message.
@functools.lru_cache(256)
def _resolved_reader(binding: Binding, writer_schema: str, name: str) -> Reader:
    writer, reader = parse(writer_schema), binding.nodes[name]
    # The package's schema in another formatting: generated code is faster than resolution.
    return binding.readers[name] if equal(writer, reader) else resolve(binding, writer, reader)


def _records(reader: Reader, data: bytes, count: int) -> Iterator[Any]:
    if not data and count > MAX_EMPTY_ITEMS:
        raise InvalidAvro(f"more than {MAX_EMPTY_ITEMS} zero-byte records in a block")
    at = 0
    for _ in range(count):
        record, at = read_one(reader, data, at)
        yield record
    if at != len(data):
        raise InvalidAvro("a block is longer than its records")


def _header(schema_text: str, codec: str) -> bytes:
    out = bytearray()
    put_long(out, 2)
    for key, value in (("avro.schema", schema_text), ("avro.codec", codec)):
        for part in (key.encode(), value.encode()):
            put_long(out, len(part))
            out += part
    out.append(0)
    return bytes(out)


def _put_block(file: IO[bytes], data: bytes, count: int, sync: bytes) -> None:
    head = bytearray()
    put_long(head, count)
    put_long(head, len(data))
    file.write(bytes(head) + data + sync)


def _metadata(file: IO[bytes]) -> dict[str, bytes]:
    metadata: dict[str, bytes] = {}
    while True:
        count = _long(file, _exactly(file, 1))
        if count == 0:
            return metadata
        if count < 0:
            _long(file, _exactly(file, 1))
            count = -count
        for _ in range(count):
            key = _exactly(file, _long(file, _exactly(file, 1)))
            try:
                name = key.decode()
            except UnicodeDecodeError:
                raise InvalidAvro("the file's header is damaged") from None
            metadata[name] = _exactly(file, _long(file, _exactly(file, 1)))


def _text(metadata: dict[str, bytes], key: str, default: bytes) -> str:
    try:
        return metadata.get(key, default).decode()
    except UnicodeDecodeError:
        raise InvalidAvro("the file's header is damaged") from None


def _long(file: IO[bytes], first: bytes) -> int:
    raw = first[0] & 127
    shift = 7
    byte = first[0]
    while byte > 127:
        if shift > 63:
            raise InvalidAvro("number is longer than ten bytes")
        byte = _exactly(file, 1)[0]
        raw |= (byte & 127) << shift
        shift += 7
    return raw >> 1 ^ -(raw & 1)


_STEP: Final = 1 << 20


def _exactly(file: IO[bytes], size: int) -> bytes:
    """Reads in steps, so that a damaged length allocates no more than the file holds."""
    if size < 0:
        raise InvalidAvro("negative length")
    parts: list[bytes] = []
    while size > 0:
        part = file.read(min(size, _STEP))
        if not part:
            raise InvalidAvro("unexpected end of file")
        parts.append(part)
        size -= len(part)
    return b"".join(parts)


@contextmanager
def _open(place: str | os.PathLike[str] | IO[bytes], mode: str) -> Iterator[IO[bytes]]:
    if isinstance(place, (str, os.PathLike)):
        with Path(place).open(mode) as file:
            yield file
    else:
        yield place
