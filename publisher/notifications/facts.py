"""The facts that notifications contain, as values. Pure, except that most ids are random."""

from __future__ import annotations

import hashlib
import uuid
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import Final

from publisher.redaction import SECRETS
from publisher.state.records import VersionRecord

MAX_TEXT: Final = 500
_MAX_REASONS: Final = 20
_ID_LENGTH: Final = 32


class Kind(Enum):
    """The kinds of facts. Settings and the state contain their names."""

    MAJOR = "major"
    BROKEN = "broken"
    HELD = "held"
    TEST = "test"


@dataclass(frozen=True, slots=True)
class Fact:
    """An event that receivers are notified of.

    Attributes:
        subject: the name of a relation or a namespace.
        details: JSON values for programs.
    """

    kind: Kind
    subject: str
    details: Mapping[str, object]
    id: str = field(default_factory=lambda: uuid.uuid4().hex)


def major_version(version: VersionRecord) -> Fact:
    """The fact that a major version was published. Its id depends on the version alone."""
    key = f"major\0{version.distribution}\0{version.number}"
    return Fact(
        Kind.MAJOR,
        str(version.relation),
        {
            "package": version.distribution,
            "version": version.number,
            "reasons": [_safe(each) for each in version.reasons[:_MAX_REASONS]],
            "more_reasons": max(0, len(version.reasons) - _MAX_REASONS),
        },
        hashlib.sha256(key.encode()).hexdigest()[:_ID_LENGTH],
    )


def broken(relation: str, status: str, reason: str) -> Fact:
    """The fact that a relation can no longer be derived."""
    return Fact(Kind.BROKEN, relation, {"status": status, "reason": _safe(reason)})


def held_deletions(namespace: str, reason: str, command: str) -> Fact:
    """The fact that the service holds deletions back.

    Args:
        namespace: "" for the whole catalog.
        reason: why they are held.
        command: the command that permits the deletions.
    """
    return Fact(Kind.HELD, namespace, {"reason": _safe(reason), "command": command})


def trial() -> Fact:
    return Fact(Kind.TEST, "", {})


def _safe(text: str) -> str:
    return SECRETS.redact(text)[:MAX_TEXT]
