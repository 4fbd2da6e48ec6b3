"""Reads a view's ``dependencies``: coordinates of the artifacts that hold its functions' classes.

Coordinates are data: neither this module nor its callers fetch or load the artifacts.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

MAX_LENGTH = 1000
"""The maximum length of one dependency, in characters; a longer dependency is malformed."""

_PART = r"[A-Za-z0-9][A-Za-z0-9._+-]*"
_PARAMETER = r"[A-Za-z]+=[A-Za-z0-9._:,*+-]*"
_ARTIFACT = re.compile(
    rf"(?:ivy://)?({_PART}):({_PART}):({_PART})(?:\?({_PARAMETER}(?:&{_PARAMETER})*))?"
)
_BLANKS = re.compile(r"[\s;]+")
_EXCLUDED = re.compile(r"[^:/?&=]+:[^:/?&=]+(?:&.*)?")


@dataclass(frozen=True, slots=True, order=True)
class Artifact:
    """An artifact. ``query`` has the parameters of an Ivy address (``transitive=false``), or ""."""

    organisation: str
    module: str
    version: str
    query: str = ""

    @property
    def coordinates(self) -> str:
        return f"{self.organisation}:{self.module}:{self.version}"

    def __str__(self) -> str:
        """The text in the form that Hive's and Spark's ``ADD JAR`` take."""
        return f"ivy://{self.coordinates}{'?' if self.query else ''}{self.query}"


def parse_artifact(text: str) -> Artifact | None:
    """Parses ``organisation:module:version``; ``ivy://`` may precede it, ``?key=value&…`` may follow."""
    found = _ARTIFACT.fullmatch(text) if len(text) <= MAX_LENGTH else None
    return None if found is None else Artifact(found[1], found[2], found[3], found[4] or "")


def split_dependencies(text: str) -> tuple[str, ...]:
    """The distinct entries of the property, including malformed entries. Spaces or commas separate them.

    A comma inside ``exclude=org:module,org:module`` does not separate entries.
    """
    entries: dict[str, None] = {}
    for word in _BLANKS.split(text):
        pieces: list[str] = []
        is_excluding = False
        for piece in word.split(","):
            if is_excluding and _EXCLUDED.fullmatch(piece):
                is_excluding = "&" not in piece or _ends_in_exclude(piece)
            else:
                entries[",".join(pieces)] = None
                pieces = []
                is_excluding = _ends_in_exclude(piece)
            pieces.append(piece)
        entries[",".join(pieces)] = None
    entries.pop("", None)
    return tuple(entries)


def _ends_in_exclude(piece: str) -> bool:
    """Whether the last parameter is ``exclude``, so that text after a comma may belong to it.

    The text is untrusted: the time must be linear in its length.
    """
    _, separator, last = piece.rpartition("&")
    return "?exclude=" in last or (separator == "&" and last.startswith("exclude="))
