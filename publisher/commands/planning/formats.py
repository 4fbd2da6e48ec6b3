"""How a plan can be shown: apart from what shows it, for the command line is read before that."""

from __future__ import annotations

import sys
from enum import Enum


class PlanFormat(Enum):
    """How ``plan`` and ``impact`` show what they found."""

    TEXT = "text"
    JSON = "json"
    MARKDOWN = "markdown"


def chosen_format(stated: PlanFormat | None, as_json: bool | None) -> PlanFormat:
    """By default text where a person reads, and JSON for a pipe or a file."""
    if stated is not None:
        return stated
    as_json = not sys.stdout.isatty() if as_json is None else as_json
    return PlanFormat.JSON if as_json else PlanFormat.TEXT
