"""The module of a package's binary codec: straight-line code for each record.

Written for speed: the one-byte path of every number is inline, the rest are calls to the runtime's
``scalars``. An encoder says no by any exception and looks for the reason afterwards; a decoder
never loops or allocates past its input. What is nested deeper than ``_DEEPEST`` loops becomes a
function of its own, since Python bounds the nesting of blocks.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import assert_never

from codegen.shapes import (
    DecimalShape,
    DictShape,
    EnumReference,
    FixedReference,
    ListShape,
    PackageShape,
    RecordClass,
    RecordReference,
    Scalar,
    Shape,
    UnionShape,
)
from codegen.source import Lines, literal

_DEEPEST = 3

# How a logical type's value becomes the value of its Avro type, and back.
_LOGICAL: dict[Scalar, tuple[Scalar, str, str]] = {
    Scalar.DATE: (Scalar.INT, "days_of", "date_from"),
    Scalar.TIME_MILLIS: (Scalar.INT, "time_millis_of", "time_from_millis"),
    Scalar.TIME_MICROS: (Scalar.LONG, "time_micros_of", "time_from_micros"),
    Scalar.TIMESTAMP_MILLIS: (Scalar.LONG, "timestamp_millis_of", "timestamp_from_millis"),
    Scalar.TIMESTAMP_MICROS: (Scalar.LONG, "timestamp_micros_of", "timestamp_from_micros"),
    Scalar.LOCAL_MILLIS: (Scalar.LONG, "local_millis_of", "local_from_millis"),
    Scalar.LOCAL_MICROS: (Scalar.LONG, "local_micros_of", "local_from_micros"),
    Scalar.UUID_TEXT: (Scalar.STRING, "uuid_text_of", "uuid_from"),
}

_FIXED: dict[Scalar, tuple[int, str, str]] = {
    Scalar.UUID_FIXED: (16, "uuid_bytes_of", "uuid_from_bytes"),
    Scalar.DURATION: (12, "duration_of", "duration_from"),
}

# The class that a value must have exactly to be a union's branch of this shape.
_EXACT: dict[Scalar, str] = {
    Scalar.FLOAT: "float",
    Scalar.DOUBLE: "float",
    Scalar.LONG: "int",
    Scalar.BYTES: "bytes",
    Scalar.STRING: "str",
    Scalar.DATE: "datetime.date",
    Scalar.TIME_MILLIS: "datetime.time",
    Scalar.TIME_MICROS: "datetime.time",
    Scalar.TIMESTAMP_MILLIS: "datetime.datetime",
    Scalar.TIMESTAMP_MICROS: "datetime.datetime",
    Scalar.LOCAL_MILLIS: "datetime.datetime",
    Scalar.LOCAL_MICROS: "datetime.datetime",
    Scalar.UUID_TEXT: "uuid.UUID",
    Scalar.UUID_FIXED: "uuid.UUID",
    Scalar.DURATION: "scalars.Duration",
}


def render_codec(package: PackageShape) -> str:
    """The source of ``_codec.py``."""
    empty = _empty_records(package)
    lines = Lines()
    lines.docstring(f"The binary codec of {package.root.full_name}; generated, not to be edited.")
    classes = sorted(c.class_name for c in package.classes)
    lines.add(
        "",
        "from __future__ import annotations",
        "",
        "import datetime",
        "import decimal",
        "import uuid",
        "from collections.abc import Callable",
        "from typing import Any",
        "",
        "from . import _schema, _types",
        "from ._avro import scalars",
        "from ._avro.binding import Binding, read_all",
        "from ._avro.container import read_records as read_records",
        "from ._avro.container import reader_of",
        "from ._avro.container import write_records as write_records",
        "from ._avro.errors import InvalidAvro, InvalidValue",
        "from ._avro.scalars import (",
        "    block, few, ints, length, longs, more_int, more_long, put_long, take,",
        ")",
        "from ._avro.values import from_plain, to_plain, write_all",
        *(f"from ._types import {name} as _{name}" for name in classes),
        "",
        "_new = object.__new__",
        "_pack_float = scalars.FLOAT.pack",
        "_pack_double = scalars.DOUBLE.pack",
        "_float_at = scalars.FLOAT.unpack_from",
        "_double_at = scalars.DOUBLE.unpack_from",
    )
    for enum in package.enums:
        pairs = ", ".join(f"{literal(s)}: {i}" for i, (_, s) in enumerate(enum.members))
        members = "".join(f"_{enum.class_name}.{m}, " for m, _ in enum.members)
        lines.add(f"_index_{enum.class_name} = {{{pairs}}}")
        lines.add(f"_members_{enum.class_name} = ({members.rstrip()})")
    for record in package.records:
        _Encoder(lines, record).render()
        _Decoder(lines, record, empty).render()
    _entry_points(lines, package)
    return lines.text()


def _entry_points(lines: Lines, package: PackageShape) -> None:
    named = package.classes
    lines.add("", "", "BINDING = Binding(", "    _schema.SCHEMA,")
    lines.add(
        "    {", *(f"        {literal(c.full_name)}: _{c.class_name}," for c in named), "    },"
    )
    lines.add("    {")
    for record in package.records:
        names = "".join(f"{literal(a.name)}, " for a in record.attributes)
        lines.add(f"        {literal(record.full_name)}: ({names.rstrip()}),")
    lines.add("    },")
    for way in ("decode", "encode"):
        pairs = (f"        {literal(r.full_name)}: {way}_{r.class_name}," for r in package.records)
        lines.add("    {", *pairs, "    },")
    lines.add(")")
    for record in package.records:
        name = record.class_name
        lines.add("", "")
        with lines.block(f"def to_avro_{name}(value: _{name}) -> bytes:"):
            lines.add(
                f"return write_all(BINDING, {literal(record.full_name)}, encode_{name}, value)"
            )
        lines.add("", "")
        with lines.block(f"def from_avro_{name}(data: bytes) -> _{name}:"):
            lines.add(f"record: _{name} = read_all(decode_{name}, data)", "return record")
    lines.add("", "")
    with lines.block("def resolve_from(name: str, writer_schema: str) -> Callable[[bytes], Any]:"):
        lines.add("reader = reader_of(BINDING, writer_schema, name)")
        lines.add("return lambda data: read_all(reader, data)")
    lines.add("", "")
    with lines.block("def to_dict(name: str, value: Any) -> dict[str, Any]:"):
        lines.add("plain: dict[str, Any] = to_plain(BINDING, BINDING.nodes[name], value)")
        lines.add("return plain")
    lines.add("", "")
    with lines.block("def from_dict(name: str, plain: Any) -> Any:"):
        lines.add('return from_plain(BINDING, BINDING.nodes[name], plain, "")')


def _empty_records(package: PackageShape) -> frozenset[str]:
    """Classes whose values take no bytes: every field is null, or such a record itself."""
    found: set[str] = set()
    while True:
        more = {
            record.class_name
            for record in package.records
            if all(is_empty(a.shape, frozenset(found)) for a in record.attributes)
        }
        if more <= found:
            return frozenset(found)
        found |= more


def is_empty(shape: Shape, empty_records: frozenset[str]) -> bool:
    match shape:
        case Scalar.NULL:
            return True
        case FixedReference(_, size):
            return size == 0
        case DecimalShape(size=size):
            return size == 0
        case RecordReference(name):
            return name in empty_records
        case _:
            return False


class _Function:
    """What encoders and decoders share: temporaries, and parts that became functions."""

    def __init__(self, lines: Lines, record: RecordClass) -> None:
        self.lines = lines
        self.record = record
        self._temporaries = 0
        self._parts = 0
        self._waiting: list[Callable[[], None]] = []

    def temporary(self) -> str:
        self._temporaries += 1
        return f"t{self._temporaries}"

    def part(self) -> str:
        self._parts += 1
        return f"part_{self._parts}_of_{self.record.class_name}"

    def later(self, render: Callable[[], None]) -> None:
        self._waiting.append(render)

    def finish(self) -> None:
        while self._waiting:
            self._temporaries = 0
            self._waiting.pop(0)()


class _Encoder(_Function):
    def render(self) -> None:
        lines, name = self.lines, self.record.class_name
        lines.add("", "")
        with lines.block(f"def encode_{name}(value: _{name}, out: bytearray) -> None:"):
            with lines.block(f"if not isinstance(value, _{name}):"):
                lines.add(f'raise InvalidValue("", {literal(f"no {name}")})')
            lines.add("append = out.append")
            for attribute in self.record.attributes:
                self._value(attribute.shape, f"value.{attribute.name}", 0)
        self.finish()

    def _value(self, shape: Shape, value: str, depth: int) -> None:
        lines = self.lines
        match shape:
            case Scalar():
                self._scalar(shape, value)
            case DecimalShape(precision, scale, None):
                t = self.temporary()
                lines.add(f"{t} = scalars.decimal_bytes_of({value}, {precision}, {scale})")
                self._sized(t)
            case DecimalShape(precision, scale, size):
                lines.add(f"out += scalars.decimal_fixed_of({value}, {precision}, {scale}, {size})")
            case FixedReference(name, size):
                t = self.temporary()
                lines.add(f"{t} = {value}")
                lines.add(f"out += {t} if type({t}) is _{name} else scalars.fixed_of({t}, {size})")
            case EnumReference(name):
                t = self.temporary()
                lines.add(f"{t} = {value}")
                with lines.block(f"if type({t}) is not _{name}:"):
                    lines.add(f'raise InvalidValue("", {literal(f"no {name}")})')
                self._length(f"_index_{name}[{t}._value_]")
            case RecordReference(name):
                lines.add(f"encode_{name}({value}, out)")
            case UnionShape(branches):
                self._union(branches, value, depth)
            case ListShape() | DictShape() if depth >= _DEEPEST:
                self._apart(shape, value)
            case ListShape(items):
                self._list(items, value, depth)
            case DictShape(values):
                self._dict(values, value, depth)
            case _:
                assert_never(shape)

    def _apart(self, shape: Shape, value: str) -> None:
        name = self.part()
        self.lines.add(f"encode_{name}({value}, out)")

        def render() -> None:
            self.lines.add("", "")
            with self.lines.block(f"def encode_{name}(value: Any, out: bytearray) -> None:"):
                self.lines.add("append = out.append")
                self._value(shape, "value", 0)

        self.later(render)

    def _list(self, items: Shape, value: str, depth: int) -> None:
        lines, t, item = self.lines, self.temporary(), self.temporary()
        lines.add(f"{t}: Any = {value}")
        with lines.block(f"if type({t}) is not list:"):
            lines.add(f"{t} = scalars.list_of({t})")
        with lines.block(f"if {t}:"):
            self._length(f"len({t})")
            with lines.block(f"for {item} in {t}:"):
                self._value(items, item, depth + 1)
        lines.add("append(0)")

    def _dict(self, values: Shape, value: str, depth: int) -> None:
        lines, t, key, item = self.lines, self.temporary(), self.temporary(), self.temporary()
        lines.add(f"{t}: Any = {value}")
        with lines.block(f"if type({t}) is not dict:"):
            lines.add(f"{t} = scalars.dict_of({t})")
        with lines.block(f"if {t}:"):
            self._length(f"len({t})")
            with lines.block(f"for {key}, {item} in {t}.items():"):
                self._scalar(Scalar.STRING, key)
                self._value(values, item, depth + 1)
        lines.add("append(0)")

    def _union(self, branches: tuple[Shape, ...], value: str, depth: int) -> None:
        lines, t = self.lines, self.temporary()
        lines.add(f"{t}: Any = {value}")
        others = [b for b in branches if b is not Scalar.NULL]
        if len(branches) == 2 and len(others) == 1:
            null, other = branches.index(Scalar.NULL), branches.index(others[0])
            with lines.block(f"if {t} is None:"):
                lines.add(f"append({null << 1})")
            with lines.block("else:"):
                lines.add(f"append({other << 1})")
                self._value(others[0], t, depth + 1)
            return
        word = "if"
        for index, branch in enumerate(branches):
            with lines.block(f"{word} {self._condition(branch, branches, t)}:"):
                self._length(str(index)) if index > 63 else lines.add(f"append({index << 1})")
                self._value(branch, t, depth + 1)
            word = "elif"
        if not any(branch in {Scalar.INT, Scalar.LONG} for branch in branches):
            for index, branch in enumerate(branches):
                if branch in {Scalar.FLOAT, Scalar.DOUBLE}:
                    with lines.block(f"elif type({t}) is int:"):
                        self._length(str(index)) if index > 63 else lines.add(
                            f"append({index << 1})"
                        )
                        self._value(branch, t, depth + 1)
                    break
        with lines.block("else:"):
            lines.add('raise InvalidValue("", "of no branch")')

    def _condition(self, branch: Shape, branches: tuple[Shape, ...], t: str) -> str:
        match branch:
            case Scalar.NULL:
                return f"{t} is None"
            case Scalar.BOOLEAN:
                return f"{t} is True or {t} is False"
            case Scalar.INT:
                return f"type({t}) is int and -2147483648 <= {t} <= 2147483647"
            case Scalar.FLOAT if Scalar.DOUBLE in branches:
                return f"type({t}) is float and scalars.is_single({t})"
            case Scalar.TIME_MILLIS if Scalar.TIME_MICROS in branches:
                return f"type({t}) is datetime.time and {t}.microsecond % 1000 == 0"
            case Scalar():
                return f"type({t}) is {_EXACT[branch]}"
            case DecimalShape(precision, scale):
                exact = f"type({t}) is decimal.Decimal"
                return f"{exact} and scalars.is_decimal({t}, {precision}, {scale})"
            case ListShape():
                return f"type({t}) is list"
            case DictShape():
                return f"type({t}) is dict"
            case RecordReference(name) | EnumReference(name) | FixedReference(name):
                return f"type({t}) is _{name}"
            case UnionShape():
                raise AssertionError("a union stands directly in a union")
            case _:
                assert_never(branch)

    def _scalar(self, shape: Scalar, value: str) -> None:
        lines = self.lines
        if shape in _LOGICAL:
            base, to_base, _ = _LOGICAL[shape]
            t = self.temporary()
            lines.add(f"{t} = scalars.{to_base}({value})")
            if base is Scalar.STRING:
                lines.add("append(72)", f"out += {t}.encode()")
            else:
                self._number(t)
            return
        if shape in _FIXED:
            lines.add(f"out += scalars.{_FIXED[shape][1]}({value})")
            return
        match shape:
            case Scalar.NULL:
                with lines.block(f"if {value} is not None:"):
                    lines.add('raise InvalidValue("", "not None")')
            case Scalar.BOOLEAN:
                t = self.temporary()
                lines.add(f"{t} = {value}")
                with lines.block(f"if {t} is True:"):
                    lines.add("append(1)")
                with lines.block(f"elif {t} is False:"):
                    lines.add("append(0)")
                with lines.block("else:"):
                    lines.add('raise InvalidValue("", "no bool")')
            case Scalar.INT | Scalar.LONG:
                t = self.temporary()
                bits = 31 if shape is Scalar.INT else 63
                kind = "int" if shape is Scalar.INT else "long"
                lines.add(f"{t} = {value}")
                with lines.block(f"if type({t}) is int and -64 <= {t} < 64:"):
                    lines.add(f"append({t} << 1 ^ {t} >> 63)")
                with lines.block(
                    f"elif type({t}) is int and {-(2**bits)} <= {t} <= {2**bits - 1}:"
                ):
                    lines.add(f"put_long(out, {t})")
                with lines.block("else:"):
                    lines.add(f"put_long(out, scalars.{kind}_of({t}))")
            case Scalar.FLOAT | Scalar.DOUBLE:
                t = self.temporary()
                kind = "float" if shape is Scalar.FLOAT else "double"
                lines.add(f"{t} = {value}")
                with lines.block(f"if type({t}) is not float:"):
                    lines.add(f"{t} = scalars.{kind}_of({t})")
                lines.add(f"out += _pack_{kind}({t})")
            case Scalar.BYTES:
                t = self.temporary()
                lines.add(f"{t} = {value}")
                with lines.block(f"if type({t}) is not bytes:"):
                    lines.add(f"{t} = scalars.bytes_of({t})")
                self._sized(t)
            case Scalar.STRING:
                t, encoded = self.temporary(), self.temporary()
                lines.add(f"{t} = {value}")
                with lines.block(f"if type({t}) is not str:"):
                    lines.add(f"{t} = scalars.text_of({t})")
                lines.add(f"{encoded} = {t}.encode()")
                self._sized(encoded)
            case _:
                raise AssertionError(shape)

    def _number(self, t: str) -> None:
        """Appends an int in range, the one-byte path inline."""
        lines = self.lines
        with lines.block(f"if -64 <= {t} < 64:"):
            lines.add(f"append({t} << 1 ^ {t} >> 63)")
        with lines.block("else:"):
            lines.add(f"put_long(out, {t})")

    def _sized(self, t: str) -> None:
        self._length(f"len({t})")
        self.lines.add(f"out += {t}")

    def _length(self, expression: str) -> None:
        lines, t = self.lines, self.temporary()
        lines.add(f"{t} = {expression}")
        with lines.block(f"if {t} < 64:"):
            lines.add(f"append({t} << 1)")
        with lines.block("else:"):
            lines.add(f"put_long(out, {t})")


class _Decoder(_Function):
    def __init__(self, lines: Lines, record: RecordClass, empty: frozenset[str]) -> None:
        super().__init__(lines, record)
        self._empty = empty

    def render(self) -> None:
        lines, name = self.lines, self.record.class_name
        lines.add("", "")
        with lines.block(f"def decode_{name}(data: bytes, at: int) -> tuple[_{name}, int]:"):
            lines.add(f"record = _new(_{name})")
            for attribute in self.record.attributes:
                self._value(attribute.shape, f"record.{attribute.name}", 0)
            lines.add("return record, at")
        self.finish()

    def _value(self, shape: Shape, target: str, depth: int) -> None:
        lines = self.lines
        match shape:
            case Scalar():
                self._scalar(shape, target)
            case DecimalShape(precision, scale, None):
                t, end = self._extent()
                lines.add(
                    f"{target} = scalars.decimal_from(data[at:{end}], {precision}, {scale})",
                    f"at = {end}",
                )
            case DecimalShape(precision, scale, size):
                taken = f"take(data, at, {size})"
                lines.add(
                    f"{target} = scalars.decimal_from({taken}, {precision}, {scale})",
                    f"at += {size}",
                )
            case FixedReference(name, size):
                lines.add(f"{target} = _{name}(data[at : at + {size}])", f"at += {size}")
            case EnumReference(name):
                t = self._index()
                lines.add(f"{target} = _members_{name}[{t} >> 1]")
            case RecordReference(name):
                lines.add(f"{target}, at = decode_{name}(data, at)")
            case UnionShape(branches):
                self._union(branches, target, depth)
            case ListShape() | DictShape() if depth >= _DEEPEST:
                self._apart(shape, target)
            case ListShape(items):
                self._list(items, target, depth)
            case DictShape(values):
                self._dict(values, target, depth)
            case _:
                assert_never(shape)

    def _apart(self, shape: Shape, target: str) -> None:
        name = self.part()
        self.lines.add(f"{target}, at = decode_{name}(data, at)")

        def render() -> None:
            self.lines.add("", "")
            with self.lines.block(f"def decode_{name}(data: bytes, at: int) -> tuple[Any, int]:"):
                self.lines.add("value: Any")
                self._value(shape, "value", 0)
                self.lines.add("return value, at")

        self.later(render)

    def _list(self, items: Shape, target: str, depth: int) -> None:
        lines, t, count = self.lines, self.temporary(), self.temporary()
        item = self.temporary()
        lines.add(f"{t}: list[Any] = []", f"{item}: Any")
        self._byte(count)
        with lines.block(f"while {count}:"):
            self._block(count)
            if is_empty(items, self._empty):
                lines.add(f"few({count}, len({t}))")
            if items in {Scalar.INT, Scalar.LONG}:
                self._many_numbers(items, t, count)
            with lines.block(f"for _ in range({count} >> 1):"):
                self._value(items, item, depth + 1)
                lines.add(f"{t}.append({item})")
            self._byte(count)
        lines.add(f"{target} = {t}")

    def _many_numbers(self, items: Shape, t: str, count: str) -> None:
        """Many numbers are read by one call, which sees at once if each is a byte."""
        lines, found = self.lines, self.temporary()
        read = "ints" if items is Scalar.INT else "longs"
        with lines.block(f"if {count} > 30:"):
            lines.add(
                f"{found}, at = {read}(data, at, {count} >> 1)", f"{t} += {found}", f"{count} = 0"
            )

    def _dict(self, values: Shape, target: str, depth: int) -> None:
        lines, t, count = self.lines, self.temporary(), self.temporary()
        key, item = self.temporary(), self.temporary()
        lines.add(f"{t}: dict[str, Any] = {{}}", f"{item}: Any")
        self._byte(count)
        with lines.block(f"while {count}:"):
            self._block(count)
            with lines.block(f"for _ in range({count} >> 1):"):
                self._scalar(Scalar.STRING, key)
                self._value(values, item, depth + 1)
                lines.add(f"{t}[{key}] = {item}")
            self._byte(count)
        lines.add(f"{target} = {t}")

    def _block(self, count: str) -> None:
        lines = self.lines
        with lines.block(f"if {count} & 129:"):
            lines.add(f"{count}, at = block(data, at, {count})")
            with lines.block(f"if not {count}:"):
                lines.add("break")

    def _union(self, branches: tuple[Shape, ...], target: str, depth: int) -> None:
        lines, t = self.lines, self._index()
        word = "if"
        # The branch that is not null first: it is what most data holds.
        order = sorted(range(len(branches)), key=lambda i: branches[i] is Scalar.NULL)
        for index in order:
            with lines.block(f"{word} {t} == {index << 1}:"):
                self._value(branches[index], target, depth + 1)
            word = "elif"
        with lines.block("else:"):
            lines.add('raise InvalidAvro("a branch that the union has not")')

    def _scalar(self, shape: Scalar, target: str) -> None:
        lines = self.lines
        if shape in _LOGICAL:
            base, _, from_base = _LOGICAL[shape]
            t = self.temporary()
            self._scalar(base, t)
            lines.add(f"{target} = scalars.{from_base}({t})")
            return
        if shape in _FIXED:
            size, _, from_base = _FIXED[shape]
            lines.add(f"{target} = scalars.{from_base}(data[at : at + {size}])", f"at += {size}")
            return
        match shape:
            case Scalar.NULL:
                lines.add(f"{target} = None")
            case Scalar.BOOLEAN:
                t = self.temporary()
                self._byte(t)
                with lines.block(f"if {t} > 1:"):
                    lines.add('raise InvalidAvro("no boolean")')
                lines.add(f"{target} = {t} == 1")
            case Scalar.INT | Scalar.LONG:
                t = self.temporary()
                more = "more_int" if shape is Scalar.INT else "more_long"
                self._byte(t)
                with lines.block(f"if {t} > 127:"):
                    lines.add(f"{t}, at = {more}(data, at, {t})")
                lines.add(f"{target} = {t} >> 1 ^ -({t} & 1)")
            case Scalar.FLOAT:
                lines.add(f"({target},) = _float_at(data, at)", "at += 4")
            case Scalar.DOUBLE:
                lines.add(f"({target},) = _double_at(data, at)", "at += 8")
            case Scalar.BYTES:
                _, end = self._extent()
                lines.add(f"{target} = data[at:{end}]", f"at = {end}")
            case Scalar.STRING:
                _, end = self._extent()
                lines.add(f"{target} = data[at:{end}].decode()", f"at = {end}")
            case _:
                raise AssertionError(shape)

    def _extent(self) -> tuple[str, str]:
        """Reads a length. An end past the input is seen by the next read, or by the caller."""
        t, end = self._index(), self.temporary()
        self.lines.add(f"{end} = at + ({t} >> 1)")
        return t, end

    def _index(self) -> str:
        t = self.temporary()
        self._byte(t)
        with self.lines.block(f"if {t} & 129:"):
            self.lines.add(f"{t}, at = length(data, at, {t})")
        return t

    def _byte(self, t: str) -> None:
        self.lines.add(f"{t} = data[at]", "at += 1")
