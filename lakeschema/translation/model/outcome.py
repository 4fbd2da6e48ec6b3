"""How a derivation ended. Batches, views, plans, the Spark job and the daemon use these values."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum
from typing import TypeAlias

from lakeschema.translation.model.errors import (
    Broken,
    DefinedByItself,
    TranslationError,
    UnreachableSchema,
)
from lakeschema.translation.model.interface import Derivation


class Status(Enum):
    """The state of a relation's derivation. The values are stored and shown to users."""

    UNKNOWN = "UNKNOWN"
    """A view names the relation, but the relation has not been read yet."""
    OK = "OK"
    BROKEN = "BROKEN"
    """The relation's engine would refuse the relation, or an upstream cannot be derived."""
    UNSUPPORTED = "UNSUPPORTED"
    UNREACHABLE = "UNREACHABLE"
    """The relation's schema is in separate files, which cannot be read."""
    CYCLE = "CYCLE"
    MISSING = "MISSING"
    """The catalog has no such relation: it was dropped, or never created."""
    QUARANTINED = "QUARANTINED"
    """The relation's derivation crashed its process repeatedly."""


@dataclass(frozen=True, slots=True)
class Derived:
    derivation: Derivation


@dataclass(frozen=True, slots=True)
class Failed:
    """A derivation without a result. ``reason`` is for people, with the hint if there is one.

    Attributes:
        status: BROKEN, UNSUPPORTED, UNREACHABLE, CYCLE or QUARANTINED.
        error: the exception; None if the derivation ran in another process.
    """

    status: Status
    reason: str
    error: TranslationError | None = field(default=None, compare=False, repr=False)


Outcome: TypeAlias = Derived | Failed


def failure(error: TranslationError) -> Failed:
    hint = f" ({error.hint})" if error.hint else ""
    return Failed(status_of(error), f"{error}{hint}", error)


def status_of(error: TranslationError) -> Status:
    match error:
        case DefinedByItself():
            return Status.CYCLE
        case Broken():
            return Status.BROKEN
        case UnreachableSchema():
            return Status.UNREACHABLE
        case _:
            return Status.UNSUPPORTED
