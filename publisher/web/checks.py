"""``POST /check``: a statement that is about to run → the rules that it breaks, as JSON."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any, Final, Protocol

from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from publisher.web.access import Access

CHECK_ADDRESS: Final = "/check"

_NO_STORE: Final = {"Cache-Control": "no-store"}
_RETRY_SECONDS: Final = 1
_STATUS_OF_ERRORS: Final = {"InternalError": HTTPStatus.INTERNAL_SERVER_ERROR}


class CheckUnavailable(Exception):
    """No statement can be checked now: too many wait, or the service begins or ends."""


class CheckFailed(Exception):
    """The check of this statement exceeded a limit, and its process was killed."""


class StatementChecker(Protocol):
    @property
    def max_bytes(self) -> int: ...

    def submit(self, request: bytes) -> Future[Mapping[str, Any]]:
        """``{"result"}`` or ``{"error"}``, or one of the exceptions above.

        Raises:
            CheckUnavailable: the request does not wait.
        """


@dataclass(frozen=True, slots=True)
class StatementChecks:
    checker: StatementChecker
    access: Access

    def routes(self) -> Sequence[Route]:
        return (Route(CHECK_ADDRESS, self.check, methods=["POST"]),)

    async def check(self, request: Request) -> Response:
        """On the server's own thread, which waits for no free one while other pages are made."""
        if not self.access.permits(request):
            challenge = {"WWW-Authenticate": "Bearer"}
            return _error(HTTPStatus.UNAUTHORIZED, "the operations token is needed", challenge)
        media_type = request.headers.get("content-type", "").partition(";")[0].strip().lower()
        if media_type != "application/json":
            # What a form of another site could send has another type.
            return _error(HTTPStatus.UNSUPPORTED_MEDIA_TYPE, "expected application/json")
        try:
            body = await _body(request, self.checker.max_bytes)
        except ClientDisconnect:
            return _error(HTTPStatus.BAD_REQUEST, "the request was not sent whole")
        if body is None:
            message = f"the request has more than the {self.checker.max_bytes} bytes allowed"
            return _error(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, message)
        try:
            answer = await asyncio.wrap_future(self.checker.submit(body))
        except (CheckUnavailable, CheckFailed) as error:
            headers = {"Retry-After": str(_RETRY_SECONDS)}
            is_busy = isinstance(error, CheckUnavailable)
            return _error(HTTPStatus.SERVICE_UNAVAILABLE, str(error), headers if is_busy else {})
        if "error" in answer:
            status = _STATUS_OF_ERRORS.get(answer["error"]["type"], HTTPStatus.BAD_REQUEST)
            return JSONResponse({"error": answer["error"]}, status, _NO_STORE)
        return JSONResponse(answer["result"], HTTPStatus.OK, _NO_STORE)


async def _body(request: Request, max_bytes: int) -> bytes | None:
    """None if it is longer, of which no more is read than that."""
    stated = request.headers.get("content-length", "")
    if stated.isdecimal() and int(stated) > max_bytes:
        return None
    received = bytearray()
    async for part in request.stream():
        received += part
        if len(received) > max_bytes:
            return None
    return bytes(received)


def _error(
    status: HTTPStatus, message: str, headers: Mapping[str, str] | None = None
) -> JSONResponse:
    shown = {"error": {"type": status.phrase.title().replace(" ", ""), "message": message}}
    return JSONResponse(shown, status, {**(headers or {}), **_NO_STORE})
