"""A schema as rows of a table for readers: every field at every depth, by its path.

Paths have the form of the changelog: ``address.unit``, ``items[]``, ``tags{}``,
``choice<boolean>``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import assert_never

from codegen.original_names import field_attribute
from lakeschema.avro.definitions import definitions
from lakeschema.avro.key_value_maps import map_parts
from lakeschema.avro.legal_names import ORIGINAL_NAME
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
    is_nullable,
)
from lakeschema.avro.parsing import branch_kind
from publisher.web.shown_defaults import shown_default


@dataclass(frozen=True, slots=True)
class FieldRow:
    """One field.

    Attributes:
        attribute: the field's name in Python, if different.
        column: the name of the SQL column that the field is made of; "" for an inner field.
        symbols: the symbols of enums in the field's type that no earlier row has shown.
        default: the default as ``shown_default`` writes it, or None.
        fields_at: the paths of earlier rows that already list the fields of this field's record types. The
            empty path is the whole schema.
    """

    path: str
    depth: int
    type: str
    required: bool
    default: str | None = None
    documentation: str = ""
    attribute: str = ""
    symbols: tuple[str, ...] = ()
    fields_at: tuple[str, ...] = ()
    column: str = ""


def simple_name(full_name: str) -> str:
    return full_name.rpartition(".")[2]


def field_rows(
    record: Record, class_name: Callable[[str], str] = simple_name
) -> tuple[FieldRow, ...]:
    """The rows in document order, a record's fields below the field that contains it.

    ``class_name`` is a function from a type's full name to the name to show.
    """
    return tuple(_Walk(definitions(record), class_name).record_rows(record, "", "", 0))


class _Walk:
    """Lists the fields of each record type once, at its first use, so that recursion ends.

    A record in a field may have a longer path (``items[]``) than the field's row (``items``).
    ``_row_of`` maps the full name of each listed record to the row's path.
    """

    def __init__(self, types: Mapping[str, NamedSchema], class_name: Callable[[str], str]) -> None:
        self._types = types
        self._class_name = class_name
        self._row_of: dict[str, str] = {}
        self._listed_enums: set[str] = set()

    def record_rows(self, record: Record, path: str, row: str, depth: int) -> Iterator[FieldRow]:
        self._row_of[record.full_name] = row
        for field in record.fields:
            yield from self._field_rows(
                field, f"{path}.{field.name}" if path else field.name, depth
            )

    def _field_rows(self, field: Field, path: str, depth: int) -> Iterator[FieldRow]:
        named = [(place, self._resolve(part)) for place, part in _named_types(field.type, path)]
        records = [(place, record) for place, record in named if isinstance(record, Record)]
        enums = [enum for _, enum in named if isinstance(enum, EnumSchema)]
        attribute = field_attribute(field)
        yield FieldRow(
            path=path,
            depth=depth,
            type=type_words(field.type, self._class_name),
            required=not is_nullable(field.type),
            default=self._default(field),
            documentation=field.doc or _documentation(self._resolve(field.type)),
            attribute=attribute if attribute != field.name else "",
            symbols=tuple(symbol for enum in enums for symbol in self._list_symbols(enum)),
            fields_at=self._rows_of([record for _, record in records]),
            column="" if depth else str(field.properties.get(ORIGINAL_NAME, field.name)),
        )
        for place, record in records:
            if record.full_name not in self._row_of:
                yield from self.record_rows(record, place, path, depth + 1)

    def _default(self, field: Field) -> str | None:
        if isinstance(field.default, NoDefault):
            return None
        return shown_default(field.default, field.type, self._types)

    def _resolve(self, schema: Schema) -> Schema:
        return self._types[schema.full_name] if isinstance(schema, Reference) else schema

    def _rows_of(self, records: Iterable[Record]) -> tuple[str, ...]:
        """The paths of rows that already list fields of these records. A record without fields has no row."""
        listed = (r.full_name for r in records if r.fields and r.full_name in self._row_of)
        return tuple(dict.fromkeys(self._row_of[name] for name in listed))

    def _list_symbols(self, enum: EnumSchema) -> tuple[str, ...]:
        if enum.full_name in self._listed_enums:
            return ()
        self._listed_enums.add(enum.full_name)
        return enum.symbols


def type_words(schema: Schema, class_name: Callable[[str], str]) -> str:
    """A type in words, without the field's own nullability."""
    match schema:
        case Primitive(name, logical):
            return name if logical is None else f"{_logical_words(logical)} ({name})"
        case Reference(name):
            return class_name(name)
        case Array() if (parts := map_parts(schema)) is not None:
            keys, values = (_part_words(part, class_name) for part in parts)
            return f"map of {keys} to {values}"
        case Array(items):
            return f"array of {_part_words(items, class_name)}"
        case MapSchema(values):
            return f"map of {_part_words(values, class_name)}"
        case Record() | EnumSchema():
            return class_name(schema.full_name)
        case Fixed(logical=logical):
            name = schema.name if logical is not None else class_name(schema.full_name)
            inner = f"{name}, {schema.size} bytes"
            return inner if logical is None else f"{_logical_words(logical)} ({inner})"
        case Union(branches):
            words = [
                type_words(branch, class_name) for branch in branches if not is_nullable(branch)
            ]
            return " or ".join(words) or "null"
        case _:
            assert_never(schema)


def _part_words(schema: Schema, class_name: Callable[[str], str]) -> str:
    words = type_words(schema, class_name)
    return f"({words} or null)" if is_nullable(schema) and words != "null" else words


def _logical_words(logical: LogicalType) -> str:
    if logical.precision is None:
        return logical.name
    return f"{logical.name}({logical.precision},{logical.scale})"


def _named_types(schema: Schema, path: str) -> Iterator[tuple[str, Schema]]:
    """The named types in a field, directly or within arrays, maps and unions, each with its path."""
    match schema:
        case Array(items):
            yield from _named_types(items, f"{path}[]")
        case MapSchema(values):
            yield from _named_types(values, f"{path}{{}}")
        case Union(branches):
            single = sum(not is_nullable(branch) for branch in branches) == 1
            for branch in branches:
                yield from _named_types(
                    branch, path if single else f"{path}<{branch_kind(branch)}>"
                )
        case Record() | EnumSchema() | Reference():
            yield path, schema
        case Primitive() | Fixed():
            pass
        case _:
            assert_never(schema)


def _documentation(schema: Schema) -> str:
    match schema:
        case Record(doc=doc) | EnumSchema(doc=doc) | Fixed(doc=doc):
            return doc or ""
        case _:
            return ""
