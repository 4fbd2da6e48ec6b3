"""How a plan can be shown: apart from what shows it, for the command line is read before that."""

from __future__ import annotations

from enum import Enum


class PlanFormat(Enum):
    """How ``plan`` shows what it found."""

    TEXT = "text"
    JSON = "json"
    MARKDOWN = "markdown"
