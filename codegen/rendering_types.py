"""Renders the module of a package's classes: a plain class without decorators for each named type.

No attribute starts with two underscores (see ``naming``). So the module uses such names, which no
parameter hides.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from functools import lru_cache

from codegen.annotations import Annotations, name_inside
from codegen.default_values import Defaults, unheld_defaults
from codegen.rendering_constructor import Constructor, is_mutable
from codegen.rendering_methods import OF_DOC, codec_methods
from codegen.shapes import (
    DictShape,
    EntriesShape,
    EnumClass,
    FixedClass,
    ListShape,
    NamedClass,
    PackageShape,
    RecordClass,
    Scalar,
    Shape,
    UnionShape,
)
from codegen.source import PYRIGHT, TYPE_CHECKING, Lines, literal


def render_types(package: PackageShape, defaults: Defaults) -> str:
    """The source of ``_types.py``."""
    classes = [c.class_name for c in package.classes]
    # Attributes count as taken names, since pyright also looks up a decorator's name among them.
    attributes = [a.name for record in package.records for a in record.attributes]
    taken = [*classes, *attributes]
    annotations = Annotations(taken, immutable=package.immutable)
    plain: list[NamedClass] = [*package.enums, *package.fixeds]
    body = Lines()
    for enum in package.enums:
        _enum(body, enum)
    for fixed in package.fixeds:
        _fixed(body, fixed, annotations)
    # These aliases come before the records, whose defaults use them.
    body.add("", "", *(f"{name_inside(c.class_name)} = {c.class_name}" for c in plain))
    for record in package.records:
        # Type checkers first look for names in the class, where attributes are declared.
        hidden = {a.name for a in record.attributes} & set(classes)
        _ClassRenderer(
            body, record, annotations, defaults, hidden, immutable=package.immutable
        ).render()
    body.add("", "", *(f"{name_inside(r.class_name)} = {r.class_name}" for r in package.records))
    return _head(package, annotations) + body.text()


# These imports are for annotations only. At run time the names have the same meaning, but ``typing``
# is imported only when code evaluates an annotation, and ``Final[int]`` is then ``int``.
_CHECKED_IMPORTS = (
    "import typing as __typing__",
    "from collections.abc import Callable as _Callable, Mapping as _Mapping",
    "from typing import Final as _Final",
)
_EVALUATED_IMPORTS = (
    "from _collections_abc import Callable as _Callable, Mapping as _Mapping",
    "from ._avro import FINAL as _Final",
    '__typing__ = _Lazy("typing", "")',
)

_PLACEHOLDERS = (
    "from ._avro import UNCHANGED as __unchanged__, UNSET as __unset__",
    "from ._avro import UNSET_DICT as __empty_dict__, UNSET_LIST as __empty_list__",
)

_FROZEN = (
    "from ._avro import refuse_change as __refuse_change__",
    "from ._avro import refuse_deletion as __refuse_deletion__",
    "from ._avro import refuse_subclass as __refuse_subclass__",
)


def uses_durations(package: PackageShape) -> bool:
    """Whether any value is a ``Duration``, the only class of the runtime that users construct."""
    return any(
        _holds_durations(attribute.shape)
        for record in package.records
        for attribute in record.attributes
    )


@lru_cache(10_000)
def _holds_durations(shape: Shape) -> bool:
    match shape:
        case ListShape(inner) | DictShape(inner):
            return _holds_durations(inner)
        case EntriesShape(keys, values):
            return _holds_durations(keys) or _holds_durations(values)
        case UnionShape(branches):
            return any(map(_holds_durations, branches))
        case _:
            return shape is Scalar.DURATION


def _imports(package: PackageShape, annotations: Annotations) -> Iterator[str]:
    """The imports in use, and no others, since each takes time when the package is imported.

    A default's expression only needs what the annotation of its type mentions.
    """
    yield "import builtins as _builtins"
    yield from (
        f"import {m} as _{m}" for m in ("datetime", "decimal") if annotations.mentions(f"_{m}.")
    )
    yield from ["import enum as _enum"] if package.enums else []
    yield from ["import uuid as _uuid"] if annotations.mentions("_uuid.") else []
    yield ""
    shapes = [attribute.shape for record in package.records for attribute in record.attributes]
    if package.fixeds:
        yield "from ._avro import InvalidValue as _InvalidValue"
    if package.immutable:
        yield from ["from ._avro import freeze as __freeze__"] * any(map(is_mutable, shapes))
        yield from _FROZEN
    yield "from ._avro import FIELDS as __fields__, PARAMS as __params__"
    yield "from ._avro import PYDANTIC_JSON_SCHEMA as __pydantic_json_schema__"
    yield "from ._avro import PYDANTIC_SCHEMA as __pydantic_schema__"
    yield "from ._avro import SchemaText as __schema_text__"
    yield "from ._avro import AvroError as __AvroError__"
    yield "from ._avro import OF as __of__, equals as __equals__"
    yield "from ._avro import restore_record as __restore__, state_of as __state_of__"
    yield "from ._avro import types_of_pickles as __types_of_pickles__"
    if package.enums:
        yield "from ._avro import equals_member as __equals_member__"
        yield "from ._avro import reduce_member as __reduce_member__"
    yield from _PLACEHOLDERS if shapes else ()
    yield "from ._avro import Lazy as _Lazy"
    if annotations.mentions("_Duration"):
        yield "from ._avro.core import Duration as _Duration"


def _head(package: PackageShape, annotations: Annotations) -> str:
    lines = Lines()
    lines.add(PYRIGHT)
    lines.docstring(f"The classes of {package.root.full_name}; generated, do not edit.")
    lines.add("", "from __future__ import annotations", "", *_imports(package, annotations), "")
    lines.add(*TYPE_CHECKING)
    with lines.block("if TYPE_CHECKING:"):
        lines.add(*_CHECKED_IMPORTS)
    with lines.block("else:"):
        lines.add(*_EVALUATED_IMPORTS)
        lines.add("__getattr__ = __types_of_pickles__(__name__)")
    lines.add("")
    lines.add(
        '_codec = _Lazy("._codec", __package__ or "")',
        '_framing = _Lazy("._avro.files", __package__ or "")',
        '_json = _Lazy("._avro.json_text", __package__ or "")',
        '__examples__ = _Lazy("._avro.examples", __package__ or "")',
        '__records__ = _Lazy("._avro.records", __package__ or "")',
        "__locals__ = _builtins.locals",
        *(["__put__ = _builtins.object.__setattr__"] if package.immutable else []),
    )
    return lines.text()


def _enum(lines: Lines, enum: EnumClass) -> None:
    lines.add("", "")
    with lines.block(f"class {enum.class_name}(_enum.Enum):"):
        lines.docstring(enum.doc or f"The symbols of {enum.full_name}.")
        lines.add("")
        for member, symbol in enum.members:
            lines.add(f"{member} = {literal(symbol)}")
        lines.add("")
        _of(lines, enum)
        with lines.block("if not TYPE_CHECKING:"):
            lines.add(
                "__hash__ = _enum.Enum.__hash__",
                "__eq__ = __equals_member__",
                "__reduce_ex__ = __reduce_member__",
            )


def _of(lines: Lines, each: EnumClass | FixedClass) -> None:
    """Adds the method ``of``, which the classes of enums and fixeds have like the classes of records."""
    with lines.block("if TYPE_CHECKING:"):
        lines.add("@_builtins.classmethod")
        with lines.block(f"def of(cls, other: _builtins.object) -> {each.class_name}:"):
            lines.docstring(OF_DOC)
            lines.add("...")
    with lines.block("else:"):
        lines.add(
            "of = __of__", f"__avro_schema__ = __schema_text__(_codec, {literal(each.full_name)})"
        )


def _fixed(lines: Lines, fixed: FixedClass, annotations: Annotations) -> None:
    b = annotations.builtin
    lines.add("", "")
    with lines.block(f"class {fixed.class_name}(_builtins.bytes):"):
        lines.docstring(fixed.doc or f"{fixed.size} bytes: {fixed.full_name}.")
        lines.add("", "__slots__ = ()", "")
        with lines.block(f"def __new__(cls, value: {b('bytes')}) -> {fixed.class_name}:"):
            with lines.block(
                f"if not {b('isinstance')}(value, _builtins.bytes) or {b('len')}(value) != {fixed.size}:"
            ):
                lines.add(f'raise _InvalidValue("", "expected {fixed.size} bytes")')
            lines.add("return _builtins.bytes.__new__(cls, value)")
        lines.add("")
        _of(lines, fixed)


class _ClassRenderer:
    def __init__(
        self,
        lines: Lines,
        record: RecordClass,
        annotations: Annotations,
        defaults: Defaults,
        hidden: Collection[str],
        *,
        immutable: bool,
    ) -> None:
        self._immutable = immutable
        self._lines = lines
        self._record = record
        self._annotations = annotations
        self._hidden = hidden
        self._in_class = annotations.hiding(hidden)
        self._defaults = defaults[record.class_name]
        self._unheld = [attribute.name for attribute, _ in unheld_defaults(record, defaults)]

    def render(self) -> None:
        lines, record = self._lines, self._record
        constructor = Constructor(
            lines, record, self._annotations, self._in_class, self._defaults,
            immutable=self._immutable,
        )  # fmt: skip
        constructor.factories()
        lines.add("", "")
        with lines.block(f"class {record.class_name}:"):
            self._docstring()
            slots = "".join(f"{literal(a.name)}, " for a in record.attributes)
            lines.add("", f"__slots__ = ({slots.rstrip()})", "__match_args__ = ()", "")
            self._declarations()
            constructor.method()
            self._eq()
            self._repr()
            self._replace()
            lines.add_text(codec_methods(record, self._own_name(), self._annotations.builtin))
            if self._immutable:
                self._refusals()
        if self._immutable:
            self._draft()

    def _docstring(self) -> None:
        record = self._record
        text = record.doc or f"A record of {record.full_name}."
        documented = [(a.name, a.doc) for a in record.attributes if a.doc]
        if documented:
            text += "\n\nAttributes:"
            for name, doc in documented:
                text += f"\n    {name}: {' '.join(doc.split())}"
        if self._unheld:
            text += "\n\nRequired, since Python cannot hold the schema's default:"
            text += "".join(f"\n    {name}" for name in self._unheld)
        if record.omitted:
            text += "\n\nColumns left out, since Avro has no type for them:"
            for omitted in record.omitted:
                text += f"\n    {' '.join(omitted.split())}"
        self._lines.docstring(text)

    def _own_name(self) -> str:
        name = self._record.class_name
        return name_inside(name) if name in self._hidden else name

    def _declarations(self) -> None:
        """Adds declarations of the attributes. Editors show the string below an attribute as documentation."""
        lines = self._lines
        for attribute in self._record.attributes:
            annotation = self._in_class.of(attribute.shape)
            if self._immutable:
                annotation = f"_Final[{annotation}]"
            lines.add(f"{attribute.name}: {annotation}")
            if attribute.doc:
                lines.docstring(attribute.doc)
        if self._record.attributes:
            lines.add("")

    def _refusals(self) -> None:
        lines, record = self._lines, self._record
        values = "".join(f"self.{attribute.name}, " for attribute in record.attributes)
        lines.add("")
        with lines.block(f"def __hash__(self) -> {self._annotations.builtin('int')}:"):
            lines.add(f"return {self._annotations.builtin('hash')}(({values.rstrip()}))")
        lines.add("")
        # For type checkers, ``Final`` refuses changes. With a ``__setattr__`` they would allow any name.
        with lines.block("if not TYPE_CHECKING:"):
            lines.add(
                "__setattr__ = __refuse_change__",
                "__delattr__ = __refuse_deletion__",
                "__init_subclass__ = __refuse_subclass__",
            )

    def _draft(self) -> None:
        """Adds the draft class. It has the same slots, as an assignment of ``__class__`` requires."""
        lines, name = self._lines, self._record.class_name
        lines.add("", "")
        with lines.block(f"class __draft_{name}__:"):
            lines.add(f"__slots__ = {name}.__slots__")

    def _eq(self) -> None:
        lines, record = self._lines, self._record
        b = self._annotations.builtin
        lines.add("")
        with lines.block(f"def __eq__(self, other: {b('object')}) -> {b('bool')}:"):
            own = name_inside(record.class_name)
            with lines.block(f"if not {b('isinstance')}(other, {own}):"):
                lines.add("return __equals__(self, other)")
            if not record.attributes:
                lines.add("return True")
                return
            lines.add("return (")
            # Tuples are compared, since type checkers give up on hundreds of ``and``.
            for side, end in (("self", " == ("), ("other", "")):
                lines.add(*(f"    {side}.{attribute.name}," for attribute in record.attributes))
                lines.add(f"){end}")

    def _repr(self) -> None:
        lines, record = self._lines, self._record
        parts = ", ".join(f"{a.name}={{self.{a.name}!r}}" for a in record.attributes)
        lines.add("")
        with lines.block(f"def __repr__(self) -> {self._annotations.builtin('str')}:"):
            lines.add(f'return f"{record.class_name}({parts})"')

    def _replace(self) -> None:
        lines, record = self._lines, self._record
        parameters = ", ".join(
            f"{a.name}: {self._in_class.of(a.shape)} = __unchanged__" for a in record.attributes
        )
        star = ", *, " if record.attributes else ""
        lines.add("")
        with lines.block(f"def replace(self{star}{parameters}) -> __typing__.Self:"):
            lines.docstring("A copy of the record with the given attributes replaced.")
            replace = "replace_immutable" if self._immutable else "replace"
            # Names of parameters are untrusted, but none starts with two underscores, as all names here do.
            lines.add(f"__changed__: __typing__.Self = __records__.{replace}(__locals__())")
            lines.add("return __changed__")
