"""The content of one message before it is written in a receiver's format: facts and owners."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from publisher.notifications.facts import Kind
from publisher.state.records import NoticeRecord

MAX_LISTED: Final = 1000
"""How many facts a digest lists for programs; its counts include all facts."""


@dataclass(frozen=True, slots=True)
class Told:
    """A fact in a message.

    Attributes:
        owner: "" if unknown.
        page: the address of the package's page, or "".
    """

    id: str
    kind: Kind
    subject: str
    details: Mapping[str, Any]
    happened_at: float
    owner: str = ""
    page: str = ""


@dataclass(frozen=True, slots=True)
class Message:
    """A message to one receiver.

    Attributes:
        id: the same at each attempt.
        source: the name of the deployment.
    """

    id: str
    source: str
    facts: Sequence[Told]

    @property
    def is_digest(self) -> bool:
        return len(self.facts) > 1

    def counts(self) -> Mapping[Kind, int]:
        return Counter(fact.kind for fact in self.facts)


def told(notice: NoticeRecord, owner: str, pages: str) -> Told:
    """The notice as a fact in a message.

    Args:
        notice: the stored fact.
        owner: "" if unknown.
        pages: the address that the addresses of packages' pages begin with, or "".
    """
    details = json.loads(notice.details)
    package = details.get("package")
    page = f"{pages}/packages/{package}" if pages and package else ""
    return Told(
        notice.id, Kind(notice.kind), notice.subject, details, notice.happened_at, owner, page
    )
