"""Encoders of records: generated code and, as a fallback, code that the schema drives.

Generated code is fast, but refuses some values that ``accept`` allows, such as instances of
subclasses in unions. After any exception, the fallback accepts or refuses the value as usual.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from . import scalars
from .acceptance import accept
from .binding import Binding, V, Writer
from .entries import entries_of
from .errors import InvalidValue
from .schema import Node
from .values import REFUSALS, branch_of, to_base
from .varints import put_long


def make_encoder(
    binding: Binding, name: str, writer: Callable[[V, bytearray], None]
) -> Callable[[V], bytes]:
    """A function that encodes one record.

    It raises ``InvalidValue`` with a path if a value in the record does not match its type, and
    ``InvalidValues`` if several do not.
    """

    def write(value: V) -> bytes:
        out = bytearray()
        try:
            writer(value, out)
        except Exception as error:  # noqa: BLE001 - errors of other causes are raised again
            _write_refused(binding, name, value, out, 0, error)
        return bytes(out)

    return write


def write_onto(binding: Binding, name: str, writer: Writer, value: Any, out: bytearray) -> None:
    """Appends one record to ``out``; raises the errors of ``make_encoder``'s functions."""
    start = len(out)
    try:
        writer(value, out)
    except Exception as error:  # noqa: BLE001 - errors of other causes are raised again
        _write_refused(binding, name, value, out, start, error)


def _write_refused(
    binding: Binding, name: str, value: Any, out: bytearray, start: int, error: Exception
) -> None:
    """Writes a value that generated code refused.

    Raises the reason if the value is invalid. ``start`` is where its bytes begin.
    """
    if isinstance(error, RecursionError):
        raise InvalidValue("", "the value is nested too deeply, or contains itself") from None
    if not isinstance(error, REFUSALS):
        raise error
    node = binding.nodes[name]
    try:
        accepted = accept(binding, node, value, "")
    except InvalidValue as found:
        raise found from error
    del out[start:]
    _put(binding, node, accepted, out)


def _put(binding: Binding, node: Node, value: Any, out: bytearray) -> None:
    """Appends a value that ``accept`` has checked."""
    match node.kind:
        case "record":
            for field, attribute in zip(node.fields, binding.attributes[node.name], strict=True):
                _put(binding, field.node, getattr(value, attribute), out)
        case "union":
            branch = branch_of(binding, node, value, "")
            put_long(out, node.branches.index(branch))
            _put(binding, branch, value, out)
        case "enum":
            put_long(out, node.symbols.index(value.value))
        case "array":
            items = entries_of(value) if node.map_form == "dict" else value
            if items:
                put_long(out, len(items))
                for item in items:
                    _put(binding, node.items, item, out)
            out.append(0)
        case "map":
            if value:
                put_long(out, len(value))
                for key, item in value.items():
                    _put_text(key, out)
                    _put(binding, node.items, item, out)
            out.append(0)
        case _:
            _PUT_BASE[node.kind](to_base(node, value, ""), out)


def _put_text(text: str, out: bytearray) -> None:
    _put_bytes(text.encode(), out)


def _put_bytes(data: bytes, out: bytearray) -> None:
    put_long(out, len(data))
    out += data


def _put_number(number: int, out: bytearray) -> None:
    put_long(out, number)


def _put_fixed(data: bytes, out: bytearray) -> None:
    out += data


def _put_float(number: float, out: bytearray) -> None:
    out += scalars.FLOAT.pack(number)


def _put_double(number: float, out: bytearray) -> None:
    out += scalars.DOUBLE.pack(number)


def _put_null(_: None, out: bytearray) -> None:
    """A null takes no bytes."""


_PUT_BASE: Final[dict[str, Callable[[Any, bytearray], None]]] = {
    "null": _put_null,
    "boolean": lambda value, out: out.append(value),
    "int": _put_number,
    "long": _put_number,
    "float": _put_float,
    "double": _put_double,
    "bytes": _put_bytes,
    "string": _put_text,
    "fixed": _put_fixed,
}
