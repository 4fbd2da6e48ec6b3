"""Renders a record's decoder. The input's length limits its loops and allocations."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import lru_cache

from codegen.codec_functions import (
    FIXED,
    LOGICAL,
    MAX_SNIPPETS,
    NO_RECORD,
    CodecRenderer,
    Snippet,
)
from codegen.shapes import (
    Attribute,
    DecimalShape,
    FixedReference,
    RecordClass,
    RecordReference,
    Scalar,
    Shape,
)
from codegen.source import Lines

# For each type of an array's items: the function that reads many, and the number of items up to
# which a loop is as fast.
MANY_READ: dict[Shape, tuple[str, int]] = {
    Scalar.INT: ("ints", 7),
    Scalar.LONG: ("longs", 7),
    Scalar.FLOAT: ("floats", 3),
    Scalar.DOUBLE: ("doubles", 3),
}


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


class Decoder(CodecRenderer):
    def __init__(
        self,
        lines: Lines,
        record: RecordClass,
        inlined: Mapping[str, RecordClass],
        empty: frozenset[str],
        *,
        immutable: bool,
        compact: bool,
    ) -> None:
        super().__init__(lines, record, inlined, immutable=immutable, compact=compact)
        self._empty = empty

    def snippet(self, shape: Shape) -> Snippet | None:
        return _snippet(shape, self.immutable, self.compact)

    def render(self) -> None:
        lines, name = self.lines, self.record.class_name
        lines.add("", "")
        with lines.block(f"def decode_{name}(data: bytes, at: int) -> tuple[_{name}, int]:"):
            self._begin("record", name)
            self.all_attributes()
            self._end("record", name)
            lines.add("return record, at")
        self.render_deferred()

    def attributes(self, attributes: Sequence[Attribute]) -> None:
        for attribute in attributes:
            self.attribute(attribute.shape, f"record.{attribute.name}")

    def attributes_in_own_function(self, attributes: Sequence[Attribute]) -> None:
        part = self.function_name()
        self.lines.add(f"at = decode_{part}(record, data, at)")
        record = "Any" if self.immutable else f"_{self.record.class_name}"

        def render() -> None:
            self.lines.add("", "")
            with self.lines.block(
                f"def decode_{part}(record: {record}, data: bytes, at: int) -> int:"
            ):
                self.attributes(attributes)
                self.lines.add("return at")

        self.defer(render)

    def decimal(self, shape: DecimalShape, place: str) -> None:
        if shape.size is None:
            self._extent()
            data, move = "data[at:n]", "at = n"
        else:
            data, move = f"take(data, at, {shape.size})", f"at += {shape.size}"
        self.lines.add(
            f"{place} = scalars.decimal_from({data}, {shape.precision}, {shape.scale})", move
        )

    def fixed(self, shape: FixedReference, place: str) -> None:
        self.lines.add(
            f"{place} = _{shape.class_name}(data[at : at + {shape.size}])", f"at += {shape.size}"
        )

    def enum(self, name: str, place: str) -> None:
        self._length()
        self.lines.add(f"{place} = members_{name}[n]")

    def inline_record(self, record: RecordClass, place: str, depth: int) -> None:
        t = self.temporary()
        self._begin(t, record.class_name)
        for attribute in record.attributes:
            self.value(attribute.shape, f"{t}.{attribute.name}", depth)
        self._end(t, record.class_name)
        self.lines.add(f"{place} = {t}")

    def call_record(self, name: str, place: str) -> None:
        self.lines.add(f"{place}, at = decode_{name}(data, at)")

    def _begin(self, record: str, name: str) -> None:
        """Adds a decoder's first lines. An immutable record has a draft class until it is complete."""
        if self.immutable:
            self.lines.add(f"{record}: Any = new(__draft_{name}__)")
        else:
            self.lines.add(f"{record} = new(_{name})")

    def _end(self, record: str, name: str) -> None:
        if self.immutable:
            self.lines.add(f"{record}.__class__ = _{name}")

    def own_function(self, shape: Shape, target: str) -> None:
        name = self.function_name()
        self.lines.add(f"{target}, at = decode_{name}(data, at)")

        def render() -> None:
            self.lines.add("", "")
            with self.lines.block(f"def decode_{name}(data: bytes, at: int) -> tuple[Any, int]:"):
                self.lines.add("value: Any")
                self.value(shape, "value", 0)
                self.lines.add("return value, at")

        self.defer(render)

    def list_value(self, items: Shape, target: str, depth: int) -> None:
        lines, t, iterations = self.lines, self.temporary(), self.temporary()
        item = self.temporary()
        lines.add(f"{t}: list[Any] = []", f"{item}: Any")
        with self._blocks(iterations):
            if is_empty(items, self._empty):
                lines.add(f"check_empty_items(data, at, len({iterations}))")
            if items in MANY_READ:
                self._many_numbers(items, t, iterations)
            with lines.block(f"for _ in {iterations}:"):
                self.value(items, item, depth + 1)
                lines.add(f"{t}.append({item})")
        lines.add(f"{target} = tuple({t})" if self.immutable else f"{target} = {t}")

    def _many_numbers(self, items: Shape, t: str, iterations: str) -> None:
        """Adds code that reads many numbers with one call, which is faster than a loop."""
        lines, found = self.lines, self.temporary()
        read, most = MANY_READ[items]
        with lines.block(f"if len({iterations}) > {most}:"):
            lines.add(
                f"{found}, at = {read}(data, at, len({iterations}))",
                f"{t} += {found}",
                f"{iterations} = ()",
            )

    def dict_value(self, keys: Shape, values: Shape, target: str, depth: int) -> None:
        lines, t, iterations = self.lines, self.temporary(), self.temporary()
        key, item = self.temporary(), self.temporary()
        if keys is Scalar.STRING:
            lines.add(f"{t}: dict[str, Any] = {{}}", f"{item}: Any")
        else:
            lines.add(f"{t}: dict[Any, Any] = {{}}", f"{key}: Any", f"{item}: Any")
        with self._blocks(iterations), lines.block(f"for _ in {iterations}:"):
            self.value(keys, key, depth + 1)
            self.value(values, item, depth + 1)
            lines.add(f"{t}[{key}] = {item}")
        lines.add(f"{target} = FrozenMap({t})" if self.immutable else f"{target} = {t}")

    @contextmanager
    def _blocks(self, iterations: str) -> Iterator[None]:
        """A loop over the blocks of a list or dict; ``iterations`` has as many items as each block."""
        lines = self.lines
        lines.add(f"{iterations} = iterations_of[data[at]]", "at += 1")
        with lines.block(f"while {iterations}:"):
            with lines.block(f"if {iterations} is more_iterations:"):
                lines.add(f"{iterations}, at = iterations(data, at)")
                with lines.block(f"if not {iterations}:"):
                    lines.add("break")
            yield
            lines.add(f"{iterations} = iterations_of[data[at]]", "at += 1")

    def union(self, branches: tuple[Shape, ...], target: str, depth: int) -> None:
        lines, t = self.lines, self.temporary()
        lines.add(
            f"{t} = data[at]",
            "at += 1",
            f"if {t} > 127:",
            f"    {t}, at = index(data, at, {t})",
        )
        word = "if"
        # The branch null is compared last, since most values are not null.
        order = sorted(range(len(branches)), key=lambda i: branches[i] is Scalar.NULL)
        for index in order:
            if branches[index] is Scalar.NULL:
                lines.add(f"{word} {t} == {index << 1}:", f"    {target} = None")
            else:
                with lines.block(f"{word} {t} == {index << 1}:"):
                    self.value(branches[index], target, depth + 1)
            word = "elif"
        lines.add("else:", '    raise InvalidAvro("union branch index out of range")')

    def scalar(self, shape: Scalar, target: str) -> None:
        lines = self.lines
        if shape in LOGICAL:
            base, _, from_base = LOGICAL[shape]
            t = self.temporary()
            self.scalar(base, t)
            lines.add(f"{target} = scalars.{from_base}({t})")
            return
        if shape in FIXED:
            size, _, from_base = FIXED[shape]
            lines.add(f"{target} = scalars.{from_base}(data[at : at + {size}])", f"at += {size}")
            return
        match shape:
            case Scalar.NULL:
                lines.add(f"{target} = None")
            case Scalar.BOOLEAN:
                lines.add(f"{target} = boolean_of_byte[data[at]]", "at += 1")
            case Scalar.INT | Scalar.LONG:
                self._number(target, "more_int" if shape is Scalar.INT else "more_long")
            case Scalar.FLOAT:
                lines.add(f"({target},) = float_at(data, at)", "at += 4")
            case Scalar.DOUBLE:
                lines.add(f"({target},) = double_at(data, at)", "at += 8")
            case Scalar.BYTES:
                self._extent()
                lines.add(f"{target} = data[at:n]", "at = n")
            case Scalar.STRING:
                self._extent()
                lines.add(f"{target} = data[at:n].decode()", "at = n")
            case _:
                raise AssertionError(shape)

    def _number(self, target: str, more: str) -> None:
        if self.compact:
            self.lines.add(f"{target}, at = scalars.long_after(data, at + 1, data[at], {more})")
            return
        self.lines.add(
            "b0 = data[at]",
            "if b0 < 128:",
            f"    {target} = of_byte[b0]",
            "    at += 1",
            "else:",
            "    b1 = data[at + 1]",
            "    if b1 < 128:",
            f"        {target} = lowest[b0] + b1 * signed_64[b0]",
            "        at += 2",
            "    else:",
            "        b2 = data[at + 2]",
            "        if b2 < 128:",
            f"            {target} = lowest_of_3[b0] + (b1 + b2 * 128) * signed_64[b0]",
            "            at += 3",
            "        else:",
            "            b3 = data[at + 3]",
            "            if b3 < 128:",
            "                b1 += b2 * 128 + b3 * 16384",
            f"                {target} = lowest_of_4[b0] + b1 * signed_64[b0]",
            "                at += 4",
            "            else:",
            f"                {target}, at = {more}(data, at + 4, b0, b1, b2, b3)",
        )

    def _extent(self) -> None:
        """Adds code that sets ``n``, the end of a value.

        If ``n`` is beyond the input's end, the next read or the caller detects this.
        """
        self._length()
        self.lines.add("n += at")

    def _length(self) -> None:
        self.lines.add(
            "n = size_of[data[at]]",
            "at += 1",
            "if n < 0:",
            "    n, at = size(data, at)",
        )


@lru_cache(MAX_SNIPPETS)
def _snippet(shape: Shape, immutable: bool, compact: bool) -> Snippet | None:
    lines = Lines("    ")
    decoder = Decoder(lines, NO_RECORD, {}, frozenset(), immutable=immutable, compact=compact)
    return decoder.draft(shape)
