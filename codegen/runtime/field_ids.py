"""Renames a file's fields to the names of the reader's table, by Iceberg's field ids.

Iceberg's Avro and Parquet files have the id of each field. A renamed field keeps its id; a column that is
dropped and added again gets another id. Ids count if the table has, or once had, a top-level field with
the id and the name of one in the file. Otherwise the file belongs to another table, and its names count.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any, Final

from .aliases import nodes
from .schema import Node

_ARROW_ID: Final = b"PARQUET:field_id"
_LAST: Final = re.compile(r"`((?:[^`]|``)*)`\Z|([^.`]*)\Z")


def apply_field_ids(writer: Node, reader: Node) -> None:
    """Renames the writer's fields: changes its nodes in place.

    Names that Avro does not allow are in the property ``iceberg-field-name``.
    """
    fields = [field for node in nodes(writer) for field in node.fields if field.properties]
    told = [(field, json.loads(field.properties)) for field in fields]
    # A package may be generated from the schema of this file; then it has these names already.
    known = {field.name for node in nodes(reader) for field in node.fields}
    for field, properties in told:
        name = properties.get("iceberg-field-name")
        if isinstance(name, str) and name and field.name not in known:
            field.name = name
    names = _names_by_id(reader)
    ids = {field: id_ for field, each in told if isinstance(id_ := each.get("field-id"), int)}
    is_known = _Known(reader, names)
    if any(is_known(field.name, ids.get(field)) for field in writer.fields):
        for field, id_ in ids.items():
            field.name = _name_of(id_, names)


def arrow_fields_by_id(pa: Any, schema: Any, reader: Node) -> list[Any] | None:
    """A schema's fields with the reader's names, from files of Parquet; None if the file's names count."""
    names = _names_by_id(reader)
    is_known = _Known(reader, names)
    if not any(is_known(field.name, _arrow_id(field)) for field in schema):
        return None
    return [_arrow_field(pa, field, names) for field in schema]


def _arrow_field(pa: Any, field: Any, names: Mapping[Any, str]) -> Any:
    field = field.with_type(_arrow_type(pa, field.type, names))
    id_ = _arrow_id(field)
    return field if id_ is None else field.with_name(_name_of(id_, names))


def _arrow_type(pa: Any, type_: Any, names: Mapping[Any, str]) -> Any:
    if pa.types.is_struct(type_):
        return pa.struct([_arrow_field(pa, field, names) for field in type_])
    if pa.types.is_map(type_):
        item = type_.item_field
        return pa.map_(type_.key_field, item.with_type(_arrow_type(pa, item.type, names)))
    if pa.types.is_list(type_) or pa.types.is_large_list(type_):
        item = type_.value_field
        make = pa.list_ if pa.types.is_list(type_) else pa.large_list
        return make(item.with_type(_arrow_type(pa, item.type, names)))
    return type_


def _arrow_id(field: Any) -> int | None:
    stated = (field.metadata or {}).get(_ARROW_ID, b"")
    return int(stated) if stated.isdigit() else None


def _name_of(id_: int, names: Mapping[Any, str]) -> str:
    # No column has such a name. So nothing reads a field that the table no longer has.
    return names.get(id_, f"\0{id_}")


class _Known:
    """Whether the reader's table has, or once had, a root field with the name and id in a file."""

    def __init__(self, reader: Node, names: Mapping[Any, str]) -> None:
        aliases = {each.column: each.aliases for each in reader.fields}
        former = _property(reader, "iceberg.former-ids")
        pairs = [(n, i) for i, name in names.items() for n in (name, *aliases.get(name, ()))]
        pairs += [(n, i) for n, ids in former.items() for i in ids]
        self._pairs = {(each, i) for n, i in pairs for each in (n, _in_parquet(n))}

    def __call__(self, written: str, id_: int | None) -> bool:
        return (written, id_) in self._pairs


def _in_parquet(name: str) -> str:
    """The name as Iceberg writes it in files of Parquet."""
    legal = "".join(c if c.isalnum() or c == "_" else f"_x{ord(c):X}" for c in name)
    return f"_{legal}" if legal[:1].isdigit() else legal


def _names_by_id(reader: Node) -> Mapping[Any, str]:
    ids = _property(reader, "iceberg.field-ids")
    return {id_: _last_part(path) for path, id_ in ids.items() if isinstance(id_, int)}


def _property(reader: Node, key: str) -> Mapping[str, Any]:
    found = json.loads(reader.properties).get(key) if reader.properties else None
    return found if isinstance(found, dict) else {}


def _last_part(path: str) -> str:
    found = _LAST.search(path)
    assert found is not None
    quoted, plain = found.groups()
    return str(plain) if quoted is None else str(quoted).replace("``", "`")
