"""Makes a reader from another writer's schema: it reads the bytes as this package's records.

Follows the specification's "Schema Resolution" and, where that says nothing, Java's ``Resolver``: a
branch or record that cannot be resolved is an error only for data that reaches it. Two schemas are
compared once; the result is a tree of functions.

Decimals match as the specification says, whether they are ``bytes`` or ``fixed``; Java's
``Resolver`` compares ``bytes`` and ``fixed``, too. If only the precision differs, values that fit
are read. Three rules go beyond both. Units of time are converted. The text and bytes that Spark
writes for enums and fixed types are converted, too. A field is found even if the writer has its
name in another case, as in Hive and Spark.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping
from types import MappingProxyType
from typing import Any, Final

from .aliases import apply_aliases, nodes
from .binding import Binding, Reader
from .empty_items import MAX_EMPTY_ITEMS, EmptyTypes
from .entries import dict_of_entries
from .equality import equivalent, same_simple_name
from .errors import InvalidAvro, InvalidValue, UnresolvableSchema, short_repr
from .field_ids import apply_field_ids
from .plain import default_of
from .readers import base_reader, dict_reader, list_reader, misread, promotion
from .schema import Field, Node, other_names
from .skipping import Skippers
from .units import Narrowing, unit_conversion
from .values import from_base
from .varints import length

_PROMOTIONS: Final[Mapping[str, frozenset[str]]] = {
    "int": frozenset({"long", "float", "double"}),
    "long": frozenset({"float", "double"}),
    "float": frozenset({"double"}),
    "string": frozenset({"bytes"}),
    "bytes": frozenset({"string"}),
}


def resolve(
    binding: Binding,
    writer: Node,
    reader: Node,
    narrowing: Narrowing = "exact",
    known: Mapping[str, Any] = MappingProxyType({}),
) -> Reader:
    """A reader of the writer's bytes; changes the writer's nodes.

    ``known`` are values of the root's fields that the writer's schema may lack.

    Raises:
        UnresolvableSchema: no data of the writer can be read.
    """
    apply_field_ids(writer, reader)
    apply_aliases(writer, reader)
    resolver = _Resolver(binding, narrowing, reader, known)
    resolver.check_size(writer)
    found = resolver.reader(writer, reader, reader.name or "")
    if isinstance(found, _Error):
        raise UnresolvableSchema(found.path, found.reason)
    return found.read


class _Error:
    """Two types that do not resolve: raised when data reaches them, or at once for the root."""

    def __init__(self, path: str, reason: str, field: str = "") -> None:
        """``field`` is the invalid field of the record; "" if the whole type is invalid."""
        self.path = f"{path}.{field}" if field else path
        self.reason = reason
        self._field = field

    def read(self, _data: bytes, _at: int) -> tuple[Any, int]:
        raise UnresolvableSchema(self._field, self.reason)


class _Read:
    def __init__(self, read: Reader) -> None:
        self.read = read


class _Record:
    """A pair of records; a recursive pair is used before its reader exists.

    ``fits`` says whether all fields compared so far resolve; errors deeper in their types do not
    count.
    """

    def __init__(self) -> None:
        self.found: _Read | _Error | None = None
        self.fits = True

    def read(self, data: bytes, at: int) -> tuple[Any, int]:
        assert self.found is not None
        return self.found.read(data, at)


class _Resolver:
    def __init__(
        self, binding: Binding, narrowing: Narrowing, root: Node, known: Mapping[str, Any]
    ) -> None:
        self._binding = binding
        self._root = root
        self._known = known
        self._narrowing: Narrowing = narrowing
        self._records: dict[tuple[int, int], _Record] = {}
        self._empty = EmptyTypes()
        self._skippers = Skippers(self._empty)

    def check_size(self, writer: Node) -> None:
        """Raises ``UnresolvableSchema`` if a value that takes no bytes contains too many values."""
        for node in nodes(writer):
            if self._empty.values_in(node) > MAX_EMPTY_ITEMS:
                raise UnresolvableSchema(
                    "", f"{node.title} contains more than {MAX_EMPTY_ITEMS} zero-byte values"
                )

    def reader(self, writer: Node, reader: Node, path: str) -> _Read | _Error:
        if writer.kind == "union":
            return self._from_union(writer, reader, path)
        if reader.kind == "union":
            branch = self._branch(writer, reader, path)
            if branch is None:
                return _Error(path, f"no branch of the union accepts {_describe(writer)}")
            # The writer's type alone chooses the branch. An error inside the branch does not choose another
            # one.
            return _Read(self.reader(writer, branch, path).read)
        convert = unit_conversion(writer, reader, self._narrowing)
        if convert is not None:
            return _Read(self._unit_reader(writer, reader, convert))
        if _are_decimals(writer, reader):
            return _Read(self._leaf(writer, reader))
        if self._is_of_spark(writer, reader):
            return _Read(self._leaf_of_spark(writer, reader))
        if writer.kind != reader.kind and reader.kind not in _PROMOTIONS.get(writer.kind, ()):
            return _Error(path, f"cannot read {_describe(writer)} as {_describe(reader)}")
        match reader.kind:
            case "record":
                record = self._record(writer, reader, path)
                return record.found or _Read(record.read)
            case "enum":
                return self._enum(writer, reader, path)
            case "array":
                items = self.reader(writer.items, reader.items, f"{path}[]").read
                read = list_reader(items, self._empty.values_in(writer.items))
                return _Read(_read_dict(read) if reader.map_form == "dict" else read)
            case "map":
                return _Read(dict_reader(self.reader(writer.items, reader.items, f"{path}[]").read))
            case "fixed" if not same_simple_name(writer, reader) or writer.size != reader.size:
                return _Error(
                    path,
                    f"cannot read {_describe(writer)} of {writer.size} bytes "
                    f"as {_describe(reader)} of {reader.size} bytes",
                )
        if writer.meaning and reader.meaning and writer.meaning != reader.meaning:
            # Java does not convert the number, so its value is a thousand times too large or too small.
            return _Error(
                path,
                f"cannot read {_describe_unit(writer)} as {_describe_unit(reader)}: the units differ",
            )
        return _Read(self._leaf(writer, reader))

    def _from_union(self, writer: Node, reader: Node, path: str) -> _Read:
        # Unions of the same structure are matched branch by branch, in order.
        targets = reader.branches if equivalent(writer, reader) else [reader] * len(writer.branches)
        readers = [
            self.reader(branch, target, path).read
            for branch, target in zip(writer.branches, targets, strict=True)
        ]

        def read(data: bytes, at: int) -> tuple[Any, int]:
            branch, at = length(data, at + 1, data[at])
            if branch >= len(readers):
                raise InvalidAvro(f"union branch index out of range: {branch}")
            return readers[branch](data, at)

        return _Read(read)

    def _branch(self, writer: Node, union: Node, path: str) -> Node | None:
        structural: Node | None = None
        for branch in union.branches:
            if branch.kind != writer.kind:
                continue
            if branch.name == writer.name:
                return branch
            # Java also accepts a record with another full name: the last with this simple name, else the
            # first.
            preferred = structural is None or same_simple_name(writer, branch)
            if branch.kind == "record" and preferred and self._has_structure(writer, branch, path):
                structural = branch
        if structural is not None:
            return structural
        promoted = _PROMOTIONS.get(writer.kind, frozenset())
        accepts: tuple[Callable[[Node], bool], ...] = (
            lambda branch: _are_decimals(writer, branch),
            lambda branch: branch.kind in promoted,
            # Avro cannot read a long as an int, for example a time in microseconds as one in milliseconds.
            lambda branch: self._is_other_unit(writer, branch),
            lambda branch: self._is_of_spark(writer, branch),
        )
        return next((b for accept in accepts for b in union.branches if accept(b)), None)

    def _is_other_unit(self, writer: Node, branch: Node) -> bool:
        return unit_conversion(writer, branch, self._narrowing) is not None

    def _is_of_spark(self, writer: Node, reader: Node) -> bool:
        """Whether Spark has no type like the reader's, and writes the writer's type instead."""
        if self._narrowing == "refused" or writer.meaning:
            return False
        return (writer.kind, reader.kind) in {("string", "enum"), ("bytes", "fixed")}

    def _has_structure(self, writer: Node, branch: Node, path: str) -> bool:
        record = self._record(writer, branch, path)
        return record.fits and not isinstance(record.found, _Error)

    def _record(self, writer: Node, reader: Node, path: str) -> _Record:
        key = (id(writer), id(reader))
        record = self._records.get(key)
        if record is None:
            record = self._records[key] = _Record()
            record.found = self._record_reader(writer, reader, path, record)
        return record

    def _record_reader(
        self, writer: Node, reader: Node, path: str, record: _Record
    ) -> _Read | _Error:
        targets = dict(
            zip([f.name for f in reader.fields], self._binding.attributes[reader.name], strict=True)
        )
        known = {field.name: field for field in reader.fields}
        written = {field.name for field in writer.fields}
        # Writers such as Spark keep names that Avro does not allow. The aliases of fields count
        # even if the records' names differ; Java would ignore the aliases then.
        others = {
            other: known[name]
            for other, name in (*_in_other_case(reader, written), *other_names(reader).items())
            if name not in written
        }
        steps: list[tuple[str, str | None, Reader]] = []
        for field in writer.fields:
            target = known.get(field.name) or others.get(field.name)
            if target is None or target.name not in known:
                steps.append((f".{field.name}", None, self._skippers.of(field.node)))
                continue
            del known[target.name]
            inner = self.reader(field.node, target.node, f"{path}.{target.name}")
            record.fits = record.fits and not isinstance(inner, _Error)
            steps.append((f".{target.name}", targets[target.name], inner.read))
        defaults: list[tuple[str, Callable[[], Any]]] = []
        for field in known.values():
            if reader is self._root and field.name in self._known:
                defaults.append((targets[field.name], _constant(self._known[field.name])))
                continue
            if not field.has_default:
                return _Error(
                    path, "is missing in the writer's schema and has no default", field.name
                )
            try:
                defaults.append((targets[field.name], self._default(field)))
            except InvalidValue as error:
                return _Error(path, str(error), field.name)
        class_, put = self._binding.classes[reader.name], self._binding.put

        def read(data: bytes, at: int) -> tuple[Any, int]:
            record: Any = object.__new__(class_)
            name = ""
            try:
                for name, attribute, part in steps:  # noqa: B007 - the name of the one that fails
                    value, at = part(data, at)
                    if attribute is not None:
                        put(record, attribute, value)
            except Exception as error:  # noqa: BLE001 - raised again
                raise misread(name, error) from None
            for attribute, make in defaults:
                put(record, attribute, make())
            return record, at

        return _Read(read)

    def _default(self, field: Field) -> Callable[[], Any]:
        default_of(self._binding, field, "")
        return lambda: default_of(self._binding, field, "")

    def _enum(self, writer: Node, reader: Node, path: str) -> _Read | _Error:
        if not same_simple_name(writer, reader):
            return _Error(path, f"cannot read {writer.name} as {reader.name}")
        enum = self._binding.classes[reader.name]
        members: list[Any] = [
            enum(symbol)
            if symbol in reader.symbols
            else enum(reader.default)
            if reader.default is not None
            else None
            for symbol in writer.symbols
        ]
        symbols = writer.symbols

        def read(data: bytes, at: int) -> tuple[Any, int]:
            symbol, at = length(data, at + 1, data[at])
            if symbol >= len(members):
                raise InvalidAvro(f"enum symbol index out of range: {symbol}")
            member = members[symbol]
            if member is None:
                raise UnresolvableSchema("", f"{reader.name} has no symbol {symbols[symbol]}")
            return member, at

        return _Read(read)

    def _unit_reader(self, writer: Node, reader: Node, convert: Callable[[int], int]) -> Reader:
        read = base_reader(writer)
        # ``from_base`` returns None for nanoseconds, which stay numbers.
        finish = from_base(self._binding, reader) or int

        def read_converted(data: bytes, at: int) -> tuple[Any, int]:
            count, at = read(data, at)
            try:
                converted = convert(count)
            except InvalidValue as error:
                raise UnresolvableSchema("", error.reason) from None
            return finish(converted), at

        return read_converted

    def _leaf_of_spark(self, writer: Node, reader: Node) -> Reader:
        """Reads the text of a symbol, or the bytes of a fixed."""
        read, name, size = base_reader(writer), reader.title, reader.size
        finish = from_base(self._binding, reader)
        symbols = frozenset(reader.symbols)

        def read_of_spark(data: bytes, at: int) -> tuple[Any, int]:
            value, at = read(data, at)
            if symbols and value not in symbols:
                if reader.default is None:
                    raise UnresolvableSchema("", f"{name} has no symbol {short_repr(value)}")
                value = reader.default
            elif not symbols and len(value) != size:
                raise UnresolvableSchema("", f"expected {size} bytes for {name}, got {len(value)}")
            return (finish(value) if finish else value), at

        return read_of_spark

    def _leaf(self, writer: Node, reader: Node) -> Reader:
        read = base_reader(writer)
        promote = promotion(writer.kind, reader.kind)
        convert = from_base(self._binding, reader)
        steps = [step for step in (promote, convert) if step is not None]
        if not steps:
            return read
        if len(steps) == 1:
            (only,) = steps

            def read_one(data: bytes, at: int) -> tuple[Any, int]:
                value, at = read(data, at)
                return only(value), at

            return read_one
        first, second = steps

        def read_two(data: bytes, at: int) -> tuple[Any, int]:
            value, at = read(data, at)
            return second(first(value)), at

        return read_two


def _constant(value: Any) -> Callable[[], Any]:
    return lambda: value


def _are_decimals(writer: Node, reader: Node) -> bool:
    """Whether both are decimals of the same scale, as ``bytes`` or ``fixed``."""
    return writer.logical == reader.logical == "decimal" and writer.scale == reader.scale


def _read_dict(read: Reader) -> Reader:
    def read_dict(data: bytes, at: int) -> tuple[Any, int]:
        entries, at = read(data, at)
        return dict_of_entries(entries), at

    return read_dict


def _describe(node: Node) -> str:
    if node.logical == "decimal":
        return f"decimal({node.precision},{node.scale})"
    return node.title


def _describe_unit(node: Node) -> str:
    logical, scale = node.meaning or ("", 0)
    return f"{logical} of scale {scale}" if logical == "decimal" else logical


def _in_other_case(reader: Node, written: Collection[str]) -> Iterator[tuple[str, str]]:
    """Pairs of a written name and a field's name that differ only in case, if the match is unique.

    Hive knows a struct's fields only in lower case, but writes them in their declared case.
    """
    found: dict[str, list[str]] = {}
    for name in written:
        found.setdefault(name.lower(), []).append(name)
    asked = Counter(field.name.lower() for field in reader.fields)
    by_alias = {name for alias, name in other_names(reader).items() if alias in written}
    for field in reader.fields:
        names = found.get(field.name.lower(), ())
        if len(names) == asked[field.name.lower()] == 1 and field.name not in by_alias:
            yield names[0], field.name
