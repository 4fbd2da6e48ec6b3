"""Where two records differ: nowhere if, and only if, they are equal."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

from .binding import Binding
from .lazy import ABSENT

Difference: TypeAlias = tuple[str, Any, Any]
"""A path, such as ``lines[2].price``, with the values there, left and right."""


def differences(binding: Binding, left: Any, right: Any) -> list[Difference]:
    """The differences, in the order of the schema's fields, lists' indexes and the left map's keys.

    The path "" is the whole record; ``ABSENT`` stands for an item that one side lacks.
    """
    comparison = _Comparison(binding)
    comparison.compare("", left, right)
    return comparison.found


class _Comparison:
    def __init__(self, binding: Binding) -> None:
        self.found: list[Difference] = []
        self._fields: Mapping[type, Sequence[tuple[str, str]]] = {
            binding.classes[name]: [
                (field.name, attribute)
                for field, attribute in zip(binding.nodes[name].fields, attributes, strict=True)
            ]
            for name, attributes in binding.attributes.items()
        }

    def compare(self, path: str, left: Any, right: Any) -> None:
        kind = type(left)
        if kind is not type(right):
            self._whole(path, left, right)
        elif kind in self._fields:
            for field, attribute in self._fields[kind]:
                inner = f"{path}.{field}" if path else field
                self.compare(inner, getattr(left, attribute), getattr(right, attribute))
        elif issubclass(kind, (list, tuple)):
            self._lists(path, left, right)
        elif issubclass(kind, dict):
            self._dicts(path, left, right)
        else:
            self._whole(path, left, right)

    def _whole(self, path: str, left: Any, right: Any) -> None:
        # Not ``!=``: the docstring promises something about ``==``.
        if not left == right:  # noqa: SIM201
            self.found.append((path, left, right))

    def _lists(self, path: str, left: Sequence[Any], right: Sequence[Any]) -> None:
        for index in range(max(len(left), len(right))):
            self._items(
                f"{path}[{index}]",
                left[index] if index < len(left) else ABSENT,
                right[index] if index < len(right) else ABSENT,
            )

    def _dicts(self, path: str, left: Mapping[Any, Any], right: Mapping[Any, Any]) -> None:
        for key in (*left, *(key for key in right if key not in left)):
            self._items(f"{path}[{key!r}]", left.get(key, ABSENT), right.get(key, ABSENT))

    def _items(self, path: str, left: Any, right: Any) -> None:
        # Inside lists and dicts, Python treats an object as equal to itself, even NaN.
        if left is not right:
            self.compare(path, left, right)
