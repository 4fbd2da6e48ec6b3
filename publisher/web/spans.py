"""Sentences with names of code between backticks, as spans for a template."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

_CODE: Final = re.compile(r"`([^`]{1,200})`")


@dataclass(frozen=True, slots=True)
class Span:
    """A part of a sentence."""

    text: str
    is_code: bool


def spans(sentence: str) -> tuple[Span, ...]:
    """Marks texts between backticks as code."""
    pieces = _CODE.split(sentence)
    return tuple(Span(text, is_code=i % 2 == 1) for i, text in enumerate(pieces) if text)
