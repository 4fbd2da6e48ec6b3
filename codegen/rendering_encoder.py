"""Renders a record's encoder: code that raises any exception to refuse a value.

Numbers of one byte are written inline, larger numbers by calls of the runtime. After an exception, the
runtime finds the reason.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import assert_never

from codegen.codec_functions import (
    FIXED,
    LOGICAL,
    MAX_SNIPPETS,
    NO_RECORD,
    PLACE,
    CodecRenderer,
    Snippet,
)
from codegen.shapes import (
    Attribute,
    DecimalShape,
    DictShape,
    EntriesShape,
    EnumReference,
    FixedReference,
    ListShape,
    RecordClass,
    RecordReference,
    Scalar,
    Shape,
    UnionShape,
)
from codegen.source import Lines, literal

# The class that a value must have exactly to be written as a union's branch of this shape.
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
    Scalar.INTERVAL_MICROS: "datetime.timedelta",
    Scalar.UUID_TEXT: "uuid.UUID",
    Scalar.UUID_FIXED: "uuid.UUID",
    Scalar.DURATION: "scalars.Duration",
}

# For each type of an array's items: the function that writes many, and the number of items up to
# which a loop is as fast.
MANY_WRITTEN: dict[Shape, tuple[str, int]] = {
    Scalar.INT: ("put_ints", 15),
    Scalar.LONG: ("put_longs", 15),
    Scalar.FLOAT: ("put_floats", 4),
    Scalar.DOUBLE: ("put_doubles", 4),
}


class Encoder(CodecRenderer):
    def snippet(self, shape: Shape) -> Snippet | None:
        return _snippet(shape, self.immutable, self.compact)

    @property
    def _list_class(self) -> str:
        return "tuple" if self.immutable else "list"

    @property
    def _dict_class(self) -> str:
        return "FrozenMap" if self.immutable else "dict"

    def render(self) -> None:
        lines, name = self.lines, self.record.class_name
        lines.add("", "")
        with lines.block(f"def encode_{name}(value: _{name}, out: bytearray) -> None:"):
            self._refuse_if(f"not isinstance(value, _{name})", name)
            self.all_attributes()
        self.render_deferred()

    def attributes(self, attributes: Sequence[Attribute]) -> None:
        self.lines.add("append = out.append", "x: Any")
        for attribute in attributes:
            self.attribute(attribute.shape, f"value.{attribute.name}")

    def attributes_in_own_function(self, attributes: Sequence[Attribute]) -> None:
        part = self.function_name()
        self.lines.add(f"encode_{part}(value, out)")
        head = f"def encode_{part}(value: _{self.record.class_name}, out: bytearray) -> None:"

        def render() -> None:
            self.lines.add("", "")
            with self.lines.block(head):
                self.attributes(attributes)

        self.defer(render)

    def decimal(self, shape: DecimalShape, place: str) -> None:
        arguments = f"{place}, {shape.precision}, {shape.scale}"
        if shape.size is not None:
            self.lines.add(f"out += scalars.decimal_fixed_of({arguments}, {shape.size})")
            return
        self.lines.add(f"x = scalars.decimal_bytes_of({arguments})")
        self._sized("x")

    def fixed(self, shape: FixedReference, place: str) -> None:
        t = self._leaf(place)
        checked = f"scalars.fixed_of({t}, {shape.size})"
        self.lines.add(f"out += {t} if type({t}) is _{shape.class_name} else {checked}")

    def enum(self, name: str, place: str) -> None:
        t = self._leaf(place)
        self._refuse_if(f"type({t}) is not _{name}", name)
        self._length(f"index_{name}[{t}._value_]")

    def inline_record(self, record: RecordClass, place: str, depth: int) -> None:
        t = self._local(place)
        self._refuse_if(f"not isinstance({t}, _{record.class_name})", record.class_name)
        for attribute in record.attributes:
            self.value(attribute.shape, f"{t}.{attribute.name}", depth)

    def call_record(self, name: str, place: str) -> None:
        self.lines.add(f"encode_{name}({place}, out)")

    def _refuse_if(self, condition: str, expected: str) -> None:
        with self.lines.block(f"if {condition}:"):
            self.lines.add(f'raise InvalidValue("", {literal(f"expected {expected}")})')

    def own_function(self, shape: Shape, value: str) -> None:
        name = self.function_name()
        self.lines.add(f"encode_{name}({value}, out)")

        def render() -> None:
            self.lines.add("", "")
            with self.lines.block(f"def encode_{name}(value: Any, out: bytearray) -> None:"):
                self.lines.add("append = out.append", "x: Any")
                self.value(shape, "value", 0)

        self.defer(render)

    def list_value(self, items: Shape, value: str, depth: int) -> None:
        lines, t, item = self.lines, self._local(value), self.temporary()
        with lines.block(f"if type({t}) is not {self._list_class}:"):
            lines.add(f"{t} = scalars.list_of({t})")
        with lines.block(f"if {t}:"):
            self._length(f"len({t})")
            if items not in MANY_WRITTEN:
                self._items(items, item, t, depth)
            else:
                write, most = MANY_WRITTEN[items]
                lines.add(f"if len({t}) > {most}:", f"    {write}(out, {t})")
                with lines.block("else:"):
                    self._items(items, item, t, depth)
        lines.add("append(0)")

    def _items(self, items: Shape, item: str, values: str, depth: int) -> None:
        with self.lines.block(f"for {item} in {values}:"):
            self.value(items, item, depth + 1)

    def dict_value(self, keys: Shape, values: Shape, value: str, depth: int) -> None:
        lines, t, key, item = self.lines, self._local(value), self.temporary(), self.temporary()
        with lines.block(f"if type({t}) is not {self._dict_class}:"):
            lines.add(f"{t} = scalars.dict_of({t})")
        with lines.block(f"if {t}:"):
            self._length(f"len({t})")
            with lines.block(f"for {key}, {item} in {t}.items():"):
                self.value(keys, key, depth + 1)
                self.value(values, item, depth + 1)
        lines.add("append(0)")

    def union(self, branches: tuple[Shape, ...], value: str, depth: int) -> None:
        lines = self.lines
        t = self._leaf(value) if all(map(_is_leaf, branches)) else self._local(value)
        others = [b for b in branches if b is not Scalar.NULL]
        if len(branches) == 2 and len(others) == 1:
            null, other = branches.index(Scalar.NULL), branches.index(others[0])
            lines.add(f"if {t} is None:", f"    append({null << 1})")
            with lines.block("else:"):
                lines.add(f"append({other << 1})")
                self.value(others[0], t, depth + 1)
            return
        word = "if"
        for index, branch in enumerate(branches):
            with lines.block(f"{word} {self._condition(branch, branches, t)}:"):
                self._branch_index(index)
                self.value(branch, t, depth + 1)
            word = "elif"
        if not any(branch in {Scalar.INT, Scalar.LONG} for branch in branches):
            for index, branch in enumerate(branches):
                if branch in {Scalar.FLOAT, Scalar.DOUBLE}:
                    with lines.block(f"elif type({t}) is int:"):
                        self._branch_index(index)
                        self.value(branch, t, depth + 1)
                    break
        with lines.block("else:"):
            lines.add('raise InvalidValue("", "no branch of the union accepts the value")')

    def _branch_index(self, index: int) -> None:
        if index > 63:
            self._length(str(index))
        else:
            self.lines.add(f"append({index << 1})")

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
                return f"type({t}) is {self._list_class}"
            case DictShape() | EntriesShape():
                return f"type({t}) is {self._dict_class}"
            case RecordReference(name) | EnumReference(name) | FixedReference(name):
                return f"type({t}) is _{name}"
            case UnionShape():
                raise AssertionError("union directly within a union")
            case _:
                assert_never(branch)

    def scalar(self, shape: Scalar, value: str) -> None:
        lines = self.lines
        if shape in LOGICAL:
            base, to_base, _ = LOGICAL[shape]
            if base is Scalar.STRING:
                lines.add(f"x = scalars.{to_base}({value})", "append(72)", "out += x.encode()")
            elif base is Scalar.INT:
                lines.add(f"put_long(out, scalars.{to_base}({value}))")
            else:
                lines.add(
                    f"n = scalars.{to_base}({value})",
                    "x = n + n if n >= 0 else ~(n + n)",
                    "if x < 268435456:",
                    "    put_long(out, n)",
                    "else:",
                    "    put_raw_long(out, x)",
                )
            return
        if shape in FIXED:
            lines.add(f"out += scalars.{FIXED[shape][1]}({value})")
            return
        match shape:
            case Scalar.NULL:
                self._refuse_if(f"{value} is not None", "None")
            case Scalar.BOOLEAN:
                t = self._leaf(value)
                lines.add(
                    f"if {t} is True:",
                    "    append(1)",
                    f"elif {t} is False:",
                    "    append(0)",
                    "else:",
                    '    raise InvalidValue("", "expected bool")',
                )
            case Scalar.INT | Scalar.LONG:
                kind = "int" if shape is Scalar.INT else "long"
                t = self._leaf(value)
                if self.compact:
                    number = f"{t} if type({t}) is int else scalars.{kind}_of({t})"
                    lines.add(f"scalars.put_{kind}(out, {number})")
                    return
                lines.add(
                    f"if type({t}) is not int:",
                    f"    {t} = scalars.{kind}_of({t})",
                    f"{t} = {t} + {t} if {t} >= 0 else ~({t} + {t})",
                    f"if {t} < 128:",
                    f"    append({t})",
                    f"elif {t} < 16384:",
                    f"    append(({t} & 127) + 128)",
                    f"    append({t} >> 7)",
                    f"elif {t} < 2097152:",
                    f"    out += pack_3(pair_of[{t} & 16383], {t} >> 14)",
                    f"elif {t} < 268435456:",
                    f"    out += pack_4(pair_of[{t} & 16383], pair_of[{t} >> 14] - 32768)",
                    "else:",
                    f"    put_raw_{kind}(out, {t})",
                )
            case Scalar.FLOAT | Scalar.DOUBLE:
                t = self._leaf(value)
                kind = "float" if shape is Scalar.FLOAT else "double"
                with lines.block(f"if type({t}) is not float:"):
                    lines.add(f"{t} = scalars.{kind}_of({t})")
                lines.add(f"out += pack_{kind}({t})")
            case Scalar.BYTES:
                t = self._leaf(value)
                with lines.block(f"if type({t}) is not bytes:"):
                    lines.add(f"{t} = scalars.bytes_of({t})")
                self._sized(t)
            case Scalar.STRING:
                # The call raises unless the value is a str.
                lines.add(f"x = encoded({value})")
                self._sized("x")
            case _:
                raise AssertionError(shape)

    def _local(self, value: str) -> str:
        """The name of a local variable that has the value."""
        if "." not in value and value != PLACE:
            return value
        t = self.temporary()
        self.lines.add(f"{t}: Any = {value}")
        return t

    def _leaf(self, value: str) -> str:
        """Like ``_local``, for a value that no later code needs: the variable always has the same name."""
        if "." not in value and value != PLACE:
            return value
        self.lines.add(f"x = {value}")
        return "x"

    def _sized(self, t: str) -> None:
        self._length(f"len({t})")
        self.lines.add(f"out += {t}")

    def _length(self, expression: str) -> None:
        self.lines.add(
            f"n = {expression}",
            "if n < 64:",
            "    append(n + n)",
            "else:",
            "    put_long(out, n)",
        )


def _is_leaf(shape: Shape) -> bool:
    return isinstance(shape, Scalar | DecimalShape | EnumReference | FixedReference)


@lru_cache(MAX_SNIPPETS)
def _snippet(shape: Shape, immutable: bool, compact: bool) -> Snippet | None:
    encoder = Encoder(Lines("    "), NO_RECORD, {}, immutable=immutable, compact=compact)
    return encoder.draft(shape)
