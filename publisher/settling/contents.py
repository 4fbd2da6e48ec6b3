"""What the package of a derived relation would contain, or why it gets none."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias


@dataclass(frozen=True, slots=True)
class Packageable:
    """``content_hash`` tells whether the newest version says it already."""

    content_hash: str


@dataclass(frozen=True, slots=True)
class Withheld:
    """The settings, or the relation's own property, want no package of it."""


@dataclass(frozen=True, slots=True)
class Unfit:
    """It was derived, and the generator cannot make a package of its schema."""

    reason: str


Content: TypeAlias = Packageable | Withheld | Unfit


@dataclass(frozen=True, slots=True)
class BuildKeys:
    """By what packages are made now: a change has packages looked at again.

    Attributes:
        options: what the settings choose for every package alike; "" where they choose nothing.
        generator: which code writes them.
    """

    options: str = ""
    generator: str = ""
