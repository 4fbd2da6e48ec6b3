"""Avro's JSON encoding (specification, "JSON Encoding"), as in Java.

The tag of a union's value is the name of its branch. Bytes are ISO-8859-1 text. A value of a logical
type is written as a value of its Avro type.
"""

from __future__ import annotations

from typing import Any

from . import scalars
from .binding import Binding
from .errors import InvalidValue, short_repr
from .json_documents import (
    Convert,
    ConverterOf,
    base_writer,
    number_in,
    number_out,
    shown,
    text_in,
    typed_reader,
)
from .schema import Node
from .values import branch_of


class AvroForm:
    """Avro's JSON encoding, in which every field must be present."""

    fills_defaults = False
    tags_all = True

    def __init__(self, binding: Binding) -> None:
        self._binding = binding

    def leaf_writer(self, node: Node) -> Convert:
        base = base_writer(node)
        match node.kind:
            case "float" | "double":
                return lambda value: number_out(base(value))
            case "bytes" | "fixed":
                return lambda value: base(value).decode("iso-8859-1")
            case _:
                return base

    def leaf_reader(self, node: Node) -> Convert:
        typed = typed_reader(self._binding, node)
        match node.kind:
            case "null":
                return scalars.null_of
            case "boolean":
                return scalars.boolean_of
            case "int":
                return lambda document: typed(scalars.int_of(document))
            case "long":
                return lambda document: typed(scalars.long_of(document))
            case "float":
                return _single
            case "double":
                return number_in
            case "string":
                return lambda document: typed(scalars.text_of(document))
            case "bytes":
                return lambda document: typed(_bytes(document))
            case _:
                size = node.size
                return lambda document: typed(scalars.fixed_of(_bytes(document), size))

    def is_told_by_class(self, union: Node) -> bool:
        kinds = {branch.kind for branch in union.branches}
        is_dict = any(branch.map_form == "dict" for branch in union.branches)
        return not is_dict and not {"float", "double"} <= kinds

    def union_writer(self, union: Node, writer: ConverterOf) -> Convert:
        writers = {id(branch): (branch.title, writer(branch)) for branch in union.branches}

        def write(value: Any) -> Any:
            branch = branch_of(self._binding, union, value, "")
            title, convert = writers[id(branch)]
            return None if branch.kind == "null" else {title: convert(value)}

        return write

    def union_reader(self, union: Node, reader: ConverterOf) -> Convert:
        readers = {branch.title: reader(branch) for branch in union.branches}
        has_null = "null" in readers
        readers.pop("null", None)

        def read(document: Any) -> Any:
            if document is None and has_null:
                return None
            return read_tagged(readers, document)

        return read


def read_tagged(readers: dict[str, Convert], document: Any) -> Any:
    """The value of an object whose only key is the name of a branch."""
    if isinstance(document, dict) and len(document) == 1:
        ((title, inner),) = document.items()
        convert = readers.get(title) if isinstance(title, str) else None
        if convert is not None:
            return convert(inner)
        found = f"the key {short_repr(title)}"
    else:
        found = shown(document)
    names = ", ".join(readers)
    raise InvalidValue("", f"expected an object with one key, which is one of {names}; got {found}")


def _single(document: Any) -> float:
    """The number rounded to the type's 32 bits, as in Java."""
    number = scalars.float_of(number_in(document))
    single: float = scalars.FLOAT.unpack(scalars.FLOAT.pack(number))[0]
    return single


def _bytes(document: Any) -> bytes:
    try:
        return text_in(document, "text of ISO-8859-1").encode("iso-8859-1")
    except UnicodeEncodeError:
        raise InvalidValue("", f"expected text of ISO-8859-1, got {short_repr(document)}") from None
