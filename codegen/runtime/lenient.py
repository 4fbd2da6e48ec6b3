"""Reads a web framework's form of a record: plain values, parsed JSON, or a mixture.

It finds all faults, each with the steps that lead to it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final

from .binding import Binding
from .entries import dict_of_entries
from .errors import InvalidValue, short_repr
from .json_text import part_reader
from .plain import from_default, from_plain
from .schema import Node
from .values import optional_of

Step = str | int
Steps = tuple[Step, ...]

_STEP: Final = re.compile(r"\[(\d+)\]|\['(.*?)'\]|([^.\[\]]+)")


class Fault:
    """A fault: ``kind`` is "missing", "unexpected" or "invalid"; ``value`` is the given value."""

    __slots__ = ("kind", "reason", "steps", "value")

    def __init__(self, kind: str, steps: Steps, reason: str, value: Any) -> None:
        self.kind = kind
        self.steps = steps
        self.reason = reason
        self.value = value


def read_leniently(
    binding: Binding, node: Node, value: Any, *, is_json: bool
) -> tuple[Any, list[Fault]]:
    """The record and its faults; the record is valid only if there are no faults.

    Text is read in its JSON form if the type is not text. With ``is_json``, every value is JSON.
    """
    reading = _Reading(binding, is_json=is_json)
    try:
        return reading.read(node, value, ()), reading.faults
    except RecursionError:
        deep = "the value is nested too deeply, or contains itself"
        return None, [Fault("invalid", (), deep, None)]


def faults_of(error: InvalidValue, steps: Steps, value: Any) -> list[Fault]:
    """The faults of an error, with ``steps`` in front of their paths."""
    return [
        Fault("invalid", (*steps, *_steps(fault.path)), fault.reason, value)
        for fault in error.faults
    ]


def _steps(path: str) -> Steps:
    return tuple(int(index) if index else key or name for index, key, name in _STEP.findall(path))


class _Reading:
    def __init__(self, binding: Binding, *, is_json: bool) -> None:
        self.faults: list[Fault] = []
        self._binding = binding
        self._is_json = is_json

    def read(self, node: Node, value: Any, steps: Steps) -> Any:
        match node.kind:
            case "record":
                return self._record(node, value, steps)
            case "array" if isinstance(value, (list, tuple)):
                items = [self.read(node.items, v, (*steps, i)) for i, v in enumerate(value)]
                return (
                    dict_of_entries(items) if node.map_form == "dict" and not self.faults else items
                )
            case "map" if isinstance(value, dict) and all(isinstance(key, str) for key in value):
                return {key: self.read(node.items, v, (*steps, key)) for key, v in value.items()}
            case "union" if (branch := optional_of(node)) is not None:
                return None if value is None else self.read(branch, value, steps)
            case _:
                return self._whole(node, value, steps)

    def _record(self, node: Node, value: Any, steps: Steps) -> Any:
        binding = self._binding
        class_ = binding.classes[node.name]
        if not isinstance(value, Mapping):
            return self._whole(node, value, steps)
        record: Any = object.__new__(class_)
        for field, attribute in zip(node.fields, binding.attributes[node.name], strict=True):
            inner = (*steps, field.name)
            if field.name in value:
                binding.put(record, attribute, self.read(field.node, value[field.name], inner))
            elif field.has_default:
                binding.put(record, attribute, from_default(binding, field.node, field.default))
            else:
                self.faults.append(Fault("missing", inner, "is missing", value))
        names = {field.name for field in node.fields}
        for key in value:
            if key not in names and key != "-type":
                reason = f"unknown field {short_repr(key)} of {class_.__name__}"
                self.faults.append(Fault("unexpected", (*steps, str(key)), reason, value[key]))
        return record

    def _whole(self, node: Node, value: Any, steps: Steps) -> Any:
        """Reads a leaf, a union or a misshapen value, with all its parts, by a single reader."""
        if not self._is_json:
            try:
                return from_plain(self._binding, node, value, "")
            except InvalidValue as error:
                found = error
        try:
            return part_reader(self._binding, node)(value)
        except InvalidValue as error:
            # For text, the error of the JSON form says what the text should look like.
            told = error if self._is_json or isinstance(value, str) else found
            self.faults += faults_of(told, steps, value)
            return None
