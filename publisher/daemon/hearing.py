"""Collects statements from HTTP, files and a topic, and passes them to one learner."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import CancelledError, Future
from functools import partial
from typing import Any, Final, Protocol

from lakeschema.analysis.fillings_logged import Learnt
from lakeschema.isolation.limits import ProcessDied
from publisher.daemon.admission import Admission
from publisher.daemon.known_relations import KnownRelations
from publisher.events.protocol import SourceUnavailable
from publisher.outages import Outages
from publisher.state.protocol import State, StateUnavailable
from publisher.statements.learning import Learner
from publisher.statements.log_files import Piece, UnreadableLog
from publisher.web.limited_requests import Failed, Unavailable

log = logging.getLogger(__name__)

MAX_BYTES: Final = 4 * 1024**2
"""The limit for the body of a request."""
_MAX_WAITING: Final = 64
_POLL_SECONDS: Final = 2.0
_READY_SECONDS: Final = 0.2
_MAX_READY_SECONDS: Final = 60.0
_OURSELVES: Final = ""
"""The client name for the service's own sources."""


class StatementSource(Protocol):
    """A source of statements. ``name`` is the key of its position."""

    @property
    def name(self) -> str: ...

    def read(self, position: str | None) -> Iterator[Piece]:
        """The next statements.

        Raises ``UnreadableLog`` or ``SourceUnavailable`` if nothing more can be read now.
        """

    def close(self) -> None: ...


class Hearing:
    def __init__(
        self,
        state: State,
        known: KnownRelations,
        learner: Learner,
        sources: Sequence[StatementSource],
        outages: Outages,
        is_ready: Callable[[], bool],
    ) -> None:
        """Starts no thread; ``is_ready`` returns whether the state knows the relations and their columns."""
        self.max_bytes = MAX_BYTES
        self._state = state
        self._known = known
        self._sources = sources
        self._outages = outages
        self._is_ready = is_ready
        self._admission = Admission([learner], _MAX_WAITING, "statements", lambda: None)
        self._ends = threading.Event()
        self._threads: list[threading.Thread] = []

    def start(self) -> None:
        self._spawn("statements", self._begin)
        for source in self._sources:
            self._spawn(source.name, partial(self._keep_hearing, source))

    def _spawn(self, name: str, run: Callable[[], None]) -> None:
        thread = threading.Thread(target=run, name=name, daemon=True)
        self._threads.append(thread)
        thread.start()

    def _begin(self) -> None:
        """Waits, for a limited time, until the relations of the first snapshot are derived."""
        until = time.monotonic() + _MAX_READY_SECONDS
        while not self._ends.is_set():
            try:
                is_derived = self._state.read(lambda tx: tx.work.oldest_at()) is None
                if self._is_ready() and (is_derived or time.monotonic() > until):
                    self._known.start(lambda: None)
                    return
            except StateUnavailable:
                # The state logs its outage itself.
                pass
            self._ends.wait(_READY_SECONDS)

    def submit(self, request: bytes, client: str) -> Future[Mapping[str, Any]]:
        """Learns from the lines of a request and stores the result. Clients take turns.

        Raises:
            Unavailable: the request cannot wait in the queue.
        """
        if self._known.current is None:
            raise Unavailable("the service begins, and has not read its relations yet")
        return self._admission.submit(client, partial(_answer, request))

    def close(self) -> None:
        self._ends.set()
        self._known.close()
        self._admission.close()
        for thread in self._threads:
            thread.join(_POLL_SECONDS)

    def _keep_hearing(self, source: StatementSource) -> None:
        while not self._ends.is_set():
            try:
                self._hear(source)
                self._outages.succeed(source.name)
            except UnreadableLog as error:
                self._outages.fail(source.name, str(error), "correct statements.log")
            except SourceUnavailable as error:
                self._outages.fail(source.name, error.reason, error.hint)
            except (StateUnavailable, Unavailable, CancelledError):
                # The state logs its outage itself. At the end of the service, no log is needed.
                pass
            except Exception:
                log.exception("unexpected error", extra={"part": source.name})
            self._ends.wait(_POLL_SECONDS)
        source.close()

    def _hear(self, source: StatementSource) -> None:
        if self._known.current is None:
            return
        position = self._state.read(lambda tx: tx.journal.position(source.name))
        for piece in source.read(position):
            self._admission.submit(_OURSELVES, partial(_learn, source.name, piece)).result()
            if self._ends.is_set():
                return


def _answer(request: bytes, learner: Learner) -> Mapping[str, Any]:
    try:
        learnt = learner.learn(request)
    except ProcessDied as died:
        log.warning("statements were given up", extra={"why": died.reason})
        why = "they take too long" if died.timed_out else "the process ended"
        raise Failed(
            f"the statements could not be read, and none is stored: {why}; send fewer at a time"
        ) from None
    except StateUnavailable as error:
        raise Unavailable(f"the state cannot be written now: {error}") from None
    return {
        "statements": learnt.statements,
        "fillings": len(learnt.fillings),
        "unread": learnt.unread,
        "failures": [{"statement": number, "message": why} for number, why in learnt.failures],
    }


def _learn(source: str, piece: Piece, learner: Learner) -> None:
    """Learns all lines together.

    If they exceed the limits, learns each line alone, and skips lines that still exceed them.
    """
    read_to = (source, piece.position)
    if not piece.lines:
        learner.save(read_to)
        return
    try:
        _tell(piece, learner.learn(b"".join(piece.lines), piece.ran_at, read_to))
    except ProcessDied:
        for line in piece.lines:
            try:
                _tell(piece, learner.learn(line, piece.ran_at))
            except ProcessDied as died:
                log.warning(
                    "a statement was given up", extra={"log": piece.file, "why": died.reason}
                )
        learner.save(read_to)


def _tell(piece: Piece, learnt: Learnt) -> None:
    if learnt.unread:
        fields = {"log": piece.file, "unread": learnt.unread, "first": learnt.failures[0][1]}
        log.warning("statements of the log cannot be read", extra=fields)
