"""The codecs of container files (specification, "Object Container Files", "Required Codecs").

A library is imported when a file asks for it. Whatever a block claims, it is never decompressed to
more than the bytes that the caller allows.
"""

from __future__ import annotations

import importlib
import zlib
from collections.abc import Callable
from typing import Any, Final

from .errors import AvroError, InvalidAvro, MissingCodec

Compress = Callable[[bytes], bytes]
Decompress = Callable[[bytes, int], bytes]
"""Of a block, and the most bytes that may come of it."""

DEFAULT_MAX_BLOCK_BYTES: Final = 1 << 28


def compressor(codec: str) -> Compress:
    """Raises ``MissingCodec``; and ``ValueError`` for a codec that nobody knows."""
    if codec not in _CODECS:
        raise ValueError(f"unsupported codec {codec!r}: expected one of {', '.join(_CODECS)}")
    return _CODECS[codec]()[0]


def decompressor(codec: str, max_block_bytes: int) -> Compress:
    """Raises ``MissingCodec``; and ``InvalidAvro`` for a codec that nobody knows."""
    if codec not in _CODECS:
        raise InvalidAvro(f"unsupported codec {codec!r}: expected one of {', '.join(_CODECS)}")
    inner = _CODECS[codec]()[1]

    def decompress(data: bytes) -> bytes:
        try:
            return inner(data, max_block_bytes)
        except (AvroError, MemoryError):
            raise
        except Exception as error:  # noqa: BLE001 - each library has errors of its own
            raise InvalidAvro(f"a block's compressed data is damaged: {error}") from None

    return decompress


def _too_long(most: int) -> InvalidAvro:
    return InvalidAvro(f"a block decompresses to more than {most} bytes (max_block_bytes)")


def _early() -> InvalidAvro:
    return InvalidAvro("unexpected end of a block's compressed data")


def _loaded(codec: str, libraries: dict[str, str]) -> tuple[str, Any]:
    """The first of the modules that is there; ``libraries`` tells what to install for each."""
    for module in libraries:
        try:
            return module, importlib.import_module(module)
        except ImportError:
            continue
    raise MissingCodec(codec, tuple(libraries.values()))


def _null() -> tuple[Compress, Decompress]:
    return bytes, lambda data, _most: bytes(data)


def _deflate() -> tuple[Compress, Decompress]:
    def compress(data: bytes) -> bytes:
        deflater = zlib.compressobj(wbits=-15)
        return deflater.compress(data) + deflater.flush()

    def decompress(data: bytes, most: int) -> bytes:
        inflater = zlib.decompressobj(-15)
        found = inflater.decompress(data, most + 1)
        if len(found) > most:
            raise _too_long(most)
        if not inflater.eof:
            raise _early()
        # What follows is let be, as Java's Avro does: some writers append a checksum.
        return found

    return compress, decompress


def _bzip2() -> tuple[Compress, Decompress]:
    _, bz2 = _loaded("bzip2", {"bz2": "a Python built with bz2"})
    return bz2.compress, _of_streams(bz2.BZ2Decompressor)


_XZ_MEMORY_BYTES: Final = 1 << 28
"""Four times what the highest level of compression asks for; a damaged head may ask for more."""


def _xz() -> tuple[Compress, Decompress]:
    _, lzma = _loaded("xz", {"lzma": "a Python built with lzma"})
    return lzma.compress, _of_streams(
        lambda: lzma.LZMADecompressor(lzma.FORMAT_XZ, _XZ_MEMORY_BYTES)
    )


def _of_streams(new: Callable[[], Any]) -> Decompress:
    """With objects like ``BZ2Decompressor``; streams on end are one, as these formats define."""

    def decompress(data: bytes, most: int) -> bytes:
        parts: list[bytes] = []
        left = most
        while True:
            stream = new()
            part: bytes = stream.decompress(data, max_length=left + 1)
            left -= len(part)
            if left < 0:
                raise _too_long(most)
            if not stream.eof:
                raise _early()
            parts.append(part)
            data = stream.unused_data
            if not data:
                return b"".join(parts)

    return decompress


_SNAPPY: Final = {"cramjam": "cramjam", "snappy": "python-snappy", "pyarrow": "pyarrow"}
# What each library has for Snappy's own format, without a frame; the number is the result's size.
_Raw = tuple[Callable[[bytes], Any], Callable[[bytes, int], Any]]
_RAW_SNAPPY: Final[dict[str, Callable[[Any], _Raw]]] = {
    "cramjam": lambda library: (
        library.snappy.compress_raw,
        lambda data, _size: library.snappy.decompress_raw(data),
    ),
    "snappy": lambda library: (library.compress, lambda data, _size: library.decompress(data)),
    "pyarrow": lambda library: (
        lambda data: library.compress(data, codec="snappy", asbytes=True),
        lambda data, size: library.decompress(data, size, codec="snappy", asbytes=True),
    ),
}
_SNAPPY_RATIO: Final = (64, 3)
"""The most that Snappy's format can do: a copy of 64 bytes takes 3."""


def _snappy() -> tuple[Compress, Decompress]:
    name, library = _loaded("snappy", _SNAPPY)
    raw_compress, raw_decompress = _RAW_SNAPPY[name](library)

    def compress(data: bytes) -> bytes:
        return bytes(raw_compress(data)) + zlib.crc32(data).to_bytes(4, "big")

    def decompress(data: bytes, most: int) -> bytes:
        body, checksum = data[:-4], data[-4:]
        size = _stated_size(body)
        if size > most:
            raise _too_long(most)
        found = bytes(raw_decompress(body, size))
        if zlib.crc32(found) != int.from_bytes(checksum, "big"):
            raise InvalidAvro("checksum mismatch in a block")
        return found

    return compress, decompress


def _stated_size(data: bytes) -> int:
    """What Snappy's data says that it becomes, which libraries allocate before they read on."""
    size = 0
    for place, byte in enumerate(data[:5]):
        size |= (byte & 127) << 7 * place
        if byte < 128:
            most, least = _SNAPPY_RATIO
            if size * least > len(data) * most:
                raise InvalidAvro(
                    f"a block's compressed data cannot hold the {size} bytes that it declares"
                )
            return size
    raise _early()


_ZSTANDARD: Final = {
    "compression.zstd": "Python 3.14",
    "backports.zstd": "backports.zstd",
    "zstandard": "zstandard",
}


def _zstandard() -> tuple[Compress, Decompress]:
    name, library = _loaded("zstandard", _ZSTANDARD)
    if name != "zstandard":
        return library.compress, _of_streams(library.ZstdDecompressor)
    compress: Compress = library.ZstdCompressor().compress
    return compress, _of_fed_streams(lambda: library.ZstdDecompressor().decompressobj())


_ZSTANDARD_BLOCK: Final = 1 << 17
"""The most bytes that a block of Zstandard's format becomes; it takes four at least."""


def _of_fed_streams(new: Callable[[], Any]) -> Decompress:
    """With objects that know no bound: given so few bytes at a time as cannot pass it by much."""

    def decompress(data: bytes, most: int) -> bytes:
        parts: list[bytes] = []
        left, at = most, 0
        stream = new()
        while at < len(data):
            if stream.eof:
                stream = new()
            step = max(1, 4 * (left // _ZSTANDARD_BLOCK))
            part: bytes = stream.decompress(data[at : at + step])
            left -= len(part)
            if left < 0:
                raise _too_long(most)
            parts.append(part)
            at = min(at + step, len(data)) - len(stream.unused_data)
        if not stream.eof:
            raise _early()
        return b"".join(parts)

    return decompress


_CODECS: Final[dict[str, Callable[[], tuple[Compress, Decompress]]]] = {
    "null": _null,
    "deflate": _deflate,
    "bzip2": _bzip2,
    "xz": _xz,
    "snappy": _snappy,
    "zstandard": _zstandard,
}
