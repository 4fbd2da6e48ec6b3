"""Plain JSON: people can write it by hand, and programs without Avro can read it.

Numbers are numbers, and moments are ISO 8601. Decimals, NaN and infinities are text, and bytes are
base64. A union's value has a tag only if a reader could take it for a value of another branch. For
objects, the kinds of the branches decide; for text, the text itself decides. So readers never guess:

- If at most one branch is an object (a record or map) and at most one is text, no value is tagged.
- Otherwise every object is tagged. A text is tagged if an earlier branch in ``_TEXTS`` accepts it.
  A tag is an object whose only key is the name of the branch, as in Avro's encoding.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from . import scalars
from .binding import Binding
from .errors import InvalidValue
from .json_avro import read_tagged
from .json_documents import (
    Convert,
    ConverterOf,
    base_writer,
    number_in,
    number_out,
    shown,
)
from .json_leaves import text_reader, text_writer, unit_free
from .schema import Node
from .values import branch_of

_NUMBERS: Final = frozenset({"int", "long"})
_FLOATS: Final = frozenset({"float", "double"})
_OBJECTS: Final = frozenset({"record", "map"})

# A text belongs to the first type that accepts it. Narrow types come first, text and bytes last.
_TEXTS: Final = (
    "enum", "uuid", "timestamp", "local-timestamp", "date", "time", "duration", "day-time-interval",
    "decimal",
    "float", "string", "fixed", "bytes",
)  # fmt: skip


class PlainForm:
    """Plain JSON, in which a field with a default may be missing."""

    fills_defaults = True
    tags_all = False

    def __init__(self, binding: Binding) -> None:
        self._binding = binding

    def leaf_writer(self, node: Node) -> Convert:
        base = base_writer(node)
        if _text_kind(node) in {"", "string"}:
            return base
        if node.kind in _FLOATS:
            return lambda value: number_out(base(value))
        return text_writer(self._binding, node)

    def leaf_reader(self, node: Node) -> Convert:
        match node.kind:
            case _ if node.logical:
                return text_reader(self._binding, node)
            case "null":
                return scalars.null_of
            case "boolean":
                return scalars.boolean_of
            case "int":
                return scalars.int_of
            case "long":
                return scalars.long_of
            case "float":
                return lambda document: scalars.float_of(number_in(document))
            case "double":
                return number_in
            case "string":
                return scalars.text_of
            case _:
                return text_reader(self._binding, node)

    def union_writer(self, union: Node, writer: ConverterOf) -> Convert:
        rest = [branch for branch in union.branches if branch.kind != "null"]
        if len(rest) == 1 and len(union.branches) == 2:
            convert = writer(rest[0])
            return lambda value: None if value is None else convert(value)
        writers = {id(branch): writer(branch) for branch in union.branches}
        texts = self.texts(union) if needs_tags(union) else None

        def write(value: Any) -> Any:
            branch = branch_of(self._binding, union, value, "")
            document = writers[id(branch)](value)
            if texts is None:
                return document
            if isinstance(document, dict):
                return {branch.title: document}
            if isinstance(document, str) and not _reads_as(texts, document, branch):
                return {branch.title: document}
            return document

        return write

    def union_reader(self, union: Node, reader: ConverterOf) -> Convert:
        rest = [branch for branch in union.branches if branch.kind != "null"]
        if len(rest) == 1 and len(union.branches) == 2:
            convert = reader(rest[0])
            return lambda document: None if document is None else convert(document)
        return _UnionReader(union, reader, self).read

    def is_told_by_class(self, union: Node) -> bool:
        return not needs_tags(union) and not any(b.map_form == "dict" for b in union.branches)

    def texts(self, union: Node) -> Sequence[tuple[Node, Convert]]:
        """The branches that may be text, with their readers, in the order in which text is tried."""
        branches = [branch for branch in union.branches if _text_kind(branch)]
        branches.sort(key=lambda branch: _TEXTS.index(_text_kind(branch)))
        return [(branch, self._text_reader(branch)) for branch in branches]

    def _text_reader(self, branch: Node) -> Convert:
        if branch.kind in _FLOATS:
            return number_in
        if branch.kind == "enum":
            return text_reader(self._binding, branch)
        return self.leaf_reader(branch)


class _UnionReader:
    """Reads the values of a union; the document alone decides the branch."""

    def __init__(self, union: Node, reader: ConverterOf, form: PlainForm) -> None:
        self._union = union
        self._names = ", ".join(branch.title for branch in union.branches)
        kinds: dict[str, Node] = {branch.kind: branch for branch in union.branches}
        self._tagged = (
            {b.title: reader(b) for b in union.branches if b.kind != "null"}
            if needs_tags(union)
            else None
        )
        self._array = reader(kinds["array"]) if "array" in kinds else None
        self._object = next((reader(b) for b in union.branches if b.kind in _OBJECTS), None)
        texts = form.texts(union)
        enums = [(branch, reader(branch)) for branch, _ in texts if branch.kind == "enum"]
        # Enums come again at the end: an ignored unknown symbol must not hide another branch.
        self._texts = enums if len(texts) == len(enums) == 1 else [*texts, *enums]

    def read(self, document: Any) -> Any:
        match document:
            case dict() if self._tagged is not None:
                return read_tagged(self._tagged, document)
            case dict() if self._object is not None:
                return self._object(document)
            case list() | tuple() if self._array is not None:
                return self._array(document)
            case str() if len(self._texts) == 1:
                return self._texts[0][1](document)
            case str():
                for _, convert in self._texts:
                    try:
                        return convert(document)
                    except InvalidValue:
                        continue
            case None | bool():
                if any(b.kind == _KIND_OF[type(document)] for b in self._union.branches):
                    return document
            case int() | float():
                return self._number(document)
        raise InvalidValue("", f"expected one of {self._names}; got {shown(document)}")

    def _number(self, document: float) -> Any:
        kinds = {b.kind for b in self._union.branches if not b.logical}
        if isinstance(document, int) and kinds & _NUMBERS:
            of = scalars.long_of if "long" in kinds else scalars.int_of
            return of(document)
        if kinds & _FLOATS:
            number = number_in(document)
            return number if "double" in kinds else scalars.float_of(number)
        raise InvalidValue("", f"expected one of {self._names}; got {shown(document)}")


_KIND_OF: Final = {type(None): "null", bool: "boolean"}


def _text_kind(node: Node) -> str:
    """The kind in ``_TEXTS`` of a branch's text; "" if the branch's values are never text."""
    if node.kind == "enum":
        return "enum"
    if node.logical:
        return unit_free(node.logical)
    if node.kind in _FLOATS:
        return "float"
    return node.kind if node.kind in {"string", "bytes", "fixed"} else ""


def needs_tags(union: Node) -> bool:
    """Whether values of two branches look alike; ``float`` and ``double`` count as one branch."""
    texts = [_text_kind(branch) for branch in union.branches if _text_kind(branch)]
    floats = texts.count("float")
    objects = sum(branch.kind in _OBJECTS for branch in union.branches)
    return objects > 1 or len(texts) - max(floats - 1, 0) > 1


def _reads_as(texts: Sequence[tuple[Node, Convert]], text: str, branch: Node) -> bool:
    for other, convert in texts:
        if other is branch or (other.kind in _FLOATS and branch.kind in _FLOATS):
            return True
        try:
            convert(text)
        except InvalidValue:
            continue
        return False
    return False
