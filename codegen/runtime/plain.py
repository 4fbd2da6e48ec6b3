"""Converts typed values to and from plain values, and reads defaults.

Plain values have the form of fastavro and Confluent's serialisers: records are dicts by field name,
enums are their symbols. In a union whose branches have the same
plain class, a named branch is the pair of its full name and its value.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from . import scalars
from .acceptance import TEXT, accept, accept_leaf
from .binding import Binding
from .entries import dict_of_entries, entries_of, is_dict, key_and_value
from .errors import AvroError, InvalidValue, invalid, short_repr
from .frozen import items_in
from .plain_values import plain_of
from .schema import Field, Node, by_field_names
from .values import (
    REFUSALS,
    branch_of,
    convert_leaf,
    from_base,
    is_of,
    optional_of,
    to_base,
)

INTERVAL: Final = "day-time-interval-micros"


def to_plain(binding: Binding, node: Node, value: Any) -> Any:
    """A typed value as dicts, lists and leaves.

    Raises:
        InvalidValue: the schema does not allow the value, or it is nested too deeply.
    """
    try:
        return _plain(binding, node, value)
    except RecursionError:
        raise InvalidValue("", "the value is nested too deeply, or contains itself") from None
    except REFUSALS:
        # ``accept`` raises an error with all faults and their paths.
        accept(binding, node, value, "")
        raise


# Avro libraries have no class for a duration.
_AS_BYTES: Final = frozenset({"", "duration"})


def _plain(binding: Binding, node: Node, value: Any) -> Any:
    match node.kind:
        case "record":
            if not is_of(binding, node, value):
                raise InvalidValue("", f"expected {binding.classes[node.name].__name__}")
            return {
                field.name: _plain(binding, field.node, getattr(value, attribute))
                for field, attribute in zip(node.fields, binding.attributes[node.name], strict=True)
            }
        case "enum":
            if not is_of(binding, node, value):
                raise InvalidValue("", f"expected {binding.classes[node.name].__name__}")
            return value.value
        case "array":
            items = entries_of(value) if node.map_form == "dict" else scalars.list_of(value)
            return [_plain(binding, node.items, item) for item in items]
        case "map":
            return {
                scalars.text_of(key): _plain(binding, node.items, item)
                for key, item in scalars.dict_of(value).items()
            }
        case "union":
            branch = branch_of(binding, node, value, "")
            plain = _plain(binding, branch, value)
            return (branch.name, plain) if _needs_name(node, branch) else plain
        case "fixed" if node.logical in _AS_BYTES:
            return to_base(node, value, "")
        case "long" if node.logical == INTERVAL:
            # No Avro library knows the type.
            return to_base(node, value, "")
        case _:
            return accept_leaf(binding, node, value, "")


_SAME_PLAIN_CLASS: Final = {"record": "map", "enum": "string", "fixed": "bytes"}


def _needs_name(union: Node, branch: Node) -> bool:
    """Whether another branch has plain values of the same class."""
    if branch.logical not in _AS_BYTES or branch.kind not in _SAME_PLAIN_CLASS:
        return False
    return any(
        other is not branch
        and other.logical in _AS_BYTES
        and other.kind in {branch.kind, _SAME_PLAIN_CLASS[branch.kind]}
        for other in union.branches
    )


def from_plain(binding: Binding, node: Node, value: Any, path: str, unknown: str = "refuse") -> Any:
    """Converts a plain value to a typed value; parts that are typed already are checked and kept.

    If ``unknown`` is "ignore", unknown fields are ignored, and an unknown symbol of an enum is the
    enum's default.

    Raises:
        InvalidValue: a value does not match its type, or a record has an unknown field.
    """
    try:
        return _Typing(binding, ignores_unknown=is_ignored(unknown)).typed(node, value, path)
    except RecursionError:
        raise InvalidValue(path, "the value is nested too deeply, or contains itself") from None


def is_ignored(unknown: str) -> bool:
    """Whether to ignore unknown fields and symbols, which a later version of the schema may have.

    Raises:
        InvalidValue: ``unknown`` is neither "refuse" nor "ignore".
    """
    if unknown not in {"refuse", "ignore"}:
        raise InvalidValue("unknown", f"expected 'refuse' or 'ignore', got {short_repr(unknown)}")
    return unknown == "ignore"


class _Typing:
    """One call of ``from_plain``; remembers which branch of a union each plain value is.

    To find the branch, it types the whole value as each branch. If records of two types are nested in
    each other, the work would double with each level if it did not remember the result.
    """

    def __init__(self, binding: Binding, *, ignores_unknown: bool) -> None:
        self._binding = binding
        self._ignores_unknown = ignores_unknown
        # A branch that knows every part of the value comes before a branch that ignores a part.
        self._strict = _Typing(binding, ignores_unknown=False) if ignores_unknown else self
        self._chosen: dict[tuple[int, int], tuple[Any, Node | None]] = {}

    def typed(self, node: Node, value: Any, path: str) -> Any:
        match node.kind:
            case "record":
                return self._record(node, value, path)
            case "enum":
                if self._ignores_unknown:
                    value = known_symbol(node, value, path)
                return _enum_from_plain(self._binding, node, value, path)
            case "array" if node.map_form == "dict" and isinstance(value, Mapping):
                keys, values = key_and_value(node)
                return self._dict_of(keys, values, value, path)
            case "array":
                items = self._list(node, value, path)
                return dict_of_entries(items) if node.map_form == "dict" else items
            case "map":
                return self._dict_of(TEXT, node.items, value, path)
            case "union":
                return self._union(node, value, path)
            case _:
                return _leaf_from_plain(self._binding, node, value, path)

    def _list(self, node: Node, value: Any, path: str) -> list[Any]:
        given = items_in(value)
        if given is None:
            kind = "dict or list" if node.map_form == "dict" else "list"
            raise InvalidValue(path, f"expected {kind}, got {short_repr(value)}")
        items: list[Any] = []
        faults: list[InvalidValue] = []
        for index, item in enumerate(given):
            try:
                items.append(self.typed(node.items, item, f"{path}[{index}]"))
            except InvalidValue as error:
                faults += error.faults
        if faults:
            raise invalid(faults)
        return items

    def _dict_of(self, keys: Node, values: Node, value: Any, path: str) -> dict[Any, Any]:
        made: dict[Any, Any] = {}
        faults: list[InvalidValue] = []
        for key, item in convert_leaf(scalars.dict_of, value, path).items():
            inner = f"{path}[{short_repr(key)}]"
            try:
                typed_key = self.typed(keys, key, f"{inner} as a key")
                made[typed_key] = self.typed(values, item, inner)
            except InvalidValue as error:
                faults += error.faults
        if faults:
            raise invalid(faults)
        return made

    def _record(self, node: Node, value: Any, path: str) -> Any:
        binding = self._binding
        class_ = binding.classes[node.name]
        if is_of(binding, node, value):
            return accept(binding, node, value, path)
        if not isinstance(value, Mapping):
            raise InvalidValue(path, f"expected {class_.__name__} or dict, got {short_repr(value)}")
        value = by_field_names(node, value)
        record: Any = object.__new__(class_)
        faults: list[InvalidValue] = []
        known = 0
        for field, attribute in zip(node.fields, binding.attributes[node.name], strict=True):
            inner = f"{path}.{field.name}" if path else field.name
            known += field.name in value
            try:
                binding.put(record, attribute, self._field(field, value, inner))
            except InvalidValue as error:
                faults += error.faults
        if known < len(value) - ("-type" in value) and not self._ignores_unknown:
            names = {field.name for field in node.fields} | {"-type"}
            faults += [
                InvalidValue(path, f"unknown field {short_repr(key)} of {class_.__name__}")
                for key in value
                if key not in names
            ]
        if faults:
            raise invalid(faults)
        return record

    def _field(self, field: Field, value: Mapping[str, Any], path: str) -> Any:
        if field.name in value:
            return self.typed(field.node, value[field.name], path)
        return default_of(self._binding, field, path)

    def _union(self, union: Node, value: Any, path: str) -> Any:
        name = _named_branch(union, value)
        if name is not None:
            branch = next((b for b in union.branches if name in {b.name, b.kind}), None)
            if branch is None:
                raise InvalidValue(path, f"unknown union branch {short_repr(name)}")
            return self.typed(branch, value[1] if isinstance(value, tuple) else value, path)
        branch = None if value is None else optional_of(union)
        if branch is not None:
            return self.typed(branch, value, path)
        if self._ignores_unknown:
            try:
                return self._strict.typed(union, value, path)
            except InvalidValue:
                pass
        if isinstance(value, Mapping):
            found = self._dict(union, value, path)
        else:
            first: Node | None = None
            try:
                first = branch_of(self._binding, union, value, path)
                return self.typed(first, value, path)
            except InvalidValue:
                others = [branch for branch in union.branches if branch is not first]
                found = self._first_typed(others, value, path)
        if found is None:
            names = ", ".join(branch.title for branch in union.branches)
            raise InvalidValue(path, f"expected one of {names}; got {short_repr(value)}")
        return found[0]

    def _dict(self, union: Node, value: Mapping[Any, Any], path: str) -> tuple[Any] | None:
        candidates = [b for b in union.branches if b.kind == "record" or is_dict(b)]
        if len(candidates) == 1:
            return self._typed_as(candidates[0], value, path)
        return self._typed_as(self._choose(union, candidates, value, path), value, path)

    def _typed_as(self, branch: Node | None, value: Any, path: str) -> tuple[Any] | None:
        """A tuple of the typed value, or None if the value is not of this type."""
        if branch is None:
            return None
        try:
            return (self.typed(branch, value, path),)
        except InvalidValue:
            return None

    def _choose(
        self, union: Node, candidates: Sequence[Node], value: Any, path: str
    ) -> Node | None:
        """The branch for a value: a map if it fits one, else a record.

        As in fastavro, the record has the most fields present.
        """
        key = (id(union), id(value))
        if key not in self._chosen:
            fits = [b for b in candidates if self._typed_as(b, value, path) is not None]
            chosen = next(filter(is_dict, fits), None)
            if chosen is None:
                chosen = max(fits, key=lambda b: _fields_present(b, value), default=None)
            # Also keeps the value: its ``id`` is unique only while the value exists.
            self._chosen[key] = (value, chosen)
        return self._chosen[key][1]

    def _first_typed(self, branches: Sequence[Node], value: Any, path: str) -> tuple[Any] | None:
        found = (self._typed_as(branch, value, path) for branch in branches)
        return next((part for part in found if part is not None), None)


def _fields_present(branch: Node, value: Mapping[Any, Any]) -> int:
    return sum(field.name in value for field in branch.fields)


def known_symbol(enum: Node, value: Any, path: str) -> Any:
    """The value, or the enum's default if the enum lacks this symbol.

    Raises:
        InvalidValue: the enum has no default.
    """
    if not isinstance(value, str) or value in enum.symbols:
        return value
    if enum.default is None:
        expected = f"expected one of {', '.join(enum.symbols)}"
        raise InvalidValue(path, f"{expected}, as the enum has no default; got {short_repr(value)}")
    return enum.default


def _enum_from_plain(binding: Binding, node: Node, value: Any, path: str) -> Any:
    if is_of(binding, node, value):
        return accept(binding, node, value, path)
    symbol = convert_leaf(plain_of, value, path)
    if isinstance(symbol, str) and symbol in node.symbols:
        return binding.classes[node.name](symbol)
    raise InvalidValue(path, f"expected one of {', '.join(node.symbols)}; got {short_repr(value)}")


def _leaf_from_plain(binding: Binding, node: Node, value: Any, path: str) -> Any:
    if node.logical == "uuid" and isinstance(value, str):
        return convert_leaf(scalars.uuid_from, value, path)
    if node.logical == INTERVAL and type(number := convert_leaf(plain_of, value, path)) is int:
        return scalars.interval_from_micros(convert_leaf(scalars.long_of, number, path))
    if node.logical == "duration" and type(data := convert_leaf(plain_of, value, path)) is bytes:
        return scalars.duration_from(convert_leaf(lambda v: scalars.fixed_of(v, 12), data, path))
    return accept(binding, node, value, path)


def _named_branch(union: Node, value: Any) -> str | None:
    if isinstance(value, tuple) and len(value) == 2:
        named = any(value[0] in {b.name, b.kind} for b in union.branches if b.kind != "null")
        return str(value[0]) if named and isinstance(value[0], str) else None
    if isinstance(value, Mapping) and isinstance(value.get("-type"), str):
        return str(value["-type"])
    return None


def default_of(binding: Binding, field: Field, path: str) -> Any:
    """A missing field's default as a new typed value.

    Raises:
        InvalidValue: the field has no default, or Python cannot hold it.
    """
    if not field.has_default:
        raise InvalidValue(path, "is missing")
    try:
        return from_default(binding, field.node, field.default)
    except AvroError as error:
        shown = short_repr(field.default)
        reason = f"is missing, and Python cannot hold its default {shown}: {error}"
        raise InvalidValue(path, reason) from None


def from_default(binding: Binding, node: Node, value: Any) -> Any:
    """A default, which is JSON, as a new typed value.

    Raises:
        InvalidValue: the default is not a value of the type.
        InvalidAvro: it is a value of the type, but Python cannot hold it.
    """
    match node.kind:
        case "union":
            for branch in node.branches:
                try:
                    return from_default(binding, branch, value)
                except InvalidValue:
                    continue
            raise InvalidValue(
                "", f"no branch of the union accepts the default {short_repr(value)}"
            )
        case "array" if isinstance(value, list):
            items = [from_default(binding, node.items, item) for item in value]
            return dict_of_entries(items) if node.map_form == "dict" else items
        case "map" if isinstance(value, dict):
            return {k: from_default(binding, node.items, item) for k, item in value.items()}
        case "enum":
            return _enum_from_plain(binding, node, value, "")
        case "record" if isinstance(value, dict):
            record: Any = object.__new__(binding.classes[node.name])
            for field, attribute in zip(node.fields, binding.attributes[node.name], strict=True):
                part = value.get(field.name, field.default)
                if field.name not in value and not field.has_default:
                    raise InvalidValue("", f"the default has no value for field {field.name}")
                binding.put(record, attribute, from_default(binding, field.node, part))
            return record
        case "array" | "map" | "record":
            raise InvalidValue(
                "", f"expected a default of type {node.kind}, got {short_repr(value)}"
            )
        case _:
            return _leaf_default(binding, node, value)


_BASE_OF_DEFAULT: Final[dict[str, Callable[[Any], Any]]] = {
    "null": scalars.null_of,
    "boolean": scalars.boolean_of,
    "int": scalars.int_of,
    "long": scalars.long_of,
    # Java also rounds to 32 bits.
    "float": lambda value: scalars.rounded_to_single(scalars.double_of(value)),
    "double": scalars.double_of,
    "string": scalars.text_of,
}


def _leaf_default(binding: Binding, node: Node, value: Any) -> Any:
    if node.kind in {"bytes", "fixed"}:
        try:
            base: Any = scalars.text_of(value).encode("iso-8859-1")
        except UnicodeEncodeError:
            raise InvalidValue(
                "", f"expected a default of ISO-8859-1 text, got {short_repr(value)}"
            ) from None
        if node.kind == "fixed":
            base = scalars.fixed_of(base, node.size)
    else:
        base = _BASE_OF_DEFAULT[node.kind](value)
    convert = from_base(binding, node)
    return base if convert is None else convert(base)
