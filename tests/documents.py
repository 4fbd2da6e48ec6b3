"""Parts of our documents."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).parents[1]


def blocks(text: str, language: str) -> list[str]:
    return re.findall(rf"(?ms)^```{language}\n(.*?)^```$", text)


def section(text: str, title: str) -> str:
    """From the heading to the next one. The document's title is none, since comments look like it."""
    _, found = re.split(rf"(?m)^##+ {re.escape(title)}.*$", text, maxsplit=1)
    return re.split(r"(?m)^##+ ", found, maxsplit=1)[0]
