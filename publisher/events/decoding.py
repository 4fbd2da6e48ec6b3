"""The answer of every decoder of events: hints, or a dead letter; no message raises an error."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import TypeAlias

from lakeschema.catalog.errors import MalformedName
from lakeschema.catalog.identifiers import check_parts
from publisher.events.protocol import DeadLetter, Hint, NamespaceHint, RelationHint

Decoded: TypeAlias = tuple[Hint, ...] | DeadLetter

MAX_MESSAGE_BYTES = 64 * 1024 * 1024
"""A larger message is not decoded: it is an attack or a defect."""

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
                check_parts(namespace)
    return every


def reason_of(error: Exception) -> str:
    """A reason that can be stored, even if it quotes the message."""
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
