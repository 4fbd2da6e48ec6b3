"""``POST /check``: a statement that is about to run → the rules that it breaks, as JSON."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any, Final, Protocol

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from publisher.web.access import Access
from publisher.web.limited_requests import (
    NO_STORE,
    Refusal,
    answer_of,
    client_of,
    read_body,
    require_access,
    require_json,
)

CHECK_ADDRESS: Final = "/check"

_STATUS_OF_ERRORS: Final = {"InternalError": HTTPStatus.INTERNAL_SERVER_ERROR}


class StatementChecker(Protocol):
    @property
    def max_bytes(self) -> int: ...

    def submit(self, request: bytes, client: str) -> Future[Mapping[str, Any]]:
        """``{"result"}`` or ``{"error"}``, or ``Unavailable`` or ``Failed``; clients take turns.

        Raises:
            Unavailable: the request does not wait.
        """


@dataclass(frozen=True, slots=True)
class StatementChecks:
    checker: StatementChecker
    access: Access

    def routes(self) -> Sequence[Route]:
        return (Route(CHECK_ADDRESS, self.check, methods=["POST"]),)

    async def check(self, request: Request) -> Response:
        """On the server's own thread, which waits for no free one while other pages are made."""
        try:
            require_access(request, self.access)
            require_json(request)
            body = await read_body(request, self.checker.max_bytes)
            answer = await answer_of(lambda: self.checker.submit(body, client_of(request)))
        except Refusal as refusal:
            return refusal.as_json()
        if "error" in answer:
            status = _STATUS_OF_ERRORS.get(answer["error"]["type"], HTTPStatus.BAD_REQUEST)
            return JSONResponse({"error": answer["error"]}, status, NO_STORE)
        return JSONResponse(answer["result"], HTTPStatus.OK, NO_STORE)
