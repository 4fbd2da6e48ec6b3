"""Random Avro schemas, their values, and random changes to them, for Hypothesis."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, assert_never

from hypothesis import strategies as st

from lakeschema.avro.defaults import Defaults
from lakeschema.avro.definitions import definitions
from lakeschema.avro.model import (
    NO_DEFAULT,
    NULL,
    Array,
    EnumSchema,
    Field,
    Fixed,
    Json,
    LogicalType,
    MapSchema,
    NamedSchema,
    NoDefault,
    Primitive,
    Record,
    Reference,
    Schema,
    Union,
)
from lakeschema.avro.parsing import branch_kind
from tests.lakeschema.avro.arranging import arrange

NAMES = st.from_regex(r"[A-Za-z_][A-Za-z0-9_]{0,8}", fullmatch=True).filter(
    lambda name: (
        name not in {"null", "boolean", "int", "long", "float", "double", "bytes", "string"}
    )
)
NAMESPACES = st.sampled_from(["a", "a.b", "org.example"])
DOCS = st.none() | st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
PROPERTIES: st.SearchStrategy[Mapping[str, Json]] = st.dictionaries(
    st.sampled_from(["pii", "owner", "tags"]),
    st.one_of(st.booleans(), st.integers(-5, 5), st.just(["x", None])),
    max_size=2,
)
PRIMITIVES = st.sampled_from([
    *(Primitive(name) for name in ("boolean", "int", "long", "float", "double", "bytes", "string")),
    Primitive("int", LogicalType("date")),
    Primitive("long", LogicalType("timestamp-millis")),
    Primitive("long", LogicalType("timestamp-micros")),
    Primitive("bytes", LogicalType("decimal", 10, 2)),
    Primitive("string", LogicalType("uuid")),
    Primitive("int", LogicalType("short")),
])  # fmt: skip


@st.composite
def schemas(draw: st.DrawFn, max_depth: int = 3) -> Record:
    """A record schema: every kind of type, namespaces, docs, aliases, defaults, recursion."""
    return draw(st.builds(_Growing, st.just(draw), st.just(max_depth))).root()


class _Growing:
    """Draws one schema; names are numbered, so that none is defined twice."""

    def __init__(self, draw: st.DrawFn, max_depth: int) -> None:
        self._draw = draw
        self._max_depth = max_depth
        self._count = 0
        self._records: list[str] = []
        self._known: list[str] = []
        self._definitions: dict[str, NamedSchema] = {}

    def root(self) -> Record:
        # Branches were put in another order, and with them definitions.
        whole = arrange(self._record(0), {})
        assert isinstance(whole, Record)
        return whole

    def _name(self) -> str:
        self._count += 1
        return f"{self._draw(NAMES)}_{self._count}"

    def _type(self, depth: int) -> Schema:
        kinds = ["primitive", "primitive", "enum", "fixed"]
        if self._known:
            kinds.append("reference")
        if depth < self._max_depth:
            kinds += ["array", "map", "union", "record"]
        match self._draw(st.sampled_from(kinds)):
            case "primitive":
                return self._draw(PRIMITIVES)
            case "enum":
                return self._enum()
            case "fixed":
                return self._booked(
                    Fixed(
                        self._name(),
                        self._draw(NAMESPACES),
                        self._draw(st.integers(0, 20)),
                        doc=self._draw(DOCS),
                    )
                )
            case "reference":
                return Reference(self._draw(st.sampled_from(self._known)))
            case "array":
                return Array(self._type(depth + 1), self._draw(PROPERTIES))
            case "map":
                return MapSchema(self._type(depth + 1))
            case "union":
                return self._union(depth)
            case _:
                return self._record(depth + 1)

    def _booked(self, schema: NamedSchema) -> NamedSchema:
        self._definitions[schema.full_name] = schema
        self._known.append(schema.full_name)
        return schema

    def _enum(self) -> Schema:
        symbols = tuple(self._draw(st.lists(NAMES, min_size=1, max_size=4, unique=True)))
        return self._booked(
            EnumSchema(
                self._name(),
                self._draw(NAMESPACES),
                symbols,
                self._draw(st.none() | st.sampled_from(symbols)),
                self._draw(DOCS),
                properties=self._draw(PROPERTIES),
            )
        )

    def _union(self, depth: int) -> Schema:
        branches: list[Schema] = [NULL]
        if self._draw(st.booleans()) and self._records:
            # Recursion: through null, so that values can end.
            branches.append(Reference(self._draw(st.sampled_from(self._records))))
        for _ in range(self._draw(st.integers(1, 3))):
            known = list(self._known)
            branch = self._type(depth + 1)
            if not isinstance(branch, Union) and branch_kind(branch) not in map(
                branch_kind, branches
            ):
                branches.append(branch)
            else:
                self._known = known
        return Union(tuple(self._draw(st.permutations(branches))) if depth % 2 else tuple(branches))

    def _record(self, depth: int) -> Record:
        name, namespace = self._name(), self._draw(NAMESPACES)
        self._records.append(f"{namespace}.{name}")
        count = self._draw(st.integers(0 if depth else 1, 3))
        fields = tuple(self._field(f"f{index}", depth) for index in range(count))
        record = Record(
            name,
            namespace,
            fields,
            self._draw(DOCS),
            self._draw(_maybe(f"{namespace}.Old{self._count}")),
            self._draw(PROPERTIES),
        )
        self._records.remove(record.full_name)
        self._booked(record)
        return record

    def _field(self, name: str, depth: int) -> Field:
        schema = self._type(depth)
        default: Json | NoDefault = NO_DEFAULT
        if self._draw(st.booleans()):
            default = default_of(schema, self._definitions)
        return Field(
            f"{self._draw(NAMES)}_{name}",
            schema,
            default,
            self._draw(DOCS),
            self._draw(_maybe(f"old_{name}")),
            self._draw(st.sampled_from(["ascending", "descending", "ignore"])),
            self._draw(PROPERTIES),
        )


def _maybe(alias: str) -> st.SearchStrategy[tuple[str, ...]]:
    return st.sampled_from([(), (alias,)])


def default_of(
    schema: Schema, known: Mapping[str, NamedSchema], within: frozenset[str] = frozenset()
) -> Json | NoDefault:
    """A default of the type, of its first branch; none if the type is not complete, or no end."""
    match schema:
        case Primitive(name):
            zeros: dict[str, Json] = {
                "null": None,
                "boolean": True,
                "string": "é'\"\\",
                "bytes": "ÿ",
            }
            return zeros.get(name, 1)
        case EnumSchema(symbols=symbols):
            return symbols[-1]
        case Fixed(size=size):
            return "\x00" * size
        case Array():
            return []
        case MapSchema():
            return {}
        case Union(branches):
            return default_of(branches[0], known, within)
        case Reference(name):
            return default_of(known[name], known, within) if name in known else NO_DEFAULT
        case Record(fields=fields):
            if schema.full_name in within:
                return NO_DEFAULT
            value: dict[str, Json] = {}
            for field in fields:
                part = default_of(field.type, known, within | {schema.full_name})
                if isinstance(part, NoDefault):
                    return NO_DEFAULT
                value[field.name] = part
            return value
        case _:
            assert_never(schema)


def values(
    schema: Schema, known: Mapping[str, NamedSchema] | None = None
) -> st.SearchStrategy[Any]:
    """Values in fastavro's shape, of the types below logical types; records in unions as pairs."""
    return _values(schema, known or definitions(schema), 0)


_NUMBERS: Mapping[str, st.SearchStrategy[Any]] = {
    "null": st.none(),
    "boolean": st.booleans(),
    "int": st.integers(-(2**31), 2**31 - 1),
    "long": st.integers(-(2**63), 2**63 - 1),
    "float": st.floats(width=32, allow_nan=False),
    "double": st.floats(allow_nan=False),
    "bytes": st.binary(max_size=6),
    "string": st.text(st.characters(exclude_categories=["Cs"]), max_size=6),
}


def _values(schema: Schema, known: Mapping[str, NamedSchema], depth: int) -> st.SearchStrategy[Any]:
    match schema:
        case Primitive(name):
            return _NUMBERS[name]
        case EnumSchema(symbols=symbols):
            return st.sampled_from(symbols)
        case Fixed(size=size):
            return st.binary(min_size=size, max_size=size)
        case Reference(name):
            return st.deferred(lambda: _values(known[name], known, depth + 1))
        case Array(items):
            parts = _values(items, known, depth + 1)
            return st.just([]) if depth > 6 else st.lists(parts, max_size=2)
        case MapSchema(inner):
            if depth > 6:
                return st.just({})
            return st.dictionaries(
                st.text("abc", max_size=2), _values(inner, known, depth + 1), max_size=2
            )
        case Union(branches):
            if depth > 6 and NULL in branches:
                return st.none()
            return st.one_of(*(_branch_values(b, known, depth + 1) for b in branches))
        case Record(fields=fields):
            return st.fixed_dictionaries(
                {field.name: _values(field.type, known, depth + 1) for field in fields}
            )
        case _:
            assert_never(schema)


def _branch_values(
    branch: Schema, known: Mapping[str, NamedSchema], depth: int
) -> st.SearchStrategy[Any]:
    kind = branch_kind(branch)
    return _values(branch, known, depth).map(
        lambda value: None if kind == "null" else (kind, value)
    )


@st.composite
def changed(draw: st.DrawFn, record: Record) -> Record:
    """The record after a few random changes anywhere in it, compatible ones and others."""
    for _ in range(draw(st.integers(1, 3))):
        changed_record = arrange(_Changing(draw, record).record(), {})
        assert isinstance(changed_record, Record)
        record = changed_record
    return record


class _Changing:
    """One change, at a random record, enum or union."""

    def __init__(self, draw: st.DrawFn, root: Record) -> None:
        self._draw = draw
        self._root = root
        places = [
            name for name, s in definitions(root).items() if isinstance(s, Record | EnumSchema)
        ]
        self._target = draw(st.sampled_from(places))

    def record(self) -> Record:
        changed_root = self._type(self._root)
        judge = Defaults(definitions(changed_root))
        valid = _with_valid_defaults(changed_root, judge)
        assert isinstance(valid, Record)
        return valid

    def _type(self, schema: Schema) -> Schema:
        match schema:
            case Array(items):
                return replace(schema, items=self._type(items))
            case MapSchema(values_):
                return replace(schema, values=self._type(values_))
            case Union(branches):
                return Union(tuple(self._type(branch) for branch in branches))
            case EnumSchema() if schema.full_name == self._target:
                return self._enum(schema)
            case Record():
                inner = replace(
                    schema,
                    fields=tuple(replace(f, type=self._type(f.type)) for f in schema.fields),
                )
                return self._fields(inner) if schema.full_name == self._target else inner
            case _:
                return schema

    def _enum(self, enum: EnumSchema) -> Schema:
        match self._draw(st.sampled_from(["add", "reorder", "default", "doc", "drop"])):
            case "add":
                return replace(enum, symbols=(*enum.symbols, f"NEW{len(enum.symbols)}"))
            case "reorder":
                return replace(enum, symbols=tuple(self._draw(st.permutations(enum.symbols))))
            case "default":
                return replace(enum, default=self._draw(st.sampled_from(enum.symbols)))
            case "drop" if len(enum.symbols) > 1:
                return replace(enum, symbols=enum.symbols[:-1], default=None)
            case _:
                return replace(enum, doc="changed")

    def _fields(self, record: Record) -> Schema:
        fields = list(record.fields)
        kind = self._draw(
            st.sampled_from(["add", "add", "required", "reorder", "doc", "union", "drop", "retype"])
        )
        place = self._draw(st.integers(0, len(fields)))
        new = f"new_{len(fields)}_{place}"
        if any(field.name == new for field in fields):
            return record
        if kind == "add":
            fields.insert(place, Field(new, Union((NULL, Primitive("int"))), None))
        elif kind == "required":
            fields.insert(place, Field(new, Primitive("string")))
        elif kind == "reorder":
            fields = list(self._draw(st.permutations(fields)))
        elif place < len(fields):
            fields[place : place + 1] = self._one(fields[place], kind)
        return replace(record, fields=tuple(fields))

    def _one(self, field: Field, kind: str) -> list[Field]:
        match field.type:
            case _ if kind == "doc":
                return [replace(field, doc="changed")]
            case _ if kind == "drop" and not definitions(field.type):
                return []
            case Union(branches) if kind == "union":
                order = tuple(self._draw(st.permutations(branches)))
                return [replace(field, type=Union(order), default=NO_DEFAULT)]
            case Primitive() if kind == "retype":
                return [replace(field, type=self._draw(PRIMITIVES), default=NO_DEFAULT)]
            case _:
                return [field]


def _with_valid_defaults(schema: Schema, judge: Defaults) -> Schema:
    """Without the defaults that a change elsewhere has made wrong."""
    match schema:
        case Array(items):
            return replace(schema, items=_with_valid_defaults(items, judge))
        case MapSchema(inner):
            return replace(schema, values=_with_valid_defaults(inner, judge))
        case Union(branches):
            return Union(tuple(_with_valid_defaults(branch, judge) for branch in branches))
        case Record(fields=fields):
            return replace(schema, fields=tuple(_with_valid_default(f, judge) for f in fields))
        case _:
            return schema


def _with_valid_default(field: Field, judge: Defaults) -> Field:
    inner = replace(field, type=_with_valid_defaults(field.type, judge))
    if isinstance(field.default, NoDefault) or judge.fits(field.default, field.type):
        return inner
    return replace(inner, default=NO_DEFAULT)


def bare(node: Json) -> Any:
    """The schema without logical types and aliases: what the wire format is made of."""
    match node:
        case dict():
            kept = {
                "type",
                "name",
                "namespace",
                "fields",
                "symbols",
                "items",
                "values",
                "size",
                "default",
            }
            return {
                key: value if key == "default" else bare(value)
                for key, value in node.items()
                if key in kept
            }
        case list():
            return [bare(item) for item in node]
        case _:
            return node
