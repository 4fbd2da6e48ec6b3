"""Hypothesis strategies for a package's records: every value can be written, and reads back equal.

NaN is left out, since it does not equal itself. Hypothesis is imported with the first strategy.
"""

from __future__ import annotations

import datetime as dt
import functools
import importlib
import math
import random
from collections.abc import Callable, Mapping
from typing import Any, Final

from . import scalars
from .binding import Binding
from .entries import dict_of_entries
from .examples import Examples, check_finite
from .finite import height, heights
from .lazy import home_of
from .schema import Node
from .values import from_base
from .varints import INT_MAX, INT_MIN, LONG_MAX, LONG_MIN

_MAX_DRAWN: Final = 30
"""Fields of a record that are drawn; the others of a wider one have an example's values."""
_MAX_BYTES: Final = 64
"""Of a longer fixed value, the rest is zeros."""


def records_of(binding: Binding, record_class: type) -> Any:
    """The strategy of a class of the package.

    Raises:
        AvroError: each record of the class requires another record of it, without end.
        TypeError: ``record_class`` is not a class of the package's records.
    """
    for name, known in binding.classes.items():
        if known is record_class and name in binding.attributes:
            check_finite(binding, name)
            return _strategies(binding).of(binding.nodes[name])
    raise TypeError(f"expected a class of records of {binding.root.name}, got {record_class!r}")


def strategy_of_attribute(record_class: type, attribute: str) -> Any:
    """The strategy for an attribute's values, made at the first draw."""
    binding, name = home_of(record_class)
    fields = dict(zip(binding.attributes[name], binding.nodes[name].fields, strict=True))
    made = _strategies(binding)
    return importlib.import_module("hypothesis.strategies").deferred(
        lambda: made.of(fields[attribute].node)
    )


@functools.cache
def _strategies(binding: Binding) -> _Strategies:
    # Only Hypothesis's users call this, so it is installed.
    return _Strategies(binding, importlib.import_module("hypothesis.strategies"))


class _Strategies:
    def __init__(self, binding: Binding, strategies: Any) -> None:
        self._binding = binding
        self._st = strategies
        self._heights = heights(binding)
        self._made: dict[str, Any] = {}
        self._leaves = _leaves(strategies)

    def of(self, node: Node) -> Any:
        match node.kind:
            case "record":
                if node.name not in self._made:
                    # Stored before the fields are made, because a field may have the same type.
                    self._made[node.name] = self._st.deferred(lambda: self._record(node))
                return self._made[node.name]
            case "union":
                return self._union(node)
            case "array":
                found = self._st.lists(self._items(node), max_size=self._size(node))
                return found.map(dict_of_entries) if node.map_form == "dict" else found
            case "map":
                items = self._items(node)
                return self._st.dictionaries(self._st.text(), items, max_size=self._size(node))
            case "enum":
                members: Any = self._binding.classes[node.name]
                return self._st.sampled_from([*members])
            case _:
                return self._leaf(node)

    def _items(self, node: Node) -> Any:
        return self.of(node.items) if self._size(node) else self._st.nothing()

    def _size(self, node: Node) -> int:
        if height(node.items, self._heights) == math.inf:
            return 0
        return 3 if node.items.kind in {"record", "array", "map"} else 8

    def _record(self, node: Node) -> Any:
        attributes = self._binding.attributes[node.name]
        fields = {
            attribute: self.of(field.node)
            for field, attribute in zip(node.fields, attributes, strict=True)
        }
        made = self._binding.classes[node.name]
        if len(fields) <= _MAX_DRAWN:
            return self._st.builds(made, **fields)
        return self._st.composite(lambda draw: made(**self._some(draw, node, fields)))()

    def _some(
        self, draw: Callable[[Any], Any], node: Node, fields: Mapping[str, Any]
    ) -> dict[str, Any]:
        """Values of all fields. Only some are drawn, because Hypothesis limits an example's size."""
        st = self._st
        seed = draw(st.integers(0, 99))
        values = Examples(self._binding, random.Random(seed)).values_of(node)  # noqa: S311 - as above
        names = draw(st.lists(st.sampled_from([*fields]), unique=True, max_size=_MAX_DRAWN))
        return {**values, **{name: draw(fields[name]) for name in names}}

    def _union(self, union: Node) -> Any:
        finite = [b for b in union.branches if height(b, self._heights) < math.inf]
        # Hypothesis shrinks towards the first branch.
        finite.sort(key=lambda branch: branch.kind != "null")
        return self._st.one_of([self.of(branch) for branch in finite])

    def _leaf(self, node: Node) -> Any:
        if node.logical == "decimal":
            most = 10**node.precision - 1
            return self._st.integers(-most, most).map(
                lambda unscaled: scalars.decimal_of_unscaled(unscaled, node.scale)
            )
        if (node.kind, node.logical) in self._leaves:
            return self._leaves[node.kind, node.logical]
        size = min(node.size, _MAX_BYTES)
        convert = from_base(self._binding, node) or bytes
        return self._st.binary(min_size=size, max_size=size).map(
            lambda data: convert(data.ljust(node.size, b"\0"))
        )


def _leaves(st: Any) -> dict[tuple[str, str], Any]:
    instants, local = st.datetimes(timezones=st.just(dt.UTC)), st.datetimes()
    unsigned = st.integers(0, scalars.UNSIGNED_INT_MAX)
    return {
        ("null", ""): st.none(),
        ("boolean", ""): st.booleans(),
        ("int", ""): st.integers(INT_MIN, INT_MAX),
        ("long", ""): st.integers(LONG_MIN, LONG_MAX),
        ("float", ""): st.floats(width=32, allow_nan=False),
        ("double", ""): st.floats(allow_nan=False),
        ("bytes", ""): st.binary(),
        ("string", ""): st.text(),
        ("int", "date"): st.dates(),
        ("int", "time-millis"): st.times().map(_whole_millis),
        ("long", "time-micros"): st.times(),
        ("long", "timestamp-millis"): instants.map(_whole_millis),
        ("long", "timestamp-micros"): instants,
        ("long", "local-timestamp-millis"): local.map(_whole_millis),
        ("long", "local-timestamp-micros"): local,
        ("long", "day-time-interval-micros"): st.integers(LONG_MIN, LONG_MAX).map(
            scalars.interval_from_micros
        ),
        ("string", "uuid"): st.uuids(),
        ("fixed", "uuid"): st.uuids(),
        ("fixed", "duration"): st.builds(
            scalars.Duration, months=unsigned, days=unsigned, milliseconds=unsigned
        ),
    }


def _whole_millis(value: Any) -> Any:
    return value.replace(microsecond=value.microsecond // 1000 * 1000)
