"""Renders the module of a package's binary codec, with an encoder and a decoder for each record."""

from __future__ import annotations

from collections.abc import Iterator

from codegen.rendering_decoder import MANY_READ, Decoder, is_empty
from codegen.rendering_encoder import Encoder
from codegen.shapes import (
    DictShape,
    EntriesShape,
    ListShape,
    PackageShape,
    RecordClass,
    Scalar,
    Shape,
    UnionShape,
)
from codegen.source import PYRIGHT, Lines, literal

MAX_UNROLLED = 1_000
"""The maximum number of attributes in a package whose numbers are read and written without calls.

For the code of each attribute, Python's compiler takes 150 kB of memory. The process that checks a
package is limited to 2 GiB, so it could not import the code of 20,000 attributes.
"""
MAX_INLINED = 8
"""The maximum number of a record's attributes if its code is part of the enclosing record's code."""


_INFERRED = "reportOperatorIssue=false, reportArgumentType=false, reportAttributeAccessIssue=false"
"""Settings that switch off Pyright's rules about types inferred from functions without annotations."""


def render_codec(package: PackageShape) -> str:
    """The source of ``_codec.py``."""
    empty = _empty_records(package)
    inlined = {record.class_name: record for record in package.records if _is_small(record)}
    lines = Lines()
    # The rules are off, since the package's runtime has annotations only where users see them.
    lines.add(f"{PYRIGHT}, {_INFERRED}", "# mypy: allow-untyped-calls")
    lines.docstring(f"The binary codec of {package.root.full_name}; generated, do not edit.")
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
        "from . import _schema as schema",
        "from ._avro import InvalidAvro, InvalidValue, Lazy, core as scalars",
        "from ._avro.core import (",
        "    Binding, boolean_of_byte, check_empty_items, index, iterations,",
        "    iterations_of, lowest, lowest_of_3, lowest_of_4, make_decoder, make_encoder, more_int,",
        "    more_iterations, more_long, narrowing as narrowing, of_byte, pack_3, pack_4, pair_of,",
        "    put_long, put_raw_int, put_raw_long, signed_64, size, size_of, take,",
        ")",
        *(_NUMBER_LISTS if has_number_lists(package) else ()),
        *(f"from ._types import {name} as _{name}" for name in classes),
        *(_immutable_imports(package) if package.immutable else ()),
        "",
        'files = Lazy("._avro.files", __package__ or "")',
        'plain_values = Lazy("._avro.plain", __package__ or "")',
        "new = object.__new__",
        "encoded = str.encode",
        "pack_float = scalars.FLOAT.pack",
        "pack_double = scalars.DOUBLE.pack",
        "float_at = scalars.FLOAT.unpack_from",
        "double_at = scalars.DOUBLE.unpack_from",
    )
    for enum in package.enums:
        pairs = ", ".join(f"{literal(s)}: {i}" for i, (_, s) in enumerate(enum.members))
        members = "".join(f"_{enum.class_name}.{m}, " for m, _ in enum.members)
        lines.add(f"index_{enum.class_name} = {{{pairs}}}")
        lines.add(f"members_{enum.class_name} = ({members.rstrip()})")
    compact = sum(len(record.attributes) for record in package.records) > MAX_UNROLLED
    for record in package.records:
        how = {"immutable": package.immutable, "compact": compact}
        Encoder(lines, record, inlined, **how).render()
        Decoder(lines, record, inlined, empty, **how).render()
    _entry_points(lines, package)
    return lines.text()


_NUMBER_LISTS = (
    "from ._avro.number_lists import (",
    "    doubles, floats, ints, longs, put_doubles, put_floats, put_ints, put_longs,",
    ")",
)


def has_number_lists(package: PackageShape) -> bool:
    """Whether the codec needs the runtime's module for number lists."""
    return any(_has_number_lists(a.shape) for record in package.records for a in record.attributes)


def _has_number_lists(shape: Shape) -> bool:
    match shape:
        case ListShape(inner):
            return inner in MANY_READ or _has_number_lists(inner)
        case DictShape(inner):
            return _has_number_lists(inner)
        case EntriesShape(keys, values):
            return _has_number_lists(keys) or _has_number_lists(values)
        case UnionShape(branches):
            return any(map(_has_number_lists, branches))
        case _:
            return False


def _immutable_imports(package: PackageShape) -> Iterator[str]:
    yield "from ._avro import FrozenMap"
    for record in package.records:
        yield f"from ._types import __draft_{record.class_name}__"


def _is_small(record: RecordClass) -> bool:
    """Whether a record is so small that calling a function would cost more than inlining its code."""
    return len(record.attributes) <= MAX_INLINED and all(
        isinstance(part, Scalar)
        for attribute in record.attributes
        for part in _leaves(attribute.shape)
    )


def _leaves(shape: Shape) -> Iterator[Shape]:
    match shape:
        case ListShape(inner) | DictShape(inner):
            yield from _leaves(inner)
        case EntriesShape(keys, values):
            yield from _leaves(keys)
            yield from _leaves(values)
        case UnionShape(branches):
            for branch in branches:
                yield from _leaves(branch)
        case _:
            yield shape


def _entry_points(lines: Lines, package: PackageShape) -> None:
    named = package.classes
    lines.add("", "", "BINDING = Binding(", "    schema.SCHEMA,")
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
    lines.add(*(["    immutable=True,"] if package.immutable else []), ")")
    for record in package.records:
        name = record.class_name
        lines.add(
            f"to_avro_{name} = make_encoder(BINDING, {literal(record.full_name)}, encode_{name})",
            f"from_avro_{name} = make_decoder(BINDING, {literal(record.full_name)}, decode_{name})",
        )
    lines.add("", "")
    lines.add("def resolve_from(")
    lines.add("    name: str, writer_schema: str, *, round_times: bool")
    with lines.block(") -> Callable[[bytes], Any]:"):
        lines.add("how = narrowing(round_times=round_times)")
        lines.add(
            "read: Callable[[bytes], Any]",
            "read = make_decoder(BINDING, name, files.reader_of(BINDING, writer_schema, name, how))",
            "return read",
        )
    lines.add("", "")
    with lines.block("def to_dict(name: str, value: Any) -> dict[str, Any]:"):
        lines.add(
            "plain: dict[str, Any] = plain_values.to_plain(BINDING, BINDING.nodes[name], value)"
        )
        lines.add("return plain")
    lines.add("", "")
    with lines.block("def from_dict(name: str, plain: Any, unknown: str) -> Any:"):
        lines.add(
            'return plain_values.from_plain(BINDING, BINDING.nodes[name], plain, "", unknown)'
        )


def _empty_records(package: PackageShape) -> frozenset[str]:
    """The classes of records whose values take no bytes: every field is null or a record of this kind."""
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
