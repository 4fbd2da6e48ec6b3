"""Records facts for their receivers, in the transaction that writes the change itself."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from publisher.notifications.facts import Fact, Kind
from publisher.state.protocol import Transaction
from publisher.state.records import NoticeRecord


@dataclass(frozen=True, slots=True)
class Interest:
    receiver: str
    kinds: frozenset[Kind]


class Notices:
    """Records facts for the receivers that want them. Without receivers it does not use the state."""

    def __init__(
        self, interests: Sequence[Interest] = (), wall: Callable[[], float] = time.time
    ) -> None:
        self._interests = tuple(interests)
        self._wanted = frozenset(kind for each in interests for kind in each.kinds)
        self._wall = wall

    def wants(self, kind: Kind) -> bool:
        return kind in self._wanted

    def record(self, tx: Transaction, facts: Iterable[Fact], now: float) -> None:
        """Records facts, unless their id is known. ``now`` is a time on the engine's clock."""
        rows = [
            NoticeRecord(
                interest.receiver,
                fact.id,
                fact.kind.value,
                fact.subject,
                json.dumps(fact.details),
                self._wall(),
                now,
            )
            for fact in facts
            if self.wants(fact.kind)
            for interest in self._interests
            if fact.kind in interest.kinds
        ]
        if rows:
            tx.outbox.add(rows)


NO_NOTICES: Final = Notices()
