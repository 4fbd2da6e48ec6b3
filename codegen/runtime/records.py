"""What methods of records do that few programs call, imported with the first call."""

from __future__ import annotations

import copy
from typing import Any

from .frozen import frozen
from .lazy import UNSET


def replaced(given: dict[str, Any]) -> Any:
    """A copy of the record ``self`` with what else is given; what is ``UNSET`` stays."""
    return _with(copy.copy(given.pop("self")), given)


def replaced_immutable(given: dict[str, Any]) -> Any:
    """``replaced`` of a record whose values do not change."""
    record = copy.copy(given.pop("self"))
    return _with(record, {attribute: frozen(value) for attribute, value in given.items()})


def _with(record: Any, given: dict[str, Any]) -> Any:
    for attribute, value in given.items():
        if value is not UNSET:
            object.__setattr__(record, attribute, value)
    return record
