"""What the package of a derived relation would contain, or why it gets none."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias


@dataclass(frozen=True, slots=True)
class Packageable:
    """``content_hash`` tells whether the newest version already has this content."""

    content_hash: str


@dataclass(frozen=True, slots=True)
class Withheld:
    """The settings, or the relation's own property, exclude it from publication."""


@dataclass(frozen=True, slots=True)
class Unfit:
    """It was derived, but the generator cannot package its schema."""

    reason: str


Content: TypeAlias = Packageable | Withheld | Unfit


@dataclass(frozen=True, slots=True)
class BuildKeys:
    """Identify how packages are built now: a change causes packages to be checked again.

    Attributes:
        options: the settings that apply to every package; "" for the defaults.
        generator: the code that packages contain.
        checks: what may refuse a package that was built.
    """

    options: str = ""
    generator: str = ""
    checks: str = ""
