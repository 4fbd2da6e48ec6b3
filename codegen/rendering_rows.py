"""Renders a package's module of rows and its module of columns' names.

At run time their contents are made from the schema at the first use. Stubs describe them for type
checkers and editors. Names in the stubs start with two underscores. No attribute starts like this (see
``naming``), so none hides them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from codegen.annotations import Annotations, alternatives
from codegen.runtime.column_names import nested_name
from codegen.shapes import (
    Attribute,
    DictShape,
    EntriesShape,
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
from codegen.source import PYRIGHT, Lines


def render_rows(package: PackageShape) -> Mapping[str, str]:
    """The sources of the modules ``row_types`` and ``columns`` and of their stubs, by path."""
    return {
        "row_types.py": _row_types(package),
        "row_types.pyi": _row_stub(package),
        "columns.py": _COLUMNS,
        "columns.pyi": _column_stub(package),
    }


def _row_types(package: PackageShape) -> str:
    lines = Lines()
    lines.docstring("The classes of rows; generated, do not edit.")
    lines.add(
        PYRIGHT,
        "",
        "from typing import TypeVar as __TypeVar__",
        "",
        "from . import _types as __types__",
        "from ._avro.columns import row_classes as __row_classes__",
        "from ._codec import BINDING as __binding__",
        "",
        _type_variable(package),
        "globals().update({each.__name__: each for each in __row_classes__(__binding__).values()})",
    )
    return lines.text()


def _type_variable(package: PackageShape) -> str:
    """The type variable for any record's class, in the annotations of the package's functions."""
    records = alternatives([f"__types__.{record.class_name}" for record in package.records])
    return f'__Record__ = __TypeVar__("__Record__", bound={records})'


_COLUMNS = f'''"""The names of columns, for data frames; generated, do not edit."""
{PYRIGHT}

from ._avro.columns import column_lookup as __column_lookup__
from ._codec import BINDING as __binding__

__getattr__, __dir__ = __column_lookup__(__binding__, __name__)
'''


def row_name(class_name: str) -> str:
    """The name of a class of rows; no other name in its module has this ending."""
    return f"{class_name}Row"


def _row_stub(package: PackageShape) -> str:
    attributes = [a.name for record in package.records for a in record.attributes]
    renderer = _RowTypes(attributes)
    body = Lines()
    for record in package.records:
        renderer.row(body, record)
    lines = Lines()
    lines.add(PYRIGHT)
    lines.docstring(f"Rows of {package.root.full_name}; generated, do not edit.")
    lines.add(
        "",
        "import builtins as _builtins",
        "import datetime as _datetime",
        "import decimal as _decimal",
        "import uuid as _uuid",
        "from collections.abc import Mapping as _Mapping, Sequence as __Sequence__",
        "from typing import TypeVar as __TypeVar__",
        "",
        "from . import _types as __types__",
        "from ._avro.core import Duration as _Duration",
        "",
        _type_variable(package),
    )
    aliases = (f"{_inside(record.class_name)} = {row_name(record.class_name)}"
               for record in package.records)  # fmt: skip
    return lines.text() + body.text() + "\n" + "\n".join(aliases) + "\n"


def _inside(class_name: str) -> str:
    return f"__row_{class_name}__"


class _RowTypes:
    def __init__(self, taken: list[str]) -> None:
        self._annotations = Annotations(taken)

    def row(self, lines: Lines, record: RecordClass) -> None:
        lines.add("", "")
        with lines.block(f"class {row_name(record.class_name)}:"):
            lines.docstring(record.doc or f"A row of {record.full_name}.")
            for attribute in record.attributes:
                lines.add("", "@_builtins.property")
                with lines.block(f"def {attribute.name}(self) -> {self._text(attribute.shape)}:"):
                    lines.docstring(attribute.doc) if attribute.doc else lines.add("...")
            lines.add("")
            with lines.block(f"def to_record(self) -> __types__.{record.class_name}:"):
                lines.docstring("The row as a record, with all that it contains.")
            # A row may be compared with a record. Without this line, pyright would call that impossible.
            lines.add("", "def __eq__(self, other: _builtins.object) -> _builtins.bool: ...")

    def _text(self, shape: Shape) -> str:
        match shape:
            case ListShape(items):
                return f"__Sequence__[{self._text(items)}]"
            case DictShape(values):
                return f"_Mapping[{self._annotations.builtin('str')}, {self._text(values)}]"
            case EntriesShape(keys, values):
                return f"_Mapping[{self._text(keys)}, {self._text(values)}]"
            case UnionShape(branches):
                parts = dict.fromkeys(map(self._text, branches))
                return alternatives(sorted(parts, key=lambda part: part == "None"))
            case RecordReference(name):
                return _inside(name)
            case EnumReference(name) | FixedReference(name):
                return f"__types__.{name}"
            case _:
                return self._annotations.of(shape)


def columns_class(package: PackageShape) -> str:
    """The name of the class of the object ``columns``, in the stub of its module."""
    return _ColumnTypes(package).name("")


def _column_stub(package: PackageShape) -> str:
    lines = Lines()
    lines.add(PYRIGHT)
    lines.docstring(f"The columns of {package.root.full_name}; generated, do not edit.")
    lines.add(
        "",
        "import builtins as _builtins",
        "from collections.abc import Iterator as __Iterator__",
        "from typing import Final as __Final__",
    )
    types = _ColumnTypes(package)
    types.of_structs(lines)
    root = package.root.attributes
    lines.add("", "")
    with lines.block(f"class {types.name('')}:"):
        types.columns(lines, root, [a.name for a in root])
        lines.add("", "def __iter__(self) -> __Iterator__[_builtins.str]: ...")
    lines.add("", "")
    types.columns(lines, root, [a.name for a in root])
    return lines.text()


class _ColumnTypes:
    """Gives classes of columns names such as ``AddressColumns``, or ``Columns`` for the relation's.

    No column has such a name.
    """

    def __init__(self, package: PackageShape) -> None:
        attributes = [a for record in package.records for a in record.attributes]
        self._taken = {name for a in attributes for name in (a.name, nested_name(a.name))}
        nested = {_struct_beneath(a.shape) for a in attributes}
        self._structs = [record for record in package.records if record.class_name in nested]

    def name(self, class_name: str) -> str:
        name = f"{class_name}Columns"
        while name in self._taken:
            name += "_"
        return name

    def of_structs(self, lines: Lines) -> None:
        for record in self._structs:
            lines.add("", "")
            with lines.block(f"class {self.name(record.class_name)}(_builtins.str):"):
                names = [nested_name(a.name) for a in record.attributes]
                self.columns(lines, record.attributes, names)
                lines.add("__columns__: __Final__[_builtins.tuple[_builtins.str, ...]]")

    def columns(self, lines: Lines, attributes: Sequence[Attribute], names: Sequence[str]) -> None:
        for attribute, name in zip(attributes, names, strict=True):
            struct = _struct_beneath(attribute.shape)
            type_ = "_builtins.str" if struct is None else self.name(struct)
            lines.add(f"{name}: __Final__[{type_}]")
            if attribute.doc:
                lines.docstring(attribute.doc)


def _struct_beneath(shape: Shape) -> str | None:
    """The class of a column's structs, or of the structs in a column's array.

    Spark finds fields in both.
    """
    shape = _not_null(shape)
    match _not_null(shape.items) if isinstance(shape, ListShape) else shape:
        case RecordReference(name):
            return name
        case _:
            return None


def _not_null(shape: Shape) -> Shape:
    if not isinstance(shape, UnionShape):
        return shape
    others = [branch for branch in shape.branches if branch is not Scalar.NULL]
    return others[0] if len(others) == 1 else shape
