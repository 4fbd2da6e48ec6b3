"""The formats of a plan and of other reports.

They are separate from their writers, which are slow to import.
"""

from __future__ import annotations

import sys
from enum import Enum


class ReportFormat(Enum):
    TEXT = "text"
    JSON = "json"
    MARKDOWN = "markdown"


class PlanFormat(Enum):
    """The formats of a report, and of pictures."""

    TEXT = "text"
    JSON = "json"
    MARKDOWN = "markdown"
    SVG = "svg"
    DOT = "dot"
    MERMAID = "mermaid"


def default_format(as_json: bool | None) -> ReportFormat:
    """The requested format.

    The default is text on a terminal, and JSON for a pipe or a file.
    """
    as_json = not sys.stdout.isatty() if as_json is None else as_json
    return ReportFormat.JSON if as_json else ReportFormat.TEXT
