"""Reads partition columns, whose values are in the names of folders and not in the files.

Hive and Spark write ``year=2024/country=DE/part-0``. Escapes such as ``%3A`` stand for characters
that names cannot contain.
"""

from __future__ import annotations

import datetime as dt
import decimal
from collections.abc import Callable, Mapping
from typing import Any, Final, TypeAlias
from urllib.parse import unquote

from .binding import Binding
from .errors import InvalidValue, short_repr
from .plain import from_plain
from .schema import Field, Node
from .values import optional_of

Partitions: TypeAlias = tuple[str, ...]
"""Names of folders, such as ``year=2024``."""

_NULL: Final = "__HIVE_DEFAULT_PARTITION__"
_FROM_TEXT: Final[Mapping[str, Callable[[str], Any]]] = {
    "boolean": lambda text: {"true": True, "false": False}[text],
    "int": int,
    "long": int,
    "float": float,
    "double": float,
    "string": str,
    "enum": str,
    "date": dt.date.fromisoformat,
    "decimal": decimal.Decimal,
}
"""By logical type, or by kind where a type has none."""


def partition_values(binding: Binding, partitions: Partitions) -> Mapping[str, Any]:
    """The values of partitions, by the names of the root's fields.

    Raises:
        InvalidValue: the folder's text does not fit the field's type, or the type has no text form.
    """
    values: dict[str, Any] = {}
    fields = binding.root.fields
    for folder in partitions:
        name, _, text = map(unquote, folder.partition("="))
        exact = [each for each in fields if name in {each.column, each.name}]
        # Hive writes names in lower case.
        for field in exact or [f for f in fields if f.column.lower() == name.lower()]:
            values[field.name] = _value(binding, field, text)
    return values


def _value(binding: Binding, field: Field, text: str) -> Any:
    node: Node = optional_of(field.node) or field.node
    read = _FROM_TEXT.get(node.logical or node.kind)
    if read is None:
        raise InvalidValue(field.name, "has a type that is not read from the name of a folder")
    try:
        value = None if text == _NULL else read(text)
    except (LookupError, ValueError, ArithmeticError):
        raise InvalidValue(
            field.name,
            f"expected a partition of {node.logical or node.kind}, got {short_repr(text)}",
        ) from None
    return from_plain(binding, field.node, value, field.name)
