"""Converts records to and from the values of a columnar format: Spark's rows, Arrow's batches.

Converters are made once for many records; a path is only made for a value that is refused.
"""

from __future__ import annotations

import copy
import functools
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any, TypeAlias

from . import scalars
from .binding import Binding
from .entries import key_and_value, pairs_as_rows
from .errors import AvroError, InvalidValue, located, short_repr
from .plain import default_of, from_plain
from .schema import Field, Node
from .union_columns import column_type, is_of_members
from .values import branch_of, convert_leaf

Convert: TypeAlias = Callable[[Any], Any]


class Format:
    """How a columnar format represents values.

    Attributes:
        refused: the error for a type for which the format has no column.
        holds: whether there is a column for a primitive, enum or fixed type.
        read_leaf, write_leaf: the converter for values of a type at a path such as ``lines[].at``;
            None if values need no conversion.
        pairs: the keys and values of a map.
        make_map, make_record: a value from pairs, and from a record's values in order.
    """

    def __init__(
        self,
        name: str,
        refused: type[AvroError],
        holds: Callable[[Node], bool],
        read_leaf: Callable[[Node, str], Convert | None],
        write_leaf: Callable[[Node], Convert | None],
        pairs: Callable[[Any], Iterable[tuple[Any, Any]]],
        make_map: Callable[[Iterable[tuple[Any, Any]]], Any],
        make_record: Callable[[tuple[str, ...]], Callable[[list[Any]], Any]],
    ) -> None:
        self.name = name
        self.refused = refused
        self.holds = holds
        self.read_leaf = read_leaf
        self.write_leaf = write_leaf
        self.pairs = pairs
        self.make_map = make_map
        self.make_record = make_record

    def of_dicts(self) -> Format:
        """A format with dicts for maps and records; it needs no library."""
        form = copy.copy(self)
        form.make_map = dict
        form.make_record = lambda names: lambda values: dict(zip(names, values, strict=True))
        return form

    def within(self, record: Node, path: str, above: tuple[str, ...]) -> tuple[str, ...]:
        """The enclosing records of a record's fields; refuses a recursive record."""
        if not record.name:
            return above
        if record.name in above:
            raise self.refused(
                f"{path}: {self.name} has no column for {record.name}, which contains itself"
            )
        return (*above, record.name)

    def leaf(self, node: Node, path: str) -> Node:
        """Returns the type unchanged; refuses a type for which the format has no column."""
        if not self.holds(node):
            title = f"{node.logical or node.title}{_digits(node)}"
            raise self.refused(f"{path}: {self.name} has no column for {title}")
        return node


def is_nullable(node: Node) -> bool:
    return node.kind == "null" or any(branch.kind == "null" for branch in node.branches)


def fold(name: str) -> str:
    """The form of names for comparisons, used if no column matches exactly."""
    return name.lower()


def join_path(path: str, name: str) -> str:
    return f"{path}.{name}" if path else name


def _digits(node: Node) -> str:
    return f"({node.precision},{node.scale})" if node.logical == "decimal" else ""


# Reading.


def field_reader(
    binding: Binding, node: Node, form: Format, path: str, above: tuple[str, ...] = ()
) -> Convert:
    """A function that makes typed values from a column's; raises ``InvalidValue`` on a mismatch."""
    match node.kind:
        case "record":
            return _record_reader(binding, node, form, path, above)
        case "array" if node.map_form == "dict":
            keys, values = (
                field_reader(binding, part, form, inner, above)
                for part, inner in zip(key_and_value(node), entry_paths(path), strict=True)
            )
            return _map_reader(keys, values, form)
        case "array":
            read = _array_reader(field_reader(binding, node.items, form, f"{path}[]", above))
            return _entries_reader(read, form) if node.map_form else read
        case "map":
            inner = field_reader(binding, node.items, form, f"{path}[]", above)
            return _map_reader(scalars.text_of, inner, form)
        case "union":
            type_ = column_type(node)
            if is_of_members(type_):
                return _members_reader(binding, node, type_, form, path, above)
            inner = field_reader(binding, type_, form, path, above)
            return _optional(inner) if is_nullable(node) else inner
        case _:
            return _leaf_reader(binding, node, form.read_leaf(form.leaf(node, path), path))


def _record_reader(
    binding: Binding, node: Node, form: Format, path: str, above: tuple[str, ...]
) -> Convert:
    above = form.within(node, path, above)
    class_ = binding.classes[node.name]
    attributes = binding.attributes[node.name]
    parts = [
        (
            field,
            attribute,
            _reader_of_field(binding, field, form, join_path(path, field.name), above),
        )
        for field, attribute in zip(node.fields, attributes, strict=True)
    ]

    # Most rows have the same names as the row before.
    places_among = functools.lru_cache(64)(lambda names: column_places(names, node.fields))

    def read(value: Any) -> Any:
        is_by_name, names = layout_of(value)
        places = places_among(names)
        record: Any = object.__new__(class_)
        for (field, attribute, convert), place in zip(parts, places, strict=True):
            try:
                if place is None:
                    part = default_of(binding, field, "")
                else:
                    part = convert(value[names[place]] if is_by_name else value[place])
            except InvalidValue as error:
                raise prefix_path(field.name, error) from None
            binding.put(record, attribute, part)
        return record

    return read


def _reader_of_field(
    binding: Binding, field: Field, form: Format, path: str, above: tuple[str, ...]
) -> Convert:
    """A reader of a field.

    For a field with a default, an unsupported type is an error only if its column is present.
    """
    try:
        return field_reader(binding, field.node, form, path, above)
    except form.refused as error:
        if not field.has_default:
            raise
        reason = str(error)

    def refuse(_: Any) -> Any:
        raise form.refused(reason)

    return refuse


def _members_reader(
    binding: Binding, union: Node, struct: Node, form: Format, path: str, above: tuple[str, ...]
) -> Convert:
    """The value of a struct of a union's members; one member is set."""
    members = [
        field_reader(binding, field.node, form, join_path(path, field.name), above)
        for field in struct.fields
    ]
    may_be_null = is_nullable(union)

    def read(value: Any) -> Any:
        if value is None and may_be_null:
            return None
        is_by_name, names = layout_of(value)
        found: list[Any] = []
        places = column_places(names, struct.fields)
        for field, convert, place in zip(struct.fields, members, places, strict=True):
            if place is None:
                continue
            given = value[names[place]] if is_by_name else value[place]
            if given is not None:
                try:
                    found.append(convert(given))
                except InvalidValue as error:
                    raise prefix_path(field.name, error) from None
        return one_member(found, may_be_null=may_be_null)

    return read


def one_member(found: Sequence[Any], *, may_be_null: bool) -> Any:
    """The value of a union: the only member that is set."""
    if len(found) > 1 or not (found or may_be_null):
        raise InvalidValue("", f"expected one member of the union to be set, got {len(found)}")
    return found[0] if found else None


def layout_of(value: Any) -> tuple[bool, tuple[Any, ...]]:
    """Whether a row's fields are found by name, and the names."""
    if isinstance(value, Mapping):
        return True, tuple(value)
    names = getattr(value, "__fields__", None)
    if names is None or len(names) != len(value):
        raise InvalidValue("", f"expected a row, got {short_repr(value)}")
    return False, tuple(names)


def column_places(names: Sequence[Any], fields: Collection[Field]) -> list[int | None]:
    """The place of each field's column among ``names``; None if it has no column.

    A column matches by the field's name; otherwise by the name in another case, as in Hive and Spark;
    otherwise by the Avro name, as in an Avro file. The last resort is an alias that is no field's name.
    A column with the name of one field never matches another by its case.

    Raises:
        InvalidValue: two columns match a field's name equally well.
    """
    exact: dict[Any, list[int]] = {}
    folded: dict[str, list[int]] = {}
    columns = {field.column for field in fields}
    for place, name in enumerate(names):
        exact.setdefault(name, []).append(place)
        if isinstance(name, str) and name not in columns:
            folded.setdefault(fold(name), []).append(place)

    taken = {fold(name) for field in fields for name in (field.column, field.name)}

    def place_of(field: Field) -> int | None:
        places = (
            exact.get(field.column)
            or folded.get(fold(field.column))
            or exact.get(field.name)
            or next((exact[a] for a in field.aliases if a in exact and fold(a) not in taken), [])
        )
        if len(places) > 1:
            shown = ", ".join(str(names[place]) for place in places)
            raise InvalidValue(field.name, f"more than one column has this name: {shown}")
        return places[0] if places else None

    return [place_of(field) for field in fields]


def _array_reader(item: Convert) -> Convert:
    def read(value: Any) -> Any:
        items: list[Any] = []
        given = scalars.list_of(value)
        try:
            for each in given:
                items.append(item(each))  # noqa: PERF401 - their count is the index of the failure
        except InvalidValue as error:
            raise prefix_path(f"[{len(items)}]", error) from None
        return items

    return read


def _map_reader(read_key: Convert, item: Convert, form: Format) -> Convert:
    def read(value: Any) -> Any:
        items: dict[Any, Any] = {}
        for key, each in form.pairs(value):
            try:
                typed = read_key(key)
            except InvalidValue as error:
                raise InvalidValue(f"[{short_repr(key)}] as a key", error.reason) from None
            try:
                items[typed] = item(each)
            except InvalidValue as error:
                raise prefix_path(f"[{short_repr(key)}]", error) from None
        return items

    return read


def entry_pair(entry: Any) -> tuple[Any, Any]:
    """The key and the value of an entry of a format's map."""
    match entry:
        case (key, value) if type(entry) is tuple:
            return key, value
        case {"key": key, "value": value}:
            return key, value
        case _ if getattr(entry, "__fields__", None) == ["key", "value"]:
            return entry[0], entry[1]
    raise InvalidValue("", f"expected a key and a value, got {short_repr(entry)}")


def _entries_reader(read: Convert, form: Format) -> Convert:
    """A reader of a list of entries, which may be a map in the format."""

    def read_entries(value: Any) -> Any:
        is_map = isinstance(value, Mapping) or (
            isinstance(value, list) and any(type(item) is tuple for item in value)
        )
        return read(pairs_as_rows(form.pairs(value)) if is_map else value)

    return read_entries


def entry_paths(path: str) -> tuple[str, str]:
    """The paths of a map's keys and of its values, written like paths into an array of entries."""
    return f"{path}[].key", f"{path}[].value"


def _optional(inner: Convert) -> Convert:
    return lambda value: None if value is None else inner(value)


def _leaf_reader(binding: Binding, node: Node, convert: Convert | None) -> Convert:
    if convert is None:
        return lambda value: from_plain(binding, node, value, "")
    change = convert
    return lambda value: from_plain(binding, node, convert_leaf(change, value, ""), "")


def read_numbered(read: Convert, values: Iterable[Any], first: int = 1) -> Iterator[Any]:
    """Reads each value. An error names the row; the first row has the number ``first``."""
    for number, value in enumerate(values, first):
        try:
            record = read(value)
        except InvalidValue as error:
            raise located(f"row {number}", error) from None
        yield record


def prefix_path(name: str, error: InvalidValue) -> InvalidValue:
    inner = error.path
    dot = "." if inner and not inner.startswith("[") else ""
    return InvalidValue(f"{name}{dot}{inner}", error.reason)


# Writing. The values were checked before.


def field_writer(
    binding: Binding, node: Node, form: Format, path: str, above: tuple[str, ...] = ()
) -> Convert | None:
    """A function that makes a column's value from a typed value; None if the two are always the same."""
    match node.kind:
        case "record":
            return _record_writer(binding, node, form, path, above)
        case "array" if node.map_form == "dict":
            keys, values = (
                field_writer(binding, part, form, inner, above)
                for part, inner in zip(key_and_value(node), entry_paths(path), strict=True)
            )
            return _map_writer(keys, values, form)
        case "array":
            item = field_writer(binding, node.items, form, f"{path}[]", above)
            return list if item is None else _each(item)
        case "map":
            item = field_writer(binding, node.items, form, f"{path}[]", above)
            return _map_writer(None, item, form)
        case "union":
            type_ = column_type(node)
            if is_of_members(type_):
                return _members_writer(binding, node, type_, form, path, above)
            inner = field_writer(binding, type_, form, path, above)
            return None if inner is None else _optional(inner)
        case _:
            return form.write_leaf(form.leaf(node, path))


def _record_writer(
    binding: Binding, node: Node, form: Format, path: str, above: tuple[str, ...]
) -> Convert:
    above = form.within(node, path, above)
    make = form.make_record(tuple(field.column for field in node.fields))
    parts = [
        (attribute, field_writer(binding, field.node, form, join_path(path, field.name), above))
        for field, attribute in zip(node.fields, binding.attributes[node.name], strict=True)
    ]

    def write(record: Any) -> Any:
        return make([
            getattr(record, attribute) if convert is None else convert(getattr(record, attribute))
            for attribute, convert in parts
        ])  # fmt: skip

    return write


def _members_writer(
    binding: Binding, union: Node, struct: Node, form: Format, path: str, above: tuple[str, ...]
) -> Convert:
    make = form.make_record(tuple(field.name for field in struct.fields))
    members = [
        (branch, field_writer(binding, branch, form, join_path(path, field.name), above))
        for branch, field in zip(
            [branch for branch in union.branches if branch.kind != "null"],
            struct.fields,
            strict=True,
        )
    ]

    def write(value: Any) -> Any:
        if value is None:
            return None
        written_as = branch_of(binding, union, value, "")
        return make([
            None if branch is not written_as else value if convert is None else convert(value)
            for branch, convert in members
        ])  # fmt: skip

    return write


def _each(item: Convert) -> Convert:
    return lambda value: [item(each) for each in value]


def _map_writer(key: Convert | None, item: Convert | None, form: Format) -> Convert:
    make = form.make_map
    if key is None and item is None:
        return lambda value: make(value.items())
    write_key, write = key or _same, item or _same
    return lambda value: make((write_key(key), write(each)) for key, each in value.items())


def _same(value: Any) -> Any:
    return value
