"""The results of decoding events: hints and dead letters. No message raises an error."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

from lakeschema.catalog.errors import MalformedName
from lakeschema.catalog.identifiers import RelationName, check_parts
from publisher.events.protocol import DeadLetter, Hint, NamespaceHint, RelationHint, add_times

Decoded: TypeAlias = tuple[Hint, ...] | DeadLetter
"""The result of decoding one event: its hints, or a dead letter."""


@dataclass(frozen=True, slots=True)
class Heard:
    """The result of decoding a message, which may have several events.

    ``times`` has the time of the oldest event of each relation, in seconds since the epoch, if the events
    have times.
    """

    hints: tuple[Hint, ...] = ()
    dead_letters: tuple[DeadLetter, ...] = ()
    times: Mapping[RelationName, float] = field(default_factory=dict)

    @classmethod
    def of(cls, decoded: Decoded, happened_at: float | None = None) -> Heard:
        if isinstance(decoded, DeadLetter):
            return cls(dead_letters=(decoded,))
        times: dict[RelationName, float] = {}
        if happened_at is not None:
            add_times(times, decoded, happened_at)
        return cls(decoded, (), times)

    @classmethod
    def together(cls, every: Iterable[Heard]) -> Heard:
        hints: list[Hint] = []
        dead_letters: list[DeadLetter] = []
        times: dict[RelationName, float] = {}
        for heard in every:
            hints += heard.hints
            dead_letters += heard.dead_letters
            for name, at in heard.times.items():
                times[name] = min(at, times.get(name, at))
        return cls(tuple(hints), tuple(dead_letters), times)

    @property
    def newest_at(self) -> float | None:
        return max(self.times.values(), default=None)


MAX_MESSAGE_BYTES = 64 * 1024 * 1024
"""The size of the largest message that is decoded. A larger message is an attack or a defect."""

_MAX_REASON_LENGTH = 300


class MalformedMessage(ValueError):
    """The message does not have the format that it states."""


def checked(hints: Iterable[Hint]) -> tuple[Hint, ...]:
    """Returns the hints if all their names are valid in the state and in catalogs.

    Raises:
        MalformedName: a name is invalid.
    """
    every = tuple(hints)
    for hint in every:
        match hint:
            case RelationHint(relation):
                check_parts(relation.parts)
            case NamespaceHint(namespace):
                check_parts(namespace.levels)
    return every


def reason_of(error: Exception) -> str:
    """An error as a reason that the state can store, even if the error quotes the message."""
    text = _in_words(error)[:_MAX_REASON_LENGTH]
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


def _in_words(error: Exception) -> str:
    match error:
        case MalformedMessage() | MalformedName():
            return str(error)
        case json.JSONDecodeError():
            return f"the message is not JSON: {error}"
        case UnicodeDecodeError():
            return f"the message is not UTF-8: {error.reason} at byte {error.start}"
        case RecursionError():
            return "the message is nested too deeply"
        case KeyError():
            return f"the message has no {error}"
        case TypeError() | AttributeError() | IndexError():
            return f"a part of the message has another type than expected: {error}"
        case _:
            return f"the message cannot be read: {error}"
