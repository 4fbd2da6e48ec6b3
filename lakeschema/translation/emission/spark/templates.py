"""Fills the templates of calls.

``{0}``, ``{1}`` … stand for arguments, ``{*}`` for all, and ``{1*}`` for all but the first.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

_PLACE = re.compile(r"\{([0-9]+|\*|1\*|\*null|w)\}")


def fill(template: str, texts: Sequence[str], suffix: str = "") -> str:
    """The template filled with the arguments; ``{*null}`` tests whether any of them is null.

    ``suffix`` replaces ``{w}`` after each aggregate function: OVER with its window.
    """
    parts = {str(number): text for number, text in enumerate(texts)}
    parts["*"] = ", ".join(texts)
    parts["1*"] = ", ".join(texts[1:])
    parts["*null"] = " OR ".join(f"{text} IS NULL" for text in texts)
    parts["w"] = suffix
    # One pass fills all placeholders, since an argument may contain braces.
    return _PLACE.sub(lambda place: parts[place[1]], template)
