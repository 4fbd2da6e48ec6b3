"""The codecs of container files (specification, "Object Container Files", "Required Codecs").

A library is imported when a file needs it. A block is never decompressed to more bytes than the caller
allows, whatever size it declares.
"""

from __future__ import annotations

import importlib
import zlib
from collections.abc import Callable
from typing import Any, Final

from .errors import AvroError, InvalidAvro, MissingCodec

Compress = Callable[[bytes], bytes]
Decompress = Callable[[bytes, int], bytes]
"""Takes a block and the maximum size of the result."""

DEFAULT_MAX_BLOCK_BYTES: Final = 1 << 28


def compressor(codec: str) -> Compress:
    """Raises ``MissingCodec``, and ``ValueError`` for an unsupported codec."""
    if codec not in _CODECS:
        raise ValueError(f"unsupported codec {codec!r}: expected one of {', '.join(_CODECS)}")
    return _CODECS[codec]()[0]


def decompressor(codec: str, max_block_bytes: int) -> Callable[[bytes], bytes]:
    """Raises ``MissingCodec``, and ``InvalidAvro`` for an unsupported codec."""
    if codec not in _CODECS:
        raise InvalidAvro(f"unsupported codec {codec!r}: expected one of {', '.join(_CODECS)}")
    inner = _CODECS[codec]()[1]

    def decompress(data: bytes) -> bytes:
        try:
            return inner(data, max_block_bytes)
        except AvroError:
            raise
        except MemoryError:
            raise InvalidAvro("a block does not fit into memory") from None
        except Exception as error:  # noqa: BLE001 - each library has its own errors
            raise InvalidAvro(f"a block's compressed data is damaged: {error}") from None

    return decompress


def max_compressed_bytes(codec: str, max_block_bytes: int) -> int:
    """The maximum size of a block in the file: incompressible data takes a little more space."""
    if codec == "null":
        return max_block_bytes
    # The worst case of Snappy with its checksum. It also has room for the headers of other codecs.
    return max_block_bytes + max_block_bytes // 6 + 1024


def _block_too_large(max_bytes: int) -> InvalidAvro:
    return InvalidAvro(f"a block decompresses to more than {max_bytes} bytes (max_block_bytes)")


def _truncated_block() -> InvalidAvro:
    return InvalidAvro("unexpected end of a block's compressed data")


def _import_first(codec: str, libraries: dict[str, str]) -> tuple[str, Any]:
    """The first installed module; ``libraries`` maps each module to the name of its distribution."""
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

    def decompress(data: bytes, max_bytes: int) -> bytes:
        inflater = zlib.decompressobj(-15)
        found = inflater.decompress(data, max_bytes + 1)
        if len(found) > max_bytes:
            raise _block_too_large(max_bytes)
        if not inflater.eof:
            raise _truncated_block()
        # Trailing bytes are ignored, as in Java's Avro: some writers append a checksum.
        return found

    return compress, decompress


def _bzip2() -> tuple[Compress, Decompress]:
    _, bz2 = _import_first("bzip2", {"bz2": "a Python built with bz2"})
    return bz2.compress, _stream_decompressor(bz2.BZ2Decompressor)


_MAX_XZ_MEMORY_BYTES: Final = 1 << 28
"""Four times what the highest compression level needs; a damaged header may ask for more."""


def _xz() -> tuple[Compress, Decompress]:
    _, lzma = _import_first("xz", {"lzma": "a Python built with lzma"})
    return lzma.compress, _stream_decompressor(
        lambda: lzma.LZMADecompressor(lzma.FORMAT_XZ, _MAX_XZ_MEMORY_BYTES)
    )


def _feed_limited(stream: Any, data: bytes, max_bytes: int) -> bytes:
    found: bytes = stream.decompress(data, max_length=max_bytes)
    return found


def _fixed_step(_left: int) -> int:
    return 1 << 13


def _stream_decompressor(
    new: Callable[[], Any],
    feed: Callable[[Any, bytes, int], bytes] = _feed_limited,
    step: Callable[[int], int] = _fixed_step,
) -> Decompress:
    """Decompresses with objects like ``BZ2Decompressor``, also several concatenated streams.

    Feeds ``step`` bytes at a time, because each stream copies the bytes that follow it.
    """

    def decompress(data: bytes, max_bytes: int) -> bytes:
        parts: list[bytes] = []
        left, at = max_bytes, 0
        stream = new()
        while at < len(data):
            if stream.eof:
                stream = new()
            end = min(at + step(left), len(data))
            part = feed(stream, data[at:end], left + 1)
            left -= len(part)
            if left < 0:
                raise _block_too_large(max_bytes)
            if part:
                parts.append(part)
            at = end - len(stream.unused_data)
        if not stream.eof:
            raise _truncated_block()
        return b"".join(parts)

    return decompress


_SNAPPY: Final = {"cramjam": "cramjam", "snappy": "python-snappy", "pyarrow": "pyarrow"}
# Each library's functions for raw Snappy, without a frame; the number is the size of the result.
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
"""The maximum compression ratio of Snappy's format: a copy of 64 bytes takes 3."""


def _snappy() -> tuple[Compress, Decompress]:
    name, library = _import_first("snappy", _SNAPPY)
    raw_compress, raw_decompress = _RAW_SNAPPY[name](library)

    def compress(data: bytes) -> bytes:
        return bytes(raw_compress(data)) + zlib.crc32(data).to_bytes(4, "big")

    def decompress(data: bytes, max_bytes: int) -> bytes:
        body, checksum = data[:-4], data[-4:]
        size = _declared_size(body)
        if size > max_bytes:
            raise _block_too_large(max_bytes)
        found = bytes(raw_decompress(body, size))
        if zlib.crc32(found) != int.from_bytes(checksum, "big"):
            raise InvalidAvro("checksum mismatch in a block")
        return found

    return compress, decompress


def _declared_size(data: bytes) -> int:
    """The decompressed size in the data's header.

    Libraries allocate this size before they read on.
    """
    size = 0
    for place, byte in enumerate(data[:5]):
        size |= (byte & 127) << 7 * place
        if byte < 128:
            out_bytes, in_bytes = _SNAPPY_RATIO
            if size * in_bytes > len(data) * out_bytes:
                raise InvalidAvro(
                    f"a block's compressed data cannot hold the {size} bytes that it declares"
                )
            return size
    raise _truncated_block()


_ZSTANDARD: Final = {
    "compression.zstd": "Python 3.14",
    "backports.zstd": "backports.zstd",
    "zstandard": "zstandard",
}


def _zstandard() -> tuple[Compress, Decompress]:
    name, library = _import_first("zstandard", _ZSTANDARD)
    if name != "zstandard":
        return library.compress, _stream_decompressor(library.ZstdDecompressor)
    compress: Compress = library.ZstdCompressor().compress
    return compress, _stream_decompressor(
        lambda: library.ZstdDecompressor().decompressobj(), _feed_unlimited, _zstandard_step
    )


_MAX_ZSTANDARD_BLOCK_BYTES: Final = 1 << 17
"""The maximum decompressed size of a Zstandard block, which takes four bytes or more."""


def _feed_unlimited(stream: Any, data: bytes, _max_bytes: int) -> bytes:
    found: bytes = stream.decompress(data)
    return found


def _zstandard_step(left: int) -> int:
    """How many bytes to feed at a time: few, so that their output stays near the limit."""
    return max(1, 4 * (left // _MAX_ZSTANDARD_BLOCK_BYTES))


_CODECS: Final[dict[str, Callable[[], tuple[Compress, Decompress]]]] = {
    "null": _null,
    "deflate": _deflate,
    "bzip2": _bzip2,
    "xz": _xz,
    "snappy": _snappy,
    "zstandard": _zstandard,
}
