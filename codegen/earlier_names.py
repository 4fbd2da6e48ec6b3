"""Finds the names that earlier releases gave, so that a new major version can list renamed things.

The first releases did not name records in CamelCase. Later releases did, at first without the method
``of`` in classes. In all these releases, names of nested types began with the root's name, and
attributes had the Avro names of columns.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial

from codegen.errors import UnfitSchema
from codegen.lowering import NamingRules, lower
from codegen.naming import (
    KEYWORDS,
    TypeNamer,
    attribute_before_of,
    attribute_beside,
    attribute_name,
    hashed_type,
    join_parts,
    member_before_of,
    member_name,
    needs_hash,
)
from codegen.shapes import EnumClass, NamedClass, PackageShape, RecordClass
from codegen.surface import surface_hash_of
from lakeschema.avro.model import Record

_RESERVED_IN_CLASS = frozenset({
    "self", "to_avro", "from_avro", "to_dict", "from_dict", "to_json", "from_json", "resolve_from",
    "to_confluent", "from_confluent", "to_single_object", "from_single_object", "replace",
})  # fmt: skip

_NO_ATTRIBUTES = KEYWORDS | _RESERVED_IN_CLASS | {
    "_Duration", "_Final", "_Mapping", "_Self", "_builtins", "_datetime", "_decimal", "_uuid", "TYPE_CHECKING",
}  # fmt: skip

_NO_CLASSES = KEYWORDS | _RESERVED_IN_CLASS | {
    "RECORD", "RELATION", "SCHEMA", "CRC_64_AVRO", "SHA_256", "PROVENANCE", "VERSION", "Duration",
    "InvalidAvro", "InvalidValue", "UnresolvableSchema", "AvroError", "Nanoseconds", "read_file",
    "write_file", "spark_schema", "dataset", "from_rows", "to_rows", "create_dataframe",
    "arrow_schema", "from_arrow", "to_arrow", "UnknownSchema", "diff", "ABSENT", "provenance",
    "changelog", "TYPE_CHECKING", "annotations", "NotImplemented",
}  # fmt: skip


def renamed(schema: Record, import_package: str, surface: str, *, immutable: bool) -> list[str]:
    """The names that changed since a package with this surface hash was built, in words.

    The list is empty if the package was not built with the earlier names, or the schema does not fit
    their rules.
    """
    for rules in _EARLIER:
        try:
            before = replace(lower(schema, rules), immutable=immutable)
            now = lower(schema)
        except UnfitSchema:
            continue
        if surface_hash_of(before, import_package) == surface:
            return _all_renamed(before, now)
    return []


def _all_renamed(before: PackageShape, now: PackageShape) -> list[str]:
    return [
        line
        for old, new in zip(before.classes, now.classes, strict=True)
        for line in _renamed(old, new)
    ]


def _renamed(old: NamedClass, new: NamedClass) -> Iterator[str]:
    if old.class_name != new.class_name:
        yield f"class `{old.class_name}` is named `{new.class_name}` now"
    if isinstance(old, RecordClass) and isinstance(new, RecordClass):
        for before, now in zip(old.attributes, new.attributes, strict=True):
            if before.name != now.name:
                yield f"attribute `{before.name}` of `{new.class_name}` is named `{now.name}` now"
    if isinstance(old, EnumClass) and isinstance(new, EnumClass):
        for (earlier, _), (member, _) in zip(old.members, new.members, strict=True):
            if earlier != member:
                yield f"member `{earlier}` of `{new.class_name}` is named `{member}` now"


class _WithRoot(TypeNamer):
    """A ``TypeNamer`` of earlier releases: names below the root begin with the root's name."""

    __slots__ = ()

    def _is_beneath(self, first: str) -> bool:  # noqa: ARG002 [as the method that it replaces]
        return False


def _with_root(root: Record) -> Callable[[str], str]:
    return _WithRoot.of(root).class_name


def _class_names(root: Record) -> Callable[[str], str]:
    last = root.namespace.rpartition(".")[2]
    is_within_itself = last.lower() == root.name.lower()
    home = root.full_name if is_within_itself else root.namespace
    return partial(_class_name, root.full_name, home)


def _class_name(root: str, home: str, full_name: str) -> str:
    namespace, _, simple = full_name.rpartition(".")
    root_simple = root.rpartition(".")[2]
    if full_name == root or (namespace == home and simple != root_simple):
        parts: tuple[str, ...] = (simple,)
    elif f"{namespace}.".startswith(f"{root}."):
        beneath = namespace[len(root) + 1 :]
        parts = (root_simple, *(beneath.split(".") if beneath else ()), simple)
    elif namespace and namespace.split(".")[0] != root_simple:
        parts = (*namespace.split("."), simple)
    else:
        return hashed_type(full_name)
    name = join_parts(parts)
    if name is None or needs_hash(name):
        return hashed_type(full_name)
    return f"{name}_" if name in _NO_CLASSES else name


def _rules(
    class_names: Callable[[Record], Callable[[str], str]],
    attribute: Callable[[str], str],
    member: Callable[[str], str] = member_name,
) -> NamingRules:
    """The rules of earlier releases, which named attributes only by their fields' Avro names."""
    return NamingRules(class_names, lambda field: attribute(field.name), member)


_EARLIER = (
    _rules(_with_root, attribute_name),
    _rules(_with_root, attribute_before_of, member_before_of),
    _rules(_class_names, partial(attribute_beside, taken=_NO_ATTRIBUTES), member_before_of),
)
