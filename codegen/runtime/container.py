"""Avro container files (specification, "Object Container Files") as typed records.

A file contains its writer's schema. If that differs from this package's schema, the two are resolved.
"""

from __future__ import annotations

import functools
import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import IO, Any, Final

from .binding import Binding, Reader
from .compression import (
    DEFAULT_MAX_BLOCK_BYTES,
    compressor,
    decompressor,
    max_compressed_bytes,
)
from .decoding import read_one
from .empty_items import MAX_EMPTY_ITEMS
from .equality import equal
from .errors import AvroError, InvalidAvro, InvalidValue, located, short_repr
from .partitions import Partitions, partition_values
from .places import Place, put, sources, target
from .resolution import resolve
from .schema import MalformedSchema, parse
from .units import Narrowing
from .varints import put_long
from .writers import write_onto

MAGIC: Final = b"Obj\x01"
_BLOCK_BYTES: Final = 64_000
_SYNC_BYTES: Final = 16
_HEADER_BYTES: Final = 1 << 24
"""A header may be as long as a block, and in any case as long as this: it contains a schema."""


def read_records(
    binding: Binding,
    source: Place,
    max_block_bytes: int = DEFAULT_MAX_BLOCK_BYTES,
    narrowing: Narrowing = "exact",
) -> Iterator[Any]:
    """The records of a file, or of all part files of a folder, read lazily.

    Raises:
        InvalidAvro: a file is not a container, is damaged or truncated, or has a block of more
            than ``max_block_bytes``, decompressed or in the file.
        MissingCodec: its codec needs a library that is not installed.
        UnresolvableSchema: its schema cannot be read as this package's.

    Errors begin with the file, if it has a name, and the record's number, from 1.
    """
    for name, file, partitions in sources(source):
        with _locating(name):
            reader, blocks = _open(binding, file, max_block_bytes, narrowing, partitions)
        number = empty = 0
        while True:
            with _locating(_place(name, f"after record {number}") if number else name):
                block = next(blocks, None)
            if block is None:
                break
            count, data = block
            at = 0
            for _ in range(count):
                number += 1
                try:
                    record, at = read_one(binding, binding.root.name, reader, data, at)
                    if not at and count > MAX_EMPTY_ITEMS - empty:
                        raise InvalidAvro(
                            f"more than {MAX_EMPTY_ITEMS} zero-byte records in a file"
                        )
                except AvroError as error:
                    raise located(_place(name, f"record {number}"), error) from None
                yield record
            empty += 0 if at else count
            if at != len(data):
                ended = InvalidAvro("a block is longer than its records")
                raise located(_place(name, f"after record {number}"), ended)


def write_records(binding: Binding, place: Place, records: Iterable[Any], codec: str) -> None:
    """Writes a file. If the place is a path, the complete file replaces an earlier file.

    Raises:
        AvroError: the target is a stream that is not at its start.
        InvalidValue: a record is invalid; the path begins with the record's number, from 1.
        MissingCodec: the codec needs a library that is not installed; nothing is written.
    """
    compress = compressor(codec)
    sync = os.urandom(_SYNC_BYTES)
    name = binding.root.name
    writer = binding.writers[name]
    with target(place) as file:
        _check_start(file)
        put(file, MAGIC + _header(binding.schema_text, codec) + sync)
        out = bytearray()
        count = 0
        for number, record in enumerate(records, 1):
            try:
                write_onto(binding, name, writer, record, out)
            except InvalidValue as error:
                raise located(f"record {number}", error) from None
            count += 1
            if len(out) >= _BLOCK_BYTES:
                _put_block(file, compress(bytes(out)), count, sync)
                out.clear()
                count = 0
        if count:
            _put_block(file, compress(bytes(out)), count, sync)


def reader_of(
    binding: Binding,
    writer_schema: str,
    name: str | None = None,
    narrowing: Narrowing = "exact",
) -> Reader:
    """A reader of bytes that another schema describes.

    ``name`` is the name of a type, by default the root's.
    """
    if not isinstance(writer_schema, (str, bytes)):
        raise MalformedSchema(
            f"expected a schema as JSON text, got {short_repr(writer_schema)}: pass json.dumps of it"
        )
    root = binding.root.name
    if name in {None, root} and writer_schema == binding.schema_text:
        return binding.readers[root]
    return _resolved_reader(binding, writer_schema, name or root, narrowing)


# Comparing two schemas takes longer than reading a message.
@functools.lru_cache(256)
def _resolved_reader(
    binding: Binding,
    writer_schema: str,
    name: str,
    narrowing: Narrowing,
    partitions: Partitions = (),
) -> Reader:
    try:
        writer, reader = parse(writer_schema), binding.nodes[name]
        # The text is the package's schema in another layout. Generated code is faster than resolution.
        if equal(writer, reader):
            return binding.readers[name]
        values = partition_values(binding, partitions)
        return resolve(binding, writer, reader, narrowing, values)
    except RecursionError:
        raise MalformedSchema("the schema is nested too deeply") from None
    except MemoryError:
        raise MalformedSchema("the schema does not fit into memory") from None


def _open(
    binding: Binding,
    file: IO[bytes],
    max_block_bytes: int,
    narrowing: Narrowing,
    partitions: Partitions,
) -> tuple[Reader, Iterator[tuple[int, bytes]]]:
    """The reader of a record, and the blocks of the file."""
    if _exactly(file, 4) != MAGIC:
        raise InvalidAvro("not an Avro container file")
    metadata = _metadata(file, max(max_block_bytes, _HEADER_BYTES))
    sync = _exactly(file, _SYNC_BYTES)
    schema = _text(metadata, "avro.schema", b"")
    if partitions:
        reader = _resolved_reader(binding, schema, binding.root.name, narrowing, partitions)
    else:
        reader = reader_of(binding, schema, None, narrowing)
    codec = _text(metadata, "avro.codec", b"null")
    return reader, _blocks(file, codec, max_block_bytes, sync)


def _blocks(
    file: IO[bytes], codec: str, max_block_bytes: int, sync: bytes
) -> Iterator[tuple[int, bytes]]:
    """Each block's number of records, and its decompressed bytes."""
    decompress = decompressor(codec, max_block_bytes)
    max_bytes = max_compressed_bytes(codec, max_block_bytes)
    while (first := file.read(1)) != b"":
        count = _long(file, first)
        size = _long(file, _exactly(file, 1))
        if count < 0 or size < 0:
            raise InvalidAvro("negative block length")
        if size > max_bytes:
            raise InvalidAvro(
                f"a block of {size} bytes exceeds {max_block_bytes} bytes (max_block_bytes)"
            )
        data = decompress(_exactly(file, size))
        if _exactly(file, _SYNC_BYTES) != sync:
            raise InvalidAvro("a block does not end with the file's sync marker")
        yield count, data


def _header(schema_text: str, codec: str) -> bytes:
    out = bytearray()
    put_long(out, 2)
    for key, value in (("avro.schema", schema_text), ("avro.codec", codec)):
        for part in (key.encode(), value.encode()):
            put_long(out, len(part))
            out += part
    out.append(0)
    return bytes(out)


def _place(file: str, part: str) -> str:
    return f"{file}, {part}" if file else part


@contextmanager
def _locating(place: str) -> Iterator[None]:
    try:
        yield
    except AvroError as error:
        raise located(place, error) from None


def _check_start(file: IO[bytes]) -> None:
    """Refuses to write a second header into a stream: no program could read the result."""
    try:
        at = file.tell()
    except (OSError, AttributeError):
        # A pipe or a socket has no position.
        return
    if at:
        raise AvroError(
            f"expected a stream at its start, got one at byte {at}: an Avro file has one header, "
            "and nothing is appended; write all records at once, or a further file"
        )


def _put_block(file: IO[bytes], data: bytes, count: int, sync: bytes) -> None:
    head = bytearray()
    put_long(head, count)
    put_long(head, len(data))
    put(file, bytes(head) + data + sync)


def _metadata(file: IO[bytes], max_bytes: int) -> dict[str, bytes]:
    metadata: dict[str, bytes] = {}
    left = max_bytes
    while True:
        count = _long(file, _exactly(file, 1))
        if count == 0:
            return metadata
        if count < 0:
            _long(file, _exactly(file, 1))
            count = -count
        for _ in range(count):
            key = _sized(file, left)
            value = _sized(file, left - len(key))
            # The bytes of the two lengths count, too: there may be many empty entries.
            left -= len(key) + len(value) + 2
            try:
                metadata[key.decode()] = value
            except UnicodeDecodeError:
                raise InvalidAvro("the file's header is damaged") from None


def _sized(file: IO[bytes], left: int) -> bytes:
    """Reads a key or value of a header; at most ``left`` bytes may follow."""
    size = _long(file, _exactly(file, 1))
    if size > left:
        raise InvalidAvro("the file's header is too large (max_block_bytes)")
    return _exactly(file, size)


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
