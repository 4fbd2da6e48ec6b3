"""Sends notices. Each receiver has a thread, so that no other work waits for a slow receiver."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Final, Protocol, TypeAlias

from lakeschema.catalog.errors import CatalogError
from lakeschema.catalog.identifiers import RelationName
from publisher.notifications.facts import Kind
from publisher.notifications.messages import Message, Told, told
from publisher.notifications.pacing import Pace, claim_message, is_due
from publisher.notifications.posting import Accepted, NotAccepted, Posted
from publisher.outages import Outages
from publisher.runtime import Runtime
from publisher.state.protocol import StateUnavailable, Transaction
from publisher.state.records import MessageRecord, NoticeRecord

log = logging.getLogger(__name__)

OwnersOf: TypeAlias = Callable[[Sequence[RelationName]], Mapping[RelationName, str]]
"""Returns the owners of relations. Raises ``CatalogError`` if a catalog does not answer."""

_POLL_SECONDS: Final = 1.0
_FIRST_PAUSE_SECONDS: Final = 5.0
_MAX_PAUSE_SECONDS: Final = 3600.0
_MAX_REFUSALS: Final = 5
"""The limit of attempts for a message that the receiver refuses, if it may accept other messages."""
_NAMES_AT_ONCE: Final = 500
_KEPT_SECONDS: Final = 86_400.0
"""How long ended messages are kept for the pace; the longest window of a pace."""
_ENDING_SECONDS: Final = 2.0


class Channel(Protocol):
    """Writes messages in a receiver's format, and sends them."""

    def compose(self, message: Message) -> bytes: ...

    def send(self, id_: str, body: bytes) -> Posted: ...


@dataclass(frozen=True, slots=True)
class Receiver:
    """A receiver. It gets facts about relations of these ``owners`` only; if empty, about all relations."""

    name: str
    channel: Channel
    pace: Pace
    owners: frozenset[str]
    give_up_after_seconds: float


@dataclass(frozen=True, slots=True)
class Deployment:
    """The deployment that sends.

    Attributes:
        source: the deployment's name.
        pages: the address that the addresses of packages' pages begin with, or "".
        owners_of: finds the owners of relations.
    """

    source: str
    pages: str
    owners_of: OwnersOf


class Sender:
    """Sends to one receiver. Several processes may send to it: a process claims each attempt."""

    def __init__(
        self, runtime: Runtime, receiver: Receiver, deployment: Deployment, outages: Outages
    ) -> None:
        """Pass separate ``outages``: the service is ready even if a receiver fails."""
        self._state = runtime.state
        self._clock = runtime.clock
        self._counters = runtime.counters
        self._receiver = receiver
        self._deployment = deployment
        self._outages = outages

    def turn(self) -> bool:
        """Makes one attempt if one is due; returns whether it did.

        After a crash during the attempt, the message is sent again.
        """
        receiver, now = self._receiver, self._clock.now()
        if not self._state.read(lambda tx: is_due(tx.outbox, receiver.name, receiver.pace, now)):
            return False
        message = self._state.write(
            lambda tx: claim_message(tx.outbox, receiver.name, receiver.pace, now)
        )
        if message is None:
            return False
        try:
            composed = self._composed(message)
        except CatalogError:
            self._record(
                message, NotAccepted("the owners of relations are unknown: a catalog fails")
            )
            return True
        if composed is None:
            self._state.write(lambda tx: tx.outbox.withdraw(message))
        else:
            assert composed.body is not None
            posted = receiver.channel.send(composed.id, composed.body.encode())
            self._record(composed, posted)
        return True

    def _composed(self, message: MessageRecord) -> MessageRecord | None:
        """The message with its body; None if it has no fact that this receiver wants.

        Raises:
            CatalogError: the owners are unknown, so it is unclear which facts the receiver wants.
        """
        if message.body is not None:
            return message
        notices = self._state.read(lambda tx: tx.outbox.notices_of(message))
        facts = self._told(notices)
        if not facts:
            return None
        body = self._receiver.channel.compose(Message(message.id, self._deployment.source, facts))
        composed = replace(message, body=body.decode())
        self._state.write(lambda tx: tx.outbox.write_message(composed))
        return composed

    def _told(self, notices: Sequence[NoticeRecord]) -> Sequence[Told]:
        owners = self._owners(notices)
        facts = [told(each, owners.get(each.id, ""), self._deployment.pages) for each in notices]
        wanted = self._receiver.owners
        return [fact for fact in facts if not wanted or fact.owner in wanted]

    def _owners(self, notices: Sequence[NoticeRecord]) -> Mapping[str, str]:
        """The owner of each notice's relation, by the notice's id."""
        names = {
            each.id: RelationName.from_key(each.subject)
            for each in notices
            if Kind(each.kind) in {Kind.MAJOR, Kind.BROKEN}
        }
        asked = sorted(set(names.values()))
        owners: dict[RelationName, str] = {}
        try:
            for start in range(0, len(asked), _NAMES_AT_ONCE):
                owners |= self._deployment.owners_of(asked[start : start + _NAMES_AT_ONCE])
        except CatalogError:
            if self._receiver.owners:
                raise
        return {id_: owners[name] for id_, name in names.items() if name in owners}

    def _record(self, message: MessageRecord, posted: Posted) -> None:
        now, name = self._clock.now(), self._receiver.name
        match posted:
            case Accepted():
                self._counters.add("notifications_sent")
                self._outages.succeed(_service(name))
                self._state.write(partial(_end, message=message, now=now))
            case NotAccepted() as refused:
                self._counters.add("notification_failures")
                remedy = f"schema-publisher notify-test {name}"
                self._outages.fail(_service(name), refused.why, remedy)
                self._retry_or_drop(message, refused, now)

    def _retry_or_drop(self, message: MessageRecord, refused: NotAccepted, now: float) -> None:
        pause = max(pause_seconds(message.attempts), refused.after_seconds)
        next_at = now + min(pause, _MAX_PAUSE_SECONDS)
        is_hopeless = refused.is_refusal and message.attempts >= _MAX_REFUSALS
        if is_hopeless or next_at - message.started_at > self._receiver.give_up_after_seconds:
            if self._state.write(partial(_end, message=message, now=now)):
                self._counters.add("notifications_dropped")
                fields = {"receiver": self._receiver.name, "id": message.id}
                why = {"why": refused.why, "attempts": message.attempts}
                log.error("notification dropped", extra={**fields, **why})
            return
        later = replace(message, not_before=next_at)
        self._state.write(lambda tx: tx.outbox.write_message(later))


def _end(tx: Transaction, *, message: MessageRecord, now: float) -> bool:
    tx.outbox.forget_ended(now - _KEPT_SECONDS)
    return tx.outbox.end(message, now)


def pause_seconds(attempts: int) -> float:
    """The wait after this number of attempts."""
    return min(_MAX_PAUSE_SECONDS, _FIRST_PAUSE_SECONDS * 2.0 ** min(attempts - 1, 20))


def _service(receiver: str) -> str:
    return f"notifications {receiver}"


class Notifier:
    """Runs the senders, each in a thread."""

    def __init__(
        self, runtime: Runtime, receivers: Sequence[Receiver], deployment: Deployment
    ) -> None:
        self._state = runtime.state
        outages = Outages()
        self._senders = {
            each.name: Sender(runtime, each, deployment, outages) for each in receivers
        }
        self._ends = threading.Event()
        self._threads: list[threading.Thread] = []

    def start(self) -> None:
        for name, sender in self._senders.items():
            run = partial(self._run, name, sender)
            thread = threading.Thread(target=run, name=f"notify {name}", daemon=True)
            self._threads.append(thread)
            thread.start()

    def send_due(self, seconds: float) -> None:
        """Sends due messages for about ``seconds``. For commands, which run no service."""
        until = time.monotonic() + seconds
        for name, sender in self._senders.items():
            while time.monotonic() < until and self._turn(name, sender):
                pass

    def close(self) -> None:
        """Stops the threads. An attempt that takes too long is repeated after the next start."""
        self._ends.set()
        for thread in self._threads:
            thread.join(_ENDING_SECONDS)

    def _run(self, name: str, sender: Sender) -> None:
        while not self._ends.is_set():
            if not self._turn(name, sender):
                self._ends.wait(_POLL_SECONDS)

    def _turn(self, name: str, sender: Sender) -> bool:
        try:
            return sender.turn()
        except StateUnavailable:
            # The state logs its outage itself.
            return False
        except Exception:
            log.exception("unexpected error", extra={"part": f"notify {name}"})
            return False


def forget_former_receivers(tx: Transaction, receivers: Sequence[str]) -> None:
    forgotten = tx.outbox.forget_other_receivers(receivers)
    if forgotten:
        log.warning("notices of former receivers are forgotten", extra={"notices": forgotten})
