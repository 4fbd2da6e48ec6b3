"""What methods of records do that few programs call, imported with the first call."""

from __future__ import annotations

import copy
from typing import Any

from .lazy import UNSET


def replaced(given: dict[str, Any]) -> Any:
    """A copy of the record ``self`` with what else is given; what is ``UNSET`` stays."""
    record = copy.copy(given.pop("self"))
    for attribute, value in given.items():
        if value is not UNSET:
            object.__setattr__(record, attribute, value)
    return record
