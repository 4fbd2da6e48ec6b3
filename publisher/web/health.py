"""/health/: JSON for probes, which have no credentials; for browsers, each check with a remedy.

Everybody sees which parts fail; only operators see the reasons.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from http import HTTPStatus
from typing import Final

from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, Response
from starlette.routing import Route

from publisher.outages import CATALOG
from publisher.web.access import Access
from publisher.web.negotiation import prefers_html
from publisher.web.rendering import render
from publisher.web.status import Daemon

LIVE_ADDRESS: Final = "/health/live"
READY_ADDRESS: Final = "/health/ready"

_NO_STORE: Final = {"Cache-Control": "no-store", "Vary": "Accept"}


@dataclass(frozen=True, slots=True)
class Check:
    """A check of the service: a line of the page for browsers.

    Attributes:
        kinds: the first words of the names of the parts that the check covers.
        remedy: what an operator can do, in a sentence or two.
    """

    title: str
    kinds: tuple[str, ...]
    remedy: str


CHECKS: Final = (
    Check("State", ("state",), "Free the disk, or restore the file of the state."),
    Check(
        "Catalogs",
        (CATALOG,),
        "Repair the catalog or the way to it. The command schema-publisher config check connects to it.",
    ),
    Check(
        "Event sources",
        ("events", "receive"),
        "Repair the source. Meanwhile, schema-publisher snapshot publishes what changed.",
    ),
    Check(
        "Package index",
        ("index",),
        "Repair the index. If it answers 401 or 403, put the new password into password_file.",
    ),
    Check(
        "Snapshots",
        ("snapshot",),
        "Look for the reason in the log: mostly, it is the catalog. The command schema-publisher "
        "snapshot makes one now.",
    ),
    Check(
        "Workers",
        ("work",),
        "A worker without progress: keep the log, restart the service, and report a bug.",
    ),
    Check("Threads", ("threads",), "Keep the log, restart the service, and report a bug."),
)
_OTHERS: Final = Check("Other parts", (), "Look for the reason in the log.")


@dataclass(frozen=True, slots=True)
class CheckLine:
    """A check with its failures. ``troubles`` is empty if nothing fails."""

    check: Check
    troubles: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class HealthView:
    """The data of the page.

    Attributes:
        explains: whether the reader may see the reasons of failures.
        has_metrics: whether the reader may see the metrics.
    """

    is_ready: bool
    lines: tuple[CheckLine, ...]
    explains: bool
    has_metrics: bool


class HealthChecks:
    """The health checks for probes and people.

    ``has_metrics`` says whether the metrics are at the same host and port.
    """

    def __init__(self, daemon: Daemon, access: Access, *, has_metrics: bool) -> None:
        self._daemon = daemon
        self._access = access
        self._has_metrics = has_metrics

    def routes(self) -> Sequence[Route]:
        return (Route(LIVE_ADDRESS, self.live), Route(READY_ADDRESS, self.ready))

    async def live(self, request: Request) -> Response:  # noqa: ARG002
        # Runs on the server's event loop: it needs no free thread, and reads nothing.
        is_live = self._daemon.is_live()
        return _health("live", is_live, "" if is_live else "a thread has ended")

    def ready(self, request: Request) -> Response:
        troubles = self._daemon.troubles()
        reveals = self._access.reveals(request)
        parts = {
            part: f"{part}: {why}" if reveals else _public(part)
            for part, why in sorted(troubles.items())
        }
        stated = request.query_params.get("format")
        if stated == "json" or not prefers_html(request.headers.get("accept")):
            return _health("ready", not troubles, "; ".join(dict.fromkeys(parts.values())))
        view = HealthView(
            is_ready=not troubles,
            lines=_lines(parts),
            explains=reveals,
            has_metrics=self._has_metrics and self._access.permits(request),
        )
        return HTMLResponse(render("health.html", view), _status(not troubles), _NO_STORE)


def _lines(parts: Mapping[str, str]) -> tuple[CheckLine, ...]:
    """Every check with its failures. ``parts`` maps each failing part to the sentence to show."""
    known = {kind for check in CHECKS for kind in check.kinds}

    def said(kinds: Sequence[str]) -> tuple[str, ...]:
        found = (text for part, text in parts.items() if _kind(part) in kinds)
        return tuple(dict.fromkeys(found))

    others = said([kind for kind in map(_kind, parts) if kind not in known])
    lines = tuple(CheckLine(check, said(check.kinds)) for check in CHECKS)
    return (*lines, CheckLine(_OTHERS, others)) if others else lines


def _kind(part: str) -> str:
    return part.partition(" ")[0]


def _public(part: str) -> str:
    """The part's name without internal names.

    A catalog's name stays: the names of its packages contain it anyway.
    """
    kind = _kind(part)
    return part if kind == CATALOG else kind


def _health(name: str, healthy: bool, reason: str) -> Response:
    return JSONResponse({name: healthy, "reason": reason}, _status(healthy), _NO_STORE)


def _status(healthy: bool) -> HTTPStatus:
    return HTTPStatus.OK if healthy else HTTPStatus.SERVICE_UNAVAILABLE
