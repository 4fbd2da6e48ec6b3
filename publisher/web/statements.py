"""``POST /statements``: statements that ran → what was learnt of them, once that is stored, as JSON."""

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

STATEMENTS_ADDRESS: Final = "/statements"
_LINES: Final = ("application/x-ndjson", "application/jsonl")


class StatementListener(Protocol):
    @property
    def max_bytes(self) -> int: ...

    def submit(self, request: bytes, client: str) -> Future[Mapping[str, Any]]:
        """What was learnt, or ``Unavailable`` or ``Failed``; clients take turns.

        Raises:
            Unavailable: the request does not wait.
        """


@dataclass(frozen=True, slots=True)
class StatementsHeard:
    listener: StatementListener
    access: Access

    def routes(self) -> Sequence[Route]:
        return (Route(STATEMENTS_ADDRESS, self.hear, methods=["POST"]),)

    async def hear(self, request: Request) -> Response:
        try:
            require_access(request, self.access)
            require_json(request, *_LINES)
            body = await read_body(request, self.listener.max_bytes)
            learnt = await answer_of(lambda: self.listener.submit(body, client_of(request)))
        except Refusal as refusal:
            return refusal.as_json()
        return JSONResponse(learnt, HTTPStatus.OK, NO_STORE)
