"""Decodes JSON events that only name tables. A format says where the names are. No message raises.

The names keep their letter case unless the catalog folds it.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime
from typing import Final

from lakeschema.catalog.identifiers import Namespace, RelationName, check_parts
from publisher.event_formats import EventFormat
from publisher.events.decoding import Decoded, Heard, MalformedMessage, reason_of
from publisher.events.event_parts import Part, shown
from publisher.events.messages import Event, Message, events_of
from publisher.events.protocol import DeadLetter, NamespaceHint, RelationHint
from publisher.json_paths import Path

_MAX_SECONDS: Final = 1e11
"""The largest number that counts seconds. A larger number, which would be after the year 5000, counts
milliseconds or smaller units."""
_MAX_SHOWN: Final = 60


class NamedEvents:
    """Decodes events of one format. Safe for threads."""

    def __init__(
        self,
        format_: EventFormat,
        *,
        catalog: str = "",
        only_catalog: str = "",
        folds_case: bool = False,
    ) -> None:
        """Parses the paths of the format.

        ``catalog`` is the deployment's catalog that the events concern; "" is the default catalog.
        ``only_catalog`` is the catalog's name in events: other events are ignored. "" accepts all events.

        Raises:
            InvalidPath: a path of the format is invalid.
        """
        self._format = format_
        self._catalog = catalog
        self._only = only_catalog
        self._folds_case = folds_case
        places = format_.places
        self._events = Path.of(*places.events) if places.events else None
        self._type = Part.of("type of event", places.type)
        self._id = Part.of("id", places.id)
        self._time = Part.of("time", places.time)
        self._other_catalog = Part.of("catalog", places.catalog)
        self._namespace = Part.of("namespace", places.namespace)
        self._name = Part.of("name of a relation", places.name)
        self._full_name = Part.of("full name of a relation", places.full_name)
        self._other_namespace = Part.of("other namespace", places.other_namespace)
        self._other_name = Part.of("other name of a relation", places.other_name)
        self._other_full_name = Part.of("other full name of a relation", places.other_full_name)

    def decode(self, message: Message) -> Heard:
        try:
            events = events_of(message, self._events)
        except Exception as error:  # noqa: BLE001 (recorded as the message's failure)
            return Heard.of(DeadLetter(message.body, reason_of(error), None))
        if len(events) == 1:
            return self._heard(events[0], message.body)
        return Heard.together(self._heard(event, None) for event in events)

    def _heard(self, event: object, payload: bytes | None) -> Heard:
        """The hints of an event.

        ``payload`` is the message's bytes; None if the message has several events.
        """
        place: Namespace | None = None
        try:
            fields_ = _object(event)
            if not self._counts(fields_):
                return Heard()
            place = self._place(fields_)
            return Heard.of(self._hints(fields_, place), self._happened_at(fields_))
        except Exception as error:  # noqa: BLE001 (recorded as the event's failure)
            kept = json.dumps(event).encode() if payload is None else payload
            reason = f"{self._label(event)}{reason_of(error)}"
            return Heard.of(DeadLetter(kept, reason, place))

    def _counts(self, event: Event) -> bool:
        kind, chosen = self._type_of(event), self._format
        if _is_one_of(chosen.ignored_types, kind):
            return False
        if chosen.types and not _is_one_of(chosen.types, kind):
            return False
        if not self._only:
            return True
        if chosen.full_names_have_catalog and self._full_name.find(event):
            return True
        return self._other_catalog.text(event) == self._only

    def _type_of(self, event: Event) -> str:
        """The event's type; "" if the format does not need the type."""
        chosen = self._format
        if not (chosen.types or chosen.ignored_types or chosen.namespace_types):
            return ""
        return self._type.text(event)

    def _place(self, event: Event) -> Namespace | None:
        """The event's namespace, valid in the state and in catalogs; None if the event has a full name."""
        if self._full_name.find(event):
            return None
        return self._in_catalog(self._namespace, event)

    def _hints(self, event: Event, place: Namespace | None) -> Decoded:
        if place is not None and _is_one_of(self._format.namespace_types, self._type_of(event)):
            return (NamespaceHint(place),)
        if place is None:
            names = [self._whole(self._full_name, event)]
        else:
            names = [self._relation(place, each) for each in self._name.texts(event)]
        if names == [None]:
            return ()
        found = [*names, *self._other_names(event, place)]
        known = dict.fromkeys(name for name in found if name is not None)
        return tuple(RelationHint(name) for name in known)

    def _other_names(self, event: Event, place: Namespace | None) -> Iterator[RelationName | None]:
        if place is None and self._other_full_name.find(event):
            yield self._whole(self._other_full_name, event)
        elif self._other_name.find(event):
            if self._other_namespace.find(event):
                place = self._in_catalog(self._other_namespace, event)
            if place is None:
                raise MalformedMessage("the other name of the rename has no namespace")
            for each in self._other_name.texts(event):
                yield self._relation(place, each)

    def _levels(self, part: Part, event: Event) -> tuple[str, ...]:
        return self._checked(part.levels(event, self._format.separator))

    def _checked(self, levels: Iterable[str]) -> tuple[str, ...]:
        folded = tuple(level.lower() if self._folds_case else level for level in levels)
        check_parts(folded)
        return folded

    def _in_catalog(self, part: Part, event: Event) -> Namespace:
        return Namespace(self._levels(part, event), self._catalog)

    def _whole(self, part: Part, event: Event) -> RelationName | None:
        """The relation that a full name means; None if it is not in the source's catalog."""
        levels = self._levels(part, event)
        if self._format.full_names_have_catalog:
            first, *rest = levels or ("",)
            if self._only and first != self._checked([self._only])[0]:
                return None
            levels = tuple(rest)
        if not levels:
            raise MalformedMessage(f"expected a {part.word} of more levels")
        return RelationName(levels[:-1], levels[-1], self._catalog)

    def _relation(self, place: Namespace, name: str) -> RelationName:
        return RelationName(place.levels, self._checked([name])[0], place.catalog)

    def _happened_at(self, event: Event) -> float | None:
        """The time of an event in seconds since the epoch.

        The time is only used for metrics, so an unreadable time is no error.
        """
        found = self._time.find(event)
        return read_time(found[0]) if found else None

    def _label(self, event: object) -> str:
        """Words for the event in a reason, with the event's id if it has an id."""
        found = self._id.find(event) if isinstance(event, dict) else ()
        if not found or not isinstance(found[0], str | int):
            return ""
        return f"event {str(found[0]).encode('ascii', 'backslashreplace').decode()[:_MAX_SHOWN]}: "


def read_time(value: object) -> float | None:
    """A time as seconds since the epoch, from ISO 8601 or a number; None for other values.

    A number's size shows whether it counts seconds or a smaller unit.
    """
    if isinstance(value, str):
        try:
            return _of_number(float(value))
        except ValueError:
            return _of_text(value)
    if isinstance(value, int | float) and not isinstance(value, bool):
        try:
            return _of_number(float(value))
        except OverflowError:
            return None
    return None


def _of_text(text: str) -> float | None:
    try:
        found = datetime.fromisoformat(text)
        return _of_number((found if found.tzinfo else found.replace(tzinfo=UTC)).timestamp())
    except (ValueError, OverflowError):
        return None


def _of_number(number: float) -> float | None:
    if not math.isfinite(number) or number <= 0:
        return None
    while number > _MAX_SECONDS:
        number /= 1000
    return number


def _matches(pattern: str, text: str) -> bool:
    """Whether the text is the pattern, in which ``*`` stands for any text; in linear time."""
    first, *rest = pattern.split("*")
    if not rest:
        return text == pattern
    if not text.startswith(first):
        return False
    at = len(first)
    for part in rest[:-1]:
        found = text.find(part, at)
        if found < 0:
            return False
        at = found + len(part)
    return len(text) - at >= len(rest[-1]) and text.endswith(rest[-1])


def _is_one_of(patterns: Sequence[str], text: str) -> bool:
    return any(_matches(each, text) for each in patterns)


def _object(event: object) -> Event:
    if not isinstance(event, dict):
        raise MalformedMessage(f"expected an object, got {shown(event)}")
    return event
