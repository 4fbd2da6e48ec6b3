"""Typed values to and from plain ones, those of fastavro and Confluent's serialisers, and defaults.

Records are dicts by field name, enums are their symbols. In a union whose branches have the same
plain class, a named branch is the pair of its full name and its value.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final

from . import scalars
from .binding import Binding
from .entries import dict_of_entries, entries_of, is_dict, key_and_value
from .errors import InvalidAvro, InvalidValue, short_repr
from .schema import Node
from .values import branch_of, check, convert_leaf, from_base, optional_of, to_base

INTERVAL: Final = "day-time-interval-micros"


def to_plain(binding: Binding, node: Node, value: Any) -> Any:
    """A typed value as dicts, lists and leaves.

    Raises:
        InvalidValue: no branch of a union accepts its value, a part of it has another class than
            its type, or it is nested too deeply.
    """
    try:
        return _plain(binding, node, value)
    except (InvalidValue, AttributeError, TypeError):
        # With the path, where the value is invalid.
        check(binding, node, value, "")
        raise
    except RecursionError:
        raise InvalidValue("", "the value is nested too deeply, or contains itself") from None


def _plain(binding: Binding, node: Node, value: Any) -> Any:
    match node.kind:
        case "record":
            return {
                field.name: _plain(binding, field.node, getattr(value, attribute))
                for field, attribute in zip(node.fields, binding.attributes[node.name], strict=True)
            }
        case "enum":
            return value.value
        case "array":
            items = entries_of(value) if node.map_form == "dict" else value
            return [_plain(binding, node.items, item) for item in items]
        case "map":
            return {key: _plain(binding, node.items, item) for key, item in value.items()}
        case "union":
            branch = branch_of(binding, node, value, "")
            plain = _plain(binding, branch, value)
            return (branch.name, plain) if _needs_name(node, branch) else plain
        case "fixed" if not node.logical:
            return bytes(value)
        case "long" if node.logical == INTERVAL:
            # No library of Avro knows the type.
            return to_base(node, value, "")
        case _:
            return value


_SAME_PLAIN_CLASS: Final = {"record": "map", "enum": "string", "fixed": "bytes"}


def _needs_name(union: Node, branch: Node) -> bool:
    """Whether another branch has plain values of the same class."""
    if branch.logical or branch.kind not in _SAME_PLAIN_CLASS:
        return False
    return any(
        other is not branch
        and not other.logical
        and other.kind in {branch.kind, _SAME_PLAIN_CLASS[branch.kind]}
        for other in union.branches
    )


def from_plain(
    binding: Binding, node: Node, value: Any, path: str, unknown: str = "refuse"
) -> Any:
    """A plain value as a typed one; typed parts are checked and kept.

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
    """Whether fields and symbols are ignored that a later version of the schema may have.

    Raises:
        InvalidValue: it is neither "refuse" nor "ignore".
    """
    if unknown not in {"refuse", "ignore"}:
        raise InvalidValue("unknown", f"expected 'refuse' or 'ignore', got {short_repr(unknown)}")
    return unknown == "ignore"


class _Typing:
    """One call of ``from_plain``; remembers which branch of a union each plain value is.

    To find out, the value is typed as each branch, with all that it contains. Without memory that
    would double with each level of records of two types within each other.
    """

    def __init__(self, binding: Binding, *, ignores_unknown: bool) -> None:
        self._binding = binding
        self._ignores_unknown = ignores_unknown
        # A branch of a union that knows all of a value comes before one that ignores a part.
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
            case "array" if node.map_form == "dict" and isinstance(value, dict):
                return self._dict_of(node, value, path)
            case "array":
                if not isinstance(value, (list, tuple)):
                    kind = "dict or list" if node.map_form == "dict" else "list"
                    raise InvalidValue(path, f"expected {kind}, got {short_repr(value)}")
                items = [
                    self.typed(node.items, item, f"{path}[{index}]")
                    for index, item in enumerate(value)
                ]
                return dict_of_entries(items) if node.map_form == "dict" else items
            case "map":
                if not isinstance(value, dict):
                    raise InvalidValue(path, f"expected dict, got {short_repr(value)}")
                return {
                    convert_leaf(
                        scalars.text_of, key, f"{path}[{short_repr(key)}] as a key"
                    ): self.typed(node.items, item, f"{path}[{short_repr(key)}]")
                    for key, item in value.items()
                }
            case "union":
                return self._union(node, value, path)
            case _:
                return _leaf_from_plain(self._binding, node, value, path)

    def _dict_of(self, node: Node, value: dict[Any, Any], path: str) -> dict[Any, Any]:
        keys, values = key_and_value(node)
        made: dict[Any, Any] = {}
        for key, item in value.items():
            inner = f"{path}[{short_repr(key)}]"
            made[self.typed(keys, key, f"{inner} as a key")] = self.typed(values, item, inner)
        return made

    def _record(self, node: Node, value: Any, path: str) -> Any:
        binding = self._binding
        class_ = binding.classes[node.name]
        if isinstance(value, class_):
            check(binding, node, value, path)
            return value
        if not isinstance(value, dict):
            raise InvalidValue(path, f"expected {class_.__name__} or dict, got {short_repr(value)}")
        record: Any = object.__new__(class_)
        known = 0
        for field, attribute in zip(node.fields, binding.attributes[node.name], strict=True):
            inner = f"{path}.{field.name}" if path else field.name
            if field.name in value:
                known += 1
                part = self.typed(field.node, value[field.name], inner)
            elif field.has_default:
                part = from_default(binding, field.node, field.default)
            else:
                raise InvalidValue(inner, "is missing")
            binding.put(record, attribute, part)
        if known < len(value) - ("-type" in value) and not self._ignores_unknown:
            names = {field.name for field in node.fields} | {"-type"}
            unknown = next(key for key in value if key not in names)
            raise InvalidValue(path, f"unknown field {short_repr(unknown)} of {class_.__name__}")
        return record

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
        if isinstance(value, dict):
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

    def _dict(self, union: Node, value: dict[Any, Any], path: str) -> tuple[Any] | None:
        candidates = [b for b in union.branches if b.kind == "record" or is_dict(b)]
        if len(candidates) == 1:
            return self._typed_as(candidates[0], value, path)
        return self._typed_as(self._choose(union, candidates, value, path), value, path)

    def _typed_as(self, branch: Node | None, value: Any, path: str) -> tuple[Any] | None:
        """The value alone, or None if it is not of this type."""
        if branch is None:
            return None
        try:
            return (self.typed(branch, value, path),)
        except InvalidValue:
            return None

    def _choose(
        self, union: Node, candidates: Sequence[Node], value: Any, path: str
    ) -> Node | None:
        """A map if it is one; of records, the one with the most fields present, as fastavro decides."""
        key = (id(union), id(value))
        if key not in self._chosen:
            fits = [b for b in candidates if self._typed_as(b, value, path) is not None]
            maps = (b for b in fits if is_dict(b) and _is_map(self._binding, value))
            chosen = next(maps, None)
            if chosen is None:
                chosen = max(fits, key=lambda b: _fields_present(b, value), default=None)
            # With the value: its identity is its own while it exists.
            self._chosen[key] = (value, chosen)
        return self._chosen[key][1]

    def _first_typed(self, branches: Sequence[Node], value: Any, path: str) -> tuple[Any] | None:
        found = (self._typed_as(branch, value, path) for branch in branches)
        return next((part for part in found if part is not None), None)


def _is_map(binding: Binding, value: dict[Any, Any]) -> bool:
    """Whether a map comes before records, as among typed values."""
    return binding.immutable or type(value) is dict


def _fields_present(branch: Node, value: dict[Any, Any]) -> int:
    return sum(field.name in value for field in branch.fields)


def known_symbol(enum: Node, value: Any, path: str) -> Any:
    """The value, or the enum's default for a symbol that it lacks.

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
    enum = binding.classes[node.name]
    if isinstance(value, enum):
        return value
    if isinstance(value, str) and value in node.symbols:
        return enum(value)
    raise InvalidValue(path, f"expected one of {', '.join(node.symbols)}; got {short_repr(value)}")


def _leaf_from_plain(binding: Binding, node: Node, value: Any, path: str) -> Any:
    if node.logical == "uuid" and isinstance(value, str):
        try:
            return scalars.uuid_from(value)
        except InvalidAvro as error:
            raise InvalidValue(path, str(error)) from None
    if node.logical == INTERVAL and type(value) is int:
        return scalars.interval_from_micros(convert_leaf(scalars.long_of, value, path))
    base = to_base(node, value, path)
    if node.logical:
        return value
    if node.kind == "fixed":
        return binding.classes[node.name](base)
    return base


def _named_branch(union: Node, value: Any) -> str | None:
    if isinstance(value, tuple) and len(value) == 2:
        named = any(value[0] in {b.name, b.kind} for b in union.branches if b.kind != "null")
        return str(value[0]) if named and isinstance(value[0], str) else None
    if isinstance(value, dict) and isinstance(value.get("-type"), str):
        return str(value["-type"])
    return None


def from_default(binding: Binding, node: Node, value: Any) -> Any:
    """A default, which is JSON, as a new typed value.

    Raises:
        InvalidValue: it is not a value of the type.
    """
    match node.kind:
        case "union":
            for branch in node.branches:
                try:
                    return from_default(binding, branch, value)
                except (InvalidValue, InvalidAvro):
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
    "float": scalars.float_of,
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
