"""The formats of a plan; separate from their writers, because the command line needs them earlier."""

from __future__ import annotations

import sys
from enum import Enum


class PlanFormat(Enum):
    TEXT = "text"
    JSON = "json"
    MARKDOWN = "markdown"


def chosen_format(stated: PlanFormat | None, as_json: bool | None) -> PlanFormat:
    """The stated format, or by default text on a terminal and JSON for a pipe or a file."""
    if stated is not None:
        return stated
    as_json = not sys.stdout.isatty() if as_json is None else as_json
    return PlanFormat.JSON if as_json else PlanFormat.TEXT
