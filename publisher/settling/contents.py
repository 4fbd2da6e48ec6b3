"""Computes the content of a derived relation's package, or why it gets no package."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias


@dataclass(frozen=True, slots=True)
class Packageable:
    """A package's content. ``content_hash`` tells whether the newest version already has it."""

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
    """The way in which packages are built now; if it changes, packages are checked again.

    Attributes:
        options: the settings that apply to every package; "" for the defaults.
        generator: the code that packages contain.
        checks: the checks that may refuse a built package.
    """

    options: str = ""
    generator: str = ""
    checks: str = ""
