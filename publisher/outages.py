"""Tracks which services fail and since when, and logs each outage in a few lines."""

from __future__ import annotations

import logging
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

log = logging.getLogger(__name__)

CATALOG: Final = "catalog"
INDEX: Final = "index"
UPLOADS: Final = "index uploads"
"""Separate from the index: its pages may answer while it accepts no uploads."""
STATE: Final = "state"

REPORT_SECONDS: Final = 60.0

MAX_PAST: Final = 20

_NOTHING: Final[Mapping[str, str]] = MappingProxyType({})


def catalog_service(name: str) -> str:
    """The service name of the catalog with this name; "" is the default catalog."""
    return f"{CATALOG} {name}" if name else CATALOG


def event_source(name: str) -> str:
    return f"events {name}"


@dataclass(slots=True)
class _Failure:
    reason: str
    remedy: str
    requests: set[str]
    """Kinds of request that failed and have not succeeded since."""

    def __str__(self) -> str:
        return f"{self.reason}; {self.remedy}" if self.remedy else self.reason


@dataclass(slots=True)
class _Outage:
    """One server's outage, from the first failure of one of its services until none fails."""

    service: str
    began_at: float
    failures: int = 0
    is_reported: bool = False
    reason: str = ""


@dataclass(frozen=True, slots=True)
class PastOutage:
    """An outage since this process started; times are in seconds before now.

    Attributes:
        ended_ago: None while it lasts.
        reason: the reason of the last failure.
    """

    service: str
    began_ago: float
    ended_ago: float | None
    failures: int
    reason: str


class Outages:
    """Tracks failing services. Safe for threads.

    A failing server gets at most one log line in ``REPORT_SECONDS``, and one more when a reported
    outage ends.
    """

    def __init__(
        self,
        services: Iterable[str] = (),
        servers: Mapping[str, str] = _NOTHING,
        now: Callable[[], float] = time.monotonic,
    ) -> None:
        """Tracks ``services``, which are known before their first use.

        ``servers``: the server that each service is part of. A metastore gives facts and events:
        both fail in one outage.
        """
        self._now = now
        self._servers = servers
        self._lock = threading.Lock()
        self._known = set(services)
        self._failing: dict[str, _Failure] = {}
        self._outages: dict[str, _Outage] = {}
        self._reported_at: dict[str, float] = {}
        self._ended: deque[tuple[_Outage, float]] = deque(maxlen=MAX_PAST)

    def fail(self, service: str, reason: str, remedy: str = "", request: str = "") -> None:
        """Notes that a service failed; ``remedy``: what a person can do.

        ``request``: the kind of request, for a service that may answer one kind and not another.
        """
        now = self._now()
        server = self._server_of(service)
        with self._lock:
            self._known.add(service)
            before = self._failing.get(service)
            requests = set() if before is None else before.requests
            self._failing[service] = _Failure(reason, remedy, requests | {request})
            outage = self._outages.setdefault(server, _Outage(service, now))
            outage.failures += 1
            outage.reason = str(self._failing[service])
            last = self._reported_at.get(server)
            if last is not None and now - last < REPORT_SECONDS:
                return
            event = "service still fails" if outage.is_reported else "service fails"
            outage.is_reported = True
            self._reported_at[server] = now
            fields = _fields(outage, now)
        log.warning(event, extra={**fields, "why": reason, "remedy": remedy})

    def succeed(self, service: str, request: str = "") -> None:
        """Notes that a service answered; it works again unless another kind of ``request`` still fails."""
        if service in self._known and service not in self._failing:
            return  # the usual case, without the lock
        now = self._now()
        server = self._server_of(service)
        with self._lock:
            self._known.add(service)
            failure = self._failing.get(service)
            if failure is not None:
                failure.requests.discard(request)
                if failure.requests:
                    return
                del self._failing[service]
            if any(self._server_of(other) == server for other in self._failing):
                return
            outage = self._outages.pop(server, None)
            if outage is not None:
                self._ended.append((outage, now))
        if outage is not None and outage.is_reported:
            log.info("service works again", extra=_fields(outage, now))

    def failing(self) -> Mapping[str, str]:
        """The reason and remedy of each failing service."""
        with self._lock:
            return {service: str(failure) for service, failure in self._failing.items()}

    def recent(self) -> Sequence[PastOutage]:
        """The outages that last, then up to ``MAX_PAST`` that have ended, the newest first."""
        now = self._now()
        with self._lock:
            lasting = [_past(outage, None, now) for outage in self._outages.values()]
            ended = [_past(outage, ended_at, now) for outage, ended_at in reversed(self._ended)]
        return [*lasting, *ended]

    def fails(self, *services: str) -> bool:
        with self._lock:
            return any(service in self._failing for service in services)

    def up(self) -> Mapping[str, bool]:
        """Whether each service worked when it was last needed."""
        with self._lock:
            return {service: service not in self._failing for service in sorted(self._known)}

    def _server_of(self, service: str) -> str:
        return self._servers.get(service, service)


def _past(outage: _Outage, ended_at: float | None, now: float) -> PastOutage:
    ended_ago = None if ended_at is None else now - ended_at
    return PastOutage(
        outage.service, now - outage.began_at, ended_ago, outage.failures, outage.reason
    )


def _fields(outage: _Outage, now: float) -> dict[str, object]:
    seconds = round(now - outage.began_at, 1)
    return {"service": outage.service, "failures": outage.failures, "seconds": seconds}
