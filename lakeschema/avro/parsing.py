"""Reads schema text from untrusted sources: names are resolved, every attribute is checked.

Follows the Avro 1.12 specification, "Schema Declaration". It accepts three further things, because Java's
reader accepts them and data lakes rely on them. These are a ``doc`` of null, a union's default that fits a
later branch, and a name without namespace that is used inside a namespace.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from enum import Enum
from types import MappingProxyType

from lakeschema.avro.defaults import Defaults
from lakeschema.avro.errors import MalformedAvroSchema
from lakeschema.avro.float_defaults import read_float_default
from lakeschema.avro.json_text import read_json, refuse_deep_json, shown
from lakeschema.avro.logical_types import split_logical
from lakeschema.avro.model import (
    BOOLEAN,
    BYTES,
    DOUBLE,
    FLOAT,
    INT,
    LONG,
    NO_DEFAULT,
    NO_PROPERTIES,
    NULL,
    STRING,
    Array,
    EnumSchema,
    Field,
    Fixed,
    Json,
    MapSchema,
    NamedSchema,
    NoDefault,
    Primitive,
    Record,
    Reference,
    Schema,
    Union,
    full_name,
)

MAX_DEPTH = 64
"""The maximum nesting of records, arrays and maps: deeper schemas exhaust readers' stacks."""

MAX_FIXED_SIZE = 2**31 - 1

INVALID_DEFAULT = "invalid-default"
"""The field property with a dropped default."""

PRIMITIVE_TYPES: Mapping[str, Primitive] = MappingProxyType(
    {type_.name: type_ for type_ in (NULL, BOOLEAN, INT, LONG, FLOAT, DOUBLE, BYTES, STRING)}
)

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_ORDERS = ("ascending", "descending", "ignore")
# As in Java, an attribute that the specification defines for schemas is never a property, even on a
# type where it has no meaning (a "name" on bytes).
_SCHEMA_ATTRIBUTES = frozenset({
    "type", "name", "namespace", "doc", "aliases", "fields", "symbols", "items", "values", "size",
})  # fmt: skip
_FIELD_ATTRIBUTES = frozenset({"name", "type", "default", "doc", "aliases", "order"})


class InvalidDefaults(Enum):
    """How to treat a default that does not fit its field's type.

    Java before Avro 1.9 did not check defaults, so lakes have schemas with wrong defaults. ``DROP``
    reads the field without its default and keeps the value as the property ``INVALID_DEFAULT``.
    """

    REFUSE = "refuse"
    DROP = "drop"


def parse_schema(
    text: str, *, invalid_defaults: InvalidDefaults = InvalidDefaults.REFUSE
) -> Schema:
    """Reads a schema.

    Raises:
        MalformedAvroSchema: the text is not JSON, or not a schema; the path says where.
    """
    document = read_json(text)
    reader = _Reader()
    schema = reader.schema(document, "$", "", 0)
    wrong = reader.wrong_defaults()
    while wrong:
        if invalid_defaults is InvalidDefaults.REFUSE:
            raise next(iter(wrong.values()))
        reader = _Reader(dropped=reader.dropped | wrong.keys())
        schema = reader.schema(document, "$", "", 0)
        wrong = reader.wrong_defaults()
    return schema


def is_name(text: str) -> bool:
    """Whether the text is a valid name without namespace."""
    return _NAME.fullmatch(text) is not None


class _Reader:
    """Reads one document in one pass.

    ``dropped`` are the paths of fields whose default is skipped.
    """

    def __init__(self, dropped: Collection[str] = ()) -> None:
        self.dropped = frozenset(dropped)
        self._definitions: dict[str, NamedSchema] = {}
        self._open: set[str] = set()
        self._defaults: list[tuple[str, str, Field]] = []

    def wrong_defaults(self) -> dict[str, MalformedAvroSchema]:
        """Fields whose default does not match their type, by their path.

        Checked at the end, when all types of a recursive schema are complete.
        """
        if not self._defaults:
            return {}
        defaults = Defaults(self._definitions)
        wrong: dict[str, MalformedAvroSchema] = {}
        for path, _, field in self._defaults:
            assert not isinstance(field.default, NoDefault)
            if not defaults.fits_field(field.default, field.type):
                wrong[path] = MalformedAvroSchema(
                    f"{path}.default", f"{shown(field.default)} does not match the field's type"
                )
        if not wrong:
            endless = defaults.endless()
            for path, record, field in self._defaults:
                if (record, field.name) in endless:
                    wrong[path] = MalformedAvroSchema(
                        f"{path}.default", "omits a field whose default refers back to this field"
                    )
        return wrong

    def schema(self, node: Json, path: str, namespace: str, depth: int) -> Schema:
        if depth > MAX_DEPTH:
            raise MalformedAvroSchema(path, f"is nested more than {MAX_DEPTH} levels deep")
        match node:
            case str():
                return PRIMITIVE_TYPES.get(node) or self._reference(node, path, namespace)
            case dict():
                return self._object(node, path, namespace, depth)
            case list():
                return self._union(node, path, namespace, depth)
            case _:
                raise MalformedAvroSchema(path, f"expected a schema, got {shown(node)}")

    def _object(self, node: dict[str, Json], path: str, namespace: str, depth: int) -> Schema:
        kind = node.get("type")
        if not isinstance(kind, str):
            reason = "the schema has no type" if kind is None else "expected the name of a type"
            raise MalformedAvroSchema(path, reason)
        match kind:
            case "record":
                return self._record(node, path, namespace, depth)
            case "enum":
                return self._enum(node, path, namespace)
            case "fixed":
                return self._fixed(node, path, namespace)
            case "array":
                items = self.schema(
                    _require(node, "items", path), f"{path}.items", namespace, depth + 1
                )
                return Array(items, self._properties(node, path))
            case "map":
                values = self.schema(
                    _require(node, "values", path), f"{path}.values", namespace, depth + 1
                )
                return MapSchema(values, self._properties(node, path))
            case _ if kind in PRIMITIVE_TYPES:
                if len(node) == 1:
                    return PRIMITIVE_TYPES[kind]
                logical, properties = split_logical(kind, None, self._properties(node, path))
                return Primitive(kind, logical, properties)
            case _:
                return self._reference(kind, f"{path}.type", namespace)

    def _reference(self, text: str, path: str, namespace: str) -> Reference:
        name = text if "." in text else full_name(text, namespace)
        if name not in self._definitions and name not in self._open:
            # By the specification, a name without namespace cannot be used inside a namespace. Java
            # writes such names bare, and reads them again.
            name = text
        if name not in self._definitions and name not in self._open:
            raise MalformedAvroSchema(path, f"type {shown(text)} is not defined before this point")
        return Reference(name)

    def _union(self, node: list[Json], path: str, namespace: str, depth: int) -> Union:
        if not node:
            raise MalformedAvroSchema(path, "expected at least one branch in the union")
        branch: Schema
        branches: list[Schema] = []
        kinds: set[str] = set()
        for index, item in enumerate(node):
            if type(item) is str and item in PRIMITIVE_TYPES:
                branch, kind = PRIMITIVE_TYPES[item], item
            else:
                branch = self.schema(item, f"{path}[{index}]", namespace, depth)
                kind = branch_kind(branch)
            if kind == "union":
                raise MalformedAvroSchema(
                    f"{path}[{index}]", "a union cannot be a branch of another union"
                )
            if kind in kinds:
                raise MalformedAvroSchema(
                    f"{path}[{index}]", f"duplicate branch {kind} in the union"
                )
            kinds.add(kind)
            branches.append(branch)
        return Union(tuple(branches))

    def _record(self, node: dict[str, Json], path: str, namespace: str, depth: int) -> Record:
        name, space = self._new_name(node, path, namespace)
        full = full_name(name, space)
        self._open.add(full)
        nodes = _require(node, "fields", path)
        if not isinstance(nodes, list):
            raise MalformedAvroSchema(f"{path}.fields", "expected a list")
        fields: list[Field] = []
        names: set[str] = set()
        for index, item in enumerate(nodes):
            where = f"{path}.fields[{index}]"
            field = self._field(item, where, space, depth + 1)
            if field.name in names:
                raise MalformedAvroSchema(where, f"duplicate field {field.name} in the record")
            names.add(field.name)
            fields.append(field)
            if field.default is not NO_DEFAULT and not _is_plainly_null(field):
                self._defaults.append((where, full, field))
        record = Record(
            name,
            space,
            tuple(fields),
            _text(node, "doc", path),
            self._aliases(node, path, space),
            self._properties(node, path),
        )
        self._open.discard(full)
        self._definitions[full] = record
        return record

    def _field(self, node: Json, path: str, namespace: str, depth: int) -> Field:
        if not isinstance(node, dict):
            raise MalformedAvroSchema(path, "expected an object with name and type")
        name = node.get("name")
        if not isinstance(name, str) or not is_name(name):
            raise MalformedAvroSchema(f"{path}.name", f"{shown(name)} is not a valid Avro name")
        type_ = self.schema(_require(node, "type", path), f"{path}.type", namespace, depth)
        if len(node) == 2:
            return Field(name, type_)
        aliases = _field_aliases(node, path)
        order = node.get("order", "ascending")
        if order not in _ORDERS or not isinstance(order, str):
            raise MalformedAvroSchema(
                f"{path}.order", f"expected one of {', '.join(_ORDERS)}, got {shown(order)}"
            )
        default: Json | NoDefault = node.get("default", NO_DEFAULT)
        extra = (
            {}
            if node.keys() <= _FIELD_ATTRIBUTES
            else {key: value for key, value in node.items() if key not in _FIELD_ATTRIBUTES}
        )
        if not isinstance(default, NoDefault):
            if isinstance(default, list | dict):
                refuse_deep_json(default, f"{path}.default")
            if path in self.dropped:
                extra[INVALID_DEFAULT] = default
                default = NO_DEFAULT
            default = read_float_default(default, type_)
        return Field(
            name,
            type_,
            default,
            _text(node, "doc", path),
            aliases,
            order,
            _check_properties(extra, path),
        )

    def _enum(self, node: dict[str, Json], path: str, namespace: str) -> EnumSchema:
        name, space = self._new_name(node, path, namespace)
        _require(node, "symbols", path)
        symbols = _strings(node, "symbols", path)
        for index, symbol in enumerate(symbols):
            if not is_name(symbol):
                raise MalformedAvroSchema(
                    f"{path}.symbols[{index}]", f"{shown(symbol)} is not a valid Avro name"
                )
        if len(set(symbols)) != len(symbols):
            raise MalformedAvroSchema(f"{path}.symbols", "duplicate symbol")
        default = _text(node, "default", path)
        if default is not None and default not in symbols:
            raise MalformedAvroSchema(
                f"{path}.default", f"{shown(default)} is not one of the symbols"
            )
        extra = {key: value for key, value in node.items() if key != "default"}
        enum = EnumSchema(
            name,
            space,
            symbols,
            default,
            _text(node, "doc", path),
            self._aliases(node, path, space),
            self._properties(extra, path),
        )
        self._definitions[enum.full_name] = enum
        return enum

    def _fixed(self, node: dict[str, Json], path: str, namespace: str) -> Fixed:
        name, space = self._new_name(node, path, namespace)
        size = _require(node, "size", path)
        if type(size) is not int or not 0 <= size <= MAX_FIXED_SIZE:
            raise MalformedAvroSchema(
                f"{path}.size", f"expected a number of bytes, got {shown(size)}"
            )
        logical, properties = split_logical("fixed", size, self._properties(node, path))
        fixed = Fixed(
            name,
            space,
            size,
            logical,
            _text(node, "doc", path),
            self._aliases(node, path, space),
            properties,
        )
        self._definitions[fixed.full_name] = fixed
        return fixed

    def _new_name(self, node: Mapping[str, Json], path: str, namespace: str) -> tuple[str, str]:
        """The name and namespace of a definition; refuses a name that is defined twice."""
        name = _require(node, "name", path)
        if not isinstance(name, str):
            raise MalformedAvroSchema(f"{path}.name", f"expected a string, got {shown(name)}")
        stated = _text(node, "namespace", path)
        if "." in name:
            space, _, name = name.rpartition(".")
        else:
            space = namespace if stated is None else stated
        if not is_name(name):
            raise MalformedAvroSchema(f"{path}.name", f"{shown(name)} is not a valid Avro name")
        if space and not all(is_name(part) for part in space.split(".")):
            raise MalformedAvroSchema(
                f"{path}.namespace", f"{shown(space)} is not a valid Avro namespace"
            )
        if name in PRIMITIVE_TYPES:
            raise MalformedAvroSchema(f"{path}.name", f"{name} is the name of a primitive type")
        full = full_name(name, space)
        if full in self._definitions or full in self._open:
            raise MalformedAvroSchema(f"{path}.name", f"{full} is defined twice")
        return name, space

    def _aliases(self, node: Mapping[str, Json], path: str, namespace: str) -> tuple[str, ...]:
        aliases = _strings(node, "aliases", path)
        for index, alias in enumerate(aliases):
            if not all(is_name(part) for part in alias.split(".")):
                raise MalformedAvroSchema(
                    f"{path}.aliases[{index}]", f"{shown(alias)} is not a valid Avro name"
                )
        return tuple(a if "." in a else full_name(a, namespace) for a in aliases)

    def _properties(self, node: Mapping[str, Json], path: str) -> Mapping[str, Json]:
        return _check_properties(
            {key: value for key, value in node.items() if key not in _SCHEMA_ATTRIBUTES}, path
        )


def branch_kind(schema: Schema) -> str:
    """The key that distinguishes a union's branches: the full name, or the kind of an unnamed type."""
    match schema:
        case Primitive(name):
            return name
        case Array():
            return "array"
        case MapSchema():
            return "map"
        case Union():
            return "union"
        case _:
            return schema.full_name


def _is_plainly_null(field: Field) -> bool:
    """Whether a default is null on a union with null first, as most are in a wide table."""
    return (
        field.default is None and isinstance(field.type, Union) and field.type.branches[0] is NULL
    )


def _field_aliases(node: Mapping[str, Json], path: str) -> tuple[str, ...]:
    aliases = _strings(node, "aliases", path)
    for index, alias in enumerate(aliases):
        if not is_name(alias):
            raise MalformedAvroSchema(
                f"{path}.aliases[{index}]", f"{shown(alias)} is not a valid Avro name"
            )
    return aliases


def _check_properties(properties: dict[str, Json], path: str) -> Mapping[str, Json]:
    if not properties:
        return NO_PROPERTIES
    for key, value in properties.items():
        if isinstance(value, list | dict):
            refuse_deep_json(value, f"{path}.{key}")
    return MappingProxyType(properties)


def _require(node: Mapping[str, Json], key: str, path: str) -> Json:
    if key not in node:
        raise MalformedAvroSchema(path, f"{key} is missing")
    return node[key]


def _text(node: Mapping[str, Json], key: str, path: str) -> str | None:
    value = node.get(key)
    if value is not None and not isinstance(value, str):
        raise MalformedAvroSchema(f"{path}.{key}", f"expected a string, got {shown(value)}")
    return value


def _strings(node: Mapping[str, Json], key: str, path: str) -> tuple[str, ...]:
    if key not in node:
        return ()
    value = node[key]
    if not isinstance(value, list):
        raise MalformedAvroSchema(f"{path}.{key}", "expected a list")
    for index, item in enumerate(value):
        if not isinstance(item, str):
            raise MalformedAvroSchema(
                f"{path}.{key}[{index}]", f"expected a string, got {shown(item)}"
            )
    return tuple(str(item) for item in value)
