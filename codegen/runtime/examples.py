"""Makes example values of a schema's types. All of them can be written.

They suit tests: short, within ordinary ranges, and the same for an equal seed. Recursion ends
as soon as a type occurs within itself.
"""

from __future__ import annotations

import datetime as dt
import math
import random
import uuid
from collections.abc import Callable
from typing import Any, Final

from . import scalars
from .binding import Binding
from .entries import dict_of_entries
from .errors import AvroError
from .finite import height, heights
from .schema import Node
from .values import from_base

_DAYS: Final = 9_000
"""From 2000-01-01, for dates."""
_FIRST_DAY: Final = dt.date(2000, 1, 1).toordinal() - scalars.EPOCH_DAY
_SECONDS: Final = _DAYS * 86_400
_NANOS_OF_SECOND: Final = 1_000_000_000

_Make = Callable[[random.Random], Any]


def example(binding: Binding, name: str, seed: int) -> Any:
    """A record of the class with this full name.

    Raises:
        AvroError: each record of the class requires another record of it, without end.
    """
    check_finite(binding, name)
    source = random.Random(f"{name} {seed}")  # noqa: S311 - the same again is what is wanted
    return Examples(binding, source).value(binding.nodes[name], "")


def check_finite(binding: Binding, name: str) -> None:
    """Raises ``AvroError`` for a record that requires another record of the same class."""
    if heights(binding)[name] == math.inf:
        raise AvroError(f"each {name} requires another one, so that none has an end")


class Examples:
    """Values drawn from a source of random numbers, only for types that have finite values."""

    def __init__(self, binding: Binding, source: random.Random) -> None:
        self._binding = binding
        self._source = source
        self._heights = heights(binding)
        self._within: list[str] = []

    def value(self, node: Node, field: str) -> Any:
        """An example of a type's value.

        A text begins with ``field``, the name of the value's field.
        """
        source = self._source
        match node.kind:
            case "record":
                return self._binding.classes[node.name](**self.values_of(node))
            case "union":
                return self._of_union(node, field)
            case "array":
                found = self._items(node.items, field)
                return dict_of_entries(found) if node.map_form == "dict" else found
            case "map":
                items = self._items(node.items, field)
                return {f"key {number}": item for number, item in enumerate(items)}
            case "enum":
                return self._binding.classes[node.name](source.choice(node.symbols))
            case "string" if not node.logical:
                return f"{field} {source.randrange(1_000)}".lstrip()
            case _:
                return self._leaf(node)

    def _items(self, node: Node, field: str) -> list[Any]:
        if self._is_recursive(node) or height(node, self._heights) == math.inf:
            return []
        return [self.value(node, field) for _ in range(self._source.randint(1, 2))]

    def values_of(self, record: Node) -> dict[str, Any]:
        """The values of a record, by attribute."""
        self._within.append(record.name)
        attributes = self._binding.attributes[record.name]
        values = {
            attribute: self.value(field.node, field.name)
            for field, attribute in zip(record.fields, attributes, strict=True)
        }
        self._within.pop()
        return values

    def _of_union(self, union: Node, field: str) -> Any:
        """A value of a random branch; recursive branches are avoided, and null even more."""
        branches = list(union.branches)
        self._source.shuffle(branches)
        return self.value(min(branches, key=self._order), field)

    def _order(self, branch: Node) -> tuple[float, bool]:
        nested = height(branch, self._heights)
        return nested if self._is_recursive(
            branch
        ) or nested == math.inf else 0, branch.kind == "null"

    def _is_recursive(self, node: Node) -> bool:
        """Whether a value of the type would contain a value of a type that encloses it."""
        match node.kind:
            case "record":
                return node.name in self._within
            case "array" | "map":
                return self._is_recursive(node.items)
            case "union":
                return all(map(self._is_recursive, node.branches))
            case _:
                return False

    def _leaf(self, node: Node) -> Any:
        source = self._source
        if node.logical == "decimal":
            return scalars.decimal_of_unscaled(
                source.randrange(10 ** min(node.precision, node.scale + 4)), node.scale
            )
        if node.meaning and not node.logical:
            return source.randrange(_SECONDS * _NANOS_OF_SECOND)
        if (node.kind, node.logical) in _BASES:
            base = _BASES[node.kind, node.logical](source)
        else:
            base = source.randbytes(node.size)
        convert = from_base(self._binding, node)
        return base if convert is None else convert(base)


def _moment(per_second: int) -> _Make:
    return lambda source: source.randrange(_SECONDS) * per_second + source.randrange(per_second)


_BASES: Final[dict[tuple[str, str], _Make]] = {
    ("null", ""): lambda _: None,
    ("boolean", ""): lambda source: source.random() < 0.5,
    ("int", ""): lambda source: source.randrange(100_000),
    ("long", ""): lambda source: source.randrange(1_000_000_000),
    # A float of 32 bits represents quarters exactly.
    ("float", ""): lambda source: source.randrange(40_000) / 4,
    ("double", ""): lambda source: source.randrange(1_000_000) / 100,
    ("bytes", ""): lambda source: source.randbytes(8),
    ("int", "date"): lambda source: _FIRST_DAY + source.randrange(_DAYS),
    ("int", "time-millis"): lambda source: source.randrange(86_400_000),
    ("long", "time-micros"): lambda source: source.randrange(86_400_000_000),
    ("long", "timestamp-millis"): _moment(1_000),
    ("long", "timestamp-micros"): _moment(1_000_000),
    ("long", "local-timestamp-millis"): _moment(1_000),
    ("long", "local-timestamp-micros"): _moment(1_000_000),
    ("long", "day-time-interval-micros"): lambda source: source.randrange(_SECONDS * 1_000_000),
    ("string", "uuid"): lambda source: str(uuid.UUID(int=source.getrandbits(128), version=4)),
    ("fixed", "uuid"): lambda source: uuid.UUID(int=source.getrandbits(128), version=4).bytes,
    ("fixed", "duration"): lambda source: scalars.DURATION.pack(
        *(source.randrange(limit) for limit in (24, 31, 86_400_000))
    ),
}
