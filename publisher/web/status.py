"""What the daemon tells the web of itself: values only, made by whoever runs the engine."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType


@dataclass(frozen=True, slots=True)
class RelationStatus:
    """One line of the dashboard. ``status`` is the engine's word, such as OK or BROKEN."""

    relation: str
    status: str
    reason: str = ""
    distribution: str | None = None
    version: str | None = None


@dataclass(frozen=True, slots=True)
class Status:
    """A moment of the daemon.

    Attributes:
        live: False if only a restart can help.
        ready: False while it cannot do its work; ``reason`` says why.
        figures: counts shown to people, in this order.
        relations: those worth a line, the troubled first.
    """

    live: bool = True
    ready: bool = True
    reason: str = ""
    figures: Mapping[str, int | str] = field(default_factory=lambda: MappingProxyType({}))
    relations: tuple[RelationStatus, ...] = ()
