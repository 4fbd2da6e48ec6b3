"""Typed values to and from plain ones, those of fastavro and Confluent's serialisers, and defaults.

Records are dicts by field name, enums are their symbols. In a union whose branches have the same
plain class, a named branch is the pair of its full name and its value.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from . import scalars
from .binding import Binding
from .errors import InvalidAvro, InvalidValue, short_repr
from .schema import Node
from .values import branch_of, check, convert_leaf, from_base, to_base


def to_plain(binding: Binding, node: Node, value: Any) -> Any:
    """A typed value as dicts, lists and leaves.

    Raises:
        InvalidValue: no branch of a union accepts its value.
    """
    match node.kind:
        case "record":
            return {
                field.name: to_plain(binding, field.node, getattr(value, attribute))
                for field, attribute in zip(node.fields, binding.attributes[node.name], strict=True)
            }
        case "enum":
            return value.value
        case "array":
            return [to_plain(binding, node.items, item) for item in value]
        case "map":
            return {key: to_plain(binding, node.items, item) for key, item in value.items()}
        case "union":
            branch = branch_of(binding, node, value, "")
            plain = to_plain(binding, branch, value)
            return (branch.name, plain) if _needs_name(node, branch) else plain
        case "fixed" if not node.logical:
            return bytes(value)
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


def from_plain(binding: Binding, node: Node, value: Any, path: str) -> Any:
    """A plain value as a typed one; typed parts are checked and kept.

    Raises:
        InvalidValue: a value does not match its type, or a record has an unknown field.
    """
    match node.kind:
        case "record":
            return _record_from_plain(binding, node, value, path)
        case "enum":
            return _enum_from_plain(binding, node, value, path)
        case "array":
            if not isinstance(value, (list, tuple)):
                raise InvalidValue(path, f"expected list, got {short_repr(value)}")
            return [
                from_plain(binding, node.items, item, f"{path}[{index}]")
                for index, item in enumerate(value)
            ]
        case "map":
            if not isinstance(value, dict):
                raise InvalidValue(path, f"expected dict, got {short_repr(value)}")
            return {
                convert_leaf(
                    scalars.text_of, key, f"{path}[{short_repr(key)}] as a key"
                ): from_plain(binding, node.items, item, f"{path}[{short_repr(key)}]")
                for key, item in value.items()
            }
        case "union":
            return _branch_from_plain(binding, node, value, path)
        case _:
            return _leaf_from_plain(binding, node, value, path)


def _leaf_from_plain(binding: Binding, node: Node, value: Any, path: str) -> Any:
    if node.logical == "uuid" and isinstance(value, str):
        try:
            return scalars.uuid_from(value)
        except InvalidAvro as error:
            raise InvalidValue(path, str(error)) from None
    base = to_base(node, value, path)
    if node.logical:
        return value
    if node.kind == "fixed":
        return binding.classes[node.name](base)
    return base


def _enum_from_plain(binding: Binding, node: Node, value: Any, path: str) -> Any:
    enum = binding.classes[node.name]
    if isinstance(value, enum):
        return value
    if isinstance(value, str) and value in node.symbols:
        return enum(value)
    raise InvalidValue(path, f"expected one of {', '.join(node.symbols)}; got {short_repr(value)}")


def _record_from_plain(binding: Binding, node: Node, value: Any, path: str) -> Any:
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
            part = from_plain(binding, field.node, value[field.name], inner)
        elif field.has_default:
            part = from_default(binding, field.node, field.default)
        else:
            raise InvalidValue(inner, "is missing")
        binding.put(record, attribute, part)
    if known < len(value) - ("-type" in value):
        names = {field.name for field in node.fields} | {"-type"}
        unknown = next(key for key in value if key not in names)
        raise InvalidValue(path, f"unknown field {short_repr(unknown)} of {class_.__name__}")
    return record


def _branch_from_plain(binding: Binding, union: Node, value: Any, path: str) -> Any:
    name = _named_branch(union, value)
    if name is not None:
        branch = next((b for b in union.branches if name in {b.name, b.kind}), None)
        if branch is None:
            raise InvalidValue(path, f"unknown union branch {short_repr(name)}")
        return from_plain(binding, branch, value[1] if isinstance(value, tuple) else value, path)
    try:
        return from_plain(binding, branch_of(binding, union, value, path), value, path)
    except InvalidValue:
        pass
    # Of records, the one with the most fields present, as fastavro decides.
    best: tuple[int, Any] | None = None
    for branch in union.branches:
        try:
            found = from_plain(binding, branch, value, path)
        except InvalidValue:
            continue
        matched = (
            sum(field.name in value for field in branch.fields)
            if branch.kind == "record" and isinstance(value, dict)
            else 0
        )
        if best is None or matched > best[0]:
            best = (matched, found)
    if best is None:
        names = ", ".join(branch.title for branch in union.branches)
        raise InvalidValue(path, f"expected one of {names}; got {short_repr(value)}")
    return best[1]


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
            return [from_default(binding, node.items, item) for item in value]
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
