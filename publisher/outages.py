"""Which services fail now and since when, told to the log in a few lines however often each is asked."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Final

log = logging.getLogger(__name__)

CATALOG: Final = "catalog"
INDEX: Final = "index"
UPLOADS: Final = "index uploads"
"""Apart from the index: its pages may answer while it accepts nothing."""
STATE: Final = "state"
STATE_READING: Final = "state reading"
"""Apart from writing: a full disk can be read."""

REPORT_SECONDS: Final = 60.0


def event_source(name: str) -> str:
    return f"events {name}"


@dataclass(slots=True)
class _Outage:
    reason: str
    began_at: float
    failures: int = 0
    is_reported: bool = False


class Outages:
    """Safe for threads.

    Of each service at most one line in ``REPORT_SECONDS`` says that it fails; the end of an outage that
    was reported is one more line.
    """

    def __init__(
        self, services: Iterable[str] = (), now: Callable[[], float] = time.monotonic
    ) -> None:
        """``services``: those that exist, before they are needed for the first time."""
        self._now = now
        self._lock = threading.Lock()
        self._known = set(services)
        self._current: dict[str, _Outage] = {}
        self._reported_at: dict[str, float] = {}

    def fail(self, service: str, reason: str) -> None:
        """It was needed, and did not do its work."""
        now = self._now()
        with self._lock:
            self._known.add(service)
            outage = self._current.setdefault(service, _Outage(reason, now))
            outage.reason = reason
            outage.failures += 1
            last = self._reported_at.get(service)
            if last is not None and now - last < REPORT_SECONDS:
                return
            event = "service still fails" if outage.is_reported else "service fails"
            outage.is_reported = True
            self._reported_at[service] = now
            fields = _fields(service, outage, now)
        log.warning(event, extra={**fields, "why": reason})

    def succeed(self, service: str) -> None:
        """It was needed, and did its work."""
        if service in self._known and service not in self._current:
            return  # most often, and without the lock
        now = self._now()
        with self._lock:
            self._known.add(service)
            outage = self._current.pop(service, None)
        if outage is not None and outage.is_reported:
            log.info("service works again", extra=_fields(service, outage, now))

    def failing(self) -> Mapping[str, str]:
        """Why, by service; empty if none fails."""
        with self._lock:
            return {service: outage.reason for service, outage in self._current.items()}

    def fails(self, *services: str) -> bool:
        """Whether one of them fails."""
        with self._lock:
            return any(service in self._current for service in services)

    def up(self) -> Mapping[str, bool]:
        """Whether it worked when it was last needed, by service."""
        with self._lock:
            return {service: service not in self._current for service in sorted(self._known)}


def _fields(service: str, outage: _Outage, now: float) -> dict[str, object]:
    seconds = round(now - outage.began_at, 1)
    return {"service": service, "failures": outage.failures, "seconds": seconds}
