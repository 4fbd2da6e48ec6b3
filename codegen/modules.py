"""Renders the files of a schema's package: bytes by path within the package's folder."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType

from codegen import column_functions
from codegen.annotations import alternatives
from codegen.escaping import one_line
from codegen.layout import Layout, lay_out
from codegen.rendering_codec import has_number_lists, render_codec
from codegen.rendering_rows import columns_class, render_rows, row_name
from codegen.rendering_types import render_types, uses_durations
from codegen.runtime_files import runtime_files
from codegen.shapes import PackageShape
from codegen.source import PYRIGHT, TYPE_CHECKING, Lines, literal
from lakeschema.avro.model import Record
from lakeschema.catalog.identifiers import RelationName


def render_modules(
    schema: Record,
    import_package: str,
    relation: RelationName | None = None,
    *,
    immutable: bool = False,
) -> Mapping[str, bytes]:
    """Every file of the package except its provenance, by path: ``acme_schemas/db/table/_types.py``.

    A package made from a schema alone has no relation.

    Raises:
        CodegenError: the schema cannot be laid out in Python.
    """
    return render_layout(lay_out(schema, immutable=immutable), import_package, relation)


def render_layout(
    layout: Layout,
    import_package: str,
    relation: RelationName | None = None,
    version: str = "0",
    kind: str = "table",
) -> Mapping[str, bytes]:
    """The files of ``render_modules`` for an existing layout, with the package's ``__version__``.

    ``kind`` is "table" or "view".
    """
    shape = layout.shape
    described = shape if relation is None else _described(shape, f"the {kind} {relation}")
    folder = import_package.replace(".", "/")
    sources = {
        "__init__.py": _render_init(shape, relation, version),
        "_codec.py": render_codec(shape),
        "_schema.py": _render_schema(layout),
        "_types.py": render_types(described, layout.defaults),
        **render_rows(described),
    }
    rendered = {f"{folder}/{path}": source.encode() for path, source in sources.items()}
    rendered |= {f"{folder}/_avro/{name}": data for name, data in _runtime_of(shape)}
    rendered[f"{folder}/py.typed"] = b""
    rendered[f"{folder}/schema.avsc"] = layout.text.encode() + b"\n"
    return MappingProxyType(dict(sorted(rendered.items())))


def _described(shape: PackageShape, relation: str) -> PackageShape:
    """The shape. If the owner wrote no documentation for the relation, its record gets some here."""
    root, *others = shape.records
    if root.doc:
        return shape
    root = replace(root, doc=f"A row of {one_line(relation)}.")
    return replace(shape, records=(root, *others))


_HOMES_IN_PICKLES = MappingProxyType(
    {
        "frozen.py": b"from . import FrozenMap as FrozenMap\n",
        "scalars.py": b"from .core import Duration as Duration\n",
    }
)
"""Modules in which pickles of earlier versions look for the classes of values in records."""


def _runtime_of(shape: PackageShape) -> Iterator[tuple[str, bytes]]:
    for name, data in runtime_files().items():
        if name != "number_lists.py" or has_number_lists(shape):
            yield name, data
    needed = {"frozen.py": shape.immutable, "scalars.py": uses_durations(shape)}
    yield from (each for each in _HOMES_IN_PICKLES.items() if needed[each[0]])


def _render_schema(layout: Layout) -> str:
    lines = Lines()
    lines.docstring("The schema and its fingerprints; generated, do not edit.")
    lines.add(
        "",
        f"SCHEMA: str = {literal(layout.text)}",
        f"CRC_64_AVRO: int = 0x{layout.fingerprints.crc_64_avro:016X}",
        f"SHA_256: str = {literal(layout.fingerprints.sha_256)}",
    )
    return lines.text()


_INIT_FUNCTIONS = '''

def read_file(
    source: str | _PathLike[str] | __typing__.IO[bytes],
    *,
    max_block_bytes: int = 268_435_456,
    round_times: bool = False,
) -> _Iterator[_RECORD]:
    """The records of an Avro container file, which another schema may have written.

    Of a folder, those of all files in it, but for names that begin with "_" or ".". An error names
    the file, the record's number from 1 on, and the field.

    A block of more than ``max_block_bytes``, decompressed or in the file, is an error, and so are
    times that are finer than this schema's unit, unless ``round_times`` rounds them down.
    """
    how = _codec.narrowing(round_times=round_times)
    records: _Iterator[RECORD] = _files.read_records(_codec.BINDING, source, max_block_bytes, how)
    return records


def write_file(
    target: str | _PathLike[str] | __typing__.IO[bytes],
    records: _Iterable[_RECORD],
    *,
    codec: str = "deflate",
) -> None:
    """Writes an Avro container file.

    A path gets the new file when all records are written; an error leaves what stood there. A
    stream must be at its start.

    Codecs are null, deflate, bzip2 and xz, and with a library snappy and zstandard; the package's
    extras of these names install one.
    """
    _files.write_records(_codec.BINDING, target, records, codec)


def read_jsonl(
    source: str | _PathLike[str] | __typing__.IO[bytes],
    *,
    form: __typing__.Literal["plain", "avro"] = "plain",
    unknown: __typing__.Literal["refuse", "ignore"] = "refuse",
    max_line_bytes: int = 268_435_456,
) -> _Iterator[_RECORD]:
    """The records of a file of JSON Lines, as ``from_json`` reads each; an error names the line.

    Of a folder, those of all files in it, but for names that begin with "_" or ".".
    """
    records: _Iterator[RECORD] = _json_lines.read_lines(
        _codec.BINDING, source, form, unknown, max_line_bytes
    )
    return records


def write_jsonl(
    target: str | _PathLike[str] | __typing__.IO[bytes],
    records: _Iterable[_RECORD],
    *,
    form: __typing__.Literal["plain", "avro"] = "plain",
) -> None:
    """Writes a file of JSON Lines: ``to_json`` of each record.

    A path gets the new file when all records are written; an error leaves what stood there.
    """
    _json_lines.write_lines(_codec.BINDING, target, records, form)


def diff(left: _EITHER, right: _EITHER) -> list[tuple[str, __typing__.Any, __typing__.Any]]:
    """Where two records differ: a path such as ``lines[2].price``, and the value on each side.

    An item that one side lacks is ``ABSENT`` there. Equal records have no difference.
    """
    found: list[tuple[str, __typing__.Any, __typing__.Any]] = _files.differences(_codec.BINDING, left, right)
    return found


def to_dict(obj: _RECORD, ctx: object = None) -> dict[str, __typing__.Any]:
    """``obj.to_dict()``, as Confluent's ``AvroSerializer`` calls its ``to_dict``."""
    return obj.to_dict()


def from_dict(plain: dict[str, __typing__.Any], ctx: object = None) -> _RECORD:
    """``from_dict`` of the record, as Confluent's ``AvroDeserializer`` calls its ``from_dict``."""
    return RECORD.from_dict(plain)


def strategy(record_class: type[__rows__.__Record__]) -> __hypothesis__.SearchStrategy[__rows__.__Record__]:
    """A Hypothesis strategy of the class's records; each can be written and reads back equal.

    Only a program that calls this needs Hypothesis.
    """
    records: __hypothesis__.SearchStrategy[__rows__.__Record__] = _strategies.records_of(_codec.BINDING, record_class)
    return records
'''


_CONSTANTS = ("ABSENT", "CRC_64_AVRO", "RECORD", "RELATION", "SCHEMA", "SHA_256")
_ERRORS = (
    "AvroError", "InvalidAvro", "InvalidValue", "InvalidValues", "UnknownSchema",
    "UnresolvableSchema",
)  # fmt: skip
_FUNCTIONS = _INIT_FUNCTIONS + column_functions.FUNCTIONS
_FUNCTIONS_OF_A_RELATION = _FUNCTIONS + column_functions.DATASET


@functools.cache
def _defined_names(functions: str) -> Sequence[str]:
    return re.findall(r"^def (\w+)", functions, re.MULTILINE)


def _render_init(shape: PackageShape, relation: RelationName | None, version: str) -> str:
    classes = [c.class_name for c in shape.classes]
    durations = ["Duration"] if uses_durations(shape) else []
    functions = _FUNCTIONS_OF_A_RELATION if relation else _FUNCTIONS
    public = [*classes, *durations, *_CONSTANTS, *_ERRORS, *_defined_names(functions)]
    text = "_builtins.str" if "str" in classes else "str"
    lines = Lines()
    lines.add(PYRIGHT)
    lines.docstring(shape.root.doc or f"Records of {relation or shape.root.full_name}.")
    lines.add(
        "",
        "from __future__ import annotations",
        "",
        "import builtins as _builtins",
        "from os import PathLike as _PathLike",
        "",
        "from ._avro import (",
        f"    {', '.join(_ERRORS)},",
        ")",
        "from ._avro import ABSENT as ABSENT, Lazy as _Lazy, submodules as _submodules",
        "from ._avro import register_strategies as _register_strategies",
        "from ._schema import CRC_64_AVRO, SCHEMA, SHA_256",
        *(f"from ._types import {name} as {name}" for name in classes),
        *(f"from ._avro.core import {name}" for name in durations),
        "",
        *TYPE_CHECKING,
    )
    with lines.block("if TYPE_CHECKING:"):
        lines.add(*_CHECKED_IMPORTS, *column_functions.CHECKED_IMPORTS)
        lines.add(
            "from . import row_types as row_types",
            f"from .columns import {columns_class(shape)} as _Columns",
            "",
            "columns: _Columns",
        )
    with lines.block("else:"):
        lines.add(*_EVALUATED_IMPORTS, *column_functions.EVALUATED_IMPORTS)
    lines.add(
        "",
        f"RECORD = {shape.root.class_name}",
        f"__version__ = {literal(version)}",
        f"RELATION: {text} = {literal(str(relation) if relation else '')}",
        "",
        f"__all__ = [{', '.join(literal(name) for name in sorted(public))}]",
        "",
        '_codec = _Lazy("._codec", __name__)',
        column_functions.LAZY_MODULE,
        '_files = _Lazy("._avro.files", __name__)',
        '_json_lines = _Lazy("._avro.json_lines", __name__)',
        '_strategies = _Lazy("._avro.examples", __name__)',
        "",
        "if not TYPE_CHECKING:",
        "    __getattr__ = _submodules(__name__, ('columns', 'row_types'))",
        "    __dir__ = lambda: _builtins.sorted(",
        "        {*_builtins.globals(), 'columns', 'row_types'} - {'TYPE_CHECKING', 'annotations'}",
        "    )",
    )
    filled = _on_spark(_with_classes(functions, shape, classes), relation)
    return lines.text() + filled + _render_end(shape)


def _render_end(shape: PackageShape) -> str:
    modules = [name.removesuffix(".py") for name, _ in _runtime_of(shape)]
    records = "".join(f"{record.class_name}, " for record in shape.records)
    lines = Lines()
    lines.add("", "")
    with lines.block("def _bundled() -> None:"):
        lines.docstring("Never called: shows bundlers what is imported by name, when it is needed.")
        lines.add("from . import _codec, columns, row_types")
        names = [name for name in modules if name != "__init__"]
        lines.add(f"from ._avro import {', '.join(f'{name} as _{name}' for name in names)}")
    lines.add("", "")
    with lines.block("if not TYPE_CHECKING:"):
        lines.add(
            f"_offer_strategies = lambda: _register_strategies(({records.rstrip()}), strategy)"
        )
        lines.add("_offer_strategies()")
    return lines.text()


# Imports for annotations only. Code that evaluates an annotation at run time imports the names.
_CHECKED_IMPORTS = (
    "import typing as __typing__",
    "from . import row_types as __rows__",
    "from collections.abc import Iterable as _Iterable, Iterator as _Iterator",
    "",
    f"import hypothesis.strategies as __hypothesis__  {column_functions.MISSING}",
)
_EVALUATED_IMPORTS = (
    "from _collections_abc import Iterable as _Iterable, Iterator as _Iterator",
    "from ._avro import Library as _Library",
    "",
    '__typing__ = _Lazy("typing", "")',
    '__rows__ = _Lazy(".row_types", __name__)',
    '__hypothesis__ = _Library("hypothesis.strategies")',
)


def _on_spark(functions: str, relation: RelationName | None) -> str:
    """The functions, with the table's name as Spark's sessions write it; Spark does not know our keys."""
    if relation is None or not relation.catalog:
        return functions
    name = RelationName((relation.catalog, *relation.namespace), relation.name)
    return functions.replace("= RELATION)", f"= {literal(str(name))})", 1)


def _with_classes(functions: str, shape: PackageShape, classes: list[str]) -> str:
    """Fills classes into the template, and qualifies builtins that the classes hide."""
    for builtin in ("bool", "str", "bytes", "int", "dict", "list", "object", "tuple", "type"):
        if builtin in classes:
            functions = re.sub(rf"\b{builtin}\b(?=[\[\] |,=])", f"_builtins.{builtin}", functions)
    root = shape.root.class_name
    functions = functions.replace("_ROOT_ROW", row_name(root)).replace("_RECORD", root)
    return functions.replace("_EITHER", alternatives([r.class_name for r in shape.records]))
