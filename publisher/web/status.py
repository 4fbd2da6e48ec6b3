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


@dataclass(frozen=True, slots=True)
class Neighbour:
    """A relation beside another; ``distribution`` is what its package is called if it has one."""

    relation: str
    distribution: str


@dataclass(frozen=True, slots=True)
class RelationSummary:
    """What the daemon knows of a relation beyond its packages.

    Attributes:
        status: the engine's word, such as OK or BROKEN, with its ``reason`` where it is in trouble.
        upstreams: what it reads itself, in order of first mention.
        downstreams: what reads it itself, in order of names.
    """

    status: str
    reason: str
    upstreams: tuple[Neighbour, ...]
    downstreams: tuple[Neighbour, ...]
