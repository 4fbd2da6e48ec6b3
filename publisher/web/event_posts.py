"""``POST /events/NAME`` takes signed events, and answers 202 when they are stored."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from http import HTTPStatus
from typing import Final, Protocol

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from publisher.events.posted_events import EVENTS_ADDRESS, PostRefused, Why
from publisher.events.signed_messages import Stamp
from publisher.web.limited_requests import NO_STORE, Refusal, read_body

_RETRY: Final = {"Retry-After": "1"}
_STATUS: Final[Mapping[Why, HTTPStatus]] = {
    Why.UNSIGNED: HTTPStatus.UNAUTHORIZED,
    Why.REPEATED: HTTPStatus.CONFLICT,
    Why.FULL: HTTPStatus.TOO_MANY_REQUESTS,
    Why.UNAVAILABLE: HTTPStatus.SERVICE_UNAVAILABLE,
}


class Inbox(Protocol):
    """A source that takes posted events; ``address_name`` is the last part of its address."""

    @property
    def address_name(self) -> str: ...

    @property
    def max_bytes(self) -> int: ...

    def read_stamp(self, headers: Mapping[str, str]) -> Stamp:
        """Reads the id, time and signature of a message.

        Raises:
            PostRefused: the headers are not the headers of a message that was signed just now.
        """

    def submit(self, stamp: Stamp, headers: Mapping[str, str], body: bytes) -> Future[None]:
        """Hands over a message. The future ends when the message is stored, or raises ``PostRefused``.

        Raises:
            PostRefused: the signature is wrong, or too many requests wait.
        """


@dataclass(frozen=True, slots=True)
class EventPosts:
    """The addresses that take signed events.

    A valid signature suffices, since senders of events do not know the operations token.
    """

    inboxes: Sequence[Inbox]

    def routes(self) -> Sequence[Route]:
        return (Route(f"{EVENTS_ADDRESS}{{source}}", self.take, methods=["POST"]),)

    async def take(self, request: Request) -> Response:
        """Stores a posted event.

        Runs on the server's event loop, so it needs no free thread while pages are made.
        """
        try:
            await self._take(request)
        except Refusal as refusal:
            return refusal.as_json()
        return JSONResponse({"stored": True}, HTTPStatus.ACCEPTED, NO_STORE)

    async def _take(self, request: Request) -> None:
        named = request.path_params["source"]
        inbox = next((each for each in self.inboxes if each.address_name == named), None)
        if inbox is None:
            raise Refusal(HTTPStatus.NOT_FOUND, "there is no such source of events")
        headers = dict(request.headers)
        try:
            stamp = inbox.read_stamp(headers)
            body = await read_body(request, inbox.max_bytes)
            await asyncio.wrap_future(inbox.submit(stamp, headers, body))
        except PostRefused as refused:
            status = _STATUS[refused.why]
            retry = _RETRY if refused.why in {Why.FULL, Why.UNAVAILABLE} else {}
            raise Refusal(status, refused.message, retry) from None
