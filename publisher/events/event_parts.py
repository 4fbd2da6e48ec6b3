"""Reads one part of an event, as a name or a type, and says what is wrong with it."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final, Self

from publisher.event_formats import Paths
from publisher.events.decoding import MalformedMessage
from publisher.events.messages import Event
from publisher.json_paths import Path

MAX_NAMES: Final = 1_000
"""The limit for the names in one event."""


@dataclass(frozen=True, slots=True)
class Part:
    """A part of events of one format.

    ``word`` names the part in errors. If the format lacks the part, the path is missing.
    """

    word: str
    path: Path | None

    @classmethod
    def of(cls, word: str, paths: Paths) -> Self:
        """The part at these paths. Raises ``InvalidPath`` if a path is invalid."""
        return cls(word, Path.of(*paths) if paths else None)

    def find(self, event: Event) -> Sequence[Any]:
        return () if self.path is None else self.path.find(event)

    def text(self, event: Event) -> str:
        """The text of the part.

        Raises ``MalformedMessage`` if the event does not have exactly one such text.
        """
        return _text(self.word, self._one(event))

    def levels(self, event: Event, separator: str) -> tuple[str, ...]:
        """The levels in the part: the elements of a list, or a text that ``separator`` splits.

        Raises:
            MalformedMessage: the event has no such part, or it is neither a list nor a text.
        """
        value = self._one(event)
        if isinstance(value, list):
            return tuple(_text(f"level of a {self.word}", each) for each in value)
        whole = _text(self.word, value)
        return tuple(whole.split(separator)) if separator else (whole,)

    def texts(self, event: Event) -> Sequence[str]:
        """The texts in the part, which may be one text, a list of texts, or several values.

        Raises:
            MalformedMessage: the event has no text or too many, or a value is not a text.
        """
        found = self.find(event)
        if len(found) == 1 and isinstance(found[0], list):
            if not found[0]:
                raise MalformedMessage(f"expected a {self.word}, got an empty list")
            found = found[0]
        if not found:
            raise self._not_one(0)
        if len(found) > MAX_NAMES:
            raise MalformedMessage(f"the event has more than {MAX_NAMES} names")
        return [_text(self.word, each) for each in found]

    def _one(self, event: Event) -> object:
        found = self.find(event)
        if len(found) != 1:
            raise self._not_one(len(found))
        return found[0]

    def _not_one(self, count: int) -> MalformedMessage:
        if self.path is None:
            return MalformedMessage(f"the format does not say where the {self.word} is")
        got = f"{count} values" if count else "nothing"
        return MalformedMessage(f"expected one {self.word}, got {got} at {self.path}")


def shown(value: object) -> str:
    return f"{json.dumps(value):.80}"


def _text(word: str, value: object) -> str:
    if not isinstance(value, str) or not value:
        raise MalformedMessage(f"expected a {word}, got {shown(value)}")
    return value
