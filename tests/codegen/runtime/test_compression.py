"""Container files in every codec: other libraries' files, damaged files, and decompression bombs."""

from __future__ import annotations

import bz2
import io
import itertools
import lzma
import sys
import zlib
from collections.abc import Callable, Iterator
from typing import Any

import avro.datafile
import avro.io
import avro.schema
import fastavro
import pyarrow as pa
import pytest
import zstandard

from tests.codegen.generated import imported, record

CODECS = ["null", "deflate", "bzip2", "xz", "snappy", "zstandard"]
LIBRARIES = {
    "snappy": ["cramjam", "snappy", "pyarrow"],
    "zstandard": ["compression.zstd", "backports.zstd", "zstandard"],
}
# From Python 3.14 on the library stands in Python itself, and the backport says that it is not needed.
STREAMS = "compression.zstd" if sys.version_info >= (3, 14) else "backports.zstd"
INSTALLED = [
    ("snappy", "cramjam"), ("snappy", "snappy"), ("snappy", "pyarrow"),
    ("zstandard", STREAMS), ("zstandard", "zstandard"),
]  # fmt: skip
SCHEMA = record({"text": "string"})
PLAIN = [{"text": "abc" * n} for n in range(300)]


@pytest.fixture(scope="module")
def package() -> Iterator[Any]:
    with imported(SCHEMA) as module:
        module.RECORD.resolve_from(module.SCHEMA)
        yield module


def hide(monkeypatch: pytest.MonkeyPatch, codec: str, *, but: str | None = None) -> None:
    """Python answers for every library of a codec, apart from one, as if it were not installed."""
    for library in LIBRARIES[codec]:
        if library != but:
            monkeypatch.setitem(sys.modules, library, None)


def file_of(package: Any, records: list[Any], codec: str) -> bytes:
    out = io.BytesIO()
    package.write_file(out, records, codec=codec)
    return out.getvalue()


def long(number: int) -> bytes:
    number <<= 1
    out = bytearray()
    while number > 127:
        out.append(number & 127 | 128)
        number >>= 7
    return bytes(out) + bytes([number])


def framed(codec: str, block: bytes, count: int = 1) -> io.BytesIO:
    """A file of one block, whose bytes are given as they stand in it."""
    head = {"avro.schema": b'{"type":"record","name":"n.R","fields":[{"name":"text",'
                           b'"type":"string"}]}', "avro.codec": codec.encode()}  # fmt: skip
    pairs = b"".join(long(len(k)) + k.encode() + long(len(v)) + v for k, v in head.items())
    sync = bytes(range(16))
    start = b"Obj\x01" + long(len(head)) + pairs + b"\0" + sync
    return io.BytesIO(start + long(count) + long(len(block)) + block + sync)


@pytest.mark.parametrize("codec", CODECS)
def test_every_codec_is_written_and_read_back(package: Any, codec: str) -> None:
    records = [package.RECORD(**plain) for plain in PLAIN]

    data = file_of(package, records, codec)

    assert list(package.read_file(io.BytesIO(data))) == records
    assert codec.encode() in data[:400]
    if codec != "null":
        assert len(data) < len(file_of(package, records, "null")) / 3


@pytest.mark.parametrize("codec", CODECS)
def test_files_pass_to_fastavro_and_back(package: Any, codec: str) -> None:
    records = [package.RECORD(**plain) for plain in PLAIN]
    theirs = io.BytesIO()
    fastavro.writer(theirs, fastavro.parse_schema(SCHEMA), PLAIN, codec=codec)
    theirs.seek(0)

    assert list(package.read_file(theirs)) == records
    assert list(fastavro.reader(io.BytesIO(file_of(package, records, codec)))) == PLAIN


@pytest.mark.parametrize("codec", ["deflate", "bzip2", "zstandard"])
def test_files_pass_to_apache_avro_and_back(package: Any, codec: str) -> None:
    records = [package.RECORD(**plain) for plain in PLAIN]
    theirs = io.BytesIO()
    writer = avro.datafile.DataFileWriter(
        theirs, avro.io.DatumWriter(), avro.schema.parse(package.SCHEMA), codec=codec
    )
    for plain in PLAIN:
        writer.append(plain)
    writer.flush()
    theirs.seek(0)

    assert list(package.read_file(theirs)) == records
    ours = io.BytesIO(file_of(package, records, codec))
    assert list(avro.datafile.DataFileReader(ours, avro.io.DatumReader())) == PLAIN


@pytest.mark.parametrize(("codec", "library"), INSTALLED)
def test_each_library_alone_reads_what_any_wrote(
    package: Any, monkeypatch: pytest.MonkeyPatch, codec: str, library: str
) -> None:
    records = [package.RECORD(**plain) for plain in PLAIN]
    before = file_of(package, records, codec)
    hide(monkeypatch, codec, but=library)

    alone = file_of(package, records, codec)

    assert list(package.read_file(io.BytesIO(before))) == records
    assert list(package.read_file(io.BytesIO(alone))) == records


@pytest.mark.parametrize(("codec", "remedy"), [("snappy", "cramjam"), ("zstandard", "backports")])
def test_codec_without_a_library_names_what_to_install(
    package: Any, monkeypatch: pytest.MonkeyPatch, codec: str, remedy: str
) -> None:
    hide(monkeypatch, codec)
    out = io.BytesIO()

    with pytest.raises(package.AvroError, match=f"{codec}.*{remedy}"):
        list(package.read_file(framed(codec, b"")))
    with pytest.raises(package.AvroError, match=f"{codec}.*{remedy}"):
        package.write_file(out, [], codec=codec)
    assert out.getvalue() == b""


def test_codec_that_nobody_knows_is_an_error(package: Any) -> None:
    with pytest.raises(package.InvalidAvro, match="lz4"):
        list(package.read_file(framed("lz4", b"")))
    with pytest.raises(ValueError, match="lz4"):
        package.write_file(io.BytesIO(), [], codec="lz4")


def deflated(data: bytes) -> bytes:
    deflater = zlib.compressobj(wbits=-15)
    return deflater.compress(data) + deflater.flush()


def snapped(data: bytes) -> bytes:
    raw: bytes = pa.compress(data, codec="snappy", asbytes=True)
    return raw + zlib.crc32(data).to_bytes(4, "big")


def streamed(data: bytes) -> bytes:
    """Without the size that Zstandard's frames may state."""
    return zstandard.ZstdCompressor(write_content_size=False).compress(data)


COMPRESS: dict[str, Callable[[bytes], bytes]] = {
    "deflate": deflated,
    "bzip2": bz2.compress,
    "xz": lzma.compress,
    "snappy": snapped,
    "zstandard": streamed,
}
BODY = long(5) + b"hello"


@pytest.mark.parametrize("codec", COMPRESS)
def test_every_cut_of_a_block_is_an_error(package: Any, codec: str) -> None:
    block = COMPRESS[codec](BODY)
    assert [r.text for r in package.read_file(framed(codec, block))] == ["hello"]

    for end in range(len(block)):
        with pytest.raises(package.InvalidAvro):
            list(package.read_file(framed(codec, block[:end])))


@pytest.mark.parametrize("codec", COMPRESS)
def test_every_flipped_byte_is_an_error_or_another_text(package: Any, codec: str) -> None:
    block = COMPRESS[codec](BODY)

    for place, bit in itertools.product(range(len(block)), (1, 128)):
        damaged = bytearray(block)
        damaged[place] ^= bit
        try:
            found = list(package.read_file(framed(codec, bytes(damaged))))
        except package.AvroError:
            continue
        assert codec in {"deflate", "zstandard"} or found == [package.RECORD(text="hello")]


@pytest.mark.parametrize("codec", COMPRESS)
def test_a_bomb_is_an_error_at_the_bound_that_is_asked_for(package: Any, codec: str) -> None:
    body = long(1 << 20) + bytes(1 << 20)
    block = COMPRESS[codec](body)

    with pytest.raises(package.InvalidAvro, match=f"more than {len(body) - 1} bytes"):
        list(package.read_file(framed(codec, block), max_block_bytes=len(body) - 1))
    (read,) = package.read_file(framed(codec, block), max_block_bytes=len(body))
    assert read.text == "\0" * (1 << 20)


@pytest.mark.parametrize("library", [STREAMS, "zstandard"])
def test_frames_of_zstandard_on_end_are_one(
    package: Any, monkeypatch: pytest.MonkeyPatch, library: str
) -> None:
    hide(monkeypatch, "zstandard", but=library)
    block = streamed(BODY[:3]) + streamed(BODY[3:])

    assert [r.text for r in package.read_file(framed("zstandard", block))] == ["hello"]


def test_snappys_size_is_refused_before_it_is_allocated(package: Any) -> None:
    block = b"\xff\xff\xff\xff\x0f" + b"\0" * 20

    with pytest.raises(package.InvalidAvro, match="cannot hold"):
        list(package.read_file(framed("snappy", block)))


def test_snappys_checksum_is_checked(package: Any) -> None:
    block = bytearray(snapped(BODY))
    block[-1] ^= 1

    with pytest.raises(package.InvalidAvro, match="checksum"):
        list(package.read_file(framed("snappy", bytes(block))))


def test_header_that_is_no_text_is_an_error(package: Any) -> None:
    data = framed("null", BODY).getvalue().replace(b"null", b"\xff\xff\xff\xff")

    with pytest.raises(package.InvalidAvro, match="header"):
        list(package.read_file(io.BytesIO(data)))
