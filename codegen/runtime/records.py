"""Rarely called methods of records, imported with the first call."""

from __future__ import annotations

import copy
from typing import Any

from .frozen import freeze
from .lazy import UNSET


def replace(given: dict[str, Any]) -> Any:
    """A copy of the record ``self`` with the other given attributes, except those ``UNSET``."""
    return _with(copy.copy(given.pop("self")), given)


def replace_immutable(given: dict[str, Any]) -> Any:
    """``replace`` of an immutable record."""
    record = copy.copy(given.pop("self"))
    return _with(record, {attribute: freeze(value) for attribute, value in given.items()})


def _with(record: Any, given: dict[str, Any]) -> Any:
    for attribute, value in given.items():
        if value is not UNSET:
            object.__setattr__(record, attribute, value)
    return record
