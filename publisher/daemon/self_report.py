"""A running service's report in the state, for commands that cannot ask the service."""

from __future__ import annotations

import json
import secrets
import threading
import time
from collections.abc import Callable, Mapping
from typing import Final

from publisher.state.protocol import State, StateUnavailable, Transaction

NOTE: Final = "@service "
"""The prefix of the notes. Each service that works on the state has a note."""
REPEAT_SECONDS: Final = 60.0
_LOOK_SECONDS: Final = 2.0


class SelfReport:
    """Stores a service's troubles when they change, and at least once in ``REPEAT_SECONDS``.

    The last report stays if the process is killed.
    """

    def __init__(
        self,
        state: State,
        troubles: Callable[[], Mapping[str, str]],
        now: Callable[[], float] = time.time,
    ) -> None:
        self._state = state
        self._troubles = troubles
        self._now = now
        self._key = NOTE + secrets.token_hex(4)
        self._started_at = now()
        self._said: Mapping[str, str] | None = None
        self._said_at = self._started_at
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._run, name="self report", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        """Removes the report, because the service ends as requested."""
        self._stopping.set()
        if self._thread.ident is not None:
            self._thread.join()
        self._write("")

    def look(self) -> None:
        """Stores changed troubles, or repeats an old report."""
        troubles, now = dict(self._troubles()), self._now()
        if troubles == self._said and abs(now - self._said_at) < REPEAT_SECONDS:
            return
        note = {"started_at": self._started_at, "said_at": now, "troubles": troubles}
        if self._write(json.dumps(note)):
            self._said, self._said_at = troubles, now

    def _run(self) -> None:
        while not self._stopping.is_set():
            self.look()
            self._stopping.wait(_LOOK_SECONDS)

    def _write(self, note: str) -> bool:
        try:
            self._state.write(lambda tx: tx.journal.write_note(self._key, note))
        except StateUnavailable:
            # Workers on the state report its outage.
            return False
        return True


def forget_services(tx: Transaction) -> None:
    """Removes the reports of services that no longer work on the state."""
    for key in tx.journal.notes(NOTE):
        tx.journal.write_note(key, "")
    tx.journal.forget_empty_notes(NOTE)
