"""Answers whether the packages of one schema can read the data of another, by Avro's resolution.

Units of time and the names of records do not matter, as in ``codegen.runtime.resolution``.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from lakeschema.avro.definitions import definitions
from lakeschema.avro.model import (
    Array,
    EnumSchema,
    Field,
    Fixed,
    LogicalType,
    MapSchema,
    NamedSchema,
    NoDefault,
    Primitive,
    Record,
    Reference,
    Schema,
    Union,
)

_PROMOTIONS: Final = frozenset({
    ("int", "long"), ("int", "float"), ("int", "double"), ("long", "float"), ("long", "double"),
    ("float", "double"), ("string", "bytes"), ("bytes", "string"),
})  # fmt: skip


def why_unreadable(writer: Record, reader: Record) -> str:
    """The first field whose written values a reader refuses, and why; "" if it reads all data.

    A value that a reader refuses counts if the writer's schema allows it, even if no data contains it.
    """
    return _Resolution(definitions(writer), definitions(reader)).records(writer, reader, "")


class _Resolution:
    def __init__(self, old: Mapping[str, NamedSchema], new: Mapping[str, NamedSchema]) -> None:
        self._old = old
        self._new = new
        self._known: dict[tuple[str, str], str] = {}

    def records(self, writer: Record, reader: Record, path: str) -> str:
        pair = (writer.full_name, reader.full_name)
        if pair not in self._known:
            # A record within itself is as readable as its other fields.
            self._known[pair] = ""
            self._known[pair] = self._fields(writer, reader, path)
        return self._known[pair]

    def _fields(self, writer: Record, reader: Record, path: str) -> str:
        for field in reader.fields:
            where = f"{path}.{field.name}" if path else field.name
            written = _written(writer, field)
            if written is not None:
                found = self._why(written.type, field.type, where)
                if found:
                    return found
            elif isinstance(field.default, NoDefault):
                return f"the data lacks `{where}`, which has no default"
        return ""

    def _why(self, writer: Schema, reader: Schema, path: str) -> str:
        writer = self._old[writer.full_name] if isinstance(writer, Reference) else writer
        reader = self._new[reader.full_name] if isinstance(reader, Reference) else reader
        if isinstance(writer, Union):
            found = (self._why(branch, reader, path) for branch in writer.branches)
            return next((why for why in found if why), "")
        if isinstance(reader, Union):
            reasons = [self._why(writer, branch, path) for branch in reader.branches]
            if "" in reasons:
                return ""
            # The reason of a branch of the same kind says more than the list of types.
            return reasons[0] if len(reasons) == 1 else _differ(path, writer, reader)
        return self._single(writer, reader, path)

    def _single(self, writer: Schema, reader: Schema, path: str) -> str:
        match writer, reader:
            case Record(), Record():
                return self.records(writer, reader, path)
            case Array(old), Array(new):
                return self._why(old, new, f"{path}[]")
            case MapSchema(old), MapSchema(new):
                return self._why(old, new, f"{path}{{}}")
            case EnumSchema(), EnumSchema():
                gone = [symbol for symbol in writer.symbols if symbol not in reader.symbols]
                if gone and reader.default is None:
                    return f"`{path}` can be `{gone[0]}` in the data"
                return ""
            case _ if _is_readable(writer, reader):
                return ""
            case _:
                return _differ(path, writer, reader)


def _is_readable(writer: Schema, reader: Schema) -> bool:
    decimals = _decimal(writer), _decimal(reader)
    if any(decimals):
        written, read = decimals
        return written is not None and read is not None and written.scale == read.scale
    match writer, reader:
        case Primitive(old), Primitive(new):
            return old == new or (old, new) in _PROMOTIONS
        case Fixed(), Fixed():
            return writer.size == reader.size
        # Spark writes enums as string, and fixed types as bytes.
        case (Primitive("string"), EnumSchema()) | (Primitive("bytes"), Fixed()):
            return True
        case _:
            return False


def _decimal(schema: Schema) -> LogicalType | None:
    match schema:
        case Primitive(logical=LogicalType("decimal") as found):
            return found
        case Fixed(logical=LogicalType("decimal") as found):
            return found
        case _:
            return None


def _written(writer: Record, field: Field) -> Field | None:
    names = {field.name, *field.aliases}
    exact = next((each for each in writer.fields if each.name in names), None)
    folded = [each for each in writer.fields if each.name.lower() == field.name.lower()]
    return exact or (folded[0] if len(folded) == 1 else None)


def _differ(path: str, writer: Schema, reader: Schema) -> str:
    return f"`{path}` is written as `{_word(writer)}` and read as `{_word(reader)}`"


def _word(schema: Schema) -> str:
    found = _decimal(schema)
    if found is not None:
        return f"decimal({found.precision},{found.scale})"
    match schema:
        case Primitive(name):
            return name
        case Record(full_name=name) | EnumSchema(full_name=name) | Fixed(full_name=name):
            return name
        case Array():
            return "array"
        case MapSchema():
            return "map"
        case Union(branches):
            return " or ".join(map(_word, branches))
        case Reference(name):
            return name
