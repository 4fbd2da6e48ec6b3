"""Small hostile files: values, time and memory stay proportional to the input."""

from __future__ import annotations

import bz2
import importlib
import io
import json
import lzma
from collections.abc import Iterator
from typing import Any

import pytest
import zstandard

from tests.codegen.generated import imported, record
from tests.codegen.runtime.test_compression import (
    CODECS,
    STREAMS,
    deflated,
    file_of,
    framed,
    hide,
    long,
)

LISTS: dict[str, Any] = {"type": "array", "items": {"type": "array", "items": "null"}}


@pytest.fixture(scope="module")
def package() -> Iterator[Any]:
    text = {"name": "text", "type": "string", "default": ""}
    with imported({**record({}), "fields": [text]}) as module:
        yield module


def container(
    schema: Any, blocks: list[tuple[int, bytes]], codec: str = "null", **metadata: bytes
) -> io.BytesIO:
    """A file of any schema, whose blocks may state any number of records."""
    text = schema if isinstance(schema, str) else json.dumps(schema)
    head = {"avro.schema": text.encode(), "avro.codec": codec.encode(), **metadata}
    pairs = b"".join(long(len(k)) + k.encode() + long(len(v)) + v for k, v in head.items())
    sync = bytes(range(16))
    body = b"".join(long(count) + long(len(data)) + data + sync for count, data in blocks)
    return io.BytesIO(b"Obj\x01" + long(len(head)) + pairs + b"\0" + sync + body)


class Endless(io.RawIOBase):
    """A stream that never ends; counts what was read of it."""

    def __init__(self, head: bytes, then: bytes) -> None:
        self._head = head
        self._then = then
        self.bytes_read = 0

    def read(self, size: int = -1) -> bytes:
        found, self._head = self._head[:size], self._head[size:]
        found = found or (self._then * (size // len(self._then) + 1))[:size]
        self.bytes_read += len(found)
        return found


@pytest.mark.parametrize("data", [b"", b"\0"])
def test_records_of_zero_bytes_are_bounded_whatever_a_block_states(
    package: Any, data: bytes
) -> None:
    file = container(record({}), [(2**62, data)])

    with pytest.raises(package.InvalidAvro, match="10000 zero-byte records"):
        list(package.read_file(file))


def test_records_of_zero_bytes_are_bounded_in_a_file_of_many_blocks(package: Any) -> None:
    file = container(record({}), [(4_000, b"")] * 3)

    with pytest.raises(package.InvalidAvro, match="10000 zero-byte records"):
        list(package.read_file(file))
    assert len(list(package.read_file(container(record({}), [(4_000, b"")] * 2)))) == 8_000


def test_nulls_of_many_arrays_are_bounded_together() -> None:
    with imported(record({"f": LISTS})) as package:
        inner = long(6_000) + b"\0"
        one, two = long(1) + inner + b"\0", long(2) + inner * 2 + b"\0"
        other = json.dumps(record({"f": LISTS, "more": "null"}))

        for read in (package.RECORD.from_avro, lambda data: package.RECORD.from_avro(data, other)):
            for _ in range(3):
                # Each input is counted by itself.
                assert read(one).f == [[None] * 6_000]
            with pytest.raises(package.InvalidAvro, match="10000 zero-byte items"):
                read(two)
        with pytest.raises(package.InvalidAvro, match="10000 zero-byte items"):
            list(package.read_file(container(json.loads(package.SCHEMA), [(2, one * 2)])))


def test_as_many_nulls_as_the_input_has_bytes_are_read() -> None:
    schema = record({"f": {"type": "array", "items": "null"}, "text": "bytes"})
    with imported(schema) as package:
        data = long(30_000) + b"\0" + long(30_000) + bytes(30_000)

        assert len(package.RECORD.from_avro(data).f) == 30_000


@pytest.mark.parametrize("items", [LISTS, {"type": "array", "items": record({}, "E")}])
def test_zero_byte_items_of_a_field_that_is_skipped_cost_nothing(package: Any, items: Any) -> None:
    writer = record({"junk": items, "text": "string"})
    inner = long(2**50) + b"\0" if items is LISTS else b""
    data = (long(1) + inner if items is LISTS else long(2**50)) + b"\0" + long(1) + b"x"

    assert package.RECORD.from_avro(data, json.dumps(writer)).text == "x"


SKIPPED: list[tuple[Any, bytes]] = [
    ("boolean", b"\1"),
    ("int", long(70)),
    ("long", long(2**40)),
    ("float", bytes(4)),
    ("double", bytes(8)),
    ("bytes", long(3) + b"abc"),
    ("string", long(3) + b"abc"),
    ({"type": "fixed", "name": "F", "size": 5}, bytes(5)),
    ({"type": "enum", "name": "E", "symbols": ["A", "B"]}, b"\2"),
    (["null", "string"], b"\2" + long(1) + b"x"),
    ({"type": "array", "items": "long"}, long(2) + b"\2\4" + b"\0"),
    ({"type": "map", "values": "double"}, long(1) + long(1) + b"k" + bytes(8) + b"\0"),
    (record({"a": "int", "b": "null"}, "Inner"), b"\2"),
]


@pytest.mark.parametrize(("type_", "data"), SKIPPED, ids=[str(t) for t, _ in SKIPPED])
def test_a_field_of_any_type_is_skipped_to_its_end(package: Any, type_: Any, data: bytes) -> None:
    writer = json.dumps(record({"junk": {"type": type_}, "text": "string"}))

    assert package.RECORD.from_avro(data + long(1) + b"x", writer).text == "x"
    for end in range(len(data)):
        with pytest.raises(package.InvalidAvro):
            package.RECORD.from_avro(data[:end], writer)


def test_a_skipped_array_of_fixed_is_bounded_by_the_input(package: Any) -> None:
    fixed = {"type": "fixed", "name": "F", "size": 5}
    writer = record({"junk": {"type": "array", "items": fixed}, "text": "string"})

    with pytest.raises(package.InvalidAvro):
        package.RECORD.from_avro(long(2**62) + bytes(50), json.dumps(writer))


def doubling(depth: int) -> Any:
    """A record of no bytes, with ``2 ** depth`` records within it."""
    found: Any = record({}, "R0")
    for level in range(1, depth + 1):
        found = record({"a": {"type": found}, "b": f"R{level - 1}"}, f"R{level}")
    return found


def test_a_writers_record_of_zero_bytes_cannot_grow_exponentially(package: Any) -> None:
    file = container(record({"junk": {"type": doubling(40)}}), [(1, b"")])

    with pytest.raises(package.AvroError, match="zero-byte"):
        list(package.read_file(file))


@pytest.mark.parametrize("codec", CODECS)
def test_a_block_is_not_read_further_than_its_bound(package: Any, codec: str) -> None:
    head = framed(codec, b"").getvalue()[:-18]
    file = Endless(head + long(1) + long(2**50), b"\0")

    with pytest.raises(package.InvalidAvro, match="max_block_bytes"):
        list(package.read_file(file, max_block_bytes=1_000))
    assert file.bytes_read < 10_000


@pytest.mark.parametrize("codec", CODECS)
def test_the_bound_of_a_block_holds_for_every_codec(package: Any, codec: str) -> None:
    data = file_of(package, [package.RECORD(text="a" * 50_000)], codec)

    with pytest.raises(package.InvalidAvro, match="max_block_bytes"):
        list(package.read_file(io.BytesIO(data), max_block_bytes=1_000))
    assert len(list(package.read_file(io.BytesIO(data), max_block_bytes=50_003))) == 1


@pytest.mark.parametrize("codec", CODECS)
def test_a_block_that_does_not_compress_may_be_as_long_as_the_bound(
    package: Any, codec: str
) -> None:
    data = file_of(package, [package.RECORD(text="abc")], codec)

    assert len(list(package.read_file(io.BytesIO(data), max_block_bytes=4))) == 1


@pytest.mark.thorough
@pytest.mark.parametrize("head", [long(1) + long(2**50), long(2**60), long(1) + long(-1 & 2**60)])
def test_a_header_is_not_read_further_than_its_bound(package: Any, head: bytes) -> None:
    file = Endless(b"Obj\x01" + head, long(3) + b"abc")

    with pytest.raises(package.InvalidAvro, match="header"):
        list(package.read_file(file, max_block_bytes=1_000))
    assert file.bytes_read < 1 << 25


class CountingStream:
    """A decompressor that counts the bytes that it was fed, those again that a stream left over."""

    fed_bytes = 0

    def __init__(self, stream: Any) -> None:
        self._stream = stream

    def decompress(self, data: bytes, *more: Any, **options: Any) -> Any:
        CountingStream.fed_bytes += len(data)
        return self._stream.decompress(data, *more, **options)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)


EMPTY_STREAMS = {
    "bzip2": bz2.compress(b""),
    "xz": lzma.compress(b""),
    "zstandard": zstandard.compress(b""),
}


@pytest.mark.parametrize(
    ("codec", "library"),
    [("bzip2", ""), ("xz", ""), ("zstandard", STREAMS), ("zstandard", "zstandard")],
)
def test_many_empty_streams_are_read_in_linear_time(
    package: Any, monkeypatch: pytest.MonkeyPatch, codec: str, library: str
) -> None:
    if library:
        hide(monkeypatch, codec, but=library)
    compression = importlib.import_module(f"{package.__name__}._avro.files")
    monkeypatch.setattr(CountingStream, "fed_bytes", 0)
    new_streams = compression._stream_decompressor

    def counting(new: Any, *more: Any) -> Any:
        return new_streams(lambda: CountingStream(new()), *more)

    monkeypatch.setattr(compression, "_stream_decompressor", counting)
    block = EMPTY_STREAMS[codec] * 3_000

    assert list(package.read_file(framed(codec, block, 0))) == []
    assert 0 < CountingStream.fed_bytes < 3_000 * 10_000


@pytest.mark.parametrize(
    "schema",
    [
        '{"type":"record","name":"n.R","fields":[],"aliases":5}',
        '{"type":"record","name":"n.R","fields":[{"name":"text","type":"string","aliases":3}]}',
        '{"type":"record","name":"n.R","fields":[{"name":"text","type":{"type":"string","logicalType":[]}}]}',
        '{"type":"record","name":"n.R","fields":[{"name":"text","type":{"type":"long","logicalType":{}}}]}',
        '{"type":"record","name":"n.R","fields":[],"x":' + "9" * 5_000 + "}",
        '{"type":"record","name":"n.\\ud800","fields":[]}',
        '{"type":"record","name":"n.R","fields":[{"name":"text","type":"string","default":'
        + "[" * 900 + "]" * 900 + "}]}",
        '{"type":"record","name":"n.R","fields":[{"name":"text","type":"n.R"}]}',
        *(
            '{"type":"record","name":"n.R","fields":[{"name":"junk","type":'
            + '{"type":"array","items":' * depth + '"null"' + "}" * depth + "}]}"
            for depth in (150, 300, 450, 600, 900, 5_000)
        ),
    ],
)  # fmt: skip
def test_whatever_a_writers_schema_is_only_an_avro_error_escapes(package: Any, schema: str) -> None:
    with pytest.raises(package.AvroError):
        list(package.read_file(container(schema, [(1, b"\xff")])))
    with pytest.raises(package.AvroError):
        package.RECORD.from_avro(b"\xff", schema)
    with pytest.raises(package.AvroError):
        package.RECORD.from_single_object(b"\xc3\x01" + bytes(8) + b"\xff", lambda _: schema)


def test_memory_that_is_not_there_is_an_error_of_the_file(
    package: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    compression = importlib.import_module(f"{package.__name__}._avro.files")

    def no_memory(_wbits: int) -> Any:
        raise MemoryError

    monkeypatch.setattr(compression.zlib, "decompressobj", no_memory)

    with pytest.raises(package.InvalidAvro, match="memory"):
        list(package.read_file(framed("deflate", deflated(b"\0"))))


def mutual(name: str) -> Any:
    branches: list[Any] = ["null", "A", "B"]
    if name == "A":
        branches[2] = mutual("B")
    return record({"next": {"type": branches, "default": None}}, name)


def test_plain_records_of_two_types_within_each_other_are_typed_in_polynomial_time() -> None:
    plain: dict[str, Any] = {"next": None}
    for _ in range(60):
        plain = {"next": plain}
    with imported(mutual("A")) as package:
        read = package.RECORD.from_dict(plain)

        deepest = read
        while deepest.next is not None:
            deepest = deepest.next
        assert isinstance(deepest, package.A)
        with pytest.raises(package.InvalidValue):
            package.RECORD.from_dict({"next": plain, "unknown": 1})


def test_equal_plain_values_become_records_of_their_own() -> None:
    same = {"next": None}
    schema = record({"f": {"type": "array", "items": ["null", mutual("A"), "B"]}})
    with imported(schema) as package:
        first, second = package.RECORD.from_dict({"f": [same, same]}).f

        assert first == second
        assert first is not second


def test_a_value_that_is_nested_too_deeply_to_convert_is_invalid() -> None:
    schema = record({"next": {"type": ["null", "R"], "default": None}})
    with imported(schema) as package:
        plain: dict[str, Any] = {"next": None}
        typed = package.RECORD(next=None)
        for _ in range(5_000):
            plain, typed = {"next": plain}, package.RECORD(next=typed)

        with pytest.raises(package.InvalidValue, match="nested too deeply"):
            package.RECORD.from_dict(plain)
        with pytest.raises(package.InvalidValue, match="nested too deeply"):
            typed.to_dict()
