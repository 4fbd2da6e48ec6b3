"""The common parts of all requests to limited processes: checks of access and length, and failures."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from concurrent.futures import Future
from http import HTTPStatus
from typing import Any, Final, Protocol, TypeVar

from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse

from publisher.web.access import Access

T = TypeVar("T")

JSON_TYPE: Final = "application/json"
NO_STORE: Final = {"Cache-Control": "no-store"}

_RETRY_SECONDS: Final = 1


class Unavailable(Exception):
    """The request cannot be answered now: too many requests wait, or the service starts or ends."""


class Failed(Exception):
    """The request exceeded a limit, and its process was killed."""


class Refusal(Exception):
    """The reason why a request has no answer, as an HTTP response."""

    def __init__(
        self, status: HTTPStatus, message: str, headers: Mapping[str, str] | None = None
    ) -> None:
        super().__init__(message)
        self.status = status
        self.message = message
        self.headers = {**(headers or {}), **NO_STORE}

    def as_json(self) -> JSONResponse:
        type_ = self.status.phrase.title().replace(" ", "")
        shown = {"error": {"type": type_, "message": self.message}}
        return JSONResponse(shown, self.status, self.headers)


def require_access(request: Request, access: Access) -> None:
    """Checks the client's token.

    Raises:
        Refusal: the client lacks the operations token.
    """
    if not access.permits(request):
        challenge = {"WWW-Authenticate": "Bearer"}
        raise Refusal(HTTPStatus.UNAUTHORIZED, "the operations token is needed", challenge)


def client_of(request: Request) -> str:
    """The client's address, by which clients take turns; a proxy on this machine may state it."""
    return request.client.host if request.client else ""


def media_type(request: Request) -> str:
    return request.headers.get("content-type", "").partition(";")[0].strip().lower()


def require_json(request: Request, *others: str) -> None:
    """Checks that the body is JSON. ``others`` are further media types that mean JSON.

    Raises:
        Refusal: the request has another media type, such as a form of another site.
    """
    allowed = (JSON_TYPE, *others)
    if media_type(request) not in allowed:
        raise Refusal(HTTPStatus.UNSUPPORTED_MEDIA_TYPE, f"expected {' or '.join(allowed)}")


async def read_body(request: Request, max_bytes: int) -> bytes:
    """Reads the body, up to ``max_bytes``.

    Raises:
        Refusal: the body is longer, or the client did not send all of it.
    """
    message = f"the request has more than the {max_bytes} bytes allowed"
    too_long = Refusal(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, message)
    stated = request.headers.get("content-length", "")
    if stated.isdecimal() and int(stated) > max_bytes:
        raise too_long
    received = bytearray()
    try:
        async for part in request.stream():
            received += part
            if len(received) > max_bytes:
                raise too_long
    except ClientDisconnect:
        raise Refusal(HTTPStatus.BAD_REQUEST, "the request was not sent whole") from None
    return bytes(received)


class JsonService(Protocol):
    """A service that takes a request's bytes unchanged and answers with JSON."""

    @property
    def max_bytes(self) -> int: ...

    def submit(self, request: bytes, client: str) -> Future[Mapping[str, Any]]:
        """Puts the request in the queue, in which clients take turns.

        The future has the answer, or raises ``Unavailable`` or ``Failed``.

        Raises:
            Unavailable: the request cannot wait in the queue.
        """


async def json_answer(
    request: Request, access: Access, service: JsonService, *other_types: str
) -> Mapping[str, Any]:
    """The service's answer to a request that must be JSON.

    Runs on the server's event loop, so it needs no free thread while other pages are made.

    Raises:
        Refusal: the client has no access, the request is not JSON, or the service does not answer.
    """
    require_access(request, access)
    require_json(request, *other_types)
    body = await read_body(request, service.max_bytes)
    return await answer_of(lambda: service.submit(body, client_of(request)))


async def answer_of(submit: Callable[[], Future[T]]) -> T:
    """Waits for the processes' answer without blocking a thread.

    Raises:
        Refusal: the processes do not answer.
    """
    try:
        return await asyncio.wrap_future(submit())
    except Unavailable as error:
        headers = {"Retry-After": str(_RETRY_SECONDS)}
        raise Refusal(HTTPStatus.SERVICE_UNAVAILABLE, str(error), headers) from None
    except Failed as error:
        raise Refusal(HTTPStatus.SERVICE_UNAVAILABLE, str(error)) from None
