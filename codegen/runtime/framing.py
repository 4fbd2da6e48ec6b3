"""Reads and writes frames that identify the schema of their body.

Avro's single-object encoding (specification, "Single-object encoding"): ``C3 01``, the writer's
fingerprint in 8 little-endian bytes, the body. Confluent's wire format: a zero, the schema's id in
a registry in 4 big-endian bytes, the body.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from typing import Any, Final

from .binding import Binding, Reader
from .canonical import fingerprint, fingerprint_of_text
from .container import reader_of
from .decoding import make_decoder
from .earlier import earlier_text
from .errors import InvalidAvro, InvalidValue, UnknownSchema, short_repr
from .units import Narrowing
from .writers import write_onto

_SINGLE_OBJECT: Final = b"\xc3\x01"
_CONFLUENT: Final = b"\0"
_MAX_ID: Final = 2**32 - 1

Schemas = Mapping[int, str] | Callable[[int], str | None] | None


def to_single_object(binding: Binding, name: str, value: Any) -> bytes:
    """Frames a value for single-object encoding.

    Raises ``InvalidValue`` for a value that does not match the schema.
    """
    head = _SINGLE_OBJECT + _own_fingerprint(binding, name).to_bytes(8, "little")
    return _write_frame(binding, name, head, value)


def from_single_object(
    binding: Binding, name: str, data: bytes, schemas: Schemas, narrowing: Narrowing = "exact"
) -> Any:
    """Reads a value in single-object encoding.

    ``schemas`` gives a schema's text by its fingerprint; it may lack the class's own schema.

    Raises:
        InvalidAvro: the frame or its body is damaged.
        UnknownSchema: neither ``schemas`` nor an earlier version of the package has the fingerprint,
            or the text for it has another fingerprint.
    """
    written, body = _split_frame(data, _SINGLE_OBJECT, 8)
    number = int.from_bytes(written, "little")
    # Fingerprints ignore logical types. A writer with another unit of time has the same fingerprint.
    text = _text_of(number, schemas)
    if text is None and number == _own_fingerprint(binding, name):
        return make_decoder(binding, name, binding.readers[name])(body)
    if text is None:
        text = earlier_text(binding, name, number)
    reader = _reader_of_fingerprint(binding, name, number, text, narrowing)
    return make_decoder(binding, name, reader)(body)


def to_confluent(binding: Binding, name: str, value: Any, schema_id: int) -> bytes:
    """Frames a value in Confluent's wire format.

    Raises ``InvalidValue`` for an invalid value, or an id of more than 32 bits.
    """
    if type(schema_id) is not int or not 0 <= schema_id <= _MAX_ID:
        raise InvalidValue(
            "", f"expected a schema id from 0 to {_MAX_ID}, got {short_repr(schema_id)}"
        )
    return _write_frame(binding, name, _CONFLUENT + schema_id.to_bytes(4, "big"), value)


def from_confluent(
    binding: Binding,
    name: str,
    data: bytes,
    schemas: Schemas,
    narrowing: Narrowing = "exact",
) -> Any:
    """Reads a value in Confluent's wire format.

    ``schemas`` gives a schema's text by its id. If it is a function, its errors are passed on.

    Raises:
        InvalidAvro: the frame or its body is damaged.
        UnknownSchema: ``schemas`` lacks the id.
    """
    written, body = _split_frame(data, _CONFLUENT, 4)
    number = int.from_bytes(written, "big")
    text = _text_of(number, schemas)
    if text is None:
        raise UnknownSchema(f"id {number}", "schema not found")
    return make_decoder(binding, name, reader_of(binding, text, name, narrowing))(body)


def _write_frame(binding: Binding, name: str, head: bytes, value: Any) -> bytes:
    out = bytearray(head)
    write_onto(binding, name, binding.writers[name], value, out)
    return bytes(out)


def _split_frame(data: bytes, magic: bytes, size: int) -> tuple[bytes, bytes]:
    """The bytes that identify the schema, and the body."""
    data = bytes(data)
    if not data.startswith(magic):
        raise InvalidAvro(f"the frame does not start with {magic.hex(' ').upper()}")
    end = len(magic) + size
    if len(data) < end:
        raise InvalidAvro("unexpected end of input in the frame's header")
    return data[len(magic) : end], data[end:]


# The schema of a class never changes. The cache has one entry for each record of the package.
@functools.cache
def _own_fingerprint(binding: Binding, name: str) -> int:
    return fingerprint(binding.nodes[name])


def _text_of(number: int, schemas: Schemas) -> str | None:
    if isinstance(schemas, Mapping):
        return schemas.get(number)
    return None if schemas is None else _look_up(schemas, number)


def _reader_of_fingerprint(
    binding: Binding, name: str, number: int, text: str | None, narrowing: Narrowing
) -> Reader:
    shown_number = f"fingerprint 0x{number:016X}"
    if text is None:
        raise UnknownSchema(shown_number, "schema not found")
    actual = fingerprint_of_text(text)
    # Bytes read with the wrong schema may decode to a wrong value.
    if actual != number:
        raise UnknownSchema(shown_number, f"the schema given for it has 0x{actual:016X}")
    return reader_of(binding, text, name, narrowing)


def _look_up(schemas: Callable[[int], str | None], number: int) -> str | None:
    try:
        return schemas(number)
    except LookupError:
        return None
